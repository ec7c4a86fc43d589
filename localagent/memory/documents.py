"""Documents of a folder as Markdown: several in one process apart, and one by one where one of them spoils that."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from localagent.memory.store import NO_READER
from localagent.tools.apart import SECONDS, wait_apart
from localagent.tools.documents import to_markdown
from localagent.tools.tool import ToolFailure

TOGETHER = 16  # share the start of a process
PACKAGES = ("pypdf", "openpyxl", "bs4", "markdownify")  # of the extra `documents`
Document = tuple[Path, bytes]
Read = tuple[str, str]  # its Markdown and "", or "" and why there is none


def readers() -> str:
    """Which packages that read documents are installed."""
    return " ".join(name for name in PACKAGES if find_spec(name))


def read_documents(documents: Sequence[Document]) -> list[Read]:
    """In their order. Called from a thread, since it waits."""
    return [read for at in range(0, len(documents), TOGETHER) for read in _read(documents[at : at + TOGETHER])]


def _read(documents: Sequence[Document]) -> list[Read]:
    try:
        return wait_apart(SECONDS, _markdown, documents)
    except ToolFailure:
        if len(documents) == 1:
            return [("", "damaged")]
        return [read for document in documents for read in _read([document])]


def _markdown(documents: Sequence[Document]) -> list[Read]:
    return [_one(place, content) for place, content in documents]


def _one(place: Path, content: bytes) -> Read:
    try:
        return to_markdown(place, content, place.name), ""
    except ToolFailure as failure:
        return "", NO_READER if failure.kind == "failed" else "damaged"
