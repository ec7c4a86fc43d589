"""The widget for a block. Imports a widget's module when the first block of its kind appears."""

from __future__ import annotations

from typing import Any

from localagent.tui.blocks import Answer, Block, Card, Picture, Said, Thinking
from localagent.tui.widgets.block import BlockView


def view_of(block: Block) -> BlockView[Any]:
    match block:
        case Said():
            from localagent.tui.widgets.said import SaidView

            return SaidView(block)
        case Answer():
            from localagent.tui.widgets.answer import AnswerView

            return AnswerView(block)
        case Thinking():
            from localagent.tui.widgets.thinking import ThinkingView

            return ThinkingView(block)
        case Card():
            from localagent.tui.widgets.card import CardView

            return CardView(block)
        case Picture():
            from localagent.tui.widgets.picture import PictureView

            return PictureView(block)
        case _:
            from localagent.tui.widgets.note import NoteView

            return NoteView(block)
