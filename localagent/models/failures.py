"""What a server's refusal means, in the words of this house; shared by every HTTP backend."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from localagent.config.models_toml import Entry, is_near
from localagent.errors import (
    BadReplyError,
    ContextOverflowError,
    ModelError,
    ModelNotFoundError,
    ModelTimeoutError,
    ModelUnavailableError,
    ToolsUnsupportedError,
)
from localagent.models.discover import PLACES

_OVERFLOW = re.compile(
    r"exceed\w*[^.]*context|context[^.]*exceed|context_length_exceeded|maximum context length|context (?:length|window)"
    r"[^.]*(?:too|overflow|only)|prompt is too long|greater than the context",
    re.I,
)
_NO_TOOLS = re.compile(
    r"does not support tools|not support (?:tool|function)|tools? param\w* requires"
    r"|requires --(?:jinja|enable-auto-tool)|tool use (?:is )?not supported",
    re.I,
)
_NO_MODEL = re.compile(r"model\b.*\b(?:not found|not exist|no such)|unknown model|no models? loaded", re.I)
_WINDOW = re.compile(r"(?:context (?:length|window|size)[^\d]{0,40}|n_ctx[^\d]{0,10}|maximum of )(\d{3,})", re.I)
_NEEDED = re.compile(r"(?:requested(?: tokens)? ?\(?|prompt \(|resulted in |is too long: )(\d{2,})", re.I)


class StillLoadingError(ModelUnavailableError):
    """The server is there and loads its model; asking again helps."""


def refusal(entry: Entry, status: int, body: bytes, headers: Mapping[str, str] | None = None) -> ModelError:
    """The error of an HTTP status of 300 or more."""
    data, told = _parsed(body), headers or {}
    text = shorten(message_of(data) or body.decode("utf-8", "replace").strip())
    if status < 400:
        text = told.get("location") or text
    wait = told.get("retry-after", "").strip()
    seconds = float(wait) if wait.isdecimal() else 0.0  # a date is as good as no word
    error = from_message(entry, status, f"{text}; it asks to wait {wait} s" if seconds else text, data)
    error.wait = seconds
    return error


def from_message(entry: Entry, status: int, text: str, data: Any = None) -> ModelError:
    """The error of a status and its sentence; `status` 0 is an error in the middle of a stream."""
    error = data.get("error") if isinstance(data, dict) else None
    detail: dict[str, Any] = error if isinstance(error, dict) else {}
    if detail.get("type") == "exceed_context_size_error" or _OVERFLOW.search(text) or status == 413:
        return _overflow(entry, text, detail)
    if _NO_TOOLS.search(text):
        return ToolsUnsupportedError(
            f'{entry.name} takes no native tools ({text}): set tools = "react" in its entry of models.toml'
        )
    if status in (404, 400) and _NO_MODEL.search(text):
        return ModelNotFoundError(f"{entry.name}: the server at {entry.base_url} has no such model: {text}")
    return _by_status(entry, status, text)


def _by_status(entry: Entry, status: int, text: str) -> ModelError:
    where = f"{entry.name}: the server at {entry.base_url}"
    if status in (401, 403):
        key = f"the key in {entry.api_key_env}" if entry.api_key_env else "a key: name its variable as api_key_env"
        return ModelError(f"{where} refuses to answer without {key} ({status}: {text})")
    if status == 404:
        return ModelUnavailableError(f"{where} does not know the address; should base_url end in /v1? ({text})")
    if 300 <= status < 400:
        return ModelError(f"{where} points to another address ({status}: {text}): set base_url to the one that answers")
    if status == 503 and "loading" in text.lower():
        return StillLoadingError(f"{where} is still loading its model")
    if status in (408, 425, 429, 502, 503, 504, 529):
        return ModelUnavailableError(f"{where} is busy or behind a proxy that cannot reach it ({status}: {text})")
    if status >= 500 or status == 0:
        return BadReplyError(f"{where} failed while it answered ({status or 'in the stream'}: {text})")
    return ModelError(f"{where} refuses the request ({status}: {text})")


def not_there(entry: Entry, error: Exception) -> ModelUnavailableError:
    """Nobody listens: says how to start what usually listens there."""
    port = urlsplit(entry.base_url).port
    place = next((p for p in PLACES if p.port == port and p.backend == entry.backend), None)
    place = place or next((p for p in PLACES if p.backend == entry.backend), None)
    start = place.start.replace(str(place.port), str(port)) if place and port else ""
    hint = f"; start it with: {start}" if start and is_near(entry.host) else ""
    reason = str(error) or type(error).__name__
    return ModelUnavailableError(f"{entry.name}: no server answers at {entry.base_url} ({reason}){hint}")


def key_of(entry: Entry) -> str:
    """The key that the entry's variable holds, "" where it names none. Raises ModelError for an empty one."""
    name = entry.api_key_env
    if not name:
        return ""
    key = os.environ.get(name, "")
    if not key:
        raise ModelError(
            f"{entry.name}: the environment variable {name} holds no key; run: export {name}=… and start again"
        )
    return key


def too_silent(entry: Entry, seconds: float) -> ModelTimeoutError:
    return ModelTimeoutError(
        f"{entry.name}: not a byte from {entry.base_url} for {seconds:g} s; if the model is only slow, raise "
        "silence_timeout in its entry of models.toml"
    )


def broken(entry: Entry, what: str) -> BadReplyError:
    return BadReplyError(f"{entry.name}: the server at {entry.base_url} {what}")


def message_of(data: Any) -> str:
    """The sentence in an error body, in any of the shapes that servers use."""
    if isinstance(data, str):
        return data
    if isinstance(data, list):
        return "; ".join(filter(None, map(message_of, data)))
    if isinstance(data, dict):
        for key in ("error", "message", "detail", "msg"):
            if data.get(key):
                return message_of(data[key])
    return ""


def shorten(text: str, limit: int = 300) -> str:
    """One line of at most `limit` characters."""
    line = " ".join(text.split())
    return line if len(line) <= limit else line[: limit - 1] + "…"


def _parsed(body: bytes) -> Any:
    try:
        return json.loads(body)
    except ValueError:
        return None


def _overflow(entry: Entry, text: str, detail: dict[str, Any]) -> ContextOverflowError:
    window = detail.get("n_ctx") or _number(_WINDOW, text)
    needed = detail.get("n_prompt_tokens") or _number(_NEEDED, text)
    size = f"{needed} tokens into a window of {window}" if needed and window else text or "too large"
    return ContextOverflowError(
        f"{entry.name}: the prompt does not fit ({size}); serve a larger context or begin a new session",
        needed=needed,
        window=window,
    )


def _number(pattern: re.Pattern[str], text: str) -> int | None:
    found = pattern.search(text.replace(",", ""))
    return int(found[1]) if found else None


__all__ = [
    "StillLoadingError", "broken", "from_message", "key_of", "message_of", "not_there", "refusal", "shorten",
    "too_silent",
]  # fmt: skip
