"""Items of the Berkeley Function-Calling Leaderboard, from the data that `bfcl-eval` ships (Apache-2.0), and what is right.

The package is fetched once into the user's cache and read as a zip; nothing of it is installed or run. The judge
follows its AST checker: each parameter's value must be one of those listed, an empty string in the list allows
leaving it out, texts are compared without case, spaces and the punctuation `,./-_*^`.
"""

from __future__ import annotations

import json
import re
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from platformdirs import user_cache_dir

from localagent.messages import ToolSpec
from localagent.models.embedded import pip_download

KINDS = ("simple_python", "multiple", "parallel", "irrelevance")
PACKAGE = "bfcl-eval==2026.3.23"
_TYPES = {"dict": "object", "float": "number", "tuple": "array", "any": None}
Call = tuple[str, dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Item:
    """A question with its tools; `wanted` holds for each call its name and the accepted values, () for no call."""

    id: str
    kind: str
    question: str
    tools: tuple[ToolSpec, ...]
    wanted: tuple[tuple[str, dict[str, list[Any]]], ...]


def sample(per_kind: int, *, shift: int = 0) -> list[Item]:
    """The same items every time: evenly spread over each file. Another `shift` gives other items, to tune on."""
    with zipfile.ZipFile(_package()) as archive:
        return [item for kind in KINDS for item in _items(archive, kind, per_kind, shift)]


def right(item: Item, calls: list[Call]) -> bool:
    """Whether the calls are those that were wanted, in any order."""
    if len(calls) != len(item.wanted):
        return False
    left = list(item.wanted)
    for call in calls:
        match = next((wanted for wanted in left if _matches(call, wanted)), None)
        if match is None:
            return False
        left.remove(match)
    return True


def _package() -> Path:
    folder = Path(user_cache_dir("localagent")) / "bfcl"
    folder.mkdir(parents=True, exist_ok=True)
    return next(folder.glob("bfcl_eval-*.whl"), None) or pip_download(PACKAGE, folder)


def _items(archive: zipfile.ZipFile, kind: str, count: int, shift: int) -> list[Item]:
    rows = _rows(archive, f"bfcl_eval/data/BFCL_v4_{kind}.json")
    answers = {}
    if kind != "irrelevance":
        answers = {
            row["id"]: row["ground_truth"]
            for row in _rows(archive, f"bfcl_eval/data/possible_answer/BFCL_v4_{kind}.json")
        }
    step = max(1, len(rows) // count)
    return [_item(kind, row, answers.get(row["id"], [])) for row in rows[shift::step][:count]]


def _rows(archive: zipfile.ZipFile, name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in archive.read(name).decode().splitlines()]


def _item(kind: str, row: dict[str, Any], truth: list[dict[str, Any]]) -> Item:
    tools = tuple(
        ToolSpec(_name(tool["name"]), tool["description"], _schema(tool["parameters"])) for tool in row["function"]
    )
    wanted = tuple((_name(name), values) for one in truth for name, values in one.items())
    return Item(row["id"], kind, row["question"][0][-1]["content"], tools, wanted)


def _name(name: str) -> str:
    return name.replace(".", "_")


def _schema(value: Any, *, named: bool = False) -> Any:
    """JSON Schema from the leaderboard's own types; `named` says that the keys are names of parameters."""
    if isinstance(value, list):
        return [_schema(item) for item in value]
    if not isinstance(value, dict):
        return value
    changed = {
        key: _schema(part, named=key == "properties" and not named)
        for key, part in value.items()
        if named or key not in ("optional", "default")
    }
    if not named and isinstance(value.get("type"), str):
        kind = _TYPES.get(value["type"], value["type"])
        changed = {key: part for key, part in changed.items() if key != "type"} | ({"type": kind} if kind else {})
    return changed


def _matches(call: Call, wanted: tuple[str, dict[str, list[Any]]]) -> bool:
    name, arguments = call
    if name != wanted[0] or not set(arguments) <= set(wanted[1]):
        return False
    return all(
        _one_of(arguments[key], values) if key in arguments else "" in values for key, values in wanted[1].items()
    )


def _one_of(value: Any, accepted: list[Any]) -> bool:
    return any(_same(value, one) for one in accepted)


def _same(value: Any, wanted: Any) -> bool:
    if isinstance(value, bool) or isinstance(wanted, bool):
        return value is wanted
    if isinstance(value, str) and isinstance(wanted, str):
        return _folded(value) == _folded(wanted)
    if isinstance(value, list) and isinstance(wanted, list | tuple):
        return len(value) == len(wanted) and all(map(_same, value, wanted))
    if isinstance(value, dict) and isinstance(wanted, dict):
        return _matches(("", value), ("", {key: _listed(part) for key, part in wanted.items()}))
    return bool(value == wanted)


def _listed(part: Any) -> list[Any]:
    return part if isinstance(part, list) else [part]


def _folded(text: str) -> str:
    return re.sub(r"[ ,./\-_*^]", "", text).lower().replace("'", '"')
