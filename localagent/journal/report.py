"""The figures as one HTML file: charts are SVG in it, nothing is loaded from anywhere, light and dark."""

from __future__ import annotations

from html import escape
from typing import Any

from localagent.journal.charts import SPREADS, headline

ROW, BAR, LABEL = 26, 420, 190  # of a chart, in pixels
HIGH = 90  # of the columns over time

STYLE = """\
:root { color-scheme: light dark; --ink: #1c2024; --soft: #5f6772; --paper: #fcfcfa; --line: #dcdfe3; --bar: #2f6f8f;
  --bad: #b4452c }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e8ea; --soft: #98a1ab; --paper: #16191c; --line: #333a41;
  --bar: #6fb3d2; --bad: #e0745b } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 62rem;
  margin: 2rem auto; padding: 0 1rem }
h1 { font-size: 1.4rem } h2 { font-size: 1rem; margin: 2rem 0 .5rem }
ul.head { display: flex; flex-wrap: wrap; gap: .4rem 1.6rem; padding: 0; list-style: none; color: var(--soft) }
table { border-collapse: collapse } th, td { padding: .25rem .9rem .25rem 0; border-bottom: 1px solid var(--line);
  text-align: right; font-variant-numeric: tabular-nums } th:first-child, td:first-child { text-align: left }
th { color: var(--soft); font-weight: 500 } svg { max-width: 100%; height: auto; display: block }
svg text { fill: currentColor; font-size: 13px } svg .soft { fill: var(--soft) } svg .bar { fill: var(--bar) }
svg .bad { fill: var(--bad) }"""


def html(figures: dict[str, Any], title: str = "localagent journal") -> str:
    """The whole page."""
    parts = [
        f"<h1>{escape(title)}</h1>",
        f"<ul class=head>{''.join(f'<li>{escape(one)}</li>' for one in headline(figures))}</ul>",
        _section("Runs a day", _columns(figures["days"])),
        _section("Outcomes", _bars([(name, number, 0) for name, number in figures["outcomes"].items()])),
        _section("A run takes", _spreads(figures)),
        _section("Models", _models(figures["models"])),
        _section(
            "Calls by tool (failed ones in the other colour)",
            _bars([(tool["tool"], tool["calls"], tool["failed"]) for tool in figures["tools"]]),
        ),
        _section("Tools", _tools(figures["tools"])),
        _section(
            "Never called",
            f"<p>{escape(', '.join(figures['tools_never_called']))}</p>" if figures["tools_never_called"] else "",
        ),
    ]
    return page_head(title, STYLE) + "".join(parts) + "</body></html>\n"


def page_head(title: str, style: str) -> str:
    """The beginning of a page up to its body."""
    meta = '<meta charset="utf-8"><meta name="viewport" content="width=device-width">'
    head = f"{meta}<title>{escape(title)}</title><style>{style}</style>"
    return f"<!doctype html>\n<html lang=en><head>{head}</head>\n<body>\n"


def _section(title: str, body: str) -> str:
    return f"\n<h2>{escape(title)}</h2>\n{body}" if body else ""


def _bars(values: list[tuple[str, int, int]]) -> str:
    """A horizontal bar for every (name, number, part of it that is bad)."""
    if not values:
        return ""
    top = max(number for _, number, _ in values) or 1
    rows = []
    for place, (name, number, bad) in enumerate(values):
        y, wide = place * ROW, max(1.5, number / top * BAR)
        told = f"{number:,}" + (f", {bad:,} failed" if bad else "")
        rows.append(
            f'<text x="{LABEL - 8}" y="{y + 17}" text-anchor="end">{escape(name)}</text>'
            f'<rect class="bar" x="{LABEL}" y="{y + 5}" width="{wide:.1f}" height="16" rx="2"/>'
            + (
                f'<rect class="bad" x="{LABEL}" y="{y + 5}" width="{bad / top * BAR:.1f}" height="16" rx="2"/>'
                if bad
                else ""
            )
            + f'<text class="soft" x="{LABEL + wide + 8:.1f}" y="{y + 17}">{told}</text>'
        )
    return _svg(LABEL + BAR + 140, len(values) * ROW, "".join(rows))


def _columns(days: list[dict[str, Any]]) -> str:
    if not days:
        return ""
    top = max(day["runs"] for day in days) or 1
    wide = 700 / len(days)
    columns = "".join(
        f'<rect class="bar" x="{n * wide:.1f}" y="{HIGH - day["runs"] / top * HIGH:.1f}" width="{wide - 3:.1f}"'
        f' height="{day["runs"] / top * HIGH:.1f}" rx="2"><title>{day["day"]}: {day["runs"]}</title></rect>'
        for n, day in enumerate(days)
        if day["runs"]
    )
    ends = (
        f'<text class="soft" x="0" y="{HIGH + 18}">{days[0]["day"]}</text>'
        f'<text class="soft" x="700" y="{HIGH + 18}" text-anchor="end">{days[-1]["day"]}, at most {top} a day</text>'
    )
    return _svg(700, HIGH + 24, columns + ends)


def _svg(width: int, height: int, body: str) -> str:
    return f'<svg viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img">{body}</svg>'


def _table(head: list[str], rows: list[list[Any]]) -> str:
    cells = "".join(f"<th>{escape(name)}</th>" for name in head)
    lines = "".join("<tr>" + "".join(f"<td>{_cell(value)}</td>" for value in row) + "</tr>" for row in rows)
    return f"<table><tr>{cells}</tr>{lines}</table>" if rows else ""


def _cell(value: Any) -> str:
    return escape(value) if isinstance(value, str) else f"{value:,.10g}"


def _spreads(figures: dict[str, Any]) -> str:
    known = {title: figures[name] for name, title in SPREADS.items() if figures[name]}
    return _table(["", "p50", "p95", "max"], [[title, *spread.values()] for title, spread in known.items()])


def _models(models: list[dict[str, Any]]) -> str:
    head = ["model", "runs", "steps", "tokens read", "tokens written", "USD"]
    return _table(head, [list(model.values()) for model in models])


def _tools(tools: list[dict[str, Any]]) -> str:
    rows = [[t["tool"], t["calls"], t["failed"], t["seconds"], t["runs"]] for t in tools]
    return _table(["tool", "calls", "failed", "seconds", "in runs"], rows)
