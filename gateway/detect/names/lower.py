"""Names that nobody capitalised: a first name with a surname, or behind an introduction."""

import re
from collections.abc import Iterator

from gateway.detect.languages import small_words
from gateway.detect.names.acts import STOP
from gateway.detect.names.lists import around, is_common, is_core_first, is_first, is_surname, is_thing, strong_first
from gateway.detect.names.scene import Scene
from gateway.detect.names.tokens import Word

_CODE = re.compile(r"[{}();=<>]|\bdef \b|\bimport \b|::|->|^\s*[#$>]")
_INTRODUCTION = re.compile(
    r"(?i)(?:\b(?:i'm|i am|im|my name is|my name's|name is|this is|hier ist|hier spricht|c'est|qui è|qui parla|habla|tu mówi|hier spreekt|call me|called|named|it's|ich bin|ich heiße|ich heisse|mein name ist|je suis|je m'appelle|me llamo|soy|mi nombre es|mi chiamo|sono|ik ben|ik heet|"
    r"mijn naam is|jestem|nazywam się|mam na imię|hei(?:ß|ss)t|s'appelle|se llama|si chiama|heet|nazywa się|signed|regards|thanks|cheers|dear|hi|hey|hello|mr|mrs|ms|miss|dr|prof|herr|frau|monsieur|madame|wife|husband|brother|sister|son|daughter|colleague|boss|friend)[.,:]?\s{1,2})$"
)
_SHORT = 3
KEYWORDS = frozenset(("elif",))
"""First names in lower case that are words of programming languages."""


def lower_names(found: list[Word], scene: Scene) -> Iterator[tuple[int, int, str]]:
    """(start, end, reason) of names in lower case."""
    taken = 0
    for index, word in enumerate(found):
        if index < taken or word.capital or len(word.text) < _SHORT or word.lower in KEYWORDS:
            continue
        if index and found[index - 1].lower in _TITLES and _is_titled(word, scene):
            yield word.start, word.end, "title in lower case"
            continue
        if not is_first(word.lower):
            continue
        length = _length(found, index, scene)
        if length:
            yield word.start, found[index + length - 1].end, "lower case"
            taken = index + length


_TITLES = frozenset("mr mrs dr prof ms miss".split())
_TITLE = re.compile(r"(?:^|(?<=[\s(,;\"']))(?:(?:mr|mrs|dr|prof)\.? |(?<!\d )(?P<doubtful>ms|miss)\.? )$")


_VERBS = frozenset("said done see can will call ask".split())
_NOUN = re.compile(r"\b(?:the|an?|my|your|his|her|our) $")
"""What makes a title a thing: the dr office."""


def _is_titled(word: Word, scene: Scene) -> bool:
    """dr hendry, mrs oyelowo; behind `ms` and `miss` stand other things too."""
    title = _TITLE.search(scene.text, max(0, word.start - 8), word.start)
    if (
        not title
        or is_thing(word.lower)
        or word.lower in STOP
        or _NOUN.search(scene.text, max(0, title.start() - 6), title.start())
    ):
        return False
    if is_common(word.lower):
        return is_surname(word.lower) and not title["doubtful"] and word.lower not in _VERBS
    return is_surname(word.lower) or not title["doubtful"] and scene.language == "en"


def _length(found: list[Word], index: int, scene: Scene) -> int:
    """How many words the name that the first name at `index` begins has; 0 for none."""
    word = found[index]
    follower = found[index + 1] if index + 1 < len(found) else None
    adjacent = follower is not None and scene.text[word.end : follower.start] in (" ", "  ")
    introduced = bool(_INTRODUCTION.search(scene.text[max(0, word.start - 24) : word.start]))
    if adjacent and follower is not None and _follows(word, follower, scene, introduced):
        return 3 if _third(found, index + 2, scene) else 2
    if introduced and (
        not is_common(word.lower) or word.lower not in _EVERYDAY and is_core_first(word.lower) and follower is None
    ):
        return 1
    article = index > 0 and found[index - 1].lower in _DETERMINERS
    if not article and is_core_first(word.lower) and _DEPARTMENT.match(scene.text, word.end):
        return 1
    lone = not article and strong_first(word.lower) and is_core_first(word.lower) and len(word.text) > _SHORT
    plain = lone and scene.language == "en" and _free(scene.text, word)
    return 1 if plain and not _CODE.search(scene.text, found[0].start, found[-1].end) else 0


_DETERMINERS = frozenset(
    "a an the this that these those my your our his her their any every each no some last next".split()
)
_DEPARTMENT = re.compile(
    r" (?:from|in) (?:the )?(?:accounting|accounts|hr|human resources|it|finance|legal|sales|marketing|support|payroll|engineering|qa|security|procurement"
    r"|reception|ops|operations|purchasing|compliance|logistics|customer (?:service|support))\b"
)
"""Where somebody works: ask mark from accounting."""
_NEVER = frozenset(
    "and or the is was with from for please again here there now good well will can has had not so too but on in at to my all".split()
)
_EVERYDAY = frozenset(
    "will may can an in so to my all see said done mark bill art rich frank grant pat sue rob dean dawn joy hope faith grace guy sunny happy angel early long young".split()
)


_NOUNS = frozenset(
    "abbott archer baker banks barker bell bishop black brooks brown carter chandler clark cole cook cooper"
    " cross dean dyer fisher ford foster freeman frost fuller gray green hall harper hart hayes hill hood"
    " hooper howe hunt hunter justice kemp king knight lane marsh martin mason mercer miller mills moss nash"
    " palmer park parker penny perry pope porter potter powers reed rhodes rivers rose russell sanders savage"
    " shepherd skinner smith sparks spencer stokes stone sutton taylor tucker turner underwood walker warren"
    " waters weaver webb wells wheeler white wood woods young".split()
)
"""Surnames that are words, though none that goes on behind a name: jessica can, nadia brooks."""


def _follows(word: Word, follower: Word, scene: Scene, introduced: bool) -> bool:
    lower = follower.lower
    if (
        follower.capital
        and not follower.shout
        or len(lower) < 2
        or lower in around()["roles"]
        and not (scene.language == "en" and is_surname(lower))
    ):
        return False
    if scene.language != "en" and lower in small_words(scene.language):
        return False
    if introduced and is_surname(lower) and follower.lower not in _NEVER and is_core_first(word.lower):
        return True
    strong = strong_first(word.lower) and (is_core_first(word.lower) or is_surname(lower)) or introduced
    if is_surname(lower) and (not is_common(lower) or lower in _NOUNS and not is_common(word.lower)):
        return strong or is_core_first(word.lower) and not is_thing(lower)
    return (
        strong
        and scene.language == "en"
        and not is_common(lower)
        and not is_thing(lower)
        and not lower.endswith(("'s", "n't"))
    )


def _third(found: list[Word], index: int, scene: Scene) -> bool:
    """A second surname directly behind."""
    if index >= len(found) or scene.text[found[index - 1].end : found[index].start] != " ":
        return False
    lower = found[index].lower
    return not found[index].capital and is_surname(lower) and not is_common(lower) and not is_first(lower)


def _free(text: str, word: Word) -> bool:
    """Between white space or sentence signs, not inside an identifier, a path or a command."""
    left, right = text[word.start - 1 : word.start], text[word.end : word.end + 2]
    return (not left or left in " \n\t(\"',;:") and (
        not right or right[0] in " \n\t,;:!?)\"'" or right == "." or right in (". ", ".\n")
    )
