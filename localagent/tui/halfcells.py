"""A picture as coloured half cells, two pixels each: for every terminal that has colours, over SSH and in tmux too."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from textual.content import Content

from localagent.tui.harmless import assemble

if TYPE_CHECKING:
    from PIL.Image import Image

UPPER = "▀"


def draw(path: Path, width: int, height: int) -> Content | None:
    """The picture within `width` by `height` cells; None where Pillow is not there or cannot read it."""
    try:
        from PIL import Image, UnidentifiedImageError
    except ImportError:
        return None
    try:
        with Image.open(path) as image:
            return _cells(_fitted(image, width, height * 2))
    except (OSError, UnidentifiedImageError, Image.DecompressionBombError):
        return None


def _fitted(image: Image, width: int, height: int) -> Image:
    """At most this many pixels, its proportions kept, its transparency gone."""
    image.draft("RGB", (width * 2, height * 2))
    share = min(width / image.width, height / image.height, 1.0)
    size = max(1, round(image.width * share)), max(2, round(image.height * share))
    small = image.convert("RGBA").resize(size)
    ground = small.copy()
    ground.paste((32, 32, 32, 255), (0, 0, *size))
    ground.alpha_composite(small)
    return ground.convert("RGB")


def _cells(image: Image) -> Content:
    width, height = image.size
    pixels = image.tobytes()
    colour = [f"rgb({pixels[i]},{pixels[i + 1]},{pixels[i + 2]})" for i in range(0, len(pixels), 3)]
    lines = []
    for y in range(0, height - 1, 2):
        pairs = zip(colour[y * width : (y + 1) * width], colour[(y + 1) * width : (y + 2) * width], strict=True)
        lines.append(assemble(*((UPPER, f"{above} on {below}") for above, below in pairs)))
    return Content("\n").join(lines)
