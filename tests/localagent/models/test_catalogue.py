"""The catalogue: names, fallbacks, prices, changes of the file, and what it costs to import."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from localagent.config.models_toml import Entry
from localagent.errors import ConfigError, UsageError
from localagent.messages import Usage
from localagent.models.catalogue import Catalogue, load_catalogue

TEXT = """
default = "a"
fallback = ["b", "a", "c"]
[limits]
max_steps = 9
[models.a]
backend = "scripted"
file = "a.jsonl"
price = { input = 2, output = 10 }
[models.b]
backend = "scripted"
file = "b.jsonl"
fallback = ["c"]
limits = { max_steps = 3, max_usd = 1 }
[models.c]
backend = "openai"
base_url = "http://192.168.1.5:8080/v1"
[models.far]
backend = "anthropic"
model = "claude"
"""


@pytest.fixture
def catalogue(tmp_path: Path) -> Catalogue:
    (tmp_path / "models.toml").write_text(TEXT)
    (tmp_path / "a.jsonl").write_text('{"content": "hi"}')
    return load_catalogue(tmp_path / "models.toml")


def test_names_fallbacks_limits_and_costs(catalogue: Catalogue) -> None:
    assert catalogue.names == ("a", "b", "c", "far")
    assert catalogue.default == "a"
    assert (catalogue.fallback_of("a"), catalogue.fallback_of("b")) == (("b", "c"), ("c",))
    assert catalogue.limits_of("b") == {"max_steps": 3, "max_usd": 1}
    assert catalogue.entry("a").price.cost(Usage(1_000_000, 500_000)) == 7.0
    assert catalogue.entry("a").price.cost(Usage()) == 0.0


def test_an_unknown_name_lists_the_known_ones(catalogue: Catalogue) -> None:
    with pytest.raises(UsageError, match=r'no model "fra".*did you mean "far".*a, b, c, far'):
        catalogue.entry("fra")


def test_a_model_is_built_once(catalogue: Catalogue, tmp_path: Path) -> None:
    assert catalogue.build("a", state_dir=tmp_path) is catalogue.build("a", state_dir=tmp_path)


def test_every_backend_can_be_built_from_its_entry(catalogue: Catalogue, tmp_path: Path) -> None:
    for name in ("b", "c", "ollama/qwen3:8b", "llama-server/any"):
        assert catalogue.build(name, state_dir=tmp_path).name == name


def test_a_cloud_model_is_refused_while_clouds_are_off(catalogue: Catalogue, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"api\.anthropic\.com.*\[cloud\]"):
        catalogue.build("far", state_dir=tmp_path)


def test_the_fence_opens_named_hosts_and_no_cloud(catalogue: Catalogue) -> None:
    assert catalogue.hosts() == {"192.168.1.5"}


async def test_a_change_of_the_file_is_seen_and_taken(catalogue: Catalogue, tmp_path: Path) -> None:
    path = catalogue.file.path
    kept, gone = catalogue.build("a", state_dir=tmp_path), catalogue.build("b", state_dir=tmp_path)
    assert not catalogue.changed()
    path.write_text(TEXT.replace('file = "b.jsonl"', 'file = "bb.jsonl"').replace('default = "a"', 'default = "b"'))
    assert catalogue.changed()
    await catalogue.reload()
    assert not catalogue.changed()
    assert catalogue.default == "b"
    assert catalogue.build("a", state_dir=tmp_path) is kept
    assert catalogue.build("b", state_dir=tmp_path) is not gone


async def test_a_broken_change_leaves_everything_as_it_was(catalogue: Catalogue) -> None:
    catalogue.file.path.write_text("default = 1")
    with pytest.raises(ConfigError):
        await catalogue.reload()
    assert catalogue.default == "a"


def test_found_models_are_offered_once(catalogue: Catalogue) -> None:
    same = Entry("x", "openai", base_url="http://192.168.1.5:8080/v1")
    new = Entry("ollama/q", "ollama", model="q", base_url="http://127.0.0.1:11434")
    catalogue.add_found([same, new])
    assert catalogue.names == ("a", "b", "c", "far", "ollama/q")
    assert catalogue.entry("ollama/q") is new


def test_the_search_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here, home = tmp_path / "here", tmp_path / "home"
    for folder in (here, home):
        folder.mkdir()
    monkeypatch.chdir(here)
    monkeypatch.setenv("LOCALAGENT_HOME", str(home))
    assert load_catalogue().default == "embedded"
    (home / "models.toml").write_text('[models.home]\nbackend = "scripted"\nfile = "x"')
    assert load_catalogue().default == "home"
    (here / "models.toml").write_text('[models.here]\nbackend = "scripted"\nfile = "x"')
    assert load_catalogue().default == "here"


async def test_a_file_that_comes_later_is_found_and_one_that_goes_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LOCALAGENT_HOME", str(tmp_path / "home"))
    catalogue = load_catalogue()
    assert not catalogue.changed()
    (tmp_path / "models.toml").write_text('[models.here]\nbackend = "scripted"\nfile = "x"')
    for default in ("here", "embedded"):
        assert catalogue.changed()
        await catalogue.reload()
        assert (catalogue.default, catalogue.changed()) == (default, False)
        (tmp_path / "models.toml").unlink(missing_ok=True)


def test_importing_loads_nothing_heavy() -> None:
    code = """
import sys
import localagent.config.settings, localagent.models.catalogue, localagent.models.cli, localagent.net.fence
heavy = ("httpx", "ollama", "jsonschema", "llama_cpp", "numpy", "textual", "pydantic")
print([name for name in heavy if name in sys.modules])
"""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=env, check=True)
    assert done.stdout.strip() == "[]"
