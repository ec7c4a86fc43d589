"""What an editor may get wrong on the wire: it is answered, and the agent goes on."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("acp")

HELLO = {"jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": {"protocolVersion": 1}}


def talk(folder: Path, *lines: bytes) -> list[dict[str, Any]]:
    """The answers of `localagent acp` to lines, and then to a hello."""
    env = {**os.environ, "LOCALAGENT_HOME": str(folder)}
    command = [sys.executable, "-m", "localagent.cli", "acp"]
    sent = b"\n".join((*lines, json.dumps(HELLO).encode(), b""))
    done = subprocess.run(command, input=sent, capture_output=True, env=env, timeout=60, check=True)
    assert b"Traceback" not in done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_what_is_no_message_is_answered_and_the_agent_goes_on(tmp_path: Path) -> None:
    wrong = {
        b"[]": (None, -32600),
        b"5": (None, -32600),
        b"null": (None, -32600),
        b"{}": (None, -32600),
        b'{"id": 7}': (7, -32600),
        b'{"id": [1], "result": {}}': (None, -32600),
        b'{"id": 0, "error": 5}': (0, -32600),
        b'{"id": 8, "method": 5}': (8, -32600),
        b"{": (None, -32700),
        b"\xff": (None, -32700),
        b"[" * 100_000: (None, -32700),
    }
    *refused, hello = talk(tmp_path, *wrong, b"", b'{"id": 99, "result": {}}')
    assert [(answer["id"], answer["error"]["code"]) for answer in refused] == list(wrong.values())
    assert hello["id"] == "hello"
    assert "result" in hello


@pytest.mark.parametrize("version", [0, 1, 2, 65535])
def test_any_version_is_answered_with_the_one_that_is_spoken(tmp_path: Path, version: int) -> None:
    asked = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": version}}
    answers = {answer["id"]: answer for answer in talk(tmp_path, json.dumps(asked).encode())}
    assert answers[1]["result"]["protocolVersion"] == 1
