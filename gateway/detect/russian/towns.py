"""Towns and regions of Russian text: LOCATION, which passes unless the settings ask for it."""

import re
from collections.abc import Iterable, Iterator

from gateway.detect.entity import Entity
from gateway.detect.russian.ner import Span

_TOWN = re.compile(r"(?<![А-ЯЁа-яё])(?:г|гор|пос|пгт|дер)\.\s?(?P<town>[А-ЯЁ][а-яё]+(?:-[А-ЯЁа-яё]+)*)")


def find_towns(text: str, tagged: Iterable[Span]) -> Iterator[Entity]:
    """What the tagger calls a place, and what stands after `г.`."""
    for span in tagged:
        if span.type == "LOC":
            yield Entity("LOCATION", span.start, span.end, text[span.start : span.end], 0.7, "russian.towns")
    for match in _TOWN.finditer(text):
        yield Entity("LOCATION", *match.span("town"), match.group("town"), 0.7, "russian.towns")


def find_organizations(text: str, tagged: Iterable[Span]) -> Iterator[Entity]:
    """What the tagger calls an organisation, with the closing quote that it leaves out."""
    for span in tagged:
        if span.type == "ORG":
            end = (
                span.end + 1
                if text[span.start : span.end].count("«") > text[span.start : span.end].count("»")
                and text[span.end : span.end + 1] == "»"
                else span.end
            )
            yield Entity("ORGANIZATION", span.start, end, text[span.start : end], 0.65, "russian.organizations")
