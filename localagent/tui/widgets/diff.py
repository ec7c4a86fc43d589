"""Changes of files as people read them: unified where it is narrow, side by side where there is room."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from functools import lru_cache

from textual import events
from textual.content import Content
from textual.widgets import Static

from localagent.i18n import t
from localagent.ports import Change
from localagent.tui.harmless import assemble, styled
from localagent.tui.widgets import style

CONTEXT = 3  # unchanged lines around a change
LARGE = 2000  # lines from which exactness costs too much
WIDE = 110  # columns from which two sides fit
Row = tuple[str, int | None, str, int | None, str]  # kind (= - + ~ @), left number and text, right number and text
END: Row = (".", None, "", None, "")

ADDED, REMOVED, FAINT = "$text-success on $success 15%", "$text-error on $error 15%", "$foreground-muted"


class DiffView(Static):
    """The changes that a call would make, or made."""

    DEFAULT_CSS = style(__file__)

    def __init__(self, changes: Sequence[Change]) -> None:
        super().__init__(Content("\n").join(map(unified, changes)), markup=False)
        self._changes = changes

    def on_resize(self, event: events.Resize) -> None:
        width = self.content_size.width
        draw = (lambda c: side_by_side(c, width)) if width >= WIDE else unified
        self.update(Content("\n").join([draw(change) for change in self._changes]))


def unified(change: Change, limit: int | None = None) -> Content:
    """The change in one column; lines beyond `limit` are counted."""
    lines = [_title(change)]
    added: list[Content] = []
    for kind, left, before, right, after in (*rows(change), END):
        if kind in "-~":
            lines.append(styled(f"{left or '':>4} - {before}", REMOVED))
        if kind in "+~":
            added.append(styled(f"{right or '':>4} + {after}", ADDED))
        if kind in "=@.":
            lines += added
            added = []
        if kind in "=@":
            lines.append(styled("  ⋯" if kind == "@" else f"{right or '':>4}   {after}", FAINT))
    if limit and len(lines) > limit:
        lines[limit:] = [styled(t("block.more_lines", n=len(lines) - limit), FAINT)]
    return Content("\n").join(lines)


def side_by_side(change: Change, width: int) -> Content:
    """The change in two columns that share `width`."""
    half = (width - 3) // 2
    lines = [_title(change)]
    for kind, left, before, right, after in rows(change):
        if kind == "@":
            lines.append(styled("  ⋯", FAINT))
            continue
        lines.append(
            assemble(
                _cell(left, before, half, REMOVED if kind in "-~" else FAINT),
                (" │ ", FAINT),
                _cell(right, after, half, ADDED if kind in "+~" else FAINT),
            )
        )
    return Content("\n").join(lines)


def _cell(number: int | None, text: str, width: int, look: str) -> tuple[str, str]:
    room = width - 6
    cut = text if len(text) <= room else text[: room - 1] + "…"
    return f"{number or '':>4}  {cut:<{room}}", look if number else FAINT


def _title(change: Change) -> Content:
    plus, minus = count(change)
    return assemble((str(change.path), "bold"), (f"  +{plus}", "$text-success"), (f" -{minus}", "$text-error"))


def count(change: Change) -> tuple[int, int]:
    """Lines added and removed."""
    kinds = [row[0] for row in rows(change)]
    return sum(k in "+~" for k in kinds), sum(k in "-~" for k in kinds)


@lru_cache(maxsize=64)
def rows(change: Change) -> tuple[Row, ...]:
    """The changed lines with some context; a "@" row stands for what is left out."""
    before, after = _lines(change.before), _lines(change.after)
    if before is None or after is None:
        return (("~", None, t("diff.binary"), None, t("diff.binary")),)
    found: list[Row] = []
    matcher = SequenceMatcher(None, before, after, autojunk=len(before) > LARGE)
    for number, group in enumerate(matcher.get_grouped_opcodes(CONTEXT)):
        if number:
            found.append(("@", None, "", None, ""))
        for tag, a, b, c, d in group:
            found += _paired(tag, before[a:b], a, after[c:d], c)
    return tuple(found)


def _paired(tag: str, before: list[str], a: int, after: list[str], c: int) -> Iterator[Row]:
    for i in range(max(len(before), len(after))):
        left, right = i < len(before), i < len(after)
        kind = "=" if tag == "equal" else "~" if left and right else "-" if left else "+"
        old = (a + i + 1, before[i]) if left else (None, "")
        new = (c + i + 1, after[i]) if right else (None, "")
        yield kind, *old, *new


def _lines(content: bytes | None) -> list[str] | None:
    """The lines of a text; None for what is not text."""
    if content is None:
        return []
    try:
        return content.decode("utf-8").expandtabs(4).splitlines()
    except UnicodeDecodeError:
        return None
