"""Completion in the prompt: commands after /, files after @, earlier prompts on Ctrl+R."""

from __future__ import annotations

import asyncio
from pathlib import Path

from localagent.i18n import t
from localagent.tui.commands import COMMANDS
from localagent.tui.files import mention, names
from localagent.tui.widgets.completion import Candidate, Completion, is_whole
from localagent.tui.widgets.prompt import Prompt

FRESH = 15.0  # seconds for which a listing of the files is good


class Completing:
    def __init__(self, folder: Path, prompt: Prompt) -> None:
        self._folder = folder
        self._prompt = prompt
        self._list = Completion()
        self._files: list[Candidate] = []
        self._listed = -FRESH

    async def typed(self, event: Prompt.Typing) -> None:
        """Offers what fits the word that is being typed, closes where none is."""
        if not self._list.is_attached:
            await self._prompt.screen.mount(self._list, before=self._prompt)
        candidates = await self._candidates(event.sign)
        self._list.offer(event.sign, event.word, candidates)
        self._prompt.completing = self._list.open

    async def _candidates(self, sign: str) -> list[Candidate]:
        match sign:
            case "/":
                return [Candidate(command.name, t(command.about)) for command in COMMANDS]
            case "@":
                return await self._list_files()
            case "history":
                return [Candidate(text) for text in dict.fromkeys(reversed(self._prompt.recall.lines))]
        return []

    async def _list_files(self) -> list[Candidate]:
        now = asyncio.get_running_loop().time()
        if now - self._listed > FRESH:
            self._files = [Candidate(name) for name in await asyncio.to_thread(names, self._folder)]
            self._listed = now
        return self._files

    def steer(self, key: str) -> None:
        """A key for the list; Enter sends where the name is whole, though the list does not know its end yet."""
        if key == "enter" and (not self._list.open or self._is_whole()):
            self._list.close()
            self._prompt.action_submit()
        elif self._list.open:
            self._list.steer(key)
        self._prompt.completing = self._list.open

    def _is_whole(self) -> bool:
        sign, word = self._prompt.word()
        return sign == self._list.sign and is_whole(sign, word, self._files)

    def chosen(self, event: Completion.Chosen) -> None:
        """Puts the completion in; a command chosen with Enter runs at once."""
        self._prompt.completing = False
        if event.sign == "history":
            self._prompt.fill(event.text)
        elif event.sign == "/":
            self._prompt.complete(f"/{event.text} ")
            if event.at_once:
                self._prompt.action_submit()
        else:
            self._prompt.complete(f"{mention(event.text)} ")
