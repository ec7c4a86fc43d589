"""How many tokens a request takes where no tokenizer can be asked."""

from __future__ import annotations

import json
from collections.abc import Iterator

from localagent.ports import Request

_PER_MESSAGE = 4  # role markers and line ends of a chat template


def estimate(request: Request) -> int:
    """A middle guess, within a third for prose and code: 4 ASCII characters a token, 2 of any other script."""
    pieces = list(_pieces(request))
    narrow = sum(_ascii(piece) for piece in pieces)
    wide = sum(map(len, pieces)) - narrow
    return narrow // 4 + wide // 2 + _PER_MESSAGE * len(request.messages)


def at_least(request: Request) -> int:
    """A floor: vocabularies hold no token that spans two words, so that each word is one token or more."""
    texts = [text for m in request.messages for text in (m.content, *(result.content for result in m.results))]
    return sum(len(text.split()) for text in texts)


def _pieces(request: Request) -> Iterator[str]:
    for message in request.messages:
        yield message.content
        for call in message.calls:
            yield call.name + json.dumps(call.arguments, ensure_ascii=False)
        for result in message.results:
            yield result.content
    for tool in request.tools:
        yield tool.name + tool.description + json.dumps(tool.parameters, ensure_ascii=False)


def _ascii(text: str) -> int:
    return len(text) if text.isascii() else sum(character < "\x80" for character in text)


__all__ = ["at_least", "estimate"]
