"""Every field of the four protocols that can hold text: how a value is planted there with the official SDKs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

VALUE = "AdaVance"
Body = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a request: its name in the table, and a body that holds `VALUE` there and nowhere else."""

    route: str
    name: str
    body: Body


def _chat(name: str, message: Body | None = None, **more: Any) -> Field:
    messages = [{"role": "user", "content": "hi"}, *([message] if message else [])]
    return Field("chat", name, {"model": "m", "messages": messages, **more})


def _chat_fields() -> list[Field]:
    call = {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": "{}"}}

    def calling(**change: Any) -> Body:
        return {"role": "assistant", "tool_calls": [call | change]}

    def tool(**function: Any) -> list[Body]:
        return [{"type": "function", "function": {"name": "f", **function}}]

    def schema(inner: Body) -> list[Body]:
        return tool(parameters={"type": "object", "properties": {"p": inner}})

    roles = ("system", "developer", "user", "assistant")
    nested = '{"to": "{\\"name\\": \\"\\\\u0041daVance\\"}"}'
    return [
        *(_chat(f"messages[].content ({role})", {"role": role, "content": VALUE}) for role in roles),
        _chat("messages[].content (tool)", {"role": "tool", "tool_call_id": "c", "content": VALUE}),
        _chat("messages[].content[].text", {"role": "user", "content": [{"type": "text", "text": VALUE}]}),
        _chat(
            "messages[].content[].refusal", {"role": "assistant", "content": [{"type": "refusal", "refusal": VALUE}]}
        ),
        _chat("messages[].refusal", {"role": "assistant", "refusal": VALUE}),
        _chat("messages[].reasoning_content", {"role": "assistant", "content": "x", "reasoning_content": VALUE}),
        _chat("messages[].name", {"role": "user", "content": "x", "name": VALUE}),
        _chat("messages[].audio.id", {"role": "assistant", "audio": {"id": VALUE}}),
        _chat(
            "messages[].function_call.arguments",
            {"role": "assistant", "function_call": {"name": "f", "arguments": VALUE}},
        ),
        _chat("messages[].tool_calls[].id", calling(id=VALUE)),
        _chat("messages[].tool_calls[].function.name", calling(function={"name": VALUE, "arguments": "{}"})),
        _chat(
            "messages[].tool_calls[].function.arguments",
            calling(function={"name": "f", "arguments": f'{{"a": "{VALUE}"}}'}),
        ),
        _chat(
            "messages[].tool_calls[].function.arguments (JSON in JSON, escaped)",
            calling(function={"name": "f", "arguments": nested}),
        ),
        _chat("messages[].tool_calls[].custom.input", calling(type="custom", custom={"name": "f", "input": VALUE})),
        _chat("messages[].tool_call_id", {"role": "tool", "tool_call_id": VALUE, "content": "x"}),
        _chat("messages[] (a field of no protocol)", {"role": "user", "content": "x", "extra": {"deep": [VALUE]}}),
        _chat("tools[].function.name", tools=tool(name=VALUE)),
        _chat("tools[].function.description", tools=tool(description=VALUE)),
        _chat("tools[].function.parameters (name of a property)", tools=tool(parameters={"properties": {VALUE: {}}})),
        _chat("tools[].function.parameters (description)", tools=schema({"type": "string", "description": VALUE})),
        _chat("tools[].function.parameters (enum)", tools=schema({"enum": ["a", VALUE]})),
        _chat("tools[].function.parameters (default)", tools=schema({"default": VALUE})),
        _chat("tools[].function.parameters (const)", tools=schema({"const": VALUE})),
        _chat("tools[].custom.description", tools=[{"type": "custom", "custom": {"name": "f", "description": VALUE}}]),
        _chat(
            "tools[].custom.format.grammar.definition",
            tools=[
                {
                    "type": "custom",
                    "custom": {"name": "f", "format": {"type": "grammar", "grammar": {"definition": VALUE}}},
                }
            ],
        ),
        _chat("tool_choice.function.name", tool_choice={"type": "function", "function": {"name": VALUE}}),
        _chat("functions[].description", functions=[{"name": "f", "description": VALUE}]),
        _chat(
            "response_format.json_schema.name",
            response_format={"type": "json_schema", "json_schema": {"name": VALUE, "schema": {}}},
        ),
        _chat(
            "response_format.json_schema.description",
            response_format={"type": "json_schema", "json_schema": {"name": "n", "description": VALUE}},
        ),
        _chat(
            "response_format.json_schema.schema",
            response_format={"type": "json_schema", "json_schema": {"name": "n", "schema": {"enum": [VALUE]}}},
        ),
        _chat("stop", stop=VALUE),
        _chat("stop[]", stop=[VALUE]),
        _chat("user", user=VALUE),
        _chat("safety_identifier", safety_identifier=VALUE),
        _chat("prompt_cache_key", prompt_cache_key=VALUE),
        _chat("metadata (key)", metadata={VALUE: "x"}),
        _chat("metadata (value)", metadata={"who": VALUE}),
        _chat("prediction.content", prediction={"type": "content", "content": VALUE}),
        _chat(
            "web_search_options.user_location",
            web_search_options={"user_location": {"type": "approximate", "approximate": {"city": VALUE}}},
        ),
        _chat("logit_bias (key)", logit_bias={VALUE: 1}),
        _chat("service_tier (a word of no protocol)", service_tier=VALUE),
        _chat("a key of no protocol", **{VALUE: 1}),
        _chat("a field of no protocol", extra={"deep": {"deeper": [[VALUE]]}}),
        Field("chat", "model", {"model": f"{VALUE}@lab.example", "messages": []}),
    ]


def _response(name: str, item: Body | str | None = None, **more: Any) -> Field:
    items = [{"role": "user", "content": "hi"}, *([item] if item else [])]
    return Field("responses", name, {"model": "m", "input": items, **more})


def _response_fields() -> list[Field]:
    def tool(**more: Any) -> list[Body]:
        return [{"type": "function", "name": "f", "parameters": {}, **more}]

    def formatted(**more: Any) -> Body:
        return {"format": {"type": "json_schema", "name": "n", "schema": {}, **more}}

    calling = {"type": "function_call", "call_id": "call_1", "name": "f", "arguments": "{}"}
    custom = {"type": "custom_tool_call", "call_id": "call_1", "name": "f", "input": "x"}
    thought = {"type": "reasoning", "id": "rs_1", "summary": []}
    return [
        Field("responses", "input (string)", {"model": "m", "input": VALUE}),
        _response("instructions", instructions=VALUE),
        _response("input[].content", {"role": "user", "content": VALUE}),
        _response(
            "input[].content[].text (input_text)", {"role": "user", "content": [{"type": "input_text", "text": VALUE}]}
        ),
        _response(
            "input[].content[].text (output_text)",
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": VALUE}]},
        ),
        _response(
            "input[].content[].refusal",
            {"type": "message", "role": "assistant", "content": [{"type": "refusal", "refusal": VALUE}]},
        ),
        _response("input[].name (function_call)", calling | {"name": VALUE}),
        _response("input[].arguments (function_call)", calling | {"arguments": f'{{"a": "{VALUE}"}}'}),
        _response("input[].call_id", calling | {"call_id": VALUE}),
        _response(
            "input[].output (function_call_output)", {"type": "function_call_output", "call_id": "c", "output": VALUE}
        ),
        _response(
            "input[].output[].text",
            {"type": "function_call_output", "call_id": "c", "output": [{"type": "input_text", "text": VALUE}]},
        ),
        _response("input[].input (custom_tool_call)", custom | {"input": VALUE}),
        _response(
            "input[].output (custom_tool_call_output)",
            {"type": "custom_tool_call_output", "call_id": "c", "output": VALUE},
        ),
        _response(
            "input[].summary[].text (reasoning)", thought | {"summary": [{"type": "summary_text", "text": VALUE}]}
        ),
        _response("input[].encrypted_content (reasoning)", thought | {"encrypted_content": VALUE}),
        _response(
            "input[].action (computer_call)", {"type": "computer_call", "action": {"type": "type", "text": VALUE}}
        ),
        _response("input[].id (item_reference)", {"type": "item_reference", "id": VALUE}),
        _response("input[] (a field of no protocol)", {"role": "user", "content": "x", "extra": [VALUE]}),
        _response("tools[].name", tools=tool(name=VALUE)),
        _response("tools[].description", tools=tool(description=VALUE)),
        _response("tools[].parameters (enum)", tools=tool(parameters={"properties": {"p": {"enum": [VALUE]}}})),
        _response("tools[].server_label (mcp)", tools=[{"type": "mcp", "server_label": VALUE}]),
        _response(
            "tools[].server_url (mcp)",
            tools=[{"type": "mcp", "server_label": "x", "server_url": f"https://x.example/{VALUE}"}],
        ),
        _response("tools[].headers (mcp)", tools=[{"type": "mcp", "server_label": "x", "headers": {"a": VALUE}}]),
        _response(
            "tools[].filters (file_search)",
            tools=[
                {
                    "type": "file_search",
                    "vector_store_ids": ["v"],
                    "filters": {"type": "eq", "key": "k", "value": VALUE},
                }
            ],
        ),
        _response(
            "tools[].user_location (web_search)",
            tools=[{"type": "web_search", "user_location": {"type": "approximate", "city": VALUE}}],
        ),
        _response("tool_choice.name", tool_choice={"type": "function", "name": VALUE}),
        _response("text.format.name", text=formatted(name=VALUE)),
        _response("text.format.description", text=formatted(description=VALUE)),
        _response("text.format.schema", text=formatted(schema={"enum": [VALUE]})),
        _response("prompt.id", prompt={"id": VALUE}),
        _response("prompt.variables", prompt={"id": "pmpt_1", "variables": {"who": VALUE}}),
        _response("previous_response_id", previous_response_id=VALUE),
        _response("conversation", conversation=VALUE),
        _response("user", user=VALUE),
        _response("safety_identifier", safety_identifier=VALUE),
        _response("prompt_cache_key", prompt_cache_key=VALUE),
        _response("metadata (key)", metadata={VALUE: "x"}),
        _response("metadata (value)", metadata={"who": VALUE}),
        _response("a field of no protocol", extra={"deep": [VALUE]}),
    ]


def _message(name: str, *blocks: Body, role: str = "user", **more: Any) -> Field:
    messages = [{"role": "user", "content": "hi"}, *([{"role": role, "content": list(blocks)}] if blocks else [])]
    return Field("messages", name, {"model": "m", "max_tokens": 9, "messages": messages, **more})


def _message_fields() -> list[Field]:
    def tool(**more: Any) -> list[Body]:
        return [{"name": "f", "input_schema": {"type": "object"}, **more}]

    def document(**more: Any) -> Body:
        return {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "x"}, **more}

    use = {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {}}
    result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "x"}
    text = {"type": "text", "text": "x"}
    found = {"type": "search_result", "source": "s", "title": "t", "content": [text]}
    cited = {"type": "char_location", "cited_text": VALUE, "document_index": 0, "document_title": "t"}
    return [
        Field(
            "messages",
            "messages[].content (string)",
            {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": VALUE}]},
        ),
        _message("system", system=VALUE),
        _message("system[].text", system=[{"type": "text", "text": VALUE}]),
        _message("messages[].content[].text", {"type": "text", "text": VALUE}),
        _message("messages[].content[].text (assistant)", {"type": "text", "text": VALUE}, role="assistant"),
        _message("messages[].content[].citations[].cited_text", text | {"citations": [cited]}, role="assistant"),
        _message("messages[].content[].id (tool_use)", use | {"id": VALUE}, role="assistant"),
        _message("messages[].content[].name (tool_use)", use | {"name": VALUE}, role="assistant"),
        _message("messages[].content[].input (value)", use | {"input": {"to": {"deep": [VALUE]}}}, role="assistant"),
        _message("messages[].content[].input (key)", use | {"input": {VALUE: 1}}, role="assistant"),
        _message("messages[].content[].tool_use_id", result | {"tool_use_id": VALUE}),
        _message("messages[].content[].content (tool_result, string)", result | {"content": VALUE}),
        _message("messages[].content[].content (tool_result, JSON)", result | {"content": f'[{{"a": "{VALUE}"}}]'}),
        _message(
            "messages[].content[].content[].text (tool_result)", result | {"content": [{"type": "text", "text": VALUE}]}
        ),
        _message(
            "messages[].content[].source.data (document of text)",
            document() | {"source": {"type": "text", "media_type": "text/plain", "data": VALUE}},
        ),
        _message(
            "messages[].content[].source.content (document of blocks)",
            document() | {"source": {"type": "content", "content": [{"type": "text", "text": VALUE}]}},
        ),
        _message("messages[].content[].title (document)", document(title=VALUE)),
        _message("messages[].content[].context (document)", document(context=VALUE)),
        _message(
            "messages[].content[] (image)",
            {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": VALUE}},
        ),
        _message(
            "messages[].content[] (document of bytes)",
            {"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": VALUE}},
        ),
        _message("messages[].content[].title (search_result)", found | {"title": VALUE}),
        _message("messages[].content[].source (search_result)", found | {"source": VALUE}),
        _message(
            "messages[].content[].thinking",
            {"type": "thinking", "thinking": VALUE, "signature": "EqQB"},
            text,
            role="assistant",
        ),
        _message(
            "messages[].content[].signature",
            {"type": "thinking", "thinking": "x", "signature": VALUE},
            text,
            role="assistant",
        ),
        _message(
            "messages[].content[].data (redacted_thinking)",
            {"type": "redacted_thinking", "data": VALUE},
            text,
            role="assistant",
        ),
        _message("messages[].content[] (a field of no protocol)", text | {"extra": VALUE}),
        _message("metadata.user_id", metadata={"user_id": VALUE}),
        _message("stop_sequences[]", stop_sequences=[VALUE]),
        _message("tools[].name", tools=tool(name=VALUE)),
        _message("tools[].description", tools=tool(description=VALUE)),
        _message("tools[].input_schema (enum)", tools=tool(input_schema={"properties": {"p": {"enum": [VALUE]}}})),
        _message("tools[].input_schema (name of a property)", tools=tool(input_schema={"properties": {VALUE: {}}})),
        _message("tool_choice.name", tool_choice={"type": "tool", "name": VALUE}),
        _message("mcp_servers[].url", mcp_servers=[{"type": "url", "name": "x", "url": f"https://x.example/{VALUE}"}]),
        _message(
            "mcp_servers[].authorization_token",
            mcp_servers=[{"type": "url", "name": "x", "authorization_token": VALUE}],
        ),
        _message("container", container=VALUE),
        _message("a field of no protocol", extra={"deep": [VALUE]}),
    ]


def _embedding_fields() -> list[Field]:
    return [
        Field("embeddings", "input (string)", {"model": "m", "input": VALUE}),
        Field("embeddings", "input[]", {"model": "m", "input": ["x", VALUE]}),
        Field("embeddings", "input (tokens)", {"model": "m", "input": [1, 2, 3]}),
        Field("embeddings", "user", {"model": "m", "input": "x", "user": VALUE}),
    ]


def all_fields() -> list[Field]:
    """Every field, in the order of the table."""
    made: list[Callable[[], list[Field]]] = [_chat_fields, _response_fields, _message_fields, _embedding_fields]
    return [field for make in made for field in make()]
