"""Which grammatical case a Russian sentence asks for where a placeholder stands.

Conservative: a case is named only where one word governs it without doubt (`для`, `позвоните`, `подписано`, `подпись`);
everything else is None, and the stored form is put in.
"""

import re
from collections.abc import Sequence

from gateway.detect.russian import government_words as lists
from gateway.detect.russian.words import Word, common_weight, first_name, known, readings

_TOKEN = re.compile(
    r"[<\[{(]\s*[A-ZА-ЯЁ][A-ZА-ЯЁ_]*[_ ]\d+\s*[>\]})](?:[-'’`]?[а-яё]{1,3}(?![А-ЯЁа-яё]))?|[А-ЯЁа-яё]+(?:-[А-ЯЁа-яё]+)*|[^\sА-ЯЁа-яё]|\n"
)
_EMPHASIS = re.compile(r"(?<=\s)[*_]{1,3}$")
_STOPS = frozenset('.!?:;\n()[]{}«»"“”„…—–|/*#=>')
_NAME = "<>"
_REACH = 160
"""How many characters to the left are read: one clause."""
_ENDINGS = {
    "datv": ("у", "ю", "е", "ой", "ей", "ому", "ему", "и"),
    "gent": ("а", "я", "ы", "и", "ой", "ей", "ого", "его"),
    "accs": ("а", "я", "у", "ю", "ую", "ого", "его"),
    "ablt": ("ом", "ем", "ым", "им", "ой", "ей", "ою", "ью"),
    "loct": ("е", "и", "ой", "ей", "ом", "ем"),
}


def expected_case(left_context: str, right_context: str, placeholder_ending: str = "") -> str | None:
    """nomn, gent, datv, accs, ablt or loct, if the words around the placeholder leave one choice; else None.

    `placeholder_ending` is what a model glued to the placeholder (`у` of `<PERSON_1>у`): it never decides alone,
    but it overrules a governed case that it cannot belong to.
    """
    clause = _clause(left_context)
    if clause is None:
        return None
    following = _following(right_context)
    case = _governed(clause, following, depth=0)
    ending = placeholder_ending.strip("'’`-").lower()
    if case and ending and case in _ENDINGS and ending not in _ENDINGS[case]:
        return None
    return case


def _clause(left: str) -> list[str] | None:
    """The tokens of the clause before the placeholder; None where it stands in quotes or brackets."""
    tail = _EMPHASIS.sub("", left[-_REACH:])
    if tail.rstrip(" \u00a0")[-1:] in tuple('«"“„(['):
        return None
    found: list[str] = []
    for token in reversed(_TOKEN.findall(tail)):
        if len(token) > 3 and token[0] in "<[{(":
            found.append(_NAME)
        elif token in _STOPS:
            break
        else:
            found.append(token)
    found.reverse()
    return _names_folded(found)


def _names_folded(tokens: list[str]) -> list[str]:
    """Names that stand in clear become one mark, so that `Ольги Дюма и` reads like `<PERSON_2> и`."""
    folded: list[str] = []
    for at, token in enumerate(tokens):
        is_name = token[:1].isupper() and (at > 0 or (bool(first_name(token)) and common_weight(token) < 0.5))
        if not is_name:
            folded.append(token)
        elif not folded or folded[-1] != _NAME:
            folded.append(_NAME)
    return folded


def _following(right: str) -> list[str]:
    words: list[str] = []
    for token in _TOKEN.findall(right[:80].lstrip("*_")):
        if token in _STOPS or len(words) == 4:
            break
        words.append(token)
    return words


def _governed(clause: Sequence[str], following: Sequence[str], depth: int) -> str | None:
    if depth > 4:
        return None
    if not clause:
        return _at_start(following)
    *before, last = clause
    word = last.lower()
    if contrast := _contrast_size(clause):
        return _governed(clause[:-contrast], (), depth + 1)
    if word in ("и", "или", ",") and before:
        return _coordinated(before, word, following, depth)
    if word in lists.SKIPPED:
        return _governed(before, following, depth + 1) if before else None
    if word in lists.CASE_AFTER or word in ("в", "во"):
        return _after_preposition(word, before, following)
    if word in lists.SUBORDINATORS:
        return _at_start(following)
    if not word.isalpha() and "-" not in word:
        return None
    return _after_word(word, before, following, depth)


def _contrast_size(clause: Sequence[str]) -> int:
    """How many tokens `<NAME>, а не` has at the end of the clause; 0 where none stands there."""
    words = [token.lower() for token in clause[-4:]]
    size = 4 if words[-3:-2] == [","] else 3
    told = words[-2:] in (["а", "не"], ["но", "не"], ["а", "также"], ["и", "также"], ["как", "и"])
    return size if told and clause[-size : -size + 1] == [_NAME] and len(clause) > size else 0


def _coordinated(before: Sequence[str], word: str, following: Sequence[str], depth: int) -> str | None:
    if before[-1] == _NAME:
        return _governed(before[:-1], (), depth + 1) if len(before) > 1 else None
    if word == "," and before[-1].lower() in lists.SKIPPED:
        return _governed([token for token in before if token != ","], following, depth + 1)
    return _at_start(following) if word == "," else None


def _at_start(following: Sequence[str]) -> str | None:
    """At the start of a clause: the subject of the next verb, or the dative of `нужно`."""
    if not following:
        return None
    word = following[0].lower()
    if word in lists.NEEDS_DATIVE:
        return "datv" if not _lemmas(following[1:2]) & lists.ACCUSATIVE else None
    for reading in readings(word)[:1] if known(word) else ():
        if reading.pos != "VERB":
            return None
        if reading.case == "" and reading.tense and reading.number == "sing" and not _first_person(word):
            return "nomn"
    return None


def _first_person(word: str) -> bool:
    return word.endswith(("у", "ю", "шь", "м", "усь", "юсь", "шься"))


def _lemmas(words: Sequence[str]) -> set[str]:
    return {reading.lemma for word in words for reading in readings(word)}


def _after_preposition(word: str, before: Sequence[str], following: Sequence[str]) -> str | None:
    near = before[len(before) - before[::-1].index(",") :] if "," in before else before
    around = [token.lower() for token in (*near[-4:], *following[:3])]
    if word in ("с", "со"):
        return "gent" if any(token.startswith(lists.TAKES_FROM) for token in around) else "ablt"
    if word in ("в", "во"):
        return "accs" if any(token.startswith(lists.INTO) for token in around) else "loct"
    if word == "на":
        return "loct" if any(token.startswith(lists.ON_LOCATIVE) for token in around) else "accs"
    return lists.CASE_AFTER[word]


def _after_word(word: str, before: Sequence[str], following: Sequence[str], depth: int) -> str | None:
    found = readings(word)
    if not known(word) and word not in ("г-н", "г-жа"):
        return None
    pos = found[0].pos
    if pos in ("VERB", "INFN", "GRND"):
        return _after_verb(found[0], word, before, following)
    if pos == "ADJS":
        return lists.SHORT_ADJECTIVES.get(found[0].lemma)
    if word == "нет":
        return "gent"
    if word == "спасибо":
        return "datv"
    if pos == "PRTS":
        return _after_participle(found[0].lemma)
    if pos in ("ADVB", "PRCL", "INTJ", "CONJ"):
        return None
    if pos in ("ADJF", "PRTF", "NPRO"):
        return _agreeing(found, before, following, depth)
    if pos == "NOUN":
        return _after_noun(found, before, following, depth)
    return None


def _agreeing(found: Sequence[Word], before: Sequence[str], following: Sequence[str], depth: int) -> str | None:
    """An adjective in front agrees with the name: `нашему <PERSON_1>`, `уважаемой <PERSON_1>`."""
    if found[0].pos == "NPRO":
        return None
    cases = {reading.case for reading in found if reading.pos in ("ADJF", "PRTF") and reading.number != "plur"}
    return _agreed(cases, _governed(before, following, depth + 1) if before else None)


def _agreed(cases: set[str], governed: str | None) -> str | None:
    if governed in cases:
        return governed
    return cases.pop() if len(cases) == 1 else None


def _after_noun(found: Sequence[Word], before: Sequence[str], following: Sequence[str], depth: int) -> str | None:
    nouns = [reading for reading in found if reading.pos == "NOUN" and reading.score >= 0.02]
    if nouns[0].lemma == "имя" and before and before[-1].lower() == "от":
        return "gent"
    if nouns[0].lemma in lists.RELATIVES:
        return None
    if any("anim" in reading.marks and reading.score >= 0.1 for reading in nouns):
        cases = {reading.case for reading in nouns if "anim" in reading.marks and reading.number == "sing"}
        if not before or before[-1].lower() not in lists.LOCATIVE:
            cases -= {"loct"}
        if "accs" in cases and _people_act(following):
            return "accs"
        return _agreed(cases, _governed(before, following, depth + 1) if before else None)
    if _verb_between(before, lists.DATIVE) and nouns[0].lemma not in ("имя", "адрес", "счёт", "просьба"):
        return "datv" if any(reading.case == "accs" for reading in nouns) else "gent"
    if nouns[0].lemma in lists.GENITIVE_NOUNS and not _subject_verb(following):
        return "gent"
    oblique = {reading.case for reading in nouns} - {"nomn", "accs"}
    acts = nouns[0].lemma.endswith(lists.ACTS) and nouns[0].case in oblique
    if acts and before and before[-1].lower() in lists.GOVERNING:
        return "gent"  # `о премировании <PERSON_1>`
    direct = {reading.case for reading in nouns if reading.number == "sing"} & {"nomn", "accs"}
    return "gent" if oblique and not direct and _missing(before) else None


def _people_act(following: Sequence[str]) -> bool:
    """`Клиента <PERSON_1> уведомили`: the verb has no subject, so the noun before it is its object."""
    reading = readings(following[0])[0] if following and known(following[0]) else None
    return reading is not None and (reading.pos, reading.number, reading.tense) == ("VERB", "plur", "past")


def _missing(before: Sequence[str]) -> bool:
    """What is missing takes its owner in the genitive: `нет подписи <PERSON_1>`."""
    return bool(before) and before[-1].lower() == "нет"


def _subject_verb(following: Sequence[str]) -> bool:
    if not following or not known(following[0]):
        return False
    reading = readings(following[0])[0]
    return reading.pos == "VERB" and reading.number == "sing" and _transitive_subject(following)


def _transitive_subject(following: Sequence[str]) -> bool:
    if len(following) > 1 and any(r.pos == "NOUN" and r.case == "accs" for r in readings(following[1])):
        return False  # the verb has its object: what stands before the name acts
    return len(following) == 1 or following[0].lower().endswith(("л", "ла", "ет", "ит"))


def _verb_between(before: Sequence[str], verbs: frozenset[str]) -> bool:
    """Whether a dative verb that is no participle stands at most three words before, with no other phrase between."""
    for token in reversed(before[-3:]):
        word = token.lower()
        if word in lists.CASE_AFTER or word == _NAME or word == ",":
            return False
        for reading in readings(word)[:1]:
            if reading.pos in ("VERB", "INFN", "GRND"):
                return reading.lemma in verbs
    return False


def _after_verb(verb: Word, word: str, before: Sequence[str], following: Sequence[str]) -> str | None:
    if not _has_own_subject(verb, word, before):
        return None
    if verb.lemma in lists.DATIVE:
        return _dative_or_object(verb.lemma, following)
    near = [token.lower() for token in before[-2:]]
    negated = {"не", "ни"} & set(near) and not near[-1].startswith(("забуд", "забыв"))
    if verb.lemma in lists.ACCUSATIVE and not negated:
        return "accs"
    return "ablt" if verb.lemma in lists.INSTRUMENTAL else None


def _dative_or_object(lemma: str, following: Sequence[str]) -> str | None:
    if lemma not in lists.DATIVE_OR_ACCUSATIVE:
        return "datv"
    if following and following[0].lower() in ("в", "на", "к", "из", "до", "через", "по", "за"):
        return "accs"
    cases = {reading.case for reading in readings(following[0])} if following else set()
    if "accs" in cases:
        return "datv"
    return "accs" if "ablt" in cases and lemma.startswith("назнач") else None  # назначить кого-то кем-то


def _has_own_subject(verb: Word, word: str, before: Sequence[str]) -> bool:
    """False where the name after the verb may be its subject: `Позвонил <PERSON_1>`."""
    if verb.pos in ("INFN", "GRND") or verb.number == "plur" or (not verb.tense and verb.pos == "VERB"):
        return True
    if verb.tense in ("pres", "futr") and _first_person(word):
        return True
    for token in reversed(before[-3:]):
        if token == _NAME:
            return True
        if token.lower() in ("я", "он", "она", "ты", "кто"):
            return True
        if any("anim" in reading.marks and reading.case == "nomn" for reading in readings(token)[:2]):
            return True
    return False


def _after_participle(lemma: str) -> str | None:
    if lemma in lists.DATIVE_SHORT:
        return "datv"
    return "ablt" if lemma in lists.INSTRUMENTAL_SHORT else None
