"""What a detector is told: languages, switches, the user's own patterns and lists."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CustomPattern:
    """A pattern of the user; what it matches has type CUSTOM unless another type is named."""

    name: str
    regex: str
    type: str = "CUSTOM"
    score: float = 0.95


@dataclass(frozen=True, slots=True)
class WordList:
    """Words or phrases of the user that are always masked, whole words, in any case."""

    name: str
    words: tuple[str, ...]
    type: str = "CUSTOM"


@dataclass(frozen=True, slots=True)
class DetectorSettings:
    """Everything a detector depends on; hashable, so that equal settings share one loaded detector.

    `allow` holds whole values that pass (any case; an entry never opens part of a longer value).
    `timeout` is the seconds that 200,000 characters of a text may take, `regex_timeout` those of one custom pattern.
    `organizations` and `locations` add organisations and towns, which pass by default.
    """

    languages: tuple[str, ...] = ("en", "ru", "de", "fr", "es", "it", "pl", "nl")
    ner: bool = True
    patterns: tuple[CustomPattern, ...] = ()
    words: tuple[WordList, ...] = ()
    allow: tuple[str, ...] = ()
    public_persons: bool = True
    organizations: bool = False
    locations: bool = False
    threshold: float = 0.4
    timeout: float = 30.0
    regex_timeout: float = 1.0
    cache_size: int = 4096
    cache_seconds: float = 1800.0
