"""What a seat gets besides the built-in tools and the house's own words: memory, a reader to send out, skills."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from localagent.agent.parts import Agent, Seat
from localagent.config import paths, prompts
from localagent.events import Event
from localagent.extend.preamble import Extras, find_extras, preamble
from localagent.ports import Tool

if TYPE_CHECKING:
    from localagent.guard import Layer
    from localagent.house import House
    from localagent.memory.library import Library
    from localagent.ports import Embedder
    from localagent.tools.schema import Profile

MakeLayers = Callable[[Callable[[Event], None]], "tuple[Layer, ...]"]


class Furnisher:
    """For one session. `parent` is its agent, asked for when a reader is sent out; `layers` stand around any tool."""

    def __init__(self, house: House, workspace: Path, parent: Callable[[], Agent], layers: MakeLayers) -> None:
        self._house, self._workspace = house, workspace
        self._parent, self._layers = parent, layers
        self.extras: Extras = find_extras(workspace, paths.config_dir())

    def words(self, profile: Profile) -> str:
        """What the system prompt says besides the house's own words, "" for nothing."""
        from localagent.memory.kept import kept_facts

        return preamble(self.extras, profile, self._workspace, lambda room: kept_facts(self._house.data, room))

    def with_own(self, tools: Sequence[Tool], profile: Profile, session: str) -> tuple[Tool, ...]:
        """The tools with those of memory and delegation before the last two, which ask and finish.

        Outside a repository there is nothing to look at with git, and its words are saved.
        """
        if profile == "nano" or not tools:
            return tuple(tools)
        if not _in_repository(self._workspace):
            tools = [tool for tool in tools if tool.spec.name != "git"]
        from localagent.memory.tool import search_documents

        own: list[Tool] = [
            search_documents(profile, library_of(self._house, self._workspace), self._house.ledger, session)
        ]
        if profile == "full":
            from localagent.agent.subagent import delegate
            from localagent.memory.kept import remember

            own += [remember(profile, self._house.data), delegate(profile, self._parent, self._reading)]
        return (*tools[:-2], *own, *tools[-2:])

    def _reading(self, seat: Seat, emit: Callable[[Event], None]) -> Seat:
        """The seat of a reader: the same model, a prompt of its own, and tools that only look."""
        from localagent.agent.subagent import READERS
        from localagent.calling.render import render_tools
        from localagent.guard import guarded

        layers = self._layers(emit)
        tools = {name: tool for name, tool in seat.tools.items() if name in READERS}
        system = prompts.read("system/delegate.md")
        if seat.textual and tools:
            system += "\n\n" + render_tools([tool.spec for tool in tools.values()], seat.dialect)
        runners = {name: guarded(tool, layers) for name, tool in tools.items()}
        return replace(seat, system=system, tools=tools, runners=runners, found={}, shots=())


def _in_repository(workspace: Path) -> bool:
    return any((folder / ".git").exists() for folder in (workspace, *workspace.parents))


def library_of(house: House, workspace: Path) -> Library:
    """The memory of a workspace, one for all sessions of the process."""
    from localagent.memory.library import Library

    def embedder() -> Embedder | None:
        from localagent.models.embed.choose import choose_embedder

        return choose_embedder(house.catalogue.file)

    if workspace not in house.libraries:
        house.libraries[workspace] = Library(house.data, workspace, embedder)
    return house.libraries[workspace]
