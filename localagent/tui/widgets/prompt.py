"""Where the person writes: several lines, history, large pastes as attachments, completion."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import TextArea

from localagent.i18n import t
from localagent.tui.files import mentioned
from localagent.tui.recall import Recall
from localagent.tui.widgets import style

LARGE_LINES, LARGE_CHARACTERS = 20, 2000  # a paste from here on becomes an attachment


class Prompt(TextArea):
    DEFAULT_CSS = style(__file__)
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "submit", "key.send", priority=False),
        Binding("shift+enter,alt+enter,ctrl+j", "newline", "key.newline", show=False),
        Binding("ctrl+g", "editor", "key.editor", show=False),
        Binding("ctrl+r", "recall", "key.recall", show=False),
        # TextArea has these keys for itself; here they mean what they mean everywhere else
        Binding("f6", "app.jobs", "key.jobs", show=False),
        Binding("f7", "app.widen", "key.widen", show=False),
        Binding("pageup", "app.page(-1)", "key.page", show=False),
        Binding("pagedown", "app.page(1)", "key.page", show=False),
        Binding("ctrl+d", "delete_or_leave", "key.quit", show=False),
    ]

    @dataclass
    class Submitted(Message):
        """The person sends this; `attachments` are files that hold large pastes."""

        text: str
        attachments: tuple[Path, ...] = ()

    class Idle(Message):
        """Enter where nothing is written."""

    @dataclass
    class Typing(Message):
        """The word before the cursor may be completed; `sign` is /, @ or "" for neither."""

        sign: str
        word: str

    class Steered(Message):
        """A key that the open completion list should take: up, down, enter, tab or escape."""

        def __init__(self, key: str) -> None:
            super().__init__()
            self.key = key

    def __init__(self, recall: Recall | None = None) -> None:
        super().__init__(placeholder=t("prompt.hint"), highlight_cursor_line=False, tab_behavior="focus")
        self.recall = recall or Recall()
        self.completing = False
        self.pastes: dict[str, str] = {}  # marker in the text → what was pasted; a text may come back after it was sent
        self._filling = False

    async def _on_key(self, event: events.Key) -> None:
        if self.completing and event.key in ("up", "down", "enter", "tab", "escape"):
            self.post_message(self.Steered(event.key))
        elif event.key == "enter":
            self.action_submit()
        elif event.key in ("up", "down") and self._at_edge(event.key):
            if not self._walk(-1 if event.key == "up" else 1):
                return
        else:
            return  # TextArea's own handler is called next
        event.stop()
        event.prevent_default()

    def _at_edge(self, key: str) -> bool:
        row = self.cursor_location[0]
        return row == 0 if key == "up" else row == self.document.line_count - 1

    def _walk(self, by: int) -> bool:
        text = self.recall.move(by, self.text)
        if text is None:
            return False
        self.fill(text)
        return True

    def fill(self, text: str) -> None:
        """Puts text in place of what is there, the cursor at its end."""
        self._filling = True
        self.text = text
        self.move_cursor(self.document.end)

    async def _on_paste(self, event: events.Paste) -> None:
        text = event.text
        if len(text.splitlines()) < LARGE_LINES and len(text) < LARGE_CHARACTERS:
            return  # TextArea's own handler is called next
        event.stop()
        event.prevent_default()
        marker = f"[{t('prompt.paste', n=len(self.pastes) + 1, lines=len(text.splitlines()))}]"
        self.pastes[marker] = text
        self.insert(marker)

    def action_newline(self) -> None:
        self.insert("\n")

    async def action_delete_or_leave(self) -> None:
        """Ctrl-D: the character under the cursor, or the way out where nothing is written."""
        if self.text:
            self.action_delete_right()
        else:
            await self.app.run_action("quit")

    def action_submit(self) -> None:
        text = self.text.strip()
        if not text:
            self.post_message(self.Idle())
            return
        kept = {marker: body for marker, body in self.pastes.items() if marker in text}
        try:
            files = tuple(_to_file(body) for body in kept.values())
        except OSError as error:  # a full disk: the text stays where it is
            from localagent.tui.lines import error_line

            self.app.notify(error_line(error), severity="error", timeout=10, markup=False)
            return
        self.recall.add(text)
        self.fill("")
        self.post_message(self.Submitted(text, files))

    def on_text_area_changed(self) -> None:
        self.set_class(self.text.startswith("!"), "-shell")
        filled, self._filling = self._filling, False
        self.post_message(self.Typing("", "") if filled else self.Typing(*self.word()))

    def word(self) -> tuple[str, str]:
        """The sign and word before the cursor that completion is about."""
        row, column = self.cursor_location
        before = self.document.get_line(row)[:column]
        if row == 0 and before.startswith("/") and " " not in before:
            return "/", before[1:]
        word = mentioned(before)
        return ("", "") if word is None else ("@", word)

    def complete(self, text: str) -> None:
        """Replaces the sign and word before the cursor."""
        sign, word = self.word()
        row, column = self.cursor_location
        start = self.document.get_line(row)[:column].rindex(sign, 0, column - len(word))
        self._filling = True
        self.replace(text, (row, start), (row, column))

    def action_editor(self) -> None:
        from localagent.tui.editor import edit

        with self.app.suspend():
            text = edit(self.text)
        self.fill(text)

    def action_recall(self) -> None:
        self.post_message(self.Typing("history", self.text))


def _to_file(text: str) -> Path:
    """A pasted text as a file, which is what the agent takes as an attachment. Raises OSError."""
    from tempfile import mkstemp

    handle, name = mkstemp(prefix="paste-", suffix=".txt")
    with open(handle, "w", encoding="utf-8", errors="replace") as file:
        file.write(text)
    return Path(name)
