"""The plan: written once, ticked off, the whole of it in every answer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from localagent.tools.plan import items_of
from tests.fakes.tools import Bench


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path / "w")


async def test_a_plan_is_written_ticked_off_and_read(bench: Bench) -> None:
    written = await bench.run("plan", items=["look", " write  it ", "look"])
    assert written.content == "- [ ] look\n- [ ] write it"
    ticked = await bench.run("plan", done=[1])
    assert items_of(ticked.content) == (("look", True), ("write it", False))
    assert (await bench.run("plan")).content == ticked.content
    assert (await bench.run("plan", done=[1])).content == ticked.content


async def test_a_new_list_keeps_what_was_done(bench: Bench) -> None:
    await bench.run("plan", items=["a", "b"], done=[2])
    changed = await bench.run("plan", items=["b", "c [x] d"])
    assert items_of(changed.content) == (("b", True), ("c [x] d", False))


async def test_what_is_wrong_is_named(bench: Bench) -> None:
    assert (await bench.run("plan")).failure == "invalid"
    assert (await bench.run("plan", items=[" "])).failure == "invalid"
    await bench.run("plan", items=["a", "b"])
    wrong = await bench.run("plan", done=[3])
    assert (wrong.failure, wrong.content) == ("invalid", "The plan has no item 3; it has 1 to 2.")
    assert items_of((await bench.run("plan")).content) == (("a", False), ("b", False))


async def test_notes_stand_beside_the_plan_and_are_no_items(bench: Bench) -> None:
    first = await bench.run("plan", note="[x] looks like an item")
    assert items_of(first.content) == ()
    await bench.run("plan", items=["look"])
    both = await bench.run("plan", note="the port is 4711", done=[1])
    assert both.content == "- [x] look\n\n- [x] looks like an item\n- the port is 4711"
    assert items_of(both.content) == (("look", True),)


@pytest.mark.parametrize(
    "given", [{"note": "x" * 1001}, {"items": ["x" * 1001]}, {"items": [f"{'y' * 90} {n}" for n in range(100)]}]
)
async def test_what_would_fill_every_prompt_is_refused(bench: Bench, given: dict[str, Any]) -> None:
    assert (await bench.run("plan", items=["one"], note="first")).ok
    refused = await bench.run("plan", **given)
    assert (refused.failure, "write_file" in refused.content) == ("invalid", True)
    assert (await bench.run("plan", note="half \ud800 a character")).content.startswith("- [ ] one")


async def test_notes_end_somewhere(bench: Bench) -> None:
    told = [await bench.run("plan", note=f"{n} {'z' * 900}") for n in range(6)]
    assert [outcome.ok for outcome in told] == [True] * 4 + [False] * 2
