"""Presidio's AnalyzerEngine with our own recognisers in its registry.

Every finder becomes a recogniser of one pseudo language, so that identifiers of all languages are looked for in one call.
The NLP engine is ours and does nothing of its own: the names finder runs spaCy where a sentence needs it.
"""

import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from presidio_analyzer import AnalyzerEngine, EntityRecognizer, RecognizerRegistry, RecognizerResult
from presidio_analyzer.nlp_engine import NlpArtifacts, NlpEngine

from gateway.detect.entity import Entity
from gateway.errors import DetectionError

Finder = Callable[[str], Iterable[Entity]]
ANY = "xx"
_ENTITY = "entity"


class Course:
    """What the finders of one analysis share: until when they must be done, and what was found so far.

    The time is looked at between two finders, since none can be interrupted."""

    def __init__(self) -> None:
        self.until = float("inf")
        self.found: list[Entity] = []

    def begin(self, until: float) -> None:
        """Of the next analysis nothing is found yet."""
        self.until = until
        self.found.clear()

    def check(self) -> None:
        """DetectionError once the time is over."""
        if time.monotonic() > self.until:
            raise DetectionError("detection ran out of time; nothing was sent, send less text")


class FinderRecognizer(EntityRecognizer):  # type: ignore[misc]
    """Shows a finder to Presidio; the entity itself travels in the metadata of the result."""

    def __init__(self, name: str, finder: Finder, course: Course) -> None:
        self._finder, self._course = finder, course
        super().__init__(supported_entities=["ANY"], name=name, supported_language=ANY)

    def load(self) -> None:
        """Finders are loaded when they are made."""

    def analyze(
        self, text: str, entities: list[str], nlp_artifacts: NlpArtifacts | None = None
    ) -> list[RecognizerResult]:
        """All that the finder sees."""
        self._course.check()
        found = list(self._finder(text))
        self._course.found += found
        return [
            RecognizerResult(e.type, e.start, e.end, e.score, recognition_metadata={_ENTITY: e, **self._identity()})
            for e in found
        ]

    def _identity(self) -> dict[str, str]:
        return {RecognizerResult.RECOGNIZER_NAME_KEY: self.name, RecognizerResult.RECOGNIZER_IDENTIFIER_KEY: self.id}


class _NoNlp(NlpEngine):  # type: ignore[misc]
    engine_name = "gateway"
    is_available = True

    def __init__(self) -> None:
        self._artifacts = NlpArtifacts([], [], [], [], None, ANY)

    def load(self) -> None:
        """Nothing to load."""

    def is_loaded(self) -> bool:
        return True

    def process_text(self, text: str, language: str) -> NlpArtifacts:
        return self._artifacts

    def process_batch(
        self, texts: Iterable[str], language: str, batch_size: int = 1, n_process: int = 1, **_: Any
    ) -> Iterator[tuple[str, NlpArtifacts]]:
        return ((text, self._artifacts) for text in texts)

    def is_stopword(self, word: str, language: str) -> bool:
        return False

    def is_punct(self, word: str, language: str) -> bool:
        return False

    def get_supported_entities(self) -> list[str]:
        return []

    def get_supported_languages(self) -> list[str]:
        return [ANY]


class Registry(RecognizerRegistry):  # type: ignore[misc]
    """Keeps the finders in their order, which the stock one loses: what one asks the recogniser depends on the others."""

    def get_recognizers(self, language: str, *_: Any, **__: Any) -> list[EntityRecognizer]:
        return list(self.recognizers)


class Analyzer(AnalyzerEngine):  # type: ignore[misc]
    """Leaves out the stage that sorts all results by recogniser, twice for each: finders know their context."""

    course: Course

    def _enhance_using_context(
        self, text: str, raw_results: list[RecognizerResult], *_: Any, **__: Any
    ) -> list[RecognizerResult]:
        return raw_results


def build_analyzer(finders: Iterable[tuple[str, Finder]], course: Course | None = None) -> Analyzer:
    """An engine that runs exactly these finders, in this order; `course` is for one that asks what others found."""
    registry = Registry(supported_languages=[ANY])
    course = course or Course()
    for name, finder in finders:
        registry.add_recognizer(FinderRecognizer(name, finder, course))
    engine = Analyzer(registry=registry, nlp_engine=_NoNlp(), supported_languages=[ANY])
    engine.course = course
    return engine


def analyze(analyzer: Analyzer, text: str, threshold: float, until: float = float("inf")) -> list[Entity]:
    """The candidates of all finders with at least this score; DetectionError if `until` (monotonic) passes before."""
    analyzer.course.begin(until)
    results = analyzer.analyze(text, language=ANY, score_threshold=threshold)
    return [result.recognition_metadata[_ENTITY] for result in results]
