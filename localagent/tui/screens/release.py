"""Shows what would leave the house before it does: every text as it is and as it would be sent, side by side."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.widgets import Static

from localagent.i18n import t
from localagent.ports import HOUSE, Decision, Outgoing, OutgoingText
from localagent.tui.harmless import assemble
from localagent.tui.screens.pairs import counted, side
from localagent.tui.screens.window import Window
from localagent.tui.widgets.deaf import Deaf, Listening

WIDE = 100  # columns from which two sides fit


class ReleaseScreen(Listening, Window[Decision]):
    """Returns the decision; Escape is a no. `wary`: see Deaf."""

    TITLE_KEY = "release.title"
    DEFAULT_CSS = """
    ReleaseScreen .pair { height: auto; margin: 0 0 1 0; }
    ReleaseScreen .side { width: 1fr; height: auto; padding: 0 1; background: $background; }
    ReleaseScreen .sent { margin: 0 0 0 1; }
    ReleaseScreen.-narrow .pair { layout: vertical; }
    ReleaseScreen.-narrow .side { width: 100%; }
    ReleaseScreen.-narrow .sent { margin: 0; }
    ReleaseScreen .about { height: auto; margin: 0 0 2 0; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "answer(True)", "key.send_masked"),
        Binding("n", "answer(False)", "key.keep"),
        Binding("escape", "answer(False)", show=False),
    ]

    def __init__(self, outgoing: Outgoing, wary: bool = False) -> None:
        super().__init__()
        self._outgoing = outgoing
        self.deaf = Deaf(wary)

    def body(self) -> ComposeResult:
        out = self._outgoing
        counts = t("release.masked", counts=counted(out.counts)) if out.counts else t("release.nothing")
        with VerticalScroll():
            yield Static(_about(out, counts), classes="about", markup=False)
            for text in _in_order(out.texts):
                yield from _pair(text)
            for place, size in _untouched(out.texts):
                yield Static(
                    f"{t(f'release.place_{place}')}: {t('release.size', n=f'{size:,}')}", classes="faint", markup=False
                )

    def on_mount(self) -> None:
        self.query_one(VerticalScroll).focus()

    def on_resize(self, event: events.Resize) -> None:
        self.set_class(event.size.width < WIDE, "-narrow")

    def action_answer(self, allowed: bool) -> None:
        self.dismiss(Decision(allowed, "session"))


def _about(out: Outgoing, counts: str) -> Content:
    where = t("release.to", host=out.host, model=out.model)
    return assemble((where, "$text-warning"), "\n", (counts, "bold $text-success"))


def _in_order(texts: tuple[OutgoingText, ...]) -> list[OutgoingText]:
    """The person's texts first, then those of the house in which something was replaced."""
    own = [text for text in texts if text.place not in HOUSE]
    return [*own, *(text for text in texts if text.place in HOUSE and text.changed)]


def _untouched(texts: tuple[OutgoingText, ...]) -> Iterator[tuple[str, int]]:
    for place in HOUSE:
        size = sum(len(text.original) for text in texts if text.place == place and not text.changed)
        if size:
            yield place, size


def _pair(text: OutgoingText) -> ComposeResult:
    same = not text.changed
    head = f"{t(f'release.place_{text.place}')}{' · ' + t('release.same') if same else ''}"
    yield Static(head, classes="head", markup=False)
    with Horizontal(classes="pair"):
        values = [value for _, value, _ in text.entities]
        marks = [mark for _, _, mark in text.entities]
        if not same:
            yield Static(side(t("release.yours"), text.original, values, "$text-warning"), classes="side", markup=False)
        title = "" if same else t("release.sent")
        yield Static(side(title, text.masked, marks, "$text-success"), classes="side sent", markup=False)
