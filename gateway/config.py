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

from gateway.detect.settings import CustomPattern, DetectorSettings, WordList
from gateway.errors import ConfigError
from gateway.policy import Policy

FILE_NAME = "gateway.toml"


@dataclass(frozen=True, slots=True)
class Upstream:
    """A model server. `models` are patterns of model names; `local` says that it is inside the house."""

    name: str
    protocol: str
    base_url: str
    api_key_env: str = ""
    pass_through: bool = False
    models: tuple[str, ...] = ("*",)
    local: bool = False


@dataclass(frozen=True, slots=True)
class Client:
    """A caller: `key` is `sha256:` and the hash of its bearer key. `profile` replaces the policy for it."""

    name: str
    key: str
    profile: str = ""


@dataclass(frozen=True, slots=True)
class Limits:
    """`body_mb` bounds a request, `upstream_seconds` the wait for a server, `concurrent` the requests at work."""

    body_mb: float = 20.0
    upstream_seconds: float = 600.0
    concurrent: int = 64


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
    text = path.read_text("utf-8") if path else ""
    return parse_config(text, path)


def parse_config(text: str, path: Path | None = None) -> Config:
    """As `load_config`, from text; relative paths are relative to the folder of `path`."""
    name = str(path or FILE_NAME)
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{name}: no TOML: {error}") from None
    _check(table, text, name)
    folder = path.parent if path else home()
    try:
        policy = Policy.from_table(table.get("policy", {})) if "policy" in table else Policy.from_profile("default")
        for client in table.get("clients", {}).values():
            if isinstance(client, Mapping) and "profile" in client:
                Policy.from_profile(str(client["profile"]))
    except ConfigError as error:
        raise ConfigError(f"{name}, line {line_of(text, ('policy', 'profile'))}: {error}") from None
    return _build(table, path, folder, policy, name)


def _build(table: Mapping[str, Any], path: Path | None, folder: Path, policy: Policy, name: str) -> Config:
    vault = dict(table.get("vault", {}))
    vault["folder"] = (folder if path else home()) / vault.get("folder", "vaults")
    return Config(
        file=path,
        upstreams=tuple(_upstream(one) for one in table.get("upstream", ())),
        policy=policy,
        detect=_detect(table.get("detect", {}), policy, folder, name),
        clients=tuple(_client(client, value) for client, value in table.get("clients", {}).items()),
        limits=Limits(**table.get("limits", {})),
        vault=VaultSettings(**vault),
        ledger=folder / table["ledger"]["file"] if table.get("ledger") else home() / "ledger.db",
    )


def _upstream(table: Mapping[str, Any]) -> Upstream:
    return Upstream(**{**table, "models": tuple(table.get("models", ["*"]))})


def _client(name: str, value: object) -> Client:
    return Client(name, **value) if isinstance(value, dict) else Client(name, str(value))


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


def _check(table: Mapping[str, Any], text: str, name: str) -> None:
    import json
    from importlib.resources import files

    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import best_match

    schema = json.loads(files("gateway").joinpath("gateway.schema.json").read_text("utf-8"))
    error = best_match(Draft202012Validator(schema).iter_errors(table))
    if error is not None:
        place, message = _explain(error)
        raise ConfigError(f"{name}, line {line_of(text, place)}: {message}")
    for number, upstream in enumerate(table.get("upstream", ())):
        if upstream.get("pass_through") and "api_key_env" in upstream:
            line = line_of(text, ("upstream", number, "pass_through"))
            raise ConfigError(
                f"{name}, line {line}: upstream: found api_key_env and pass_through, allowed is one of them"
            )


def _explain(error: Any) -> tuple[tuple[str | int, ...], str]:
    place = tuple(error.absolute_path)
    key = ".".join(str(part) for part in place)
    if error.validator == "additionalProperties":
        typed = "patternProperties" in error.schema
        known = [*error.schema.get("properties", {}), *(["entity types in capitals"] if typed else [])]
        unknown = next(name for name in error.instance if name not in known and not (typed and name.isupper()))
        where = ".".join((key, unknown)) if key else unknown
        return (*place, unknown), f"{where}: unknown key; allowed are {', '.join(known)}{_near(unknown, known)}"
    if error.validator == "required":
        missing = next(name for name in error.validator_value if name not in error.instance)
        return place, f"{key}: {missing} is missing; needed are {', '.join(error.validator_value)}"
    return place, f"{key}: found {_shown(error.instance, place)}, allowed is {_allowed(error)}"


def _near(word: str, known: list[str]) -> str:
    from difflib import get_close_matches

    close = get_close_matches(word, known, n=1)
    return f' (did you mean "{close[0]}"?)' if close else ""


def _shown(value: object, place: tuple[str | int, ...]) -> str:
    if place[:1] == ("clients",):
        return "something else"  # it may be a key in clear
    return repr(value) if isinstance(value, str | int | float | bool) else type(value).__name__


def _allowed(error: Any) -> str:
    rules: dict[str, str] = {
        "type": "{}",
        "pattern": "a text like {}",
        "minimum": "at least {}",
        "maximum": "at most {}",
    }
    if tuple(error.absolute_path)[:1] == ("clients",):
        return '"sha256:" and 64 hexadecimal digits, or a table with such a key'
    if error.validator == "enum":
        return ", ".join(str(value) for value in error.validator_value)
    return str(rules.get(error.validator, f"{error.validator} {{}}")).format(error.validator_value)


def line_of(text: str, place: tuple[str | int, ...]) -> int:
    """The line (from 1) where a key of a TOML text stands, or its table where the key itself is not written so."""
    best, best_size = 1, 0
    table: tuple[str | int, ...] = ()
    counts: dict[tuple[str | int, ...], int] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if header := re.match(r"\s*(\[\[?)\s*([^\]]+?)\s*\]", line):
            path: tuple[str | int, ...] = tuple(part.strip(" \"'") for part in header[2].split("."))
            if header[1] == "[[":
                counts[path] = counts.get(path, -1) + 1
                path = (*path, counts[path])
            table, found = path, path
        elif key := re.match(r"\s*([\w.\"'-]+)\s*=", line):
            found = (*table, *(part.strip("\"'") for part in key[1].split(".")))
        else:
            continue
        if len(found) > best_size and place[: len(found)] == found:
            best, best_size = number, len(found)
    return best
