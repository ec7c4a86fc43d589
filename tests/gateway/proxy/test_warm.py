"""What is loaded before the first request."""

from __future__ import annotations

import json
import subprocess
import sys

_ASK = """
import asyncio, contextlib, json, sys
import httpx
from gateway.config import Limits
from gateway.detect.engine import DetectorSettings, load_detector
from gateway.mask import Masker
from gateway.placeholder_forms import compile_grammar
from gateway.policy import Policy
from gateway.proxy.forward import Caller
from gateway.proxy.warm import load_client, warm_up
from gateway.restore import restore

masker = Masker(load_detector(DetectorSettings(ner=False)), Policy(default="block"))
warm_up(masker)
load_client()
caller = Caller(Limits())
loaded, compiled = set(sys.modules), compile_grammar.cache_info().misses
open_ = Masker(masker.detector, Policy())
for text in ("MAC 00:1B:44:11:3A:B7", "Call +90 212 252 12 21", "NHS number 943 476 5919", "PESEL 44051401359"):
    vault = open_.new_vault()
    restore(open_.mask(text, vault).text, vault.map)
with contextlib.suppress(httpx.ConnectError):
    asyncio.run(caller.send("GET", "http://127.0.0.1:1", {}))
print(json.dumps([sorted(set(sys.modules) - loaded), compile_grammar.cache_info().misses - compiled]))
"""


def test_the_first_requests_neither_import_nor_compile_and_a_policy_that_blocks_is_no_hindrance() -> None:
    ran = subprocess.run([sys.executable, "-c", _ASK], capture_output=True, text=True, check=True)
    assert json.loads(ran.stdout) == [[], 0]
