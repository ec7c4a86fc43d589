"""The user's own patterns and word lists. A pattern that runs out of time is an error, never "no match"."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from gateway.detect.entity import Entity
from gateway.detect.settings import CustomPattern, DetectorSettings, WordList
from gateway.errors import ConfigError, DetectionError

Finder = Callable[[str], Iterable[Entity]]


def custom_finders(settings: DetectorSettings) -> list[Finder]:
    """One finder a pattern and a list; ConfigError names a pattern that does not compile."""
    finders: list[Finder] = [_pattern_finder(pattern, settings.regex_timeout) for pattern in settings.patterns]
    return finders + [_word_finder(words) for words in settings.words if words.words]


def _pattern_finder(pattern: CustomPattern, timeout: float) -> Finder:
    import regex

    try:
        compiled: Any = regex.compile(pattern.regex)
    except regex.error as error:
        raise ConfigError(
            f"custom pattern '{pattern.name}' is no regular expression: {error.msg}; correct it"
        ) from None

    def find(text: str) -> Iterator[Entity]:
        try:
            matches = list(compiled.finditer(text, timeout=timeout))
        except TimeoutError:
            raise DetectionError(
                f"custom pattern '{pattern.name}' ran longer than {timeout} s; simplify it, nothing was sent"
            ) from None
        for match in matches:
            start, end = match.span()
            if start < end:
                yield Entity(pattern.type, start, end, text[start:end], pattern.score, f"custom: {pattern.name}")

    return find


def _word_finder(words: WordList) -> Finder:
    compiled = whole_words(words.words)

    def find(text: str) -> Iterator[Entity]:
        for match in compiled.finditer(text):
            yield Entity(words.type, match.start(), match.end(), match.group(), 1.0, f"custom list: {words.name}")

    return find


def whole_words(values: Iterable[str]) -> Any:
    """A pattern of the values as whole words, in any case, the longest first; white space inside stands for any."""
    import regex

    parts = sorted({value.strip() for value in values if value.strip()}, key=len, reverse=True)
    alternatives = "|".join(r"\s+".join(regex.escape(word) for word in part.split()) for part in parts)
    return regex.compile(rf"(?i)(?<!\w)(?:{alternatives})(?!\w)")
