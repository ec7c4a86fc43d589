"""A rendered prompt, and how it is laid over the tokens that the context already holds."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

Tokenize = Callable[[str, bool], list[int]]  # text, whether special tokens are read → tokens


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of a prompt. `plain` text comes from outside: markers of the template in it are only text."""

    text: str
    plain: bool = False


@dataclass(frozen=True, slots=True)
class Prompt:
    spans: tuple[Span, ...]

    @property
    def data(self) -> bytes:
        return "".join(span.text for span in self.spans).encode("utf-8", "replace")

    @property
    def opens_thought(self) -> bool:
        """Whether the template has begun a thought that the reply goes on with (the R1 and Qwen3 thinking models)."""
        return bool(self.spans) and not self.spans[-1].plain and self.spans[-1].text.rstrip().endswith("<think>")

    def tokens(self, tokenize: Tokenize, start: int = 0) -> list[int]:
        """The tokens from byte `start` on, which lies between two characters."""
        found: list[int] = []
        for span in self.spans:
            data = span.text.encode("utf-8", "replace")
            if start < len(data):
                found += tokenize(data[start:].decode(), not span.plain)
            start = max(0, start - len(data))
        return found


@dataclass(slots=True)
class Kept:
    """The tokens in the context, each with the byte at which its text ends."""

    piece: Callable[[int], bytes]
    is_special: Callable[[int], bool]
    tokens: list[int] = field(default_factory=list)
    data: bytearray = field(default_factory=bytearray)
    ends: list[int] = field(default_factory=list)

    def extend(self, tokens: Sequence[int]) -> None:
        for token in tokens:
            self.tokens.append(token)
            self.data += self.piece(token)
            self.ends.append(len(self.data))

    def cut(self, count: int) -> None:
        """Keeps the first `count` tokens."""
        del self.tokens[count:], self.ends[count:]
        del self.data[self.ends[-1] if self.ends else 0 :]

    def lay(self, prompt: Prompt, tokenize: Tokenize) -> list[int]:
        """The prompt's tokens, with the sampled ones kept where the text is the same.

        A reply may be sampled in other tokens than its text would be cut into. Where the kept text is a prefix of
        the prompt its tokens stand; else they stand up to the last special token before the first difference,
        for there every tokenizer starts anew.
        """
        data = prompt.data
        same = common_prefix(self.data, data)
        count = bisect_right(self.ends, same)
        if not (count == len(self.tokens) and same == len(self.data)):
            while count and not self.is_special(self.tokens[count - 1]):
                count -= 1
        start = self.ends[count - 1] if count else 0
        return self.tokens[:count] + prompt.tokens(tokenize, start)


def common_prefix(a: Sequence[int] | bytes | bytearray, b: Sequence[int] | bytes | bytearray) -> int:
    """How many items at the front are the same, in few comparisons of slices."""
    low, high = 0, min(len(a), len(b))
    while low < high:
        middle = (low + high + 1) // 2
        if a[low:middle] == b[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
