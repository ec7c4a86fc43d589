"""A question that the agent asks the person."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.message import Message
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from localagent.i18n import t
from localagent.tui.widgets import style
from localagent.tui.widgets.deaf import Deaf, Listening


class Question(Listening, Vertical):
    DEFAULT_CSS = style(__file__)
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "skip", "key.skip")]

    @dataclass
    class Answered(Message):
        text: str

    def __init__(self, question: str, options: Sequence[str], wary: bool = False) -> None:
        """`wary`: see Deaf."""
        super().__init__()
        self.deaf = Deaf(wary)
        self._question = question
        self._options = options

    def compose(self) -> ComposeResult:
        yield Static(self._question, classes="title", markup=False)
        if self._options:
            yield OptionList(*(Option(text) for text in self._options), markup=False, compact=True)
        yield Input(placeholder=t("question.free" if self._options else "question.answer"), compact=True)

    def on_mount(self) -> None:
        self.query_one(OptionList if self._options else Input).focus()

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """On a low terminal the question makes room for the options that one goes to."""
        event.stop()
        self.scroll_to(y=self.max_scroll_y if event.option_index else 0, animate=False)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.post_message(self.Answered(self._options[event.option_index]))

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self.deaf(event.time)  # a letter comes no further than the field

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        if event.value.strip():
            self.post_message(self.Answered(event.value.strip()))

    def action_skip(self) -> None:
        self.post_message(self.Answered(""))
