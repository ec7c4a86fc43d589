"""What can be done with the session: mode, undo, trust, retry, fork, resume, condense, export, shell."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from localagent.i18n import t
from localagent.tui.base import BaseApp
from localagent.tui.settings import CHOICES

if TYPE_CHECKING:
    from localagent.ports import Mode
    from localagent.tui.blocks import Block, Card, Note, Said

FULL = 0.8  # share of the context window
MODES = CHOICES["approve"]  # as in ports.MODES, which is not loaded before the first paint


class SessionActions(BaseApp):
    """Actions of the app that change the session."""

    _warned = ""  # the session that was told that its context is nearly full
    _offer: Note | None = None  # to go on with what was cut off

    def action_mode(self, name: str = "") -> None:
        """Sets the mode, or the next one."""
        if not self.ready() or self.driver is None:
            return
        following = MODES[(MODES.index(self.driver.mode) + 1) % len(MODES)]
        if name and name not in MODES:
            self.notify(t("note.no_mode", name=name), severity="error")
            return
        self.driver.set_mode(cast("Mode", name or following))
        self.restand()
        self.notify(t(f"mode.{self.driver.mode}_is"), timeout=3)

    def action_retry(self) -> None:
        if not self.at_rest() or self.runner is None:
            return
        if self.runner.repeat():
            self.run_worker(self.work(), group="run")
        else:
            self.on_prompt_idle()

    def on_prompt_idle(self) -> None:
        """Goes on with what was cut off when the session was left, where there is such a run."""
        from localagent.tui.facts import Dropped

        if self.runner and self.driver and self.driver.cut_off and not self.runner.running:
            self.runner.go_on()
            if self._offer:
                self.conversation.post_message(Dropped(self._offer))
            self.run_worker(self.work(), group="run")

    async def work(self) -> None:
        """Implemented by the app, which shows how the run goes."""
        raise NotImplementedError

    def action_undo(self) -> None:
        if self.at_rest():
            self.attempt(self._undo())

    async def _undo(self) -> None:
        assert self.driver is not None
        root = f"{self.driver.workspace}/"
        names = [name.removeprefix(root) for name in await self.driver.undo()]
        self.note("info", t("note.undone", names=", ".join(names)) if names else t("note.nothing_to_undo"))
        for card in mark_undone(self.conversation.blocks, self.driver.undone()):
            if view := self.conversation.view_for(card):
                await view.sync()

    def action_trust(self) -> None:
        """What others wrote has been looked at; it may also be said while the agent waits for an answer."""
        if self.ready():
            self.attempt(self._trust())

    async def _trust(self) -> None:
        assert self.driver is not None
        sources = ", ".join(await self.driver.trust())
        self.note("info", t("note.trusted", sources=sources) if sources else t("note.nothing_foreign"))

    def action_server_prompt(self, words: str = "") -> None:
        """Puts the prompt of a server into the person's, to be read before it is sent."""
        if self.ready():
            self.attempt(self._server_prompt(words))

    async def _server_prompt(self, words: str) -> None:
        assert self.driver is not None
        self.prompt.fill(await self.driver.server_prompt(words))
        self.prompt.focus()

    def action_condense(self) -> None:
        if self.at_rest():
            self.attempt(self._condense())

    async def _condense(self) -> None:
        assert self.driver is not None
        self.phase_line.say(t("phase.condensing"))
        try:
            await self.driver.condense()
        finally:
            self.phase_line.say("")
        self.note("info", t("note.condensed_now"))
        self.restand()

    def warn_of_context(self) -> None:
        """Says once a session that the context is nearly full, while condensing still helps."""
        assert self.driver is not None
        use = self.driver.context_use()
        if use.used is None or not use.window or self._warned == self.driver.session:
            return
        if use.used / use.window >= FULL:
            self._warned = self.driver.session
            self.note("warning", t("note.context", share=f"{use.used / use.window:.0%}"))

    def offer_window(self) -> None:
        """Where the prompt did not fit the window, one key asks for a larger one."""
        if self.runner and self.runner.adapter.overflowed:
            self.note("warning", t("note.window"))

    def action_widen(self) -> None:
        if self.at_rest():
            self.attempt(self._widen())

    async def _widen(self) -> None:
        """A larger window, and in it what was left unanswered."""
        assert self.driver is not None
        self.phase_line.say(t("phase.widening"))
        try:
            tokens = await self.driver.widen()
        finally:
            self.phase_line.say("")
        self.note("info", t("note.widened", name=self.driver.model, tokens=tokens))
        self.restand()
        if self.driver.history() and self.driver.history()[-1].role == "user":
            self.action_retry()

    def action_new(self) -> None:
        if self.at_rest():
            self.attempt(self._new())

    async def _new(self) -> None:
        assert self.driver is not None
        await self.driver.new()
        await self.show_history()

    async def resume_session(self, session: str) -> None:
        assert self.driver is not None
        await self.driver.resume(session)
        await self.show_history()

    async def fork_at(self, said: Said) -> None:
        """Goes back to before a message and puts it into the prompt to be said differently."""
        assert self.driver is not None
        index = place_of(said.text, self._same_before(said), [(m.role, m.content) for m in self.driver.history()])
        if index is None:
            self.notify(t("note.no_fork"), severity="warning")
            return
        await self.driver.fork(index)
        await self.show_history()
        self.prompt.fill(said.text)
        self.prompt.focus()

    def _same_before(self, said: Said) -> int:
        from localagent.tui.blocks import Said

        before = self.conversation.blocks[: self.conversation.blocks.index(said)]
        return sum(isinstance(block, Said) and block.text == said.text for block in before)

    async def show_history(self) -> None:
        from localagent.tui.lines import plan_states
        from localagent.tui.past import blocks_of
        from localagent.tui.widgets.plan import show_plan

        assert self.driver is not None
        blocks = blocks_of(self.driver.history())
        mark_undone(blocks, self.driver.undone())
        await self.conversation.load(blocks)
        if self.runner:
            self.runner.take_up(blocks)
        self._offer = self.note("info", t("note.cut_off")) if self.driver.cut_off else None
        show_plan(self.main, plan_states(self.driver.plan()))
        self.restand()
        self.prompt.focus()

    async def fetch_changes(self, card: Card) -> None:
        """Hangs the diff on a card whose call ran without a question."""
        from localagent.tui.blocks import relative

        assert self.driver is not None
        if not card.changes and (changes := await self.driver.changes(card.call_id)):
            root = self.driver.workspace
            card.changes = tuple(relative(change, root) for change in changes)
            if view := self.conversation.view_for(card):
                await view.sync()

    def action_export(self) -> None:
        if self.ready():
            self.attempt(self._export())

    async def _export(self) -> None:
        assert self.driver is not None
        path = await self.driver.export(self.driver.session)
        self.note("info", t("note.exported", path=path))

    def action_handoff(self) -> None:
        if self.at_rest():
            self.attempt(self._handoff())

    async def _handoff(self) -> None:
        assert self.driver is not None
        self.note("info", t("note.exported", path=await self.driver.handoff()))

    def action_copy_answer(self) -> None:
        """Copies the newest answer."""
        from localagent.tui.blocks import Answer

        answer = next((b for b in reversed(self.conversation.blocks) if isinstance(b, Answer)), None)
        if answer:
            self.copy_to_clipboard(answer.text)
            self.notify(t("note.copied"), timeout=2)


def mark_undone(blocks: Sequence[Block], undone: frozenset[str]) -> list[Card]:
    """The cards of calls whose changes were taken back say so; returns those that did not before."""
    from localagent.tui.blocks import Card

    news = [block for block in blocks if isinstance(block, Card) and block.call_id in undone]
    news = [card for card in news if card.state != "undone"]
    for card in news:
        card.state = "undone"
    return news


def place_of(text: str, nth: int, history: list[tuple[str, str]]) -> int | None:
    """The index of the nth user message that is, or begins with, `text`; attachments may stand behind it."""
    found = [i for i, (role, content) in enumerate(history) if role == "user" and content.startswith(text)]
    return found[nth] if nth < len(found) else None
