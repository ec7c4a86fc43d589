"""Decides which part of a run of capitalised words is a person: lists, cues, shape and the recogniser's label vote."""

import re
from collections.abc import Callable, Iterator

from gateway.detect.names.acts import STOP, acts, is_met, is_nickname, is_relative, is_spoken_to, says_who_writes
from gateway.detect.names.extent import end_of, extent, is_mister
from gateway.detect.names.kinds import is_brand
from gateway.detect.names.lists import (
    around,
    is_common,
    is_core_first,
    is_first,
    is_surname,
    is_thing,
    strong_first,
    word_list,
)
from gateway.detect.names.scene import Scene
from gateway.detect.names.tokens import Word
from gateway.detect.names.votes import by_votes

_AHEAD = 6
"""Words behind a name that may make it a firm or a place."""
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
        end = extent(run, index, scene, titled)
        reason = _reason(run[index:end], run[end : end + _AHEAD], scene, titled) if end > index else ""
        if reason:
            last = run[end - 1]
            yield run[index].start, end_of(scene.text, last), 0.85 if reason != "shape" else 0.6, reason
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


def _is_name_start(run: list[Word], index: int) -> bool:
    return strong_first(run[index].lower) and run[index].lower not in around()["titles"]


_BEHIND_ARTICLE = re.compile(r"\b[Tt]he $")
"""The Lincoln Park is no person."""


_ADDRESSED = re.compile(
    r"\b(?:e?-?mail|letter|message|note|reply|memo|invitation|reminder|sent|call|tell|told|asked|gave|with|by) (?:to )?\Z"
)
"""What goes to somebody: an email to Grace Park."""
_NO_SURNAMES = frozenset("town airport station university county city stadium".split())
_PLACE_SURNAMES = frozenset("west north hill lane rivers cross hall banks fields bridges rule day".split())


def _surname_like_a_place(text: str, name: list[Word], lowers: list[str]) -> bool:
    """Mark West and Grant Hill carry surnames that are also places."""
    if any(word.initial for word in name[1:-1]):
        return is_first(lowers[0])
    if lowers[-1] == "park" and _ADDRESSED.search(text, max(0, name[0].start - 24), name[0].start):
        return is_core_first(lowers[0])
    return lowers[-1] in _PLACE_SURNAMES and is_core_first(lowers[0]) and len(lowers) == 2 and not is_thing(lowers[0])


def _reason(name: list[Word], rest: list[Word], scene: Scene, titled: str) -> str:
    """Why a stretch is a person; empty if it is none."""
    tables = around()
    name = [word for word in name if word.lower not in tables["suffixes"]] or name
    lowers = [word.lower for word in name if not word.initial]
    if (
        titled == "title"
        and len(lowers) == 1
        and (is_first(lowers[0]) or is_surname(lowers[0]))
        and (lowers[0] not in STOP or is_mister(scene.text, name[0].start))
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
        and (not strong or lowers[-1] in _NO_SURNAMES or _BEHIND_ARTICLE.search(scene.text, 0, name[0].start))
        and not _surname_like_a_place(scene.text, name, lowers)
    ):
        return "title" if titled and (full or titled == "title") and behind not in tables["places"] else ""
    if FIRM.match(scene.text, name[-1].end) and not (strong and full):
        return ""
    if (
        any(w.lower in tables["organizations"] for w in rest)
        or lowers[-1] in tables["organizations"]
        and (not is_surname(lowers[-1]) or len(lowers) > 2)
    ):
        return "first name and surname" if strong and full and is_surname(lowers[-1]) else ""
    if strong and (
        full
        or len(lowers[0]) > 2
        or titled
        or _ADDRESSED.search(scene.text, max(0, name[0].start - 24), name[0].start)
        or scene.label(name[0]) == "PERSON"
    ):
        return "first name" + (" and surname" if full else "")
    if full and not titled and _BEHIND_ARTICLE.search(scene.text, 0, name[0].start) and all(map(is_common, lowers)):
        return ""
    known_things = all(
        is_thing(lower) or is_common(lower) and not (is_surname(lower) and full) and not is_first(lower)
        for lower in lowers
    )
    if titled == "title" and any(not is_common(lower) or is_surname(lower) and lower not in STOP for lower in lowers):
        return "title"
    if titled == "title" and is_mister(scene.text, name[0].start) and name[0].text.istitle():
        return "" if lowers[0] in tables["roles"] | tables["titles"] | STOP else "title"
    if len(lowers) == 1 and is_relative(scene, name[0]):
        return "relative"
    if len(name) == 1 and is_nickname(scene, name[0]):
        return "nickname"
    if len(lowers) == 1 and not is_common(lowers[0]) and says_who_writes(scene, name[0]):
        return "says who writes"
    if lowers[0] in ("team", "project") or titled == "cue" and len(lowers) == 1 and is_brand(lowers[0]):
        return ""
    if titled and not known_things and not all(is_thing(lower) for lower in lowers):
        return "cue"
    if len(lowers) == 1 and is_core_first(lowers[0]) and acts(scene, name[0], titled):
        return "first name that acts"
    if full and is_brand(lowers[0]) and lowers[-1] in word_list("places"):
        return ""
    known = is_core_first(lowers[0]) or is_surname(lowers[0]) and not is_common(lowers[0])
    if len(name) == 1 and not rest and known and is_spoken_to(scene, name[0]):
        return "first name of a colleague"
    if len(name) == 1 and not rest and is_core_first(lowers[0]) and is_met(scene, name[0]):
        return "first name of somebody met"
    return by_votes(name, lowers, scene, full)
