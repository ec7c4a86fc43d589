"""How many tokens a request takes where no tokenizer can be asked.

A token of today's vocabularies is a short word or a part of a long one, a digit, or a run of punctuation. What each of
them costs was fitted to a vocabulary of 150,000 tokens on prose, code, tables and mark-up in several scripts.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import lru_cache

from localagent.ports import Request

_PER_MESSAGE = 4  # role markers and line ends of a chat template
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[A-Z]")  # also the parts of a camelCase name
_LONG = 6  # letters of a word that are one token; the rest costs a little more
_LINE = re.compile(r"\s*\n\s*")
_MARKS = re.compile(r"[^\w\s]+|_+")
_DIGIT = re.compile(r"[0-9]")
_CYRILLIC = re.compile(r"[\u0400-\u04ff]+")
_IDEOGRAPH = re.compile(r"[\u3000-\u9fff\uac00-\ud7af]")
_OTHER = re.compile(r"[^\x00-\x7f\u0400-\u04ff\u3000-\u9fff\uac00-\ud7af]")


def estimate(request: Request) -> int:
    """Within a tenth for most texts; more for short ones and for scripts other than Latin and Cyrillic."""
    return round(sum(map(_tokens, _pieces(request)))) + _PER_MESSAGE * len(request.messages)


@lru_cache(maxsize=512)  # a history is counted anew at each step, and only its end is new
def _tokens(text: str) -> float:
    words, marks = _WORD.findall(text), _MARKS.findall(text)
    long = sum(len(word) - _LONG for word in words if len(word) > _LONG)
    latin = 0.94 * len(words) + 0.12 * long + 1.28 * len(_DIGIT.findall(text)) + 1.27 * len(_LINE.findall(text))
    ascii_ = latin + 0.37 * len(marks) + 0.33 * sum(map(len, marks))
    return ascii_ if text.isascii() else ascii_ + _beyond(text)


def _beyond(text: str) -> float:
    """What the letters cost that are not ASCII."""
    count = len(_IDEOGRAPH.findall(text)) * 0.33 + len(_OTHER.findall(text)) * 2.15
    return count + 2.03 * len(_CYRILLIC.findall(text))


def at_least(request: Request) -> int:
    """A floor: vocabularies hold no token that spans two words, so that each word is one token or more."""
    texts = [text for m in request.messages for text in (m.content, *(result.content for result in m.results))]
    return sum(len(text.split()) for text in texts)


def _pieces(request: Request) -> Iterator[str]:
    for message in request.messages:
        yield message.content
        for call in message.calls:
            yield f"{call.name}{call.arguments}"  # Python's own writing of it is as long as JSON's and quick
        for result in message.results:
            yield result.content
    for tool in request.tools:
        yield tool.name + tool.description + json.dumps(tool.parameters, ensure_ascii=False)


__all__ = ["at_least", "estimate"]
