"""Names that nobody capitalised: a first name with a surname, or behind an introduction."""

import re
from collections.abc import Iterator

from gateway.detect.languages import small_words
from gateway.detect.names.acts import STOP
from gateway.detect.names.lists import (
    around,
    is_common,
    is_core_first,
    is_first,
    is_surname,
    is_thing,
    is_word_of,
    strong_first,
)
from gateway.detect.names.scene import Scene
from gateway.detect.names.tokens import Word

_CODE = re.compile(r"[{}();=<>]|\bdef \b|\bimport \b|::|->|^\s*[#$>]")
_INTRODUCTION = re.compile(
    r"(?i)(?:\b(?:i'm|i am|im|my name is|my name's|name is|this is|hier (?:ist|is|spricht|spreekt)|c'est|qui è|qui parla|habla|tu mówi|z tej strony|call me|called|named|it's|ich bin|ich heiße|ich heisse|mein name ist|je suis|je m'appelle|me llamo|soy|mi nombre es|mi chiamo|sono|ik ben|ik heet"
    r"|mijn naam is|jestem|nazywam się|mam na imię|hei(?:ß|ss)t|s'appelle|se llama|si chiama|heet|nazywa się|signed|regards|thanks|cheers|dear|hi|hey|hello|mr|mrs|ms|miss|dr|prof|herr|frau|monsieur|madame|wife|husband|flatmate|roommate|housemate|mate|girlfriend|boyfriend|mum|mom|dad|uncle|aunt|cousin|niece|nephew|partner|gran|nan|brother|sister|son|daughter|colleague|boss|friend"
    r"|sohn|tochter|bruder|schwester|ehemann|ehefrau|enkel(?:in)?|nichte|neffe|oma|opa|tante|onkel|fils|fille|frère|neveu|nièce|hij[oa]|herman[oa]|niet[oa]|abuel[oa]|figli[oa]|nonn[oa]|marito|moglie|zoon|dochter|broer|zus|zusje|broertje|kleinzoon|kleindochter|hallo|servus|moin|liebe[rn]?|bonjour|salut|coucou|hola|buenas|querid[oa]|ciao|cześć|hej|hoi|beste|mein(?:e[mnr]?)? (?:mann|sohn|tochter|bruder|schwester|chefin|chef|kolleg(?:en?|in)|freund(?:in)?)|(?:mon|ma|mes) (?:mari|femme|fils|fille|frère|s(?:œ|oe)ur|ami|amie|collègue|copain|copine)"
    r"|mi (?:marido|mujer|espos[oa]|hij[oa]|herman[oa]|novi[oa]|amig[oa]|jef[ea]|compañer[oa])|(?:mio|mia) (?:marito|moglie|figli[oa]|fratello|sorella|amic[oa]|collega|compagn[oa])|mąż|męża|mężem|żon[aąęy]|syn|syna|synem|córk[aąęi]|brat[ae]?m?|siostr[aąęy]|koleg[aąęi]|koleżank[aąęi]|pan|pan[aiu]|panem|panią|mijn (?:man|vrouw|zoon|dochter|broer|zus|vriend|vriendin|collega)"
    r"|(?:numero|num[eé]ro|número|numer|nummer|adres|adresse|correo|tel[eé]fono) (?:di|de|do|von|van)|(?:r)?appelle(?:[rz])?|llam[ae]r? a|chiam[ai](?:re)?|zadzwo[nń](?:ić)? do|(?:za|s)pytaj|frag|vraag|bel|(?:demande[rz]?|parle[rz]?|dis|dites) à|(?:pregunt[ae]r?|dile|decirle) a|chiedi a)[.,:]?\s{1,2})$"
)
_OWN_NAME = re.compile(
    r"(?i)\b(?:my name(?: is|'s)|mein name ist|hier (?:ist|spricht|is|spreekt)|ich (?:bin|hei(?:ß|ss)e)|je (?:suis|m'appelle)|c'est|me llamo|soy|mi nombre es|habla|sono|mi chiamo|qui (?:è|parla)|ik (?:ben|heet)|mijn naam is|jestem|nazywam się|z tej strony"
    r"|(?P<pl>(?:^|[\n,.!] ?)tu(?: mówi)?)|(?P<nl>(?:^|[\n,.!] ?)(?:u spreekt )?met))\s$"
)
"""Behind it people say who they are, with a surname that no list need know. In Polish `tu`, in Dutch `met` begin a call."""
_OWN_NAME_ENDS = frozenset(
    "is name's ist spricht spreekt bin heiße heisse suis m'appelle c'est llamo soy es habla sono chiamo è parla ben heet jestem się strony tu mówi met".split()
)
_CLOSED = re.compile(r"\s*(?:[,.;:!?)\n]|$)| (?:und|et|y|e|i|en|and) ")
_SHORT = 3
KEYWORDS = frozenset(("elif",))
"""First names in lower case that are words of programming languages."""


def lower_names(found: list[Word], scene: Scene) -> Iterator[tuple[int, int, str]]:
    """(start, end, reason) of names in lower case."""
    taken = 0
    small = small_words(scene.language) if scene.language != "en" else frozenset()
    for index, word in enumerate(found):
        if index < taken or word.capital or len(word.text) < _SHORT or word.lower in KEYWORDS:
            continue
        if index and found[index - 1].lower in _TITLES and (_is_titled(word, scene) or _is_titled_abroad(word, scene)):
            length = _titled_length(found, index, scene)
            yield word.start, found[index + length - 1].end, "title in lower case"
            taken = index + length
            continue
        if word.lower in small:
            continue
        if not is_first(word.lower):
            if (
                index
                and found[index - 1].lower in _OWN_NAME_ENDS
                and _says_own_name(found, index, scene)
                and _is_plain_surname(found, index + 1, scene)
            ):
                yield word.start, found[index + 1].end, "own name in lower case"
                taken = index + 2
            continue
        length = _length(found, index, scene)
        if length:
            yield word.start, found[index + length - 1].end, "lower case"
            taken = index + length


def _titled_length(found: list[Word], index: int, scene: Scene) -> int:
    """mr abdulrahman al-farsi, mrs colleen mcateer: what stands behind the first word and is no other word."""
    word, ahead = found[index], found[index + 1] if index + 1 < len(found) else None
    if ahead is None or scene.text[word.end : ahead.start] != " ":
        return 1
    return 2 if _PREFIXED.match(ahead.lower) or _follows(word, ahead, scene, is_first(word.lower)) else 1


_PREFIXED = re.compile(r"(?:al|el|ben|bin|d|o|l)[-'][a-z]{2}")
_ABROAD = frozenset(
    "herr frau herrn monsieur madame mme señor señora sr sra don doña signor signora sig dott dottoressa meneer mevrouw mevr dhr mw familie famille familia famiglia".split()
)
_TITLES = frozenset("mr mrs dr prof ms miss".split()) | _ABROAD
_TITLE = re.compile(r"(?:^|(?<=[\s(,;\"']))(?:(?:mr|mrs|dr|prof)\.? |(?<!\d )(?P<doubtful>ms|miss)\.? )$")


def _is_titled_abroad(word: Word, scene: Scene) -> bool:
    """bei frau hagedorn: in lower case only surnames that are known, for verbs stand there too."""
    if scene.language == "en" or not is_surname(word.lower) or _is_small(word, scene):
        return False
    return scene.text[word.start - 1] == " " and bool(
        _ADDRESSED.search(scene.text, max(0, word.start - 14), word.start)
    )


_ADDRESSED = re.compile(rf"\b(?:{'|'.join(sorted(_ABROAD))})\.? $")
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
    own = _says_own_name(found, index, scene)
    introduced = own or bool(_INTRODUCTION.search(scene.text[max(0, word.start - 24) : word.start]))
    if adjacent and follower is not None and _follows(word, follower, scene, introduced or _is_directed(word, scene)):
        return 3 if _third(found, index + 2, scene) else 2
    if own and not is_common(word.lower) and (behind := _unknown_surname(found, index + 1, scene)):
        return 1 + behind
    if introduced and (
        not is_common(word.lower)
        and (not is_word_of(scene.language, word.lower) or _CLOSED.match(scene.text, word.end))
        or word.lower not in _EVERYDAY
        and is_core_first(word.lower)
        and follower is None
    ):
        return 1
    if introduced and scene.language != "en" and is_core_first(word.lower) and word.lower not in _EVERYDAY:
        return 0 if _is_small(word, scene) or len(word.text) <= _SHORT else 1
    article = index > 0 and found[index - 1].lower in _DETERMINERS
    if not article and is_core_first(word.lower) and _DEPARTMENT.match(scene.text, word.end):
        return 1
    lone = not article and strong_first(word.lower) and is_core_first(word.lower) and len(word.text) > _SHORT
    plain = lone and not is_word_of(scene.language, word.lower) and _free(scene.text, word)
    return 1 if plain and not _CODE.search(scene.text, found[0].start, found[-1].end) else 0


_DIRECTED = re.compile(r"\b(?:to|from|with|by|for|cc|and|tell|ask|email|call|text|invite) $")


def _is_directed(word: Word, scene: Scene) -> bool:
    """send it to priya nandakumar"""
    known = scene.language == "en" and strong_first(word.lower) and not is_thing(word.lower)
    return known and bool(_DIRECTED.search(scene.text, max(0, word.start - 8), word.start))


def _says_own_name(found: list[Word], index: int, scene: Scene) -> bool:
    if not index or found[index - 1].lower not in _OWN_NAME_ENDS:
        return False
    said = _OWN_NAME.search(scene.text, max(scene.start, found[index].start - 20), found[index].start)
    return (
        said is not None and scene.language == (said.lastgroup or scene.language) and not _is_small(found[index], scene)
    )


def _is_small(word: Word, scene: Scene) -> bool:
    """A small word of the language, or one that only looks like a name in it."""
    return word.lower in small_words(scene.language) or is_word_of(scene.language, word.lower)


def _is_plain_surname(found: list[Word], index: int, scene: Scene) -> bool:
    """A known surname and no other word directly behind a word that is unknown."""
    word, ahead = found[index - 1], found[index] if index < len(found) else None
    if ahead is None or ahead.capital or scene.text[word.end : ahead.start] != " " or is_thing(word.lower):
        return False
    known = is_surname(ahead.lower) and not is_common(ahead.lower) and not _is_small(ahead, scene)
    closed = len(ahead.text) > _SHORT and _CLOSED.match(scene.text, ahead.end)
    return bool(known and closed) and not is_common(word.lower) and not _is_small(word, scene)


def _unknown_surname(found: list[Word], index: int, scene: Scene) -> int:
    """How many words up to the end of the clause are the surname of one who said a first name: particles and a last one."""
    for count, word in enumerate(found[index : index + 3], 1):
        if word.capital or scene.text[found[index + count - 2].end : word.start] != " ":
            return 0
        if word.lower in around()["particles"]:
            continue
        plain = not is_common(word.lower) and not _is_small(word, scene) and len(word.text) > _SHORT
        particled = count > 1 and len(word.text) > 1
        return count if (plain or particled) and _CLOSED.match(scene.text, word.end) else 0
    return 0


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
_CHAT = frozenset(
    "im ive ill id dont cant wont u ur ya yo idk lol btw pls plz thx ty tho bc cuz gonna wanna omg rn tmrw".split()
)
"""Short forms of chats, some of them surnames elsewhere."""
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
        or lower in _CHAT
        or lower in around()["roles"]
        and not (scene.language == "en" and is_surname(lower))
    ):
        return False
    if scene.language != "en" and lower in small_words(scene.language):
        return False
    if introduced and is_surname(lower) and follower.lower not in _NEVER and is_core_first(word.lower):
        return True
    if is_word_of(scene.language, lower):
        return False
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
