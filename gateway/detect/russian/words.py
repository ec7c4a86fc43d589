"""Dictionary look-ups for Russian words: pymorphy3 readings and the name lists of the natasha wheel.

All caches are bounded: what they hold of somebody's text is pushed out by the next texts.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from gateway.detect.russian.lists import listed
from gateway.errors import MissingExtraError

CASES = ("nomn", "gent", "datv", "accs", "ablt", "loct")
_CASE_OF = {"gen2": "gent", "acc2": "accs", "loc2": "loct", "gen1": "gent", "loc1": "loct"}
_MARKS = ("Name", "Surn", "Patr", "Geox", "Orgn", "Fixd", "Abbr", "anim", "inan", "Poss")
_RARE = 0.08
"""A reading this much less likely than the best one of its kind is noise of the dictionary (`Петра` as a woman)."""


@dataclass(frozen=True, slots=True)
class Word:
    """One reading of a word form. `case`, `gender`, `number` are empty where they do not apply."""

    lemma: str
    pos: str
    case: str
    gender: str
    number: str
    marks: frozenset[str]
    tense: str
    score: float


@cache
def morph() -> Any:
    """The analyser of this process (0.1 s to load, no personal data inside)."""
    try:
        import pymorphy3
    except ImportError as error:
        raise MissingExtraError(
            "Russian needs pymorphy3; install it with: pip install 'localagent[gateway]'"
        ) from error
    return pymorphy3.MorphAnalyzer()


@lru_cache(maxsize=16384)
def readings(word: str) -> tuple[Word, ...]:
    """Every reading of a word form, likeliest first; case of letters does not matter."""
    return tuple(_word(parse) for parse in morph().parse(word.lower()))


def _word(parse: Any) -> Word:
    tag = parse.tag
    case = str(tag.case or "")
    return Word(
        lemma=parse.normal_form,
        pos=str(tag.POS or ""),
        case=_CASE_OF.get(case, case),
        gender=str(tag.gender or ""),
        number=str(tag.number or ""),
        marks=frozenset(mark for mark in _MARKS if mark in tag),
        tense=str(tag.tense or ""),
        score=parse.score,
    )


@lru_cache(maxsize=16384)
def known(word: str) -> bool:
    """Whether the dictionary holds this very form (not a guess from its ending)."""
    return bool(morph().word_is_known(word.lower()))


@lru_cache(maxsize=8192)
def first_name(word: str) -> tuple[Word, ...]:
    """The readings of a word as a first name in the singular; empty if the dictionary knows it as none."""
    if not known(word):
        return ()
    found = [reading for reading in readings(word) if "Name" in reading.marks and reading.number != "plur"]
    best = max((reading.score for reading in found), default=0.0)
    return tuple(reading for reading in found if reading.score >= best * _RARE)


_BOTH = listed("paired_names")
"""Men's names with a woman's twin that is as real: `Александра` stays open until the sentence decides."""
_MEN = listed("mens_names")
"""Men's names whose twin (`Ивана`, `Романа`) is a rarity; of all other pairs the woman's name is the real one."""


def is_rare_twin(reading: Word, found: tuple[Word, ...]) -> bool:
    """Whether this reading belongs to the rarer name of a pair (`Марин` beside `Марина`)."""
    men = {plain(other.lemma) for other in found if other.gender == "masc"}
    if len({other.gender for other in found}) < 2 or men & _BOTH:
        return False
    return reading.gender != ("masc" if men & _MEN else "femn")


OFTEN = listed("often_words")
"""Forms of names that are as often something else: a capital at the start of a sentence proves nothing then."""
_SELDOM = listed("seldom_words")
"""Names that the dictionary takes for rare words too (`юля`, `катя`); people mean the name."""


@lru_cache(maxsize=8192)
def common_weight(word: str) -> float:
    """How likely (0..1) the word is anything but a name or a town: 1.0 for `договор`, 0 for `Ирина`."""
    if not known(word):
        return 0.0
    if any(reading.lemma in _SELDOM and "Name" in reading.marks for reading in readings(word)):
        return 0.1
    weight = sum(reading.score for reading in readings(word) if not _NAME_MARKS & reading.marks)
    return max(weight, 0.5) if plain(word) in OFTEN else weight


_NAME_MARKS = {"Name", "Surn", "Patr", "Geox", "Poss"}


@lru_cache(maxsize=8192)
def opens_sentence(word: str) -> float:
    """The weight of plain readings in the nominative or of no case: 0 for `Блинов`, whose pancakes are genitive."""
    return (
        sum(r.score for r in readings(word) if not _NAME_MARKS & r.marks and r.case in ("", "nomn") and r.pos != "ADJS")
        if known(word)
        else 0.0
    )


@lru_cache(maxsize=4096)
def inflected(word: str, mark: str, gender: str, case: str) -> str | None:
    """The form of a dictionary word with `mark` (Name, Surn) in `case`, from its nominative; None if unknown."""
    if not known(word):
        return None
    for parse in morph().parse(word.lower()):
        tag = parse.tag
        fits = str(tag.gender) in (gender, "None")  # compared as text: a tag refuses the empty, unknown gender
        if mark not in tag or tag.number == "plur" or tag.case != "nomn" or not fits:
            continue
        if case == "nomn" or "Fixd" in tag:
            return word.lower()
        form = parse.inflect({case, "sing"})
        return str(form.word) if form else None
    return None


@cache
def wheel_data() -> Path:
    """The folder of weights and lists inside the natasha wheel, which is never imported."""
    spec = find_spec("natasha")
    if spec is None or spec.origin is None:
        raise MissingExtraError("Russian names need natasha's data; install it with: pip install 'localagent[gateway]'")
    return Path(spec.origin).parent / "data"


@cache
def first_names() -> frozenset[str]:
    """First names in the nominative, lower case, ё as е."""
    return frozenset(_lines("first.txt"))


@cache
def surnames() -> frozenset[str]:
    """Surnames in the masculine nominative, lower case, ё as е; holds common words too, so never proof alone."""
    return frozenset(_lines("last.txt"))


def _lines(name: str) -> Iterator[str]:
    for line in (wheel_data() / "dict" / name).read_text(encoding="utf-8").splitlines():
        if word := line.partition("#")[0].strip():
            yield plain(word)


def plain(word: str) -> str:
    """Lower case, ё as е: the spelling that keys compare."""
    return word.lower().replace("ё", "е")
