"""Decides which part of a run of capitalised words is a person: lists, cues, shape and the recogniser's label vote."""

import re
from collections.abc import Callable, Iterator

from gateway.detect.languages import small_words
from gateway.detect.names.acts import STOP, acts, is_nickname, is_relative, says_who_writes, speaks
from gateway.detect.names.lists import (
    around,
    is_common,
    is_core_first,
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
from gateway.detect.names.votes import by_votes

_MOVED = re.compile(r",? (?:van|von|de|den|der|ten|ter)(?: (?:de|der|den|het|'t))?(?=[\n,;)<\"]| \(|$)")
_LONGEST, _AHEAD = 9, 6
"""Words of a name, and words behind it that may make it a firm or a place: a page of capitals must not cost its square."""
FIRM = re.compile(
    r"(?:,(?: (?:&|and|und|et|y|e|i))? [A-Z][\w'\-]+| (?:&|and|und|et|y|e|i) [A-Z][\w'\-]+){1,4},? (?:LLP|LLC|Inc|Ltd|GmbH|Co|KG|Partners|Associates|Sons|Corp)\b"
)


def persons(run: list[Word], scene: Scene, cue: Callable[[int], str]) -> Iterator[tuple[int, int, float, str]]:
    """(start, end, score, reason) of each person in a run."""
    index = 0
    titled = ""
    while index < len(run):
        word = run[index]
        if _is_office(run[index:]):
            return
        titled = titled or ("" if strong_first(word.lower) and len(word.text) > 2 else cue(word.start))
        if (
            word.lower in around()["titles"]
            and not (word.initial and scene.language != "fr")
            and index + 1 < len(run)
            and not _is_name_start(run, index)
        ):
            titled, index = "title", index + 1
            continue
        if titled and index + 1 == len(run) and _is_rank_alone(word, scene.text, titled):
            return
        if word.lower in around()["roles"] and index + 1 < len(run) and not strong_first(word.lower):
            titled, index = "cue" if scene.language != "de" or strong_first(run[index + 1].lower) else "", index + 1
            continue
        end = _extent(run, index, scene, titled)
        reason = _reason(run[index:end], run[end : end + _AHEAD], scene, titled) if end > index else ""
        if reason:
            last = run[end - 1]
            yield run[index].start, _end_of(scene.text, last), 0.85 if reason != "shape" else 0.6, reason
            index, titled = end, ""
        else:
            index, titled = index + 1, ""


def _is_office(run: list[Word]) -> bool:
    """Ufficio Acquisti, Le Service Client; Team Schneider tells a name."""
    tables = around()
    head = run[1:] if run[0].lower in tables["particles"] else run
    if len(head) < 2 or head[0].lower not in tables["offices"]:
        return False
    rest = [word.lower for word in head[1:]]
    return not any(is_core_first(lower) or is_surname(lower) and not is_common(lower) for lower in rest)


_DEGREES = frozenset("dr prof professor doctor dipl ing".split())


def _is_rank_alone(word: Word, text: str, titled: str) -> bool:
    """`Frau Dr. rer. nat.`, `Hon. Judge <PERSON_1>`: what ends with a title names nobody."""
    if word.lower not in around()["titles"]:
        return False
    masked = text[word.end : word.end + 3].lstrip(". ").startswith("<")
    return word.lower in _DEGREES or masked or titled == "cue" and not is_first(word.lower)


def _end_of(text: str, last: Word) -> int:
    """An initial or a suffix takes its dot in; a particle that was moved behind the name belongs to it."""
    moved = _MOVED.match(text, last.end)
    if moved:
        return moved.end()
    dotted = text[last.end : last.end + 1] == "."
    return last.end + 1 if dotted and (last.initial or last.lower in around()["suffixes"]) else last.end


def _is_name_start(run: list[Word], index: int) -> bool:
    return strong_first(run[index].lower) and run[index].lower not in around()["titles"]


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


def _extent(run: list[Word], index: int, scene: Scene, titled: str) -> int:
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


_BEHIND_ARTICLE = re.compile(r"\b[Tt]he $")
"""The Lincoln Park is no person."""


def _whole_line(run: list[Word], scene: Scene) -> bool:
    """The run is all that its line says, as a signature does."""
    before, behind = scene.text[: run[0].start].rsplit("\n", 1)[-1], scene.text[run[-1].end :].split("\n", 1)[0]
    return not before.strip() and not behind.strip() and run[0].start > 0


_PLACE_SURNAMES = frozenset("west north hill lane rivers cross hall banks fields bridges rule day".split())


def _surname_like_a_place(name: list[Word], lowers: list[str]) -> bool:
    """Mark West and Grant Hill carry surnames that are also places."""
    if any(word.initial for word in name[1:-1]):
        return is_first(lowers[0])
    return lowers[-1] in _PLACE_SURNAMES and is_core_first(lowers[0]) and len(lowers) == 2 and not is_thing(lowers[0])


_MISTER = re.compile(r"\b(?:Mr|Mrs|Ms|Miss|Dr|Prof)\.? $")


def _is_mister(text: str, start: int) -> bool:
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
    if strong_first(lower):
        return True
    if lower in around()["particles"] and follower is not None:
        return (titled or scene.label(word) == "PERSON") and surnamelike(follower, scene)
    if titled == "title" and lower in STOP and is_surname(lower) and _is_mister(scene.text, word.start):
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


def _reason(name: list[Word], rest: list[Word], scene: Scene, titled: str) -> str:
    """Why a stretch is a person; empty if it is none."""
    tables = around()
    name = [word for word in name if word.lower not in tables["suffixes"]] or name
    lowers = [word.lower for word in name if not word.initial]
    if (
        titled == "title"
        and len(lowers) == 1
        and (is_first(lowers[0]) or is_surname(lowers[0]))
        and (lowers[0] not in STOP or _is_mister(scene.text, name[0].start))
    ):
        return "title"
    if not lowers or all(lower in tables["particles"] or lower in tables["suffixes"] for lower in lowers):
        return ""
    behind = rest[0].lower if rest else ""
    full = len([w for w in name if w.capital]) >= 2
    strong = strong_first(lowers[0]) and not name[0].initial
    if len(name) == 1 and name[0].shout and len(name[0].text) <= 4 and titled != "title":
        return ""
    if behind in tables["places"] or (
        lowers[-1] in tables["places"]
        and (not strong or _BEHIND_ARTICLE.search(scene.text, 0, name[0].start))
        and not _surname_like_a_place(name, lowers)
    ):
        return "title" if titled and (full or titled == "title") and behind not in tables["places"] else ""
    if FIRM.match(scene.text, name[-1].end) and not (strong and full):
        return ""
    if (
        any(w.lower in tables["organizations"] for w in rest)
        or lowers[-1] in tables["organizations"]
        and not is_surname(lowers[-1])
    ):
        return "first name and surname" if strong and full and is_surname(lowers[-1]) else ""
    if strong and (full or len(lowers[0]) > 2 or titled or scene.label(name[0]) == "PERSON"):
        return "first name" + (" and surname" if full else "")
    known_things = all(
        is_thing(lower) or is_common(lower) and not (is_surname(lower) and full) and not is_first(lower)
        for lower in lowers
    )
    if titled == "title" and any(not is_common(lower) or is_surname(lower) and lower not in STOP for lower in lowers):
        return "title"
    if len(lowers) == 1 and is_relative(scene, name[0]):
        return "relative"
    if len(name) == 1 and is_nickname(scene, name[0]):
        return "nickname"
    if len(lowers) == 1 and not is_common(lowers[0]) and says_who_writes(scene, name[0]):
        return "says who writes"
    if titled and not known_things and not all(is_thing(lower) for lower in lowers):
        return "cue"
    if len(lowers) == 1 and is_core_first(lowers[0]) and acts(scene, name[0], titled):
        return "first name that acts"
    return by_votes(name, lowers, scene, full)
