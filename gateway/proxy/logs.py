"""Logs for machines: one JSON object a line on standard error. Never a text of a request, never a traceback.

Of an exception only its type and the place in the code are told: its message and the values of its frames may hold
what must not be read. Messages of other libraries are told as their templates, without what is filled in.
"""

from __future__ import annotations

import json
import logging
import re
import sys
import threading
import traceback
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any

LOGGER = logging.getLogger("gateway")
_OWN = ("gateway", "uvicorn")
_WARNING = re.compile(r"\b\w*Warning\b")
_LONGEST = 300
_NOISE = ("Unsupported upgrade request.", "No supported WebSocket library")  # clients that offer HTTP/2 are no fault


class JsonLines(logging.Formatter):
    """A record as a JSON object; `extra={"fields": {…}}` adds to it."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "event": _message(record),
            **getattr(record, "fields", {}),
        }
        if record.exc_info and record.exc_info[0]:
            line["error"] = record.exc_info[0].__name__
            line["where"] = where(record.exc_info[2])
        return json.dumps(line, ensure_ascii=False)


def _message(record: logging.LogRecord) -> str:
    if record.name == "py.warnings":  # its message is the warning's own text: the category alone is told
        found = _WARNING.search(record.getMessage())
        return f"python: {found[0] if found else 'a warning'}"
    own = record.name.partition(".")[0] in _OWN
    text = record.getMessage() if own else f"{record.name}: {record.msg}"
    return (text.strip().splitlines() or [""])[0][:_LONGEST]


def where(trace: TracebackType | None) -> str:
    """The innermost place of a traceback: file and line, nothing of what was there."""
    frames = traceback.extract_tb(trace)
    return f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""


def set_up(*, requests: bool = True) -> None:
    """All logging of this process, and whatever nobody caught, goes out as JSON lines."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    handler.addFilter(lambda record: not record.getMessage().startswith(_NOISE))
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(logging.WARNING)
    LOGGER.setLevel(logging.INFO if requests else logging.WARNING)
    logging.captureWarnings(True)
    logging.raiseExceptions = False
    sys.excepthook = _uncaught
    threading.excepthook = lambda args: _uncaught(args.exc_type, args.exc_value, args.exc_traceback)
    sys.unraisablehook = lambda args: _uncaught(args.exc_type, args.exc_value, args.exc_traceback)


def event(name: str, **fields: Any) -> None:
    """One line; only counts, names of the configuration and types may be given."""
    LOGGER.info(name, extra={"fields": {key: value for key, value in fields.items() if value not in (None, "", {})}})


def _uncaught(kind: type[BaseException], _: BaseException | None, trace: TracebackType | None) -> None:
    LOGGER.error("unexpected", extra={"fields": {"error": kind.__name__, "where": where(trace)}})
