"""What the person asked to keep: one Markdown file in the data folder that they can read and edit, a line a fact."""

from __future__ import annotations

from pathlib import Path

from localagent.ports import Change, Outcome, ToolContext
from localagent.tools.paths import resolve, write_bytes
from localagent.tools.schema import Param, Profile, spec_of
from localagent.tools.text import Text, decode
from localagent.tools.tool import Arguments, BuiltinTool, ToolFailure
from localagent.tools.words import say

FILE = "remembered.md"
FACT_CHARS = 500
HEAD = """\
# Remembered

What localagent was asked to keep. Change it as you like; each session reads it when it begins.

"""


def kept_file(data: Path) -> Path:
    return data / FILE


def kept_facts(data: Path, limit: int) -> str:
    """The facts as lines, the newest where they do not all fit `limit` characters; "" for none."""
    lines = [
        line.rstrip() for line in _read(kept_file(data)).text.splitlines() if line.lstrip().startswith(("- ", "* "))
    ]
    room = limit
    told: list[str] = []
    for line in reversed(lines):
        room -= len(line) + 1
        if room < 0:
            break
        told.append(line)
    return "\n".join(reversed(told))


def remember(profile: Profile, data: Path) -> BuiltinTool:
    """Writes into the file, which lies outside the workspace: the person is asked, whatever the mode."""
    file = kept_file(data)

    def changes(arguments: Arguments, context: ToolContext) -> tuple[Change, ...]:
        before = _read(file)
        after = _with(before.text, arguments["fact"])
        old = file.read_bytes() if file.exists() else None
        return (Change(file, old, _encoded(before, after)),) if after != before.text else ()

    async def action(arguments: Arguments, context: ToolContext) -> Outcome:
        for change in changes(arguments, context):
            write_bytes(resolve(str(file), context), change.after or b"", context)
        return Outcome(say("remembered"))

    params = (Param("fact", required=True),)
    return BuiltinTool(spec_of("remember", params, profile), "write", action, changes, lambda _: (str(file),))


def _with(text: str, fact: str) -> str:
    """The text with one more line, of what a person can see; unchanged where the fact stands there already."""
    line = "- " + " ".join("".join(char for char in fact if char.isprintable() or char.isspace()).split())
    if line == "- " or len(line) > FACT_CHARS:
        raise ToolFailure("invalid", say("bad_fact", limit=FACT_CHARS))
    if line in text.splitlines():
        return text
    return f"{text.rstrip()}\n{line}\n" if text.strip() else f"{HEAD}{line}\n"


def _read(file: Path) -> Text:
    """In whatever encoding and with whatever line ends the person's editor wrote it."""
    try:
        return decode(file.read_bytes())
    except FileNotFoundError:
        return Text("")


def _encoded(form: Text, text: str) -> bytes:
    try:
        return form.encode(text)
    except UnicodeEncodeError:  # the old form cannot hold the new fact
        return text.encode()
