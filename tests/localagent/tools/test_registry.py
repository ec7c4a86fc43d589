"""The list of tools as a model gets it: stable, valid and short."""

import json
import os
import subprocess
import sys

import jsonschema
import pytest

from localagent.config import prompts
from localagent.tools.registry import builtin_tools
from localagent.tools.schema import Profile
from tests.fakes.tools import Bench

CHARS = {"nano": 1600, "minimal": 2900, "full": 4950}  # about 3.9 characters a token


def _json(profile: Profile) -> str:
    specs = [tool.spec for tool in builtin_tools(profile)]
    shape = [{"name": s.name, "description": s.description, "parameters": s.parameters} for s in specs]
    return "\n".join(json.dumps({"type": "function", "function": one}) for one in shape)


@pytest.mark.parametrize("profile", ["nano", "minimal", "full"])
def test_the_words_stay_few(profile: Profile) -> None:
    assert len(_json(profile)) < CHARS[profile]


@pytest.mark.parametrize("profile", ["nano", "minimal", "full"])
def test_schemas_are_valid_and_names_unique(profile: Profile) -> None:
    tools = builtin_tools(profile)
    for tool in tools:
        jsonschema.Draft202012Validator.check_schema(tool.spec.parameters)
        assert tool.spec.parameters["type"] == "object"
    assert len({tool.spec.name for tool in tools}) == len(tools)


def test_another_process_writes_the_same_bytes() -> None:
    code = "from tests.localagent.tools.test_registry import _json; print(_json('full'), end='')"
    env = {**os.environ, "PYTHONHASHSEED": "123"}
    other = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=env)
    assert other.stdout == _json("full")


def test_tools_import_nothing_heavy() -> None:
    code = (
        "import sys, localagent.tools.registry, localagent.guard\n"
        "heavy = {'pypdf', 'openpyxl', 'bs4', 'markdownify', 'sqlite_utils', 'pathspec', 'httpx', 'jsonschema'}\n"
        "print(*sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


def test_every_message_is_used_and_every_used_one_is_there() -> None:
    import re
    import tomllib
    from pathlib import Path

    import localagent

    source = "\n".join(file.read_text() for file in Path(localagent.__file__).parent.rglob("*.py"))
    known = set(tomllib.loads(prompts.read("tools/messages.toml")))
    used = set(re.findall(r'say\(\s*"(\w+)"', source))
    assert used <= known
    assert {key for key in known if f'"{key}"' not in source} == set()


async def test_a_schema_of_an_object_is_what_finish_takes() -> None:
    schema = {"type": "object", "properties": {"total": {"type": "integer"}}, "required": ["total"]}
    finish = builtin_tools("full", schema=schema)[-1]
    assert finish.spec.parameters == schema
    bench_free = await finish.run({"total": 3}, None)  # type: ignore[arg-type]
    assert bench_free.output == {"total": 3}


async def test_any_other_schema_is_wrapped_with_its_definitions() -> None:
    schema = {"type": "array", "items": {"$ref": "#/$defs/n"}, "$defs": {"n": {"type": "integer"}}}
    finish = builtin_tools("full", schema=schema)[-1]
    validator = jsonschema.Draft202012Validator(finish.spec.parameters)
    assert validator.is_valid({"result": [1, 2]})
    assert not validator.is_valid({"result": ["x"]})
    assert (await finish.run({"result": [1]}, None)).output == [1]  # type: ignore[arg-type]


async def test_questions_notes_and_nobody(bench: Bench) -> None:
    assert (await bench.run("ask_user", question="which?", options=["a", "b"])).content == "a"
    assert (await bench.run("plan")).content == "There is no plan yet. Give its items."
    await bench.run("plan", note="the key  is\n42")
    await bench.run("plan", note="the key is 42")
    assert (await bench.run("plan")).content.split("\n\n")[1] == "- the key is 42"
