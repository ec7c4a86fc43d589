"""The list that opens over the prompt while a file, a command or an earlier prompt is being named."""

from __future__ import annotations

from dataclasses import dataclass

from textual.content import Content
from textual.fuzzy import Matcher
from textual.message import Message
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from localagent.tui.harmless import assemble
from localagent.tui.widgets import style

MOST = 50  # eight are seen at a time


@dataclass(frozen=True, slots=True)
class Candidate:
    """A completion: what is put in, and a word about it."""

    text: str
    about: str = ""


class Completion(OptionList, can_focus=False):
    DEFAULT_CSS = style(__file__)

    @dataclass
    class Chosen(Message):
        text: str
        sign: str
        at_once: bool  # chosen by Enter or mouse, not by Tab

    def __init__(self) -> None:
        super().__init__()
        self._found: list[Candidate] = []
        self.sign = ""  # what the list is about: "/", "@", "history"

    @property
    def open(self) -> bool:
        return self.has_class("-open")

    def offer(self, sign: str, word: str, candidates: list[Candidate]) -> None:
        """Shows the best of the candidates; closes where there are none, or the word is one: Enter then sends."""
        self.sign, self._found = sign, [] if is_whole(sign, word, candidates) else best(word, candidates)
        self.clear_options()
        self.add_options([Option(_line(candidate)) for candidate in self._found])
        self.set_class(bool(self._found), "-open")
        if self._found:
            self.highlighted = 0

    def close(self) -> None:
        self.remove_class("-open")

    def steer(self, key: str) -> None:
        """Does what a key of the prompt means while the list is open."""
        match key:
            case "up":
                self.action_cursor_up()
            case "down":
                self.action_cursor_down()
            case "escape":
                self.close()
            case _:
                self._choose(self.highlighted or 0, key == "enter")

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self._choose(event.option_index, True)

    def _choose(self, index: int, at_once: bool) -> None:
        self.close()
        if index < len(self._found):
            self.post_message(self.Chosen(self._found[index].text, self.sign, at_once))


def is_whole(sign: str, word: str, candidates: list[Candidate]) -> bool:
    """Whether a file is named from its first to its last letter."""
    return sign == "@" and any(candidate.text == word for candidate in candidates)


def best(word: str, candidates: list[Candidate]) -> list[Candidate]:
    """The candidates that fit, best first; all of them, as they stand, for an empty word."""
    if not word:
        return candidates[:MOST]
    matcher = Matcher(word)
    scored = [(matcher.match(c.text), n, c) for n, c in enumerate(candidates) if _could(word, c.text)]
    ranked = sorted((-score, n, c) for score, n, c in scored if score > 0)
    return [candidate for _, _, candidate in ranked[:MOST]]


def _could(word: str, text: str) -> bool:
    """Whether the letters come in this order: cheap, and rules out nearly all of a large tree."""
    letters = iter(text.lower())
    return all(letter in letters for letter in word.lower())


def _line(candidate: Candidate) -> Content:
    return assemble((candidate.text, ""), (f"  {candidate.about}" if candidate.about else "", "$foreground-muted"))
