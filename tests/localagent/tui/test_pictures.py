"""Images: named by their first bytes, drawn in cells where they can be, sent with the message."""

from __future__ import annotations

import io
import struct
from pathlib import Path

import pytest

from localagent.tui.imagefile import Facts, facts, read
from localagent.tui.widgets.picture import PictureView
from tests.fakes.driver import FakeDriver, reply
from tests.localagent.tui.conftest import Open, screen_text, until

PNG = b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + b"IHDR" + struct.pack(">II", 640, 480)


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        (PNG, Facts("png", 640, 480)),
        (b"GIF89a" + struct.pack("<HH", 3, 4), Facts("gif", 3, 4)),
        (b"BM" + b"\0" * 16 + struct.pack("<ii", 5, -6), Facts("bmp", 5, 6)),
        (b"\xff\xd8\xff\xe0\x00\x04ab\xff\xc0\x00\x11\x08\x00\x10\x00\x20more", Facts("jpeg", 32, 16)),
        (b"RIFF\0\0\0\0WEBPVP8X" + b"\0" * 8 + b"\x0f\0\0\x07\0\0", Facts("webp", 16, 8)),
        (b"\xff\xd8\xff", Facts("jpeg")),
        (b"plain text", Facts()),
        (b"", Facts()),
    ],
)
def test_the_first_bytes_tell_kind_and_size(head: bytes, expected: Facts) -> None:
    assert read(head) == expected


@pytest.mark.parametrize("form", ["PNG", "JPEG", "GIF", "WEBP", "BMP"])
def test_the_size_is_that_of_the_decoder(tmp_path: Path, form: str) -> None:
    image = pytest.importorskip("PIL.Image")
    data = io.BytesIO()
    image.new("RGB", (31, 17), (200, 30, 40)).save(data, form)
    (tmp_path / "a").write_bytes(data.getvalue())
    assert facts(tmp_path / "a") == Facts(form.lower(), 31, 17)


async def test_a_named_image_goes_along_and_is_drawn(open_app: Open, tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image")
    image.new("RGB", (40, 20), (200, 30, 40)).save(tmp_path / "shot.png")
    driver = FakeDriver([reply("A red field.")], workspace=tmp_path)
    async with open_app(driver) as (app, pilot):
        app.prompt.fill("what is in @shot.png")
        await pilot.press("enter")
        await until(pilot, lambda: "A red field." in screen_text(app))
        assert driver.tasks == [("what is in @shot.png", (tmp_path / "shot.png",))]
        text = screen_text(app)
        assert "image shot.png 40×20 png" in text
        assert "▀" * 40 in text
        assert "▀" * 41 not in text


async def test_what_cannot_be_drawn_is_a_line(open_app: Open, tmp_path: Path) -> None:
    (tmp_path / "cut.png").write_bytes(PNG)
    async with open_app(FakeDriver([reply("I see.")], workspace=tmp_path)) as (app, pilot):
        app.prompt.fill("@cut.png")
        await pilot.press("enter")
        await until(pilot, lambda: "I see." in screen_text(app))
        assert "image cut.png 640×480 png" in screen_text(app)
        assert "▀" not in screen_text(app)
        assert app.conversation.query_one(PictureView).foldable
