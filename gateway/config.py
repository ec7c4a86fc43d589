"""gateway.toml: read, checked against gateway.schema.json, and turned into dataclasses.

An error names the file, the line, the key, what was found and what is allowed. Without a file the defaults hold:
nothing is forwarded, masking works under the default policy.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from gateway.config_check import check_schema, line_of
from gateway.detect.settings import CustomPattern, DetectorSettings, WordList
from gateway.errors import ConfigError
from gateway.policy import Policy

__all__ = ["Client", "Config", "Limits", "Price", "Telemetry", "Upstream", "VaultSettings", "line_of", "load_config"]

FILE_NAME = "gateway.toml"


@dataclass(frozen=True, slots=True)
class Price:
    """What an upstream asks, in US dollars per million tokens."""

    input: float = 0.0
    output: float = 0.0


@dataclass(frozen=True, slots=True)
class Upstream:
    """A model server. `models` are patterns of model names; `local` says that it is inside the house.

    `model` is the name that the server itself knows, in place of the client's; empty leaves the client's."""

    name: str
    protocol: str
    base_url: str
    api_key_env: str = ""
    pass_through: bool = False
    models: tuple[str, ...] = ("*",)
    local: bool = False
    model: str = ""
    price: Price | None = None


@dataclass(frozen=True, slots=True)
class Client:
    """A caller: `key` is `sha256:` and the hash of its bearer key. `policy` is its own one, None the gateway's.

    `rate` is requests a minute, `tokens` and `usd` are what it may use a day (UTC); None sets no bound."""

    name: str
    key: str
    policy: Policy | None = None
    models: tuple[str, ...] = ("*",)
    rate: int | None = None
    tokens: int | None = None
    usd: float | None = None


@dataclass(frozen=True, slots=True)
class Limits:
    """`body_mb` and `depth` bound a request, `read_seconds` the time in which it must have arrived.

    `write_seconds` is how long a client may read nothing of its answer, `upstream_seconds` bounds the wait for a
    server, `concurrent` the requests at work in one process, `stop_seconds` the time that they get to end when the
    gateway is stopped."""

    body_mb: float = 20.0
    depth: int = 100
    read_seconds: float = 60.0
    write_seconds: float = 60.0
    upstream_seconds: float = 600.0
    concurrent: int = 256
    stop_seconds: float = 60.0


@dataclass(frozen=True, slots=True)
class Telemetry:
    """Where traces go: an OTLP collector over HTTP. Empty: none are made."""

    otlp: str = ""
    service: str = "gateway"


@dataclass(frozen=True, slots=True)
class VaultSettings:
    """Whether sessions keep their vault, where, under which key (`keyring` or `file:PATH`) and for how many days."""

    keep: bool = False
    folder: Path = Path("vaults")
    key: str = "keyring"
    days: float = 30.0


@dataclass(frozen=True, slots=True)
class Config:
    """All of gateway.toml; `file` is None where the defaults hold."""

    file: Path | None = None
    upstreams: tuple[Upstream, ...] = ()
    policy: Policy = field(default_factory=Policy)
    detect: DetectorSettings = field(default_factory=DetectorSettings)
    clients: tuple[Client, ...] = ()
    limits: Limits = Limits()
    vault: VaultSettings = VaultSettings()
    telemetry: Telemetry = Telemetry()
    ledger: Path = Path("ledger.db")


def home() -> Path:
    """The folder of configuration and data: LOCALAGENT_HOME, else the platform's usual place."""
    if folder := os.environ.get("LOCALAGENT_HOME"):
        return Path(folder)
    from platformdirs import user_data_path

    return user_data_path("localagent")


def find_config(given: str | Path | None = None) -> Path | None:
    """The file named, else ./gateway.toml, else the home's; None if there is none."""
    if given is not None:
        if not Path(given).is_file():
            raise ConfigError(f"{given}: there is no such file; name one with --config")
        return Path(given)
    return next((path for path in (Path(FILE_NAME), home() / FILE_NAME) if path.is_file()), None)


def load_config(given: str | Path | None = None) -> Config:
    """Reads and checks the configuration; ConfigError for the first mistake in it."""
    path = find_config(given)
    try:
        text = path.read_text("utf-8-sig") if path else ""
    except UnicodeDecodeError:
        raise ConfigError(f"{path}: no UTF-8 text; save it as UTF-8") from None
    return parse_config(text, path)


def parse_config(text: str, path: Path | None = None) -> Config:
    """As `load_config`, from text; relative paths are relative to the folder of `path`."""
    name = str(path or FILE_NAME)
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{name}: no TOML: {error}") from None
    check_schema(table, text, name)
    folder = path.parent if path else home()
    try:
        policy = Policy.from_table(table.get("policy", {})) if "policy" in table else Policy.from_profile("default")
    except ConfigError as error:
        raise ConfigError(f"{name}, line {line_of(text, ('policy', 'profile'))}: {error}") from None
    return _build(table, path, folder, policy, name)


def missing_keys(config: Config) -> str:
    """What is to be told of the first upstream whose key is not in the environment; empty if all are there."""
    for one in config.upstreams:
        if one.api_key_env and not os.environ.get(one.api_key_env):
            return (
                f"upstream {one.name}: the environment variable {one.api_key_env} is not set; set it to the "
                "provider's key, or take api_key_env out"
            )
    return ""


def _build(table: Mapping[str, Any], path: Path | None, folder: Path, policy: Policy, name: str) -> Config:
    vault = dict(table.get("vault", {}))
    vault["folder"] = (folder if path else home()) / vault.get("folder", "vaults")
    return Config(
        file=path,
        upstreams=tuple(_upstream(one) for one in table.get("upstream", ())),
        policy=policy,
        detect=_detect(table.get("detect", {}), policy, folder, name),
        clients=tuple(_client(client, value, policy, name) for client, value in table.get("clients", {}).items()),
        limits=Limits(**table.get("limits", {})),
        vault=VaultSettings(**vault),
        telemetry=Telemetry(**table.get("telemetry", {})),
        ledger=folder / table["ledger"]["file"] if table.get("ledger") else home() / "ledger.db",
    )


def _upstream(table: Mapping[str, Any]) -> Upstream:
    price = Price(**table["price"]) if "price" in table else None
    return Upstream(**{**table, "models": tuple(table.get("models", ["*"])), "price": price})


def _client(name: str, value: object, policy: Policy, file: str) -> Client:
    if not isinstance(value, dict):
        return Client(name, str(value))
    budget = value.get("budget", {})
    try:
        own = _client_policy(value, policy)
    except ConfigError as error:
        raise ConfigError(f"{file}: clients.{name}: {error}") from None
    return Client(
        name,
        value["key"],
        own,
        models=tuple(value.get("models", ["*"])),
        rate=value.get("rate"),
        tokens=budget.get("tokens"),
        usd=budget.get("usd"),
    )


def _client_policy(value: Mapping[str, Any], policy: Policy) -> Policy | None:
    """Its table laid over its profile, else over the gateway's policy; None where it has neither."""
    table = dict(value.get("policy", {}))
    profile = table.get("profile") or value.get("profile")
    if not table and not profile:
        return None
    return (Policy.from_profile(str(profile)) if profile else policy).over(table)


def _detect(table: Mapping[str, Any], policy: Policy, folder: Path, name: str) -> DetectorSettings:
    plain = {key: value for key, value in table.items() if key not in ("pattern", "words", "languages")}
    settings = DetectorSettings(
        **plain,
        patterns=tuple(_pattern(CustomPattern(**one), name) for one in table.get("pattern", ())),
        words=tuple(_word_list(one, folder, name) for one in table.get("words", ())),
    )
    if "languages" in table:
        settings = replace(settings, languages=tuple(table["languages"]))
    return detector_settings(policy, settings)


def detector_settings(policy: Policy, base: DetectorSettings = DetectorSettings()) -> DetectorSettings:  # noqa: B008  frozen
    """What a detector must look for under this policy: organisations and towns only where they are not allowed."""
    return replace(base, organizations=policy.action("ORGANIZATION") != "allow", locations=policy.towns)


def _pattern(pattern: CustomPattern, name: str) -> CustomPattern:
    try:
        re.compile(pattern.regex)
    except re.error as error:
        raise ConfigError(f'{name}: detect.pattern "{pattern.name}": the regex cannot be read: {error}') from None
    return pattern


def _word_list(table: Mapping[str, Any], folder: Path, name: str) -> WordList:
    words = list(table.get("words", ()))
    if "file" in table:
        try:
            words += (folder / table["file"]).read_text("utf-8").splitlines()
        except OSError as error:
            raise ConfigError(f'{name}: detect.words "{table["name"]}": {error.strerror}: {table["file"]}') from None
    return WordList(table["name"], tuple(word.strip() for word in words if word.strip()), table.get("type", "CUSTOM"))
