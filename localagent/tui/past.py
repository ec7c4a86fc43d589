"""The blocks of a conversation that was held before, made from its history."""

from __future__ import annotations

from collections.abc import Iterable

from localagent.messages import Message
from localagent.tui.blocks import SILENT, Answer, Block, Card, Note, Picture, Said, Thinking, state_of


def blocks_of(messages: Iterable[Message]) -> list[Block]:
    """Blocks in the order of the messages; results are put into the cards of their calls, one without was stopped."""
    blocks: list[Block] = []
    cards: dict[str, Card] = {}
    for message in messages:
        blocks += _blocks_of(message, cards)
    return blocks


def _blocks_of(message: Message, cards: dict[str, Card]) -> Iterable[Block]:
    if message.role == "user" and message.by:
        yield Note("house", message.content)
    elif message.role == "user":
        yield Said(message.content)
        yield from map(Picture, message.images)
    if message.thinking:
        yield Thinking(message.thinking, seconds=0.0)
    if message.role == "assistant" and message.content:
        yield Answer(message.content, final=True)
    for call in (call for call in message.calls if call.name not in SILENT):
        cards[call.id] = Card(call.name, call.id, call.arguments, "stopped")
        yield cards[call.id]
    for result in message.results:
        if card := cards.get(result.call_id):
            card.output, card.state = result.content, state_of(result.ok, result.failure)
