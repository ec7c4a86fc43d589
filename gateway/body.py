"""Masks a whole request body: one conversation, one vault, every text of it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from gateway import payload
from gateway.mask import Masker
from gateway.payload import Leaf
from gateway.pieces import is_piece, rows
from gateway.seams import on_seams
from gateway.vault import Vault
from gateway.views import Part, View, write


@dataclass(frozen=True, slots=True)
class MaskedBody:
    """The masked body. `counts` by type; `local` are found types that the policy keeps in the house.

    `dropped` counts signed thoughts that were left out, since they held what must not leave.
    """

    table: dict[str, Any]
    counts: dict[str, int]
    local: frozenset[str]
    dropped: int = 0


def mask_body(table: dict[str, Any], masker: Masker, vault: Vault, *, depth: int = payload.MAX_DEPTH) -> MaskedBody:
    """Masks every text. Raises BlockedError, DetectionError, PayloadError."""
    images = masker.policy.images
    collector = _Collector()
    payload.rewrite(table, collector.visit, images=images, depth=depth)
    collector.join_pieces()
    ordered = sorted(collector.views, key=lambda view: view.late)
    seen = [view.text for view in ordered]
    more = on_seams(seen, [view.goes_on for view in ordered], masker.detector)
    decided = masker.decide_all(seen, vault, shapes=[view.shape for view in ordered], more=more)
    open_ = [decision for view, decision in zip(ordered, decided, strict=True) if not view.sealed]
    masker.refuse_blocked(entity.type for decision in open_ for entity in decision.spans)
    texts: dict[int, list[str] | None] = {}
    counts: Counter[str] = Counter()
    local: set[str] = set()
    for view, decision in zip(ordered, decided, strict=True):
        masked = masker.finish(view.text, decision, vault)
        if view.sealed:
            held = any(entity.type != "PLACEHOLDER" for entity in masked.entities)
            texts[id(view)] = None if held else [view.text]
            continue
        texts[id(view)] = view.written(masked)
        counts.update(masked.counts)
        local |= masked.local
    leaves = iter(collector.leaves)
    dropped = sum(text is None for text in texts.values())

    def written(_: Leaf) -> str | None:
        view, part = next(leaves)
        new = texts[id(view)] if view else []
        return None if new is None else write(part, new)

    return MaskedBody(
        payload.rewrite(table, written, images=images, depth=depth), dict(counts), frozenset(local), dropped
    )


class _Collector:
    """Puts each leaf into a view: prose and sealed texts alone, the small ones of a group together, and the pieces of a
    value as one."""

    def __init__(self) -> None:
        self.views: list[View] = []
        self.leaves: list[tuple[View | None, Part]] = []
        self._pieces: dict[int, Leaf] = {}
        self._group = -1
        self._small: View | None = None
        self._last: Leaf | None = None

    def visit(self, leaf: Leaf) -> str:
        if is_piece(leaf.text):
            self._pieces[len(self.leaves)] = leaf
        if leaf.kind == "digits":
            self.leaves.append((None, leaf.text))
            return leaf.text
        if leaf.kind in ("prose", "sealed"):
            view = self._new(leaf)
        else:
            if self._small is None or leaf.group != self._group:
                self._small, self._group = self._new(leaf), leaf.group
            view = self._small
        self.leaves.append((view, view.add(leaf)))
        self._last = leaf
        return leaf.text

    def join_pieces(self) -> None:
        """Once all leaves are in: siblings that are a value together are looked at together."""
        for _, siblings in groupby(self._pieces.items(), key=lambda item: item[1].container):
            found = dict(siblings)
            span = range(min(found), max(found) + 1) if len(found) > 1 else ()
            fields = [(0, found[at].key, found[at].text) if at in found else (0, "", "") for at in span]
            for run, between in rows(fields):
                places = [span[at] for at in run]
                view = self._new(found[places[0]])
                parts = view.pieces([found[at].text for at in places], between)
                for at, part in zip(places, parts, strict=True):
                    self.leaves[at] = view, part

    def _new(self, leaf: Leaf) -> View:
        view = View(leaf.late, leaf.kind == "sealed", _is_block(leaf) and self._is_behind_a_block(leaf))
        self.views.append(view)
        return view

    def _is_behind_a_block(self, leaf: Leaf) -> bool:
        last = self._last
        return last is not None and _is_block(last) and (last.group == leaf.group or not (last.late or leaf.late))


def _is_block(leaf: Leaf) -> bool:
    """A text of a list of blocks, which the provider reads as one."""
    return leaf.kind == "prose" and leaf.key == "text"
