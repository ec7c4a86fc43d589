"""What README.md and docs/ name is there: files, pictures, and the modules that give their figures."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest

from localagent.cli import _COMMANDS

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
_LINK = re.compile(r"""\]\(([^)#:]+)(?:#[^)]*)?\)|(?:src|srcset)="([^":]+)\"""")
_CODE = re.compile(r"`[^`\n]*`")
_COMMAND = re.compile(r"^    (?:\$ )?localagent ([a-z]+)", re.MULTILINE)
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
