"""The updates that show a session again when an editor loads it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import acp

from localagent.acp.updates import Updates, text_content
from localagent.messages import Message


def past(messages: Iterable[Message], workspace: Path) -> Iterable[Any]:
    """In the order of the messages; results are put into the cards of their calls."""
    cards = Updates(workspace)
    for message in messages:
        if message.role == "user" and not message.by:
            yield acp.update_user_message_text(message.content)
        if message.thinking:
            yield acp.update_agent_thought_text(message.thinking)
        if message.role == "assistant" and message.content:
            yield acp.update_agent_message_text(message.content)
        for call in message.calls:
            yield from cards.show(call)
        for result in message.results:
            if cards.knows(result.call_id):
                status: Any = "completed" if result.ok else "failed"
                yield acp.update_tool_call(result.call_id, status=status, content=[text_content(result.content)])
