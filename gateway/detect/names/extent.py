"""Where in a run of capitalised words a name would begin and end; whether it is one is judged elsewhere."""

import re

from gateway.detect.languages import small_words
from gateway.detect.names.acts import ASKS, STOP, acts, speaks
from gateway.detect.names.lists import (
    around,
    is_common,
    is_first,
    is_surname,
    is_thing,
    is_word_of,
    strong_first,
    word_list,
)
from gateway.detect.names.oblique import is_german_genitive
from gateway.detect.names.scene import Scene
from gateway.detect.names.things import is_degree
from gateway.detect.names.tokens import Word

_LONGEST = 9
"""Words of a name: a page of capitals must not cost its square."""
_MOVED = re.compile(r",? (?:van|von|de|den|der|ten|ter)(?: (?:de|der|den|het|'t))?(?=[\n,;)<\"]| \(|$)")


def extent(run: list[Word], index: int, scene: Scene, titled: str) -> int:
    """Where a name that begins at `index` would end; `index` itself if it cannot begin there."""
    word = run[index]
    if word.camel or not _can_start(run, index, scene, titled):
        return index
    end = index + 1
    longest = min(len(run), index + _LONGEST)
    while end < longest and _continues(run, index, end, scene):
        end += 1
    while end > index + 1 and run[end - 1].lower in around()["particles"] and not run[end - 1].capital:
        end -= 1
    return end


def end_of(text: str, last: Word) -> int:
    """An initial or a suffix takes its dot in; a particle that was moved behind the name belongs to it."""
    moved = _MOVED.match(text, last.end)
    if moved:
        return moved.end()
    dotted = text[last.end : last.end + 1] == "."
    return last.end + 1 if dotted and (last.initial or last.lower in around()["suffixes"]) else last.end


def surnamelike(word: Word, scene: Scene) -> bool:
    """Can stand behind a first name."""
    lower = word.lower
    if word.initial or lower in around()["suffixes"] or lower in around()["particles"]:
        return True
    if word.camel or lower in around()["organizations"] and not is_surname(lower):
        return False
    if is_surname(lower) or is_first(lower):
        return lower not in STOP or scene.label(word) == "PERSON"
    return (
        not is_common(lower)
        and lower not in word_list("products")
        and len(lower) > 1
        or "-" in lower
        and is_surname(lower.split("-")[0])
    )


def _whole_line(run: list[Word], scene: Scene) -> bool:
    """The run is all that its line says, as a signature does."""
    before, behind = scene.text[: run[0].start].rsplit("\n", 1)[-1], scene.text[run[-1].end :].split("\n", 1)[0]
    return not before.strip() and not behind.strip() and run[0].start > 0


_MISTER = re.compile(r"\b(?:Mr|Mrs|Ms|Miss|Dr|Prof)\.? $")


def is_mister(text: str, start: int) -> bool:
    """Behind a title that nothing but a surname follows: Mr. May."""
    return bool(_MISTER.search(text, max(0, start - 8), start))


_MONTH_NAMES = frozenset(("april", "may", "june", "august", "will"))
_SURNAMES_IN_STOP = frozenset("may march best good new day note call order".split())


def _continues(run: list[Word], index: int, end: int, scene: Scene) -> bool:
    """The word at `end` still belongs to the name that began at `index`."""
    word, lower, last = run[end], run[end].lower, run[end - 1]
    if scene.language == "de" and is_german_genitive(last):
        return False
    if last.capital and last.lower in around()["particles"] and end > index + 1 and not is_common(run[index].lower):
        return word.capital
    if last.initial and end > index + 1 and strong_first(run[index].lower):
        return True
    if lower in STOP and not word.initial:
        return lower in _SURNAMES_IN_STOP and end == index + 1 and is_surname(lower) and strong_first(run[index].lower)
    if surnamelike(word, scene):
        return True
    alone = (
        len(run) == index + 2 == end + 1
        and not word.shout
        and index > 0
        or len(run) == 2
        and (run[0].start > scene.start or _whole_line(run, scene))
        and not word.shout
    )
    barred = around()["places"] | around()["organizations"] | word_list("products")
    return alone and strong_first(run[index].lower) and lower not in barred and not word.camel


def _says_when_or_how(lower: str, follower: Word | None, scene: Scene) -> bool:
    """A day, a month or a small word of the language; Julio Goicoechea is a name."""
    if lower in around()["calendar"]:
        named = follower is not None and is_first(lower) and (follower.initial or is_surname(follower.lower))
        return follower is None or not named and scene.language != "en"
    return scene.language != "en" and lower in small_words(scene.language)


def _begins_a_sentence(lower: str, scene: Scene) -> bool:
    """`Kunde: Ich bin ...`: what somebody said, not who he is."""
    if lower in around()["openers"]:
        return True
    if scene.language == "en" or lower in around()["particles"] or is_first(lower) or is_surname(lower):
        return False
    return lower in small_words(scene.language)


_COUNTED = re.compile(
    r"(?i)(?:\b(?:de[rnms]|die|das|eine?[rnms]?|keine?[rnms]?|zum|zur|im|am|beim|vom|ins|ans|diese[rnms]?|jede[rnms]?|les?|la|une?|du|au|el|l[oa]s|una|il|gli|het|een)|\d) $"
)
"""Articles and numbers: 30 Tage, die Halle."""
_INVERTED = "-vous", "-tu", "-nous", "-moi", "-elle", "-je"
"""A French verb before its pronoun: Pourriez-vous."""


_MONTHS_SHORT = frozenset("jan feb mar apr may jun jul aug sep sept oct nov dec".split())
_DAY = re.compile(r"\d ?-?$")
"""02 MAR of a bank statement."""


_GREETINGS = frozenset("morning afternoon evening night happy congrats sorry hello cheers".split())


def _leads_to_a_name(run: list[Word], index: int, scene: Scene) -> bool:
    """Happy Birthday Noreen, Concierge Fabrício; and Ping Deepak Rao, whose verb is a name elsewhere."""
    word = run[index]
    if word.lower in ASKS:
        return word.start == scene.start and len(run) > index + 2
    if word.lower in _GREETINGS:
        return True
    return is_common(word.lower) and not is_first(word.lower) and not is_surname(word.lower)


def _can_start(run: list[Word], index: int, scene: Scene, titled: str) -> bool:
    word, lower = run[index], run[index].lower
    follower = run[index + 1] if index + 1 < len(run) else None
    dotted = word.initial and scene.text[word.end : word.end + 1] == "."
    if not titled and not dotted and _says_when_or_how(lower, follower, scene):
        return False
    if (
        is_word_of(scene.language, lower)
        and follower is None
        and _COUNTED.search(scene.text, max(0, word.start - 8), word.start)
    ):
        return False
    if word.shout and lower in _MONTHS_SHORT and _DAY.search(scene.text, max(0, word.start - 4), word.start):
        return False
    if titled == "cue" and not dotted and _begins_a_sentence(lower, scene) or lower.endswith(_INVERTED):
        return False
    if word.initial:
        if lower in "ai" and scene.text[word.end : word.end + 1] != "." or is_degree(scene.text, word, follower):
            return False
        return (
            follower is not None
            and (lower != "i" or follower.initial)
            and surnamelike(follower, scene)
            and not is_thing(follower.lower)
        )
    if follower is not None and strong_first(follower.lower) and not titled and _leads_to_a_name(run, index, scene):
        return False
    if strong_first(lower):
        return True
    if lower in around()["particles"] and follower is not None:
        return (titled or scene.label(word) == "PERSON") and surnamelike(follower, scene)
    if titled == "title" and lower in STOP and is_surname(lower) and is_mister(scene.text, word.start):
        return True
    if lower in _MONTH_NAMES and follower is None and acts(scene, word, titled):
        return True
    if lower in STOP and follower is not None and follower.initial and index + 2 < len(run) and is_first(lower):
        return surnamelike(run[index + 2], scene)
    if lower in STOP and not (is_first(lower) and follower is not None and is_surname(follower.lower)):
        return False
    if lower in STOP and word.start == scene.start and follower is not None and is_common(follower.lower):
        return speaks(scene.text, follower.end)
    if is_first(lower) or is_surname(lower):
        return True
    return bool(titled) or scene.label(word) != "" or not is_common(lower)
