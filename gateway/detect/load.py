"""Which finders a detector has; the heavy imports happen here, once a process."""

import os
import re
from collections.abc import Callable, Iterable, Sequence

from gateway.detect.entity import Entity
from gateway.detect.settings import DetectorSettings

Finder = Callable[[str], Iterable[Entity]]


def finders(settings: DetectorSettings, found: Sequence[Entity] = ()) -> list[tuple[str, Finder]]:
    """(name, finder) in the order in which they run.

    `found` grows by what each finds: names come behind the addresses and forms, whose words need no recogniser."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    plain = _patterns() + _custom(settings) + _names(settings, found) + _russian(settings)
    from gateway.detect.encoded import encoded_finder

    return [*plain, ("encoded", encoded_finder([finder for _, finder in plain]))]


def _patterns() -> list[tuple[str, Finder]]:
    from gateway.detect.addresses import Addresses
    from gateway.detect.dates import births
    from gateway.detect.fields import fields
    from gateway.detect.logins import logins
    from gateway.detect.national import NationalIds
    from gateway.detect.network import Network
    from gateway.detect.numbers import numbers
    from gateway.detect.phone_words import spoken_phones
    from gateway.detect.prose import Prose
    from gateway.detect.records import records
    from gateway.detect.secrets import Secrets

    return [
        ("secrets", Secrets()),
        ("prose", Prose()),
        ("network", Network()),
        ("national ids", NationalIds()),
        ("numbers", numbers),
        ("records", records),
        ("spoken phones", spoken_phones),
        ("births", births),
        ("addresses", Addresses()),
        ("fields", fields),
        ("logins", logins),
    ]


def _custom(settings: DetectorSettings) -> list[tuple[str, Finder]]:
    from gateway.detect.custom import custom_finders

    return [(f"custom {index}", finder) for index, finder in enumerate(custom_finders(settings))]


def _names(settings: DetectorSettings, found: Sequence[Entity]) -> list[tuple[str, Finder]]:
    from gateway.detect.names.apart import names_apart
    from gateway.detect.names.finder import Names
    from gateway.detect.names.ner import Recogniser, load
    from gateway.detect.names.places import Places

    recogniser = None
    if settings.ner:
        load()
        recogniser = Recogniser(settings.cache_size, settings.cache_seconds)
    finders: list[tuple[str, Finder]] = [("names", Names(recogniser, found)), ("names apart", names_apart)]
    if settings.organizations or settings.locations:
        places = Places(recogniser, organizations=settings.organizations, locations=settings.locations)
        finders.append(("places", places))
    return finders


def _russian(settings: DetectorSettings) -> list[tuple[str, Finder]]:
    if "ru" not in settings.languages:
        return []
    from gateway.detect.russian import russian_finders

    return [
        (f"russian {name}", _where_cyrillic(finder) if name in _RUSSIAN_WORDS else finder)
        for finder in russian_finders(settings)
        for name in (getattr(finder, "__name__", ""),)
    ]


_RUSSIAN_WORDS = frozenset(("find_births", "find_addresses", "find_people"))
_CYRILLIC = re.compile("[\u0400-\u04ff]")


def _where_cyrillic(finder: Finder) -> Finder:
    """Russian words have nothing to say about a text without a Cyrillic letter; the numbers are looked for everywhere."""

    def find(text: str) -> Iterable[Entity]:
        return finder(text) if not text.isascii() and _CYRILLIC.search(text) else ()

    return find
