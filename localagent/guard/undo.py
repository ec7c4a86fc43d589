"""Taking back what the agent did to files: one step or all of a session, also after a restart.

A folder of contents by their sha256, and a line a change in `<session>.jsonl`, written before the change happens.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from localagent.errors import LocalAgentError
from localagent.events import FileChanged
from localagent.guard.layers import Layer, Record, Runner
from localagent.messages import ToolCall
from localagent.ports import Change, Outcome, Tool, ToolContext


class UndoConflictError(LocalAgentError):
    """Files changed since the agent wrote them; nothing was taken back. `paths` names them."""

    def __init__(self, paths: Sequence[Path]) -> None:
        names = ", ".join(map(str, paths))
        super().__init__(f"{names} changed since; nothing was taken back. Force it to lose those later changes.")
        self.paths = tuple(paths)


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
        mode = change.path.stat().st_mode & 0o7777 if change.path.exists() else 0o644
        step = Step(call_id, str(change.path), self._keep(change.before), self._keep(change.after), mode)
        self._write(step)
        return step

    def _keep(self, content: bytes | None) -> str | None:
        if content is None:
            return None
        key = hashlib.sha256(content).hexdigest()
        blob = self._blob(key)
        if not blob.exists():
            blob.parent.mkdir(parents=True, exist_ok=True)
            _write_durably(blob, content)
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
        """What can be taken back, oldest first. A last line that a crash cut off never had its effect."""
        if not self._log.exists():
            return []
        steps: list[Step] = []
        for step in self._lines():
            if step.undone:
                steps = [s for s in steps if (s.call_id, s.path) != (step.call_id, step.path)]
            else:
                steps.append(step)
        return steps

    def _lines(self) -> Iterator[Step]:
        for line in self._log.read_bytes().split(b"\n"):
            try:
                yield Step(**json.loads(line))
            except ValueError:
                continue

    def changes(self, call_id: str) -> tuple[Change, ...]:
        """What a call changed, with the contents before and after."""
        return tuple(
            Change(Path(step.path), self._content(step.before), self._content(step.after))
            for step in self.steps()
            if step.call_id == call_id
        )

    def _content(self, key: str | None) -> bytes | None:
        return None if key is None else self._blob(key).read_bytes()

    def happened(self, call_id: str) -> bool | None:
        """Whether a writing call that was cut off had its effect; None where only some of its files changed.

        The files as they were are kept before anything is written, so that a call without them did nothing.
        """
        steps = [step for step in self.steps() if step.call_id == call_id]
        now = [self._key_of(Path(step.path)) for step in steps]
        if all(key == step.before for key, step in zip(now, steps, strict=True)):
            return False
        return True if all(key == step.after for key, step in zip(now, steps, strict=True)) else None

    def undo(self, call_id: str = "", *, everything: bool = False, force: bool = False) -> tuple[Change, ...]:
        """Takes back the last step, the step of a call, or all; returns what was done, in order.

        Raises UndoConflictError before anything is changed, LocalAgentError where there is nothing to take back.
        """
        steps = self.steps()
        wanted = call_id or (steps[-1].call_id if steps else "")
        chosen = [step for step in reversed(steps) if everything or step.call_id == wanted]
        if not chosen:
            raise LocalAgentError("There is nothing to take back.")
        if not force:
            self._check(chosen)
        return tuple(self._take_back(step) for step in chosen)

    def _check(self, chosen: Sequence[Step]) -> None:
        """Follows each file back from what it holds now; a step that was kept but never happened is fine."""
        state: dict[str, str | None] = {}
        conflicts: list[Path] = []
        for step in chosen:
            now = state.get(step.path, self._key_of(Path(step.path)))
            if now not in (step.after, step.before):
                conflicts.append(Path(step.path))
            state[step.path] = step.before
        if conflicts:
            raise UndoConflictError(list(dict.fromkeys(conflicts)))

    @staticmethod
    def _key_of(path: Path) -> str | None:
        return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else None

    def forget(self) -> None:
        """Removes the log, and the contents that no other session needs."""
        if not self._log.exists():
            return
        keys = {key for step in self._lines() for key in (step.before, step.after) if key}
        self._log.unlink()
        others = [log.read_bytes() for log in self.folder.glob("*.jsonl")]
        for key in keys:
            if not any(key.encode() in log for log in others):
                self._blob(key).unlink(missing_ok=True)

    def _take_back(self, step: Step) -> Change:
        path = Path(step.path)
        now = path.read_bytes() if path.is_file() else None
        before = self._content(step.before)
        if before is None:
            path.unlink(missing_ok=True)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            _write_durably(path, before, step.mode)
        self._write(Step(step.call_id, step.path, step.after, step.before, step.mode, undone=True))
        return Change(path, now, before)


def _write_durably(path: Path, content: bytes, mode: int = 0o600) -> None:
    part = path.with_name(f".{path.name[:100]}.{os.getpid()}.part")
    with part.open("wb") as file:
        os.fchmod(file.fileno(), mode)
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    os.replace(part, path)


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
