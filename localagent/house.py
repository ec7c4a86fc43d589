"""What all sessions of one process share, opened and closed once."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from localagent.config import paths
from localagent.journal.claim import Claims, claims_of

if TYPE_CHECKING:
    from gateway.ledger import Ledger
    from localagent.mcp.servers import Servers
    from localagent.memory.library import Library
    from localagent.models.catalogue import Catalogue
    from localagent.tools.jobs import Jobs


@dataclass(slots=True)
class House:
    """What all sessions of one process share."""

    catalogue: Catalogue
    ledger: Ledger
    data: Path
    state: Path
    jobs: Jobs  # background commands, which end with the process
    claims: Claims  # the sessions that no other process may go on with
    mcp: dict[Path, Servers] = field(default_factory=dict)  # by workspace, which end with the process too
    libraries: dict[Path, Library] = field(default_factory=dict)  # by workspace


def open_house(models: str | Path | None = None) -> House:
    """Reads the configuration, opens the ledger and raises the fence. Raises ConfigError, LedgerError."""
    from gateway.ledger import Ledger
    from localagent.models.catalogue import load_catalogue
    from localagent.net import fence
    from localagent.tools.jobs import Jobs

    catalogue = load_catalogue(models)
    data = paths.data_dir()
    house = House(catalogue, Ledger(data / "ledger.db"), data, paths.state_dir(), Jobs(), claims_of(data))
    fence.install(catalogue.hosts())
    return house


async def close(house: House) -> None:
    """Ends what the process holds: models, workers, the ledger."""
    await house.jobs.close()
    await asyncio.gather(*(servers.close() for servers in house.mcp.values()))
    await asyncio.gather(*(library.close() for library in house.libraries.values()))
    await asyncio.shield(house.catalogue.close())
    house.ledger.close()
    house.claims.close()
