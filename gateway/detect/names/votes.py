"""When a list alone cannot decide: shape, endings and the label of the recogniser vote."""

import re

from gateway.detect.names.acts import STOP, possessive
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

_ACRONYM = 4
_CAR_SURNAMES = frozenset("ford abbott hudson bentley bosch brandt boss".split())
_SLAVIC = (
    "ov ova ev eva yov sky skiy skyi skaya ski enko chuk yuk yan dze shvili tsev tseva yev yeva vich wicz czyk sson ssen opoulos idis escu"
).split()


def by_votes(name: list[Word], lowers: list[str], scene: Scene, full: bool) -> str:
    if len(lowers) == 1 and _owns(name[0], lowers[0], scene):
        return "name with possessive"
    if _particle_name(name, lowers, scene):
        return "surname with particle"
    label = next((found for word in name if (found := scene.label(word))), "")
    if (
        name[0].initial
        and (name[1].capital or name[1].lower in ("el", "al", "bin", "ben", "de", "di"))
        and full
        and (is_surname(lowers[-1]) or not is_common(lowers[-1]))
        and not is_thing(lowers[-1])
    ):
        return "initials"
    if full and name[-1].initial and is_surname(lowers[0]) and not is_common(lowers[0]):
        return "surname and initials"
    sure_last = (
        is_surname(lowers[-1])
        and (
            not is_thing(lowers[-1])
            or strong_first(lowers[0])
            or lowers[0] in word_list("places")
            and lowers[-1] in _CAR_SURNAMES
        )
        and (is_core_first(lowers[0]) or not is_common(lowers[-1]))
    )
    acronym = name[-1].shout and not name[0].shout and not is_surname(lowers[-1]) and is_thing(lowers[0])
    if (
        full
        and not acronym
        and is_first(lowers[0])
        and (sure_last or not any(word in word_list("products") for word in lowers))
    ):
        firm = is_surname(lowers[-1]) or not is_common(lowers[-1]) or label == "PERSON"
        if firm and not (is_thing(lowers[0]) and is_common(lowers[-1]) and not is_surname(lowers[-1])):
            return "first name and surname"
    if (
        full
        and len(lowers) == 2
        and strong_first(lowers[1])
        and (is_surname(lowers[0]) or not is_common(lowers[0]) and not _opens_a_sentence(name, scene))
        and (not is_thing(lowers[0]) or is_surname(lowers[0]))
        and not (name[0].shout and len(lowers[0]) <= _ACRONYM and not is_surname(lowers[0]))
    ):
        return "surname and first name"
    if any(is_thing(lower) for lower in lowers) or any(word.camel for word in name):
        return ""
    return _by_label(name, lowers, label, scene, full)


def _opens_a_sentence(name: list[Word], scene: Scene) -> bool:
    """Wysłałem Krzysztofowi umowę: a verb, except where the name is all that the line says."""
    return scene.language != "en" and name[0].start == scene.start and name[-1].end < scene.end


_HOUSES = tuple(
    "bank dienst kasse versicherung verein gesellschaft verband behörde ministerium ministerie universiteit universität kammer"
    " gericht rechtbank stichting vereniging maatschappij instituut institut verzekeringen zentrum centrum".split()
)
"""Endings of German and Dutch institutions."""
_SHOPS = frozenset(
    "mcdonald levi macy wendy kellogg lloyd moody sotheby christie domino denny kohl lay reese hershey campbell sainsbury dunkin claire".split()
)


_BELONGS = re.compile(
    r"'s (?:laptop|phone|account|desk|e-?mail|salary|manager|contract|computer|password|calendar|notes|leave|birthday|passport|wife|husband|son|daughter|mother|father|mum|dad|car|appointment|badge|visa|invoice|payslip|mobile|number|address)\b"
)
"""What somebody has and no thing does."""


def _owns(word: Word, lower: str, scene: Scene) -> bool:
    """Anna's, and Fischer's inside a sentence."""
    if not possessive(scene.text, word) or lower in STOP or is_thing(lower):
        return False
    surname = is_surname(lower) and not is_common(lower) and lower not in _SHOPS
    if is_first(lower) and _BELONGS.match(scene.text, word.end):
        return True
    return is_core_first(lower) or surname and word.start > scene.start


_NOBLE = frozenset(("van", "von", "bin", "ibn"))


def _particle_name(name: list[Word], lowers: list[str], scene: Scene) -> bool:
    """Ties van de Pol, Ahmad bin Said: nothing but people is written so, but for the first word of a Dutch sentence."""
    if scene.language == "nl" and name[0].start == scene.start and not is_first(lowers[0]) and not name[0].initial:
        return False
    if not is_first(lowers[0]) and scene.text[max(0, name[0].start - 2) : name[0].start - 1].isdigit():
        return False  # 14:32 Uhr von Gleis 7
    inner = {word.lower for word in name[1:-1] if not word.capital}
    tables = around()
    if any(lower in tables["organizations"] for lower in lowers):
        return False
    barred = tables["calendar"] | STOP
    return bool(inner & _NOBLE) and lowers[0] not in barred and not is_thing(lowers[0]) and not is_thing(lowers[-1])


def _by_label(name: list[Word], lowers: list[str], label: str, scene: Scene, full: bool) -> str:
    unknown = [lower for lower in lowers if not is_common(lower)]
    acronym = any(
        word.shout and len(word.text) <= 5 and not is_surname(word.lower) and not is_first(word.lower) for word in name
    )
    if acronym and not scene.shouting:
        return ""
    if scene.language == "en":
        if label == "PERSON" and unknown:
            return "recogniser"
        if (
            label
            and full
            and unknown
            and (any(is_surname(low) or is_first(low) for low in unknown) or len(unknown) == len(lowers))
        ):
            return "may be a person"
    if full and any(lower in around()["sights"] for lower in lowers[:2]):
        return ""
    particled = any(not word.text[0].isupper() for word in name)
    if (
        full
        and not particled
        and len(unknown) == len(lowers)
        and any(lower.endswith(tuple(_SLAVIC)) for lower in lowers)
    ):
        return "surname ending"
    institution = (
        lowers[-1].endswith(_HOUSES)
        and not is_surname(lowers[-1])
        or any(lower in around()["organizations"] or lower in around()["calendar"] for lower in lowers)
    )
    if (
        full
        and not particled
        and not institution
        and scene.language not in ("en", "de")
        and len(unknown) == len(lowers)
        and name[0].start > scene.start
        and not name[0].shout
    ):
        return "shape"
    if full and unknown and is_surname(lowers[-1]) and is_surname(lowers[0]) and len(unknown) == len(lowers):
        return "two surnames"
    return ""
