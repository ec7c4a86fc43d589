"""Logs hold no value, whatever is raised and whoever logs."""

from __future__ import annotations

import json
import logging
import subprocess
import sys

import pytest

from gateway.proxy.logs import JsonLines

VALUE = "ada@lab.example"


def line(
    logger: str, message: str, *args: object, fields: dict[str, object] | None = None, raised: bool = False
) -> str:
    """A record as it is written."""
    info = None
    if raised:
        try:
            raise ValueError(VALUE)
        except ValueError:
            info = sys.exc_info()
    record = logging.LogRecord(logger, logging.ERROR, __file__, 1, message, args, info)
    if fields:
        record.fields = fields
    return JsonLines().format(record)


@pytest.mark.parametrize(
    ("logger", "message", "args"),
    [
        ("asyncio", f"Task exception was never retrieved\nfuture: <Task exception=ValueError('{VALUE}')>", ()),
        ("httpx", "HTTP Request: %s", (VALUE,)),
        ("uvicorn.error", "Exception in ASGI application\n", ()),
    ],
)
def test_what_others_log_is_a_template(logger: str, message: str, args: tuple[object, ...]) -> None:
    written = line(logger, message, *args, raised=True)
    assert VALUE not in written
    told = json.loads(written)
    assert (told["level"], told["error"]) == ("error", "ValueError")
    assert told["where"].startswith("test_logs.py:")
    assert "\n" not in written


def test_a_line_of_ours_has_its_fields() -> None:
    told = json.loads(line("gateway", "request", fields={"client": "ci", "masked": {"PERSON": 1}}))
    assert (told["event"], told["client"], told["masked"]) == ("request", "ci", {"PERSON": 1})
    assert told["at"].endswith("+00:00")


CRASH = """
import logging, sys, threading, warnings
from gateway.proxy.logs import set_up
set_up()
class Dying:
    def __del__(self): raise ValueError("ada@lab.example")
def fail(): raise ValueError("ada@lab.example")
warnings.warn("ada@lab.example")
logging.getLogger("uvicorn.error").warning("Unsupported upgrade request.")
thread = threading.Thread(target=fail); thread.start(); thread.join()
Dying()
fail()
"""


def test_what_nobody_caught_is_told_without_its_text() -> None:
    result = subprocess.run([sys.executable, "-c", CRASH], capture_output=True, text=True, check=False)
    lines = [json.loads(written) for written in result.stderr.splitlines()]
    assert result.returncode == 1
    assert VALUE not in result.stderr + result.stdout
    assert "upgrade" not in result.stderr
    assert [told["error"] for told in lines if "error" in told] == ["ValueError"] * 3
