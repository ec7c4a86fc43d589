"""models.toml as frozen data: one entry a model, checked before anything uses it."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from localagent.config.validate import read_toml, suggestion, wrong
from localagent.config.watch import Stamp, stamp_of
from localagent.messages import Usage

SCHEMA = "models.schema.json"
EMBEDDERS = ("use-multilingual", "none")  # embeddings that need no entry
DEFAULT_URLS = {"ollama": "http://127.0.0.1:11434", "anthropic": "https://api.anthropic.com"}
_LOCAL_SUFFIXES = (".local", ".lan", ".home", ".internal", ".home.arpa", ".localhost")


@dataclass(frozen=True, slots=True)
class Sampling:
    """How tokens are drawn; None leaves it to the runtime."""

    temperature: float | None = None
    top_p: float | None = None
    top_k: int | None = None
    min_p: float | None = None
    repeat_penalty: float | None = None
    seed: int | None = None


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars for a million tokens."""

    input: float = 0.0
    output: float = 0.0

    def cost(self, usage: Usage) -> float:
        """US dollars of one reply; what a backend cannot tell costs nothing."""
        return ((usage.input_tokens or 0) * self.input + (usage.output_tokens or 0) * self.output) / 1_000_000


@dataclass(frozen=True, slots=True)
class Entry:
    """One `[models.NAME]`. Times are seconds; `file` is absolute; None means that the file does not say."""

    name: str
    backend: str
    about: str = ""
    model: str = ""
    file: Path | None = None
    url: str = ""
    package: str = ""
    sha256: str = ""
    base_url: str = ""
    api_key_env: str = ""
    context: int | None = None
    max_tokens: int | None = None
    tools: str = "auto"
    grammar: bool | None = None
    sampling: Sampling = field(default_factory=Sampling)
    price: Price = field(default_factory=Price)
    connect_timeout: float = 5.0
    silence_timeout: float | None = None
    keep_alive: str | float | None = None
    think: bool | str | None = None
    threads: int | None = None
    gpu_layers: int | None = None
    cloud: bool = False
    images: bool | None = None
    limits: dict[str, float] = field(default_factory=dict)
    fallback: tuple[str, ...] | None = None

    @property
    def host(self) -> str:
        """The host that this entry talks to, "" where it talks to none."""
        return host_of(self.base_url)


@dataclass(frozen=True, slots=True)
class ModelsFile:
    """A whole models.toml; `stamp` is what `watch` compares."""

    path: Path
    entries: dict[str, Entry]
    default: str
    fallback: tuple[str, ...] = ()
    limits: dict[str, float] = field(default_factory=dict)
    keep_days: float | None = None  # how long the journal keeps a session
    otlp: str = ""  # where `journal export` may send spans
    cloud_enabled: bool = False
    cloud_config: Path | None = None
    embeddings: str = ""  # an entry, or one of EMBEDDERS; "" chooses
    stamp: Stamp = None


def read_models_toml(path: Path) -> ModelsFile:
    """Reads and checks the file. Raises ConfigError with file, line, key, found and allowed."""
    stamp = stamp_of(path)  # before reading: a change in between is then seen as one
    data, text = read_toml(path, SCHEMA)
    tables: dict[str, dict[str, Any]] = data.get("models", {})
    _check_names(data, text, path)
    _check_addresses(tables, text, path)
    cloud = data.get("cloud", {})
    return ModelsFile(
        path=path,
        entries={name: entry_from(name, table, path.parent) for name, table in tables.items()},
        default=data.get("default") or next(iter(tables), ""),
        fallback=tuple(data.get("fallback", ())),
        limits=data.get("limits", {}),
        keep_days=data.get("journal", {}).get("keep_days"),
        otlp=data.get("telemetry", {}).get("otlp", "").rstrip("/"),
        cloud_enabled=cloud.get("enabled", False),
        cloud_config=path.parent / cloud["config"] if "config" in cloud else None,
        embeddings=data.get("memory", {}).get("embeddings", ""),
        stamp=stamp,
    )


def entry_from(name: str, table: dict[str, Any], folder: Path) -> Entry:
    """An entry of a table that the schema accepts; relative paths are relative to `folder`."""
    values = dict(table)
    sampling = Sampling(**{key: values.pop(key) for key in Sampling.__dataclass_fields__ if key in values})
    price = Price(**values.pop("price", {}))
    if "file" in values:
        values["file"] = (folder / Path(values["file"]).expanduser()).absolute()
    if "fallback" in values:
        values["fallback"] = tuple(values["fallback"])
    base_url = values.pop("base_url", DEFAULT_URLS.get(values["backend"], "")).rstrip("/")
    cloud = values.pop("cloud", bool(base_url) and not is_near(host_of(base_url)))
    entry = Entry(name=name, sampling=sampling, price=price, base_url=base_url, cloud=cloud, **values)
    return replace(entry, sha256=entry.sha256.lower())


def host_of(url: str) -> str:
    """The host of an address in lower case, without port and brackets."""
    return (urlsplit(url).hostname or "").lower()


def is_loopback(host: str) -> bool:
    """Whether the host is this machine, judged by its spelling alone."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    address = _address(host)
    return address is not None and address.is_loopback


def is_near(host: str) -> bool:
    """Whether the host is this machine or of the own network: another one is a cloud unless the entry says no."""
    address = _address(host)
    if address is not None:
        return address.is_loopback or address.is_private or address.is_link_local
    return host == "localhost" or "." not in host or host.endswith(_LOCAL_SUFFIXES)


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return None


def _check_addresses(tables: dict[str, dict[str, Any]], text: str, path: Path) -> None:
    for name, table in tables.items():
        for key in ("base_url", "url"):
            try:
                parts = urlsplit(table.get(key, "http://localhost"))
                good = bool(parts.hostname) and parts.port != 0
            except ValueError:  # a bracket that is never closed, a port above 65535
                good = False
            if not good:
                allowed = "an address such as http://127.0.0.1:8080/v1"
                raise wrong(path, text, ("models", name, key), f'"{table[key]}", which is no address', allowed)


def _check_names(data: dict[str, Any], text: str, path: Path) -> None:
    """Every name that the file uses is an entry of it."""
    models: dict[str, dict[str, Any]] = data.get("models", {})
    known = list(models)
    places: list[tuple[tuple[str, ...], list[str]]] = [
        (("default",), [data["default"]] if "default" in data else []),
        (("fallback",), data.get("fallback", [])),
    ]
    wanted = data.get("memory", {}).get("embeddings", EMBEDDERS[0])
    places += [(("memory", "embeddings"), [wanted] if wanted not in EMBEDDERS else [])]
    places += [(("models", name, "fallback"), table.get("fallback", [])) for name, table in models.items()]
    for where, names in places:
        for name in names:
            if name not in known:
                found = f'"{name}", which is no model of this file{suggestion(name, known)}'
                raise wrong(path, text, where, found, ", ".join(known) or "nothing: the file has no [models.NAME]")


__all__ = [
    "Entry", "ModelsFile", "Price", "Sampling", "entry_from", "host_of", "is_loopback", "is_near", "read_models_toml",
]  # fmt: skip
