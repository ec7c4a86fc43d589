"""Events of a run as updates of an editor's session."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from time import monotonic
from typing import Any

import acp

from localagent import events as ev
from localagent.i18n import t
from localagent.messages import ToolCall
from localagent.ports import Change
from localagent.tui.blocks import SILENT
from localagent.tui.lines import fell_back_line, plan_states

LIVE_CHARS = 4000  # of a running command's output
LIVE_SECONDS = 0.3  # between two looks at it
KINDS = {
    "read_file": "read", "list_dir": "read", "search_text": "search", "query_table": "search", "write_file": "edit",
    "edit_file": "edit", "apply_patch": "edit", "run_command": "execute", "http_get": "fetch",
}  # fmt: skip


class Updates:
    """Reads one run."""

    def __init__(self, workspace: Path, clock: Callable[[], float] = monotonic) -> None:
        self._workspace = workspace
        self._clock = clock
        self._said = ""  # prose of the newest reply
        self._shown: set[str] = set()  # calls that the editor knows
        self._live: dict[str, str] = {}
        self._looked = 0.0

    def read(self, event: ev.Event, changes: Sequence[Change] = ()) -> Iterable[Any]:
        """The updates that follow from an event, in order; `changes` belong to the call that it ends."""
        match event:
            case ev.RequestSent():
                self._said = ""
            case ev.Text(text):
                self._said += text
                yield acp.update_agent_message_text(text)
            case ev.Thought(text):
                yield acp.update_agent_thought_text(text)
            case ev.Replied():
                yield from self._replied(event)
            case ev.PlanChanged(items):
                yield plan(items)
            case ev.ToolStarted():
                yield from self.show(event.call)
                if event.call.id in self._shown:
                    yield acp.update_tool_call(event.call.id, status="in_progress")
            case ev.ToolOutput():
                yield from self._output(event)
            case ev.Delegated():
                if output := ev.as_output(event):
                    yield from self._output(output)
            case ev.ToolFinished():
                yield from self._finished(event, changes)
            case ev.Notice() | ev.FellBack():
                if text := _notice(event):
                    yield acp.update_agent_message_text(f"\n\n*{text}*\n\n")
            case ev.RunFinished():
                yield from self._ended(event.result)

    def _replied(self, event: ev.Replied) -> Iterable[Any]:
        if event.message.content and not self._said.strip():
            self._said = event.message.content
            yield acp.update_agent_message_text(event.message.content)
        for call in event.message.calls:
            yield from self.show(call)

    def show(self, call: ToolCall) -> Iterable[Any]:
        """The call's card, once."""
        if call.name in SILENT or call.id in self._shown:
            return
        self._shown.add(call.id)
        yield acp.start_tool_call(
            call.id,
            title(call),
            kind=kind_of(call.name),
            status="pending",
            locations=locations(call, self._workspace),
            raw_input=call.arguments,
        )

    def knows(self, call_id: str) -> bool:
        return call_id in self._shown

    def _output(self, event: ev.ToolOutput) -> Iterable[Any]:
        text = (self._live.get(event.call_id, "") + event.text)[-LIVE_CHARS:]
        self._live[event.call_id] = text
        if event.call_id in self._shown and self._clock() - self._looked > LIVE_SECONDS:
            self._looked = self._clock()
            yield acp.update_tool_call(event.call_id, content=[text_content(text)])

    def _finished(self, event: ev.ToolFinished, changes: Sequence[Change]) -> Iterable[Any]:
        result = event.result
        self._live.pop(result.call_id, None)
        if result.call_id not in self._shown:
            return
        diffs = diffs_of(changes) if result.ok else []
        yield acp.update_tool_call(
            result.call_id,
            status="completed" if result.ok else "failed",
            content=diffs or [text_content(event.full or result.content)],
            raw_output=result.content,
        )

    def _ended(self, result: ev.RunResult) -> Iterable[Any]:
        """The output, where the model has not said it in prose; or why the run stopped."""
        if result.outcome in ("done", "answered"):
            text = result.output
            if text is not None and not isinstance(text, str):
                text = f"```json\n{json.dumps(text, ensure_ascii=False, indent=2)}\n```"
            if text and text.strip() != self._said.strip():
                yield acp.update_agent_message_text(text)
            elif not text:
                yield acp.update_agent_message_text(t("plain.empty"))
        elif result.outcome in ("limit", "stalled", "handed_off"):  # a failure is the error of the whole prompt
            problem = (result.error or {}).get("message", "")
            yield acp.update_agent_message_text(f"\n\n*{t(f'outcome.{result.outcome}')} {problem}*")


def plan(items: Sequence[tuple[str, bool]]) -> Any:
    """The plan as an editor ticks it off."""
    states: dict[str, Any] = {"done": "completed", "doing": "in_progress", "todo": "pending"}
    return acp.update_plan(acp.plan_entry(item, status=states[state]) for state, item in plan_states(items))


def title(call: ToolCall) -> str:
    """What a call does, in a line."""
    texts = [" ".join(str(value).split()) for value in call.arguments.values()]
    line = " ".join([call.name, *(text for text in texts if text)])
    return line if len(line) <= 120 else line[:119] + "…"


def kind_of(name: str) -> Any:
    return KINDS.get(name, "other")


def locations(call: ToolCall, workspace: Path) -> list[Any]:
    """The file that a call is about, for an editor that follows along."""
    path = call.arguments.get("path")
    if not isinstance(path, str) or not path:
        return []
    return [acp.schema.ToolCallLocation(path=str(workspace / path))]


def diffs_of(changes: Sequence[Change]) -> list[Any]:
    """Changes of files as an editor's diffs; what is no text is named."""
    return [_diff(change) for change in changes]


def _diff(change: Change) -> Any:
    try:
        before = None if change.before is None else change.before.decode()
        after = "" if change.after is None else change.after.decode()
    except UnicodeDecodeError:
        return text_content(f"{change.path} {t('diff.binary')}")
    return acp.tool_diff_content(str(change.path), after, before)


def text_content(text: str) -> Any:
    return acp.tool_content(acp.text_block(text))


def _notice(event: ev.Notice | ev.FellBack) -> str:
    if isinstance(event, ev.Notice):
        return event.text
    return fell_back_line(event)
