"""What a server would fill in for an argument: of its prompts for the person, of its templates for the model."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from localagent.mcp.listing import clean

if TYPE_CHECKING:
    from mcp import Client

MOST = 20  # suggestions
VALUE_CHARS = 100
_PLACE = re.compile(r"\{[?&/#+.;]?([A-Za-z0-9_]+)[^}]*\}")


async def of_prompt(client: Client, prompt: str, name: str, begun: str, given: Mapping[str, str]) -> list[str]:
    """Values for one argument that begin with `begun`; none where the server has none. Raises MCPError."""
    from mcp_types import PromptReference

    return await _asked(client, PromptReference(type="ref/prompt", name=prompt), name, begun, given)


async def of_template(client: Client, template: str) -> dict[str, list[str]]:
    """Values for each place of a URI template. Raises MCPError."""
    from mcp_types import ResourceTemplateReference

    reference = ResourceTemplateReference(type="ref/resource", uri=template)
    return {name: await _asked(client, reference, name, "", {}) for name in _PLACE.findall(template)}


async def _asked(client: Client, reference: object, name: str, begun: str, given: Mapping[str, str]) -> list[str]:
    if client.server_capabilities.completions is None:
        return []
    told = await client.complete(reference, {"name": name, "value": begun}, dict(given) or None)  # type: ignore[arg-type]
    return [clean(value, VALUE_CHARS) for value in told.completion.values[:MOST]]
