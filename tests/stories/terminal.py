"""A real terminal for stories: tmux, driven with keys and read as text."""

from __future__ import annotations

import shlex
import subprocess
import sys
import time
from pathlib import Path
from types import TracebackType

from tests.bench.processes import tree

IDLE = 8  # ticks of 10 ms in half a second: what the screen itself may take, and not a model that computes


class Terminal:
    """One command in a tmux server of its own; leaving the block ends it."""

    def __init__(self, command: list[str], folder: Path, env: dict[str, str], size: str) -> None:
        self._socket = str(folder / f"tmux-{time.monotonic_ns()}.sock")
        width, height = size.split("x")
        settings = " ".join(f"{key}={shlex.quote(value)}" for key, value in env.items())
        run = f"env -u COLUMNS -u LINES {settings} {shlex.join(command)}"
        line = f"cd {shlex.quote(str(folder))} && {run}; echo exit $?; sleep 60"
        self._tmux("-f", "/dev/null", "new-session", "-d", "-x", width, "-y", height, line)

    def _tmux(self, *arguments: str) -> str:
        command = ["tmux", "-S", self._socket, *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        subprocess.run(["tmux", "-S", self._socket, "kill-server"], capture_output=True, check=False)

    def text(self) -> str:
        return self._tmux("capture-pane", "-p")

    def title(self) -> str:
        """The title that a program in the terminal has given it."""
        return self._tmux("display-message", "-p", "#{pane_title}").strip()

    def work_done(self) -> int:
        """Clock ticks of the processor that the app and all that it started have used."""
        return sum(map(_ticks, tree([self.shell()])))

    def shell(self) -> int:
        """The process that started the app."""
        return int(self._tmux("display-message", "-p", "#{pane_pid}"))

    def wait_idle(self, seconds: float = 30) -> None:
        """Until the app and all that it started do next to nothing."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            before = self.work_done()
            time.sleep(0.5)
            if self.work_done() - before <= IDLE:
                return
        raise AssertionError(f"something goes on:\n{self.text()}")

    def type(self, text: str) -> None:
        self._tmux("send-keys", "-l", text)

    def press(self, *keys: str) -> None:
        """Keys by tmux's names, such as Enter, Escape, F2."""
        for key in keys:
            self._tmux("send-keys", key)

    def wait_for(self, text: str, seconds: float = 30) -> str:
        """The screen as soon as it shows `text`."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            screen = self.text()
            if text in screen:
                return screen
            time.sleep(0.05)
        raise AssertionError(f"{text!r} never appeared:\n{self.text()}")

    def wait_gone(self, text: str, seconds: float = 30) -> None:
        """Until the screen shows `text` no longer, for half a second."""
        until, since = time.monotonic() + seconds, time.monotonic()
        while time.monotonic() < until:
            if text in self.text():
                since = time.monotonic()
            elif time.monotonic() - since > 0.5:
                return
            time.sleep(0.05)
        raise AssertionError(f"{text!r} never went:\n{self.text()}")


def _ticks(pid: int) -> int:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0
    return int(fields[11]) + int(fields[12])


def localagent(folder: Path, *arguments: str, size: str = "80x24", **env: str) -> Terminal:
    """The app in `folder`, with a home of its own there."""
    settings = {"LOCALAGENT_HOME": str(folder / "home"), "LANG": "en_US.UTF-8", "TERM": "xterm-256color", **env}
    return Terminal([sys.executable, "-m", "localagent.cli", *arguments], folder, settings, size)


def change_model_and_leave(screen: Terminal) -> None:
    """Puts `second` of models.toml into the seat, has it answer, and quits."""
    screen.press("F2")
    screen.wait_for("Enter chooses")
    screen.type("second")
    screen.press("Enter")
    screen.wait_for("Now second answers.")
    screen.type("and you?")
    screen.press("Enter")
    screen.wait_for("The second answers.")
    screen.press("C-q")
    screen.wait_for("exit 0")
