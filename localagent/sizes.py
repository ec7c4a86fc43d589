"""The system prompt and the tools come in sizes, chosen by the model's own size and its window."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from typing import TYPE_CHECKING

from localagent.config import prompts
from localagent.messages import Message
from localagent.ports import Capabilities, Tool

if TYPE_CHECKING:
    from localagent.tools.schema import Profile

NANO_BELOW = 1.0  # billions of parameters
FULL_FROM = 6.0
SMALL_WINDOW = 6144  # tokens; a smaller one gets a smaller prompt


def choose_profile(capabilities: Capabilities) -> Profile:
    """The size of system prompt and tools by the model's size and window; unknown is taken for able."""
    size, window = capabilities.parameters, capabilities.context
    if size is not None and size < NANO_BELOW:
        return "nano"
    if (size is not None and size < FULL_FROM) or (window is not None and window < SMALL_WINDOW):
        return "minimal"
    return "full"


def system_prompt(profile: str, dialect: str, tools: Sequence[Tool], words: str = "") -> str:
    """The one system message: byte-stable for a profile, a dialect, a list of tools and the session's own `words`."""
    from localagent.calling.render import render_list, render_tools

    base = "\n\n".join(part for part in (prompts.read(f"system/{profile}.md"), words) if part)
    if dialect != "react" or not tools:
        return base
    specs = [tool.spec for tool in tools]
    if profile == "nano":
        return f"{base}\n\nTools:\n{render_list(specs)}"
    return f"{base}\n\n{render_tools(specs, dialect)}"


def shots(profile: str, dialect: str) -> tuple[Message, ...]:
    """Turns that stand before the first message, for models that learn a form only from being shown it."""
    if profile != "nano" or dialect != "react":
        return ()
    turns = tomllib.loads(prompts.read("system/nano_shots.toml"))["turn"]
    return tuple(Message(turn["role"], turn["content"]) for turn in turns)
