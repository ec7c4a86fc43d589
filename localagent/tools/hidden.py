"""What a browser would not show of a page, taken out: orders for a model stand where no person sees them.

Not a browser: style sheets of the page itself count in their order, without specificity; those of other files are not
known. So text in the colour of its background is only marked where such a file may have coloured what is behind it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bs4 import BeautifulSoup, Tag
    from bs4.element import NavigableString

Colour = tuple[int, int, int]
_GONE = (
    "script", "style", "noscript", "template", "svg", "head", "title", "iframe", "object", "canvas", "video", "audio",
    "datalist", "noframes", "noembed",
)  # fmt: skip
_SMALLEST = 3.0  # pixels that can be read
_FAR = -500.0  # pixels off the page
_ALIKE = 24  # of 255: colours nearer than this cannot be told apart
_ROOM = 1_000_000  # elements times rules of style sheets with other selectors than one name
_NAME = re.compile(r"[.#]?[\w-]+")
_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_LENGTH = re.compile(r"(-?\d*\.?\d+)\s*(px|pt|r?em|%|vw|vh|in|cm|mm|)")
_PIXELS = {"pt": 1.33, "em": 16.0, "rem": 16.0, "vw": 12.0, "vh": 8.0, "in": 96.0, "cm": 38.0, "mm": 3.8}
_NAMED: dict[str, Colour] = {
    "white": (255, 255, 255), "black": (0, 0, 0), "snow": (255, 250, 250), "ivory": (255, 255, 240),
    "ghostwhite": (248, 248, 255), "whitesmoke": (245, 245, 245), "floralwhite": (255, 250, 240),
    "azure": (240, 255, 255), "mintcream": (245, 255, 250), "red": (255, 0, 0), "green": (0, 128, 0),
    "blue": (0, 0, 255), "yellow": (255, 255, 0), "gray": (128, 128, 128), "grey": (128, 128, 128),
    "silver": (192, 192, 192), "lightgray": (211, 211, 211), "lightgrey": (211, 211, 211), "navy": (0, 0, 128),
}  # fmt: skip
_KEPT = (
    "display", "visibility", "opacity", "color", "background", "background-color", "font", "font-size", "width",
    "height", "max-width", "max-height", "overflow", "position", "left", "top", "right", "bottom", "text-indent",
    "margin-left", "clip", "clip-path", "transform", "mso-hide", "zoom",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Look:
    """How the text of an element looks: sizes in pixels, `sure` whether the colour behind it is known."""

    shown: bool = True
    size: float = 16.0
    ink: Colour = (0, 0, 0)
    paper: Colour = (255, 255, 255)
    sure: bool = True


def without_hidden(soup: BeautifulSoup, mark: str) -> bool:
    """Takes out of the page what is not shown, and says whether that was text. `mark` has a place for {text}."""
    from bs4 import Comment, Tag
    from bs4.element import NavigableString, PreformattedString

    styles, foreign = _styles(soup), bool(soup.select_one("link[rel~=stylesheet]"))
    for element in soup(_GONE):
        element.decompose()
    found = False
    stack: list[tuple[Tag, _Look]] = [(soup, _Look())]
    while stack:
        element, look = stack.pop()
        for child in list(element.children):
            if isinstance(child, PreformattedString):
                found = found or (isinstance(child, Comment) and bool(child.strip()))
                child.extract()
            elif isinstance(child, NavigableString):
                found = _sift(child, look, mark) or found
            elif isinstance(child, Tag):
                style = styles.get(id(child), {}) | _declared(str(child.get("style", "")))
                if _gone(child, style):
                    found = found or bool(child.get_text(strip=True))
                    child.decompose()
                else:
                    child.attrs.pop("title", None)
                    stack.append((child, _looks(child, style, look, foreign)))
    return found


def _sift(text: NavigableString, look: _Look, mark: str) -> bool:
    """One piece of text: stays, is marked, or goes; whether it was hidden."""
    if not text.strip():
        return False
    alike = _alike(look.ink, look.paper)
    if not look.shown or look.size < _SMALLEST or (alike and look.sure):
        text.extract()
        return True
    if alike:
        text.replace_with(mark.format(text=str(text)))
    return alike


def _styles(soup: BeautifulSoup) -> dict[int, dict[str, str]]:
    """What the page's own style sheets say of each element, as far as it matters here."""
    rules = [rule for sheet in soup("style") for rule in _rules(sheet.get_text())]
    told: dict[int, dict[str, str]] = {}
    if rules:
        elements = soup.find_all(True)
        named, room = _by_name(elements), _ROOM
        for selector, declared in rules:
            chosen = named.get(selector, []) if _NAME.fullmatch(selector) else None
            if chosen is None and (room := room - len(elements)) > 0:
                chosen = _selected(soup, selector)
            for element in chosen or ():
                told.setdefault(id(element), {}).update(declared)
    return told


def _by_name(elements: Iterable[Tag]) -> dict[str, list[Tag]]:
    """The elements by the selectors that are one name: of the tag, the classes, the id."""
    named: dict[str, list[Tag]] = {}
    for element in elements:
        for name in (
            element.name,
            *(f".{one}" for one in element.get_attribute_list("class")),
            f"#{element.get('id')}",
        ):
            named.setdefault(name, []).append(element)
    return named


def _selected(soup: BeautifulSoup, selector: str) -> list[Tag]:
    from soupsieve.util import SelectorSyntaxError

    try:
        return list(soup.select(selector))
    except (SelectorSyntaxError, NotImplementedError, ValueError):  # of states and parts that nothing here has
        return []


def _rules(sheet: str) -> Iterator[tuple[str, dict[str, str]]]:
    for rule in _plain(_COMMENT.sub("", sheet)).split("}")[:-1]:
        selector, _, body = rule.rpartition("{")
        declared = _declared(body)
        for one in (
            selector.rpartition("{")[2].rpartition(";")[2].split(",") if declared and ":" not in selector else ()
        ):
            yield one.strip(), declared


def _plain(sheet: str) -> str:
    """Without blocks that count only for printing, small screens and the like."""
    parts, at = [], 0
    while (start := sheet.find("@", at)) >= 0:
        parts.append(sheet[at:start])
        opened, ended = sheet.find("{", start), sheet.find(";", start)
        if opened < 0 or -1 < ended < opened:
            at = ended + 1 if ended >= 0 else len(sheet)
            continue
        depth, at = 1, opened + 1
        while depth and at < len(sheet):
            depth += {"{": 1, "}": -1}.get(sheet[at], 0)
            at += 1
    return "".join([*parts, sheet[at:]])


def _declared(body: str) -> dict[str, str]:
    pairs = (part.partition(":") for part in _COMMENT.sub("", body).lower().split(";"))
    return {k.strip(): v.replace("!important", "").strip() for k, _, v in pairs if k.strip() in _KEPT}


def _gone(element: Tag, style: dict[str, str]) -> bool:
    """Whether neither the element nor anything in it is shown."""
    named = "hidden" in element.attrs and "display" not in style  # aria-hidden hides from readers aloud only
    unopened = element.name == "dialog" and "open" not in element.attrs
    plain = style.get("display") == "none" or style.get("mso-hide") == "all" or element.get("type") == "hidden"
    faint = _number(style.get("opacity", "1")) < 0.05 or _number(style.get("zoom", "1")) == 0
    return named or unopened or plain or faint or _no_room(style) or _elsewhere(style)


def _no_room(style: dict[str, str]) -> bool:
    sizes = [_pixels(style.get(f"{most}{side}", ""), 16.0) for most in ("", "max-") for side in ("width", "height")]
    none = any(size is not None and size <= 1 for size in sizes) and style.get("overflow", "") in ("hidden", "clip")
    cut = re.sub(r"\s", "", style.get("clip", "") + style.get("clip-path", ""))
    scaled = re.search(r"scale[xy]?\(\s*0*\.?0*\s*[,)]", style.get("transform", ""))
    return none or bool(re.match(r"rect\(([01](px)?,?){4}\)|inset\((50|100)%|circle\(0", cut)) or bool(scaled)


def _elsewhere(style: dict[str, str]) -> bool:
    placed = style.get("position", "") in ("absolute", "fixed")
    names = ("left", "top", "right", "bottom") if placed else ()
    offsets = (_pixels(style.get(name, ""), 16.0) for name in (*names, "text-indent", "margin-left"))
    return any(offset is not None and offset <= _FAR for offset in offsets)


def _looks(element: Tag, style: dict[str, str], outer: _Look, foreign: bool) -> _Look:
    """How text in the element looks, in an element that looks like `outer`."""
    look = outer
    if "visibility" in style:
        look = replace(look, shown=style["visibility"] not in ("hidden", "collapse"))
    size = style.get("font-size") or next(iter(_LENGTH.finditer(style.get("font", ""))), None)
    if size is not None:
        pixels = _pixels(size if isinstance(size, str) else size.group(), outer.size)
        look = replace(look, size=outer.size if pixels is None else pixels)
    painted = style.get("background-color") or style.get("background") or str(element.get("bgcolor", ""))
    if painted:
        paper = _colour(painted)
        through = painted in ("transparent", "none", "inherit", "initial")
        look = look if through else replace(look, paper=paper or look.paper, sure=paper is not None)
    elif foreign and (element.get("class") or element.get("id")):
        look = replace(look, sure=False)
    ink = style.get("color") or str(element.get("color", "") or element.get("text", ""))
    if ink:
        clear = ink == "transparent" or re.search(r"rgba\(.*,\s*0*\.?0*\s*\)|#(?:[0-9a-f]{3}0|[0-9a-f]{6}00)$", ink)
        look = replace(look, ink=look.paper if clear else _colour(ink) or outer.ink)
    return look


def _alike(one: Colour, other: Colour) -> bool:
    return all(abs(a - b) < _ALIKE for a, b in zip(one, other, strict=True))


def _colour(text: str) -> Colour | None:
    """A colour as style sheets write it, None where it is none that is known, or a picture."""
    if "url(" in text or "gradient" in text:
        return None
    if found := re.search(r"#([0-9a-f]{6}|[0-9a-f]{3})", text.lower()):
        digits = found[1] if len(found[1]) == 6 else "".join(char * 2 for char in found[1])
        return int(digits[:2], 16), int(digits[2:4], 16), int(digits[4:], 16)
    if found := re.search(r"rgba?\(\s*(\d+)[\s,]+(\d+)[\s,]+(\d+)", text):
        return int(found[1]), int(found[2]), int(found[3])
    return next((_NAMED[word] for word in re.findall(r"[a-z]+", text.lower()) if word in _NAMED), None)


def _pixels(text: str, outer: float) -> float | None:
    """A length; parts of `outer` count by it. None where it is none."""
    found = _LENGTH.match(text)
    if not found:
        return None
    value, unit = float(found[1]), found[2]
    if unit in ("%", "em"):
        return value * outer / (100 if unit == "%" else 1)
    return value * _PIXELS.get(unit, 1.0)


def _number(text: str) -> float:
    found = re.match(r"\d*\.?\d+", text)
    return float(found.group()) if found else 1.0


__all__ = ["without_hidden"]
