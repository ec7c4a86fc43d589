"""The app in a browser: its page is served, and what a browser would draw comes over the web socket."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import pytest

from tests.fakes.two_models import write_models


@pytest.fixture
async def address(tmp_path: Path) -> AsyncIterator[str]:
    write_models(tmp_path, {"content": "Hello from the terminal."})
    with socket.socket() as found:
        found.bind(("localhost", 0))
        port = found.getsockname()[1]
    env = {**os.environ, "LOCALAGENT_HOME": str(tmp_path / "home"), "LANG": "en_US.UTF-8"}
    command = [sys.executable, "-m", "localagent.tui.browser", str(port)]
    server = subprocess.Popen(
        command, cwd=tmp_path, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )
    try:
        yield f"http://localhost:{port}"
    finally:
        os.killpg(server.pid, signal.SIGKILL)
        server.wait()


async def page(session: aiohttp.ClientSession, address: str) -> str:
    """The page, as soon as the server is there."""
    for _ in range(300):
        try:
            async with session.get(address) as answer:
                return str(await answer.text())
        except aiohttp.ClientConnectionError:
            await asyncio.sleep(0.1)
    raise AssertionError("nobody serves the page")


async def read_until(link: aiohttp.ClientWebSocketResponse, word: str) -> str:
    """What a browser is sent until the word has been drawn."""
    seen = ""
    async with asyncio.timeout(60):
        async for message in link:
            seen += message.data.decode("utf-8", "replace") if isinstance(message.data, bytes) else message.data
            if word in seen:
                return seen
    raise AssertionError(f"{word!r} never came")


async def test_a_question_is_answered_in_the_browser(address: str) -> None:
    async with aiohttp.ClientSession() as session:
        assert "/ws" in await page(session, address)
        link = await session.ws_connect(f"{address}/ws?width=90&height=30", headers={"Origin": address})
        await read_until(link, "offline")
        await link.send_json(["stdin", "hello"])
        await link.send_json(["resize", {"width": 70, "height": 24}])
        await link.send_json(["stdin", "\r"])
        await read_until(link, "from the terminal.")
        await link.close()


@pytest.mark.parametrize("origin", ["http://evil.example", "null", None])
async def test_another_page_is_refused(address: str, origin: str | None) -> None:
    async with aiohttp.ClientSession() as session:
        await page(session, address)
        with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
            await session.ws_connect(f"{address}/ws", headers={"Origin": origin} if origin else {})
        assert refused.value.status == 403
