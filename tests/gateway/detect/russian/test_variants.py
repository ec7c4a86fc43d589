"""Every bracketed value of variants.txt is covered to its last letter, and not one letter beside them."""

import re
from pathlib import Path

import pytest

from gateway.detect.merge import merge
from gateway.detect.russian import Finder, russian_finders
from gateway.detect.settings import DetectorSettings

_LINES = [
    line
    for line in (Path(__file__).parent / "variants.txt").read_text(encoding="utf-8").splitlines()
    if line and not line.startswith("# ")
]


@pytest.fixture(scope="module")
def finders() -> list[Finder]:
    return russian_finders(DetectorSettings())


def _parsed(line: str) -> tuple[str, set[int]]:
    line = line.replace("\\n", "\n")
    text, done = "", 0
    wanted: set[int] = set()
    for match in re.finditer(r"\[\[(.+?)\]\]", line):
        text += line[done : match.start()]
        wanted.update(range(len(text), len(text) + len(match[1])))
        text += match[1]
        done = match.end()
    return text + line[done:], wanted


@pytest.mark.parametrize("line", _LINES)
def test_exactly_the_marked_text_is_found(finders: list[Finder], line: str) -> None:
    text, wanted = _parsed(line)
    entities = merge(entity for find in finders for entity in find(text) if entity.score >= 0.4)
    found = {at for entity in entities for at in range(entity.start, entity.end)}
    assert {at for at in found if text[at].isalnum()} == {at for at in wanted if text[at].isalnum()}
    assert all(entity.text == text[entity.start : entity.end] for entity in entities)
