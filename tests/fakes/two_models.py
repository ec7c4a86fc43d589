"""A folder with two scripted models: one that plays what a test wants, and a second to change to."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

MODELS = """
default = "script"
[models.script]
backend = "scripted"
file = "replies.jsonl"
[models.second]
backend = "scripted"
file = "second.jsonl"
"""


def write_models(folder: Path, *replies: dict[str, Any]) -> None:
    (folder / "models.toml").write_text(MODELS)
    (folder / "replies.jsonl").write_text("".join(json.dumps(reply) + "\n" for reply in replies))
    (folder / "second.jsonl").write_text(json.dumps({"content": "The second answers."}) + "\n")
