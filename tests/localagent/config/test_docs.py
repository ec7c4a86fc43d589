"""Every key of models.toml is explained."""

from __future__ import annotations

import json
from pathlib import Path

ROOT = Path(__file__).parents[3]


def test_every_key_is_in_the_docs() -> None:
    schema = json.loads((ROOT / "localagent/config/models.schema.json").read_text())
    text = (ROOT / "docs/models.md").read_text()
    keys = {*schema["$defs"]["entry"]["properties"], *schema["properties"]["cloud"]["properties"]}
    keys |= {*schema["$defs"]["limits"]["properties"], "default", "fallback"}
    assert [key for key in sorted(keys) if f"`{key}`" not in text] == []
