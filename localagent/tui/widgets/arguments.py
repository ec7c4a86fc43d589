"""The arguments of a call as JSON, to be changed before it runs; what the tool would refuse is said at once."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.message import Message
from textual.widgets import Static, TextArea

from localagent.calling.broken import Broken
from localagent.calling.schema_check import check
from localagent.i18n import t
from localagent.tui.widgets import style


class ArgumentsEditor(Vertical):
    DEFAULT_CSS = style(__file__)
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s,f10", "run", "key.run_edited", priority=True),
        Binding("escape", "back", "key.back", priority=True),
    ]

    @dataclass
    class Written(Message):
        """The person wants the call with these arguments; None goes back to the question."""

        arguments: dict[str, Any] | None

    def __init__(self, arguments: dict[str, Any], parameters: dict[str, Any]) -> None:
        super().__init__()
        self._text = json.dumps(arguments, ensure_ascii=False, indent=2)
        self._parameters = parameters

    def compose(self) -> ComposeResult:
        yield TextArea(self._text, tab_behavior="indent", show_line_numbers=True, compact=True)
        yield Static("", markup=False)

    def on_mount(self) -> None:
        self.query_one(TextArea).focus()

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        event.stop()
        self.query_one(Static).update(problem(event.text_area.text, self._parameters))

    def action_run(self) -> None:
        text = self.query_one(TextArea).text
        if not problem(text, self._parameters):
            self.post_message(self.Written(json.loads(text)))

    def action_back(self) -> None:
        self.post_message(self.Written(None))


def problem(text: str, parameters: dict[str, Any]) -> str:
    """What is wrong with the arguments, in a sentence; "" where nothing is."""
    try:
        arguments = json.loads(text)
    except ValueError as error:
        line, column = getattr(error, "lineno", 1), getattr(error, "colno", 1)
        return t("arguments.syntax", line=line, column=column, problem=getattr(error, "msg", error))
    if not isinstance(arguments, dict):
        return t("arguments.object")
    try:
        check(arguments, parameters)
    except Broken as error:
        return t(f"arguments.{_kind(error)}", path=error.path or "?", expected=error.expected)
    return ""


def _kind(error: Broken) -> str:
    return error.kind if error.kind in ("missing", "unknown_parameter") else "expected"
