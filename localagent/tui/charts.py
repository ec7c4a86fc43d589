"""Figures as text: horizontal bars for kinds, columns for days."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content

from localagent.i18n import t
from localagent.tui.harmless import assemble, styled

if TYPE_CHECKING:
    from localagent.journal.series import Series

ACROSS = " ▏▎▍▌▋▊▉█"
UP = " ▁▂▃▄▅▆▇█"
LONGEST = 40  # cells of the longest bar
TALLEST = 5  # cells of the tallest column
WIDE = 4  # cells of a day
COUNTED = ("runs", "tokens", "replies", "calls")  # units that are words


def chart(series: Series, width: int = 80) -> Content:
    """A series with its title, within `width` cells."""
    lines = _columns(series, width) if series.daily else _bars(series, width)
    return Content("\n").join([_title(series), *lines])


def _title(series: Series) -> Content:
    top = f"  {t('stats.most')} {number(max(series.values))} {_unit(series)}" if series.daily else ""
    return assemble((t(f"stats.{series.name}"), "bold $primary"), (top, "$foreground-muted"))


def _bars(series: Series, width: int) -> list[Content]:
    top, wide = max(series.values), min(24, max(map(len, series.labels)))
    room = max(8, min(LONGEST, width - wide - 16))
    return [
        assemble(
            (f"{label[:wide]:>{wide}} ", "$foreground-muted"),
            (bar(value / top if top else 0, room), "$accent"),
            (f" {number(value)} {_unit(series)}", "$foreground-muted"),
        )
        for label, value in zip(series.labels, series.values, strict=True)
    ]


def _columns(series: Series, width: int) -> list[Content]:
    """The newest days that fit, each a column; the days of the month stand below."""
    count = min(len(series.values), max(1, width // WIDE))
    values, labels = series.values[-count:], series.labels[-count:]
    top = max(values)
    heights = [round(value / top * TALLEST * 8) if top else 0 for value in values]
    lines = []
    for row in range(TALLEST - 1, -1, -1):
        cells = [UP[max(0, min(8, height - row * 8))] * (WIDE - 1) for height in heights]
        lines.append(styled(" ".join(cells).rstrip(), "$accent"))
    days = [label[-2:].center(WIDE - 1) for label in labels]
    return [*lines, styled(" ".join(days), "$foreground-muted")]


def _unit(series: Series) -> str:
    return t(f"stats.unit_{series.unit}") if series.unit in COUNTED else series.unit


def bar(share: float, cells: int = LONGEST) -> str:
    """A bar of this share of so many cells, to an eighth of one."""
    eighths = round(share * cells * 8)
    return "█" * (eighths // 8) + ACROSS[eighths % 8].strip()


def number(value: float) -> str:
    """Three figures are enough to look at: 12,400, 3.25, 0.0012."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
