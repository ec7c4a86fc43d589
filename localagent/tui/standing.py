"""What the status line says of driver and runner."""

from __future__ import annotations

from localagent.tui.driver import Driver
from localagent.tui.runner import Runner
from localagent.tui.widgets.status import Standing


def standing_of(driver: Driver, runner: Runner) -> Standing:
    use, figures = driver.context_use(), runner.adapter.figures
    return Standing(
        model=driver.model,
        used=use.used,
        window=use.window,
        tokens_per_second=figures.tokens_per_second,
        first_token_seconds=figures.first_token_seconds,
        reused=figures.reused,
        cost_usd=figures.cost_usd,
        mode=driver.mode,
        where=driver.where,
        host=driver.traffic.host,
        sent=driver.traffic.requests,
        queued=runner.queued,
        jobs=sum(job.status is None for job in driver.jobs()),
    )
