"""What an editor sends as a prompt, as the task and the files that go with it."""

from __future__ import annotations

import base64
import binascii
import hashlib
import mimetypes
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from acp import schema

from localagent.errors import UsageError


def task_of(blocks: Iterable[Any], scratch: Path) -> tuple[str, tuple[Path, ...]]:
    """The text, and images as files: `scratch` keeps those that came as data. Raises UsageError.

    A linked file is named by its path, for the agent to read; embedded text stands in the task.
    """
    parts: list[str] = []
    images: list[Path] = []
    for block in blocks:
        match block:
            case schema.TextContentBlock():
                parts.append(block.text)
            case schema.ResourceContentBlock():
                _link(block, parts, images)
            case schema.EmbeddedResourceContentBlock(resource=schema.TextResourceContents() as resource):
                parts.append(f"\n<file path={_path(resource.uri)!r}>\n{resource.text}\n</file>\n")
            case schema.ImageContentBlock():
                images.append(_keep(block.data, block.mime_type, scratch))
            case _:
                raise UsageError(f"a prompt of this kind cannot be read: {block.type}")
    return "".join(parts).strip(), tuple(images)


def _link(block: schema.ResourceContentBlock, parts: list[str], images: list[Path]) -> None:
    path = _path(block.uri)
    kind = block.mime_type or mimetypes.guess_type(path)[0] or ""
    if kind.startswith("image/") and Path(path).is_file():
        images.append(Path(path))
    else:
        parts.append(f"@{path}")


def _path(uri: str) -> str:
    """The path of a file URI, with its lines; any other URI as it is."""
    parts = urlsplit(uri)
    if parts.scheme not in ("file", ""):
        return uri
    return unquote(parts.path) + (f"#{parts.fragment}" if parts.fragment else "")


def _keep(data: str, kind: str, scratch: Path) -> Path:
    """An image as a file named by its content, so that the same one is kept once."""
    try:
        content = base64.b64decode(data, validate=True)
    except binascii.Error as error:
        raise UsageError(f"an image could not be read: {error}") from None
    suffix = mimetypes.guess_extension(kind) or ".png"
    path = scratch / f"{hashlib.sha256(content).hexdigest()[:16]}{suffix}"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path
