"""What a reader that a call sent out does, put onto that call's card as it happens."""

from __future__ import annotations

from localagent import events as ev
from localagent.tui.blocks import Card, state_of


def follow(card: Card, event: ev.Event) -> bool:
    """Whether the event changed what the card says of its reader."""
    match event:
        case ev.ToolStarted(call=call):
            card.steps.append(Card(call.name, call.id, call.arguments, "running"))
        case ev.ToolFinished(result=result) if step := _step(card, result.call_id):
            step.output, step.full, step.seconds = result.content, event.full, event.seconds
            step.state = state_of(result.ok, event.failure)
        case _:
            return False
    return True


def _step(card: Card, call_id: str) -> Card | None:
    return next((step for step in reversed(card.steps) if step.call_id == call_id), None)
