"""What a server says of itself, as Capabilities. Pure functions of its JSON: unknown stays None."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from localagent.config.models_toml import Entry
from localagent.models.values import count_of, dict_of
from localagent.ports import Capabilities

_SIZE = re.compile(r"(?<![A-Za-z0-9.])(\d+(?:[._]\d+)?)\s*([bm])(?![a-z0-9])", re.I)
_THINKS = ("<think>", "enable_thinking", "reasoning_content", "[THINK]", "<|channel|>")


def from_props(props: dict[str, Any], models: dict[str, Any]) -> Capabilities:
    """llama-server: `/props` has the window of a slot and the template, `/v1/models` the size."""
    window = _window(dict_of(props.get("default_generation_settings")).get("n_ctx"))
    template = str(props.get("chat_template") or "")
    parameters = count_of(dict_of(first_row(models).get("meta")).get("n_params"))
    images = dict_of(props.get("modalities")).get("vision")
    return Capabilities(
        context=window,
        context_source="/props" if window else "unknown",
        native_tools="tools" in template if template else None,
        thinking=any(mark in template for mark in _THINKS) if template else None,
        images=images if isinstance(images, bool) else None,
        grammar=True,
        parameters=parameters / 1e9 if parameters else parameters_in(str(props.get("model_path", ""))),
        template=template or None,
        loaded=True,
    )


def from_models(models: dict[str, Any], model: str) -> Capabilities:
    """vLLM and whatever lists a window in `/v1/models`."""
    row = row_of(models, model)
    window = _window(row.get("max_model_len") or row.get("context_length") or row.get("context_window"))
    return Capabilities(
        context=window,
        context_source="/v1/models" if window else "unknown",
        grammar=True if "max_model_len" in row else None,
        parameters=parameters_in(str(row.get("id") or model)),
    )


def from_lmstudio(row: dict[str, Any]) -> Capabilities:
    """LM Studio: a row of `/api/v0/models`; only a loaded model has a window that is served."""
    window = _window(row.get("loaded_context_length"))
    abilities = row.get("capabilities")
    return Capabilities(
        context=window,
        context_source="/api/v0/models" if window else "unknown",
        native_tools="tool_use" in abilities if isinstance(abilities, list) else None,
        images=row.get("type") == "vlm",
        grammar=True,
        parameters=parameters_in(str(row.get("id", ""))),
        loaded=row.get("state") == "loaded",
    )


def from_ollama(show: dict[str, Any], running: dict[str, Any], num_ctx: int) -> Capabilities:
    """Ollama: `/api/show` has abilities and size. What is loaded with another window is loaded anew for `num_ctx`."""
    abilities = show.get("capabilities")
    details, template = dict_of(show.get("details")), show.get("template")
    return Capabilities(
        context=min(num_ctx, trained_context(show) or num_ctx),
        context_source="num_ctx as sent",
        native_tools="tools" in abilities if isinstance(abilities, list) else None,
        thinking="thinking" in abilities if isinstance(abilities, list) else None,
        images="vision" in abilities if isinstance(abilities, list) else None,
        grammar=True,
        parameters=parameters_in(str(details.get("parameter_size", ""))),
        template=str(template) if template else None,
        loaded=bool(running),
    )


def trained_context(show: dict[str, Any]) -> int | None:
    """The window that an Ollama model was trained with."""
    info = dict_of(show.get("model_info") or show.get("modelinfo"))
    return next(
        (size for key, value in info.items() if key.endswith(".context_length") and (size := _window(value))), None
    )


def _window(value: Any) -> int | None:
    """A window in tokens; none has no room."""
    return count_of(value) or None


def as_configured(entry: Entry, probed: Capabilities) -> Capabilities:
    """What the entry says over what was probed; of two windows the smaller one counts."""
    known = probed
    if entry.context and (probed.context is None or entry.context < probed.context):
        known = replace(known, context=entry.context, context_source="models.toml")
    if entry.images is not None:
        known = replace(known, images=entry.images)
    if entry.grammar is False:
        known = replace(known, grammar=False)
    if entry.tools != "auto":
        known = replace(known, native_tools=entry.tools == "native")
    return known


def choose_dialect(entry: Entry, capabilities: Capabilities) -> str:
    """models.toml's word; for "auto" native tools where the model has them, otherwise the ReAct text dialect."""
    if entry.tools != "auto":
        return entry.tools
    if capabilities.native_tools is False:
        return "react"
    return "native" if capabilities.native_tools or entry.backend != "llama_cpp" else "react"


def parameters_in(text: str) -> float | None:
    """Billions of parameters that a name such as `qwen3:8b` or `135M` tells."""
    found = _SIZE.search(text)
    if found is None:
        return None
    size = float(found[1].replace("_", "."))
    return size / 1000 if found[2].lower() == "m" else size


def rows(models: dict[str, Any]) -> list[dict[str, Any]]:
    """The rows of a list of models that are rows."""
    data = models.get("data")
    return [row for row in data if isinstance(row, dict)] if isinstance(data, list) else []


def first_row(models: dict[str, Any]) -> dict[str, Any]:
    return next(iter(rows(models)), {})


def row_of(models: dict[str, Any], model: str) -> dict[str, Any]:
    """The row of `model`; a server with one model has it under any name."""
    found = rows(models)
    named = next((row for row in found if row.get("id") == model), None)
    return named or (found[0] if len(found) == 1 else {})


__all__ = [
    "as_configured", "choose_dialect", "first_row", "from_lmstudio", "from_models", "from_ollama", "from_props",
    "parameters_in", "row_of", "rows", "trained_context",
]  # fmt: skip
