"""A server that breaks the protocol in every way that was met in the field; the model's name chooses how.

The same ways are there for OpenAI's, Anthropic's and Ollama's paths: each is left in the middle of its own protocol.
"""

from __future__ import annotations

import asyncio
import json

from tests.fakes.http_server import Answer, Asked, HttpServer

OPENAI = 'data: {"choices": [{"index": 0, "delta": {"content": "half"}, "finish_reason": null}]}\n\n'
OLLAMA = (
    '{"model": "m", "created_at": "2026-01-01T00:00:00Z", "done": false, '
    '"message": {"role": "assistant", "content": "half"}}\n'
)
ANTHROPIC = (
    'event: message_start\ndata: {"type": "message_start", "message": {"usage": {"input_tokens": 3}}}\n\n'
    'data: {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}\n\n'
    'data: {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "half"}}\n\n'
)
_STARTS = {
    "/v1/chat/completions": ("text/event-stream", OPENAI),
    "/v1/messages": ("text/event-stream", ANTHROPIC),
    "/api/chat": ("application/x-ndjson", OLLAMA),
}

WAYS = (
    "empty", "cut", "ends", "half_json", "no_object", "wrong_keys", "html", "garbage", "drop", "500", "500_html",
    "mismatch", "error_inside",
)  # fmt: skip


async def handle(asked: Asked, answer: Answer) -> None:
    """Answers as the model's name says; whatever else is asked is a 404."""
    if asked.path not in _STARTS:
        await answer.whole({"error": "not here"}, 404)
        return
    kind, start = _STARTS[asked.path]
    await _misbehave(asked.json["model"], kind, start, answer)


async def _misbehave(way: str, kind: str, start: str, answer: Answer) -> None:
    mark = "data: " if kind == "text/event-stream" else ""
    if way in _WHOLE:
        status, kind, body = _WHOLE[way]
        await answer.whole(body, status, kind)
    elif way == "empty":
        await answer.whole("", 200, kind)
    elif way == "garbage":
        await answer.raw(b"SSH-2.0-OpenSSH_9.2\r\n")
        answer.drop()
    elif way == "drop":
        answer.drop()
    else:
        await answer.start(kind)
        await answer.chunk(start)
        await _go_on(way, mark, answer)


async def _go_on(way: str, mark: str, answer: Answer) -> None:
    if way == "cut":
        answer.drop()
    elif way == "silent":
        await asyncio.sleep(30)
    else:
        tails = {
            "ends": "",
            "half_json": f'{mark}{{"choices": [{{"delta": \n\n',
            "no_object": f"{mark}[1, 2]\n\n",
            "wrong_keys": f'{mark}{{"choices": 7, "message": 7, "type": "content_block_delta", "index": 0}}\n\n',
            "error_inside": f"{mark}{json.dumps({'type': 'error', 'error': 'the GPU fell out'})}\n\n",
        }
        if tails[way]:
            await answer.chunk(tails[way])
        await answer.end()


_WHOLE = {
    "html": (200, "text/html", "<html>It works!</html>"),
    "500": (500, "application/json", '{"error": {"message": "CUDA out of memory", "code": 500}}'),
    "500_html": (500, "text/html", "<html><h1>Internal Server Error</h1></html>"),
    "mismatch": (
        500,
        "application/json",
        '{"error": {"code": 500, "message": "The model produced output that does not match the expected format"}}',
    ),
    "overflow": (
        400,
        "application/json",
        '{"error": {"code": 400, "message": "request (5000 tokens) exceeds the available context size (4096 tokens)", '
        '"type": "exceed_context_size_error", "n_prompt_tokens": 5000, "n_ctx": 4096}}',
    ),
    "no_tools": (400, "application/json", '{"error": "registry.ollama.ai/library/m does not support tools"}'),
    "no_key": (401, "application/json", '{"error": {"message": "Incorrect API key provided"}}'),
    "no_model": (404, "application/json", '{"error": {"message": "The model `no_model` does not exist"}}'),
    "busy": (429, "application/json", '{"error": {"message": "slow down"}}'),
}


def nasty_server() -> HttpServer:
    return HttpServer(handle)


__all__ = ["WAYS", "nasty_server"]
