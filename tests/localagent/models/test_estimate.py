"""The estimate of tokens, beside what a vocabulary of 150,000 tokens (Qwen 2.5's) really makes of the texts."""

from __future__ import annotations

import pytest

from localagent.messages import Message, ToolCall, ToolSpec
from localagent.models.estimate import estimate
from localagent.ports import Request

PROSE = (
    "The landlord wrote on Monday that the rent for the second quarter had not arrived. She asked us to check with the "
    "bank, since the transfer of the month before had come late as well, and offered to wait until the week ends. "
)
RUSSIAN = (
    "Арендодатель написал в понедельник, что плата за второй квартал не поступила. Она просит уточнить в банке, "
    "потому что прошлый перевод тоже пришёл с опозданием, и готова подождать до конца недели. "
)
CODE = '''def rows(self, *, session: str | None = None, after: int = 0) -> Iterator[Row]:
    """Rows in their order, of one session or of all."""
    where: list[str] = ["id > ?"]
    if session is not None:
        where.append("session = ?")
        values.append(session)
    for id_, at, kind, data in self.connection.execute(sql, values):
        yield Row(id_, at, kind, json.loads(data))

'''
TEXTS: dict[str, tuple[str, int]] = {
    "prose": (PROSE * 4, 189),
    "russian": (RUSSIAN * 4, 277),
    "code": (CODE * 3, 303),
    "a listing": ("".join(f"report_{n}.csv  {n * 7919 % 99991} B  2026-11-{n % 28 + 1:02}\n" for n in range(60)), 1539),
    "mark-up": (
        "".join(f'<div class="row" id="r{n}"><a href="/item/{n}?x=1">Item {n}</a></div>\n' for n in range(30)),
        930,
    ),
    "json": (
        "".join(f'{{"id": {n}, "name": "page {n}", "tags": ["red", "round"], "ok": true}}\n' for n in range(30)),
        880,
    ),
    "chinese": ("今天天气很好，我们去公园散步，然后回家吃饭。" * 10, 130),
}


@pytest.mark.parametrize("kind", TEXTS)
def test_an_estimate_is_within_a_tenth(kind: str) -> None:
    text, real = TEXTS[kind]
    assert estimate(Request((Message("user", text),))) - 4 == pytest.approx(real, rel=0.1)


def test_calls_results_and_tools_count_too() -> None:
    bare = Request((Message("user", "go"),))
    calls = Request((Message("user", "go", calls=(ToolCall("1", "read_file", {"path": "a.txt"}),)),))
    tools = Request((Message("user", "go"),), (ToolSpec("read_file", "Read a file.", {"type": "object"}),))
    assert estimate(bare) < estimate(calls) < estimate(bare) + 20
    assert estimate(bare) < estimate(tools) < estimate(bare) + 30
