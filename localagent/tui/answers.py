"""The person's answers: the screen as the agent's Approver. One question at a time, in the order asked."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from textual.widget import Widget

from localagent.ports import ApprovalRequest, Decision, Outgoing
from localagent.tui.blocks import Card, relative


class Answers:
    """Puts panels into `dock` and waits for the answer; `card` finds the call's card to hang its diff on.

    Files below `root` are shown by their relative paths. `writing` says whether a prompt is being written.
    """

    def __init__(
        self,
        dock: Widget,
        root: Path,
        card: Callable[[str], Card | None],
        asked: Callable[[bool], None],
        writing: Callable[[], bool],
    ) -> None:
        self._root = root
        self._dock = dock
        self._card = card
        self._asked = asked
        self._writing = writing
        self._turn = asyncio.Lock()
        self._answer: asyncio.Future[Any] | None = None

    async def approve(self, request: ApprovalRequest) -> Decision:
        from localagent.tui.widgets.approval import Approval

        changes = tuple(relative(change, self._root) for change in request.changes)
        request = replace(request, changes=changes, summary=request.summary.replace(f"{self._root}/", ""))
        if card := self._card(request.call.id):
            card.changes = request.changes
        decision: Decision = await self._ask(lambda: Approval(request, wary=self._busy()))
        if card and decision.arguments is not None:
            card.arguments, card.changes = decision.arguments, ()  # the diff that was shown is no longer the one
        return decision

    async def ask(self, question: str, options: Sequence[str]) -> str:
        from localagent.tui.widgets.question import Question

        answer: str = await self._ask(lambda: Question(question, options, wary=self._busy()))
        return answer

    async def release(self, outgoing: Outgoing) -> Decision:
        """Shows what would leave the house; closing the screen keeps it."""
        from localagent.tui.screens.release import ReleaseScreen

        async with self._turn:
            answer: asyncio.Future[Decision] = asyncio.get_running_loop().create_future()
            screen = ReleaseScreen(outgoing, wary=self._busy())

            def closed(decision: Decision | None) -> None:
                if not answer.done():
                    answer.set_result(decision or Decision(False))

            self._asked(True)
            await self._dock.app.push_screen(screen, closed)
            try:
                return await answer
            finally:
                if answer.cancelled() and screen.is_current:
                    screen.dismiss(None)
                self._asked(False)

    def _busy(self) -> bool:
        """Whether the person is writing, or looks at another screen: their next keys may be meant for that."""
        return self._writing() or not self._dock.screen.is_active

    def give(self, answer: Any) -> None:
        """The answer to the open question."""
        if self._answer and not self._answer.done():
            self._answer.set_result(answer)

    async def _ask(self, make: Callable[[], Widget]) -> Any:
        async with self._turn:
            self._answer = asyncio.get_running_loop().create_future()
            panel = make()
            self._asked(True)
            await self._dock.mount(panel)
            try:
                return await self._answer
            finally:
                self._answer = None
                if panel.is_attached:
                    await panel.remove()
                    self._asked(False)
