"""A text beside its masked form, as the shield and the question before a cloud show it."""

from __future__ import annotations

from collections.abc import Mapping

from textual.content import Content

from localagent.tui.harmless import assemble


def side(title: str, text: str, words: list[str], colour: str) -> Content:
    """One side of a pair, with the words that differ in colour."""
    content = Content(text)
    for word in dict.fromkeys(words):
        at = text.find(word)
        while word and at >= 0:
            content = content.stylize(f"bold {colour}", at, at + len(word))
            at = text.find(word, at + len(word))
    return assemble((f"{title}\n" if title else "", "$foreground-muted"), content)


def counted(counts: Mapping[str, int]) -> str:
    """`2 PERSON, 1 SECRET`."""
    return ", ".join(f"{count} {kind}" for kind, count in counts.items())
