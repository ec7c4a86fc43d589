"""What Markdown sets apart: quotations and blocks of code, in which a call is shown."""

from __future__ import annotations

import re

from localagent.calling.afterwords import SENTENCE_END, WINDOW
from localagent.calling.labels import LABEL, kind_of
from localagent.calling.normalise import END

_QUOTE_LINE = re.compile(r"[ \t]{0,3}>(?!>>\w)")
_INDENTED = re.compile(r"(?: {4}|[ ]{0,3}\t)")
_QUOTE_BLOCK = re.compile(r"(?:[ \t]*>[^\n]*(?:\n|\Z))+")


def is_set_apart(text: str, line: int) -> bool:
    """Whether the line that begins at `line` is in a Markdown quotation, or in a block of code by its indentation.

    Right under a sentence that has ended an indented line is no code: Markdown takes both for one paragraph.
    """
    if _QUOTE_LINE.match(text, line):
        return True
    first = max(0, line - WINDOW)
    while line > first and _INDENTED.match(text, line):
        begins = max(first, text.rfind("\n", first, line - 1) + 1)
        above = text[begins : line - 1].rstrip()
        if not _INDENTED.match(above) and not (above and SENTENCE_END.search(above)):
            return True
        line = begins
    return 0 < line <= first


def quotation_at(text: str, line: int) -> int | None:
    """Where the block quotation that the line beginning at `line` opens ends; None where there is none."""
    block = _QUOTE_BLOCK.match(text, line)
    return block.end() if block else None


def goes_on(text: str, at: int) -> bool:
    """Whether a reply has more to say of its own after a quotation that ends at `at`."""
    rest = re.compile(r"\s*").match(text, at).end()  # type: ignore[union-attr]
    if rest >= len(text) or END.match(text, rest) or text.startswith(("```", "~~~"), rest):
        return False
    label = LABEL.match(text, text.rfind("\n", 0, rest) + 1)
    return label is None or kind_of(label) not in ("input", "observation")
