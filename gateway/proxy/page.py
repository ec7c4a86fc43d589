"""/journal: the record as one page for a person: counts and charts, nothing from elsewhere, no script."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import time
from collections.abc import Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, field
from datetime import UTC, datetime
from html import escape
from typing import TYPE_CHECKING, Any

from gateway.errors import RequestError
from gateway.figures import figures
from gateway.ledger import Ledger
from gateway.proxy.access import peer_of
from gateway.proxy.desk import Desk
from gateway.proxy.errors import refusal

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

_DAYS = 30
_FRESH_SECONDS = 5.0
_MOST = 20  # bars of one chart; what is beyond is one bar
_WIDTH, _HEIGHT, _LABEL = 620, 120, 210

_STYLE = """
:root { color-scheme: light dark; --bar: #2f6f9f; --soft: #8884; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.4rem; } h2 { font-size: 1rem; margin: 2rem 0 .3rem; }
dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); gap: .8rem; }
dt { opacity: .7; font-size: .85rem; } dd { margin: 0; font-size: 1.3rem; font-variant-numeric: tabular-nums; }
svg { width: 100%; height: auto; display: block; } svg text { fill: currentColor; font-size: 12px; }
.bar { fill: var(--bar); } .back { fill: var(--soft); } p.note { opacity: .7; font-size: .85rem; }
"""
_HASH = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
HEADERS = {
    "content-security-policy": f"default-src 'none'; style-src 'sha256-{_HASH}'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'",
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
}
_CHARTS = (
    ("masked", "Masked values, by type"),
    ("blocked", "Blocked values, by type"),
    ("passed", "Found and left in clear, as the policy says"),
    ("by_outcome", "Requests, by outcome"),
    ("by_client", "Requests, by client"),
    ("by_model", "Requests, by model"),
    ("by_upstream", "Requests, by upstream"),
)


@dataclass(slots=True)
class Page:
    """The page of one process; its figures are counted off the event loop, and kept for a moment."""

    desk: Desk
    threads: Executor
    _made: float = 0.0
    _html: str = ""
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def show(self, request: Request) -> Response:
        """The page, for a client or a person on this machine."""
        from starlette.responses import HTMLResponse

        if not self.desk.access.may_look(request.headers, peer_of(request)):
            return refusal("openai", RequestError(401, "the journal is shown on this machine, or with a client's key"))
        async with self._lock:
            if not self._html or time.monotonic() - self._made > _FRESH_SECONDS:
                loop = asyncio.get_running_loop()
                self._html = await loop.run_in_executor(self.threads, _page, self.desk.reading.path)
                self._made = time.monotonic()
        return HTMLResponse(self._html, headers=HEADERS)


def _page(path: Any) -> str:
    with Ledger(path) as ledger:
        return render(figures(ledger, since=time.time() - _DAYS * 86_400), datetime.now(UTC))


def render(found: Mapping[str, Any], now: datetime) -> str:
    """The figures of the last days as HTML."""
    seconds = found["seconds"]
    numbers = {
        "requests": f"{found['requests']:,}",
        "left the house": f"{found['sent']:,}",
        "values masked": f"{sum(found['masked'].values()):,}",
        "tokens in": f"{found['input_tokens']:,}",
        "tokens out": f"{found['output_tokens']:,}",
        "cost": f"{found['cost_usd']:,.2f} USD",
        "median answer": f"{seconds['p50']:.2f} s" if seconds else "–",
        "99 of 100 within": f"{seconds['p99']:.2f} s" if seconds else "–",
    }
    boxes = "".join(f"<div><dt>{escape(name)}</dt><dd>{escape(text)}</dd></div>" for name, text in numbers.items())
    charts = "".join(_section(title, _bars(found[key])) for key, title in _CHARTS if found[key])
    days = _section("Requests a day", _columns(found["by_day"])) if found["by_day"] else "<p>No request yet.</p>"
    masked = _section("Masked values a day", _columns(found["masked_by_day"])) if found["masked_by_day"] else ""
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Journal of the gateway</title>'
        f'<meta name="viewport" content="width=device-width"><style>{_STYLE}</style></head><body>'
        f"<h1>Journal of the gateway</h1><p>The last {_DAYS} days, as of {now:%Y-%m-%d %H:%M} UTC.</p>"
        f"<dl>{boxes}</dl>{days}{masked}{charts}"
        '<p class="note">Counts only: the ledger holds no value and no text. <code>gateway journal verify</code> '
        "proves that no row was changed.</p></body></html>"
    )


def _section(title: str, chart: str) -> str:
    return f"<h2>{escape(title)}</h2>{chart}"


def _bars(values: Mapping[str, int]) -> str:
    """A bar a name, the largest first."""
    shown = list(values.items())[:_MOST]
    if rest := sum(list(values.values())[_MOST:]):
        shown.append(("all others", rest))
    top, row = max(count for _, count in shown) or 1, 22
    space = _WIDTH - _LABEL - 70
    parts = [f'<svg viewBox="0 0 {_WIDTH} {row * len(shown)}" role="img">']
    for number, (name, count) in enumerate(shown):
        y, width = number * row, max(1, round(count * space / top))
        parts.append(
            f'<text x="{_LABEL - 8}" y="{y + 15}" text-anchor="end">{escape(_short(name))}</text>'
            f'<rect class="bar" x="{_LABEL}" y="{y + 3}" width="{width}" height="{row - 6}"/>'
            f'<text x="{_LABEL + width + 6}" y="{y + 15}">{count:,}</text>'
        )
    return "".join(parts) + "</svg>"


def _columns(values: Mapping[str, int]) -> str:
    """A column a day, from the first to the last."""
    top, count = max(values.values()) or 1, len(values)
    step = min(40.0, _WIDTH / count)
    parts = [f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT + 20}" role="img"><text x="0" y="12">{top:,}</text>']
    for number, (day, value) in enumerate(values.items()):
        height = max(1, round(value * (_HEIGHT - 18) / top))
        parts.append(
            f'<rect class="bar" x="{number * step:.1f}" y="{_HEIGHT - height}" width="{step - 2:.1f}"'
            f' height="{height}"><title>{escape(day)}: {value:,}</title></rect>'
        )
    first, *_, last = [*values, *values]
    parts.append(f'<text x="0" y="{_HEIGHT + 15}">{escape(first)}</text>')
    if last != first:
        parts.append(f'<text x="{_WIDTH}" y="{_HEIGHT + 15}" text-anchor="end">{escape(last)}</text>')
    return "".join(parts) + "</svg>"


def _short(name: str) -> str:
    return (name[:27] + "…" if len(name) > 28 else name) or "(none)"
