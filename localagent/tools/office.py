"""Word and PowerPoint files read as what they are, XML in a zip: headings, lists, tables, slides and their notes."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator
from xml.etree.ElementTree import Element, fromstring

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"


def docx_lines(content: bytes) -> Iterator[str]:
    """Markdown lines of a Word document: body, then footnotes."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        names = set(archive.namelist())
        styles = _headings(archive.read("word/styles.xml")) if "word/styles.xml" in names else {}
        body = fromstring(archive.read("word/document.xml")).find(f"{_W}body")
        if body is not None:
            yield from _blocks(body, styles)
        if "word/footnotes.xml" in names:
            notes = [_runs(note) for note in fromstring(archive.read("word/footnotes.xml")).iter(f"{_W}footnote")]
            yield from (f"[^{number}]: {text}" for number, text in enumerate(filter(str.strip, notes), 1))


def _headings(styles: bytes) -> dict[str, int]:
    """Style id → heading level; the level is told by the outline, whatever language the style's name has."""
    levels: dict[str, int] = {}
    for style in fromstring(styles).iter(f"{_W}style"):
        outline = style.find(f"{_W}pPr/{_W}outlineLvl")
        name = style.find(f"{_W}name")
        told = re.fullmatch(r"heading (\d)", name.get(f"{_W}val", "").lower()) if name is not None else None
        if outline is not None and int(outline.get(f"{_W}val", "9")) < 9:
            levels[style.get(f"{_W}styleId", "")] = int(outline.get(f"{_W}val", "0")) + 1
        elif told:
            levels[style.get(f"{_W}styleId", "")] = int(told.group(1))
    return levels


def _blocks(parent: Element, styles: dict[str, int]) -> Iterator[str]:
    for block in parent:
        if block.tag == f"{_W}p":
            yield from _paragraph(block, styles)
        elif block.tag == f"{_W}tbl":
            yield from _table(block)
        elif block.tag == f"{_W}sdt":
            inner = block.find(f"{_W}sdtContent")
            yield from _blocks(inner, styles) if inner is not None else ()


def _paragraph(paragraph: Element, styles: dict[str, int]) -> Iterator[str]:
    text = _runs(paragraph).strip()
    if not text:
        return
    style = paragraph.find(f"{_W}pPr/{_W}pStyle")
    level = styles.get(style.get(f"{_W}val", ""), 0) if style is not None else 0
    bullet = paragraph.find(f"{_W}pPr/{_W}numPr")
    if level:
        yield f"{'#' * min(level, 6)} {text}"
    elif bullet is not None:
        depth = bullet.find(f"{_W}ilvl")
        yield f"{'  ' * int(depth.get(f'{_W}val', '0') if depth is not None else 0)}- {text}"
    else:
        yield text
    yield ""


def _runs(parent: Element) -> str:
    """The text as it stands now and is seen: deleted text of tracked changes is not in w:t."""
    unseen = {id(part) for run in parent.iter(f"{_W}r") if _hidden(run) for part in run}
    pieces = {f"{_W}tab": "\t", f"{_W}br": "\n", f"{_W}cr": "\n", f"{_W}noBreakHyphen": "-"}
    shown = (e for e in parent.iter() if id(e) not in unseen)
    return "".join(e.text or "" if e.tag == f"{_W}t" else pieces.get(e.tag, "") for e in shown)


def _hidden(run: Element) -> bool:
    """Whether Word does not show it, or so small that nobody reads it."""
    marks = {name: run.find(f"{_W}rPr/{_W}{name}") for name in ("vanish", "sz")}
    vanished = marks["vanish"] is not None and marks["vanish"].get(f"{_W}val", "1") not in ("0", "false", "off")
    half_points = marks["sz"].get(f"{_W}val", "") if marks["sz"] is not None else ""
    return vanished or (half_points.isdigit() and int(half_points) < 4)


def _table(table: Element) -> Iterator[str]:
    rows = [[" ".join(_runs(cell).split()) for cell in row.iter(f"{_W}tc")] for row in table.iter(f"{_W}tr")]
    for number, cells in enumerate(rows):
        yield "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
        if number == 0:
            yield "|" + " --- |" * len(cells)
    yield ""


def pptx_slides(content: bytes) -> Iterator[list[str]]:
    """The lines of every slide in file order, its notes after it."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        names = set(archive.namelist())
        numbers = sorted(int(m.group(1)) for n in names if (m := re.fullmatch(r"ppt/slides/slide(\d+)\.xml", n)))
        for number in numbers:
            lines = _drawn(fromstring(archive.read(f"ppt/slides/slide{number}.xml")))
            note = f"ppt/notesSlides/notesSlide{number}.xml"
            spoken = _drawn(fromstring(archive.read(note))) if note in names else []
            yield lines + (["", "Notes:", *spoken] if spoken else [])


def _drawn(slide: Element) -> list[str]:
    lines = ("".join(run.text or "" for run in paragraph.iter(f"{_A}t")) for paragraph in slide.iter(f"{_A}p"))
    return [line for line in lines if line.strip()]
