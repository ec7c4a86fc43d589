"""Puts an agent together from configuration: the one place that knows all the parts."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from localagent.agent.ending import stillborn_result
from localagent.agent.limits import Limits
from localagent.agent.parts import Agent, Seat
from localagent.clock import SystemClock
from localagent.config import paths, prompts
from localagent.errors import LocalAgentError, ModelError, ToolsUnsupportedError, UsageError
from localagent.events import Event, FellBack, MessageAdded, Notice, RunFinished, RunStarted
from localagent.house import House
from localagent.journal.listing import resolve
from localagent.journal.sessions import Saved, last_session, load
from localagent.journal.store import RunJournal, new_id
from localagent.messages import History, Message, ToolCall
from localagent.models.probe import choose_dialect
from localagent.ports import Approver, Capabilities, Mode, Model, Tool, ToolContext
from localagent.sizes import choose_profile, shots, system_prompt

if TYPE_CHECKING:
    from localagent.agent.escort import Release, SessionEscort
    from localagent.config.models_toml import Entry
    from localagent.furnish import Furnisher
    from localagent.guard import Layer
    from localagent.mcp.offer import Offer
    from localagent.tools.schema import Profile

RESULT_SHARE = 0.2  # of the window for one tool result
CHARS_PER_TOKEN = 3.5


@dataclass(slots=True)
class Settings:
    """How one session is driven; `limits` overrides what models.toml says, None leaves it."""

    workspace: Path
    approver: Approver
    model: str = ""
    mode: Mode = "ask"
    limits: dict[str, float] = field(default_factory=dict)
    schema: dict[str, Any] | None = None
    release: Release | None = None  # shows a person what would leave for a cloud; None: nobody is there to see it


class Builder:
    """Seats and agents of one session."""

    def __init__(self, house: House, settings: Settings) -> None:
        self.house = house
        self.settings = settings
        self.agent: Agent | None = None
        self._early: list[Event] = []  # what is to be said before there is an agent
        self._escort: SessionEscort | None = None
        self._furnisher: Furnisher | None = None

    async def seat(self, name: str, *, textual: bool = False) -> Seat:
        """The seat of a model, probed. Raises ModelError where it is not there, UsageError for an unknown name."""
        from localagent.guard.rules import load_rules
        from localagent.tools.registry import builtin_tools

        house, entry = self.house, self.house.catalogue.entry(name)
        model = house.catalogue.build(name, state_dir=house.state)
        capabilities = await model.capabilities()
        model = await self._behind_the_gateway(model) if entry.cloud else model
        dialect = "react" if textual else choose_dialect(entry, capabilities)
        profile = choose_profile(capabilities)
        web = load_rules(house.data / "approvals.toml").opens_web
        tools = (
            () if dialect == "none" else builtin_tools(profile, schema=self.settings.schema, jobs=house.jobs, web=web)
        )
        furnisher = self._furnished()
        tools = furnisher.with_own(tools, profile, self._journal.session)
        offered = await self._with_servers(tools, profile, lambda: None if entry.cloud else model)
        return Seat(
            model=model,
            capabilities=capabilities,
            dialect=dialect,
            system=system_prompt(profile, dialect, offered.tools, _words(furnisher.words(profile), cloud=entry.cloud)),
            shots=shots(profile, dialect),
            tools={tool.spec.name: tool for tool in offered.tools},
            runners=offered.runners,
            found=offered.found,
            max_tokens=_reply_tokens(entry, capabilities),
            constrain=entry.grammar is not False and capabilities.grammar is True,
            cloud=entry.cloud,
            price=entry.price,
            fallback=house.catalogue.fallback_of(name),
        )

    def _furnished(self) -> Furnisher:
        """What the person and the folder add, read once a session."""
        from localagent.extend.notes import notes_on
        from localagent.furnish import Furnisher

        if self._furnisher is None:
            self._furnisher = Furnisher(self.house, self.settings.workspace, self._parent, self._layers)
            self._early += [
                Notice("extras", text) for text in notes_on(self._furnisher.extras, self.settings.workspace)
            ]
        return self._furnisher

    def _parent(self) -> Agent:
        assert self.agent is not None, "a reader is sent out by an agent"
        return self.agent

    async def _with_servers(self, tools: Sequence[Tool], profile: Profile, model: Callable[[], Model | None]) -> Offer:
        """The built-in tools and those of MCP servers; without tools of our own there are none of others."""
        from localagent.mcp.offer import Offer, offer
        from localagent.mcp.servers import servers_of

        servers = servers_of(self.house.mcp, self.settings.workspace, self.house.state) if tools else None
        if servers is None:
            return Offer.of(tools, self._layers())
        people = servers.people
        people.approver, people.model, people.notify = self.settings.approver, model, self._notice
        return await offer(servers, tools, profile, self._layers())

    def _notice(self, text: str) -> None:
        if self.agent is not None:
            self.agent.emit(Notice("mcp", text))
        else:
            self._early.append(Notice("mcp", text))

    async def _behind_the_gateway(self, model: Model) -> Model:
        from localagent.agent.escort import SessionEscort
        from localagent.models.cloud import CloudModel

        assert isinstance(model, CloudModel), "the catalogue builds nothing else for a cloud entry"
        if self._escort is None:
            self._escort = SessionEscort(
                self.house.ledger,
                self._journal.session,
                release=self.settings.release,
                record=self._emit,
                run=lambda: self.agent.journal.run if self.agent else "",
            )
        return await model.within(self._journal.session, self._escort)

    async def first_seat(self, name: str) -> tuple[Seat, list[Event]]:
        """The seat of the first model of the chain that answers its probe, and why others were passed over."""
        passed: list[Event] = []
        chain = (name, *self.house.catalogue.fallback_of(name))
        for index, candidate in enumerate(chain):
            try:
                return await self.seat(candidate), passed
            except ToolsUnsupportedError:
                return await self.seat(candidate, textual=True), passed
            except LocalAgentError as error:
                wrong = candidate == name and not isinstance(error, ModelError)  # what was asked for is misconfigured
                if wrong or index + 1 == len(chain):
                    raise
                passed.append(FellBack(candidate, chain[index + 1], str(error), getattr(error, "why", "failed")))
        raise AssertionError("a chain has at least one model")

    async def build(self, saved: Saved | None = None, session: str = "") -> tuple[Agent, list[Event]]:
        """The agent of a new or resumed session, and the events of finding its model."""
        name = self._name(saved)
        session = saved.session if saved else session or new_id()
        unfinished = saved is not None and saved.unfinished is not None
        run = saved.run if saved and unfinished else new_id("r")
        self._journal = RunJournal(self.house.ledger, session, run)
        self._resume_script(name, saved)
        if self.settings.release is not None:  # a person sits at a screen
            from localagent.extend.asking import ask_trust

            await ask_trust(self.settings.workspace, paths.config_dir(), self.settings.approver.ask)
        seat, passed = await self.first_seat(name)
        agent = Agent(
            journal=self._journal,
            history=History(list(saved.messages) if saved else []),
            seat=seat,
            take_seat=self.seat,
            context=self._context(session, seat),
            clock=SystemClock(),
            limits=self._limits(seat.model.name),
            mode=self.settings.mode,
            schema=self.settings.schema,
        )
        if saved is not None:
            agent.happened = self._happened(session)
            agent.files.update(saved.files)
            agent.pending, agent.answered = list(saved.pending), list(saved.results.values())
            agent.output, agent.unfinished = saved.output, saved.unfinished or ""
            agent.calls = saved.calls
        self.agent = agent
        return agent, [*passed, *self._early]

    def _name(self, saved: Saved | None) -> str:
        """The model's name: what the person says, what the session had, the default. Raises UsageError."""
        if self.settings.model or saved is None or not saved.model:
            return self.settings.model or self.house.catalogue.default
        try:
            return self.house.catalogue.entry(saved.model).name
        except UsageError as error:
            raise UsageError(f"{error}; session {saved.session} had it: go on with another one by --model") from None

    def stillborn(self, task: str | None, error: ModelError | None) -> list[Event]:
        """The events of a run that found no model, or was cancelled before: it has its task and its outcome too."""
        name = self.settings.model or self.house.catalogue.default
        journal = self._journal
        said = [MessageAdded(Message("user", task))] if task is not None else []
        started = RunStarted(task or "", name, str(self.settings.workspace), self.settings.mode, resumed=task is None)
        result = stillborn_result(error, session=journal.session, run=journal.run, model=name)
        events: list[Event] = [started, *said, RunFinished(result)]
        journal.record(*events)
        return events

    def _happened(self, session: str) -> Callable[[ToolCall], bool | None]:
        """Whether a call that was cut off had its effect: the undo log knows it of files, nobody of commands."""
        from localagent.guard.standard import undo_store

        store = undo_store(self.house.data, session)

        def happened(call: ToolCall) -> bool | None:
            tool = self.agent.seat.tools.get(call.name) if self.agent else None
            return store.happened(call.id) if tool is not None and tool.effect == "write" else None

        return happened

    def _resume_script(self, name: str, saved: Saved | None) -> None:
        entries = self.house.catalogue.file.entries
        if saved is None:
            return
        for one in dict.fromkeys((name, *saved.replies)):
            if one in entries and entries[one].backend == "scripted":
                model: Any = self.house.catalogue.build(one, state_dir=self.house.state)
                model.position = saved.replies.get(one, saved.replies.total())

    def _limits(self, name: str) -> Limits:
        values = {**self.house.catalogue.limits_of(name), **self.settings.limits}
        return replace(Limits(), **values)  # type: ignore[arg-type]

    def _context(self, session: str, seat: Seat) -> ToolContext:
        window = seat.capabilities.context or 8192
        scratch = paths.outputs(self.house.data, session)
        return ToolContext(
            workspace=self.settings.workspace,
            ask=self.settings.approver.ask,
            scratch=scratch,
            roots=self._furnished().extras.folders,
            result_chars=max(1000, min(24_000, int(window * RESULT_SHARE * CHARS_PER_TOKEN))),
        )

    def _layers(self, record: Callable[[Event], None] | None = None) -> tuple[Layer, ...]:
        from localagent.guard.assemble import session_layers

        return session_layers(
            home=self.house.data,
            workspace=self.settings.workspace,
            mode=lambda: self.settings.mode,
            approver=self.settings.approver,
            session=self._journal.session,
            record=record or self._emit,
        )

    def _emit(self, event: Event) -> None:
        assert self.agent is not None, "layers run inside an agent"
        self.agent.emit(event)


def _words(own: str, *, cloud: bool) -> str:
    """What a session adds to the system prompt; a cloud model is also told what placeholders are."""
    return "\n\n".join(part for part in (own, prompts.read("system/masked.md") if cloud else "") if part)


def _reply_tokens(entry: Entry, capabilities: Capabilities) -> int:
    """How much a reply may take: models.toml's word, otherwise a quarter of the window within 256 and 4096."""
    if entry.max_tokens:
        return entry.max_tokens
    return max(256, min(4096, (capabilities.context or 8192) // 4))


def asked_for(before: str, now: str) -> FellBack:
    """The event of a person who chose another model."""
    return FellBack(before, now, "you asked for it", "asked")


def is_over(saved: Saved) -> bool:
    """Whether the last run of a session has its end and its answer."""
    return saved.unfinished is None and saved.outcome in ("done", "answered", "")


def go_on_task() -> str:
    """The task of one who goes on with a run that has its end, but not its answer."""
    return prompts.read("go_on.md")


async def drive(
    house: House, settings: Settings, task: str | None, *, session: str = "", last: bool = False
) -> AsyncIterator[Event]:
    """One run from its configuration to its outcome, of a new session or a resumed one.

    A task that equals the one of a run that was cut off goes on with that run. Raises ResumeError, UsageError.
    """
    from localagent.agent.loop import run

    if last:
        session = last_session(house.ledger, str(settings.workspace))
    known = resolve(house.ledger, session) if session else ""
    session = known or new_id()
    with house.claims.hold(session):
        saved = load(house.ledger, session) if known else None
        if saved is not None and task in (None, saved.unfinished):
            settings = replace(settings, schema=settings.schema or saved.schema)
            if is_over(saved):
                raise UsageError(f"nothing is unfinished in session {saved.session}: give a task to go on with it")
            task = go_on_task() if saved.unfinished is None else None
        builder = Builder(house, settings)
        try:
            agent, passed = await builder.build(saved, session)
        except (ModelError, asyncio.CancelledError) as error:
            if (current := asyncio.current_task()) is not None and not isinstance(error, ModelError):
                current.uncancel()
            for event in builder.stillborn(task, error if isinstance(error, ModelError) else None):
                yield event
            return
        if saved is not None and settings.model not in ("", saved.model):
            passed.insert(0, asked_for(saved.model, settings.model))
        for event in passed:
            yield agent.record(event)
        async with aclosing(run(agent, task)) as events:
            async for event in events:
                yield event
