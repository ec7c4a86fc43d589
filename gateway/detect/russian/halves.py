"""A passport in two fields, its series and its number: JSON, YAML, XML, a form. Alone neither says what it is."""

import re
from collections.abc import Iterator

from gateway.detect.entity import Entity

GATE = r"(?:series|seri[jy]?a|серия)\W"
"""What a text must hold (in the syntax of re2)."""
_BETWEEN = r"[\"']?\s*[:=>]\s*[\"']?"
_TWO_FIELDS = re.compile(
    rf"(?i)(?<!\w)(?:\w*_)?(?:series|seri[jy]?a|серия){_BETWEEN}(?P<series>\d{{2}} ?\d{{2}})[\"']?(?:</\w+>)?[,;]?\s*"
    rf"[\"'<]?(?:\w*_)?(?:number|nomer|num|no|номер){_BETWEEN}(?P<number>\d{{6}})(?!\w)"
)


def split_passports(text: str) -> Iterator[Entity]:
    """Both fields of each passport."""
    for match in _TWO_FIELDS.finditer(text):
        for field in ("series", "number"):
            yield Entity("RU_PASSPORT", *match.span(field), match[field], 0.85, "russian.halves")
