"""A long text cut to its head and tail for the model, the whole of it kept where `read_file` finds it."""

from __future__ import annotations

import hashlib

from localagent.ports import ToolContext
from localagent.tools.paths import SCRATCH
from localagent.tools.words import say

HEAD_SHARE = 0.6


def fit(text: str, context: ToolContext) -> tuple[str, str | None]:
    """(what the model sees, the whole text or None where nothing was cut)."""
    if len(text) <= context.result_chars:
        return text, None
    return cut(text, context.result_chars, keep(text, context)), text


def keep(text: str, context: ToolContext) -> str:
    """Writes the text into the scratch folder under its own hash; returns the path for the model, "" without one."""
    if not context.scratch.parts:
        return ""
    context.scratch.mkdir(parents=True, exist_ok=True)
    content = text.encode("utf-8", "surrogateescape")
    name = f"{hashlib.sha256(content).hexdigest()[:10]}.txt"
    (context.scratch / name).write_bytes(content)
    return SCRATCH + name


def cut(text: str, limit: int, kept: str = "") -> str:
    """Head and tail of the text in at most about `limit` characters, at line ends where they are near."""
    head_end = _line_end(text, int(limit * HEAD_SHARE))
    tail_start = _line_start(text, len(text) - int(limit * (1 - HEAD_SHARE)))
    lines = text.count("\n", head_end, tail_start)
    values = {"chars": tail_start - head_end, "lines": lines, "path": kept, "line": text.count("\n", 0, head_end) + 1}
    note = say("cut_kept" if kept else "cut", **values)
    return f"{text[:head_end].rstrip()}\n{note}\n{text[tail_start:].lstrip()}"


def _line_end(text: str, near: int) -> int:
    found = text.rfind("\n", near // 2, near)
    return near if found < 0 else found + 1


def _line_start(text: str, near: int) -> int:
    found = text.find("\n", near, near + (len(text) - near) // 2)
    return near if found < 0 else found + 1
