"""The line under the prompt: model, context, speed, cost, mode, and whether anything leaves the house."""

from __future__ import annotations

from dataclasses import dataclass

from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from localagent.i18n import t
from localagent.tui.harmless import assemble, styled
from localagent.tui.widgets import style

BAR = 8  # cells of the context bar
DRAWN = 44  # cells from which there is room to draw the context
FULL = 0.8  # share of the window from which it is said


@dataclass(frozen=True, slots=True)
class Standing:
    """What the status line says; None is unknown and shown as such."""

    model: str = ""
    used: int | None = None
    window: int | None = None
    tokens_per_second: float | None = None
    first_token_seconds: float | None = None
    reused: float | None = None
    cost_usd: float = 0.0
    mode: str = "ask"
    where: str = ""
    host: str = ""  # where masked text went last, and how many requests did
    sent: int = 0
    queued: int = 0
    jobs: int = 0


class Status(Widget):
    DEFAULT_CSS = style(__file__)

    standing: reactive[Standing] = reactive(Standing())

    def render(self) -> Content:
        right = _right(self.standing)
        room = self.size.width - right.cell_length - 3
        left, shown = _left(self.standing, drawn=room >= DRAWN), list[Content]()
        for part in filter(len, left):
            if sum(c.cell_length + 3 for c in (*shown, part)) <= room:
                shown.append(part)
        line = styled(" · ", "$foreground-disabled").join(shown)
        return assemble(line, " " * max(1, self.size.width - line.cell_length - right.cell_length), right)


def _left(now: Standing, drawn: bool) -> list[Content]:
    parts = [styled(now.model or t("status.no_model"), "bold"), _context(now, drawn)]
    figures = []
    if now.tokens_per_second:
        figures.append(t("figures.speed", n=f"{now.tokens_per_second:.0f}"))
    if now.first_token_seconds is not None:
        figures.append(t("figures.first", n=f"{now.first_token_seconds:.1f}"))
    if now.reused is not None:
        figures.append(t("figures.reused", n=f"{now.reused:.0%}"))
    if now.cost_usd or now.where == "cloud":
        figures.append(f"${now.cost_usd:.4f}" if now.cost_usd < 1 else f"${now.cost_usd:.2f}")
    return parts + [styled(text, "$foreground-muted") for text in figures]


def _context(now: Standing, drawn: bool) -> Content:
    if now.used is None and now.window is None:
        return Content("")  # before the first message nobody has asked the model
    used, window = human(now.used), human(now.window)
    if not now.window or now.used is None:
        return styled(f"{used}/{window}", "$foreground-muted")
    share = min(1.0, now.used / now.window)
    cells = round(share * BAR)
    colour = "$text-warning" if share >= FULL else "$foreground-muted"
    if not drawn:
        return styled(f"{used}/{window}", colour)
    return assemble(
        ("━" * cells, "$text-warning" if share >= FULL else "$accent"),
        ("━" * (BAR - cells), "$foreground-disabled 40%"),
        (f" {used}/{window}", colour),
    )


def _right(now: Standing) -> Content:
    mode_colour = {"ask": "$text-success", "read": "$text-success", "edit": "$text-warning", "all": "$text-error"}
    badge_colour = {"here": "$text-success", "local": "$text-success", "cloud": "$text-warning"}
    parts = [styled(t(f"mode.{now.mode}"), mode_colour.get(now.mode, ""))]
    if now.jobs:
        parts.insert(0, styled(t("status.jobs", n=now.jobs), "$text-accent"))
    if now.queued:
        parts.insert(0, styled(t("status.queued", n=now.queued), "$text-accent"))
    if now.sent:
        parts.append(styled(f"▲ {t('where.sent', host=now.host, n=now.sent)}", "$text-warning"))
    elif now.where:
        sign = "▲" if now.where == "cloud" else "●"
        parts.append(styled(f"{sign} {t(f'where.{now.where}')}", badge_colour[now.where]))
    return styled(" · ", "$foreground-disabled").join(parts)


def human(number: int | None) -> str:
    """A count of tokens in three or four characters, "?" where nobody knows."""
    if number is None:
        return "?"
    if number < 1000:
        return str(number)
    return f"{number / 1000:.1f}k" if number < 100_000 else f"{number // 1000}k"
