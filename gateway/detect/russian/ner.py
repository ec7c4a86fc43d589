"""Names by the slovnet tagger with the weights out of the natasha wheel (10 ms per 1000 characters on one thread)."""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from gateway.detect.russian.words import wheel_data
from gateway.errors import MissingExtraError

_CHUNK = 1200
_CAPITAL = re.compile(r"[А-ЯЁ]")
_BREAK = re.compile(r"\n+|(?<=[.!?;])\s+")


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of the text that the tagger calls PER, LOC or ORG."""

    start: int
    end: int
    type: str


@cache
def _tagger() -> Any:
    """Loads once per process (1 s, 85 MB). One BLAS thread: two spin and cost five times as much."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        from navec import Navec
        from slovnet import NER
    except ImportError as error:
        raise MissingExtraError("Russian names need slovnet and navec: pip install 'localagent[gateway]'") from error
    data = wheel_data()
    tagger = NER.load(str(data / "model" / "slovnet_ner_news_v1.tar"))
    tagger.navec(Navec.load(str(data / "emb" / "navec_news_v1_1B_250K_300d_100q.tar")))
    return tagger


def warm_up() -> None:
    """Loads the weights now, so that no request waits for them."""
    _tagger()


def spans(text: str) -> Iterator[Span]:
    """PER, LOC and ORG of a text; pieces without a Cyrillic capital are not read, the tagger finds nothing in them."""
    tagger = _tagger()
    for start, end in _chunks(text):
        piece = text[start:end]
        if _CAPITAL.search(piece):
            for span in tagger(piece).spans:
                yield Span(start + span.start, start + span.stop, span.type)


def _chunks(text: str) -> Iterator[tuple[int, int]]:
    """Cuts at line ends and sentence ends, so that memory stays bounded and no name is cut."""
    start = 0
    last = 0
    for match in _BREAK.finditer(text):
        if match.end() - start > _CHUNK and last > start:
            yield start, last
            start = last
        last = match.end()
    if len(text) - start > 2 * _CHUNK and last > start:
        yield start, last
        start = last
    while len(text) - start > 4 * _CHUNK:
        cut = text.rfind(" ", start + _CHUNK, start + 2 * _CHUNK)
        cut = cut if cut > start else start + 2 * _CHUNK
        yield start, cut
        start = cut
    yield start, len(text)
