"""Taking back what the agent did to files: one step or all of a session, also after a restart.

A folder of contents by their sha256, and a line a change in `<session>.jsonl`, written before the change happens.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from pathlib import Path

from localagent.errors import LocalAgentError
from localagent.events import FileChanged
from localagent.guard.layers import Layer, Record, Runner
from localagent.messages import ToolCall
from localagent.ports import Change, Outcome, Tool, ToolContext
from localagent.tools import in_place

_KEYS = re.compile(rb'"([0-9a-f]{64})"')


CHANGED = "it changed since, and that change would be lost"


class UndoConflictError(LocalAgentError):
    """Files that could not be taken back, each with the reason in `left`; `done` is what was taken back."""

    def __init__(self, left: Mapping[Path, str], done: Sequence[Change] = ()) -> None:
        names = "; ".join(f"{path}: {why}" for path, why in left.items())
        rest = ", ".join(str(change.path) for change in done) or "nothing"
        hint = (
            "" if done else ". `localagent sessions undo SESSION --force` takes back what can be, also over later work"
        )
        super().__init__(f"{names}. Taken back: {rest}{hint}")
        self.left, self.done = dict(left), tuple(done)


class UndoLogError(LocalAgentError):
    """A log of changes that this version cannot read."""


@dataclass(frozen=True, slots=True)
class Step:
    """One change of one file: contents by key, None where the file was not there. `mode` is of the file before."""

    call_id: str
    path: str
    before: str | None
    after: str | None
    mode: int = 0o644
    undone: bool = False


@dataclass(frozen=True, slots=True)
class UndoStore:
    """The changes of one session."""

    folder: Path
    session: str

    @property
    def _log(self) -> Path:
        return self.folder / f"{self.session}.jsonl"

    def remember(self, call_id: str, change: Change) -> Step:
        """Keeps both contents; durable when it returns."""
        path = Path(os.path.realpath(change.path))
        mode = path.stat().st_mode & 0o7777 if path.exists() else 0o644
        step = Step(call_id, str(path), self._keep(change.before), self._keep(change.after), mode)
        self._write(step)
        return step

    def _keep(self, content: bytes | None) -> str | None:
        if content is None:
            return None
        key = hashlib.sha256(content).hexdigest()
        blob = self._blob(key)
        if not blob.exists():
            blob.parent.mkdir(parents=True, exist_ok=True)
            in_place.replace(Path(os.path.realpath(blob)), content, mode=0o600)
        return key

    def _blob(self, key: str) -> Path:
        return self.folder / key[:2] / key

    def _write(self, step: Step) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        line = json.dumps(asdict(step), ensure_ascii=False).encode("utf-8", "surrogateescape")
        with self._log.open("ab") as file:
            file.write(b"\n" + line + b"\n")  # the first ends a line that a crash cut off
            file.flush()
            os.fsync(file.fileno())

    def steps(self) -> list[Step]:
        """What can be taken back, oldest first. A last line that a crash cut off never had its effect.

        Raises UndoLogError.
        """
        steps: list[Step] = []
        for step in self._lines():
            if step.undone:
                steps = [s for s in steps if (s.call_id, s.path) != (step.call_id, step.path)]
            else:
                steps.append(step)
        return steps

    def undone(self) -> frozenset[str]:
        """The calls whose changes were taken back; none where the log cannot be read."""
        with suppress(UndoLogError):
            return frozenset(step.call_id for step in self._lines() if step.undone)
        return frozenset()

    def _lines(self) -> Iterator[Step]:
        for line in self._log.read_bytes().split(b"\n") if self._log.exists() else ():
            try:
                found = json.loads(line)
            except ValueError:
                continue
            try:
                yield Step(**found)
            except TypeError:
                raise UndoLogError(f"{self._log} was written by another version; take it back with that one") from None

    def changes(self, call_id: str) -> tuple[Change, ...]:
        """What a call changed, with the contents before and after; only what is still known of it."""
        with suppress(UndoLogError, _LostError):
            return tuple(
                Change(Path(step.path), self._content(step.before), self._content(step.after))
                for step in self.steps()
                if step.call_id == call_id
            )
        return ()

    def _content(self, key: str | None) -> bytes | None:
        if key is None:
            return None
        try:
            content = self._blob(key).read_bytes()
        except OSError:
            content = b""
        if _key(content) != key:
            raise _LostError(0, "what it held before is lost")
        return content

    def happened(self, call_id: str) -> bool | None:
        """Whether a writing call that was cut off had its effect; None where that is not known, or only in part.

        The files as they were are kept before anything is written, so that a call without them did nothing.
        """
        try:
            steps = [step for step in self.steps() if step.call_id == call_id]
            now = [_key(in_place.content(Path(step.path))) for step in steps]
        except (UndoLogError, OSError):
            return None
        if all(key == step.before for key, step in zip(now, steps, strict=True)):
            return False
        return True if all(key == step.after for key, step in zip(now, steps, strict=True)) else None

    def undo(self, call_id: str = "", *, everything: bool = False, force: bool = False) -> tuple[Change, ...]:
        """Takes back the last step, the step of a call, or all; returns what was done, newest first, once a file.

        Raises UndoConflictError before anything is changed, or, with `force`, when the rest was taken back;
        LocalAgentError where there is nothing to take back.
        """
        steps = self.steps()
        wanted = call_id or (steps[-1].call_id if steps else "")
        files: dict[Path, list[Step]] = {}
        for step in reversed(steps):
            if everything or step.call_id == wanted:
                files.setdefault(Path(step.path), []).append(step)
        if not files:
            raise LocalAgentError("There is nothing to take back.")
        done: list[Change] = []
        left = {} if force else self._each(files, self._check)
        if not left:
            left = self._each(files, lambda path, chain: done.append(self._take_back(path, chain)))
        if left:
            raise UndoConflictError(left, done)
        return tuple(done)

    @staticmethod
    def _each(files: Mapping[Path, list[Step]], work: Callable[[Path, list[Step]], None]) -> dict[Path, str]:
        """Does it to each file; returns why it could not be done to some."""
        left = {}
        for path, chain in files.items():
            try:
                work(path, chain)
            except OSError as error:
                left[path] = error.strerror or str(error)
        return left

    def _check(self, path: Path, chain: Sequence[Step]) -> None:
        """Whether a file holds what the newest step left, or, kept but never happened, what was there before it.

        Raises OSError with the reason.
        """
        self._content(chain[-1].before)
        now = _key(in_place.content(path))
        if now not in (chain[0].after, chain[0].before, chain[-1].before):
            raise OSError(0, CHANGED)
        for newer, older in pairwise(chain):
            if newer.before not in (older.after, older.before):
                raise OSError(0, CHANGED)

    def forget(self) -> None:
        """Removes the log, and the contents that no other session needs."""
        if not self._log.exists():
            return
        keys = set(_KEYS.findall(self._log.read_bytes()))
        self._log.unlink()
        others = [log.read_bytes() for log in self.folder.glob("*.jsonl")]
        for key in keys:
            if not any(key in log for log in others):
                self._blob(key.decode()).unlink(missing_ok=True)

    def _take_back(self, path: Path, chain: Sequence[Step]) -> Change:
        """What the file held before the oldest of the steps; what it holds now is kept. Raises OSError."""
        now, before = in_place.content(path), self._content(chain[-1].before)
        kept = self._keep(now)
        if before is None:
            in_place.remove(path)
        elif now != before or chain[-1].mode != path.stat().st_mode & 0o7777:
            in_place.replace(path, before, mode=chain[-1].mode)
        for step in chain:
            self._write(replace(step, before=kept, after=chain[-1].before, undone=True))
        return Change(path, now, before)


class _LostError(OSError):
    """A content that is no longer kept."""


def _key(content: bytes | None) -> str | None:
    return None if content is None else hashlib.sha256(content).hexdigest()


def remember_changes(store: UndoStore, record: Record) -> Layer:
    """Keeps every file as it was before a tool changes it, and records the change before it happens."""

    def layer(tool: Tool, inner: Runner) -> Runner:
        async def run(call: ToolCall, context: ToolContext) -> Outcome:
            for change in await tool.preview(call.arguments, context):
                if change.before != change.after:
                    step = store.remember(call.id, change)
                    record(FileChanged(call.id, step.path, step.before, step.after))
            return await inner(call, context)

        return run if tool.effect == "write" else inner

    return layer
