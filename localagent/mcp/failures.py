"""What went wrong with a server, read from what the SDK raises."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

CLOSED = (-32000,)  # the SDK's code of a connection that is gone
FORGOTTEN = -32002  # ours for a server behind an address that does not know our session
LOST = (FORGOTTEN, -32600, -32603)  # and the SDK's of an HTTP status that is no answer


def closed(task: asyncio.Future[Any]) -> bool:
    """Whether the work failed because the connection went away."""
    return _failed_with(task, CLOSED)


def lost(task: asyncio.Future[Any]) -> bool:
    """Whether a server behind an address does not know our session any more."""
    return _failed_with(task, LOST)


def _failed_with(task: asyncio.Future[Any], codes: tuple[int, ...]) -> bool:
    from mcp import MCPError

    error = task.exception() if task.done() and not task.cancelled() else None
    return isinstance(error, MCPError) and error.code in codes


def innermost(error: BaseException) -> str:
    """What really went wrong, in words: groups and their causes are taken off."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return str(error) or type(error).__name__


def quiet() -> None:
    """The SDK's log would be written over the screen; what matters of it reaches the person as an error."""
    log = logging.getLogger("mcp")
    log.propagate = False
    if not log.handlers:
        log.addHandler(logging.NullHandler())
