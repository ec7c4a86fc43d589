"""The agent as the screen drives it: one session at a time, its runs, its model, and what the journal knows of it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from localagent.approvers import LateApprover
from localagent.archive import Archive
from localagent.assemble import Builder, Settings, asked_for, go_on_task, is_over
from localagent.config import paths
from localagent.errors import LocalAgentError, ModelError, UsageError
from localagent.events import CloudRequest, Event, RunFinished, RunResult, RunStarted, Working
from localagent.house import House
from localagent.journal.store import new_id
from localagent.messages import Message, Usage
from localagent.net import fence
from localagent.ports import Decision, Outgoing, Releaser
from localagent.tui.driver import (
    ContextUse,
    Masked,
    ModelRow,
    Sent,
    Traffic,
    Where,
)
from localagent.tui.rows import where_of

if TYPE_CHECKING:
    from gateway.ledger import Row
    from localagent.agent.parts import Agent
    from localagent.journal.sessions import Saved
    from localagent.ports import Approver, Change, Mode, Progress


class Session(Archive):
    """See tui.driver.Driver."""

    def __init__(self, house: House, settings: Settings, *, discover: bool = True) -> None:
        super().__init__(house, settings.workspace)
        self._discover = discover
        self._late = LateApprover()
        self.settings = replace(settings, approver=self._late, release=self._release)  # type: ignore[arg-type]
        self._model = settings.model or house.catalogue.default
        self._saved: Saved | None = None
        self._agent: Agent | None = None
        self._session = new_id()
        self._task: asyncio.Task[None] | None = None
        self._asked: list[Event] = []  # what the person chose since the last run
        self._traffic = Traffic()
        self._cut_off = False

    @property
    def approver(self) -> Approver | None:
        return self._late.real

    @approver.setter
    def approver(self, approver: Approver | None) -> None:
        self._late.real = approver

    @property
    def session(self) -> str:
        return self._session

    @property
    def model(self) -> str:
        return self._agent.seat.model.name if self._agent else self._model

    @property
    def where(self) -> Where:
        if self._traffic.requests:
            return "cloud"
        try:
            return where_of(self.house.catalogue.entry(self.model))
        except UsageError:  # models.toml was changed and names it no more; the next run says so
            return "here"

    @property
    def traffic(self) -> Traffic:
        return self._traffic

    @property
    def mode(self) -> Mode:
        return self.settings.mode

    def set_mode(self, mode: Mode) -> None:
        self.settings.mode = mode

    @property
    def cut_off(self) -> bool:
        return self._cut_off

    async def run(self, task: str | None, attachments: Sequence[Path] = ()) -> AsyncIterator[Event]:
        """The events of one run; closing it, or `cancel`, ends it as cancelled, also while its model is made ready."""
        queue: asyncio.Queue[Event | BaseException | None] = asyncio.Queue()

        async def pump() -> None:
            try:
                async with aclosing(self._events(task, attachments)) as events:
                    async for event in events:
                        queue.put_nowait(event)
            except asyncio.CancelledError:  # before there was an agent, which ends its runs itself
                queue.put_nowait(RunFinished(RunResult("cancelled", None, self._session, "", self.model, 0, Usage())))
            except Exception as error:  # noqa: BLE001 - it is raised again where the events are read
                queue.put_nowait(error)
            finally:
                queue.put_nowait(None)

        self._task = asyncio.create_task(pump())
        try:
            while (item := await queue.get()) is not None:
                if isinstance(item, BaseException):
                    raise item
                if isinstance(item, RunStarted):
                    self._cut_off = False
                if isinstance(item, CloudRequest):
                    self._traffic = Traffic(item.host, self._traffic.requests + 1)
                yield item
        finally:
            self._task.cancel()
            await asyncio.wait([self._task])
            if self._agent is not None:
                self._agent.inbox.clear()  # who steered in what no step took any more says it again
                if self._agent.history.awaits_results:
                    self._forget_agent()  # the next run answers them from the ledger, as after a kill

    async def _events(self, task: str | None, attachments: Sequence[Path]) -> AsyncGenerator[Event, None]:
        from localagent.agent.attachments import pictures, unseen
        from localagent.agent.loop import run
        from localagent.choosing import fetched

        if self._agent is None:
            async for progress in fetched(self.house, self.model):
                yield Working(progress.phase, progress.done, progress.total, progress.note)
        agent, passed = await self._ready()
        asked, self._asked = self._asked, []
        images = pictures(attachments)
        if images and agent.seat.capabilities.images is False:
            passed, images = [*passed, unseen(self.model, images)], ()
        for event in (*asked, *passed):
            yield agent.record(event)
        said = await self._said(agent, task, attachments)
        last = agent.history.snapshot()[-1:]
        unanswered = bool(last) and not images and (last[0].role, last[0].content) == ("user", said)
        async with aclosing(run(agent, None if unanswered else said, images)) as events:
            async for event in events:
                yield event

    async def _said(self, agent: Agent, task: str | None, attachments: Sequence[Path]) -> str | None:
        """What a run begins with; None where it goes on with one that has no end, or with a message without answer."""
        from localagent.agent.attachments import with_texts

        if task is not None:
            return await with_texts(task, attachments, self.house.data, self.workspace, self._session)
        last = agent.history.snapshot()[-1:]
        return None if agent.unfinished or (last and last[0].role == "user") else go_on_task()

    async def _release(self, outgoing: Outgoing) -> Decision:
        """The person's answer to what would leave, where somebody is there to see it."""
        real: object = self._late.real
        if isinstance(real, Releaser):
            return await real.release(outgoing)
        return Decision(False, reason="nobody is there to look at it", by="mode")

    def cancel(self) -> None:
        if self._task is not None:
            self._task.cancel()

    def steer(self, text: str) -> None:
        if self._agent is not None:
            self._agent.inbox.append(Message("user", text))

    async def _ready(self) -> tuple[Agent, list[Event]]:
        """The agent of the next run: made anew where the model, the session or models.toml changed."""
        await self._reread()
        if self._agent is not None:
            self._agent.journal = replace(self._agent.journal, run=new_id("r"))
            self._agent.mode = self.mode
            return self._agent, []
        self.house.claims.take(self._session)
        self.settings.model = self._model  # the same object: its mode is shared with the running layers
        builder = Builder(self.house, self.settings)
        self._agent, passed = await builder.build(self._saved, self._session)
        return self._agent, passed

    async def _reread(self) -> None:
        """Takes up a models.toml that changed or came; raises ConfigError and keeps what it had for a mistake in it."""
        catalogue = self.house.catalogue
        if not catalogue.changed():
            return
        unchosen = self._model == catalogue.file.default
        await catalogue.reload()
        fence.install(catalogue.hosts())
        self._forget_agent()
        if unchosen and self._model not in catalogue.names:
            self._model = catalogue.default

    def _forget_agent(self) -> None:
        """The next run builds its agent from what this one said."""
        if self._agent is not None:
            self._saved = self._reload()
            self._agent = None

    def _reload(self) -> Saved | None:
        from localagent.journal.sessions import load

        known = any(True for _ in self.house.ledger.rows(session=self._session))
        return load(self.house.ledger, self._session) if known else None

    async def reread(self) -> None:
        """Takes up a models.toml that changed, unless a run goes on. Raises ConfigError; the one before then holds."""
        if self._task is None or self._task.done():
            await self._reread()

    async def models(self) -> list[ModelRow]:
        """Configured and discovered models, probed in parallel and not longer than a second."""
        from localagent.choosing import rows

        return await rows(self.house, self.model, discover=self._discover)

    async def swap(self, name: str) -> None:
        await self.reread()
        chosen, asked = self._model, self._asked
        self.choose(name)
        try:
            await self._ready()
        except LocalAgentError:
            self._model, self._asked = chosen, asked  # the one that answered so far goes on
            raise

    def choose(self, name: str) -> None:
        """Another model answers from the next run on. Raises UsageError where there is none of that name."""
        self.house.catalogue.entry(name)
        before = self.model
        self._forget_agent()
        self._model = name
        if name != before and self.history():
            self._asked = [asked_for(before, name)]

    async def pull(self, name: str) -> AsyncIterator[Progress]:
        """Fetches the weights of an entry."""
        from localagent.models.pull import pull

        async for progress in pull(self.house.catalogue.entry(name)):
            yield progress

    def history(self) -> tuple[Message, ...]:
        if self._agent is not None:
            return self._agent.history.snapshot()
        return tuple(self._saved.messages) if self._saved else ()

    def context_use(self) -> ContextUse:
        if self._agent is None:
            return ContextUse()
        from localagent.agent.context import size_of

        found = self._agent.seat.capabilities
        return ContextUse(size_of(self._agent), found.context, found.context_source)

    async def condense(self) -> None:
        from localagent.agent.condense import condense
        from localagent.agent.limits import Watch

        agent, _ = await self._ready()
        async for event in condense(agent, Watch(agent.limits, agent.clock)):
            if getattr(event, "kind", "").startswith("condense_"):
                raise LocalAgentError(getattr(event, "text", "it cannot be condensed"))

    async def widen(self) -> int:
        """Asks for a window that holds the history and a reply. Raises ModelError where the model has no larger one."""
        from localagent.choosing import widen

        agent, _ = await self._ready()
        before = agent.seat.capabilities.context or 0
        if await widen(self.house, agent):
            self._forget_agent()
            agent, _ = await self._ready()
        found = agent.seat.capabilities.context or 0
        if found <= before:
            raise ModelError(f"{self.model} serves {before} tokens and no more: condense, or choose a larger model")
        return found

    async def resume(self, session: str) -> None:
        from localagent.journal.sessions import check_known, load

        check_known(self.house.ledger, session)
        self.house.claims.take(session)
        self._saved = load(self.house.ledger, session)
        self.house.claims.drop("" if session == self._session else self._session)
        self._session, self._agent, self._asked, self._cut_off = session, None, [], not is_over(self._saved)
        self._traffic = self._traffic_so_far()
        self._model = self._saved.model if self._saved.model in self.house.catalogue.names else self._model

    async def new(self) -> None:
        self.house.claims.drop(self._session)
        self._session, self._saved, self._agent, self._asked, self._traffic = new_id(), None, None, [], Traffic()
        self._cut_off = False

    def _traffic_so_far(self) -> Traffic:
        rows = [row.data for row in self._cloud_rows() if row.data]
        return Traffic(rows[-1]["host"], len(rows)) if rows else Traffic()

    def _cloud_rows(self) -> list[Row]:
        return list(self.house.ledger.rows(session=self._session, kinds=["cloud_request"]))

    async def fork(self, index: int) -> None:
        """Goes on in a new session that holds the messages before `index` of the history."""
        from localagent.journal.forking import write_fork
        from localagent.journal.sessions import Saved

        parent = Saved(self._session, model=self._model, workspace=str(self.workspace))
        session = write_fork(self.house.ledger, parent, self.history()[:index], data=self.house.data)
        await self.resume(session)

    async def handoff(self) -> Path:
        """Writes what somebody needs to take the session's last run over, and returns the file."""
        from localagent.journal.handoff import hand_off

        path = self.workspace / f"handoff-{self._session}.md"
        path.write_text(hand_off(self.house.ledger, self._session), encoding="utf-8", errors="replace")
        return path

    async def delete(self, session: str) -> None:
        from localagent.journal.retention import erase
        from localagent.models.masking import forget_vault

        if session == self._session:
            await self.new()
        erase(self.house.ledger, session, reason="the person deleted the session", data=self.house.data)
        await asyncio.to_thread(forget_vault, session, self.house.catalogue.file.cloud_config)

    async def undo(self) -> tuple[str, ...]:
        """Takes back the newest change of files and names them; empty where nothing is left to undo."""
        from localagent.guard.standard import undo_store

        store = undo_store(self.house.data, self._session)
        return tuple(str(change.path) for change in store.undo()) if store.steps() else ()

    def undone(self) -> frozenset[str]:
        from localagent.guard.standard import undo_store

        return undo_store(self.house.data, self._session).undone()

    async def server_prompt(self, words: str) -> str:
        """The text of an MCP server's prompt; a stranger's taints the session. Raises UsageError with what there is."""
        from localagent.mcp.prompts import session_prompt

        return await session_prompt(self.house, self.workspace, self._session, words)

    async def trust(self) -> tuple[str, ...]:
        """The person has looked at what others wrote: the mode counts again. Returns whose words they were."""
        from localagent.guard.assemble import session_taint

        taint = session_taint(self.house.data, self._session)
        sources = tuple(taint.sources)
        taint.clear()
        return sources

    async def changes(self, call_id: str) -> tuple[Change, ...]:
        from localagent.guard.standard import undo_store

        return undo_store(self.house.data, self._session).changes(call_id)

    async def mask(self, text: str) -> Masked:
        """What a cloud model would be sent in place of a text."""
        return await asyncio.to_thread(_mask, text, self._session, self.house.catalogue.file.cloud_config)

    async def sent(self) -> list[Sent]:
        rows = ((row.at, row.data) for row in self._cloud_rows() if row.data)
        return [Sent(at, data["host"], data["model"], data["bytes"], data["masked"]) for at, data in rows]

    def plan(self) -> tuple[tuple[str, bool], ...]:
        """The plan as the session left it."""
        from localagent.tools.plan import FILE, items_of

        file = paths.outputs(self.house.data, self._session) / FILE
        return items_of(file.read_text(encoding="utf-8")) if file.exists() else ()

    async def close(self) -> None:
        from localagent.house import close

        self.cancel()
        await close(self.house)


def _mask(text: str, session: str, config: Path | None) -> Masked:
    from gateway.errors import GatewayError
    from localagent.models.masking import engine_of, require_gateway

    require_gateway()
    try:
        masked = engine_of(config).mask(text, session)
    except GatewayError as error:
        raise LocalAgentError(str(error)) from None
    return Masked(masked.text, tuple((e.type, e.text, e.placeholder) for e in masked.entities))
