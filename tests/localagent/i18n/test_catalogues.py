"""The catalogues: complete, used, and with the same placeholders."""

from __future__ import annotations

import re
from pathlib import Path
from string import Formatter

import pytest

import localagent
from localagent.i18n import LANGUAGES, catalogue, from_environment, t, use
from localagent.tui.commands import COMMANDS

PACKAGE = Path(localagent.__file__).parent
SOURCES = "\n".join(path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py"))
BUILT = (
    "phase.",
    "where.",
    "outcome.",
    "mode.",
    "command.",
    "settings.",
    "shield.",
    "approval.",
    "key.",
    "plain.",
    "why.",
    "release.",
    "arguments.",
    "stats.",
    "reason.",
    "error.",
)


def holes(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name}


@pytest.mark.parametrize("language", [name for name in LANGUAGES if name != "en"])
def test_a_catalogue_says_all_that_english_says(language: str) -> None:
    english, other = catalogue("en"), catalogue(language)
    assert set(other) == set(english)
    assert {key: holes(text) for key, text in other.items()} == {key: holes(text) for key, text in english.items()}


def test_every_key_in_the_code_is_in_the_catalogue() -> None:
    used = set(re.findall(r'\bt\(\s*"([a-z_]+\.[a-z_]+)"', SOURCES)) | set(re.findall(r'"(key\.[a-z_]+)"', SOURCES))
    assert used
    assert used <= set(catalogue("en"))


def test_no_text_is_left_over() -> None:
    for key in catalogue("en"):
        assert re.search(f"""["']{re.escape(key)}["']""", SOURCES) or key.startswith(BUILT), key


def test_every_command_says_what_it_is() -> None:
    assert all(t(command.about) != command.about for command in COMMANDS)


def test_the_environment_chooses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LC_ALL", raising=False)
    monkeypatch.delenv("LC_MESSAGES", raising=False)
    for value, language in (("ru_RU.UTF-8", "ru"), ("de_DE.UTF-8", "en"), ("C", "en"), ("", "en")):
        monkeypatch.setenv("LANG", value)
        assert from_environment() == language
    use("ru")
    assert t("key.send") == "отправить"
    use("en")
    assert t("nothing.here") == "nothing.here"
