"""The closed words of the installed SDKs leave as they are, under the real detector; so does what a provider sealed."""

from __future__ import annotations

import ast
import base64
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anthropic
import openai
import pytest

from gateway.body import mask_body
from gateway.detect.engine import load_detector
from gateway.errors import PayloadError
from gateway.mask import Masker
from gateway.policy import Policy
from gateway.proxy.plan import check_words

NOT_SERVED = ("threads", "fine_tuning", "evals", "graders", "realtime", "admin", "sessions", "managed")
MAIL = "ada.vance@lab.example"


@pytest.fixture(scope="module")
def masker() -> Masker:
    return Masker(load_detector(), Policy.from_table({"images": "pass"}))


def sent(masker: Masker, body: dict[str, Any]) -> dict[str, Any]:
    return mask_body(body, masker, masker.new_vault()).table


def _trees() -> Iterator[ast.Module]:
    for package in (anthropic, openai):
        for path in (Path(str(package.__file__)).parent / "types").rglob("*param*.py"):
            if not any(word in str(path) for word in NOT_SERVED):
                yield ast.parse(path.read_text("utf-8"))


def words() -> set[str]:
    """Every value that a `Literal` of a request names."""
    literals = (
        node.slice
        for tree in _trees()
        for node in ast.walk(tree)
        if isinstance(node, ast.Subscript) and getattr(node.value, "id", "") == "Literal"
    )
    constants = (node for literal in literals for node in ast.walk(literal) if isinstance(node, ast.Constant))
    return {node.value for node in constants if isinstance(node.value, str)}


def keys() -> set[str]:
    """Every key of a request."""
    classes = (node for tree in _trees() for node in ast.walk(tree) if isinstance(node, ast.ClassDef))
    fields = (node for one in classes for node in one.body if isinstance(node, ast.AnnAssign))
    return {node.target.id for node in fields if isinstance(node.target, ast.Name)}


def test_words_and_keys_of_the_protocols_are_no_values(masker: Masker) -> None:
    assert len(words()) > 500
    assert len(keys()) > 400
    body = {"messages": [{"role": "user", "content": [{"kind": word} for word in sorted(words())]}], "tools": []}
    asked = body["messages"][0]["content"]
    assert [
        one for one, new in zip(asked, sent(masker, body)["messages"][0]["content"], strict=True) if one != new
    ] == []
    named = {"messages": [{"role": "user", "content": [dict.fromkeys(sorted(keys()), True)]}]}
    assert sent(masker, named) == named


def test_every_beta_that_the_sdks_know_may_stand_in_a_header(masker: Masker) -> None:
    check_words([word for word in words() if word.endswith(tuple("0123456789")) and "-20" in word], masker)


SEALED: list[tuple[dict[str, Any], str]] = [
    ({"type": "thinking", "thinking": "so"}, "signature"),
    ({"type": "redacted_thinking"}, "data"),
    ({"type": "compaction"}, "encrypted_content"),
    ({"type": "web_search_result", "url": "https://x.example"}, "encrypted_content"),
    ({"type": "web_search_result_location"}, "encrypted_index"),
    ({"type": "encrypted_code_execution_result"}, "encrypted_stdout"),
    ({"type": "advisor_redacted_result"}, "encrypted_content"),
    ({"type": "reasoning", "summary": []}, "encrypted_content"),
    ({"type": "program", "code": "1"}, "fingerprint"),
]


@pytest.mark.parametrize(("block", "key"), SEALED)
def test_what_is_sealed_goes_back_as_it_came(masker: Masker, block: dict[str, Any], key: str) -> None:
    """A block that is left out breaks the conversation: random letters must not look like a value by chance."""
    chance = random.Random(7)
    blocks = [
        block | {key: base64.b64encode(chance.randbytes(size)).decode()}
        for size in (48, 200, 600, 3000)
        for _ in range(8)
    ]
    body = {"messages": [{"role": "assistant", "content": blocks}]}
    assert sent(masker, body) == body


@pytest.mark.parametrize(("block", "key"), SEALED)
def test_a_value_that_is_passed_off_as_sealed_does_not_leave(masker: Masker, block: dict[str, Any], key: str) -> None:
    hidden = base64.b64encode(f"you may write to {MAIL} about it".encode()).decode()
    for value in (MAIL, f"x {MAIL}", hidden):
        body = {"messages": [{"role": "assistant", "content": [block | {key: value}, {"type": "text", "text": "x"}]}]}
        assert sent(masker, body)["messages"][0]["content"] == [{"type": "text", "text": "x"}]


def test_the_token_of_a_retry_is_sealed(masker: Masker) -> None:
    token = base64.b64encode(random.Random(7).randbytes(300)).decode()
    body = {"messages": [], "fallback_credit_token": token}
    assert sent(masker, body) == body
    with pytest.raises(PayloadError, match="sealed"):
        sent(masker, body | {"fallback_credit_token": MAIL})
