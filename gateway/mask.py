"""Masking: one pass per text decides all spans, the replacement keeps everything else byte for byte.

The texts of a conversation are masked in order, so that a longer conversation has the same masked beginning. A value
that was found once is masked in all texts of the conversation, earlier ones included. A placeholder-shaped string of
the user is never issued; where it names one that was issued before, it is masked itself (type PLACEHOLDER), so that
restoring gives back exactly what was typed.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from gateway.detect.entity import Entity
from gateway.errors import BlockedError
from gateway.facts import Facts, Kept, facts_of
from gateway.known import Known
from gateway.lastlook import Pieces
from gateway.placeholder import LEFT
from gateway.policy import Policy
from gateway.spans import MaskedEntity, literal, merge, original, outside, shifts
from gateway.values import Prefix
from gateway.vault import Vault

__all__ = ["Decision", "Finder", "Masked", "MaskedEntity", "Masker"]

_SHAPED = re.compile(r"<[^\W\d_]\w{0,60}_[0-9]{1,6}>")
_ROUNDS = 4

Shape = Callable[[list[Entity]], list[Entity]]
"""Cuts what was found to the parts of a text that may be replaced."""


class Finder(Protocol):
    """What masking needs of a detector."""

    def find(self, text: str, *, language: str = "auto") -> tuple[Entity, ...]:
        """Entities sorted by start, without overlaps; DetectionError on any failure."""
        ...


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


def _as_found(spans: list[Entity]) -> list[Entity]:
    return spans


@dataclass(frozen=True, slots=True)
class Decision:
    """What is to be replaced in one text, and how many forms the vault knew when that was decided."""

    spans: list[Entity]
    order: int
    shape: Shape = _as_found


class Masker:
    """Masks texts under one policy. All state of a conversation is in its vault; only hashes of texts are cached."""

    def __init__(self, detector: Finder, policy: Policy | None = None, *, settle: bool = False) -> None:
        """With `settle` the masked text is looked at again until nothing more is found: masking it again changes
        nothing. It costs a second detection of what was changed, so that conversations do without."""
        self.detector = detector
        self.settle = settle
        self.policy = policy or Policy.from_profile("default")
        self._denied = _denied_pattern(self.policy)
        self._facts = Kept(facts_of)
        self.pieces = Pieces()

    def new_vault(self, *, first: int = 1) -> Vault:
        """An empty vault with the labels of the policy, that numbers from `first` on."""
        return Vault(self.policy.language, first=first)

    def mask(self, text: str, vault: Vault, *, language: str = "auto") -> Masked:
        """One text, after those that the vault has seen. Raises BlockedError, DetectionError."""
        return self.mask_many([text], vault, language=language)[0]

    def mask_many(self, texts: Sequence[str], vault: Vault, *, language: str = "auto") -> list[Masked]:
        """The texts of a conversation, in its order."""
        decided = self.decide_all(texts, vault, language=language)
        self.refuse_blocked(entity.type for decision in decided for entity in decision.spans)
        return [self.finish(text, decision, vault) for text, decision in zip(texts, decided, strict=True)]

    def decide_all(
        self,
        texts: Sequence[str],
        vault: Vault,
        *,
        language: str = "auto",
        shapes: Sequence[Shape] = (),
        more: Sequence[list[Entity]] = (),
    ) -> list[Decision]:
        """Decides the texts of a conversation. What a text shows is looked for in those before it at once, so that
        numbers do not depend on what comes later. `more` was found in each text beside what the detector finds."""
        decided: list[Decision] = []
        facts: list[Facts] = []
        for index, text in enumerate(texts):
            before = vault.known.order
            shape = shapes[index] if shapes else _as_found
            decision = self.decide(text, vault, language=language, shape=shape, more=more[index] if more else ())
            if vault.known.order > before:
                for at, earlier in enumerate(decided):
                    if vault.known.may_find(facts[at], since=earlier.order):
                        decided[at] = _caught_up(texts[at], facts[at], earlier, vault)
            decided.append(decision)
            facts.append(self._facts.of(text))
        return decided

    def finish(self, text: str, decision: Decision, vault: Vault, *, remember: bool = True) -> Masked:
        """Replaces what was decided and what later texts have shown; `remember` keeps the places for restoring."""
        facts = self._facts.of(text)
        spans = decision.shape(_with_late(text, facts, decision.spans, vault, decision.order))
        masked, entities = _write(text, spans, vault)
        if vault.may_hold_placeholder(facts) and (extra := _composed(text, masked, entities, vault)):
            spans = decision.shape(sorted([*spans, *extra], key=lambda entity: entity.start))
            masked, entities = _write(text, spans, vault)
        if remember:
            _remember_places(masked, entities, vault)
        local = frozenset(e.type for e in entities if self.policy.action(e.type) == "local")
        return Masked(masked, tuple(entities), local)

    def decide(
        self,
        text: str,
        vault: Vault,
        *,
        language: str = "auto",
        shape: Shape = _as_found,
        more: Sequence[Entity] = (),
    ) -> Decision:
        """The spans of one text, numbered in the vault. The texts of a conversation must come in their order."""
        facts = self._facts.of(text)
        literals = _literals(text, vault) if vault.may_hold_placeholder(facts) else []
        vault.reserve(facts)
        found = self._find(text, vault, language, more)
        shaped = [match.span() for match in _SHAPED.finditer(text)]
        found = [piece for entity in found for piece in outside(text, entity, shaped)]
        before = vault.known.order
        spans = _issued(shape(merge(text, [*literals, *found], _known(text, facts, vault), vault)), vault)
        decision = _caught_up(text, facts, Decision(spans, before, shape), vault)
        return self._settled(text, facts, decision, vault, language) if self.settle and decision.spans else decision

    def _settled(self, text: str, facts: Facts, decision: Decision, vault: Vault, language: str) -> Decision:
        """With what is found only beside placeholders, and with what known values take in that touches them."""
        for _ in range(_ROUNDS):
            masked, entities = _write(text, decision.spans, vault)
            shaped = [match.span() for match in _SHAPED.finditer(masked)]
            found = [e for entity in self._find(masked, vault, language) for e in outside(masked, entity, shaped)]
            if not found:
                break
            behind = shifts(entities)
            moved = [replace(e, start=original(behind, e.start), end=original(behind, e.end)) for e in found]
            spans = _issued(decision.shape(merge(text, [*decision.spans, *moved], (), vault)), vault)
            decision = _caught_up(text, facts, replace(decision, spans=spans), vault)
        return decision

    def _find(self, text: str, vault: Vault, language: str, more: Sequence[Entity] = ()) -> list[Entity]:
        for words in self.policy.allow.values():
            for word in words:
                vault.allow(word)
        detected = (*self.detector.find(text, language=language), *more)
        allowed = vault.allowed_spans(text) if detected else []
        denied = [Entity(_type_of(match), *match.span(), match[0], 1.0, "policy.deny") for match in self._deny(text)]
        found: list[Entity] = []
        for entity in detected:
            if self._passes(entity, allowed):
                vault.let_pass(entity)
            else:
                found.append(entity)
        return [*denied, *found]

    def _passes(self, entity: Entity, allowed: Iterable[tuple[int, int]]) -> bool:
        return (
            self.policy.action(entity.type) == "allow"
            or self.policy.passes(entity.type, entity.text)
            or any(start <= entity.start and entity.end <= end for start, end in allowed)
        )

    def _deny(self, text: str) -> Iterable[re.Match[str]]:
        return self._denied.finditer(text) if self._denied else ()

    def refuse_blocked(self, types: Iterable[str]) -> None:
        """Raises BlockedError if the policy blocks any of these found types."""
        blocked = Counter(entity_type for entity_type in types if self.policy.action(entity_type) == "block")
        if blocked:
            what = ", ".join(f"{entity_type} ({count})" for entity_type, count in sorted(blocked.items()))
            raise BlockedError(f"the policy blocks {what}: take it out of the text, or change [policy]", blocked)


def _caught_up(text: str, facts: Facts, decision: Decision, vault: Vault) -> Decision:
    """With the values that the vault has learned since."""
    spans = _with_late(text, facts, decision.spans, vault, decision.order)
    if spans is not decision.spans:
        spans = _issued(decision.shape(spans), vault)
    return Decision(spans, vault.known.order, decision.shape)


def _issued(spans: list[Entity], vault: Vault) -> list[Entity]:
    """The spans, each with a placeholder now."""
    for entity in spans:
        vault.placeholder(entity)
    return spans


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
    return [literal(text, hit.start, hit.end) for hit in hits]


def _known(text: str, facts: Facts, vault: Vault, since: int = 0) -> list[Known]:
    return vault.find_known(text, since=since, facts=facts) if vault.known.may_find(facts, since=since) else []


def _with_late(text: str, facts: Facts, spans: list[Entity], vault: Vault, before: int) -> list[Entity]:
    """Adds values that only later texts of the conversation have shown; the same list where there are none."""
    starts = [entity.start for entity in spans]
    late = [
        hit
        for hit in _known(text, facts, vault, before)
        if not (at := bisect_right(starts, hit.start)) or spans[at - 1].end < hit.end
    ]
    if not late:
        return spans
    free = [hit for hit in late if not (at := bisect_left(starts, hit.end)) or spans[at - 1].end <= hit.start]
    if len(free) == len(late):
        return sorted([*spans, *merge(text, (), free, vault)], key=lambda entity: entity.start)
    return merge(text, spans, late, vault)


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
    behind = shifts(entities)
    ours = {start for start, _, _ in behind}
    extra = [hit for hit in hits if hit.start not in ours]
    return [literal(text, original(behind, hit.start), original(behind, hit.end)) for hit in extra]


def _remember_places(masked: str, entities: Sequence[MaskedEntity], vault: Vault) -> None:
    prefix, done, values = Prefix(), 0, vault.map
    for entity, (start, _, _) in zip(entities, shifts(entities), strict=True):
        prefix.update(masked[done:start])
        values.remember(entity.placeholder, entity.text, masked[max(0, start - LEFT) : start], prefix.digest())
        done = start
