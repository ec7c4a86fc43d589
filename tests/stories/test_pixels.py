"""A picture in a terminal that draws pixels: what it is sent is the picture, by Kitty's protocol or as Sixel.

The terminal of these tests answers like the real ones when it is asked what it can, and keeps what it was sent.
"""

from __future__ import annotations

import base64
import fcntl
import io
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.two_models import write_models

PIL = pytest.importorskip("PIL.Image")
pytest.importorskip("textual_image")

CELLS, PIXELS = (30, 100), (1000, 600)  # rows and columns; width and height
QUERY = re.compile(rb"\x1b_G([^;\x1b]*a=q[^;\x1b]*);[^\x1b]*\x1b\\")
RED = (200, 30, 40)


class PixelTerminal:
    """Runs the app; `kitty` and `sixel` say what it draws."""

    def __init__(self, folder: Path, *, kitty: bool = False, sixel: bool = False) -> None:
        self.sent = b""
        self._kitty, self._sixel = kitty, sixel
        self._answered = 0
        self._leader, follower = pty.openpty()
        fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", *CELLS, *PIXELS))
        env = {**os.environ, "LOCALAGENT_HOME": str(folder / "home"), "LANG": "en_US.UTF-8"}
        env |= {"TERM": "xterm-kitty" if kitty else "xterm-256color", "TERM_PROGRAM": "kitty" if kitty else "WezTerm"}
        for name in ("TMUX", "COLUMNS", "LINES", "NO_COLOR"):
            env.pop(name, None)
        self._process = subprocess.Popen(
            [sys.executable, "-m", "localagent.cli"], cwd=folder, env=env, start_new_session=True,
            stdin=follower, stdout=follower, stderr=follower,
        )  # fmt: skip
        os.close(follower)

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._leader)

    def type(self, text: str) -> None:
        os.write(self._leader, text.encode())

    def wait_for(self, wanted: bytes, seconds: float = 60) -> re.Match[bytes]:
        """The place of the pattern in what was sent, as soon as it is there."""
        until = time.monotonic() + seconds
        while (found := re.search(wanted, self.sent, re.DOTALL)) is None:
            assert time.monotonic() < until, f"{wanted!r} never came: {self.sent[-2000:]!r}"
            if select.select([self._leader], [], [], 0.1)[0]:
                self.sent += os.read(self._leader, 65536)
                self._answer()
        return found

    def _answer(self) -> None:
        new, self._answered = self.sent[self._answered :], len(self.sent)
        if b"\x1b[c" in new:
            os.write(self._leader, b"\x1b[?62;4c" if self._sixel else b"\x1b[?62c")
        if self._kitty and (asked := QUERY.search(new)):
            number = next(part for part in asked[1].split(b",") if part.startswith(b"i="))
            os.write(self._leader, b"\x1b_G" + number + b";OK\x1b\\")


@contextmanager
def showing_a_picture(folder: Path, *, kitty: bool = False, sixel: bool = False) -> Iterator[PixelTerminal]:
    PIL.new("RGB", (60, 40), RED).save(folder / "shot.png")
    write_models(folder, {"content": "A red field."})
    terminal = PixelTerminal(folder, kitty=kitty, sixel=sixel)
    try:
        terminal.wait_for(b"offline")
        terminal.type("see @shot.png")
        terminal.wait_for(b"shot.png")
        time.sleep(0.5)
        terminal.type("\r")
        terminal.wait_for(b"field.")
        yield terminal
    finally:
        terminal.close()


def by_kitty(sent: bytes) -> list[Any]:
    """The pictures that were sent whole, chunk by chunk, as PNG."""
    pictures, data = [], b""
    for head, body in re.findall(rb"\x1b_G([^;\x1b]*);([A-Za-z0-9+/=]*)\x1b\\", sent):
        keys = dict(part.split(b"=", 1) for part in head.split(b","))
        if keys.get(b"a") == b"q":
            continue
        data += body
        if keys.get(b"m", b"0") == b"0":
            pictures.append(PIL.open(io.BytesIO(base64.b64decode(data))))
            data = b""
    return pictures


def test_kitty_is_sent_the_picture(tmp_path: Path) -> None:
    with showing_a_picture(tmp_path, kitty=True) as terminal:
        terminal.wait_for("\U0010eeee".encode())
        pictures = by_kitty(terminal.sent)
    assert pictures
    for picture in pictures:
        assert picture.convert("RGB").getpixel((1, 1)) == RED
        assert picture.width * 40 == pytest.approx(picture.height * 60, rel=0.1), "its proportions are kept"


def test_sixel_is_sent_the_picture(tmp_path: Path) -> None:
    with showing_a_picture(tmp_path, sixel=True) as terminal:
        drawn = terminal.wait_for(rb"\x1bP[0-9;]*q([^\x1b]*)\x1b\\")[1]
    colours = {tuple(map(int, found)) for found in re.findall(rb"#\d+;2;(\d+);(\d+);(\d+)", drawn)}
    assert tuple(round(part * 100 / 255) for part in RED) in colours, "colours are in hundredths"
