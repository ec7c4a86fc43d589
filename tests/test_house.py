"""What the house promises of itself: format, lint, types, arrows that point one way, rooms that stay small."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCES = sorted([*(ROOT / "localagent").rglob("*.py"), *(ROOT / "gateway").rglob("*.py")])
LONGEST_FILE = 400
HEAVY = (
    "httpx",
    "jsonschema",
    "ollama",
    "textual",
    "llama_cpp",
    "numpy",
    "spacy",
    "presidio_analyzer",
    "sqlite_utils",
    "mcp",
)
ORDER = (
    ("errors", "arguments", "messages", "events", "events_json", "ports", "clock", "terminal", "i18n"),
    ("config", "net", "calling"),
    ("models", "tools", "sizes"),
    ("guard", "journal"),
    ("memory", "extend", "house"),
    ("mcp",),
    ("agent",),
    ("approvers", "assemble", "furnish"),
    ("tui", "headless", "choosing", "archive", "session", "plain", "acp", "serve"),
    ("app",),
    ("cli", "bootstrap", "__init__"),
)


def run(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", *command], cwd=ROOT, capture_output=True, text=True, check=False)


def test_the_code_is_formatted() -> None:
    result = run("ruff", "format", "--check", "localagent", "gateway", "tests")
    assert result.returncode == 0, result.stdout + result.stderr


def test_the_code_is_linted() -> None:
    result = run("ruff", "check", "localagent", "gateway", "tests")
    assert result.returncode == 0, result.stdout


def test_types_are_strict() -> None:
    result = run("mypy")
    assert result.returncode == 0, result.stdout


def imports(path: Path) -> Iterator[str]:
    """Every module that a file imports, also inside functions, but not for type checking only."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    typing_only = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if id(node) in typing_only:
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module


def line_of(module: str) -> int:
    """The place of a module of localagent in the order; what stands above may be imported."""
    room = module.split(".")[1] if "." in module else "__init__"
    return next(number for number, rooms in enumerate(ORDER) if room in rooms)


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: p.relative_to(ROOT).as_posix())
def test_arrows_point_one_way(path: Path) -> None:
    module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
    for imported in imports(path):
        if module.startswith("gateway"):
            assert not imported.startswith("localagent"), f"{module} imports {imported}"
        elif imported.startswith("localagent."):
            allowed = line_of(imported) <= line_of(module) or (module, imported) in EXCEPTIONS
            assert allowed, f"{module} imports {imported}, which stands below it"


# The command line of a family lives with it and starts the run that it names.
EXCEPTIONS = {
    ("localagent.mcp.cli", "localagent.serve"),
    ("localagent.journal.sessions_cli", "localagent.headless"),
    ("localagent.tui.app", "localagent.session"),
}


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: p.relative_to(ROOT).as_posix())
def test_only_the_screen_imports_textual(path: Path) -> None:
    if "tui" not in path.parts:
        assert not any(name.split(".")[0] == "textual" for name in imports(path))


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: p.relative_to(ROOT).as_posix())
def test_no_room_has_grown_too_large(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= LONGEST_FILE


@pytest.mark.parametrize("command", ["localagent.cli", "gateway.cli"])
def test_help_loads_nothing_heavy(command: str) -> None:
    code = (
        f"import sys, runpy; sys.argv = ['x', '--help']\n"
        f"try: runpy.run_module('{command}', run_name='__main__')\n"
        f"except SystemExit: pass\n"
        f"print([m for m in {HEAVY!r} if m in sys.modules])"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.splitlines()[-1] == "[]"
    assert "usage" in result.stdout


@pytest.mark.parametrize("path", sorted((ROOT / "prompts").rglob("*.md")), ids=lambda p: p.name)
def test_every_prompt_is_read_by_the_code(path: Path) -> None:
    code = "".join(source.read_text(encoding="utf-8") for source in SOURCES)
    name = path.relative_to(ROOT / "prompts").as_posix()
    stem = path.name.split(".")[0]
    assert name in code or f'"{stem}"' in code or f"{stem}." in code
