"""What the first paint may load: Textual and little else."""

from __future__ import annotations

import subprocess
import sys

CODE = """
import sys
from localagent.tui.app import LocalAgentApp
async def factory(): ...
LocalAgentApp(factory)
print(*sorted(sys.modules))
"""
HEAVY = ("httpx", "jsonschema", "ollama", "numpy", "markdown_it", "pygments", "sqlite_utils", "tree_sitter")


def test_the_app_stands_before_anything_heavy_is_imported() -> None:
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert not {name for name in loaded if name.split(".")[0] in HEAVY}
    ours = {name for name in loaded if name.startswith(("localagent.", "gateway"))}
    others = {name for name in ours if not name.startswith(("localagent.tui", "localagent.i18n"))}
    assert others == {"localagent.terminal"}, "which every line on the screen goes through"
    assert "localagent.tui.adapter" not in ours
