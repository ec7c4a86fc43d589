"""The onion: order, crashes, sizes."""

from typing import Any

from localagent.guard import Layer, Runner, guarded
from localagent.guard.layers import limit_size
from localagent.messages import ToolCall, ToolSpec
from localagent.ports import Change, Effect, Outcome, Tool, ToolContext
from localagent.tools.tool import idempotency_key
from tests.fakes.tools import Bench


class Loud:
    effect: Effect = "read"
    spec = ToolSpec("loud", "", {"type": "object", "properties": {}})

    async def run(self, arguments: dict[str, Any], context: ToolContext) -> Outcome:
        if arguments.get("crash"):
            raise ZeroDivisionError("oh")
        return Outcome("\n".join(f"line {number}" for number in range(5000)))

    async def preview(self, arguments: dict[str, Any], context: ToolContext) -> tuple[Change, ...]:
        return ()


def noting(name: str, seen: list[str]) -> Layer:
    def layer(tool: Tool, inner: Runner) -> Runner:
        async def run(call: ToolCall, context: ToolContext) -> Outcome:
            seen.append(name)
            return await inner(call, context)

        return run

    return layer


async def test_the_first_layer_is_outermost(bench: Bench) -> None:
    seen: list[str] = []
    runner = guarded(Loud(), [noting("a", seen), noting("b", seen)])
    await runner(ToolCall("1", "loud", {}), bench.context)
    assert seen == ["a", "b"]


async def test_a_crash_is_an_observation(bench: Bench) -> None:
    outcome = await guarded(Loud(), [])(ToolCall("1", "loud", {"crash": True}), bench.context)
    assert outcome.failure == "failed"
    assert "ZeroDivisionError: oh" in outcome.content


async def test_any_tools_long_result_is_cut_and_kept(bench: Bench) -> None:
    outcome = await guarded(Loud(), [limit_size])(ToolCall("1", "loud", {}), bench.context)
    assert len(outcome.content) < bench.result_chars + 300
    assert outcome.full is not None
    assert outcome.full.endswith("line 4999")
    kept = outcome.content.split("path=")[1].split()[0]
    assert "line 2500" in (await bench.run("read_file", path=kept, start=2501)).content


def test_keys_come_from_the_meaning(bench: Bench) -> None:
    def key(**arguments: Any) -> str:
        return idempotency_key("write_file", arguments, bench.workspace)

    assert key(path="a.txt", content="x") == key(content="x", path="./a.txt")
    assert key(path="a.txt", content="x", all=None) == key(path="a.txt", content="x")
    assert key(path="a.txt", content="x") != key(path="a.txt", content="y")
    assert key(path="a.txt", content="x") != key(path="b.txt", content="x")
