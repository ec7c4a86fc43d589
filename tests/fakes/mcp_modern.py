"""A server built on the SDK, so that it speaks the newest protocol: `python mcp_modern.py` on stdio, or with a port."""

from __future__ import annotations

import sys
from typing import Any

from mcp.server import MCPServer
from mcp.server.mcpserver import Context

server = MCPServer("modern", version="2", log_level="ERROR")


@server.tool()
def weather(city: str, days: int = 1) -> dict[str, Any]:
    """The weather of a city."""
    return {"city": city, "degrees": 20 + days}


@server.tool()
def long(size: int) -> str:
    """A long answer."""
    return "y" * size


@server.tool()
async def grow(ctx: Context[Any, Any]) -> str:
    """One tool more."""
    server.add_tool(lambda: "new", name="fresh", description="A fresh tool.")
    await ctx.notify_tools_changed()
    return "grown"


@server.tool()
async def count(ctx: Context[Any, Any]) -> str:
    """Tells how far it is."""
    for step in range(3):
        await ctx.report_progress(step, 3, "counting")
    return "three"


@server.resource("memo://{name}")
def memo(name: str) -> str:
    """A memo."""
    return f"memo of {name}"


@server.prompt()
def greet(who: str) -> str:
    """A greeting."""
    return f"Hello {who}"


if __name__ == "__main__":
    if len(sys.argv) > 1:
        import uvicorn

        uvicorn.run(server.streamable_http_app(), host="127.0.0.1", port=int(sys.argv[1]), log_level="error")
    else:
        server.run("stdio")
