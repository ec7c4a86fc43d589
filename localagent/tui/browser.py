"""The screen in a browser of this machine: `python -m localagent.tui.browser [PORT]`, served by textual-serve.

Whoever reaches the port has the agent. So it listens on this machine only, and talks to no page but its own: without
that any page open in the same browser could connect to it.
"""

from __future__ import annotations

import shlex
import sys

try:
    from aiohttp import web
    from textual_serve.server import Server
except ImportError as error:
    raise SystemExit(f"a browser needs '{error.name}'; install it with: pip install 'localagent[browser]'") from None

PORT = 8000


class OwnPagesOnly(Server):
    """Refuses a connection that another page opened."""

    async def handle_websocket(self, request: web.Request) -> web.WebSocketResponse:
        if request.headers.get("Origin") != self.public_url:
            raise web.HTTPForbidden(text=f"only {self.public_url} may open this")
        return await super().handle_websocket(request)


def main(arguments: list[str]) -> None:
    """Serves the app in the current folder until Ctrl-C; each page that is opened is an app of its own."""
    port = int(arguments[0]) if arguments else PORT
    OwnPagesOnly(shlex.join([sys.executable, "-m", "localagent.cli"]), port=port, title="localagent").serve()


if __name__ == "__main__":
    main(sys.argv[1:])
