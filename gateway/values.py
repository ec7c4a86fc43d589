"""What a conversation's placeholders stand for, with every spelling that was seen and where it stood.

One person has one placeholder, but `Nimbus`, `NIMBUS` and `Иванову` come back as they were typed where the masked
words before the placeholder are the ones that stood there in the request.
"""

from __future__ import annotations

import json
import re
from hashlib import blake2b

NEAR = (48, 12)  # characters of masked text in front of a placeholder, longest first
_ESCAPED = re.compile(r"\\u[0-9a-fA-F]{4}")


class Values(dict[str, str]):
    """Placeholder to value (the nominative where one was seen, else the first form), as any mapping."""

    def __init__(self, values: dict[str, str] | None = None) -> None:
        super().__init__(values or {})
        self._places: dict[tuple[str, str | bytes], str | None] = {}
        self._cases: dict[tuple[str, str], str] = {}

    def readable(self) -> Values:
        """The same, with `\\uXXXX` escapes in values undone: a name out of a JSON file is read as a name elsewhere.

        In the place where the escapes stood they come back as they were.
        """
        changed = Values({placeholder: _unescaped(value) for placeholder, value in self.items()})
        changed._places, changed._cases = self._places, self._cases
        return changed

    def remember(self, placeholder: str, form: str, left: str, whole: bytes) -> None:
        """Notes that `form` stood where `left` (masked) precedes; `whole` is the digest of all text before it."""
        places: tuple[str | bytes, ...] = (whole, *_near(left))
        for place in places:
            known = self._places.setdefault((placeholder, place), form)
            if known != form:
                self._places[placeholder, place] = None

    def remember_case(self, placeholder: str, form: str, case: str) -> None:
        """Notes the first spelling seen in a grammatical case."""
        self._cases.setdefault((placeholder, case), form)

    def typed(self, placeholder: str, left: str, whole: bytes) -> str | None:
        """The form that stood in this place, or None when the place is new or held several forms."""
        places: tuple[str | bytes, ...] = (whole, *_near(left))
        for place in places:
            if form := self._places.get((placeholder, place)):
                return form
        return None

    def in_case(self, placeholder: str, case: str) -> str | None:
        """The spelling seen in that grammatical case."""
        return self._cases.get((placeholder, case))


def _unescaped(value: str) -> str:
    if not _ESCAPED.search(value):
        return value
    try:
        return str(json.loads(f'"{value}"', strict=False))
    except ValueError:
        return value


def _near(left: str) -> tuple[str, ...]:
    return tuple(left[-size:] for size in NEAR if len(left) >= size)


class Prefix:
    """A running digest of the masked text before each placeholder."""

    def __init__(self) -> None:
        self._hash = blake2b(digest_size=8)

    def update(self, text: str) -> None:
        self._hash.update(text.encode("utf-8", "surrogatepass"))

    def digest(self) -> bytes:
        return self._hash.digest()
