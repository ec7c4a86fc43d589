"""Passages that answer a question: by their words, by their meaning, and by both together."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from localagent.memory.words import expression, match_any, terms

if TYPE_CHECKING:
    from localagent.memory.store import Store
    from localagent.ports import Embedder

CANDIDATES = 40  # of each list
RANK_CONSTANT = 10  # of reciprocal rank fusion; chosen with WORDS_WEIGHT by tests/bench/bench_memory.py
WORDS_WEIGHT = 2.0
TITLE_WEIGHT = 0.6  # of a word in a file's name or a heading, against one in the text


@dataclass(frozen=True, slots=True)
class Found:
    """A passage with its place; `by` is "words", "meaning" or both of them."""

    path: str
    line: int
    last: int
    title: str
    text: str
    score: float
    by: str


async def search(store: Store, question: str, embedder: Embedder | None = None, *, limit: int = 5) -> list[Found]:
    """The best passages first; without an embedder, or without vectors, by words alone."""
    worded = by_words(store, question)
    meant = await by_meaning(store, question, embedder) if embedder is not None else []
    return _passages(store, _fused(store, question, worded, meant), worded, meant, limit)


def by_words(store: Store, question: str, limit: int = CANDIDATES) -> list[int]:
    """Passages by full text, best first."""
    wanted = match_any(question)
    if not wanted:
        return []
    sql = f"SELECT rowid FROM words WHERE words MATCH ? ORDER BY bm25(words, 1.0, {TITLE_WEIGHT}) LIMIT ?"
    return [row[0] for row in store.connection.execute(sql, (wanted, limit))]


async def by_meaning(store: Store, question: str, embedder: Embedder, limit: int = CANDIDATES) -> list[int]:
    """Passages by the nearness of their vectors, nearest first; none where not even the first is near.

    What has no letter means nothing: a number is near to every passage with another number.
    """
    if not any(map(str.isalpha, question)):
        return []
    rows = store.connection.execute("SELECT passage, vector FROM vectors ORDER BY passage").fetchall()
    if not rows:
        return []
    import numpy as np

    wanted = (await embedder.embed([question], query=True))[0]
    table = np.frombuffer(b"".join(row[1] for row in rows), dtype=np.float16).reshape(len(rows), -1)
    nearness = table.astype(np.float32) @ wanted
    if nearness.max() <= embedder.floor:
        return []
    best = np.argsort(-nearness, kind="stable")[:limit]
    return [rows[at][0] for at in best]


def _fused(store: Store, question: str, worded: Sequence[int], meant: Sequence[int]) -> dict[int, float]:
    """Reciprocal rank fusion, in which a passage found by words counts by how much of the question it holds.

    A question put in other words than the text shares a few chance words with many passages: that must not outvote the
    nearness in meaning. A number or a name that stands in the text word for word must.
    """
    scores = {id_: 1 / (RANK_CONSTANT + rank) for rank, id_ in enumerate(meant, 1)}
    held = _coverage(store, question, worded) if meant else dict.fromkeys(worded, 1.0)
    for rank, id_ in enumerate(worded, 1):
        scores[id_] = scores.get(id_, 0.0) + WORDS_WEIGHT * held[id_] ** 3 / (RANK_CONSTANT + rank)
    return scores


def _coverage(store: Store, question: str, ids: Sequence[int]) -> dict[int, float]:
    """How much of the question's words each of the passages holds, rare words counting more; 0 to 1."""
    total = max(1, store.counts()["passages"])
    held, whole = dict.fromkeys(ids, 0.0), 0.0
    for term in terms(question):
        sql = "SELECT rowid FROM words WHERE words MATCH ?"
        holding = {row[0] for row in store.connection.execute(sql, (expression(term),))}
        rarity = 1.0 - math.sqrt(min(1.0, len(holding) / total))
        whole += rarity
        for id_ in holding.intersection(held):
            held[id_] += rarity
    return {id_: value / whole if whole else 0.0 for id_, value in held.items()}


def _passages(
    store: Store, scores: dict[int, float], worded: Sequence[int], meant: Sequence[int], limit: int
) -> list[Found]:
    best = sorted(scores, key=lambda id_: (-scores[id_], id_))[:limit]
    words, meaning = set(worded), set(meant)
    found = []
    for id_ in best:
        row = store.passage(id_)
        if row is not None:
            found.append(Found(*row, scores[id_], _by(id_ in words, id_ in meaning)))
    return found


def _by(words: bool, meaning: bool) -> str:
    return "both" if words and meaning else "words" if words else "meaning"
