"""The detector: text in, entities with offsets of the original text out; any failure is a DetectionError.

A long text is analysed in overlapping windows that are cut at line ends, so that a value on a cut is seen whole by one
of them. Results are cached by the keyed hash of the window, without the text.
"""

import os
import threading
import time
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import lru_cache
from typing import Any

from gateway.detect.cache import SegmentCache, digest
from gateway.detect.context import of_a_client
from gateway.detect.custom import whole_words
from gateway.detect.entity import Entity
from gateway.detect.merge import merge
from gateway.detect.normalise import View, normalise
from gateway.detect.settings import CustomPattern, DetectorSettings, WordList
from gateway.errors import DetectionError, GatewayError, MissingExtraError

__all__ = ["CustomPattern", "Detector", "DetectorSettings", "WordList", "load_detector"]

WINDOW = 24_000
OVERLAP = 2_000
MARGIN = 200
_TIMED = 200_000
"""Characters that one timeout is for: a longer text gets it again for each further stretch."""
_SHOWN_AS = {"ADDRESS": "LOCATION"}
"""Finders say ADDRESS for a whole address and LOCATION for a town; the type that is shown is one, as in Presidio."""


class Detector:
    """Finds personal data and secrets; safe between threads, which take turns."""

    def __init__(self, settings: DetectorSettings, analyzer: Any) -> None:
        from gateway.detect.names.lists import public_persons

        self.settings = settings
        self._analyzer = analyzer
        self._cache: SegmentCache[tuple[Entity, ...]] = SegmentCache(settings.cache_size, settings.cache_seconds)
        self._allowed = whole_words(settings.allow) if any(value.strip() for value in settings.allow) else None
        self._public = _by_last_word(public_persons()) if settings.public_persons else {}
        self._lock = threading.Lock()

    def find(self, text: str, *, language: str = "auto") -> tuple[Entity, ...]:
        """Entities sorted by start, without overlaps. DetectionError if anything fails or takes too long."""
        if not text.strip():
            return ()
        allowed = self.settings.timeout * (1 + len(text) // _TIMED)
        deadline = time.monotonic() + allowed
        found: list[Entity] = []
        for start, end in windows(text):
            found.extend(_trusted(self._window(text[start:end], deadline), start, end, len(text)))
            if time.monotonic() > deadline:
                raise DetectionError(f"detection took longer than {allowed:.0f} s; nothing was sent, send less text")
        entities = _with_text(found, text)
        if len(text) <= WINDOW:
            return tuple(entities)
        from gateway.detect.code import without_code

        return tuple(_with_text(merge(without_code(text, entities)), text))

    def _window(self, segment: str, deadline: float) -> tuple[Entity, ...]:
        """The entities of a window without their texts, which the cache must not keep."""
        key = digest(segment)
        cached = self._cache.get(key)
        if cached is None:
            cached = self._analyse(segment, deadline)
            self._cache.put(key, cached)
        return cached

    def _analyse(self, segment: str, deadline: float) -> tuple[Entity, ...]:
        from gateway.detect.analyzer import analyze
        from gateway.detect.code import without_code

        try:
            view = normalise(segment)
            if not self._lock.acquire(timeout=max(0.0, deadline - time.monotonic())):
                raise DetectionError("detection is busy and this text waited too long; nothing was sent, try again")
            try:
                candidates = analyze(self._analyzer, view.text, self.settings.threshold, deadline)
            finally:
                self._lock.release()
            candidates = self._without_allowed(view.text, without_code(view.text, candidates))
            return tuple(_original(e, view) for e in merge(candidates))
        except GatewayError:
            raise
        except Exception as error:  # noqa: BLE001  The boundary of fail closed: whatever a detector raises stops the request.
            raise DetectionError(f"a detector failed ({type(error).__name__}); nothing was sent") from None

    def _without_allowed(self, text: str, candidates: list[Entity]) -> list[Entity]:
        passing = _spans(self._allowed, text)
        words = {word for e in candidates if e.type == "PERSON" for word in e.text.casefold().split()}
        named = [name for word in words for name in self._public.get(word, ())]
        public = _spans(whole_words(named), text) if named and _any_inside(named, text) else []
        return [
            e
            for e in candidates
            if not _inside(e, passing)
            and not (e.type == "PERSON" and _inside(e, public) and not of_a_client(text, e.start))
        ]


def _by_last_word(names: Iterable[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name in names:
        found.setdefault(name.split()[-1], []).append(name)
    return found


def _any_inside(names: list[str], text: str) -> bool:
    folded = " ".join(text.casefold().split())
    return any(name in folded for name in names)


def _with_text(entities: Iterable[Entity], text: str) -> list[Entity]:
    return [replace(entity, text=text[entity.start : entity.end]) for entity in entities]


def _original(entity: Entity, view: View) -> Entity:
    """With offsets of the original text, and without a text."""
    start, end = view.span(entity.start, entity.end)
    return replace(entity, type=_SHOWN_AS.get(entity.type, entity.type), start=start, end=end, text="")


def _spans(values: Any, text: str) -> list[tuple[int, int]]:
    return [match.span() for match in values.finditer(text)] if values is not None else []


def _inside(entity: Entity, spans: list[tuple[int, int]]) -> bool:
    return any(start <= entity.start and entity.end <= end for start, end in spans)


def windows(text: str) -> Iterator[tuple[int, int]]:
    """(start, end) of the windows; an appended text keeps the earlier ones but the last."""
    start = 0
    while len(text) - start > WINDOW:
        cut = text.rfind("\n", start + WINDOW // 2, start + WINDOW)
        cut = cut + 1 if cut > 0 else start + WINDOW
        yield start, cut
        start = cut - OVERLAP
    yield start, len(text)


def _trusted(entities: tuple[Entity, ...], start: int, end: int, length: int) -> Iterator[Entity]:
    """Entities with offsets of the whole text, but those near a cut that the neighbouring window sees whole."""
    for entity in entities:
        near_end = end < length and entity.end > end - start - MARGIN and entity.start > end - start - OVERLAP + MARGIN
        near_start = start > 0 and entity.start < MARGIN and entity.end < OVERLAP - MARGIN
        if not near_end and not near_start:
            yield replace(entity, start=entity.start + start, end=entity.end + start) if start else entity


@lru_cache(maxsize=8)
def load_detector(settings: DetectorSettings = DetectorSettings()) -> Detector:  # noqa: B008  frozen
    """The detector of these settings, loaded once a process; MissingExtraError names what is not installed."""
    # Before numpy is first imported: two threads of one small product wait for each other more than they work.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        from gateway.detect.analyzer import Course, build_analyzer
        from gateway.detect.load import finders

        course = Course()
        return Detector(settings, build_analyzer(finders(settings, course.found), course))
    except ImportError as error:
        raise MissingExtraError(
            f"masking needs '{error.name}'; install it with: pip install 'localagent[gateway]'"
        ) from None
