"""What the screen asks of the whole house, whichever session it shows: earlier sessions, figures, jobs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from localagent.house import House
from localagent.tui.driver import Hit, ReplayStep, SessionRow

if TYPE_CHECKING:
    from localagent.journal.series import Series
    from localagent.tools.jobs import JobRow


class Archive:
    """The part of tui.driver.Driver that needs no agent. `workspace` is where a session is exported to."""

    def __init__(self, house: House, workspace: Path) -> None:
        self.house, self.workspace = house, workspace

    async def sessions(self) -> list[SessionRow]:
        from localagent.journal.listing import sessions

        return [
            SessionRow(r.session, r.title, r.updated, r.outcome, r.model, r.runs, r.cost_usd)
            for r in sessions(self.house.ledger, limit=500)
        ]

    async def search(self, text: str) -> list[Hit]:
        from localagent.journal.search import search

        return [Hit(f.session, f.title, f.excerpt) for f in search(self.house.ledger, text)]

    async def rename(self, session: str, title: str) -> None:
        from localagent.journal.listing import rename

        rename(self.house.ledger, session, title)

    async def export(self, session: str) -> Path:
        from localagent.journal.listing import as_markdown

        path = self.workspace / f"session-{session}.md"
        path.write_text(as_markdown(self.house.ledger, session), encoding="utf-8")
        return path

    async def replay(self, session: str) -> list[ReplayStep]:
        from localagent.journal.replay import steps

        return [ReplayStep(s.step, s.model, s.saw, s.events) for s in steps(self.house.ledger, session)]

    async def figures(self) -> list[Series]:
        from localagent.clock import SystemClock
        from localagent.journal.series import series

        return series(self.house.ledger, SystemClock().now())

    def jobs(self) -> tuple[JobRow, ...]:
        return self.house.jobs.rows()

    async def stop_job(self, name: str) -> None:
        await self.house.jobs.stop(self.house.jobs.get(name))
