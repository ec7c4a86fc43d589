"""How servers' tools stand before a model: in the prefix where they are few, otherwise behind find_tools."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from localagent.guard.layers import Layer, Runner, guarded
from localagent.mcp.servers import FIND_SECONDS, Servers
from localagent.mcp.tool import McpTool, ResourcesTool
from localagent.messages import ToolCall, ToolSpec
from localagent.ports import Outcome, Tool, ToolContext
from localagent.tools.find import CALL, call_tool, find_tools, unpacked
from localagent.tools.schema import Profile


@dataclass(frozen=True, slots=True)
class Offer:
    """What a seat gets of all servers; `tools` never change while it sits, `found` grows with each search."""

    tools: tuple[Tool, ...]
    runners: Mapping[str, Runner]
    found: Mapping[str, Tool] = field(default_factory=dict)

    @classmethod
    def of(cls, tools: Sequence[Tool], layers: Sequence[Layer]) -> Offer:
        """Tools as they are, each inside its layers."""
        return cls(tuple(tools), {tool.spec.name: guarded(tool, layers) for tool in tools})


async def offer(servers: Servers, builtin: Sequence[Tool], profile: Profile, layers: Sequence[Layer]) -> Offer:
    """Directly where all servers are known and have few tools. Waits a little for servers that are new."""
    await servers.know()
    own = [ResourcesTool(with_them)] if (with_them := servers.with_resources()) else []
    tools = servers.tools()
    if servers.complete and len(tools) + len(own) <= servers.most:
        return Offer.of((*builtin, *tools.values(), *own), layers)
    return _searched(servers, builtin, profile, layers)


def _searched(servers: Servers, builtin: Sequence[Tool], profile: Profile, layers: Sequence[Layer]) -> Offer:
    seen: dict[str, Tool] = {}

    def all_tools() -> dict[str, Tool]:
        held = servers.with_resources()
        others: dict[str, Tool] = {"mcp_resources": ResourcesTool(held)} if held else {}
        return {**servers.tools(), **others}

    async def specs() -> list[ToolSpec]:
        await servers.know(FIND_SECONDS)
        return [tool.whole if isinstance(tool, McpTool) else tool.spec for tool in all_tools().values()]

    def shown(names: Sequence[str]) -> str:
        now = all_tools()
        seen.update((name, now[name]) for name in names if name in now)
        strangers = [tool.connection.config.stranger for n in names if isinstance(tool := now.get(n), McpTool)]
        return next(filter(None, strangers), "")

    async def unpack(call: ToolCall, context: ToolContext) -> Outcome:
        now = all_tools()
        read = unpacked(call.arguments, {name: tool.spec for name, tool in now.items()})
        if isinstance(read, str):
            return Outcome(read, failure="invalid")
        name, arguments = read
        return await guarded(now[name], layers)(ToolCall(call.id, name, arguments), context)

    groups = [connection.config.name for connection in servers.connections if connection.usable]
    find = find_tools(profile, groups, specs, shown)
    listed = Offer.of((*builtin, find), layers)
    return Offer((*listed.tools, call_tool(profile)), _Runners({**listed.runners, CALL: unpack}, seen, layers), seen)


class _Runners(Mapping[str, Runner]):
    """Those of the listed tools, and of the found ones as they are found."""

    def __init__(self, fixed: Mapping[str, Runner], found: Mapping[str, Tool], layers: Sequence[Layer]) -> None:
        self._fixed, self._found, self._layers = fixed, found, layers

    def __getitem__(self, name: str) -> Runner:
        return self._fixed[name] if name in self._fixed else guarded(self._found[name], self._layers)

    def __iter__(self) -> Iterator[str]:
        return iter({**self._fixed, **self._found})

    def __len__(self) -> int:
        return len({**self._fixed, **self._found})
