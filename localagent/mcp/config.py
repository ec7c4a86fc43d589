"""Which servers there are: `mcpServers` of the person's mcp.json, and of a trusted workspace's .mcp.json.

    {"mcpServers": {
        "time": {"command": "uvx", "args": ["mcp-server-time"], "env": {"TZ": "${TZ:-UTC}"}},
        "wiki": {"type": "http", "url": "https://wiki.example.org/mcp", "headers": {"Authorization": "Bearer ${WIKI}"}}
    }}

Each server may also say: `disabled`, `tools` (names or patterns of those that are offered), `readOnly` (of those that
only read, by the person's word), `trust` (its words are taken for the person's own), `sandbox`, `timeout` (seconds; a
number from 1000 on is milliseconds, as other clients write it) and `cwd`. Beside `mcpServers` the person's file may say
`"toolsListed": 12`: how many tools of all servers are listed to the model before it has to search them.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from localagent.errors import ConfigError

CALL_SECONDS = 120.0
MOST = 12  # tools of servers that are listed; more of them are found by find_tools
HTTP_TYPES = ("http", "streamable-http", "streamableHttp", "streamable_http")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_. -]{0,40}\Z")
_VARIABLE = re.compile(r"\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}")
_KEYS = {
    "type": str, "transport": str, "command": str, "args": list, "env": dict, "cwd": str, "url": str, "httpUrl": str,
    "serverUrl": str, "headers": dict, "disabled": bool, "enabled": bool, "tools": list, "readOnly": list,
    "trust": bool, "sandbox": bool, "timeout": (int, float),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class ServerConfig:
    """One server. `problem` says why it cannot be started; the others are not affected by it."""

    name: str
    source: Path  # the file that names it
    argv: tuple[str, ...] = ()
    env: tuple[tuple[str, str], ...] = ()
    cwd: str = ""
    url: str = ""
    headers: tuple[tuple[str, str], ...] = ()
    enabled: bool = True
    tools: tuple[str, ...] = ("*",)
    reads: tuple[str, ...] = ()
    trusted: bool = False
    sandboxed: bool = False
    timeout: float = CALL_SECONDS  # seconds of a call
    problem: str = ""
    label: str = ""  # of its tools' names; no other server has it

    @property
    def host(self) -> str:
        """The host that it is reached at, "" for a program of this machine."""
        return (urlsplit(self.url).hostname or "") if self.url else ""

    @property
    def stranger(self) -> str:
        """Whose words its answers are, as a session remembers them; "" for the person's own."""
        return "" if self.trusted else f"the MCP server {self.name}"

    @property
    def where(self) -> str:
        """For a list: the command or the address without what may be secret in it."""
        if self.url:
            parts = urlsplit(self.url)
            return f"{parts.scheme}://{parts.hostname or ''}{f':{parts.port}' if parts.port else ''}{parts.path}"
        return " ".join(self.argv[:4])


def servers(own: Path, shared: Path | None, workspace: Path) -> tuple[ServerConfig, ...]:
    """The servers of the person's file and of the workspace's, None where it is not trusted; the person's name wins.

    Raises ConfigError for a file that is no such JSON.
    """
    found = {config.name: config for config in read(own, workspace)}
    for config in read(shared, workspace) if shared else ():
        found.setdefault(config.name, config)
    labels: dict[str, str] = {}
    for name in found:
        label = re.sub(r"[^A-Za-z0-9-]+", "_", name).strip("_")
        labels[f"{label}_{hashlib.sha256(name.encode()).hexdigest()[:6]}" if label in labels else label] = name
    return tuple(replace(found[name], label=label) for label, name in labels.items())


def read(file: Path, workspace: Path, env: Mapping[str, str] | None = None) -> tuple[ServerConfig, ...]:
    """The servers of one file in its order, none where it is not there. Raises ConfigError."""
    entries = _object(file).get("mcpServers", {})
    if not isinstance(entries, dict):
        raise ConfigError(f'{file}: mcpServers: allowed: an object {{name: {{"command": …}}}}')
    known = {**(os.environ if env is None else env), "workspaceFolder": str(workspace)}
    return tuple(_server(file, name, entry, known, workspace) for name, entry in entries.items())


def most_listed(file: Path) -> int:
    """How many tools of servers are listed at most. Raises ConfigError."""
    value = _object(file).get("toolsListed", MOST)
    if not isinstance(value, int) or value < 0:
        raise ConfigError(f"{file}: toolsListed: found {json.dumps(value)[:60]}; allowed: a whole number from 0 on")
    return value


def _object(file: Path) -> dict[str, Any]:
    """The file's JSON, empty where it is not there."""
    try:
        data = json.loads(file.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{file}: cannot be read: {error}") from None
    except json.JSONDecodeError as error:
        raise ConfigError(f"{file}:{error.lineno}: no valid JSON: {error.msg}") from None
    if not isinstance(data, dict):
        raise ConfigError(f'{file}: allowed: an object {{"mcpServers": {{name: {{"command": …}}}}}}')
    return data


def _server(file: Path, name: str, entry: Any, env: Mapping[str, str], workspace: Path) -> ServerConfig:
    if not _NAME.match(name):
        raise ConfigError(
            f"{file}: {name!r} is no name of a server; allowed: up to 41 letters, digits, - _ . and space"
        )
    try:
        return _checked(file, name, entry, lambda text: expand(text, env), workspace)
    except ValueError as error:
        return ServerConfig(name, file, problem=f"{file}: {name}: {error}")


def _checked(file: Path, name: str, entry: Any, fill: Callable[[str], str], workspace: Path) -> ServerConfig:
    if not isinstance(entry, dict):
        raise ValueError('found no object; allowed: {"command": …} or {"type": "http", "url": …}')
    for key, value in entry.items():
        if key in _KEYS and not isinstance(value, _KEYS[key]):  # type: ignore[arg-type]
            raise ValueError(f"{key}: found {json.dumps(value)[:60]}; allowed: {_shape(_KEYS[key])}")
    enabled = entry.get("enabled", True) and not entry.get("disabled", False)
    url = fill(_url(entry))
    argv = () if url else tuple(fill(str(part)) for part in (entry.get("command", ""), *entry.get("args", ())))
    if not url and not argv[0]:
        raise ValueError("it has neither `command` nor `url`")
    return ServerConfig(
        name,
        file,
        argv=argv,
        env=tuple((key, fill(str(value))) for key, value in entry.get("env", {}).items()),
        cwd=str(workspace / fill(entry.get("cwd", ""))),
        url=url,
        headers=tuple((key, fill(str(value))) for key, value in entry.get("headers", {}).items()),
        enabled=enabled,
        tools=tuple(map(str, entry.get("tools", ["*"]))),
        reads=tuple(map(str, entry.get("readOnly", ()))),
        trusted=entry.get("trust", False),
        sandboxed=entry.get("sandbox", False),
        timeout=_seconds(entry.get("timeout", CALL_SECONDS)),
    )


def _url(entry: dict[str, Any]) -> str:
    """The address of a server that speaks HTTP. Raises ValueError for a kind that is not spoken here."""
    kind = entry.get("type") or entry.get("transport") or ""
    url = str(entry.get("url") or entry.get("httpUrl") or entry.get("serverUrl") or "")
    if kind and kind != "stdio" and kind not in HTTP_TYPES:
        raise ValueError(f"type: found {kind!r}; allowed: stdio, http (HTTP with SSE of 2024 is not spoken)")
    if kind == "stdio":
        return ""
    if kind in HTTP_TYPES and not url:
        raise ValueError("it has no `url`")
    if url and urlsplit(url).scheme not in ("http", "https") and not url.startswith("${"):
        raise ValueError(f"url: found {url!r}; allowed: an address that begins with http:// or https://")
    return url


def _seconds(value: float) -> float:
    return max(1.0, value / 1000 if value >= 1000 else float(value))


def _shape(kind: Any) -> str:
    names = {str: "text", list: "a list", dict: "an object", bool: "true or false"}
    return names.get(kind, "a number")


def expand(text: str, env: Mapping[str, str]) -> str:
    """`${NAME}`, `${env:NAME}` and `${NAME:-otherwise}` filled in. Raises ValueError for one that is not set."""

    def value(match: re.Match[str]) -> str:
        name, otherwise = match.groups()
        if name not in env and otherwise is None:
            raise ValueError(f"${{{name}}} is not set in the environment")
        return env.get(name) or otherwise or ""

    return _VARIABLE.sub(value, text)
