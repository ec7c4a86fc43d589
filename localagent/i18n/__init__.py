"""The words of the screen in more than one language: `t("key", name=value)`.

A catalogue is a TOML file of dotted keys. A key that a language lacks is taken from English.
"""

from __future__ import annotations

import os
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

LANGUAGES = ("en", "ru")
_chosen = ""


def use(language: str) -> None:
    """Chooses the language; "" or "auto" follows the environment."""
    global _chosen
    _chosen = language if language in LANGUAGES else from_environment()


def language() -> str:
    return _chosen or from_environment()


def from_environment() -> str:
    """The language of LC_ALL, LC_MESSAGES or LANG, English where we do not have it."""
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        if value := os.environ.get(name):
            return value[:2] if value[:2] in LANGUAGES else "en"
    return "en"


@cache
def catalogue(language: str) -> dict[str, str]:
    """All texts of a language by dotted key."""
    path = Path(__file__).with_name(f"{language}.toml")
    return _flat(tomllib.loads(path.read_text(encoding="utf-8")))


def _flat(table: dict[str, Any], prefix: str = "") -> dict[str, str]:
    flat: dict[str, str] = {}
    for key, value in table.items():
        flat |= _flat(value, f"{prefix}{key}.") if isinstance(value, dict) else {prefix + key: value}
    return flat


def t(key: str, **values: object) -> str:
    """The text of `key` with its placeholders filled; the key itself where no catalogue has it."""
    text = catalogue(language()).get(key) or catalogue("en").get(key, key)
    return text.format(**values) if values else text
