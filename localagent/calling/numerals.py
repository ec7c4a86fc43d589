"""Numbers that remember how they were written, so that no digit is lost and none is read two ways."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal, InvalidOperation


class RawFloat(float):
    """A float that remembers how it was written, for a schema that wants a string or an integer."""

    __slots__ = ("raw",)
    raw: str

    def __new__(cls, raw: str) -> RawFloat:
        self = super().__new__(cls, raw)
        self.raw = raw
        return self


@dataclass(frozen=True, slots=True)
class Padded:
    """007: a code, a decimal or an octal number. Only a schema that wants a string has one reading of it."""

    raw: str


def whole(value: float) -> int | None:
    """`value` as the integer that was written, None where a fraction was, however small."""
    try:
        exact = Decimal(value.raw if isinstance(value, RawFloat) else value)
        return int(exact) if exact == exact.to_integral_value() else None
    except (InvalidOperation, OverflowError, ValueError):
        return None
