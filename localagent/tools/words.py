"""What the tools say to the model, from prompts/tools/."""

from __future__ import annotations

import tomllib
from functools import cache
from typing import Any

from localagent.config import prompts


def say(key: str, **values: object) -> str:
    """The sentence `key` of messages.toml with its places filled in. Raises KeyError for an unknown key."""
    template: str = _table("tools/messages.toml")[key]
    return template.format(**values)


def describe(tool: str) -> dict[str, Any]:
    """A tool's entry in descriptions.toml: `text`, perhaps a shorter `nano`, and `parameters` by name."""
    entry: dict[str, Any] = _table("tools/descriptions.toml")[tool]
    return entry


@cache
def _table(name: str) -> dict[str, Any]:
    return tomllib.loads(prompts.read(name))
