"""A detector without models: patterns for what tests need, the same interface as the real one."""

import re
from dataclasses import replace

from gateway.detect.entity import Entity
from gateway.errors import DetectionError

_PATTERNS = {
    "EMAIL_ADDRESS": r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+",
    "CREDIT_CARD": r"(?<!\d)\d{4}(?:[ -]?\d{4}){3}(?!\d)",
    "PHONE_NUMBER": r"\+\d[\d ()-]{8,16}\d",
    "SECRET": r"\bsk-[A-Za-z0-9]{8,}",
}


class FakeDetector:
    """Finds the given names (`text` or (`text`, type)) wherever they stand, and the patterns above."""

    def __init__(self, *names: str | tuple[str, str], fail: bool = False) -> None:
        self._names = [(name, "PERSON") if isinstance(name, str) else name for name in names]
        self._fail = fail
        self.calls: list[str] = []

    def find(self, text: str, *, language: str = "auto") -> tuple[Entity, ...]:
        self.calls.append(text)
        if self._fail:
            raise DetectionError("the detector failed: nothing may leave")
        found = [self._entity(kind, match) for kind, rule in _PATTERNS.items() for match in re.finditer(rule, text)]
        for name, kind in self._names:
            found += [self._entity(kind, match) for match in re.finditer(re.escape(name), text)]
        found.sort(key=lambda entity: (entity.start, -entity.end))
        kept: list[Entity] = []
        for entity in found:
            if not kept or entity.start >= kept[-1].end:
                kept.append(entity)
        return tuple(kept)

    def _entity(self, kind: str, match: re.Match[str]) -> Entity:
        entity = Entity(kind, match.start(), match.end(), match[0], 0.9, "fake")
        if kind == "PERSON" and re.search("[а-яё]", match[0]):
            from gateway.detect.russian.morph import person_key

            key, form, gender = person_key(match[0])
            entity = replace(entity, key=key, form=form, gender=gender)
        return entity
