"""gpt-oss's channels: analysis is thought, commentary to=functions.x is a call, final is the answer."""

from __future__ import annotations

import re

from localagent.calling import jsonladder
from localagent.calling.labels import LINE_START
from localagent.calling.rawcall import RawCall, form_of

# The header without its tokens, as it looks where they are not decoded.
_BARE = (
    rf"(?=[<act \t])(?:<\|channel\|>)?(?:{LINE_START}[ \t]{{0,4}}|(?<=[^\s\"'“`])(?=[ac]))"
    r"(?:(?:assistant)?(?:analysis|commentary)[ \t]{0,4})?"
    r"to=(?P<bare>functions\.[\w.\-]{1,80})[^{<\n]{0,40}\s{0,4}(?=\{)"
)
CHANNEL = re.compile(
    r"(?:<\|end\|>\s{0,4}(?=<\|start\|>\s{0,4}assistant))?(?:<\|start\|>\s{0,4}(?:assistant)?\s{0,4})?(?:\bto=(?P<before>[\w.\-:]{1,80})\s{0,4})?"
    r"<\|channel\|>[ \t]{0,4}(?P<channel>analysis|commentary|final)?(?P<rest>[^<\n]{0,80})"
    rf"(?:<\|constrain\|>[ \t]{{0,4}}\w{{0,20}}[ \t]{{0,4}})?<\|message\|>|{_BARE}"
)
ANALYSIS_END = re.compile(r"<\|(?:end|return)\|>|(?=<\|channel\|>|<\|start\|>assistant)")
_TO = re.compile(r"to=([\w.\-:]+)")


def recipient(match: re.Match[str]) -> str | None:
    """Whom a channel header addresses, None when it is prose."""
    found = _TO.search(match["rest"] or "")
    return match["bare"] or match["before"] or (found[1] if found else None)


def read(text: str, match: re.Match[str], name: str) -> tuple[RawCall, int]:
    """The call that a channel header addressed to `name` begins."""
    start = re.compile(r"\s*").match(text, match.end()).end()  # type: ignore[union-attr]
    if text.startswith(("<|", ""), start) and not text[start : start + 1].strip("<"):
        return RawCall(name, None, "none", (), "harmony"), start
    reading = jsonladder.read(text, start)
    return RawCall(name, reading.value, form_of(reading.value), reading.repairs, "harmony"), reading.end
