"""The lines of a file that come nearest to what a model took for its content."""

from __future__ import annotations

from difflib import SequenceMatcher

CONTEXT = 2
SCANNED = 5000  # lines


def nearest_lines(text: str, wanted: str) -> str:
    """The best matching lines with their numbers and a little around them; "" where nothing is alike."""
    rows = text.split("\n")[:SCANNED]
    target = next((line.strip() for line in wanted.split("\n") if line.strip()), "")
    if not target:
        return ""
    scores = [(_alike(row.strip(), target), -number) for number, row in enumerate(rows)]
    score, negative = max(scores)
    if score < 0.5:
        return ""
    at = -negative
    size = wanted.strip("\n").count("\n") + 1
    first, last = max(0, at - CONTEXT), min(len(rows), at + size + CONTEXT)
    return "\n".join(f"{number + 1}\t{rows[number][:300]}" for number in range(first, min(last, first + 40)))


def _alike(row: str, target: str) -> float:
    if not row:
        return 0.0
    matcher = SequenceMatcher(None, row[:300], target[:300], autojunk=False)
    return matcher.ratio() if matcher.real_quick_ratio() >= 0.5 and matcher.quick_ratio() >= 0.5 else 0.0
