"""Walks a reply once and tells apart what is thought, what is said, and where calls begin."""

from __future__ import annotations

import re

from localagent.calling import labels, names, withheld
from localagent.calling.broken import Broken
from localagent.calling.dialects import harmony, marked, react, react_words
from localagent.calling.events import CLOSE_THOUGHT, EVENT, TURNS, Found
from localagent.calling.labels import LABEL, kind_of
from localagent.calling.normalise import opens_foreign_turn
from localagent.calling.reasoning import ReasoningWalk
from localagent.calling.tokens import WHITE

_OPENER = 128  # how long an opening tag may be


class Walker(ReasoningWalk):
    """One pass over a normalised text."""

    def walk(self) -> Found:
        """Runs to the end, or to the first token that ends the turn."""
        while not self.stopped and (event := EVENT.search(self.text, self.at)):
            if event.lastgroup not in TURNS and self._is_set_apart(event.start()):
                self._pass(self._line_end(event.start()))
            else:
                getattr(self, f"_on_{event.lastgroup}")(event)
        if not self.stopped:
            self._end()
        return self.found

    def _end(self) -> None:
        """What is left is said, unless the text ends inside the opening of a call."""
        cut = marked.CUT.search(self.text, max(self.begun, len(self.text) - _OPENER))
        said = self.found.answered or self.found.calls
        if cut and not said:
            self._say(cut.start())
            self._broke(Broken("cut_off", cut[0]), cut.start())
        else:
            self._say(len(self.text))

    def _on_end(self, event: re.Match[str]) -> None:
        self.at = event.start()
        silent = not self._has_spoken(self.at) and not self.found.calls and not self.found.thoughts
        if silent and not opens_foreign_turn(self.text, event.start()):
            self._skip_to(event.end())
        else:
            self._stop(event.start())

    def _on_harmony(self, event: re.Match[str]) -> None:
        if self.found.answered:
            return self._stop(event.start())
        self._say(event.start())
        header = _rematch(harmony.CHANNEL, self.text, event)
        name = harmony.recipient(header)
        if (name and name.startswith(("functions", "tool", "assistant"))) or (name and names.find(name, self.tools)):
            self._read(lambda: self._one(harmony.read(self.text, header, name)), event, "harmony")
        elif header["channel"] == "analysis":
            self._think(event.end(), harmony.ANALYSIS_END)
        else:
            self._skip_to(event.end())
            if header["channel"] == "final":
                self._answer_begins()

    def _on_final(self, event: re.Match[str]) -> None:
        if self.found.calls:
            return self._stop(event.start())
        self._say(event.start())
        self._skip_to(event.end())
        self._answer_begins()

    def _on_label(self, event: re.Match[str]) -> None:
        label = _rematch(LABEL, self.text, event)
        kind = kind_of(label)
        getattr(self, f"_label_{kind}")(label)

    def _label_thought(self, label: re.Match[str]) -> None:
        self.told = False
        if self.found.answered:
            return self._past_answer(label)
        self._turn_passes()
        self.shown = self.shown or (not self.found.react and self._is_introduced(label.start(), call=False))
        self._say(label.start())
        self.found.react = True
        self.sink = self.found.thoughts
        self._skip_to(label.end())

    def _turn_passes(self) -> None:
        """After the echo of what a person said the model speaks itself; after a turn that it invents it does not."""
        self.person = self.person if self.asked else None

    def _past_answer(self, label: re.Match[str]) -> None:
        """A label after the answer begins an invented next step, unless it is a line of the answer."""
        if labels.belongs_to_answer(label, itemised=self.itemised):
            return self._pass(label.end())
        self.verbatim = self.verbatim or self._leads_over(label.start())
        if self.verbatim:
            return self._pass(label.end())
        return self._invented(label)

    def _leads_over(self, at: int) -> bool:
        """Whether the answer up to `at` is no end: a colon, or words that show what comes."""
        before = self._recent(at)
        colon = before.rstrip("*_ \n")[-1:] in (":", "：")
        return colon or (self._is_introduced(at) and not withheld.refuses(before))

    def _invented(self, label: re.Match[str]) -> None:
        self.found.invented = True
        self._stop(label.start())

    def _label_question(self, label: re.Match[str]) -> None:
        if self.found.answered and self.found.react:
            asked = LABEL.search(self.text, label.end())
            if asked and labels.is_of_a_list_of_questions(label, asked):
                return self._pass(asked.end())
            return self._past_answer(label)
        said = self._has_spoken(label.start())
        next_turn = said and self.in_dialogue and labels.is_turn(label)
        if next_turn or (self.found.react and (self.found.calls or self.found.declined)):
            return self._stop(label.start())
        self.asked = self.asked or said
        if not self.found.react:
            self.shown = self.shown or (said and self._is_introduced(label.start(), call=False))
            self.person = label.end() if labels.is_turn(label) else self.person
        if self.asked or not self._leads_to_label(label.end()):
            return self._pass(label.end())
        self._skip_to(label.end())
        self.sink = []

    def _leads_to_label(self, at: int) -> bool:
        """Whether a step of ReAct follows after `at`; once there is none, there is none further on."""
        if self._lead is not None and self._lead < at:
            label = LABEL.search(self.text, at)
            while label and kind_of(label) not in ("thought", "action", "final"):
                label = LABEL.search(self.text, label.end())
            self._lead = label.start() if label else None
        return self._lead is not None

    def _label_observation(self, label: re.Match[str]) -> None:
        if self.found.calls:
            return self._stop(label.start())
        if self.found.answered:
            return self._past_answer(label) if self.found.react else self._pass(label.end())
        self.told = self.told or not labels.is_plain_word(label)
        if not self.found.react:
            return self._pass(label.end())
        self._say(label.start())
        self.sink = []
        self._skip_to(label.end())

    def _label_input(self, label: re.Match[str]) -> None:
        lost = labels.is_of_action(label) and not self._has_spoken(label.start())
        if not (self.found.react or lost) or self.found.answered or self.found.calls:
            return self._pass(label.end())
        self._broke(Broken("no_tool", ""), label.start())

    def _label_answer(self, label: re.Match[str]) -> None:
        self._turn_passes()
        ignoring = self.sink is not self.found.prose
        if labels.is_turn(label) and not (self.found.react or ignoring or self._has_spoken(label.start())):
            self.in_dialogue = True
            self._skip_to(label.end())
        elif self.found.react or not (ignoring or self._has_spoken(label.start())):
            self._label_final(label)
        elif self.asked:  # a dialogue, told or invented
            self._stop(len(self.text))
        else:
            self._pass(label.end())

    def _label_final(self, label: re.Match[str]) -> None:
        if self.found.answered:
            return self._pass(label.end())
        if self.found.calls:
            return self._stop(label.start())
        self._say(label.start())
        self._skip_to(label.end())
        self.found.react = True
        self.itemised = labels.is_item(label)
        self.found.declined = None
        self._answer_begins()

    def _label_action(self, label: re.Match[str]) -> None:
        if self.found.answered:
            return self._action_past_answer(label)
        if self.found.calls:
            return self._stop(label.start())
        if not self.found.react and not react_words.is_action(self.text, label, self.tools):
            return self._pass(label.end())
        if marked.OPENER.match(self.text, WHITE.match(self.text, label.end()).end()):  # type: ignore[union-attr]
            self._say(label.start())
            self.found.react = True
            return self._skip_to(label.end())
        introduced = self.shown or self._is_introduced(label.start())
        try:
            actions = react.read(self.text, label, self.tools)
        except Broken as broken:
            self._say(label.start())
            self.found.react = True
            return self._broke(broken, label.start())
        introduced = introduced or self._runs_through(label.start(), actions.end)
        if actions.calls and (introduced or react_words.is_disowned(self.text, actions)):
            return self._shown_action(label, actions)
        self._say(label.start())
        self.found.react = True
        self._take(actions)

    def _action_past_answer(self, label: re.Match[str]) -> None:
        """A whole action that the reply or a label ends after is an invented next step; any other is answer text."""
        following = LABEL.search(self.text, label.end())
        if self.verbatim or following is None or kind_of(following) != "input":
            return self._pass(label.end())
        try:
            actions = react.read(self.text, label, self.tools)
        except Broken as broken:
            if broken.kind == "cut_off":
                return self._invented(label)
            self.verbatim = True
            return self._pass(following.end())
        if self._leads_over(label.start()) or react_words.goes_on(self.text, actions):
            return self._pass(max(actions.end, following.end()))
        return self._invented(label)

    def _shown_action(self, label: re.Match[str], actions: react.Actions) -> None:
        """An action that the words around it report or refuse: text, or in a run of ReAct a problem."""
        if not self.found.react:
            return self._show_call(actions.end)
        self._say(label.start())
        first = actions.calls[0]
        self._broke(Broken("not_alone", first.name, tool=first.name), label.start())

    def _take(self, actions: react.Actions) -> None:
        self.found.dialect = "react"
        if actions.answers:
            self._skip_to(actions.end)
            self._answer_begins()
        elif actions.answer is not None:
            self._answer_begins()
            self.found.prose.append(actions.answer)
            self.stopped = True
        elif actions.declined is not None:
            self.found.declined = actions.declined
            self.sink = self.found.thoughts
            self._skip_to(actions.end)
        else:
            self.found.calls.extend(actions.calls)
            self._skip_to(actions.end)
            self.stopped = not CLOSE_THOUGHT.search(self.text, self.at)


def _rematch(pattern: re.Pattern[str], text: str, event: re.Match[str]) -> re.Match[str]:
    match = pattern.match(text, event.start())
    assert match is not None, "an event's own pattern matches where the event begins"
    return match
