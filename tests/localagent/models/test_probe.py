"""What servers say of themselves, whatever they say: a window is a number of tokens or unknown, and nothing raises."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from localagent.models.probe import from_lmstudio, from_models, from_ollama, from_props, row_of

ODD = st.one_of(st.none(), st.booleans(), st.integers(-1, 10**30), st.floats(), st.text(max_size=3), st.just([{}]))
PROPS = {
    "default_generation_settings": {"n_ctx": 4096},
    "modalities": {"vision": True},
    "chat_template": "{{ tools }}",
    "model_path": "/m/qwen-1.5b.gguf",
}
MODELS = {"data": [{"id": "m", "max_model_len": 4096, "meta": {"n_params": 10**9}}]}
LOADED = {"id": "m", "loaded_context_length": 4096, "capabilities": ["tool_use"], "type": "vlm", "state": "loaded"}
SHOW = {
    "capabilities": ["tools"],
    "details": {"parameter_size": "1.5B"},
    "model_info": {"qwen2.context_length": 4096},
    "template": "{{ .Tools }}",
}


def broken(value: Any) -> st.SearchStrategy[Any]:
    """The value with any of its parts replaced by something odd."""
    whole: st.SearchStrategy[Any]
    if isinstance(value, dict):
        whole = st.fixed_dictionaries({}, optional={key: broken(part) for key, part in value.items()})
    elif isinstance(value, list):
        whole = st.tuples(*map(broken, value)).map(list)
    else:
        whole = st.just(value)
    return st.one_of(whole, whole, whole, ODD)


def as_object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


@settings(max_examples=150, deadline=None)
@given(props=broken(PROPS), models=broken(MODELS), loaded=broken(LOADED), show=broken(SHOW))
def test_an_odd_answer_leaves_things_unknown(props: Any, models: Any, loaded: Any, show: Any) -> None:
    for found in (
        from_props(as_object(props), as_object(models)),
        from_models(as_object(models), "m"),
        from_lmstudio(as_object(loaded)),
        from_ollama(as_object(show), {}, 8192),
    ):
        assert found.context is None or (type(found.context) is int and found.context > 0)
        assert (found.context_source == "unknown") is (found.context is None)
        for field in fields(found):
            if field.name in ("native_tools", "thinking", "images", "grammar"):
                assert getattr(found, field.name) in (None, True, False)


@pytest.mark.parametrize(("window", "known"), [(4096, 4096), (4096.0, 4096), (0, None), ("4096", None), (True, None)])
def test_a_window_is_a_number_of_tokens(window: Any, known: int | None) -> None:
    assert from_props({"default_generation_settings": {"n_ctx": window}}, {}).context == known
    assert from_models({"data": [{"id": "m", "max_model_len": window}]}, "m").context == known
    assert from_lmstudio(row_of({"data": [{"id": "m", "loaded_context_length": window}]}, "m")).context == known
