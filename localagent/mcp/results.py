"""What a server answers as an outcome: its text for the model, everything else kept in a file and named."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import mimetypes
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from localagent.ports import Outcome, ToolContext
from localagent.tools.paths import SCRATCH
from localagent.tools.pictures import is_picture
from localagent.tools.result import fit
from localagent.tools.words import say

if TYPE_CHECKING:
    from mcp_types import CallToolResult, ReadResourceResult

PICTURES = 8  # of one result


def outcome_of(result: CallToolResult, context: ToolContext, source: str) -> Outcome:
    """A call's answer; an error that the server reports is an observation like every other."""
    shown: list[str] = []
    parts = [_block(block, context, shown) for block in result.content]
    if result.structured_content is not None and not _told(result.structured_content, result.content):
        parts.append(json.dumps(result.structured_content, ensure_ascii=False))
    text = "\n".join(part for part in parts if part)
    if result.is_error:
        content, full = fit(text or say("mcp_failed"), context)
        return Outcome(content, full=full, failure="failed", taint=source)
    content, full = fit(text or say("no_output"), context)
    return Outcome(content, full=full, taint=source, images=tuple(shown))


def resource_outcome(result: ReadResourceResult, context: ToolContext, source: str) -> Outcome:
    shown: list[str] = []
    text = "\n".join(_resource(one, context, shown) for one in result.contents)
    content, full = fit(text or say("no_output"), context)
    return Outcome(content, full=full, taint=source, images=tuple(shown))


def _told(structured: Any, content: Sequence[Any]) -> bool:
    """Whether the text blocks already say the same, as the specification recommends."""
    text = "\n".join(block.text for block in content if block.type == "text")
    if isinstance(structured, dict) and all(isinstance(value, str) and value in text for value in structured.values()):
        return bool(text)
    for block in content:
        try:
            said = json.loads(block.text) if block.type == "text" else None
        except ValueError:
            continue
        if said is not None and said in (
            structured,
            structured.get("result") if isinstance(structured, dict) else None,
        ):
            return True
    return False


def _block(block: Any, context: ToolContext, shown: list[str]) -> str:
    """Its text; pictures of it are added to `shown`."""
    match block.type:
        case "text":
            return str(block.text)
        case "image" | "audio":
            return _kept(block.data, block.mime_type, block.type, context, shown)
        case "resource":
            return _resource(block.resource, context, shown)
        case "resource_link":
            about = f": {block.description}" if block.description else ""
            return say("mcp_link", uri=block.uri, name=block.title or block.name, about=about)
    return say("mcp_unknown", kind=block.type)


def _resource(contents: Any, context: ToolContext, shown: list[str]) -> str:
    if getattr(contents, "text", None) is not None:
        return f"{contents.uri}\n{contents.text}"
    kind = contents.mime_type or "application/octet-stream"
    return f"{contents.uri}\n{_kept(contents.blob, kind, 'file', context, shown)}"


def _kept(data: str, kind: str, what: str, context: ToolContext, shown: list[str]) -> str:
    """Bytes go into the scratch folder under their own hash; the model is told what and where."""
    try:
        content = base64.b64decode(data, validate=False)
    except binascii.Error:
        return say("mcp_unknown", kind=kind)
    if not context.scratch.parts:
        return say("mcp_bytes", what=what, kind=kind, size=len(content))
    name = hashlib.sha256(content).hexdigest()[:10] + (mimetypes.guess_extension(kind) or ".bin")
    context.scratch.mkdir(parents=True, exist_ok=True)
    (context.scratch / name).write_bytes(content)
    if is_picture(content) and len(shown) < PICTURES:
        shown.append(str((context.scratch / name).resolve()))
    return say("mcp_kept", what=what, kind=kind, size=len(content), path=SCRATCH + name)
