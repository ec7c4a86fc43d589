"""The figures as lines with bars, for a terminal."""

from __future__ import annotations

from typing import Any

EIGHTHS = " ▏▎▍▌▋▊▉█"
SPARKS = " ▁▂▃▄▅▆▇█"
SPREADS = {"steps": "steps", "input_tokens": "tokens read", "output_tokens": "tokens written", "seconds": "seconds"}


def bars(figures: dict[str, Any], width: int = 40) -> str:
    """All the figures; what there is none of is left out."""
    if not figures["runs"] and not figures["unfinished"]:
        return "no runs yet; begin one with: localagent run TASK"
    lines = [", ".join(headline(figures))]
    lines += [f"{title}: {_spread(figures[name])}" for name, title in SPREADS.items() if figures[name]]
    if sum(day["runs"] for day in figures["days"]) > 1:
        lines += [
            "",
            f"runs a day, {len(figures['days'])} days to {figures['days'][-1]['day']}",
            _sparks(figures["days"]),
        ]
    lines += _chart("outcome", figures["outcomes"], width)
    lines += _chart("model", {m["model"]: m["runs"] for m in figures["models"]}, width)
    lines += _chart("calls by tool", {t["tool"]: t["calls"] for t in figures["tools"]}, width)
    lines += _chart("failed calls", {t["tool"]: t["failed"] for t in figures["tools"] if t["failed"]}, width)
    if figures["tools_never_called"]:
        lines += ["", "never called: " + ", ".join(figures["tools_never_called"])]
    return "\n".join(lines)


def headline(figures: dict[str, Any]) -> list[str]:
    """The figures that are one number each, as people say them."""
    told = [
        count(figures["runs"], "run"),
        f"{figures['unfinished']} unfinished" if figures["unfinished"] else "",
        f"{figures['at_limit']:.0%} at a limit" if figures["at_limit"] else "",
        f"{figures['cost_usd']:.4f} USD",
        "" if figures["prefix_reuse"] is None else f"{figures['prefix_reuse']:.0%} of input tokens kept from before",
        f"{count(figures['rejected_replies'], 'reply', 'replies')} rejected",
        f"{figures['repaired_replies']} repaired" if figures["repaired_replies"] else "",
        count(figures["fallbacks"], "fallback") if figures["fallbacks"] else "",
        f"{figures['condensed']} condensed" if figures["condensed"] else "",
    ]
    return [one for one in told if one]


def count(number: int, one: str, many: str = "") -> str:
    """A number with its noun."""
    return f"{number} {one if number == 1 else many or one + 's'}"


def _spread(values: dict[str, float]) -> str:
    return ", ".join(f"{name} {value:,.10g}" for name, value in values.items())


def _sparks(days: list[dict[str, Any]]) -> str:
    top = max(day["runs"] for day in days)
    return "".join(SPARKS[-(-day["runs"] * 8 // top)] for day in days) + f" at most {top}"


def _chart(title: str, values: dict[str, int], width: int) -> list[str]:
    if not values:
        return []
    top, wide = max(values.values()) or 1, max(map(len, values))
    return ["", title, *(f"  {name:<{wide}} {_bar(value / top, width)} {value:,}" for name, value in values.items())]


def _bar(share: float, width: int) -> str:
    """A bar to an eighth of a cell; what is there at all is seen."""
    eighths = max(1, round(share * width * 8))
    return "█" * (eighths // 8) + EIGHTHS[eighths % 8].strip()
