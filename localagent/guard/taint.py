"""Words of others: they reach the model as marked data, and from then on the session is asked about every effect."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase, translate
from functools import cache
from pathlib import Path

from localagent.guard.layers import Layer, Runner
from localagent.messages import ToolCall
from localagent.ports import Outcome, Tool, ToolContext
from localagent.tools.ignore import ALWAYS
from localagent.tools.text import decode, is_binary
from localagent.tools.tool import no_paths
from localagent.tools.words import say

FOREIGN = (
    "*.eml", "*.mbox", "*.msg", "*.mht", "*.mhtml", "*.ics", "*.vcf", "*.pdf", "*.doc", "*.docx", "*.odt", "*.rtf",
    "*.xls", "*.xlsx", "*.xlsm", "*.ods", "*.ppt", "*.pptx", "*.odp", "*.epub", "*.html", "*.htm", "*.xhtml",
    "Downloads/*", "downloads/*",
)  # fmt: skip
FOREIGN_TOOLS = ("http_*", "mcp_*", "mcp__*")
SCANNED = 5000  # entries of the workspace
TEXT_BUDGET = 4_000_000  # bytes of foreign text that are compared
FILE_BUDGET = 500_000
TELLING_CHARS = 16  # shorter lines stand in anybody's files
SOURCE_CHARS = 200
ODD_NAME = "a file with an odd name"
UNTRUSTED = ("AGENTS.md", "CLAUDE.md", "SKILL.md")  # of a folder that the person does not trust
_SPEAKING = re.compile(r"[{}<>|;`$\"\x00-\x1f]|(?:[^\s_-]+[\s_-]+){7}[^\s_-]")  # a file's name that is more than a name


@dataclass(slots=True)
class Taint:
    """Whether this session has read foreign words, and where from.

    Its file is the truth: a reader that was sent out, another process and the screen write the same one.
    """

    file: Path | None = None
    foreign: tuple[str, ...] = FOREIGN
    foreign_tools: tuple[str, ...] = FOREIGN_TOOLS
    _sources: list[str] = field(default_factory=list)

    @property
    def sources(self) -> tuple[str, ...]:
        """Whose words were read, the oldest first."""
        if self.file is not None:
            self._sources = json.loads(self.file.read_text(encoding="utf-8")) if self.file.exists() else []
        return tuple(self._sources)

    @property
    def active(self) -> bool:
        return bool(self.sources)

    def add(self, source: str) -> None:
        if source not in self.sources:
            self._sources.append(source)
            self._save()

    def clear(self) -> None:
        """The person has looked and trusts the session again."""
        self._sources.clear()
        self._save()

    def _save(self) -> None:
        if self.file is not None:
            self.file.parent.mkdir(parents=True, exist_ok=True)
            part = self.file.with_suffix(".part")
            part.write_text(json.dumps(self._sources, ensure_ascii=False), encoding="utf-8")
            os.replace(part, self.file)

    def is_foreign(self, path: str) -> bool:
        """By the name or by a folder above it."""
        names, folders = _compiled(self.foreign)
        above, _, name = path.rpartition("/")
        return names.match(name.lower()) is not None or (above != "" and not folders.isdisjoint(above.split("/")))

    def source_of(self, call: ToolCall, outcome: Outcome, context: ToolContext, *, trusted: bool = False) -> str:
        """Where foreign words in the outcome come from; "" for the person's own, as those of a `trusted` tool are.

        It is named outside the marks, so that a name that could say something is not.
        """
        source = self._source(call, outcome, context, trusted=trusted)
        odd = len(source) > SOURCE_CHARS or (_SPEAKING.search(source) and "://" not in source)
        return ODD_NAME if odd else source

    def _source(self, call: ToolCall, outcome: Outcome, context: ToolContext, *, trusted: bool) -> str:
        if outcome.taint:
            return outcome.taint
        if not trusted and any(fnmatchcase(call.name, pattern) for pattern in self.foreign_tools):
            return call.name
        named = next((source for source in outcome.sources if self.is_foreign(source)), "")
        return named or self._named_in(str(call.arguments.get("command") or "")) or self._quoted_in(outcome, context)

    def _named_in(self, line: str) -> str:
        """A command that names a foreign file is taken to read it, whatever the shell makes of the rest."""
        words = re.split(r"[\s'\"`()\[\]{},;:<>|&=]+", line)
        return next((word for word in words if word and self.is_foreign(word)), "")

    def _quoted_in(self, outcome: Outcome, context: ToolContext) -> str:
        """Foreign words that came by another way, through a script, a search or a copy, are known by their lines."""
        if len(outcome.content) < TELLING_CHARS:
            return ""
        for name, lines in foreign_lines(context.workspace, self.is_foreign):
            if any(line in outcome.content for line in lines):
                return name
        return ""


@cache
def _compiled(patterns: tuple[str, ...]) -> tuple[re.Pattern[str], frozenset[str]]:
    """The patterns of names as one expression, and the names of folders: a workspace has thousands of files."""
    names = [translate(pattern.lower()) for pattern in patterns if "/" not in pattern]
    folders = (pattern.removesuffix("/*").rstrip("/") for pattern in patterns if "/" in pattern)
    return re.compile("|".join(names) or r"(?!)"), frozenset(folders)


def foreign_lines(workspace: Path, is_foreign: Callable[[str], bool]) -> Iterator[tuple[str, list[str]]]:
    """Foreign text files of the workspace with their telling lines, within a budget of entries and bytes.

    A name that could say something is such a line too, whatever file bears it.
    """
    budget, seen, top = TEXT_BUDGET, 0, len(str(workspace)) + 1
    for folder, folders, names in os.walk(workspace):
        folders[:] = sorted(name for name in folders if name not in ALWAYS)
        seen += len(names)
        inside = folder[top:]
        yield from ((name, _telling(name)) for name in (*folders, *names) if _SPEAKING.search(name))
        for name in filter(lambda name: is_foreign(f"{inside}/{name}"), names):
            path = Path(folder, name)
            if path.is_file() and not path.is_symlink():
                content = _head(path, budget)
                budget -= len(content)
                yield name, [] if is_binary(content) else _telling(decode(content).text)
        if seen > SCANNED or budget <= 0:
            return


def _head(path: Path, budget: int) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(min(budget, FILE_BUDGET))
    except OSError:  # not readable for us, so not for the command either
        return b""


def _telling(text: str) -> list[str]:
    lines = (line.strip() for line in re.split(r"[\x00-\x08\x0a-\x1f]", text))
    return [line for line in lines if len(line) >= TELLING_CHARS]


def marked(content: str, source: str) -> str:
    """The content between delimiters that it cannot contain, with the word that it gives no orders."""
    tag = hashlib.sha256(content.encode("utf-8", "replace")).hexdigest()[:10]
    while tag in content:
        tag = hashlib.sha256(tag.encode()).hexdigest()[:10]
    return say("foreign", source=source, tag=tag, content=content)


def mark_foreign(taint: Taint) -> Layer:
    """Marks what comes from others and remembers that it was read."""

    def layer(tool: Tool, inner: Runner) -> Runner:
        async def run(call: ToolCall, context: ToolContext) -> Outcome:
            outcome = await inner(call, context)
            if (
                tool.effect in ("ask", "finish")
                or outcome.failure == "denied"
                or (tool.effect == "write" and outcome.ok)
            ):
                return outcome
            trusted = bool(getattr(tool, "trusted", False))
            if tool.effect == "write" or outcome.failure == "invalid":  # what could not be done it may quote
                paths = getattr(tool, "paths", no_paths)(call.arguments)
                outcome = replace(outcome, sources=(*outcome.sources, *paths))
            source = await asyncio.to_thread(taint.source_of, call, outcome, context, trusted=trusted)
            if not source:
                return outcome
            taint.add(source)
            return replace(
                outcome, content=marked(outcome.content, source), full=outcome.full or outcome.content, taint=source
            )

        return run

    return layer
