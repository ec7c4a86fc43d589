"""The terminal app: composes the widgets, names the keys, and routes what happens between screen and agent.

Nothing of the agent is imported before the first paint; it is put together in the background meanwhile.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, ClassVar, cast

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical

from localagent import i18n
from localagent.i18n import t
from localagent.tui.recall import Recall
from localagent.tui.screen_actions import ScreenActions
from localagent.tui.session_actions import SessionActions
from localagent.tui.settings import load
from localagent.tui.signals import leave_on_signals
from localagent.tui.widgets.conversation import Conversation
from localagent.tui.widgets.hints import Hints
from localagent.tui.widgets.phase import PhaseLine
from localagent.tui.widgets.prompt import Prompt
from localagent.tui.widgets.status import Status
from localagent.tui.widgets.welcome import Welcome

if TYPE_CHECKING:
    from localagent.ports import Mode
    from localagent.tui.answers import Answers
    from localagent.tui.completing import Completing
    from localagent.tui.driver import Driver
    from localagent.tui.facts import Ended, Fact, Planned, Returned
    from localagent.tui.shell import Shell
    from localagent.tui.widgets.approval import Approval
    from localagent.tui.widgets.block import BlockView
    from localagent.tui.widgets.completion import Completion
    from localagent.tui.widgets.question import Question
    from localagent.tui.widgets.said import SaidView

JOBS_LOOK = 1.0  # seconds between two looks at background jobs
LONG = 20  # seconds that a run must last for its end to be worth a notification

DriverFactory = Callable[[], "Awaitable[Driver]"]


class LocalAgentApp(SessionActions, ScreenActions):
    """`driver_factory` is called once, after the first paint; `folder` keeps prompt history and settings."""

    TITLE = "localagent"
    CSS_PATH = "app.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "stop", "key.stop", show=False),
        Binding("f1", "help", "key.help"),
        Binding("f2", "models", "key.models"),
        Binding("f3", "sessions", "key.sessions"),
        Binding("f4", "shield", "key.shield"),
        Binding("f6", "jobs", "key.jobs", show=False),
        Binding("f7", "widen", "key.widen", show=False),
        Binding("f9", "condense", "key.condense", show=False),
        Binding("shift+tab", "mode", "key.mode", priority=True),
        Binding("ctrl+f", "find", "key.find", priority=True),
        Binding("ctrl+n", "new", "key.new", show=False),
        Binding("ctrl+t", "thoughts", "key.thoughts", show=False),
        Binding("ctrl+l", "plan", "key.plan", show=False),
        Binding("ctrl+s", "steer", "key.steer", show=False),
        Binding("ctrl+up,alt+up", "neighbour(-1)", "key.blocks", show=False, priority=True),
        Binding("ctrl+down,alt+down", "neighbour(1)", "key.blocks", show=False, priority=True),
        Binding("ctrl+end", "to_end", "key.end", show=False, priority=True),
        Binding("ctrl+q", "quit", "key.quit", show=False, priority=True),
        Binding("ctrl+d", "quit", "key.quit", show=False),
    ]

    def __init__(
        self, driver_factory: DriverFactory, folder: Path | None = None, workspace: Path | None = None
    ) -> None:
        self.settings_path = folder / "settings.toml" if folder else None
        self.settings = load(self.settings_path)
        i18n.use(self.settings.language)
        super().__init__()
        self.wear(self.settings.theme or "dark")  # before anything is drawn, so that the style is read once
        self._factory = driver_factory
        self._recall = Recall(folder / "prompts.jsonl" if folder else None)
        self._workspace = workspace or Path.cwd()
        self._answers: Answers | None = None
        self._completing: Completing | None = None
        self._shell: Shell | None = None
        self._waiting: list[Prompt.Submitted] = []
        self._beginning = True
        self._began = 0.0
        self._blurred = False
        self._jobs: set[str] = set()  # that ran when last looked at

    def compose(self) -> ComposeResult:
        self.main = self.screen
        self.conversation = Conversation(lambda: Welcome(self._workspace))
        self.phase_line = PhaseLine()
        self.prompt = Prompt(self._recall)
        self.status = Status()
        yield self.conversation
        yield self.phase_line
        yield Vertical(id="dock")
        yield self.prompt
        yield self.status
        yield Hints()

    def on_mount(self) -> None:
        self.prompt.focus()
        leave_on_signals(self._leave)
        self.call_after_refresh(lambda: self.attempt(self._begin()))

    async def _begin(self) -> None:
        """Puts the agent together; what was typed meanwhile is sent then."""
        from localagent.tui.answers import Answers
        from localagent.tui.lines import TROUBLES, error_line
        from localagent.tui.runner import Runner

        self._beginning = True
        self.phase_line.say(t("phase.starting"))
        try:
            driver = await self._factory()
        except TROUBLES as error:
            self._say_stuck(error_line(error))
            return
        finally:
            self._beginning = False
            self.phase_line.say("")
        self.driver, self.runner = driver, Runner(driver, self.tell, self.swap_wanted)
        dock, prompt = self.query_one("#dock"), self.prompt
        card = self.runner.adapter.card
        self._answers = Answers(dock, driver.workspace, card, self._asked, lambda: bool(prompt.text))
        driver.approver = self._answers
        if self.settings.approve != "ask":
            driver.set_mode(cast("Mode", self.settings.approve))
        if driver.history():
            await self.show_history()
        self.restand()
        self._look_at_jobs()
        self.set_interval(JOBS_LOOK, self._look_at_jobs)
        waiting, self._waiting = self._waiting, []
        for event in waiting:
            self.on_prompt_submitted(event)
        if not driver.model:
            self.action_models(first=True)
        elif not driver.history() and not await driver.sessions():
            await self._greet(driver)

    def _say_stuck(self, why: str) -> None:
        """Without an agent the reason stands there until it is mended; what was said meanwhile is not lost."""
        self.note("failed", f"{why}\n{t('note.stuck')}")
        self.prompt.fill("\n\n".join(event.text for event in self._waiting) or self.prompt.text)
        self._waiting = []

    async def _greet(self, driver: Driver) -> None:
        """A newcomer whose model cannot answer gets the choice before the first message fails."""
        current = next((row for row in await driver.models() if row.current), None)
        begun = self.prompt.text or self.conversation.blocks  # who writes already is not interrupted
        if current and (current.reachable is False or current.offer) and not begun:
            self.action_models(first=True)

    async def on_unmount(self) -> None:
        if self.driver:
            await self.driver.close()

    def tell(self, fact: Fact) -> None:
        """A fact goes to the widget that it is about."""
        from localagent.tui.blocks import Card
        from localagent.tui.facts import Changed, Dropped, Opened

        target: Any = self.conversation if isinstance(fact, Opened | Changed | Dropped) else self
        target.post_message(fact)
        if isinstance(fact, Changed) and isinstance(fact.block, Card) and fact.block.changed:
            self.attempt(self.fetch_changes(fact.block))

    def restand(self) -> None:
        if self.driver is None or self.runner is None or not self.screen_stack:  # a fact may come while the app ends
            return
        from localagent.tui.standing import standing_of

        self.status.standing = standing_of(self.driver, self.runner)

    def _look_at_jobs(self) -> None:
        """Says when a job has ended, whoever waits for it."""
        assert self.driver is not None
        jobs = self.driver.jobs()
        running = {job.name for job in jobs if job.status is None}
        for job in jobs:
            if job.name in self._jobs - running:
                self.notify(t("jobs.ended", line=job.line[:60], status=job.status), markup=False)
        if running != self._jobs:
            self._jobs = running
            self.restand()

    def on_prompt_submitted(self, event: Prompt.Submitted) -> None:
        from localagent.tui.commands import parse, unknown

        if self.runner is None:
            self._waiting.append(event)
            if not self._beginning:
                self.attempt(self._begin())
            self.phase_line.say(t("phase.kept"))
        elif command := parse(event.text):
            if command[0].rest and not self.at_rest():
                self.give_back(event.text)
            else:
                self.run_command(*command)
        elif event.text.startswith("!"):
            self._run_shell(event.text)
        elif unknown(event.text):
            self.prompt.fill(event.text)
            self.notify(t("note.no_command", name=event.text.split()[0]), severity="warning")
        else:
            self._say(event)

    def _say(self, event: Prompt.Submitted) -> None:
        from localagent.tui.files import named

        assert self.runner is not None
        ran = self._shell.take() if self._shell else ""
        self.attempt(self.conversation.to_end())
        self.runner.say(event.text, (*event.attachments, *named(event.text, self._workspace)), ran)
        self.restand()
        if not self.runner.running:
            self.run_worker(self.work(), group="run")

    async def work(self) -> None:
        """Runs what is queued, and shows how it goes."""
        assert self.runner is not None
        adapter = self.runner.adapter
        self._began = monotonic()
        self.conversation.live(True)
        self.phase_line.follow(lambda: adapter.phase)
        try:
            await self.runner.work()
            await self.swap_wanted()
        finally:
            self.phase_line.follow(None)
            self.conversation.live(False)
            self.restand()

    def _run_shell(self, text: str) -> None:
        from localagent.tui.shell import Shell

        self._shell = self._shell or Shell(self._workspace, self.tell)
        self.attempt(self._shell.run(text))

    def on_ended(self, fact: Ended) -> None:
        self.restand()
        self.warn_of_context()
        self.offer_window()
        if self.settings.notify and monotonic() - self._began > LONG:
            from localagent.tui.notify import notify_end

            notify_end(self, fact.result.outcome, self._blurred)

    def on_changed(self) -> None:
        self.restand()

    def on_shifted(self) -> None:
        self.restand()

    def on_returned(self, fact: Returned) -> None:
        self.give_back(fact.text)
        if self._shell:
            self._shell.take_back(fact.behind)

    def on_planned(self, fact: Planned) -> None:
        from localagent.tui.widgets.plan import show_plan

        show_plan(self.main, fact.items)

    def _asked(self, on: bool) -> None:
        """While a question stands it has the place of the prompt."""
        self.main.set_class(on, "-asking")
        if self.runner:
            self.runner.adapter.ask(on)
        if not on:
            self.prompt.focus()

    def on_approval_answered(self, event: Approval.Answered) -> None:
        if self._answers:
            self._answers.give(event.decision)

    def on_question_answered(self, event: Question.Answered) -> None:
        if self._answers:
            self._answers.give(event.text)

    def on_block_view_pager_wanted(self, event: BlockView.PagerWanted) -> None:
        self.open_pager(event.block)

    def on_said_view_edit_wanted(self, event: SaidView.EditWanted) -> None:
        if self.at_rest():
            self.attempt(self.fork_at(event.said))

    async def on_prompt_typing(self, event: Prompt.Typing) -> None:
        if self._completing is None:
            if not event.sign:
                return
            from localagent.tui.completing import Completing

            self._completing = Completing(self._workspace, self.prompt)
        await self._completing.typed(event)

    def on_prompt_steered(self, event: Prompt.Steered) -> None:
        if self._completing:
            self._completing.steer(event.key)

    def on_completion_chosen(self, event: Completion.Chosen) -> None:
        if self._completing:
            self._completing.chosen(event)

    async def action_quit(self) -> None:
        """Ends the run first, so that what it did is written and no panel is asked after its screen is gone."""
        self._leave(0)

    def _leave(self, status: int) -> None:
        self.run_worker(self._quit(status), group="quit", exclusive=True)

    async def _quit(self, status: int) -> None:
        runs = [worker for worker in self.workers if worker.group == "run" and worker.is_running]
        if self.runner and runs:
            self.runner.cancel()
            await self.workers.wait_for_complete(runs)
        self.exit(return_code=status)

    def action_stop(self) -> None:
        """Ends the run; at rest, goes back to the prompt."""
        if self.runner and self.runner.running:
            queued = self.runner.unqueue()
            self.runner.cancel()
            if queued:
                self.give_back(queued)
        elif self._shell:
            self._shell.stop()
        self.prompt.focus()

    def action_help_quit(self) -> None:
        """Ctrl-C where nothing is selected: empties the prompt, else ends the run, else says how one leaves."""
        if text := self.prompt.text.strip():
            self._recall.add(text)
            self.prompt.fill("")
        elif self.runner and self.runner.running:
            self.action_stop()
        else:
            self.notify(t("note.leave"), timeout=3)

    def action_steer(self) -> None:
        """Puts what stands in the prompt into the run that goes on."""
        text = self.prompt.text.strip()
        if text and self.runner and self.runner.running:
            self.prompt.fill("")
            self.runner.steer(text)

    def action_thoughts(self) -> None:
        """Opens or folds all thinking that is in sight."""
        from localagent.tui.blocks import Thinking

        views = [view for view in self.conversation.views if isinstance(view.block, Thinking)]
        opened = not any(view.opened for view in views)
        for view in views:
            view.opened = opened

    def action_plan(self) -> None:
        from localagent.tui.widgets.plan import Plan

        for plan in self.main.query(Plan):
            plan.opened = not plan.opened

    async def action_to_end(self) -> None:
        await self.conversation.to_end()

    def action_page(self, by: int) -> None:
        """Scrolls the conversation while the person writes."""
        (self.conversation.action_page_down if by > 0 else self.conversation.action_page_up)()

    def action_neighbour(self, by: int) -> None:
        """Moves the focus from block to block, and from the last one to the prompt."""
        views = list(self.conversation.views)
        at = views.index(self.focused) if self.focused in views else len(views)
        target = max(0, at + by)
        (views[target] if target < len(views) else self.prompt).focus()

    def on_app_blur(self, event: events.AppBlur) -> None:
        self._blurred = True

    def on_app_focus(self, event: events.AppFocus) -> None:
        self._blurred = False


def run_app(
    driver_factory: DriverFactory, *, folder: Path | None = None, workspace: Path | None = None
) -> tuple[int, str]:
    """Runs the app until the person quits; the exit status, and the session that was left, "" for an empty one."""
    app = LocalAgentApp(driver_factory, folder, workspace)
    app.run()
    return app.return_code or 0, app.driver.session if app.driver and app.driver.history() else ""
