"""An operator for presidio-anonymizer, so that its users get the placeholders of this gateway.

Presidio replaces from the end of a text, which would number backwards: `anonymize` numbers first, in the order of the
text, and lets Presidio replace.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from presidio_anonymizer import AnonymizerEngine, OperatorConfig
from presidio_anonymizer.operators import Operator, OperatorType

from gateway.detect.entity import Entity
from gateway.vault import Vault


class PlaceholderOperator(Operator):  # type: ignore[misc]
    """Replaces a value by its placeholder; the parameter `vault` is the Vault of the conversation."""

    def operate(self, text: str = "", params: dict[str, Any] | None = None) -> str:
        """The placeholder of `text`."""
        given = params or {}
        vault: Vault = given["vault"]
        return vault.placeholder(Entity(given["entity_type"], 0, len(text), text, 1.0, "presidio"))

    def validate(self, params: dict[str, Any] | None = None) -> None:
        """ValueError without a vault."""
        if not isinstance((params or {}).get("vault"), Vault):
            raise ValueError("the operator placeholder needs the parameter vault")

    def operator_name(self) -> str:
        """The name in an OperatorConfig."""
        return "placeholder"

    def operator_type(self) -> OperatorType:
        """It anonymizes."""
        return OperatorType.Anonymize


def anonymize(text: str, results: Sequence[Any], vault: Vault) -> str:
    """`text` with the analyzer's `results` replaced by placeholders of `vault`, numbered in the order of the text."""
    vault.reserve(text)
    for result in sorted(results, key=lambda result: (result.start, -result.end)):
        value = text[result.start : result.end]
        vault.placeholder(Entity(result.entity_type, result.start, result.end, value, result.score, "presidio"))
    engine = AnonymizerEngine()
    engine.add_anonymizer(PlaceholderOperator)
    operators = {"DEFAULT": OperatorConfig("placeholder", {"vault": vault})}
    return str(engine.anonymize(text, list(results), operators).text)
