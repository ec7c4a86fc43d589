"""Names and addresses of vCards: N:Falconer;Imogen;;; and ADR:;;77 Hill View;Nairobi;;00505;Kenya."""

import re
from collections.abc import Iterator

from gateway.detect.entity import Entity

_LINE = re.compile(r"(?m)^(?P<key>N|FN|NICKNAME|ADR)(?:;[^:\n]{0,60})?:(?P<v>[^\r\n]{1,200})")
_PART = re.compile(r"[^;,]*\w[^;,]*")


def vcards(text: str) -> Iterator[Entity]:
    """Yield each part of each name and address."""
    for line in _LINE.finditer(text):
        kind = "ADDRESS" if line["key"] == "ADR" else "PERSON"
        for part in _PART.finditer(text, *line.span("v")):
            yield Entity(kind, *part.span(), part[0], 0.85, f"vcard: {line['key'].lower()}")
