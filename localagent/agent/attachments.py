"""Files that go with a task: texts stand behind it, images go as images to a model that sees them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from localagent.errors import UsageError
from localagent.events import Notice

ATTACHED_CHARS = 20_000  # of one text
IMAGES = frozenset([".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp"])


def is_image(path: Path) -> bool:
    """By its name: nothing is opened."""
    return path.suffix.lower() in IMAGES


def with_texts(task: str, attachments: Iterable[Path]) -> str:
    """The task with the text of its attachments behind it; images are passed over. Raises UsageError."""
    parts = [task]
    for path in attachments:
        if is_image(path):
            continue
        try:
            text = path.read_text(encoding="utf-8", errors="replace")[:ATTACHED_CHARS]
        except OSError as error:
            raise UsageError(f"{path} cannot be read: {error.strerror}") from None
        parts.append(f"<file path={str(path)!r}>\n{text}\n</file>")
    return "\n\n".join(parts)


def pictures(attachments: Iterable[Path]) -> tuple[str, ...]:
    """The images among them, from the root of the disk: a session may be resumed in another folder."""
    return tuple(str(path.resolve()) for path in attachments if is_image(path))


def unseen(model: str, images: Sequence[str]) -> Notice:
    """What is said where a model does not see the images that were attached."""
    names = ", ".join(Path(image).name for image in images)
    return Notice("no_images", f"{model} does not see images: {names} was not sent. /model shows which models do.")
