"""Cloud models that a test owns: OpenAI's and Anthropic's protocol over real sockets, and every body that arrived."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from tests.fakes.http_server import Answer, Asked, HttpServer
from tests.fakes.openai_server import call, chunk, usage

Reply = dict[str, Any]  # text, thinking, calls: [(name, arguments as JSON text)], status and error for a refusal


def openai_cloud(replies: Sequence[Reply], *, cut: int = 7) -> HttpServer:
    """Chat completions; texts and arguments come in pieces of `cut` characters. The last reply comes for ever."""
    return _server("/v1/chat/completions", replies, lambda reply: _openai(reply, cut))


def anthropic_cloud(replies: Sequence[Reply], *, cut: int = 7) -> HttpServer:
    """Messages; thinking is signed, as the provider does it."""
    return _server("/v1/messages", replies, lambda reply: _anthropic(reply, cut))


def bodies(server: HttpServer) -> list[str]:
    """What arrived, as text: escapes undone, so that a value cannot hide in one."""
    return [json.dumps(asked.json, ensure_ascii=False) for asked in server.asked]


def _server(path: str, replies: Sequence[Reply], events: Callable[[Reply], list[str]]) -> HttpServer:
    rest = list(replies)

    async def handle(asked: Asked, answer: Answer) -> None:
        assert asked.path == path, asked.path
        reply = rest.pop(0) if len(rest) > 1 else rest[0]
        if "status" in reply:
            await answer.whole({"error": {"message": reply["error"]}}, reply["status"])
            return
        await answer.start("text/event-stream")
        for event in events(reply):
            await answer.chunk(event)
        await answer.end()

    return HttpServer(handle)


def _pieces(text: str, cut: int) -> list[str]:
    return [text[at : at + cut] for at in range(0, len(text), cut)]


def _openai(reply: Reply, cut: int) -> list[str]:
    chunks = [chunk(reasoning_content=piece) for piece in _pieces(reply.get("thinking", ""), cut)]
    chunks += [chunk(content=piece) for piece in _pieces(reply.get("text", ""), cut)]
    for index, (name, arguments) in enumerate(reply.get("calls", ())):
        chunks += [call(name, index=index), *(call(arguments=piece, index=index) for piece in _pieces(arguments, cut))]
    chunks += [chunk("tool_calls" if reply.get("calls") else "stop"), usage(1000, 100)]
    return [*(f"data: {json.dumps(one)}\n\n" for one in chunks), "data: [DONE]\n\n"]


def _anthropic(reply: Reply, cut: int) -> list[str]:
    events: list[dict[str, Any]] = [{"type": "message_start", "message": {"usage": {"input_tokens": 1000}}}]
    blocks: list[tuple[dict[str, Any], list[dict[str, Any]]]] = []
    if thinking := reply.get("thinking"):
        deltas = [{"type": "thinking_delta", "thinking": piece} for piece in _pieces(thinking, cut)]
        signed = {"type": "signature_delta", "signature": "U2lnbmVk"}
        blocks.append(({"type": "thinking", "thinking": ""}, [*deltas, signed]))
    if text := reply.get("text"):
        blocks.append(({"type": "text", "text": ""}, [{"type": "text_delta", "text": p} for p in _pieces(text, cut)]))
    for name, arguments in reply.get("calls", ()):
        deltas = [{"type": "input_json_delta", "partial_json": piece} for piece in _pieces(arguments, cut)]
        blocks.append(({"type": "tool_use", "id": "t1", "name": name, "input": {}}, deltas))
    for index, (block, deltas) in enumerate(blocks):
        events.append({"type": "content_block_start", "index": index, "content_block": block})
        events += [{"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas]
        events.append({"type": "content_block_stop", "index": index})
    stop = "tool_use" if reply.get("calls") else "end_turn"
    events.append({"type": "message_delta", "delta": {"stop_reason": stop}, "usage": {"output_tokens": 100}})
    events.append({"type": "message_stop"})
    return [f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events]


__all__ = ["Reply", "anthropic_cloud", "bodies", "openai_cloud"]
