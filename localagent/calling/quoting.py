"""Whether a call in full markup is shown rather than made: how it is introduced, commented on, and set apart.

Looser than `hedges`, which judges bare JSON: a model that writes labels or markers mostly means them, so only
words that report, forbid or disown a call count here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from localagent.calling import consent_words as consent
from localagent.calling import lead_lines, withheld
from localagent.calling import own_words as own
from localagent.calling import quoting_words as words
from localagent.calling.afterwords import DECORATION

_NEAR = 12  # characters from a negation to what it denies
_SHORT = 6  # words of a heading that only names what follows
_OPENED = re.compile(r"(?:```|~~~)\w*\Z")  # a fence that opens at the end of a line
_SHOWING_TAG = re.compile(
    r"<(?:logs?|documents?|doc|examples?|quote|blockquote|email|page|transcript|history|context|messages?|prompt"
    r"|mail|attachment|memory|snippet|samples?|(?:user|human|untrusted|external|web)\w*)>\s*\Z"
)
_ITEM = re.compile(r"\s*\n[ \t]*(?:[-*+•]|\d{1,2}[.)])\Z")  # of a list, whose heading stands over it
_WAS = re.compile(
    r"\A\s*(?:this|these) (?:was|were)\b|\b(?:was|were|held|had|got) (?:this|these|the following)[.:]?\Z", re.IGNORECASE
)
_STEM = re.compile(r"\b(?!this|that|with|from|what|when|will|here|have|your|name)([^\W\d_]{4})")
_SPEAKING = (
    own.OWN,
    own.STATUS,
    own.FETCHING,
    own.GOING_ON,
    own.MEANT,
    own.PURPOSE,
    own.HERE_IS,
    words.HARMLESS_REPORT,
)
_WORD = re.compile(r"[\u4e00-\u9fff]{2}|[^\W\u4e00-\u9fff]+")
_MARKUP_WORD = re.compile(
    r"parameters?|arg(?:ument)?s|function|invoke|tool_?calls?|action|input|name|call(?=:)|start_|\bjson\b"
    r"|(?<=[_▁])(?:calls?|begin|sep|end)",
    re.IGNORECASE,
)
_IS_NAMED = re.compile(r"\b(?:is|ist|est|es|это|是)[ :]*[\"'`*]{0,3}([^\W\d]\w*)[\"'`*]{0,3}\Z", re.IGNORECASE)
_NAME = re.compile(r"[^\W\d_]\w*")  # the first word of a call that is no markup


@dataclass(frozen=True, slots=True)
class _Lead:
    """What stands over a call: its sentences, the last of them or a title, and how that leads over to the call."""

    sentences: list[str]
    last: str
    leads: bool  # ends with a colon, or breaks off
    heading: bool
    titled: bool


def is_introduced(before: str, call: str = "", *, thought: bool = False) -> bool:
    """Whether the last sentence before a call reports it, gives it as an example, forbids it, or waits for a yes.

    A heading over it, also a title in Markdown, must speak of the model's own doing, or of what `call`, the beginning
    of the call, does.
    In a `thought` only a heading does: reasoning is full of reports and of what not to do.
    """
    if not before or before.isspace():
        return False
    opened = _OPENED.search(before.rstrip())
    before = before[: opened.start()] if opened else before
    if lead_lines.shows_what_follows(before, thought=thought):
        return True
    before = _ITEM.sub("", before.rstrip()[-400:])
    lead = _lead_of(before, fenced=opened is not None, thought=thought)
    if _SHOWING_TAG.search(before) or _is_labelled_as_shown(lead):
        return True
    if not lead.last or (thought and not lead.heading) or _is_what_the_tool_does(lead.last, call):
        return False
    if not thought and _is_withheld(lead, call):
        return True
    return _shows(lead, call, thought=thought)


def _lead_of(before: str, *, fenced: bool, thought: bool) -> _Lead:
    sentences = withheld.sentences_of(before)
    title = lead_lines.title_of(before)
    last = title or (sentences[-1].strip(DECORATION) if sentences else "")
    leads = last.endswith((":", "：")) or (not thought and not before.endswith(">") and _breaks_off(last))
    heading = leads or fenced or (not thought and _is_title(last))
    titled = bool(title) or (bool(sentences) and sentences[-1].lstrip("\n").startswith(("**", ">")))
    return _Lead(sentences, last, leads, heading, titled)


def _is_labelled_as_shown(lead: _Lead) -> bool:
    """Whether a title names an example, or a lead without content follows the wish to see something."""
    if lead.titled and words.EXAMPLE.search(lead.last):
        return True
    empty = len(lead.sentences) > 1 and own.EMPTY_LEAD.fullmatch(lead.last)
    return bool(empty and words.WISH_TO_SEE.search(lead.sentences[-2]))


def _is_withheld(lead: _Lead, call: str) -> bool:
    if withheld.asks(lead.sentences, lead.last, titled=lead.titled, heading=lead.heading):
        return True
    if withheld.is_deferred(lead.last) or withheld.refuses_in(lead.sentences):
        return True
    return withheld.speaks_against(lead.last, _name_in(call))


def _shows(lead: _Lead, call: str, *, thought: bool) -> bool:
    last = lead.last
    if withheld.is_conditional(last) or withheld.is_forbidden(last) or _is_reported(last, heading=lead.heading):
        return True
    if lead.heading and _heads_a_quotation(last, call, thought=thought):
        return True
    if thought:
        return False
    if _speaks_of_no_own_call(last) or _spoke_of_no_own_call(lead.sentences):
        return True
    if lead.leads:
        return not _names_a_call(last, call)
    return not lead.heading and _points_at_a_quotation(words.HARMLESS_REPORT.sub("", last))


def _speaks_of_no_own_call(sentence: str) -> bool:
    """Whether a sentence speaks of the call that follows, and neither makes it nor says that the person wants it."""
    if not words.OF_THE_CALL.search(sentence):
        return False
    if words.NEGATION.search(words.HARMLESS_NEGATION.sub("", sentence)):
        return own.GOING_ON.search(sentence) is None
    return not any(kind.search(sentence) for kind in (own.MAKING, own.GOING_ON, words.HARMLESS_REPORT))


def _spoke_of_no_own_call(sentences: Sequence[str]) -> bool:
    """Whether the sentence before the last one speaks of the call so, and the last one does not go on to make it."""
    if len(sentences) < 2 or any(kind.search(sentences[-1]) for kind in (own.MAKING, own.MEANT, own.GOING_ON)):
        return False
    return _speaks_of_no_own_call(sentences[-2].strip(DECORATION))


def _is_title(line: str) -> bool:
    """Whether a line is two words or three without a mark, as over a list."""
    return (
        line[-1:].isalnum() and ":" not in line and 2 <= len(_WORD.findall(line)) <= 3 and not withheld.goes_ahead(line)
    )


def _breaks_off(sentence: str) -> bool:
    """Whether a line of some words ends without a mark, or at a word that something must follow."""
    if words.LEADS_OVER.search(sentence):
        return True
    return sentence[-1:].isalnum() and len(_WORD.findall(sentence)) >= _SHORT


def _is_what_the_tool_does(sentence: str, call: str) -> bool:
    """Whether words that hold other calls back fit this one: to ask, before a tool that asks, or that all is done."""
    name = _name_in(call)
    asks = own.ASKING_TOOL.search(name) and own.ASKING.search(sentence)
    return bool(asks or (own.ENDING_TOOL.search(name) and own.ENDING.search(sentence)))


def _is_reported(sentence: str, *, heading: bool) -> bool:
    if not heading and own.LOOKING.match(sentence):
        return False
    sentence = words.HARMLESS_REPORT.sub("", sentence)
    found = words.FOUND.search(sentence)
    if not found or any(kind.search(sentence, found.end()) for kind in (own.MEANT, own.GOING_ON)):
        return False
    return heading or any(kind.search(sentence) for kind in (words.SOURCE, words.FOLLOWING))


def _points_at_a_quotation(sentence: str) -> bool:
    """Whether a whole sentence says of what follows that it is an example, or was done or said before."""
    example = words.EXAMPLE.match(sentence)
    if example and (sentence.count(" ") < 2 or words.ONLY.match(sentence, example.end())):
        return True
    if own.GOING_ON.search(sentence):
        return False
    if words.PREPARED.search(sentence) and not own.MEANT.search(sentence):
        return True
    negated = words.NEGATION.search(sentence)
    if negated and not words.EXAMPLE.search(sentence, negated.end() + _NEAR):
        return False
    this = words.THIS.search(sentence)
    if words.NAMED.search(sentence) and not own.CALLED.search(sentence):
        return True
    if words.TOLD.search(sentence) and words.FOLLOWING.search(sentence):
        return True
    if words.EXAMPLE.search(words.HARMLESS_FORMAT.sub("", sentence)):
        return bool(this or words.HERE.search(sentence)) and not own.OWN.search(sentence)
    past = words.PAST.search(sentence) or _WAS.search(sentence)
    return past is not None and this is not None and not own.MEANT.search(sentence, past.end())


def _names_a_call(heading: str, call: str) -> bool:
    """Whether a heading speaks of what the model itself does, or in a few words of the call or step that follows."""
    heading = heading.rstrip(":： ")
    if any(kind.search(heading) for kind in _SPEAKING):
        return True
    if (tool := _IS_NAMED.search(heading)) and re.search(rf"\b{re.escape(tool[1])}\b", call):
        return True
    if heading and f'"{heading.casefold()}"' in call.casefold():
        return True  # it is a value that the call is given
    said = _WORD.findall(words.HARMLESS_FORMAT.sub("", heading))
    if len(said) > _SHORT:
        return _shares_a_word(said[0], call)
    named = own.ODD_CALL.match(heading) is None and any(kind.search(heading) for kind in (own.CALLED, own.ACTIVITY))
    return named or _shares_a_word(heading, call)


def _shares_a_word(heading: str, call: str) -> bool:
    """Whether a heading says a word of the tool's name; the arguments of a call are said of others' calls as well."""
    said = {word[:4] for word in re.findall(r"[^\W\d_]{4,}", _name_in(call).casefold())}
    return not said.isdisjoint(_STEM.findall(heading.casefold()))


def _name_in(call: str) -> str:
    name = _NAME.search(_MARKUP_WORD.sub(" ", call))
    return name[0] if name else ""


def _heads_a_quotation(heading: str, call: str, *, thought: bool) -> bool:
    if words.REPORTED.search(heading) or words.REMADE.match(heading) or words.IDEA.match(heading):
        return True
    heading = words.HARMLESS_REPORT.sub("", heading)
    unreal = words.UNREAL.search(heading)
    if unreal and not withheld.goes_ahead(heading, 0 if thought else unreal.end()):
        return True
    unsure = consent.UNSURE.search(heading)
    if unsure and not withheld.turns(heading, unsure.end()):
        return True
    heading = words.HARMLESS_NEGATION.sub("", heading)
    negated = words.NEGATION.search(heading)
    if negated and not withheld.turns(heading, negated.end()):
        return True
    past = words.PAST.search(heading)
    if past and not withheld.goes_ahead(heading, past.end()):
        return True
    if own.OWN.search(heading) or own.FETCHING.match(heading) or _shares_a_word(heading.partition(" ")[0], call):
        return words.SHOWING.search(heading) is not None
    heading = words.HARMLESS_FORMAT.sub("", heading)
    kinds = (words.IGNORED, words.EXAMPLE, words.TOLD, words.SOURCE, words.DESCRIBED)
    return any(found and not withheld.turns(heading, found.end()) for kind in kinds if (found := kind.search(heading)))
