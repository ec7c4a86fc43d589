"""Every field of the replies that can hold text: a placeholder stands there and nowhere else."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from tests.fakes.transcripts import call, chat_reply, message_reply, response_reply, said

MARK = "<PERSON_1>"


@dataclass(frozen=True, slots=True)
class ReplyField:
    """A field of a reply: its name in the table, and a whole reply that holds `MARK` there."""

    route: str
    name: str
    reply: dict[str, Any]


def all_reply_fields() -> list[ReplyField]:
    """Every field, in the order of the table."""
    return [*_chat(), *_responses(), *_messages()]


def _chat() -> list[ReplyField]:
    def of(name: str, message: dict[str, Any]) -> ReplyField:
        return ReplyField("chat", name, chat_reply({"content": "x"} | message))

    link = {"type": "url_citation", "url_citation": {"title": MARK, "url": "u", "start_index": 0, "end_index": 1}}
    token = {"token": MARK, "logprob": -1.0, "bytes": [1], "top_logprobs": []}
    probable = chat_reply({"content": "x"})
    probable["choices"][0]["logprobs"] = {"content": [token], "refusal": None}
    return [
        of("choices[].message.content", {"content": MARK}),
        of("choices[].message.refusal", {"refusal": MARK}),
        of("choices[].message.reasoning_content", {"reasoning_content": MARK}),
        of("choices[].message.tool_calls[].function.name", {"tool_calls": [call("PERSON_1", "{}")]}),
        of("choices[].message.tool_calls[].function.arguments", {"tool_calls": [call("f", json.dumps({"a": MARK}))]}),
        of(
            "choices[].message.tool_calls[].custom.input",
            {"tool_calls": [{"id": "c", "type": "custom", "custom": {"name": "f", "input": MARK}}]},
        ),
        of(
            "choices[].message.function_call.arguments",
            {"function_call": {"name": "f", "arguments": f'{{"a": "{MARK}"}}'}},
        ),
        of("choices[].message.annotations[].url_citation.title", {"annotations": [link]}),
        of(
            "choices[].message.audio.transcript",
            {"audio": {"id": "a", "data": "AAAA", "expires_at": 1, "transcript": MARK}},
        ),
        of("choices[].message (a field of no protocol)", {"extra": {"deep": [MARK]}}),
        ReplyField("chat", "choices[].logprobs", probable),
    ]


def _responses() -> list[ReplyField]:
    def of(name: str, item: dict[str, Any]) -> ReplyField:
        return ReplyField("responses", name, response_reply(item))

    thought = {"id": "rs_1", "type": "reasoning", "summary": []}
    link = {"type": "url_citation", "title": MARK, "url": "u", "start_index": 0, "end_index": 1}
    cited = said("x")
    cited["content"][0]["annotations"] = [link]
    use = {"id": "fc_1", "type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"}
    custom = {"id": "ct_1", "type": "custom_tool_call", "call_id": "c", "name": "f", "input": "x"}
    search = {
        "id": "ws_1",
        "type": "web_search_call",
        "status": "completed",
        "action": {"type": "search", "query": MARK},
    }
    return [
        of("output[].content[].text (output_text)", said(MARK)),
        of("output[].content[].refusal", said(MARK, kind="refusal")),
        of("output[].content[].annotations[].title", cited),
        of("output[].name (function_call)", use | {"name": "PERSON_1"}),
        of("output[].arguments (function_call)", use | {"arguments": json.dumps({"a": MARK})}),
        of("output[].input (custom_tool_call)", custom | {"input": MARK}),
        of("output[].summary[].text (reasoning)", thought | {"summary": [{"type": "summary_text", "text": MARK}]}),
        of("output[].content[].text (reasoning)", thought | {"content": [{"type": "reasoning_text", "text": MARK}]}),
        of("output[].encrypted_content (reasoning)", thought | {"encrypted_content": MARK}),
        of("output[].action.query (web_search_call)", search),
        ReplyField("responses", "instructions (as they were sent)", response_reply(said("x"), instructions=MARK)),
        ReplyField("responses", "metadata (as it was sent)", response_reply(said("x"), metadata={"who": MARK})),
        ReplyField("responses", "user (as it was sent)", response_reply(said("x"), user=MARK)),
        ReplyField(
            "responses",
            "error.message",
            response_reply(status="failed", error={"code": "server_error", "message": MARK}),
        ),
    ]


def _messages() -> list[ReplyField]:
    def of(name: str, *blocks: dict[str, Any], **more: Any) -> ReplyField:
        return ReplyField("messages", name, message_reply(*blocks) | more)

    text = {"type": "text", "text": "x"}
    place = {"document_index": 0, "document_title": "t", "start_char_index": 0, "end_char_index": 1}
    cited = {"type": "char_location", "cited_text": MARK, **place}
    found = {"type": "web_search_result", "title": MARK, "url": "u", "encrypted_content": "e", "page_age": None}
    return [
        of("content[].text", {"type": "text", "text": MARK}),
        of("content[].citations[].cited_text", text | {"citations": [cited]}),
        of("content[].name (tool_use)", {"type": "tool_use", "id": "t", "name": "PERSON_1", "input": {}}),
        of("content[].input (tool_use)", {"type": "tool_use", "id": "t", "name": "f", "input": {"a": {"b": [MARK]}}}),
        of(
            "content[].input (server_tool_use)",
            {"type": "server_tool_use", "id": "t", "name": "web_search", "input": {"query": MARK}},
        ),
        of(
            "content[].content[].title (web_search_tool_result)",
            {"type": "web_search_tool_result", "tool_use_id": "t", "content": [found]},
        ),
        of("content[].thinking", {"type": "thinking", "thinking": MARK, "signature": "s"}),
        of("content[].data (redacted_thinking)", {"type": "redacted_thinking", "data": MARK}),
        of("stop_sequence", text, stop_reason="stop_sequence", stop_sequence=MARK),
    ]
