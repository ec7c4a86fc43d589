"""Whether the words before a call withhold it: refuse or forbid it, put it off, or ask the person for leave."""

from __future__ import annotations

import re
from collections.abc import Sequence

from localagent.calling import consent_words as consent
from localagent.calling import own_words as own
from localagent.calling import quoting_words as words
from localagent.calling import refusal_words as refusal
from localagent.calling.afterwords import DECORATION, SENTENCE

_VERB = re.compile(r"[^\W\d_]{3,}")
_FEW = 4  # words of a question that only asks for a yes


def sentences_of(before: str) -> list[str]:
    return [sentence for sentence in SENTENCE.split(consent.WAIVED.sub("", before)) if sentence.strip()]


def refuses(before: str) -> bool:
    """Whether a text ends with a refusal, which is an answer and shows nothing by itself."""
    return refuses_in(sentences_of(before[-400:]))


def value_of(line: str) -> str:
    """What a line of a form says: "rejected" in "Status: rejected"; another line as it is."""
    match = refusal.VALUE.match(line)
    return match["value"] if match else line


def refuses_in(sentences: Sequence[str]) -> bool:
    """Whether one of the last two sentences is a plain no, or says that the model refuses, and no later one goes on."""
    for at in range(len(sentences) - 1, max(-1, len(sentences) - 3), -1):
        sentence = sentences[at].strip(DECORATION)
        refused = refusal.REFUSED.search(sentence) or refusal.REFUSED.search(value_of(sentence))
        if refused and not turns(sentence, refused.end()):
            return not _answers_itself(sentences[:at], sentence)
        if _is_unwilling(sentence):
            return True
        if goes_ahead(sentence):
            return False
    return False


def _is_unwilling(sentence: str) -> bool:
    """Whether the model says that it will not do something, and more than what it leaves out or need not do again."""
    unwilling = refusal.UNWILLING.search(sentence)
    if unwilling is None or refusal.LIMITED.search(own.CLAUSE.split(sentence[unwilling.start() :])[0]):
        return False
    return not turns(sentence, unwilling.end())


def _answers_itself(before: Sequence[str], no: str) -> bool:
    """Whether a no answers a question of another kind than whether to make the call: "Should it stay? No."."""
    asked = before[-1].strip(DECORATION) if before else ""
    return asked.endswith(("?", "？")) and refusal.NO.match(no) is not None and not _asks_for_leave(asked, titled=False)


def asks(sentences: Sequence[str], last: str, *, titled: bool, heading: bool) -> bool:
    if last.endswith(("?", "？")) and _asks_for_leave(last, titled=titled):
        return True
    return bool((heading and consent.PERMISSION.match(last)) or _has_asked(sentences))


def _asks_for_leave(question: str, *, titled: bool) -> bool:
    """Whether a question asks whether to make the call, or about the call: also one of a few words for yes or no."""
    if consent.PERMISSION.search(question) or consent.ABOUT_THE_CALL.search(question):
        return True
    if not titled and consent.TO_THE_PERSON.search(question) and not consent.ECHO.match(question):
        return True
    short = len(question.split()) <= _FEW and not titled
    return short and consent.INTERROGATIVE.search(question) is None


def _has_asked(sentences: Sequence[str]) -> bool:
    """Whether the sentence before the last one asks for leave, and the last does not say that the model goes on."""
    if len(sentences) < 2:
        return False
    before = sentences[-2].strip(DECORATION)
    if before.endswith(("?", "？")) and consent.THEN.match(sentences[-1]):
        return True
    if goes_ahead(sentences[-1]):
        return False
    question = before.endswith(("?", "？")) and not consent.INTERROGATIVE.match(before)
    asked = question and consent.PERMISSION.search(before)
    return bool(asked or any(kind.search(before) for kind in (consent.CONDITION, refusal.UNDONE, consent.TO_YOU)))


def is_conditional(sentence: str) -> bool:
    """Whether a sentence, or the value that a line of a form gives, makes the call wait for somebody or something."""
    return any(consent.CONDITION.search(said) for said in (sentence, value_of(sentence)))


def is_forbidden(sentence: str) -> bool:
    forbidden = refusal.FORBIDDEN_CALL.search(sentence)
    if forbidden is None or refusal.OTHERS.match(sentence, forbidden.end()):
        return False
    return not turns(sentence, forbidden.end())


def speaks_against(sentence: str, tool: str) -> bool:
    """Whether a sentence says that something must not, would, or may only be done, or denies what the tool `tool` does.

    A tool that only finds something out is denied in words for what is not known yet.
    """
    sentence = words.HARMLESS_NEGATION.sub("", sentence)
    duty = refusal.NEGATED_DUTY.search(sentence)
    if duty and refusal.LIMITED.search(sentence, duty.start()):
        duty = None
    denied = (duty, refusal.RESERVED.search(sentence), refusal.UNDONE_IT.search(sentence))
    if any(found and not turns(sentence, found.end()) for found in denied):
        return True
    verb = _VERB.match(tool.casefold())
    if verb is None or verb[0] in own.FINDING:
        return False
    if refusal.REGRET.match(sentence) and not goes_ahead(sentence):
        return True
    at = sentence.casefold().find(verb[0][:4])
    if at < 0 or turns(sentence, at):
        return False
    around = own.CLAUSE.split(sentence[:at])[-1], own.CLAUSE.split(sentence[at:])[0]
    return any(refusal.AGAINST.search(part) for part in around)


def is_deferred(sentence: str) -> bool:
    """Whether a sentence of a word or two, or about what follows, puts it off."""
    if any(kind.search(sentence) for kind in (consent.TO_WAIT, consent.TO_YOU, consent.ON_HOLD)):
        return True
    if not consent.DEFERRED.search(sentence) or own.GOING_ON.search(sentence):
        return False
    return len(sentence.split()) <= 2 or words.THIS.search(sentence) is not None


def turns(sentence: str, at: int) -> bool:
    """Whether a new clause after `at` says what the model does instead."""
    clause = own.CLAUSE.search(sentence, at)
    return clause is not None and goes_ahead(sentence, clause.start())


def goes_ahead(said: str, at: int = 0) -> bool:
    return any(kind.search(said, at) for kind in (own.OWN, own.GOING_ON))
