"""A scripted server of OpenAI's chat completions: each request gets the next list of chunks."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from typing import Any

from tests.fakes.http_server import Answer, Asked, HttpServer


def chunk(finish: str | None = None, **delta: Any) -> dict[str, Any]:
    """One chunk of a reply."""
    return {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


def call(name: str = "", arguments: str = "", index: int = 0) -> dict[str, Any]:
    """A chunk with a piece of a call."""
    function = {key: value for key, value in (("name", name), ("arguments", arguments)) if value}
    return chunk(tool_calls=[{"index": index, "id": f"c{index}", "type": "function", "function": function}])


def usage(prompt: int, completion: int, **details: Any) -> dict[str, Any]:
    """The last chunk, with counts and no choice."""
    return {"choices": [], "usage": {"prompt_tokens": prompt, "completion_tokens": completion, **details}}


def scripted_openai(
    replies: Sequence[Sequence[dict[str, Any]]], *, pause: float = 0.0, window: int = 4096
) -> HttpServer:
    """The server; `pause` seconds before each chunk. The last reply comes again and again."""
    rest = list(replies)

    async def handle(asked: Asked, answer: Answer) -> None:
        if asked.path == "/v1/models":
            row = {"id": "fake", "object": "model", "owned_by": "test", "max_model_len": window}
            await answer.whole({"object": "list", "data": [row]})
        elif asked.path != "/v1/chat/completions":
            await answer.whole({"error": {"message": "not found"}}, 404)
        else:
            await answer.start("text/event-stream")
            for data in rest.pop(0) if len(rest) > 1 else rest[0]:
                await asyncio.sleep(pause)
                await answer.chunk(f"data: {json.dumps(data)}\n\n")
            await answer.chunk("data: [DONE]\n\n")
            await answer.end()

    return HttpServer(handle)


__all__ = ["call", "chunk", "scripted_openai", "usage"]
