"""A process of a command: how it is started, what it writes, how it is ended with all its children."""

from __future__ import annotations

import asyncio
import codecs
import os
import shutil
import signal
from collections import deque
from dataclasses import dataclass, field

from localagent.clock import ends_within
from localagent.ports import ToolContext
from localagent.tools.tool import ToolFailure
from localagent.tools.words import say

KEPT_CHARS = 4_000_000  # of an output, half of its beginning and half of its end
PASSED_ON = ("LANG", "LC_ALL", "LC_CTYPE", "PATH", "TERM", "TZ")
GRACE_SECONDS = 2.0


def shell_argv(line: str) -> list[str]:
    """The shell for a line, without anybody's start-up files."""
    bash = shutil.which("bash")
    return [bash, "--noprofile", "--norc", "-c", line] if bash else ["/bin/sh", "-c", line]


def environment(context: ToolContext) -> dict[str, str]:
    """What a command gets to know: a handful of variables, never keys or tokens of the person."""
    told = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
    quiet = {"PAGER": "cat", "GIT_PAGER": "cat", "GIT_TERMINAL_PROMPT": "0", "NO_COLOR": "1", "PYTHONUNBUFFERED": "1"}
    return {"PATH": os.defpath, "TERM": "dumb", **told, **quiet, "HOME": os.environ.get("HOME", "/")}


async def start(line: str, context: ToolContext) -> asyncio.subprocess.Process:
    """Starts a line in a session of its own, confined as the context says. Raises ToolFailure."""
    if "\0" in line or not line.strip():
        raise ToolFailure("invalid", say("empty_command"))
    try:
        return await asyncio.create_subprocess_exec(
            *context.confine(shell_argv(line)),
            cwd=context.workspace,
            env=environment(context),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            start_new_session=True,
        )
    except OSError as error:
        raise ToolFailure("failed", say("cannot_start", problem=str(error))) from None


async def kill(process: asyncio.subprocess.Process) -> None:
    """Ends the whole process group, politely first; returns when the process is gone."""
    try:
        _signal_group(process.pid, signal.SIGTERM)
        await ends_within(GRACE_SECONDS, process.wait())
    finally:  # whoever is cancelled once more meanwhile does not leave a deaf one behind
        _signal_group(process.pid, signal.SIGKILL)
    await process.wait()


def _signal_group(group: int, signum: signal.Signals) -> None:
    try:
        os.killpg(group, signum)
    except (ProcessLookupError, PermissionError):  # everyone of the group is gone
        pass


@dataclass(slots=True)
class Output:
    """What a command wrote, both streams as they came; bytes that are no text are shown as such.

    Of endless output the first and the newest half of KEPT_CHARS are kept: how it began, and how it ended.
    """

    chars: int = 0  # that were written in all
    dropped: int = 0
    _head: list[str] = field(default_factory=list)
    _head_chars: int = 0
    _tail: deque[str] = field(default_factory=deque)
    _tail_chars: int = 0
    _decoder: codecs.IncrementalDecoder = field(
        default_factory=lambda: codecs.getincrementaldecoder("utf-8")(errors="replace")
    )

    def feed(self, data: bytes, *, final: bool = False) -> str:
        """Takes bytes and returns the text that is new and safe for a screen, "" where that has seen enough."""
        piece = _safe(self._decoder.decode(data, final))
        room = KEPT_CHARS // 2 - self._head_chars
        if room > 0:
            self._head.append(piece[:room])
            self._head_chars += len(piece[:room])
        self._keep_newest(piece[room:] if room > 0 else piece)
        self.chars += len(piece)
        return piece if self.chars <= KEPT_CHARS else ""

    def _keep_newest(self, piece: str) -> None:
        self._tail.append(piece)
        self._tail_chars += len(piece)
        while self._tail_chars - len(self._tail[0]) >= KEPT_CHARS // 2:
            gone = len(self._tail.popleft())
            self._tail_chars -= gone
            self.dropped += gone

    def since(self, seen: int) -> str:
        """What was written after the first `seen` characters, with a note where some of it was not kept."""
        head, tail = "".join(self._head), "".join(self._tail)
        start = self.chars - len(tail)
        gap = "\n" + say("output_dropped", chars=self.dropped) + "\n" if self.dropped and seen < start else ""
        return head[seen:] + gap + tail[max(0, seen - start) :]

    def tail(self, pieces: int = 200) -> str:
        """The newest pieces, for a screen that looks again and again."""
        newest = list(self._tail)[-pieces:]
        missing = pieces - len(newest)
        return "".join([*(self._head[-missing:] if missing and not self.dropped else []), *newest])


def _safe(text: str) -> str:
    """Without control characters that could move a terminal's cursor or speak to it."""
    return text.replace("\r\n", "\n").translate(_CONTROLS)


_CONTROLS = dict.fromkeys((*range(0, 9), 11, 12, *range(14, 32), 127, *range(128, 160)), "�")
