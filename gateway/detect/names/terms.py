"""Words that look like a name of people and are none: laws, feasts, ships, types of a program, drugs, brands."""

import re

from gateway.detect.entity import Entity
from gateway.detect.names.kinds import is_brand
from gateway.detect.names.lists import around, strong_first
from gateway.detect.names.things import names_a_thing

_POSSESSED_TERM = re.compile(
    r"'s?(?:,? (?:and|or) [A-Z][\w-]+'s?){0,3} (?:\w+ )?(?:law|theorem|equation|principle|algorithm|paradox|syndrome|disease|(?P<anybody>rule|method|problem|test|model|formula|number)|constant|razor|lemma|conjecture|cipher|inequality|theory|ziekte|syndroom)\b",
    re.I,
)
_TERM = re.compile(
    r" (?:chain|telescope|theorem|transform|equation|algorithm|paradox|syndrome|lemma|conjecture|inequality|cipher|distribution|matrix|kernel|polynomial|formula|filter|triangle|algebra|heuristic|estimator|trial|diagram|sequence|series|syndroom|sequentie)s?\b"
)
_METHOD = re.compile(
    r" (?:method|noise|elimination|mechanics|coefficient|criterion|integral|mixture|blur|salad|disease|effect|equilibrium|curve|lymphoma|sarcoma|palsy|chorea|reflex|dementia|tumou?r|splint|correction|criteria|fracture|thyroiditis|phenomenon|score)s?\b"
)
_DECLARED = re.compile(
    r"[ \t]*(?:import [\w*{}, $.]+ from ['\"]|from [\w.]+ import \w|import (?:static )?\w+(?:\.\w+)+;"
    r"|(?:(?:public|private|abstract|final|export|default|static|data|sealed) )*(?:class|interface|struct|enum|trait) \w+[^\n]*[{:(]\s*(?:pass)?$)",
    re.M,
)
"""A line of code that names types: what looks like a name there is one of them."""
_STREETS = re.compile(r"(?:,? (?:and |& )?[A-Z][a-z]+){1,3} (?:[Ss]treets|[Aa]venues|[Rr]oads|Sts|Aves)\b")
"""The corner of Castro and Church streets."""
_FEAST = re.compile(
    r"'s (?:PTA|Primary|Academy|Hospice|Parish|College|Day|Eve|Church|Cathedral|Square|Hospital|Street|School|College|Park|Island)\b"
)
_HOLIDAYS = frozenset(("Valentine", "Patrick", "Andrew", "George", "David"))
_VERSION = re.compile(r" v?\d{1,2}\.\d")
"""Julia 1.10"""
_SAINT = re.compile(r"(?:San|Santa|Santo|São|Sankt|Saint|Sainte|Sint)[- ][A-Z][\w'’-]+")
"""San Marino, a town called after somebody."""
_SHIP = re.compile(r"\b(?:HMS|HMCS|RMS|USS|USNS|SS|MV|MT|MSC) $")
_SITE = re.compile(
    r"(?i)(?:\b(?:branch|city|town|site|location|country|state|county|product|model|brand|language|campus|terminal)[\"']?: ?[\"']?)$"
)
_DRUG = re.compile(
    r"(?:olol|prazole?|[aei]pril|sartan|statin|[ct]illin|[mt]ycin|floxacin|azole|azepam|oxetine|gliptin|gliflozin|formin|xaban|parin|mab|tinib|triptan|dipine|thiazide|profen|cycline|setron|lukast)$"
)
"""Stems of the international names of drugs."""


def is_term(text: str, entity: Entity, *, cued: bool) -> bool:
    """Newton's law names a law, a Markov chain a chain, St. Patrick's Day a day, Santa Clara a town, RMS Aurelia a ship."""
    if names_a_thing(text, entity) and not cued:
        return True
    left = text[max(0, entity.start - 6) : entity.start]
    if left.endswith(("San ", "Santa ")) or _SAINT.fullmatch(entity.text) and not cued:
        return True
    if " " in entity.text:
        return False
    if _SITE.search(text, max(0, entity.start - 16), entity.start):
        return True
    if _DECLARED.match(text, text.rfind("\n", 0, entity.start) + 1):
        return True
    if text[max(0, entity.start - 4) : entity.start].endswith(("St. ", "St ", "Saint ")):
        return bool(_FEAST.match(text, entity.end))
    if _SHIP.search(text, max(0, entity.start - 6), entity.start):
        return True
    if _VERSION.match(text, entity.end) or entity.text in _HOLIDAYS and _FEAST.match(text, entity.end):
        return True
    owned = _POSSESSED_TERM.match(text, entity.end)
    if owned and not (owned["anybody"] and strong_first(entity.text.lower())) or _METHOD.match(text, entity.end):
        return True
    if _STREETS.match(text, entity.end):
        return True
    return not strong_first(entity.text.lower()) and bool(_TERM.match(text, entity.end))


def is_known_thing(text: str, word: str) -> bool:
    """A drug, a brand, or Brookmoor where the text says Brookmoor Foods."""
    if _DRUG.search(word) or is_brand(word.lower()):
        return True
    behind = re.search(rf"\b{re.escape(word)} (?P<kind>[A-Z][a-z]+)", text) if " " not in word else None
    return behind is not None and behind["kind"].lower() in around()["organizations"]
