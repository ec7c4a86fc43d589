"""What README.md and docs/ name is there: files, pictures, the modules that give their figures; its examples load."""

from __future__ import annotations

import importlib.util
import re
import textwrap
from pathlib import Path

import pytest

from localagent.cli import _COMMANDS

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
_LINK = re.compile(r"""\]\(([^)#:]+)(?:#[^)]*)?\)|(?:src|srcset)="([^":]+)\"""")
_CODE = re.compile(r"`[^`\n]*`")
_COMMAND = re.compile(r"^    (?:\$ )?localagent ([a-z]+)", re.MULTILINE)
_BLOCK = re.compile(r"(?:^ {4}.*\n|\n(?= {4}))+", re.MULTILINE)
_MODULE = re.compile(r"python3? -m ((?:tests|localagent|gateway)[\w.]*)")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_leads_somewhere(page: Path) -> None:
    for match in _LINK.finditer(_CODE.sub("", page.read_text(encoding="utf-8"))):
        assert (page.parent / (match[1] or match[2])).exists(), match[0]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_module_that_gives_a_figure_is_there(page: Path) -> None:
    for name in _MODULE.findall(page.read_text(encoding="utf-8")):
        assert importlib.util.find_spec(name) is not None, name


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_command_is_one(page: Path) -> None:
    assert set(_COMMAND.findall(page.read_text(encoding="utf-8"))) <= _COMMANDS.keys()


def test_the_configurations_of_the_readme_load(tmp_path: Path) -> None:
    from gateway.config import parse_config
    from localagent.config.models_toml import read_models_toml

    blocks = [
        textwrap.dedent(block).lstrip() for block in _BLOCK.findall((ROOT / "README.md").read_text(encoding="utf-8"))
    ]
    (models,) = (block for block in blocks if block.startswith("default ="))
    (gateway,) = (block for block in blocks if block.startswith("[[upstream]]"))
    (tmp_path / "models.toml").write_text(models, encoding="utf-8")
    assert read_models_toml(tmp_path / "models.toml").default == "mine"
    assert [upstream.protocol for upstream in parse_config(gateway).upstreams] == ["openai", "anthropic"]
