"""Asks whether a call may run: what it is, why it asks, what it would change; answered with one key."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, Static

from localagent.i18n import t
from localagent.ports import ApprovalRequest, Decision
from localagent.tui.harmless import assemble
from localagent.tui.lines import reason_line
from localagent.tui.widgets import style
from localagent.tui.widgets.deaf import Deaf, Listening
from localagent.tui.widgets.diff import DiffView

if TYPE_CHECKING:
    from localagent.tui.widgets.arguments import ArgumentsEditor

KEYS = (("y", "once"), ("s", "session"), ("a", "always"), ("e", "edit"), ("n", "no"))
PANEL, DIFF = 0.7, 0.35  # shares of the terminal's height that the question and the diff in it may take
FRAME = 4  # lines of border and margins
LEAST = 2  # lines of the diff


class Approval(Listening, Vertical, can_focus=True):
    DEFAULT_CSS = style(__file__)
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "allow('once')", "key.once"),
        Binding("s", "allow('session')", "key.session"),
        Binding("a", "allow('always')", "key.always"),
        Binding("e", "edit", "key.edit_call"),
        Binding("n,escape", "refuse", "key.no"),
        Binding("up,k", "scroll(-1)", show=False),
        Binding("down,j", "scroll(1)", show=False),
        Binding("pageup", "scroll(-10)", show=False),
        Binding("pagedown,space", "scroll(10)", show=False),
    ]

    @dataclass
    class Answered(Message):
        decision: Decision

    def __init__(self, request: ApprovalRequest, wary: bool = False) -> None:
        """`wary`: see Deaf."""
        super().__init__()
        self._request = request
        self.deaf = Deaf(wary)

    def compose(self) -> ComposeResult:
        request = self._request
        yield Static(self._title(), classes="title", markup=False)
        with VerticalScroll(can_focus=False):
            if request.changes:
                yield DiffView(request.changes)
            else:
                yield Static(self._detail(), markup=False)
        yield Static(self._choices(), classes="choices")
        yield Input(placeholder=t("approval.why"), compact=True)

    def on_mount(self) -> None:
        self.focus()

    def on_resize(self) -> None:
        """The diff takes what title and choices leave; where the screen is low, all of it scrolls above the choices."""
        if self.screen.has_class("-low"):
            self.query_one(VerticalScroll).styles.max_height = None
            return
        height = self.app.size.height
        around = sum(part.outer_size.height for part in self.query(".title, .choices"))
        room = int(height * PANEL) - around - FRAME
        self.query_one(VerticalScroll).styles.max_height = max(LEAST, min(room, int(height * DIFF)))

    def _title(self) -> Content:
        request = self._request
        why = " · ".join(filter(None, (request.summary and request.call.name, reason_line(request))))
        return assemble(
            (t("approval.title") + " ", "bold $text-warning"),
            (request.summary or request.call.name, "bold"),
            (f"\n{why}" if why else "", "$foreground-muted"),
        )

    def _detail(self) -> Content:
        """The parsed command line, one command a line, or the arguments."""
        request = self._request
        if request.segments:
            lines = [assemble(("$ ", "$accent"), (segment, "bold")) for segment in request.segments]
            return Content("\n").join(lines)
        items = request.call.arguments.items()
        return Content("\n").join([assemble((f"{key}  ", "$accent"), str(value)) for key, value in items])

    def _choices(self) -> Content:
        parts = []
        for key, name in KEYS:
            text = f"[@click=app.simulate_key('{key}')][bold $accent]{key}[/] $word[/]"
            parts.append(Content.from_markup(text, word=t(f"approval.{name}")))
        return Content("   ").join(parts)

    def action_allow(self, scope: str) -> None:
        self.post_message(self.Answered(Decision(True, scope)))  # type: ignore[arg-type]  # one of KEYS

    async def action_edit(self) -> None:
        """Lets the person change the arguments before the call runs."""
        from localagent.tui.widgets.arguments import ArgumentsEditor

        if self.query(ArgumentsEditor):
            return
        self.add_class("-editing")
        await self.mount(ArgumentsEditor(self._request.call.arguments, self._request.parameters))

    async def on_arguments_editor_written(self, event: ArgumentsEditor.Written) -> None:
        event.stop()
        if event.arguments is None:
            self.remove_class("-editing")
            await self.query("ArgumentsEditor").remove()
            self.focus()
        elif event.arguments == self._request.call.arguments:
            self.post_message(self.Answered(Decision(True)))
        else:
            self.post_message(self.Answered(Decision(True, arguments=event.arguments)))

    def action_refuse(self) -> None:
        """Asks for a reason; an empty one is fine, and Escape refuses at once."""
        if self.has_class("-why"):
            self._refused("")
            return
        self.add_class("-why")
        self.query_one(Input).focus()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self._refused(event.value.strip())

    def _refused(self, reason: str) -> None:
        self.post_message(self.Answered(Decision(False, "once", reason)))

    def action_scroll(self, lines: int) -> None:
        for part in (self, self.query_one(VerticalScroll)):  # one of them has room to move in
            part.scroll_relative(y=lines, animate=False)

    def on_click(self, event: events.Click) -> None:
        if not (self.has_class("-why") or self.has_class("-editing")):
            self.focus()
