"""A session again, step by step: what the model read, and what came of it."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from localagent.events import Replied
from localagent.i18n import t
from localagent.messages import Message
from localagent.tui.adapter import Adapter
from localagent.tui.blocks import plain
from localagent.tui.driver import Driver, ReplayStep
from localagent.tui.facts import Opened
from localagent.tui.harmless import assemble, styled
from localagent.tui.screens.window import Window


class ReplayScreen(Window[None]):
    TITLE_KEY = "replay.title"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right,n,space", "step(1)", "key.next"),
        Binding("left,p", "step(-1)", "key.back"),
    ]

    def __init__(self, driver: Driver, session: str) -> None:
        super().__init__()
        self._driver = driver
        self._session = session
        self._steps: list[ReplayStep] = []
        self._at = 0

    def body(self) -> ComposeResult:
        yield Static("", id="step", classes="head", markup=False)
        with VerticalScroll():
            yield Static("", id="content", markup=False)

    def on_mount(self) -> None:
        self.query_one(VerticalScroll).focus()
        self.attempt(self._load())

    async def _load(self) -> None:
        self._steps = await self._driver.replay(self._session)
        self._show()

    def action_step(self, by: int) -> None:
        self._at = max(0, min(len(self._steps) - 1, self._at + by))
        self._show()

    def _show(self) -> None:
        title = self.query_one("#step", Static)
        if not self._steps:
            title.update(t("replay.none"))
            return
        step = self._steps[self._at]
        title.update(t("replay.step", n=self._at + 1, total=len(self._steps), model=step.model))
        self.query_one("#content", Static).update(_content(step))
        self.query_one(VerticalScroll).scroll_home(animate=False)


def _content(step: ReplayStep) -> Content:
    parts = [styled(t("replay.saw"), "bold $primary"), *map(_message, step.saw)]
    parts.append(styled("\n" + t("replay.did"), "bold $primary"))
    adapter = Adapter()
    for event in step.events:
        if isinstance(event, Replied) and event.message.thinking:
            parts.append(styled(event.message.thinking, "italic $foreground-muted"))
        facts = list(adapter.read(event))
        parts += [Content(plain(fact.block)) for fact in facts if isinstance(fact, Opened)]
    return Content("\n").join(parts)


def _message(message: Message) -> Content:
    text = message.content or "\n".join(f"{call.name}({call.arguments})" for call in message.calls)
    text = text or "\n".join(f"{result.name}: {result.content}" for result in message.results)
    return assemble((f"{message.role}  ", "$accent"), text)
