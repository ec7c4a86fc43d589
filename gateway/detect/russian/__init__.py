"""Russian: identifiers, phones, dates of birth, addresses and names, and the grammar to restore names in their case."""

from collections.abc import Iterator

from gateway.detect.entity import Entity
from gateway.detect.russian.context import Finder
from gateway.detect.settings import DetectorSettings

__all__ = ["Finder", "russian_finders"]


def russian_finders(settings: DetectorSettings) -> list[Finder]:
    """The finders of this package, loaded and ready (about 1.5 s with the tagger). They hold no state of a text."""
    from gateway.detect.russian import accounts, addresses, births, ids, ner, phones, translit

    if settings.ner:
        ner.warm_up()
    return [
        ids.find_ids,
        accounts.find_accounts,
        accounts.find_plates,
        phones.find_phones,
        births.find_births,
        addresses.find_addresses,
        translit.find_latin,
        _people(settings),
    ]


def _people(settings: DetectorSettings) -> Finder:
    """Names, and where the settings ask for them towns and organisations: one run of the tagger serves all three."""
    from gateway.detect.russian import names, ner, towns

    def find_people(text: str) -> Iterator[Entity]:
        tagged = tuple(ner.spans(text)) if settings.ner else ()
        yield from names.find_names(text, tagged, public=settings.public_persons)
        if settings.locations:
            yield from towns.find_towns(text, tagged)
        if settings.organizations:
            yield from towns.find_organizations(text, tagged)

    return find_people
