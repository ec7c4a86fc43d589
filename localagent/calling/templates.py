"""The dialect that a chat template asks for, read from the marks that it writes."""

from __future__ import annotations

# The first mark that a template holds decides; marks that several families share come last.
_MARKS = (
    ("<start_function_call>", "gemma"),
    ("<|tool_call>", "gemma"),
    ("<|channel|>", "harmony"),
    ("<|tool_calls_section_begin|>", "kimi"),
    ("<｜tool▁call", "deepseek"),
    ("<｜DSML｜", "deepseek"),
    ("<|START_ACTION|>", "command"),
    ("<|tool_call_start|>", "lfm"),
    ("<TOOLCALL>", "nemotron"),
    ("[TOOL_CALLS]", "mistral"),
    ("<arg_key>", "glm"),
    ("<function=", "qwen_xml"),
    ("<invoke name=", "minimax"),
    ("<|tool_call|>", "phi"),
    ("functools[", "phi"),
    ("<tool_call>", "hermes"),
    ("<function_call>", "granite"),
    ("<|python_tag|>", "llama3"),
    ("tool_code", "gemma"),
)
_KNOWS_TOOLS = ("tools", ".Tools", "tool_calls")


def dialect_of(template: str | None) -> str:
    """The dialect of a GGUF's Jinja or an Ollama model's Go template; "json" where it takes tools but asks
    for no marks, "none" where it does not know tools at all."""
    if not template or not any(word in template for word in _KNOWS_TOOLS):
        return "none"
    return next((dialect for mark, dialect in _MARKS if mark in template), "json")
