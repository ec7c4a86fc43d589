"""The words that models are told: files under prompts/, read once."""

from __future__ import annotations

from functools import cache

from localagent.config.paths import shipped


@cache
def read(name: str) -> str:
    """The text of `prompts/<name>`, such as `system/full.md`, without the blank lines around it.

    Raises FileNotFoundError: a missing prompt is a broken installation.
    """
    return (shipped("prompts") / name).read_text(encoding="utf-8").strip()


def names(folder: str = "") -> tuple[str, ...]:
    """The prompts under `folder`, sorted, as `read` takes them."""
    root = shipped("prompts")
    return tuple(sorted(p.relative_to(root).as_posix() for p in (root / folder).rglob("*") if p.is_file()))


__all__ = ["names", "read"]
