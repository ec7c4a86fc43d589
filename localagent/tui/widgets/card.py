"""A tool call: one line that says what, with what, how it went and how long; open for the rest."""

from __future__ import annotations

from typing import Any

from textual.content import Content

from localagent.i18n import t
from localagent.tui.blocks import SHELL, Card
from localagent.tui.harmless import assemble, styled
from localagent.tui.widgets import style
from localagent.tui.widgets.block import BlockView
from localagent.tui.widgets.diff import unified

SIGNS = {
    "writing": "…", "waiting": "?", "running": "●", "done": "✓", "failed": "✗", "denied": "⊘", "stopped": "■",
    "undone": "↶",
}  # fmt: skip
COLOURS = {
    "writing": "$foreground-muted", "waiting": "$text-warning", "running": "$text-accent",
    "done": "$text-success", "failed": "$text-error", "denied": "$text-warning",
    "stopped": "$text-warning", "undone": "$text-warning",
}  # fmt: skip
ENDS = {"denied": "card.denied", "stopped": "card.stopped", "undone": "card.undone"}
NOTICED = 0.05  # seconds below which a time is no news
LIVE_LINES = 4
SHOWN_LINES = 20
DIFF_LINES = 40
STEP = 60  # characters of the arguments of a reader's step


class CardView(BlockView[Card]):
    DEFAULT_CSS = style(__file__)
    foldable = True

    def __init__(self, block: Card) -> None:
        super().__init__(block)
        self._shown = 0

    def on_mount(self) -> None:
        self.opened = self.block.tool == SHELL  # who runs a command wants to see what it says

    def render(self) -> Content:
        self._shown = len(self.block.output)
        parts = [self._head()]
        if self.opened:
            parts += self._body()
        elif self.block.state == "running" and self.block.steps:
            parts += [_step(step) for step in self.block.steps[-LIVE_LINES:]]
        elif self.block.state == "running" and self.block.output:
            parts.append(_dim(_last_lines(self.block.output, LIVE_LINES)))
        elif self.block.state == "failed" and self.block.output:
            parts.append(_dim(_last_lines(self.block.output, 1)))
        return Content("\n").join(parts)

    def _head(self) -> Content:
        card = self.block
        parts: list[tuple[str, str]] = [
            (f"{SIGNS[card.state]} ", COLOURS[card.state]),
            (card.tool, "bold"),
            ("  " + summary(card.arguments, self._room()), "$foreground-muted"),
        ]
        if card.state == "writing":
            parts.append((t("card.writing"), "italic $foreground-muted"))
        if card.state in ENDS:
            parts.append(("  " + t(ENDS[card.state]), "$text-warning"))
        elif card.seconds is not None and card.seconds >= NOTICED:
            parts.append((f"  {seconds(card.seconds)}", "$foreground-disabled"))
        return assemble(*parts)

    def _room(self) -> int:
        return max(20, self.content_size.width - len(self.block.tool) - 14)

    def _body(self) -> list[Content]:
        card, parts = self.block, []
        for name, value in () if card.tool == SHELL else card.arguments.items():
            text = value if isinstance(value, str) else repr(value)
            parts.append(assemble((f"  {name} ", "$text-accent"), _head_lines(text, 6)))
        parts += [_step(step) for step in card.steps]
        for change in card.changes:
            parts.append(unified(change, DIFF_LINES))
        for path in () if card.changes else card.changed:
            parts.append(assemble((f"  ± {path}", "$text-success")))
        if card.output and not card.changes:
            lines = _last_lines if card.state == "running" else _head_lines
            parts.append(_dim(lines(card.full or card.output, SHOWN_LINES)))
        return parts

    async def pulse(self) -> None:
        if self.block.state == "running" and len(self.block.output) != self._shown:
            self.refresh(layout=True)


def summary(arguments: dict[str, Any], room: int) -> str:
    """The arguments in one line of at most `room` characters."""
    told = {name: name if value is True else value for name, value in arguments.items() if value is not False}
    texts = [" ".join(_word(value).split()) for value in told.values()]
    line = "  ".join(text for text in texts if text)
    return line if len(line) <= room else line[: room - 1] + "…"


def _word(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def seconds(value: float) -> str:
    """A duration for people: 0.3 s, 12 s, 3 min 5 s."""
    if value < 10:
        return t("unit.seconds", n=f"{value:.1f}")
    if value < 60:
        return t("unit.seconds", n=f"{value:.0f}")
    return t("unit.minutes", m=int(value // 60), s=int(value % 60))


def _step(card: Card) -> Content:
    """A call of a reader, in one line."""
    words = f"{card.tool}  {summary(card.arguments, STEP)}"
    return assemble((f"  {SIGNS[card.state]} ", COLOURS[card.state]), (words, "$foreground-muted"))


def _dim(text: str) -> Content:
    return styled("\n".join(f"  {line}" for line in text.splitlines()), "$foreground-muted")


def _last_lines(text: str, count: int) -> str:
    return "\n".join(text.rstrip().splitlines()[-count:])


def _head_lines(text: str, count: int) -> str:
    lines = text.rstrip().splitlines()
    more = len(lines) - count
    return "\n".join(lines[:count]) + (f"\n{t('block.more_lines', n=more)}" if more > 0 else "")
