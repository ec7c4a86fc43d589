"""The sample cases, ours and shared, and how a result is judged: as acceptance does."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from localagent.calling import AnswerPiece, CallPiece, Interpretation, Piece, StreamInterpreter, ThoughtPiece
from localagent.calling.cli import result_of, tools_from
from localagent.messages import ToolSpec

FOLDER = Path(__file__).parents[2] / "cases"
Case = dict[str, Any]


def load(name: str) -> list[Case]:
    return [json.loads(line) for line in (FOLDER / name).read_text(encoding="utf-8").splitlines()]


def every_case() -> list[Case]:
    """The shared sample, our own cases, those of another pair of eyes, and those in the shapes of public reports."""
    parts = ("", "_own", "_fresh", "_public", "_round")
    return [case for part in parts for case in load(f"tool_calls{part}.jsonl")]


def tools_of(case: Case) -> tuple[ToolSpec, ...]:
    return tools_from(case["tools"])


def is_right(reading: Interpretation, case: Case) -> bool:
    return any(_same(result_of(reading), wanted) for wanted in accepted(case))


def accepted(case: Case) -> list[dict[str, Any]]:
    return [case["expect"], *case.get("also_ok", [])]


def _same(result: dict[str, Any], wanted: dict[str, Any]) -> bool:
    if result.keys() != wanted.keys():
        return False
    if "final" in wanted:
        return bool(result["final"].split() == wanted["final"].split())
    return "error" in wanted or bool(result["calls"] == wanted["calls"])


def streamed(
    text: str, sizes: Iterator[int], tools: Sequence[ToolSpec], reason: str
) -> tuple[list[Piece], Interpretation]:
    """Pieces, neighbours of one kind joined, and the meaning of `text` fed in chunks of `sizes`."""
    stream, pieces, at = StreamInterpreter(tools), list[Piece](), 0
    while at < len(text):
        size = next(sizes)
        pieces += stream.feed(text[at : at + size])
        at += size
    reading = stream.close(reason)
    return joined([*pieces, *stream.tail]), reading


def joined(pieces: Sequence[Piece]) -> list[Piece]:
    result: list[Piece] = []
    for piece in pieces:
        last = result[-1] if result else None
        if isinstance(piece, AnswerPiece) and isinstance(last, AnswerPiece):
            result[-1] = AnswerPiece(last.text + piece.text)
        elif isinstance(piece, ThoughtPiece) and isinstance(last, ThoughtPiece):
            result[-1] = ThoughtPiece(last.text + piece.text)
        else:
            result.append(piece)
    return result


def shown(pieces: Sequence[Piece]) -> str:
    return "".join(piece.text for piece in pieces if not isinstance(piece, CallPiece))
