"""More tools than a small model can choose from: found by words, called by name, so that the prefix stays fixed."""

from __future__ import annotations

import asyncio
import json
import math
import re
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from localagent.messages import ToolSpec
from localagent.ports import Outcome, ToolContext
from localagent.tools.result import fit
from localagent.tools.schema import Param, Profile, object_schema
from localagent.tools.tool import Arguments, BuiltinTool
from localagent.tools.words import describe, say

MOST = 5
NAME_WEIGHT = 3  # a word of the name counts as much as so many of the description
K1, B = 1.5, 0.5  # how fast repetition stops counting, and how much length does
FIND, CALL = "find_tools", "call_tool"
_WORD = re.compile(r"[^\W_]+")
_CYRILLIC = re.compile("[а-яё]")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_ENDINGS = ("ations", "ation", "ings", "ing", "ies", "ers", "er", "es", "ed", "s", "y", "e")


def rank(query: str, specs: Sequence[ToolSpec]) -> list[ToolSpec]:
    """The tools that share words with the query, best first, by BM25 over name, description and parameters.

    A Russian word also counts as what it is called in English, as most servers have it.
    """
    documents = [_document(spec) for spec in specs]
    stems = _stems(query)
    wanted = {*stems, *(english for stem in stems for english in _in_english().get(stem, ()))}
    if not documents or not wanted:
        return []
    average = sum(map(Counter.total, documents)) / len(documents)
    rarity = {word: _rarity(sum(word in doc for doc in documents), len(documents)) for word in wanted}
    scores = [sum(rarity[word] * _weight(doc[word], doc.total() / average) for word in wanted) for doc in documents]
    order = sorted(range(len(specs)), key=lambda at: (-scores[at], specs[at].name))
    return [specs[at] for at in order if scores[at] > 0]


def _rarity(having: int, total: int) -> float:
    return math.log(1 + (total - having + 0.5) / (having + 0.5))


def _weight(count: int, length: float) -> float:
    return count * (K1 + 1) / (count + K1 * (1 - B + B * length)) if count else 0.0


def _document(spec: ToolSpec) -> Counter[str]:
    words = Counter(_stems(spec.description))
    words.update(dict.fromkeys(_stems(spec.name), NAME_WEIGHT))
    for name, schema in spec.parameters.get("properties", {}).items():
        about = schema.get("description", "") if isinstance(schema, dict) else ""
        words.update(_stems(f"{name} {about}"))
    return words


def _stems(text: str) -> list[str]:
    return [_stem(word) for word in _WORD.findall(_HUMP.sub(" ", text).lower())]


def _stem(word: str) -> str:
    """Without the commonest endings: files, filing and file are one word, and so are счёт and счета."""
    if _CYRILLIC.search(word):
        return str(_russian().stemWord(word.replace("ё", "е")))
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


@cache
def _russian() -> Any:
    import snowballstemmer  # type: ignore[import-untyped]

    return snowballstemmer.stemmer("russian")


@cache
def _in_english() -> dict[str, tuple[str, ...]]:
    """Stems of Russian words → stems of what they are called in English, from what tools are about."""
    found: dict[str, tuple[str, ...]] = {}
    for line in (Path(__file__).parent / "russian.txt").read_text(encoding="utf-8").splitlines():
        english, _, russian = line.partition(":")
        for stem in _stems(russian):
            found[stem] = (*found.get(stem, ()), *_stems(english))
    return found


def find_tools(
    profile: Profile,
    groups: Sequence[str],
    specs: Callable[[], Awaitable[Sequence[ToolSpec]]],
    shown: Callable[[Sequence[str]], str],
) -> BuiltinTool:
    """`groups` are named in its description; `specs` gives all tools as they are now.

    `shown` is told what the model has seen and answers whose words these are, "" for nobody else's.
    """

    async def action(arguments: Arguments, context: ToolContext) -> Outcome:
        known = await specs()
        best = (await asyncio.to_thread(rank, str(arguments["query"]), known))[:MOST]
        if not best:
            names = ", ".join(spec.name for spec in known) or "-"
            text, full = fit(say("no_tools", query=arguments["query"], names=names), context)
            return Outcome(text, full=full, failure="not_found")
        source = shown([spec.name for spec in best])
        text, full = fit(say("tools_found", tools="\n\n".join(map(_described, best))), context)
        return Outcome(text, full=full, taint=source)

    words = describe(FIND)
    text = words["text"].format(groups=", ".join(groups))
    return BuiltinTool(ToolSpec(FIND, text, object_schema((Param("query", required=True),))), "read", action)


def _described(spec: ToolSpec) -> str:
    schema = json.dumps(spec.parameters, ensure_ascii=False, separators=(",", ":"))
    return f"{spec.name}: {spec.description}\narguments: {schema}"


def call_tool(profile: Profile) -> BuiltinTool:
    """Only its words: whoever puts the tools together unpacks the call and runs the tool that it names."""

    async def action(arguments: Arguments, context: ToolContext) -> Outcome:
        raise AssertionError("a call of a found tool is unpacked before it runs")

    params = (Param("name", required=True), Param("arguments", {"type": "object"}, required=True))
    return BuiltinTool(ToolSpec(CALL, describe(CALL)["text"], object_schema(params)), "send", action)


def unpacked(arguments: Mapping[str, Any], specs: Mapping[str, ToolSpec]) -> tuple[str, dict[str, Any]] | str:
    """The name and the arguments of the tool that is meant, checked and repaired like those of every call.

    A text where they cannot be read one way only: what is wrong, with the expected shape.
    """
    from localagent.calling import NativeCall, interpret

    name, inner = str(arguments.get("name") or ""), arguments.get("arguments")
    meant = _meant(name, specs)
    if meant is None:
        near = [spec.name for spec in rank(name, tuple(specs.values()))[:MOST]]
        return say("no_found_tool", name=name, near=", ".join(near) or "-")
    text = inner if isinstance(inner, str) else json.dumps(inner or {}, ensure_ascii=False)
    read = interpret("", (meant,), native_calls=[NativeCall(meant.name, text)])
    return read.problem.message if read.problem else (meant.name, read.calls[0].arguments)


def _meant(name: str, specs: Mapping[str, ToolSpec]) -> ToolSpec | None:
    """By its name, with what models put around it, or by its last part where only one tool has that."""
    from localagent.calling import names

    found = names.find(name, tuple(specs.values()))
    ends = [spec for spec in specs.values() if spec.name.endswith(f"__{name.strip()}")]
    return found or (ends[0] if len(ends) == 1 else None)
