"""Goes with what leaves the house for a session: asks once a host, remembers the answer, writes every request down."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from localagent.errors import CloudRefusedError
from localagent.events import CloudConsent, CloudRequest, Event
from localagent.ports import Decision, Outgoing

if TYPE_CHECKING:
    from gateway.ledger import Ledger

Release = Callable[[Outgoing], Awaitable[Decision]]


class SessionEscort:
    """See ports.Escort. `release` shows the text to a person; None where nobody is there to see it.

    A person's yes holds for the session, also when it is resumed; a no for the run. `run` names the current one.
    """

    def __init__(
        self,
        ledger: Ledger,
        session: str,
        *,
        release: Release | None,
        record: Callable[[Event], None],
        run: Callable[[], str],
    ) -> None:
        self._release = release
        self._record = record
        self._run = run
        self._asking = asyncio.Lock()
        self._refused: set[tuple[str, str]] = set()
        self._allowed = consented(ledger, session) if release is not None else set()

    async def consent(self, outgoing: Outgoing) -> None:
        host = outgoing.host
        if host in self._allowed:
            return
        if self._release is None:
            raise _unseen(outgoing)
        async with self._asking:
            if host not in self._allowed:
                await self._ask(self._release, outgoing)

    async def _ask(self, release: Release, outgoing: Outgoing) -> None:
        host = outgoing.host
        if (self._run(), host) in self._refused:
            raise _kept(outgoing)
        decision = await release(outgoing)
        by = "person" if decision.by == "person" else "flag"
        self._record(CloudConsent(host, outgoing.model, decision.allowed, by, decision.reason, outgoing.counts))
        if not decision.allowed and by == "flag":
            raise _unseen(outgoing)
        if not decision.allowed:
            self._refused.add((self._run(), host))
            raise _kept(outgoing)
        self._allowed.add(host)

    def leaves(self, request: CloudRequest) -> None:
        self._record(request)


def consented(ledger: Ledger, session: str) -> set[str]:
    """The hosts that a person allowed in this session, also in an earlier process."""
    rows = ledger.rows(session=session, kinds=["cloud_consent"])
    return {row.data["host"] for row in rows if row.data and row.data["allowed"] and row.data["by"] == "person"}


async def by_flag(outgoing: Outgoing) -> Decision:
    """The answer of `--allow-cloud`."""
    return Decision(True, "session", by="mode")


def _unseen(outgoing: Outgoing) -> CloudRefusedError:
    return CloudRefusedError(
        f"{outgoing.model} is a cloud model at {outgoing.host} and nobody is there to look at the masked text first; "
        "nothing was sent. To let it leave unseen: localagent run --allow-cloud …"
    )


def _kept(outgoing: Outgoing) -> CloudRefusedError:
    return CloudRefusedError(
        f"you kept this text in the house: nothing was sent to {outgoing.host}; choose a local model with /model, or "
        "say it again and allow it"
    )


__all__ = ["Release", "SessionEscort", "by_flag", "consented"]
