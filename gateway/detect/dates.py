"""Dates of birth: a date behind a word for being born, in eight languages, or behind a label."""

import re
from collections.abc import Iterator

from gateway.detect.entity import Entity
from gateway.detect.names.lists import is_common, is_first, is_surname, is_thing
from gateway.detect.scan import Gate

_MONTHS = (
    "jan(?:uary|uar|v(?:ier)?|uari)?|feb(?:ruary|ruar|ruari)?|f[ée]vr?(?:ier)?|mar(?:ch|s|zo|ca|zec|t)?|m[äa]rz|maart|apr(?:il|ile|ilis)?|avr(?:il)?|may|mai|mayo|maggio|mei|maj[a]?"
    "|jun[ie]?|juin|giu(?:gno)?|juni|czerwca|jul[yi]?|juil(?:let)?|lug(?:lio)?|lipca|aug(?:ust|ustus)?|ao[ûu]t|ago(?:sto)?|sierpnia|sep(?:t(?:ember|embre|iembre)?)?|set(?:tembre)?|wrze[śs]nia"
    "|oct(?:ober|obre|ubre)?|okt(?:ober)?|ott(?:obre)?|pa[źz]dziernika|nov(?:ember|embre|iembre)?|listopada|dec(?:ember)?|dez(?:ember)?|d[ée]c(?:embre)?|dic(?:iembre|embre)?|grudnia|stycznia|lutego|marca|kwietnia"
    "|ene(?:ro)?|gen(?:naio)?|feb(?:rero|braio)?|abr(?:il)?|junio|julio|luglio|giugno"
)
_ORDINAL = (
    "(?:(?:twenty|thirty)[ -])?(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth)"
    "|tenth|eleventh|twelfth|(?:thir|four|fif|six|seven|eigh|nine)teenth|twentieth|thirtieth"
)
_DATE = (
    rf"(?:(?:{_ORDINAL})\s+(?:day\s+)?of\s+(?:{_MONTHS}),?\s+\d{{4}}|\d{{1,2}}(?:st|nd|rd|th|er|\.|º|°)?(?:\s+(?:of|de|di|del))?[\s\-/.,]{{1,3}}(?:{_MONTHS})\.?(?:\s+de|\s+del)?[\s\-/.,]{{1,3}}(?:\d{{4}}|'?\d{{2}}\b)"
    rf"|(?:{_MONTHS})\.?\s+\d{{1,2}}(?:st|nd|rd|th)?,?\s+\d{{4}}|\d{{4}}[\s\-](?:{_MONTHS})[\s\-]\d{{1,2}}"
    r"|(?:19|20)\d{2}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/. ]{1,2}\d{1,2}[-/. ]{1,2}(?:\d{4}|\d{2})(?!\d)|(?:19|20)\d{6}(?!\d)|\d{8}(?!\d))"
)
_BORN = (
    r"(?:\bborn(?:\s+on)?|\bdob\b|\bd\.o\.b\.?|\bdate\s*of\s*birth|\bdate_of_birth|\bdateofbirth|\bbirth[\s_\-]*date|\bbirthdate|\bbirthday|\bbday|\bb\.\s|\bgeb(?:oren|\.)?(?:\s+am)?|\bgeburts(?:datum|tag)|\bnée?(?:\(e\))?\s+le|\bnée?\s[^\W\d_][\w\'’-]+,?\s+le|\bdate\s+de\s+naissance"
    r"|\bnaissance|\banniversaire|\bnacid[oa](?:\s+el)?|\bnac(?:ió|í|imos|ieron)(?:\s+el)?|\bfecha\s+de\s+nac(?:imiento|\.)?|\bf\.\s?nac|\bnac\.|\bn\.\s(?=\d)|\bcumpleaños|\bnat[oa](?:\s+il)?|\bdata\s+di\s+nascita|\bnascita|\burodzon[aey](?:\s+dnia)?|\bur\.|\bdata\s+urodzenia|\burodzi[łl]\w*(?:\s+się)?(?:\s+dnia)?"
    r"|\burodzin\w*|\bgeboren(?:\s+op)?|\bgeboortedatum|\bgeb\.?\s?datum|\bverjaardag|\bdata\s+de\s+nascimento|\bnascid[oa]|\bf[øo]dt|\bf[öo]dd|\bfecha_nacimiento|(?<=\()\*\s?(?=\d)|(?<=[,;] )\*\s?(?=\d))"
)
_DOB = re.compile(rf"(?i){_BORN}(?P<gap>[^\n]{{0,40}}?|\s*\n\s*)(?<!\d)(?P<v>{_DATE})")
_IN_PART = re.compile(
    rf"(?i){_BORN}[\s:=(\"']{{1,3}}(?:(?:is|was|ist|war|est|es|è|jest|on|the|am|le|il|el|op|in|w|dnia|każdego)\b[\s:]{{1,2}}){{0,3}}"
    rf"(?P<v>\d{{1,2}}(?:st|nd|rd|th|er|\.|º|°)?\s(?:(?:of|de|di)\s)?(?:{_MONTHS})\b|(?:{_MONTHS})\b\.?\s\d{{1,2}}(?:st|nd|rd|th)?\b|(?:{_MONTHS})\b\.?[\s/\-'’.]{{1,2}}(?:\d{{4}}|\d{{2}})\b|\d{{1,2}}[/.\-]\d{{4}}\b|\d{{1,2}}[/.]\d{{1,2}}\b(?![/.\-]?\d)\.?)"
)
"""Born on July 4, DOB: May/58: a day without a year, or a month with one."""
_AGE_PAIR = re.compile(
    rf"(?i)(?<![\w])(?P<v>{_DATE})\s*(?:\(?(?:dob|date of birth|geb\.|b\.)\)?|(?:(?:in|zu|te)\s[\w ./-]{{2,30}}?\s)?geboren\b|(?:is|was|es|ist|est|è)\s(?:\w{{2,5}}\s){{1,2}}(?:date of birth|dob|birth ?day|birth ?date|geburtstag|cumpleaños|compleanno|anniversaire))"
)


_BEHIND_NAME = re.compile(
    rf"(?i)(?<![\w.-])(?-i:(?:(?P<first>[A-ZÀ-ÖØ-ÞŁŚŻŹĆ][^\W\d_]+)\s)?(?P<name>[A-ZÀ-ÖØ-ÞŁŚŻŹĆ][^\W\d_]+))\s\(\*?(?P<v>(?:\d{{1,2}}[-/.]\d{{1,2}}[-/.]|\d{{1,2}}\.?\s(?:de\s)?(?:{_MONTHS})\.?\s(?:de\s)?|(?:{_MONTHS})\.?\s\d{{1,2}},?\s)(?:19|20)\d\d|(?:19|20)\d\d-\d\d-\d\d)\)"
)
"""Thijs (11-06-2012): a day with its year and nothing else, directly behind a name."""
_GATE = Gate(
    {
        "named": r"[a-z] \([^()\n]*(?:19|20)\d\d",
        "birth": r"[(,;] ?\*\s?\d|born|dob|d\.o\.b|birth|bday|\bb\.|geb|né[e(]?|naissance|anniv|nac|cumplea|nat[oa]|nascit|urodz|\bur\.|verjaardag|nasc|f[øo]dt|f[öo]dd",
    }
)

_REACH = 120
"""Characters: a label may stand on the line before its date, or behind it."""


def births(text: str) -> Iterator[Entity]:
    """Dates of birth; one that two lines tell of comes twice."""
    present = _GATE.present(text)
    for match in _BEHIND_NAME.finditer(text) if "named" in present else ():
        if _is_name(match["name"].lower()) or match["first"] and _is_name(match["first"].lower()):
            yield _birth(match, "date behind a name")
    for start, end in _GATE.lines(text, ("birth",)) if "birth" in present else ():
        for match in _DOB.finditer(text, start, end + _REACH):
            if not re.search(r"\d{3,}", match["gap"]):
                yield _birth(match, "date of birth")
        for match in _IN_PART.finditer(text, start, end):
            yield _birth(match, "date of birth in part")
        for match in _AGE_PAIR.finditer(text, max(0, start - _REACH), end):
            yield _birth(match, "date of birth behind")


def _is_name(word: str) -> bool:
    return (is_first(word) or is_surname(word)) and not is_common(word) and not is_thing(word)


def _birth(match: "re.Match[str]", source: str) -> Entity:
    return Entity("DATE_OF_BIRTH", *match.span("v"), match["v"], 0.85, source)
