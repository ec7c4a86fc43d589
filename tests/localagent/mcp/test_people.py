"""What a server may ask: the person and the model answer, or nobody does."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from localagent.config.models_toml import Entry
from localagent.mcp.people import MOST_WAITING, TOO_MANY, People, _converted, _options
from localagent.models.scripted import ScriptedModel
from localagent.ports import ApprovalRequest, Decision, ToolContext
from tests.localagent.mcp.conftest import Open, entry
from tests.localagent.mcp.test_connection import use


class Person:
    def __init__(self, *answers: str, allow: bool = True) -> None:
        self.answers, self.allow = list(answers), allow
        self.asked: list[str] = []

    async def approve(self, request: ApprovalRequest) -> Decision:
        self.asked.append(request.summary)
        return Decision(self.allow, reason="" if self.allow else "not that")

    async def ask(self, question: str, options: Sequence[str]) -> str:
        self.asked.append(question)
        return self.answers.pop(0)


async def answer(opened: Open, context: ToolContext, tool: str, **people: Any) -> Any:
    servers = opened(fake=entry())
    await servers.know(20)
    for name, value in people.items():
        setattr(servers.people, name, value)
    return json.loads((await use(servers, tool, context)).content)


async def test_the_person_fills_in_a_form(opened: Open, context: ToolContext) -> None:
    person = Person("Kazan", "3")
    got = await answer(opened, context, "ask_person", approver=person)
    assert got == {"action": "accept", "content": {"city": "Kazan", "nights": 3}}
    assert "fake asks: Where to?" in person.asked[0]


async def test_no_answer_is_a_refusal(opened: Open, context: ToolContext) -> None:
    assert await answer(opened, context, "ask_person", approver=Person("", "")) == {"action": "decline"}
    assert await answer(opened, context, "ask_person") == {"action": "decline"}


async def test_the_local_model_answers_once_the_person_agrees(
    opened: Open, context: ToolContext, tmp_path: Path
) -> None:
    (tmp_path / "replies.jsonl").write_text('{"content": "blue"}\n', encoding="utf-8")
    model = ScriptedModel(Entry("here", "scripted", file=tmp_path / "replies.jsonl"))
    person = Person()
    got = await answer(opened, context, "ask_model", approver=person, model=lambda: model)
    assert (got["content"]["text"], got["model"]) == ("blue", "here")
    assert "Name a colour." in person.asked[0]
    refused = await answer(opened, context, "ask_model", approver=Person(allow=False), model=lambda: model)
    assert refused["message"] == "refused: not that"


async def test_a_cloud_model_answers_no_server(opened: Open, context: ToolContext) -> None:
    person = Person()
    assert "no local model" in (await answer(opened, context, "ask_model", approver=person))["message"]
    assert person.asked == []


async def test_the_root_is_the_workspace(opened: Open, context: ToolContext) -> None:
    got = await answer(opened, context, "ask_roots")
    assert [root["uri"] for root in got["roots"]] == [context.workspace.as_uri()]


def test_answers_have_the_type_of_their_field() -> None:
    choice = {"type": "string", "enum": ["s", "m"], "enumNames": ["small", "middle"]}
    assert _converted("middle", choice, _options(choice)) == "m"
    assert _converted("huge", choice, _options(choice)) is None
    assert _converted("yes", {"type": "boolean"}, _options({"type": "boolean"})) is True
    assert _converted("2.5", {"type": "number"}, {}) == 2.5
    assert _converted("two", {"type": "integer"}, {}) is None
    many = {"type": "array", "items": {"enum": ["a", "b"]}}
    assert _converted("a, b", many, _options(many)) == ["a", "b"]


async def test_the_time_of_a_call_stands_still_while_the_person_thinks(opened: Open, context: ToolContext) -> None:
    class Slow(Person):
        async def ask(self, question: str, options: Sequence[str]) -> str:
            await asyncio.sleep(2.3)
            return await super().ask(question, options)

    servers = opened(fake=entry(timeout=2))
    await servers.know(20)
    servers.people.approver = Slow("Kazan", "3")
    assert '"accept"' in (await use(servers, "ask_person", context)).content
    assert servers.people.waiting == 0


async def test_progress_is_a_sign_of_life(opened: Open, context: ToolContext) -> None:
    servers = opened(fake=entry(timeout=2))
    await servers.know(20)
    assert (await use(servers, "sleep", context, seconds=2.4)).content == "slept"


class Slow(Person):
    """Nobody answers before the gate opens."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = asyncio.Event()

    async def ask(self, question: str, options: Sequence[str]) -> str:
        self.asked.append(question)
        await self.gate.wait()
        return "no"


def form(*fields: str, message: str = "?") -> Any:
    return SimpleNamespace(mode="form", message=message, requested_schema={"properties": {name: {} for name in fields}})


async def test_a_server_that_asks_and_asks_is_declined(tmp_path: Path) -> None:
    person = Slow()
    asking = People(tmp_path, person).callbacks("s")["elicitation_callback"]
    asked = [asyncio.create_task(asking(None, form())) for _ in range(50)]
    done, waiting = await asyncio.wait(asked, timeout=None, return_when=asyncio.FIRST_COMPLETED)
    while len(waiting) > MOST_WAITING:
        done, waiting = await asyncio.wait(asked, return_when=asyncio.FIRST_COMPLETED)
    assert len(person.asked) == MOST_WAITING
    assert {one.result().message for one in done} == {TOO_MANY}
    person.gate.set()
    assert [(await one).action for one in waiting] == ["decline"] * MOST_WAITING
    assert (await asking(None, form())).action == "decline"
    assert len(person.asked) == MOST_WAITING + 1


async def test_a_question_is_short_and_holds_nothing_unseen(tmp_path: Path) -> None:
    person = Person("x", "y")
    asking = People(tmp_path, person).callbacks("s")["elicitation_callback"]
    assert (await asking(None, form(*map(str, range(21))))).action == "decline"
    assert person.asked == []
    await asking(None, form("a", message="Hi\u202e\x1b[2J" + chr(0xE0041) + "!" * 5000))
    assert person.asked[0].startswith("The MCP server s asks: Hi[2J!!!")
    assert len(person.asked[0]) < 1200


async def test_a_model_is_asked_nothing_that_the_person_did_not_see(tmp_path: Path) -> None:
    person = Person()
    sampling = People(tmp_path, person, model=object).callbacks("s")["sampling_callback"]  # type: ignore[arg-type]
    block = SimpleNamespace(type="text", text="x" * 5000)
    said = SimpleNamespace(role="user", content_as_list=[block])
    refused = await sampling(None, SimpleNamespace(system_prompt=None, messages=[said], max_tokens=9))
    assert "4000 characters" in refused.message
    assert person.asked == []
