"""From the model's text back to the person's: exact or not at all, whole or as a stream.

Every way of cutting a text into chunks gives the same result as the whole. A stream holds back only the end that can
still be part of a placeholder, and for a Russian name the two words behind it, which help to tell its case.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import quote

from gateway.labels import translations
from gateway.placeholder import LEFT, Grammar, Hit, read
from gateway.values import Prefix, Values

_RIGHT = 40
_STOP = r".!?:;\n()\[\]"
_FOLLOWING = re.compile(rf"(?:[^\w{_STOP}]{{0,4}}\w+){{2}}(?=\W)|[^{_STOP}]*[{_STOP}]")
_CYRILLIC = re.compile(r"[а-яё]", re.IGNORECASE)


def restore(text: str, mapping: Mapping[str, str], *, json: bool = False, verbatim: bool = False) -> str:
    """The whole text restored. With `json` the text is a JSON document and values are escaped by where they stand.

    With `verbatim` it is code: values come back as they were, never in another grammatical case.
    """
    if not json:
        return TextRestorer(mapping, verbatim=verbatim).whole(text)
    stream = StreamRestorer(mapping, json=True)
    return stream.feed(text) + stream.close()


class StreamRestorer:
    """Restores a text that arrives in pieces; `close` gives what was held back."""

    def __init__(self, mapping: Mapping[str, str], *, json: bool = False, verbatim: bool = False) -> None:
        from gateway.restore_json import JsonRestorer

        self._inner: TextRestorer | JsonRestorer
        self._inner = JsonRestorer(mapping) if json else TextRestorer(mapping, verbatim=verbatim)

    def feed(self, chunk: str) -> str:
        """What is certain after this piece."""
        return self._inner.feed(chunk)

    def close(self) -> str:
        """The rest: a cut placeholder stays as it is, it is never guessed."""
        return self._inner.close()


class TextRestorer:
    """Prose and any other text that is no JSON document; `verbatim` is for code, which has no grammatical cases."""

    def __init__(self, mapping: Mapping[str, str], *, verbatim: bool = False) -> None:
        self._verbatim = verbatim
        self._mapping = mapping
        self._grammar = Grammar(mapping)
        self._prefix = Prefix()
        self._buffer = ""
        self._done = 0  # offset in the buffer before which everything is given out
        self._hashed = 0

    def whole(self, text: str) -> str:
        """All of a text at once, which costs less than to feed and close."""
        self._buffer += text
        return self._advance(final=True)

    def feed(self, chunk: str) -> str:
        self._buffer += chunk
        return self._advance(final=False)

    def close(self) -> str:
        return self._advance(final=True)

    def _advance(self, *, final: bool) -> str:
        hits, safe = self._grammar.scan(self._buffer, self._done, final=final)
        out: list[str] = []
        for hit in hits:
            value = self._value(hit, final=final)
            if value is None:
                safe = hit.start
                break
            out += (self._buffer[self._done : hit.start], value)
            self._done = hit.end
        out.append(self._buffer[self._done : safe])
        self._done = safe
        self._forget()
        return "".join(out)

    def _forget(self) -> None:
        cut = self._done - LEFT
        if cut > 4 * LEFT:
            self._hash_to(cut)
            self._buffer, self._done, self._hashed = self._buffer[cut:], self._done - cut, self._hashed - cut

    def _hash_to(self, offset: int) -> None:
        if offset > self._hashed and isinstance(self._mapping, Values):
            self._prefix.update(self._buffer[self._hashed : offset])
        self._hashed = max(offset, self._hashed)

    def _value(self, hit: Hit, *, final: bool) -> str | None:
        """The value as this place asks for it; None while the words behind it are needed and not there yet."""
        value = self._mapping[hit.placeholder]
        left = self._buffer[max(0, hit.start - LEFT) : hit.start]
        if hit.escaped == "url":
            return quote(value, safe="")
        if isinstance(self._mapping, Values) and not hit.ending:
            self._hash_to(hit.start)
            if typed := self._mapping.typed(hit.placeholder, left, self._prefix.digest()):
                return typed
        if self._verbatim or not _CYRILLIC.search(value) or not _is_person(hit.placeholder):
            return value
        return self._inflected(hit, value, left, final=final)

    def _inflected(self, hit: Hit, value: str, left: str, *, final: bool) -> str | None:
        from gateway.detect.russian.morph import expected_case

        right = _following(self._buffer, hit.end, final=final)
        if right is None:
            return None
        case = expected_case(left, right, hit.ending)
        return self._in_case(hit.placeholder, value, case) if case else value

    def _in_case(self, placeholder: str, value: str, case: str) -> str:
        from gateway.detect.russian.morph import inflect_person

        if isinstance(self._mapping, Values) and (seen := self._mapping.in_case(placeholder, case)):
            return seen
        return inflect_person(value, case) or value


def _following(text: str, start: int, *, final: bool) -> str | None:
    """The two words behind a placeholder, fewer where a sentence ends; None while they may still go on."""
    window = text[start : start + _RIGHT]
    if match := _FOLLOWING.match(window):
        return match[0]
    return window if final or len(window) == _RIGHT else None


def _is_person(placeholder: str) -> bool:
    parsed = read(placeholder)
    return parsed is not None and (parsed[0] == "PERSON" or "PERSON" in translations(parsed[0]) or parsed[0] == "NAME")
