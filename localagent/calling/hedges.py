"""Whether the words around a bare call refuse it, or only show it."""

from __future__ import annotations

import re

from localagent.calling.own_words import GOING_ON, MEANT, WELCOME
from localagent.calling.quoting_words import HARMLESS_REPORT

_RUN = (
    r"(?:run|call|execut|use|using|invok|send|mak|perform|do |issu|trigger|вызыва|вызв|запуска|запуст|выполн|использ"
    r"|отправ|дела"
    r"|ausführ|aufruf|benutz|verwend|appel|exécut|utilis|llam|ejecut)"
)
_REFUSED = re.compile(
    r"(?:\b(?:won['’]t|will not|would not|wouldn['’]t|can['’]?t|cannot|can not|must not|mustn['’]t|should not"
    r"|shouldn['’]t|do not|don['’]t"
    r"|did not|didn['’]t|not going to|refuse to|never|instead of|rather than|without|unable to|not allowed to"
    r"|avoid)\s+(?:\w+\s+){0,2}?"
    rf"{_RUN}|\b(?:не|нельзя|отказываюсь)\s+(?:\w+\s+){{0,2}}?{_RUN}|\bnicht\s+(?:\w+\s+){{0,2}}?{_RUN}"
    rf"|\bne\s+(?:\w+\s+){{0,3}}?(?:pas\s+)?{_RUN}|\bno\s+(?:voy a|puedo|debo)\s+(?:\w+\s+){{0,2}}?{_RUN})",
    re.IGNORECASE,
)
_SHOWN = re.compile(
    r"\b(?:for example|for instance|e\.g\.|an example|example of|example call|sample call|as an example"
    r"|look(?:s|ed)? like|would look|such as"
    r"|the format is|format of|syntax|you (?:can|could|may|might|would|should)|one (?:can|could|would)"
    r"|if you (?:want|wish|need|like|would)"
    r"|you['’]d|aussehen|(?:wäre|hätte)n?|выглядел\w*|был[оаи]? бы|ressemblerait|(?:aur|ser)ait|se vería|(?:habr|ser)ía"
    r"|(?:would|could|might) have (?:\w+ed|been|sent|run)|i would (?:call|use|send|run)|(?:already|previously"
    r"|earlier) (?:called|ran|run|sent|executed|used)"
    r"|suggest\w*|recommend\w*|asked for|hypothetical\w*|например|пример\w*|к примеру|вы можете"
    r"|можно (?:было бы )?\w+|если хотите|выглядит|можете"
    r"|zum beispiel|beispiel|par exemple|por ejemplo|ejemplo)\b",
    re.IGNORECASE,
)
_QUESTION = re.compile(r"\?\s*\Z")
_ASKED = re.compile(
    r"\b(?:shall i|should i|would you like|do you want|let me know|is (?:this|that) (?:ok|right|correct)"
    r"|хотите|подтвердите"
    rf"|would (?:return|give|be(?! {WELCOME})))\b",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[.!?…])\s+|\n\s*\n")


def is_hedged(before: str, after: str) -> bool:
    """Whether the sentence before a call, or the text after it, says that it is not to be run."""
    last = HARMLESS_REPORT.sub("", _last_sentence(before))
    for words in (_REFUSED, _SHOWN, _ASKED):
        match = words.search(last)
        if match and not any(kind.search(last, match.end()) for kind in (MEANT, GOING_ON)):
            return True
    beginning = after[:400]
    return bool(
        _REFUSED.search(beginning)
        or _SHOWN.search(beginning)
        or _ASKED.search(beginning)
        or _ASKED.search(after[-200:])
        or _QUESTION.search(after[-200:])
    )


def is_announced(before: str) -> bool:
    """Whether the sentence before a call says that the model makes one."""
    return MEANT.search(_last_sentence(before)) is not None


def _last_sentence(before: str) -> str:
    return _SENTENCE.split(before.rstrip()[-400:])[-1]
