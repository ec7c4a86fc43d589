"""Office documents, PDF, HTML and mail as Markdown, a heading a page, sheet or slide."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from email import policy
from email.message import EmailMessage, MIMEPart
from email.parser import BytesParser, Parser
from pathlib import Path
from typing import Any

from localagent.tools.hidden import without_hidden
from localagent.tools.office import docx_lines, pptx_slides
from localagent.tools.text import decode
from localagent.tools.tool import ToolFailure
from localagent.tools.words import say

UNPACKED_LIMIT = 256 * 1024 * 1024  # bytes: a small file may unpack to anything

PROBLEM_CHARS = 300
HEADS = ("From", "To", "Cc", "Date", "Subject")


def is_document(path: Path, content: bytes) -> bool:
    """Whether `to_markdown` reads it; an ending that the content belies does not count."""
    start = _STARTS.get(path.suffix.lower())
    return start is not None and content.lstrip()[: len(start)] == start


def to_markdown(path: Path, content: bytes, name: str) -> str:
    """The document's text; `name` is for messages. Raises ToolFailure where it is damaged or locked."""
    with _reading(content, name):
        return _READERS[path.suffix.lower()](content)


@contextmanager
def _reading(content: bytes, name: str) -> Iterator[None]:
    """Turns whatever a reader of a foreign format raises into a failure that names the file."""
    try:
        if content.startswith(b"PK"):
            _check_size(content, name)
        yield
    except ImportError as error:
        raise ToolFailure("failed", say("missing_extra", package=error.name or "", path=name)) from None
    except ToolFailure:
        raise
    except Exception as error:  # noqa: BLE001 - the readers of foreign formats raise whatever they like
        problem = say("damaged", path=name, problem=f"{type(error).__name__}: {str(error)[:PROBLEM_CHARS]}")
        raise ToolFailure("invalid", problem, source=name) from None


def _check_size(content: bytes, name: str) -> None:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        if sum(info.file_size for info in archive.infolist()) > UNPACKED_LIMIT:
            raise ToolFailure("invalid", say("too_large", path=name, size=UNPACKED_LIMIT))


def _sections(word: str, pages: Sequence[str]) -> str:
    return "\n\n".join(f"## {word} {number}\n\n{text.strip()}" for number, text in enumerate(pages, 1))


def _pdf(content: bytes) -> str:
    from pypdf import PdfReader

    reader = PdfReader(io.BytesIO(content))
    if reader.is_encrypted and not reader.decrypt(""):
        raise ToolFailure("invalid", say("locked"))
    return _sections("Page", [page.extract_text() or say("no_text_on_page") for page in reader.pages])


def _docx(content: bytes) -> str:
    return "\n".join(docx_lines(content))


def _pptx(content: bytes) -> str:
    return _sections("Slide", ["\n".join(lines) for lines in pptx_slides(content)])


def sheets(content: bytes, name: str) -> list[tuple[str, list[tuple[Any, ...]]]]:
    """The sheets of a workbook with the values of their cells, formulas as last computed. Raises ToolFailure."""
    with _reading(content, name):
        return _sheets(content)


def _sheets(content: bytes) -> list[tuple[str, list[tuple[Any, ...]]]]:
    from openpyxl import load_workbook  # type: ignore[import-untyped]

    book = load_workbook(io.BytesIO(content), read_only=True, data_only=True)
    for sheet in book.worksheets:
        sheet.reset_dimensions()  # rows as long as they are: one stray cell far out would fill all up to there
    try:
        return [(sheet.title, [tuple(r) for r in sheet.iter_rows(values_only=True)]) for sheet in book.worksheets]
    finally:
        book.close()


def _xlsx(content: bytes) -> str:
    parts = []
    for title, rows in _sheets(content):
        lines = [_row(row) for row in rows if any(cell is not None for cell in row)]
        if lines:
            lines.insert(1, "|" + " --- |" * (lines[0].count(" |")))
        parts.append(f"## Sheet {title}\n\n" + "\n".join(lines))
    return "\n\n".join(parts)


def _row(row: Sequence[Any]) -> str:
    cells = ("" if cell is None else str(cell).replace("|", "\\|").replace("\n", " ") for cell in row)
    return "|" + "".join(f" {cell} |" for cell in cells)


def _html(content: bytes) -> str:
    return html_to_markdown(decode(content).text)


def html_to_markdown(text: str) -> str:
    """What a browser would show of it; that there was more is said at the end."""
    from bs4 import BeautifulSoup
    from markdownify import MarkdownConverter

    soup = BeautifulSoup(text, "html.parser")
    hidden = without_hidden(soup, say("hidden_mark", text="{text}"))
    markdown: str = MarkdownConverter(heading_style="ATX", strip=["img"]).convert_soup(soup)
    lines = [line.rstrip() for line in markdown.split("\n")]
    told = "\n".join(line for at, line in enumerate(lines) if line or (at and lines[at - 1])).strip()
    return f"{told}\n\n" + say("hidden_gone") if hidden else told


def _eml(content: bytes) -> str:
    message = BytesParser(EmailMessage, policy=policy.default).parsebytes(content)
    if not content.isascii():  # heads of old programs are in an encoding that they do not name
        heads = Parser(EmailMessage, policy=policy.default).parsestr(_heads_of(content), headersonly=True)
        for name in HEADS:
            if heads[name] and not str(heads[name]).isascii():
                del message[name]
                message[name] = " ".join(str(heads[name]).splitlines())
    return _mail(message)


def _heads_of(content: bytes) -> str:
    return decode(re.split(rb"\r?\n\r?\n", content, maxsplit=1)[0]).text + "\n\n"


def _mail(message: EmailMessage) -> str:
    """Heads, text and attachments, and in the same way every message that is forwarded in it."""
    heads = [f"{name}: {message[name]}" for name in HEADS if message[name]]
    body = message.get_body(preferencelist=("plain", "html"))
    text = _text_of(body) if body is not None else ""
    if body is not None and body.get_content_subtype() == "html":
        text = html_to_markdown(text)
    parts = list(message.iter_attachments())
    files = [f"- {part.get_filename() or part.get_content_type()}" for part in parts]
    inner = [part.get_content() for part in parts if part.get_content_type() == "message/rfc822"]
    forwarded = [f"\n## Forwarded message\n\n{_mail(one)}" for one in inner]
    return "\n".join([*heads, "", text.strip(), *(["", "Attachments:", *files] if files else []), *forwarded])


def _text_of(part: MIMEPart) -> str:
    """Its text, also where it names no encoding, or one that there is not, or the wrong one."""
    try:
        text = str(part.get_content())
    except LookupError:
        text = "\ufffd"
    return decode(bytes(part.get_payload(decode=True))).text if "\ufffd" in text else text


_READERS: dict[str, Callable[[bytes], str]] = {
    ".pdf": _pdf, ".docx": _docx, ".xlsx": _xlsx, ".xlsm": _xlsx, ".pptx": _pptx,
    ".html": _html, ".htm": _html, ".xhtml": _html, ".eml": _eml,
}  # fmt: skip
_STARTS = {
    kind: b"%PDF" if kind == ".pdf" else b"" if kind == ".eml" else b"<" if "htm" in kind else b"PK"
    for kind in _READERS
}
