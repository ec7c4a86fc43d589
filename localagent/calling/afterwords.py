"""What is said after a call: whether it takes the call back, or is the rest of the sentence that the call stands in."""

from __future__ import annotations

import re

from localagent.calling import consent_words as consent
from localagent.calling import own_words as own
from localagent.calling import quoting_words as words
from localagent.calling import refusal_words as refusal
from localagent.calling.labels import LABEL
from localagent.calling.normalise import END

WINDOW = 800
SENTENCE = re.compile(r"(?<=[.!?…。！？])\s+|\n\s*\n|(?<=[。！？])")
SENTENCE_END = re.compile(r"[.!?…。！？][\"'”’)*_`]*\s*\Z")
_MARKS = " \t\n*_`~>-#\"'“”"
DECORATION = f"{_MARKS}()[]"
_TAG = re.compile(r"</?\w{1,40}>")  # <answer>, which says nothing
_ATTRIBUTED = re.compile(
    r"\s*(?:[(—–]|(?:the|an?|my|your|their|tool|der|die|das|ein|eine|le|la|les|l['’]|un|une|el|los|las|una)\b)",
    re.IGNORECASE,
)
_BULLET = re.compile(r"\s*(?:[-*+•]|\d{1,2}[.)])[ \t]+")


def is_disowned(after: str) -> bool:
    """Whether the words after a call refuse it, ask about it, or say whose it is.

    What a model says there of its own is that it waits, or the result that it imagines.
    """
    after = after.strip(_MARKS)
    if not after:
        return False
    if words.PREDICATE.match(after):
        return True
    if words.CONTINUED.match(after) and not is_own(after):
        return True
    if after.endswith(("?", "？")) or words.POINTING.search(words.HARMLESS_POINTING.sub("", after)):
        return True
    if words.NEGATION.search(words.HARMLESS_NEGATION.sub("", after)):
        return True
    after = words.HARMLESS_PROMISE.sub("", after)
    if any(
        kind.search(after)
        for kind in (words.IGNORED, words.EXAMPLE, consent.CONDITION, refusal.FORBIDDEN_CALL, consent.ON_HOLD)
    ):
        return True
    return any(map(_names_a_source, SENTENCE.split(after)))


def is_own(after: str) -> bool:
    """Whether the first sentence after a call says what the model itself does."""
    return own.OWN.search(SENTENCE.split(after)[0]) is not None


def _names_a_source(sentence: str) -> bool:
    """A text is named, as the one in hand, or with words that say that something comes from it or stands there.

    What will be is no source, but the result that the model foresees.
    """
    if not words.SOURCE.search(sentence) or any(kind.search(sentence) for kind in (own.OWN, words.WILL)):
        return False
    return any((_ATTRIBUTED.match(sentence), words.ORIGIN.search(sentence), words.FOUND.search(sentence)))


def is_in_sentence(before: str, after: str, following: str) -> bool:
    """Whether a sentence or a list goes on over a call: `before` and `after` are its line, `following` what comes."""
    before, after, following = (_TAG.sub("", part) for part in (before, after, following))
    if not before.strip():
        return False
    if _BULLET.fullmatch(before) and _BULLET.match(following):
        return True
    return goes_on_in_words(following) or bool(after.strip() and not SENTENCE_END.search(before))


def goes_on_in_words(after: str) -> bool:
    """Whether what follows a call is no sentence of its own, but the rest of the one that the call stands in."""
    begins = after.lstrip()[:1]
    return begins.islower() or begins in tuple(",;:)")


def words_after(text: str, at: int) -> str:
    """What is said after a call that ends at `at`, up to the next label or end of turn; at most `WINDOW` characters."""
    ends = [min(len(text), at + WINDOW)]
    for pattern in (LABEL, END):
        if match := pattern.search(text, at, ends[0]):
            ends.append(match.start())
    return text[at : min(ends)]
