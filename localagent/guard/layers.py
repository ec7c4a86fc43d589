"""The onion around a tool: a layer takes the tool and the runner inside it, and gives the runner around both."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

from localagent.events import Event, ToolStarted
from localagent.messages import ToolCall
from localagent.ports import Outcome, Tool, ToolContext
from localagent.tools.result import fit
from localagent.tools.tool import idempotency_key
from localagent.tools.words import say

Runner = Callable[[ToolCall, ToolContext], Awaitable[Outcome]]
Layer = Callable[[Tool, Runner], Runner]
Record = Callable[[Event], None]


def guarded(tool: Tool, layers: Sequence[Layer]) -> Runner:
    """The tool inside its layers, the first of them outermost."""

    async def core(call: ToolCall, context: ToolContext) -> Outcome:
        try:
            return await tool.run(call.arguments, context)
        except Exception as error:  # noqa: BLE001 - whatever a tool raises is an observation for the model
            return Outcome(say("crashed", tool=call.name, problem=f"{type(error).__name__}: {error}"), failure="failed")

    runner: Runner = core
    for layer in reversed(layers):
        runner = layer(tool, runner)
    return runner


def limit_size(tool: Tool, inner: Runner) -> Runner:
    """Cuts a result that is longer than the model may see; read_file finds the whole of it."""

    async def run(call: ToolCall, context: ToolContext) -> Outcome:
        outcome = await inner(call, context)
        if len(outcome.content) <= context.result_chars * 1.1:  # a tool's own cut may add its note
            return outcome
        content, whole = fit(outcome.content, context)
        return replace(outcome, content=content, full=outcome.full or whole)

    return run


def announce(record: Record) -> Layer:
    """Makes the call durable when it is about to happen, with the key that tells whether it happened."""

    def layer(tool: Tool, inner: Runner) -> Runner:
        async def run(call: ToolCall, context: ToolContext) -> Outcome:
            key = "" if tool.effect == "read" else idempotency_key(call.name, call.arguments, context.workspace)
            record(ToolStarted(call, tool.effect, key))
            return await inner(call, context)

        return run

    return layer
