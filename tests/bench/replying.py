"""A model's reply as a whole, for benchmarks that compare replies and their figures."""

from __future__ import annotations

from localagent.ports import Finish, Model, Request, TextDelta


async def reply_of(model: Model, request: Request) -> tuple[str, Finish]:
    """The text and how it ended."""
    text = ""
    async for delta in model.reply(request):
        if isinstance(delta, TextDelta):
            text += delta.text
        if isinstance(delta, Finish):
            return text, delta
    raise AssertionError("a reply ends with Finish")
