"""A call as it was written: before its name is looked up and its arguments are checked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

Form = Literal["json", "text", "xml", "none"]


def form_of(value: Any) -> Form:
    """A string where an object should be is a bare text; anything else is JSON."""
    return "text" if isinstance(value, str) else "json"


@dataclass(frozen=True, slots=True)
class RawCall:
    """`form` says what `arguments` is: a JSON value, a bare text, a dict of texts (xml), or nothing at all.

    `beside` holds the other keys of the object that the call was written as.
    """

    name: str
    arguments: Any = None
    form: Form = "json"
    repairs: tuple[str, ...] = ()
    dialect: str = "json"
    beside: tuple[str, ...] = ()
