"""One session of an editor: its prompts, what it is told, what it may choose."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Coroutine
from contextlib import aclosing
from pathlib import Path
from typing import Any, TypeVar, cast

import acp
from acp import RequestError, schema

from localagent.acp import offers
from localagent.acp.past import past
from localagent.acp.permission import EditorApprover
from localagent.acp.prompt import task_of
from localagent.acp.updates import Updates
from localagent.errors import LocalAgentError, ResumeError, UsageError
from localagent.events import Event, FileChanged, Replied, RunFinished, RunResult, ToolFinished
from localagent.i18n import t
from localagent.ports import Change
from localagent.session import Session
from localagent.tui.driver import ModelRow
from localagent.tui.lines import TROUBLES

TITLE_CHARS = 60
T = TypeVar("T")


class Talk:
    """`form` says whether the editor can show a question with a text to fill in; `kept` is for its images."""

    def __init__(self, session: Session, client: Any, form: bool, kept: Path) -> None:
        self.session = session
        self.running = False
        self._client = client
        self._kept = kept
        self._rows: list[ModelRow] = []
        self._titled = bool(session.history())
        self._changed: set[str] = set()  # calls that changed files
        session.approver = EditorApprover(client, session.session, session.workspace, form)

    async def introduce(self) -> None:
        """What takes a moment to find out and is sent behind the answer: commands, and the models of this machine."""
        await self.tell(offers.commands())
        self._rows = await self.session.models()
        await self.tell_options()

    async def show_past(self) -> None:
        for update in past(self.session.history(), self.session.workspace):
            await self.tell(update)

    @property
    def modes(self) -> schema.SessionModeState:
        return offers.modes(self.session.mode)

    @property
    def options(self) -> list[Any]:
        rows = self._rows or [ModelRow(name, "") for name in self.session.house.catalogue.names]
        return offers.options(self.session.mode, self.session.model, rows)

    async def tell_options(self) -> None:
        update = schema.ConfigOptionUpdate(session_update="config_option_update", config_options=self.options)
        await self.tell(update)

    async def tell(self, update: Any) -> None:
        await self._client.session_update(session_id=self.session.session, update=update)

    async def prompt(self, blocks: list[Any]) -> schema.PromptResponse:
        """One run, from the person's words to its outcome. Raises LocalAgentError."""
        task, images = task_of(blocks, self._kept)
        if not task and not images:
            raise UsageError("the prompt is empty")
        if task.startswith("/") and task[1:] in offers.COMMANDS:
            await self._command(task[1:])
            return schema.PromptResponse(stop_reason="end_turn")
        await self._name(task)
        return response(await self._run(task, images))

    async def _name(self, task: str) -> None:
        """The first line of the first prompt is the title."""
        if not self._titled:
            self._titled = True
            title = next(iter(task.splitlines()), "")[:TITLE_CHARS]
            await self.tell(schema.SessionInfoUpdate(session_update="session_info_update", title=title))

    async def _run(self, task: str, images: tuple[Path, ...]) -> RunResult:
        updates, result = Updates(self.session.workspace), None
        run = cast("AsyncGenerator[Event, None]", self.session.run(task, images))
        async with aclosing(run) as events:
            async for event in events:
                for update in updates.read(event, await self._changes(event)):
                    await self.tell(update)
                if isinstance(event, Replied | RunFinished):
                    await self._tell_usage()
                result = event.result if isinstance(event, RunFinished) else result
        if result is None:
            raise LocalAgentError("the run ended without a result")
        return result

    async def _changes(self, event: Event) -> tuple[Change, ...]:
        """What a call changed, when it ends."""
        if isinstance(event, FileChanged):
            self._changed.add(event.call_id)
        if isinstance(event, ToolFinished) and event.result.call_id in self._changed:
            return await self.session.changes(event.result.call_id)
        return ()

    async def _tell_usage(self) -> None:
        use = self.session.context_use()
        if use.used is not None and use.window:
            await self.tell(schema.UsageUpdate(session_update="usage_update", used=use.used, size=use.window))

    async def _command(self, name: str) -> None:
        if name == "undo":
            names = await self.session.undo()
            text = t("note.undone", names=", ".join(names)) if names else t("note.nothing_to_undo")
        else:
            await self.session.condense()
            text = t("note.condensed_now")
        await self.tell(acp.update_agent_message_text(text))


def response(result: RunResult) -> schema.PromptResponse:
    """The outcome in the protocol's words. Raises LocalAgentError for a run that failed."""
    if result.outcome == "failed":
        raise LocalAgentError((result.error or {}).get("message", t("outcome.failed")))
    reason: Any = "end_turn"
    if result.outcome == "cancelled":
        reason = "cancelled"
    elif result.outcome == "limit":
        kind = (result.error or {}).get("type", "")
        reason = "max_tokens" if kind == "max_tokens" else "max_turn_requests"
    usage = result.usage
    if usage.input_tokens is None or usage.output_tokens is None:
        return schema.PromptResponse(stop_reason=reason)
    total = usage.input_tokens + usage.output_tokens
    counted = schema.Usage(total_tokens=total, input_tokens=usage.input_tokens, output_tokens=usage.output_tokens)
    return schema.PromptResponse(stop_reason=reason, usage=counted)


def invalid(text: str) -> RequestError:
    """What the editor asked cannot be done, and why."""
    return RequestError(-32602, text)


async def plainly(work: Coroutine[Any, Any, T]) -> T:
    """Its result; what the agent refuses becomes the protocol's error with the sentence that a person reads."""
    try:
        return await work
    except (UsageError, ResumeError) as error:
        raise invalid(str(error)) from None
    except TROUBLES as error:
        raise RequestError(-32603, str(error)) from None
