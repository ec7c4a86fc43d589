"""Masking: one pass per text decides all spans, the replacement keeps everything else byte for byte.

The texts of a conversation are masked in order, so that a longer conversation has the same masked beginning. A value
that was found once is masked in all texts of the conversation, earlier ones included. A placeholder-shaped string of
the user is never issued; where it names one that was issued before, it is masked itself (type PLACEHOLDER), so that
restoring gives back exactly what was typed.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from gateway.detect.entity import Entity
from gateway.errors import BlockedError
from gateway.known import Known
from gateway.placeholder import LEFT, ending_after
from gateway.policy import Policy
from gateway.values import Prefix
from gateway.vault import Vault, identity

_SHAPED = re.compile(r"<[^\W\d_]\w{0,60}_[0-9]{1,6}>")
_ROUNDS = 4
_NUMBER_AFTER_WORD = re.compile(r"[^\W\d_](?:[\W_]|&#95;|u005f|%5f){0,4}[0-9]", re.IGNORECASE)


class Finder(Protocol):
    """What masking needs of a detector."""

    def find(self, text: str, *, language: str = "auto") -> tuple[Entity, ...]:
        """Entities sorted by start, without overlaps; DetectionError on any failure."""
        ...


@dataclass(frozen=True, slots=True)
class MaskedEntity:
    """One replaced value: `start` and `end` are code points of the original text."""

    type: str
    start: int
    end: int
    text: str
    placeholder: str
    source: str = ""
    score: float = 1.0


@dataclass(frozen=True, slots=True)
class Masked:
    """A masked text. `local` names found types that the policy keeps in the house: the text must not leave."""

    text: str
    entities: tuple[MaskedEntity, ...] = ()
    local: frozenset[str] = frozenset()

    @property
    def counts(self) -> dict[str, int]:
        """How many values of each type were replaced."""
        return dict(Counter(entity.type for entity in self.entities))


@dataclass(frozen=True, slots=True)
class Decision:
    """What is to be replaced in one text, and how many forms the vault knew when that was decided."""

    spans: list[Entity]
    order: int


class Masker:
    """Masks texts under one policy. It keeps nothing between calls: all state is in the vault."""

    def __init__(self, detector: Finder, policy: Policy | None = None, *, settle: bool = False) -> None:
        """With `settle` the masked text is looked at again until nothing more is found: masking it again changes
        nothing. It costs a second detection of what was changed, so that conversations do without."""
        self.detector = detector
        self.settle = settle
        self.policy = policy or Policy.from_profile("default")
        self._denied = _denied_pattern(self.policy)

    def new_vault(self) -> Vault:
        """An empty vault with the labels of the policy."""
        return Vault(self.policy.language)

    def mask(self, text: str, vault: Vault, *, language: str = "auto") -> Masked:
        """One text, after those that the vault has seen. Raises BlockedError, DetectionError."""
        return self.mask_many([text], vault, language=language)[0]

    def mask_many(self, texts: Sequence[str], vault: Vault, *, language: str = "auto") -> list[Masked]:
        """The texts of a conversation, in its order."""
        decided = [self.decide(text, vault, language=language) for text in texts]
        self.refuse_blocked(entity.type for decision in decided for entity in decision.spans)
        return [self.finish(text, decision, vault) for text, decision in zip(texts, decided, strict=True)]

    def finish(self, text: str, decision: Decision, vault: Vault, *, remember: bool = True) -> Masked:
        """Replaces what was decided and what later texts have shown; `remember` keeps the places for restoring."""
        spans = _with_late(text, decision.spans, vault, decision.order)
        masked, entities = _write(text, spans, vault)
        if _NUMBER_AFTER_WORD.search(text) and (extra := _composed(text, masked, entities, vault)):
            masked, entities = _write(text, sorted([*spans, *extra], key=lambda entity: entity.start), vault)
        if remember:
            _remember_places(masked, entities, vault)
        local = frozenset(e.type for e in entities if self.policy.action(e.type) == "local")
        return Masked(masked, tuple(entities), local)

    def decide(self, text: str, vault: Vault, *, language: str = "auto") -> Decision:
        """The spans of one text, numbered in the vault. The texts of a conversation must come in their order."""
        literals = _literals(text, vault)
        vault.reserve(text)
        found = self._find(text, vault, language)
        shaped = [match.span() for match in _SHAPED.finditer(text)]
        found = [piece for entity in found for piece in _outside(text, entity, shaped)]
        spans = _merge(text, [*literals, *found], vault.find_known(text), vault)
        before = vault.known.order
        for entity in spans:
            vault.placeholder(entity)
        if self.settle and spans:
            spans = self._settled(text, spans, vault, language)
        spans = _with_late(text, spans, vault, before)
        for entity in spans:
            vault.placeholder(entity)
        return Decision(spans, vault.known.order)

    def _settled(self, text: str, spans: list[Entity], vault: Vault, language: str) -> list[Entity]:
        for _ in range(_ROUNDS):
            masked, entities = _write(text, spans, vault)
            shaped = [match.span() for match in _SHAPED.finditer(masked)]
            found = [e for entity in self._find(masked, vault, language) for e in _outside(masked, entity, shaped)]
            if not found:
                break
            behind = _shifts(entities)
            moved = [replace(e, start=_original(behind, e.start), end=_original(behind, e.end)) for e in found]
            spans = _merge(text, [*spans, *moved], (), vault)
        return spans

    def _find(self, text: str, vault: Vault, language: str) -> list[Entity]:
        for words in self.policy.allow.values():
            for word in words:
                vault.allow(word)
        allowed = vault.allowed_spans(text)
        denied = [Entity(_type_of(match), *match.span(), match[0], 1.0, "policy.deny") for match in self._deny(text)]
        found = [
            entity
            for entity in self.detector.find(text, language=language)
            if self.policy.action(entity.type) != "allow"
            and not self.policy.passes(entity.type, entity.text)
            and not any(start <= entity.start and entity.end <= end for start, end in allowed)
        ]
        return [*denied, *found]

    def _deny(self, text: str) -> Iterable[re.Match[str]]:
        return self._denied.finditer(text) if self._denied else ()

    def refuse_blocked(self, types: Iterable[str]) -> None:
        """Raises BlockedError if the policy blocks any of these found types."""
        blocked = Counter(entity_type for entity_type in types if self.policy.action(entity_type) == "block")
        if blocked:
            what = ", ".join(f"{entity_type} ({count})" for entity_type, count in sorted(blocked.items()))
            raise BlockedError(f"the policy blocks {what}: take it out of the text, or change [policy]")


def _denied_pattern(policy: Policy) -> re.Pattern[str] | None:
    groups = [
        rf"(?P<{entity_type}>(?<!\w)(?:{'|'.join(map(re.escape, sorted(words, key=len, reverse=True)))})(?!\w))"
        for entity_type, words in policy.deny.items()
        if words
    ]
    return re.compile("|".join(groups), re.IGNORECASE) if groups else None


def _type_of(match: re.Match[str]) -> str:
    return match.lastgroup or "CUSTOM"


def _literals(text: str, vault: Vault) -> list[Entity]:
    """Strings of the text that restoring would take for placeholders issued before."""
    hits, _ = vault.grammar.scan(text)
    return [_literal(text, hit.start, hit.end) for hit in hits]


def _literal(text: str, start: int, end: int) -> Entity:
    return Entity("PLACEHOLDER", start, end, text[start:end], 1.0, "reserved", key=text[start:end])


def _outside(text: str, entity: Entity, shaped: Sequence[tuple[int, int]]) -> list[Entity]:
    """The parts of an entity outside placeholder-shaped strings, which stay as they are."""
    pieces, start = [], entity.start
    for left, right in (*shaped, (entity.end, entity.end)):
        if right < start or left > entity.end:
            continue
        pieces.append((start, min(max(left, start), entity.end)))
        start = max(start, right)
    if pieces == [(entity.start, entity.end)]:
        return [entity]
    trimmed = [_trim(text, *piece) for piece in pieces]
    return [
        replace(entity, start=start, end=end, text=text[start:end], key="", form="")
        for start, end in trimmed
        if any(char.isalnum() for char in text[start:end])
    ]


def _trim(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and not text[start].isalnum():
        start += 1
    while start < end and not text[end - 1].isalnum():
        end -= 1
    return start, end


def _merge(text: str, entities: Iterable[Entity], known: Iterable[Known], vault: Vault) -> list[Entity]:
    """One list without overlaps: what touches is joined, so that nothing of either is left in clear."""
    spans = [*entities, *(_as_entity(text, hit, vault) for hit in known)]
    spans.sort(key=lambda entity: (entity.start, -entity.end, entity.source == "known"))
    merged: list[Entity] = []
    for entity in spans:
        if merged and entity.start < merged[-1].end:
            merged[-1] = _join(text, merged[-1], entity)
        else:
            merged.append(entity)
    ends = [*(entity.start for entity in merged[1:]), len(text)]
    return [_with_ending(text, entity, end) for entity, end in zip(merged, ends, strict=bool(merged))]


def _as_entity(text: str, hit: Known, vault: Vault) -> Entity:
    """The known value keeps its placeholder, unless other separators make it another string (`Ada_Vance`)."""
    owner = hit.form.owner
    bare = Entity(vault.type_of(owner), hit.start, hit.end, text[hit.start : hit.end], 1.0, "known")
    same = " ".join(bare.text.casefold().split()) == " ".join(hit.form.text.casefold().split())
    return replace(bare, key=vault.key_of(owner)) if same or identity(bare) == vault.key_of(owner) else bare


def _join(text: str, first: Entity, second: Entity) -> Entity:
    if second.end <= first.end:
        return first
    longer = first if len(first.text) >= len(second.text) else second
    return replace(longer, start=first.start, end=second.end, text=text[first.start : second.end], key="", form="")


def _with_ending(text: str, entity: Entity, limit: int) -> Entity:
    """Takes in what restoring would take off behind the placeholder as a glued ending."""
    end = entity.end
    while ending := ending_after(text[end : min(limit, end + 12)], 0):
        end += len(ending)
    return entity if end == entity.end else replace(entity, end=end, text=text[entity.start : end], key="", form="")


def _with_late(text: str, spans: list[Entity], vault: Vault, before: int) -> list[Entity]:
    """Adds values that only later texts of the conversation have shown."""
    late = vault.find_known(text, since=before)
    free = [hit for hit in late if not any(e.start < hit.end and hit.start < e.end for e in spans)]
    if not late:
        return spans
    if len(free) == len(late):
        return sorted([*spans, *_merge(text, (), free, vault)], key=lambda entity: entity.start)
    return _merge(text, spans, late, vault)


def _write(text: str, spans: Sequence[Entity], vault: Vault) -> tuple[str, list[MaskedEntity]]:
    out: list[str] = []
    entities: list[MaskedEntity] = []
    done = 0
    for entity in spans:
        placeholder = vault.placeholder(entity)
        out += (text[done : entity.start], placeholder)
        done = entity.end
        entities.append(
            MaskedEntity(entity.type, entity.start, entity.end, entity.text, placeholder, entity.source, entity.score)
        )
    return "".join((*out, text[done:])), entities


def _composed(text: str, masked: str, entities: Sequence[MaskedEntity], vault: Vault) -> list[Entity]:
    """Text that reads as a placeholder only beside a replaced value: `MY_PERSON_1` after `MY_` was masked."""
    hits, _ = vault.grammar.scan(masked)
    if len(hits) == len(entities):
        return []
    behind = _shifts(entities)
    ours = {start for start, _, _ in behind}
    extra = [hit for hit in hits if hit.start not in ours]
    return [_literal(text, _original(behind, hit.start), _original(behind, hit.end)) for hit in extra]


def _shifts(entities: Sequence[MaskedEntity]) -> list[tuple[int, int, int]]:
    """For each placeholder: start and end in the masked text, and how much longer the masked text is behind it."""
    shift, places = 0, []
    for entity in entities:
        start = entity.start + shift
        shift += len(entity.placeholder) - (entity.end - entity.start)
        places.append((start, start + len(entity.placeholder), shift))
    return places


def _original(places: Sequence[tuple[int, int, int]], place: int) -> int:
    """An offset of the masked text, outside placeholders, in the original text."""
    index = bisect_right(places, place, key=lambda span: span[1])
    return place - (places[index - 1][2] if index else 0)


def _remember_places(masked: str, entities: Sequence[MaskedEntity], vault: Vault) -> None:
    prefix, done, values = Prefix(), 0, vault.map
    for entity, (start, _, _) in zip(entities, _shifts(entities), strict=True):
        prefix.update(masked[done:start])
        values.remember(entity.placeholder, entity.text, masked[max(0, start - LEFT) : start], prefix.digest())
        done = start
