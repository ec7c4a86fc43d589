"""The recogniser labels what spaCy's own pipe labels."""

from __future__ import annotations

import pytest

from gateway.detect.names import ner

_TEXT = """Yesterday Ursula Brandt of Kestrel Systems flew from Oslo to Buenos Aires with her son Tom.
MAC addresses and the Pdb module are described by Guido van Rossum in the Python Reference.

 \t
42
On Monday the Senate heard Dr. Aiyana Redcloud, Mr. Petrov and Li Wei; the Danube Hotel was full.
Dear Mrs O'Hara-Smith,"""


@pytest.mark.parametrize("count", [1, 2, 7])
def test_it_labels_as_the_pipe_does(count: int) -> None:
    sentences = ["", *_TEXT.split("\n")][:count] * 5
    model = ner._model()
    expected = [
        tuple((e.start_char, e.end_char, e.label_) for e in doc.ents if e.label_ in ner._LABELS)
        for doc in model.pipe(sentences)
    ]
    assert ner.Recogniser(0, 0)(sentences) == expected
    assert count == 1 or any(expected)


def test_what_a_text_said_before_never_fails_a_later_one() -> None:
    from spacy.attrs import IDS

    words = " ".join(IDS)
    first = ner._recognise([words, "IS_ALPHA"])
    assert [ner._recognise([words, "IS_ALPHA"]) for _ in range(2)] == [first] * 2
