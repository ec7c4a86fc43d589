"""What a reply is held to: how many calls it may hold follows the model that writes it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from localagent.calling.grammar_schema import kept_short
from localagent.messages import Message, ToolSpec
from localagent.ports import Capabilities
from tests.fakes.agent import Recording, World, toy


@pytest.mark.parametrize(("billions", "several"), [(0.135, False), (0.63, False), (1.54, True), (None, True)])
def test_only_models_that_are_large_enough_may_write_several_calls(
    tmp_path: Path, billions: float | None, several: bool
) -> None:
    world = World(tmp_path, [{"content": "Four."}], [toy("look")], constrain=True)
    agent = world.agent()
    agent.seat = replace(agent.seat, capabilities=Capabilities(parameters=billions))
    world.run("2 + 2?", agent)
    assert isinstance(agent.seat.model, Recording)
    constraint = agent.seat.model.requests[0].constraint
    assert constraint is not None
    assert constraint.several is several


LISTED = {"type": "object", "properties": {"a": {"type": "array", "items": {"type": "string"}}}}


@pytest.mark.parametrize("smallest", [False, True])
def test_a_call_that_ran_on_gets_an_end_where_the_smallest_model_writes_it(tmp_path: Path, smallest: bool) -> None:
    ran_on = {"content": 'Action: look\nAction Input: {"a": ["x", "x", "x"', "finish_reason": "length"}
    world = World(tmp_path, [ran_on, {"content": "Four."}], [toy("look", parameters=LISTED)], constrain=True)
    agent = world.agent()
    agent.seat = replace(agent.seat, shots=(Message("user", "1 + 1?"), Message("assistant", "2")) if smallest else ())
    world.run("2 + 2?", agent)
    assert isinstance(agent.seat.model, Recording)
    lists = [request.constraint.tools[0].parameters["properties"]["a"] for request in agent.seat.model.requests]  # type: ignore[union-attr]
    assert [("maxItems" in schema, "maxLength" in schema["items"]) for schema in lists] == [
        (False, False),
        (smallest,) * 2,
    ]


def test_an_end_that_a_schema_has_itself_stays() -> None:
    mine = {"type": "array", "minItems": 20, "items": {"type": "string", "maxLength": 500}}
    schema = {
        "type": "object",
        "properties": {"a": mine, "b": {"$ref": "#/$defs/b"}},
        "$defs": {"b": {"type": "array"}},
    }
    short = kept_short(ToolSpec("look", "", schema)).parameters
    assert short["properties"]["a"] == mine
    assert short["$defs"]["b"]["maxItems"] < 20
