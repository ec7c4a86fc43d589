"""What a detector finds: one piece of personal data or one secret, with its place in the original text."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Entity:
    """One found value. `start` and `end` are code points of the original text, `text` is `original[start:end]`.

    `source` names the recogniser; `checked` says that a checksum held. `key` is the identity behind
    "same value, same placeholder" (empty: the case-folded text). Russian persons also carry the grammatical
    case of this occurrence in `form` (nomn, gent, datv, accs, ablt, loct) and `gender` (masc, femn).
    """

    type: str
    start: int
    end: int
    text: str
    score: float
    source: str
    checked: bool = False
    key: str = ""
    form: str = ""
    gender: str = ""
