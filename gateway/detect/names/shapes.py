"""Names by their shape alone: surname first, initials behind, a signature in lower case, a ticket."""

import re
from collections.abc import Iterator

from gateway.detect.entity import Entity
from gateway.detect.languages import small_words
from gateway.detect.names.acts import STOP
from gateway.detect.names.judge import FIRM
from gateway.detect.names.kinds import is_club
from gateway.detect.names.lists import around, is_common, is_first, is_surname, is_thing, strong_first
from gateway.detect.names.scene import Scene
from gateway.detect.names.tokens import Word

_SURNAME_FIRST = re.compile(
    r"(?<![\w.])(?P<last>(?:[ODL]['’]|Mc|Mac)?[A-Z][^\W\d_]+(?:-[A-Z][^\W\d_]+)?), (?P<first>[A-Z][^\W\d_]+(?: [A-Z]\.?(?!\w)| [A-ZÀ-Þ]{2,})?)(?!\w)"
)
_CAPITAL_LEFT, _CAPITAL_RIGHT = re.compile(r"\b[A-Z][a-z]+ $"), re.compile(r" [A-Z][a-z]")
"""A list: Wells Fargo, Morgan Stanley."""
_LISTED_LEFT, _LISTED_RIGHT = re.compile(r"[A-Z][\w'’-]+, [A-Z][\w'’. -]*; ?$"), re.compile(r"; ?[A-Z][\w'’-]+, [A-Z]")
"""Another of the kind beside it: Sanchez, Rob; Mackie, Denise."""
_CLOSINGS = frozenset("love thanks cheers best regards hi hello dear hey morning evening yours".split())
_ARTICLE = re.compile(r"(?i)\b(?:the|an?) $")
_SURNAME_INITIALS = re.compile(r"(?<![\w.])(?P<last>[A-Z][^\W\d_]+(?:-[A-Z][^\W\d_]+)?), [A-Z]\.(?: ?[A-Z]\.)?")
_LOWER_INITIAL = re.compile(r"(?m)^[a-z]\. ?(?:[a-z]\. ?)?(?P<last>[a-z]{4,}(?:-[a-z]+)?)[ \t]*$")
_STROKE = re.compile(r"(?<![\w/])(?P<last>[A-Z]{2,})/(?P<first>[A-Z]{3,})(?![\w/])")
_SPELLED = re.compile(
    r"(?i:spel\w*|buchstabier\w*|épel\w*|deletre\w*)[^\n]{0,24}?(?P<v>\b[A-Za-z](?:(?:[-.]| ?- ?| )[A-Za-z]){2,20}\b)(?!\w)"
)
_TICKET = re.compile(r"(?<![\w/])[A-Z]{2,}(?:-[A-Z]+)?/[A-Z]{2,}(?: [A-Z]{2,})? ?(?:MRS?|MS|MISS|MSTR|DR|CHD|INF)\b")


_CLOSING = re.compile(
    r"(?im)^[ \t]*(?:cheers|thanks(?: again)?|thank you|many thanks|thx|ta|(?:all the )?best|best wishes|take care|talk soon|speak soon|(?:kind|best|warm) regards|regards|yours|love|xx?|lg|vg|mfg|viele grüße|liebe grüße|gruß|danke|merci|cordialement|bises|saludos|gracias|un saludo|grazie|un saluto|saluti|pozdrawiam|dzięki|groetjes?|groet|bedankt)[ \t]*[,.!]{0,2}[ \t]*\n{1,2}"
    r"[ \t]*[-–—~]{0,2}[ \t]?(?P<v>[^\W\d_]{2,15}(?: [^\W\d_]{1,15}){0,2})[ \t]*(?:x{1,3})?[ \t]*(?=\n|\Z)"
)
"""A whole short line behind the closing words of a letter."""


def person(text: str, start: int, end: int, score: float, reason: str) -> Entity:
    """The entity of a span."""
    return Entity("PERSON", start, end, text[start:end], score, f"name: {reason}")


def inverted(scene: Scene, parsed: list[Word]) -> Iterator[Entity]:
    """SMITH, JOHN and Smith, John A."""
    if not parsed:
        return
    text, small = scene.text, small_words(scene.language)
    for match in _SURNAME_FIRST.finditer(text, parsed[0].start, parsed[-1].end + 1):
        last, first = match["last"].lower(), match["first"].lower().split()
        listed = bool(
            _LISTED_LEFT.search(text, max(0, match.start() - 30), match.start())
            or _LISTED_RIGHT.match(text, match.end())
        )
        if (
            (
                strong_first(first[0])
                or listed
                and is_first(first[0])
                or len(first) > 1
                and strong_first(first[1])
                and not is_common(first[0])
            )
            and (is_surname(last) or is_surname(last.replace("'", "")) or not is_common(last))
            and not is_thing(last)
            and not strong_first(last)
            and last not in _CLOSINGS
            and (is_surname(last) or not _ARTICLE.search(text, max(0, match.start() - 4), match.start()))
            and last not in small
            and last not in around()["roles"]
            and not FIRM.match(text, match.end())
            and not text.startswith(" &", match.end())
            and not (
                _CAPITAL_LEFT.search(text, max(0, match.start() - 20), match.start())
                and _CAPITAL_RIGHT.match(text, match.end())
            )
        ):
            yield person(text, match.start(), match.end(), 0.75, "surname, first name")


_ENTRY = re.compile(
    r"(?m)(?:^(?P<bullet>[-*•] |\d{1,3}[.)] )?|(?<![^\W\d_])(?P<label>[^\W\d_]{2,20})[\"']?[ \t]?[:=|][ \t]?[\"']?)"
    r"(?P<v>(?P<last>(?:[ODL]['’]|Mc|Mac)?[A-Z][^\W\d_]+(?:-[A-Z][^\W\d_]+)?), (?P<first>[A-Z][^\W\d_]+)(?: [A-Z]\.?(?!\w))?)"
    r"(?=[\"']?[ \t]*(?:$|[(|;\t]|[-–—] ))"
)
"""What is all of a line, or of the value of a field: Hobbs, Verity - Middlemarch."""
_PEOPLE = 2
"""Lines that read so make a list of people."""


def _entries(text: str) -> Iterator[Entity]:
    """Vance, Ada behind `client =`, or line for line."""
    found = [match for match in _ENTRY.finditer(text) if _is_entry(match["last"].lower(), match["first"].lower())]
    lines = sum(match["label"] is None for match in found)
    for match in found:
        label = (match["label"] or "").lower()
        if label in around()["roles"] or label == "name" or not label and lines >= _PEOPLE:
            yield person(text, *match.span("v"), 0.85, "surname, first name")


def _is_entry(last: str, first: str) -> bool:
    surname = is_surname(last) or not is_common(last) and not is_first(last)
    barred = around()["calendar"] | around()["organizations"] | STOP
    return surname and is_first(first) and last not in barred and first not in barred and not is_thing(last)


def _surname_initials(text: str) -> Iterator[Entity]:
    """Sanchez, B."""
    for match in _SURNAME_INITIALS.finditer(text):
        last = match["last"].lower()
        if is_surname(last) and not is_common(last) and not is_thing(last):
            yield person(text, match.start(), match.end(), 0.7, "surname, initials")


def _signed(text: str) -> Iterator[Entity]:
    """A whole line `m. delacroix`."""
    for match in _LOWER_INITIAL.finditer(text):
        last = match["last"]
        if is_surname(last) and not is_common(last) and not is_thing(last):
            yield person(text, *match.span(), 0.65, "initial and surname in lower case")


def _closed(text: str) -> Iterator[Entity]:
    """thanks,\\npip"""
    for match in _CLOSING.finditer(text):
        names = match["v"].lower().split()
        alone = len(names) == 1 and match["v"].istitle() and names[0] not in STOP | around()["roles"] | _CROWD
        if alone or is_first(names[0]) or not any(is_common(name) or is_thing(name) for name in names):
            yield person(text, *match.span("v"), 0.7, "signature")


_CROWD = frozenset("team everyone all management support customer accounts sales admin".split())


def _boarding(text: str) -> Iterator[Entity]:
    """GARCIA/MARIA MRS of a ticket; without the title both words must be names."""
    for match in _TICKET.finditer(text):
        yield person(text, *match.span(), 0.8, "name on a ticket")
    for match in _STROKE.finditer(text):
        if strong_first(match["first"].lower()) and is_surname(match["last"].lower()):
            yield person(text, *match.span(), 0.7, "name on a ticket")


def _spelled(text: str) -> Iterator[Entity]:
    """spelled W-O-J-T-A-S"""
    for match in _SPELLED.finditer(text):
        yield person(text, *match.span("v"), 0.7, "name letter by letter")


_FAMILY = re.compile(
    r"\b[Tt]he (?P<v>[A-Z][a-z]{3,}s)(?= (?:and|are|were|have|had|live|lived|came|at|from|next|will|who)\b|[,;.!?]|$)"
)


def _families(text: str) -> Iterator[Entity]:
    """The Okafors: a surname in the plural."""
    for match in _FAMILY.finditer(text):
        whole, name = match["v"].lower(), match["v"][:-1].lower()
        known = is_surname(name) and not is_common(name) and not is_thing(name)
        if known and not is_common(whole) and not is_thing(whole) and not is_club(whole):
            yield person(text, *match.span("v"), 0.6, "family")


_SPEAKER = re.compile(
    r"(?m)^(?:[-*•] |(?P<time>\[?(?:\d[\d/.-]*,? )?\d{1,2}:\d\d(?::\d\d)?(?: ?[AaPp][Mm])?\]?(?: -)? ))?(?P<v>[A-Z][^\W\d_]{1,15}(?: [A-Z][^\W\d_]*\.?)?): (?=\S)"
)
_SERVICES = frozenset(
    "system bot slackbot admin jira github support server client user assistant agent info error warn warning debug".split()
)


def _said(text: str) -> Iterator[Entity]:
    """Who speaks in a chat: any unknown word behind a time; a name that is a word too, where others speak as well."""
    lines = list(_SPEAKER.finditer(text))
    sure = {match["v"] for match in lines if strong_first(match["v"].split()[0].lower())}
    for match in lines:
        first = match["v"].split()[0].lower()
        barred = is_thing(first) or first in _SERVICES or first in STOP
        timed = match["time"] and (not is_common(first) or is_first(first))
        if not barred and (timed or is_first(first) and len(sure - {match["v"]}) >= _PEOPLE):
            yield person(text, *match.span("v"), 0.65, "speaks in a chat")


SHAPES = {
    "initials": _surname_initials,
    "signed": _signed,
    "boarding": _boarding,
    "closed": _closed,
    "entries": _entries,
    "said": _said,
    "family": _families,
    "spelled": _spelled,
}
"""By what a text must hold for them."""
