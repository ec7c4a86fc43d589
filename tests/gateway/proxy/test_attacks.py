"""Replies and faults that carry a value, or a client's state, to where it does not belong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import httpx

from tests.fakes.detector import FakeDetector
from tests.fakes.gateway_server import serving
from tests.fakes.http_server import Answer, Asked
from tests.fakes.transcripts import chat_reply

MAIL = "ada@lab.example"
CHAT = "/v1/chat/completions"


def body(content: Any = MAIL, **more: Any) -> dict[str, Any]:
    return {"model": "m", "messages": [{"role": "user", "content": content}], **more}


async def test_a_cookie_of_an_upstream_reaches_neither_this_client_nor_the_requests_of_others(tmp_path: Path) -> None:
    async def upstream(asked: Asked, answer: Answer) -> None:
        raw = json.dumps(chat_reply({"content": "hi"})).encode()
        head = f"content-type: application/json\r\nset-cookie: session=of-ada; path=/\r\ncontent-length: {len(raw)}"
        await answer.raw(f"HTTP/1.1 200 X\r\n{head}\r\n\r\n".encode() + raw)

    async with serving(upstream, tmp_path, FakeDetector()) as served, httpx.AsyncClient() as client:
        for _ in range(2):
            assert "set-cookie" not in (await client.post(served.url + CHAT, json=body())).headers
        assert [asked.headers.get("cookie") for asked in served.asked] == [None, None]
