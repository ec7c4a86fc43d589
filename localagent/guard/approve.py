"""Whether a call may happen: rules, then the mode, then the person; foreign words in the session overrule both.

mode   without asking                                          everything else
ask    reading in the workspace                                asks
read   the same                                                what changes or sends is refused
edit   the same, and files of the workspace, which undo knows  asks
all    the same, and commands in the sandbox without network   asks
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from localagent.calling.broken import Broken
from localagent.calling.schema_check import check
from localagent.events import ApprovalAsked, ApprovalGiven
from localagent.guard.command_line import Segment, UnclearError, parse
from localagent.guard.confine import Sandbox, needed_folders
from localagent.guard.jail.plan import PROTECTED as READ_ONLY
from localagent.guard.layers import Record, Runner
from localagent.guard.rules import Rules, Touch, exact_rules
from localagent.guard.taint import Taint
from localagent.messages import ToolCall
from localagent.ports import ApprovalRequest, Approver, Change, Decision, Mode, Outcome, Tool, ToolContext
from localagent.tools.paths import inside, locate
from localagent.tools.tool import ToolFailure
from localagent.tools.words import say

# What the sandbox keeps read-only, as whole folders, and names that it leaves to commands.
PROTECTED = frozenset([*(name.partition("/")[0] for name in READ_ONLY), ".hg", ".svn", "trusted.json"])
_PROTECTED = frozenset(name.casefold() for name in PROTECTED)
ARGUMENT_CHARS = 1000  # of a call, as the person sees it
By = Literal["person", "rule", "mode"]
REASONS = {
    "files": "it changes files",
    "command": "it runs a command",
    "network": "it wants the network",
    "sends": "it sends something",
    "other": "it may change or send something",
    "unconfined": "commands cannot be confined here; it would run with all your rights",
    "outside": "it reaches outside the workspace: {paths}",
}
_EFFECTS = {"write": "files", "execute": "command", "send": "sends"}


@dataclass(frozen=True, slots=True)
class Why:
    """A reason for asking; a strict one is asked whatever rules say. `word` is that of REASONS, "" for another one."""

    reason: str
    strict: bool = False
    word: str = ""
    outside: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class Leave:
    """What was decided: a refusal in words for the model, or "" and perhaps the arguments that the person wrote."""

    refusal: str = ""
    arguments: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Approval:
    """What decides. `mode` is asked anew for each call: the person may change it in the middle of a run."""

    mode: Callable[[], Mode]
    rules: Rules
    approver: Approver
    sandbox: Sandbox
    taint: Taint
    record: Record
    home: Path | None = None  # the product's own folder, which nobody opens by mode or rule

    def layer(self, tool: Tool, inner: Runner) -> Runner:
        async def run(call: ToolCall, context: ToolContext) -> Outcome:
            if tool.effect in ("ask", "finish"):
                return await inner(call, context)
            touch, outside = touched(tool, call, context)
            leave = await self._leave(tool, call, context, touch, outside)
            if leave.arguments is not None:
                return await self._run_edited(tool, replace(call, arguments=leave.arguments), context, inner)
            if leave.refusal:
                return Outcome(leave.refusal, failure="denied")
            return await self._run(call, context, outside, inner)

        return run

    async def _run(self, call: ToolCall, context: ToolContext, outside: tuple[Path, ...], inner: Runner) -> Outcome:
        outcome = await inner(call, replace(context, roots=(*context.roots, *outside)))
        closed = any(self._closed(call.name, source, context) for source in outcome.sources)
        return Outcome(say("denied_source"), failure="denied") if closed else outcome

    async def _run_edited(self, tool: Tool, call: ToolCall, context: ToolContext, inner: Runner) -> Outcome:
        """The call as the person wrote it: what they forbade for good stays forbidden, and the model is told."""
        touch, outside = touched(tool, call, context)
        if self.rules.verdict(touch) == "deny":
            return Outcome(say("refused_rule"), failure="denied")
        try:
            check(call.arguments, tool.spec.parameters)
        except Broken as error:
            return Outcome(say("refused", reason=str(error)), failure="denied")
        outcome = await self._run(call, context, outside, inner)
        told = say("edited", arguments=json.dumps(call.arguments, ensure_ascii=False))
        return replace(outcome, content=f"{told}\n{outcome.content}")

    def _closed(self, tool: str, source: str, context: ToolContext) -> bool:
        return self.rules.denied_path(tool, locate(source, context), context.workspace.resolve())

    async def _leave(
        self, tool: Tool, call: ToolCall, context: ToolContext, touch: Touch, outside: tuple[Path, ...]
    ) -> Leave:
        """Whether the call may happen, by rule, mode or person."""
        verdict = self.rules.verdict(touch)
        if verdict == "deny":
            return self._decided(call, Decision(False, reason="a rule forbids it"), "rule", say("refused_rule"))
        if tool.effect == "read" and not outside and verdict != "unsure":
            return Leave()
        if self.mode() == "read" and tool.effect != "read":
            return self._decided(call, Decision(False, reason="the mode is read"), "mode", say("refused_mode"))
        why = self._why(tool, touch, outside, sure=verdict != "unsure")
        if verdict == "allow" and not why.strict:
            return self._decided(call, Decision(True), "rule", "")
        if why.reason:
            changes = await tool.preview(call.arguments, replace(context, roots=(*context.roots, *touch.paths)))
            if not (why.strict or outside) and _changes_nothing(tool, changes):
                return self._decided(call, Decision(True), "mode", "")
            return await self._ask(tool, call, touch, why, changes)
        return self._decided(call, Decision(True), "mode", "")

    def _why(self, tool: Tool, touch: Touch, outside: tuple[Path, ...], *, sure: bool) -> Why:
        """Why the person is asked; an empty reason where the mode allows the call."""
        if tool.effect != "read" and self.taint.active:
            return Why(f"this session has read {', '.join(self.taint.sources[:3])}, which others wrote", strict=True)
        if tool.effect == "execute" and not self.sandbox.confines:
            return _because("unconfined", strict=True)
        if not sure:
            return Why("a rule forbids some commands, and whether this is one cannot be told", strict=True)
        if tool.effect == "write" and (own := self._protected(touch)):
            return Why(f"{own} decides what programs do later", strict=True)
        if touch.network:
            return _because("network")
        if outside:
            return _because("outside", outside=outside)
        return Why("") if self._mode_allows(tool) else _because(_EFFECTS.get(tool.effect, "other"))

    def _protected(self, touch: Touch) -> Path | None:
        """The first path whose content is run or trusted by something else: hooks, editor tasks, our own home."""
        home = self.home.resolve() if self.home else None
        for path in touch.paths:
            below = path.relative_to(touch.workspace).parts if path.is_relative_to(touch.workspace) else path.parts
            if any(_folded(part) in _PROTECTED for part in below) or (home and path.is_relative_to(home)):
                return path
        return None

    def _mode_allows(self, tool: Tool) -> bool:
        allowed = {"edit": ("write",), "all": ("write", "execute")}.get(self.mode(), ())
        return tool.effect == "read" or (tool.effect in allowed and _ours(tool))

    async def _ask(self, tool: Tool, call: ToolCall, touch: Touch, why: Why, changes: tuple[Change, ...]) -> Leave:
        commands = tuple(segment.text for segment in touch.segments or ()) or ((touch.line,) if touch.line else ())
        summary = touch.line or touch.url or ", ".join(map(str, touch.paths)) or _told(call)
        self.record(ApprovalAsked(call, summary, why.reason))
        request = ApprovalRequest(
            call, tool.effect, summary, why.reason, changes, commands, tool.spec.parameters, why.word, why.outside
        )
        decision = await self.approver.approve(request)
        if decision.allowed and decision.scope != "once" and not why.strict and decision.arguments is None:
            self.rules.remember(exact_rules(touch), always=decision.scope == "always")
        reason = decision.reason.strip().rstrip(".")
        key = "refused_nobody" if decision.by == "mode" else "refused" if reason else "refused_plainly"
        return self._decided(call, decision, decision.by, say(key, reason=reason))

    def _decided(self, call: ToolCall, decision: Decision, by: By, refusal: str) -> Leave:
        self.record(ApprovalGiven(call.id, decision.allowed, decision.scope, by, decision.reason))
        return Leave(arguments=decision.arguments) if decision.allowed else Leave(refusal)


def _folded(name: str) -> str:
    """As file systems compare it that see no case, no invisible characters and no dots and blanks at the end."""
    return "".join(char for char in name.casefold() if char.isprintable()).rstrip(". ")


def _because(word: str, *, strict: bool = False, outside: tuple[Path, ...] = ()) -> Why:
    return Why(REASONS[word].format(paths=", ".join(map(str, outside))), strict, word, outside)


def _told(call: ToolCall) -> str:
    """A call of which only its arguments can be shown."""
    arguments = json.dumps(call.arguments, ensure_ascii=False, default=str)
    return f"{call.name} {arguments if len(arguments) <= ARGUMENT_CHARS else arguments[:ARGUMENT_CHARS] + '…'}"


def _changes_nothing(tool: Tool, changes: tuple[Change, ...]) -> bool:
    """A file written as it is already, as small models do once more after a yes: there is nothing to decide."""
    return tool.effect == "write" and bool(changes) and all(change.before == change.after for change in changes)


def _ours(tool: Tool) -> bool:
    """Whether the tool tells which files it changes: only then undo can know them, and the workspace bound it."""
    return tool.effect == "execute" or hasattr(tool, "paths")


def touched(tool: Tool, call: ToolCall, context: ToolContext) -> tuple[Touch, tuple[Path, ...]]:
    """What the call is about, and which of its paths lie outside the workspace."""
    names = tool.paths(call.arguments) if hasattr(tool, "paths") else ()
    paths = tuple(path for name in names if (path := _located(name, context)) is not None)
    workspace, line = context.workspace.resolve(), ""
    parsed: tuple[Segment, ...] | None = ()
    if tool.effect == "execute" and isinstance(call.arguments.get("command"), str):
        line = call.arguments["command"]
        parsed = _parsed(line)
        paths = needed_folders(line, context)
    url = str(call.arguments.get("url") or "") if tool.effect == "send" else ""
    network = tool.effect == "execute" and bool(call.arguments.get("network"))
    touch = Touch(call.name, paths, workspace, line, parsed, url, network)
    # What was opened for reading is not thereby open for writing.
    opened = replace(context, roots=()) if tool.effect == "write" else context
    return touch, tuple(path for path in paths if not inside(path, opened))


def _located(name: str, context: ToolContext) -> Path | None:
    try:
        return locate(name, context)
    except ToolFailure:  # no path at all: the tool says so itself
        return None


def _parsed(line: str) -> tuple[Segment, ...] | None:
    try:
        return parse(line)
    except UnclearError:
        return None
