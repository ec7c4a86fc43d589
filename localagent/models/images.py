"""Image files as the wire protocols take them."""

from __future__ import annotations

import base64
import mimetypes
from pathlib import Path

from localagent.errors import ModelError


def as_base64(path: str) -> tuple[str, str]:
    """Media type and base64 text of the file. Raises ModelError where it cannot be read."""
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise ModelError(f"the image {path} cannot be read: {error}") from error
    return mimetypes.guess_type(path)[0] or "image/png", base64.b64encode(data).decode()


__all__ = ["as_base64"]
