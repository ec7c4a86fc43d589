"""Policies: what happens to each entity type, which values pass and which are always masked.

A policy is a table of gateway.toml laid over a profile (`gateway/profiles/*.toml`). Keys in capitals are entity types;
`default` is for every type that neither names.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any, Literal, cast, get_args

from gateway.errors import ConfigError

Action = Literal["mask", "block", "allow", "local"]
ACTIONS: tuple[str, ...] = get_args(Action)
LANGUAGES = ("en", "ru")
_KEYS = ("profile", "default", "labels", "towns", "images", "allow", "deny", "description")


@dataclass(frozen=True, slots=True)
class Policy:
    """`allow` and `deny` map an entity type ("*" for any) to whole values, compared without regard to case.

    `towns` asks for places without a street too; whole addresses have the type LOCATION and are always looked for.
    `images` says what happens to pictures, documents and sounds, which cannot be masked: "block" or "pass"."""

    name: str = "default"
    default: Action = "mask"
    actions: Mapping[str, Action] = field(default_factory=dict)
    allow: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    deny: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    language: str = "en"
    towns: bool = False
    images: str = "block"

    def action(self, entity_type: str) -> Action:
        """What to do with a found entity of this type."""
        return self.actions.get(entity_type, self.default)

    def passes(self, entity_type: str, text: str) -> bool:
        """Whether the allow-list names this whole value, for this type or for all."""
        folded = text.casefold()
        return any(folded == value.casefold() for key in (entity_type, "*") for value in self.allow.get(key, ()))

    def over(self, table: Mapping[str, Any]) -> Policy:
        """This policy with a table of gateway.toml laid over it; ConfigError for what cannot be read."""
        return _laid_over(self, table)

    @classmethod
    def from_profile(cls, name: str) -> Policy:
        """A shipped profile: default, 152-fz, gdpr, hipaa, secrets."""
        if name not in profiles():
            raise ConfigError(f'unknown profile "{name}"; there are: {", ".join(profiles())}')
        table = tomllib.loads(files("gateway").joinpath(f"profiles/{name}.toml").read_text("utf-8"))
        return _laid_over(cls(name=name), table)

    @classmethod
    def from_table(cls, table: Mapping[str, Any]) -> Policy:
        """The [policy] table of gateway.toml over the profile that it names ("default" if none)."""
        return _laid_over(cls.from_profile(str(table.get("profile", "default"))), table)


def profiles() -> tuple[str, ...]:
    """Names of the shipped profiles."""
    folder = files("gateway").joinpath("profiles")
    return tuple(sorted(entry.name.removesuffix(".toml") for entry in folder.iterdir() if entry.name.endswith(".toml")))


def _laid_over(base: Policy, table: Mapping[str, Any]) -> Policy:
    actions = dict(base.actions)
    for key, value in table.items():
        if key.isupper():
            actions[key] = _one_of(key, value, ACTIONS)
        elif key not in _KEYS:
            raise ConfigError(
                f'policy: unknown key "{key}"; allowed are entity types, default, profile, labels, allow, deny'
            )
    return Policy(
        name=base.name,
        default=cast(Action, _one_of("default", table.get("default", base.default), ACTIONS)),
        actions=actions,
        allow=_lists("allow", table.get("allow", {}), "*") or base.allow,
        deny=_lists("deny", table.get("deny", {}), "CUSTOM") or base.deny,
        towns=_one_of("towns", table.get("towns", base.towns), (True, False)),
        images=_one_of("images", table.get("images", base.images), ("block", "pass")),
        language=_one_of("labels", table.get("labels", base.language), LANGUAGES),
    )


def _one_of(key: str, value: object, allowed: tuple[object, ...]) -> Any:
    if value not in allowed:
        raise ConfigError(f"policy.{key}: found {value!r}, allowed are {', '.join(map(str, allowed))}")
    return value


def _lists(key: str, value: object, any_type: str) -> dict[str, tuple[str, ...]]:
    """A list of strings, or a table of lists by entity type."""
    table = {any_type: value} if isinstance(value, list) else value
    good = isinstance(table, Mapping) and all(
        isinstance(words, list) and all(isinstance(word, str) and word.strip() for word in words)
        for words in table.values()
    )
    if not good:
        raise ConfigError(
            f"policy.{key}: found {type(value).__name__}, allowed is a list of strings or a table of such lists"
        )
    return {entity_type: tuple(words) for entity_type, words in cast(dict[str, list[str]], table).items()}
