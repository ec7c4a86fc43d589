"""Files that go with a task: texts stand behind it, images go as images to a model that sees them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from pathlib import Path

from localagent.errors import UsageError
from localagent.events import Notice

ATTACHED_CHARS = 20_000  # of one text
IMAGES = frozenset([".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp"])


def is_image(path: Path) -> bool:
    """By its name: nothing is opened."""
    return path.suffix.lower() in IMAGES


async def with_texts(task: str, attachments: Iterable[Path], data: Path, workspace: Path, session: str) -> str:
    """The task with the text of its attachments behind it; images are passed over. Raises UsageError.

    What others wrote stands there marked, and the session has read it, as if a tool had brought it.
    """
    texts = [path for path in attachments if not is_image(path)]
    if not texts:
        return task
    from localagent.guard.assemble import watching_taint
    from localagent.guard.taint import marked

    parts, taint = [task], watching_taint(data, workspace, session)
    for path in texts:
        text = (await _text(path))[:ATTACHED_CHARS]
        if taint.is_foreign(str(path)):
            taint.add(path.name)
            text = marked(text, path.name)
        parts.append(f"<file path={str(path)!r}>\n{text}\n</file>")
    return "\n\n".join(parts)


async def _text(path: Path) -> str:
    """A document as Markdown. Raises UsageError."""
    from localagent.tools.apart import SECONDS, apart
    from localagent.tools.documents import is_document, to_markdown
    from localagent.tools.text import decode
    from localagent.tools.tool import ToolFailure

    try:
        content = await asyncio.to_thread(path.read_bytes)
        if is_document(path, content):
            return await apart(SECONDS, to_markdown, path, content, path.name)
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from None
    except ToolFailure as failure:
        raise UsageError(f"{path}: {failure}") from None
    return decode(content).text


def pictures(attachments: Iterable[Path]) -> tuple[str, ...]:
    """The images among them, from the root of the disk: a session may be resumed in another folder."""
    return tuple(str(path.resolve()) for path in attachments if is_image(path))


def unseen(model: str, images: Sequence[str]) -> Notice:
    """What is said where a model does not see the images that were attached."""
    names = ", ".join(Path(image).name for image in images)
    return Notice("no_images", f"{model} does not see images: {names} was not sent. /model shows which models do.")
