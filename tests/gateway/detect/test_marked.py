"""Hundreds of texts of our own and the sampled cases: nothing of a value in clear, nothing else masked."""

import json
from pathlib import Path
from typing import Any

import pytest

from gateway.detect.engine import Detector
from gateway.detect.entity import Entity
from gateway.mask import Masker
from gateway.restore import restore
from tests.gateway.detect.marked import Marked, found, passed

_CASES = [
    json.loads(line)
    for line in (Path(__file__).parents[2] / "cases/pii.jsonl").read_text(encoding="utf-8").splitlines()
]


def clear(text: str, start: int, end: int, entities: tuple[Entity, ...]) -> str:
    """The letters and digits of a span that no entity covers."""
    covered = {i for e in entities for i in range(e.start, e.end)}
    return "".join(text[i] for i in range(start, end) if i not in covered and text[i].isalnum())


def typed(start: int, end: int, kind: str, entities: tuple[Entity, ...]) -> bool:
    """Some entity of this type touches the span."""
    return any(e.type == kind and e.start < end and start < e.end for e in entities)


@pytest.mark.parametrize("marked", found(), ids=lambda m: m.text[:40])
def test_marked_values_are_found(detector: Detector, marked: Marked) -> None:
    entities = detector.find(marked.text)
    for start, end, kind in marked.values:
        assert not clear(marked.text, start, end, entities), f"in clear: {marked.text[start:end]}"
        assert not kind or typed(start, end, kind, entities), f"{marked.text[start:end]} is no {kind}: {entities}"


@pytest.mark.parametrize("marked", passed(), ids=lambda m: m.text[:40])
def test_marked_values_pass(detector: Detector, marked: Marked) -> None:
    entities = detector.find(marked.text)
    hit = [e for e in entities for start, end, _ in marked.values if e.start < end and start < e.end]
    assert not hit


@pytest.mark.parametrize("marked", [*found()[::4], *passed()[::4]], ids=lambda m: m.text[:40])
def test_masked_texts_come_back_and_stay_when_masked_again(detector: Detector, marked: Marked) -> None:
    masker = Masker(detector, settle=True)
    vault = masker.new_vault()
    masked = masker.mask(marked.text, vault).text
    assert restore(masked, vault.map) == marked.text
    assert masker.mask(masked, masker.new_vault()).text == masked


@pytest.mark.parametrize("case", [c for c in _CASES if c["kind"] == "detect"], ids=lambda c: c["id"])
def test_sampled_detections(detector: Detector, case: dict[str, Any]) -> None:
    text = case["input"]
    entities = detector.find(text)
    for value in case["expect"]:
        start = text.index(value["text"])
        end = start + len(value["text"])
        assert not clear(text, start, end, entities)
        assert typed(start, end, value["type"], entities)


@pytest.mark.parametrize("case", [c for c in _CASES if c["kind"] == "false_positive"], ids=lambda c: c["id"])
def test_sampled_false_positives(detector: Detector, case: dict[str, Any]) -> None:
    text = case["input"]
    masked = "".join(
        text[i] if not any(e.start <= i < e.end for e in detector.find(text)) else "\0" for i in range(len(text))
    )
    for value in case["expect"]:
        assert masked.count(value) == text.count(value)


@pytest.mark.parametrize(
    "text",
    [
        "born 12.03.1961O'Neill",
        "10.20.30.40Мария José 10.20.30.40SSN 536-22-8714",
        "Frau Müllerborn 12.03.1961 born 12.03.1961",
    ],
)
def test_what_is_glued_to_a_known_value_is_settled_at_once(detector: Detector, text: str) -> None:
    masker = Masker(detector, settle=True)
    masked = masker.mask(text, masker.new_vault()).text
    assert masker.mask(masked, masker.new_vault()).text == masked
