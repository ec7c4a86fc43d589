"""Organisations and towns in Latin text, for those who ask for them; a person on the same words wins."""

import re
from collections.abc import Iterator

from gateway.detect.entity import Entity
from gateway.detect.languages import is_latin, language, sentences
from gateway.detect.names.lists import word_list
from gateway.detect.names.ner import Recogniser

_LABELS = {"ORG": "ORGANIZATION", "GPE": "LOCATION", "LOC": "LOCATION", "FAC": "LOCATION"}
_FIRM = re.compile(
    r"(?<!\w)(?:[A-Z0-9][\w'&.\-]*(?: & | )){1,5}(?:Inc|LLC|LLP|Ltd|Limited|Corp|Corporation|GmbH|AG|KG|SE|S\.A\.|SA|SARL|SAS|S\.r\.l\.|SpA|S\.p\.A\.|B\.V\.|BV|NV|sp\. z o\.o\.|PLC|plc"
    r"|Foundation|University|Bank|Hospital|Institute|Association|Holdings|Group)\b\.?"
)
_CAPITAL = re.compile(r"(?<![\w'-])[A-ZÀ-Þ][^\W\d_]{2,}(?![\w'-])")
_SCORE = 0.55
"""Below what merging calls sure, so that neither wins over a person or swallows an address."""


class Places:
    """Finds organisations and towns as the switches say; call it with the plain text."""

    def __init__(self, recogniser: Recogniser | None, *, organizations: bool, locations: bool) -> None:
        self._recogniser = recogniser
        self._wanted = {"ORGANIZATION": organizations, "LOCATION": locations}

    def __call__(self, text: str) -> Iterator[Entity]:
        """Yield what is wanted; overlaps are possible."""
        for kind, start, end, source in [*self._listed(text), *self._recognised(text)]:
            if self._wanted[kind]:
                yield Entity(kind, start, end, text[start:end], _SCORE, f"place: {source}")

    def _listed(self, text: str) -> Iterator[tuple[str, int, int, str]]:
        for match in _FIRM.finditer(text):
            yield "ORGANIZATION", match.start(), match.end(), "legal form"
        for match in _CAPITAL.finditer(text):
            if match.group().lower() in word_list("places"):
                yield "LOCATION", match.start(), match.end(), "list"

    def _recognised(self, text: str) -> Iterator[tuple[str, int, int, str]]:
        if self._recogniser is None:
            return
        asked = [(s, e) for s, e in sentences(text) if is_latin(text[s:e]) and language(text[s:e]) == "en"]
        for (offset, _), spans in zip(asked, self._recogniser([text[s:e] for s, e in asked]), strict=True):
            for start, end, label in spans:
                if label in _LABELS:
                    yield _LABELS[label], offset + start, offset + end, "recogniser"
