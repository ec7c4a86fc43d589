"""What a server offers, as it listed it: read page by page, kept on disk, so that a session can begin without it."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any

from localagent.calling.schema_sound import why_unsound

if TYPE_CHECKING:
    from mcp import Client

PAGES = 50  # a paginator that never ends is left after so many
MOST = 1000  # tools of one server
DESCRIPTION_CHARS = 2000
_UNSEEN = re.compile("[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e007f\x00-\x08\x0b-\x1f\x7f-\x9f]")
SCHEMA_CHARS = 20_000


@dataclass(frozen=True, slots=True)
class Offered:
    """One tool as the server describes it; `reads` is only its own hint."""

    name: str
    description: str
    parameters: dict[str, Any]
    reads: bool = False


@dataclass(frozen=True, slots=True)
class Listing:
    """All that a server offers, in an order that does not depend on the server's mood."""

    tools: tuple[Offered, ...] = ()
    prompts: tuple[tuple[str, str, tuple[str, ...]], ...] = ()  # name, description, arguments
    resources: bool = False
    server: str = ""  # what it calls itself
    version: str = ""  # of the protocol
    features: tuple[str, ...] = field(default=())


async def read_listing(client: Client) -> Listing:
    """Asks for everything that the server says it has. Raises MCPError."""
    able = client.server_capabilities
    tools = await _pages(client.list_tools, "tools") if able.tools else []
    prompts = await _pages(client.list_prompts, "prompts") if able.prompts else []
    holds = able.resources is not None and await _holds_resources(client)
    told = able.model_dump(exclude_none=True, by_alias=True)
    info = client.server_info
    return Listing(
        tools=tuple(sorted((_offered(tool) for tool in tools[:MOST] if _callable(tool)), key=lambda tool: tool.name)),
        prompts=tuple(
            (p.name, clean(p.description or "", 300), tuple(a.name for a in p.arguments or ())) for p in prompts
        ),
        resources=holds,
        server=clean(f"{info.name} {info.version}", 100) if info else "",
        version=client.protocol_version,
        features=tuple(sorted(key for key in told if key not in ("experimental", "extensions"))),
    )


async def _holds_resources(client: Client) -> bool:
    """Some servers say that they have resources and have none: nothing is offered for those."""
    from mcp import MCPError

    if (await client.list_resources(cache_mode="refresh")).resources:
        return True
    try:
        return bool((await client.list_resource_templates(cache_mode="refresh")).resource_templates)
    except MCPError:
        return False


def _callable(tool: Any) -> bool:
    """Tools that only run as tasks of the server are not called here."""
    return not (tool.execution and tool.execution.task_support == "required")


async def _pages(ask: Callable[..., Awaitable[Any]], kind: str) -> list[Any]:
    found: list[Any] = []
    cursor: str | None = None
    for _ in range(PAGES):
        page = await ask(cursor=cursor, cache_mode="refresh")
        found += getattr(page, kind)
        cursor = page.next_cursor
        if cursor is None:
            break
    return found


def _offered(tool: Any) -> Offered:
    hints = tool.annotations
    schema = slim(tool.input_schema)
    if schema.get("type") != "object" or why_unsound(schema) or len(json.dumps(schema)) > SCHEMA_CHARS:
        schema = {"type": "object"}
    description = clean(tool.description or tool.title or "", DESCRIPTION_CHARS)
    return Offered(tool.name, description, schema, bool(hints and hints.read_only_hint))


def slim(schema: Any, *, named: bool = False) -> Any:
    """The schema without titles, which only say the name again, and without what a person could not see.

    `named` where the keys are names of parameters.
    """
    if isinstance(schema, list):
        return [one if isinstance(one, str) else slim(one) for one in schema]  # values that may be given stay
    if not isinstance(schema, dict):
        return clean_lines(schema) if isinstance(schema, str) and _UNSEEN.search(schema) else schema
    return {
        key: slim(value, named=key in ("properties", "$defs", "definitions", "patternProperties") and not named)
        for key, value in schema.items()
        if named or not (key == "$schema" or (key == "title" and isinstance(value, str)))
    }


def clean_lines(text: str) -> str:
    """A server's words without what a person could not see, such as tag characters and marks of direction."""
    return _UNSEEN.sub("", text).strip()


def clean(text: str, most: int) -> str:
    """The same on one line, cut."""
    text = re.sub(r"\s+", " ", clean_lines(text))
    return text if len(text) <= most else text[:most].rstrip() + "…"


def short(text: str, most: int = 240) -> str:
    """The first sentences of a description that fit; every word of it is paid for in each first request."""
    if len(text) <= most:
        return text
    end = max(text.rfind(". ", 0, most), text.rfind("; ", 0, most))
    return text[: end + 1] if end > most // 3 else text[:most].rsplit(" ", 1)[0] + "…"


def allowed(tools: tuple[Offered, ...], patterns: tuple[str, ...]) -> tuple[Offered, ...]:
    return tuple(tool for tool in tools if any(fnmatchcase(tool.name, pattern) for pattern in patterns))


def load(file: Path) -> Listing | None:
    """What the server listed last time, None where that is not known or not readable any more."""
    try:
        data = json.loads(file.read_text(encoding="utf-8"))
        return Listing(
            tuple(Offered(**tool) for tool in data["tools"]),
            tuple((name, about, tuple(arguments)) for name, about, arguments in data["prompts"]),
            data["resources"],
            data["server"],
            data["version"],
            tuple(data["features"]),
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None


def save(file: Path, listing: Listing) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    part = file.with_suffix(f".{os.getpid()}.part")
    part.write_text(json.dumps(asdict(listing), ensure_ascii=False), encoding="utf-8")
    os.replace(part, file)


def difference(before: Listing, after: Listing) -> str:
    """What changed between two listings, for a person; "" where nothing did."""
    old, new = ({tool.name: tool for tool in listing.tools} for listing in (before, after))
    parts = [f"+{name}" for name in new if name not in old] + [f"-{name}" for name in old if name not in new]
    parts += [f"~{name}" for name in new if name in old and new[name] != old[name]]
    return ", ".join(parts[:12]) + ("…" if len(parts) > 12 else "")
