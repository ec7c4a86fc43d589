"""From the agent's events to what the screen shows: the only place that knows both sides.

Growing text is not announced: it is added to its block, and the widgets look at their pace. So a model
that writes a thousand tokens a second costs the screen no more than one that writes ten.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from time import monotonic
from typing import Any

from localagent import events as ev
from localagent.i18n import t
from localagent.messages import ToolCall
from localagent.tui.blocks import SILENT, Answer, Block, Card, Note, Picture, Said, Thinking, state_of
from localagent.tui.facts import Changed, Dropped, Ended, Fact, Opened, Planned, Shifted
from localagent.tui.lines import explained, fell_back_line, figures_line, outcome_line, plan_states
from localagent.tui.progress import Figures, Phase
from localagent.tui.readers import follow

OVERFLOWS = ("ContextOverflow", "PromptCut")  # errors of a run whose prompt the window does not hold
LIVE_OUTPUT = 20_000  # characters of live tool output that a card keeps; the ledger has all


class Adapter:
    """Reads the events of one run after the other; `phase` and `figures` are there to be looked at."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self.phase = Phase()
        self.figures = Figures()
        self._clock = clock
        self._answer: Answer | None = None
        self._thinking: Thinking | None = None
        self._thinking_since = 0.0
        self._announced: list[Card] = []
        self._cards: dict[str, Card] = {}
        self._unanswered: dict[str, Card] = {}  # of calls without a result, in the history of a resumed session
        self._waiting: list[Said] = []
        self._last_prose = ""
        self._problem = ""
        self._asking = False
        self.overflowed = False  # whether the newest run sent more than the window holds

    def expect(self, said: Said) -> None:
        """The person's message is on the screen already; its event will only confirm it."""
        self._waiting.append(said)

    @property
    def waiting(self) -> tuple[Said, ...]:
        """Messages that no run has taken in yet."""
        return tuple(self._waiting)

    def expected(self) -> list[Said]:
        """Messages that no run has taken in yet; they are forgotten here."""
        left, self._waiting = self._waiting, []
        return left

    def take_up(self, blocks: Iterable[Block]) -> None:
        """A resumed session's blocks: calls without a result go on in the cards that are there, figures begin anew."""
        self.figures = Figures()
        cards = (block for block in blocks if isinstance(block, Card))
        self._unanswered = {card.call_id: card for card in cards if card.state == "stopped"}

    def card(self, call_id: str) -> Card | None:
        return self._cards.get(call_id)

    def ask(self, on: bool) -> None:
        """Whether the run waits for the person."""
        self._asking = on
        self._turn("asking" if on else "acting")

    def read(self, event: ev.Event) -> list[Fact]:
        """The facts that follow from an event, in order."""
        reader = _READERS.get(type(event))
        return list(reader(self, event)) if reader else []

    def _turn(self, kind: str, done: int = 0, total: int | None = None, note: str = "") -> None:
        if self._asking:
            kind, done, total, note = "asking", 0, None, ""  # whatever else goes on, it is the person's turn
        since = self.phase.since if self.phase.kind == kind else self._clock()
        self.phase = Phase(kind, done, total, note, since)

    def _started(self, event: ev.RunStarted) -> Iterable[Fact]:
        yield from self._thought_done()
        yield from self._break_off()
        self._last_prose = ""
        self.overflowed = False
        self._turn("starting")

    def _added(self, event: ev.MessageAdded) -> Iterable[Fact]:
        if event.source == "house":
            if event.message.content != self._problem:  # which the note on the rejected reply has said
                yield Opened(Note("house", event.message.content))
        elif event.source == "person" and self._waiting:
            said = self._waiting.pop(0)
            said.queued = False
            yield Changed(said)
        elif event.source == "person" and event.message.role == "user":
            yield Opened(Said(event.message.content))
            yield from (Opened(Picture(path)) for path in event.message.images)

    def _planned(self, event: ev.PlanChanged) -> Iterable[Fact]:
        yield Planned(plan_states(event.items))

    def _requested(self, event: ev.RequestSent) -> Iterable[Fact]:
        self.figures.step = event.step
        self._turn("waiting", note=event.model)
        return ()

    def _working(self, event: ev.Working) -> Iterable[Fact]:
        self._turn(event.phase, event.done, event.total, event.note)
        return ()

    def _thought(self, event: ev.Thought) -> Iterable[Fact]:
        self._turn("thinking")
        if self._thinking is None:
            self._thinking, self._thinking_since = Thinking(), self._clock()
            yield Opened(self._thinking)
        self._thinking.text += event.text

    def _text(self, event: ev.Text) -> Iterable[Fact]:
        yield from self._thought_done()
        self._turn("answering")
        if self._answer is None:
            self._answer = Answer()
            yield Opened(self._answer)
        self._answer.text += event.text

    def _announced_call(self, event: ev.CallAnnounced) -> Iterable[Fact]:
        yield from self._thought_done()
        self._turn("writing", note=event.name)
        if event.name not in SILENT:
            card = Card(event.name)
            self._announced.append(card)
            yield Opened(card)

    def _replied(self, event: ev.Replied) -> Iterable[Fact]:
        yield from self._thought_done()
        self._measure(event)
        yield from self._settle(event.message.content, figures_line(event))
        for call in event.message.calls:
            yield from self._ensure(call)
        yield from self._drop_announced()
        if not event.message.content and not event.message.calls:
            yield Opened(Note("empty", t("note.empty")))
        self._turn("acting" if event.message.calls else "")

    def _measure(self, event: ev.Replied) -> None:
        usage, figures = event.usage, self.figures
        figures.tokens_per_second = event.tokens_per_second
        figures.first_token_seconds = event.first_token_seconds
        figures.cost_usd += event.cost_usd
        figures.reused = None
        if usage.input_tokens and usage.evaluated_tokens is not None:
            figures.reused = max(0.0, 1 - usage.evaluated_tokens / usage.input_tokens)

    def _settle(self, content: str, figures: str) -> Iterable[Fact]:
        """Ends the streamed answer with the text that was understood, which may lack the calls in it."""
        answer, self._answer = self._answer, None
        if answer is None and content:
            answer = Answer()
            yield Opened(answer)
        if answer is None:
            return
        if not content:
            yield Dropped(answer)
            return
        answer.text, answer.final, answer.figures = content, True, figures
        self._last_prose = content
        yield Changed(answer)

    def _called(self, call: ToolCall) -> Iterable[Fact]:
        if call.name in SILENT:
            return
        card = next((c for c in self._announced if c.tool == call.name), None)
        if card is None:
            card = Card(call.name)
            yield Opened(card)
        else:
            self._announced.remove(card)
        card.call_id, card.arguments, card.state = call.id, call.arguments, "waiting"
        self._cards[call.id] = card
        yield Changed(card)

    def _drop_announced(self) -> Iterable[Fact]:
        dropped = [Dropped(card) for card in self._announced]
        self._announced.clear()
        return dropped

    def _rejected(self, event: ev.ReplyRejected) -> Iterable[Fact]:
        yield from self._thought_done()
        if self._answer is not None:
            yield Dropped(self._answer)
            self._answer = None
        yield from self._drop_announced()
        self._problem = event.problem
        key = "note.empty_again" if event.kind == "empty" else "note.rejected"
        yield Opened(Note("rejected", t(key, problem=event.problem, attempt=event.attempt)))

    def _asked(self, event: ev.ApprovalAsked) -> Iterable[Fact]:
        return self._ensure(event.call)

    def _ensure(self, call: ToolCall) -> Iterable[Fact]:
        if call.id in self._cards:
            return
        if card := self._unanswered.pop(call.id, None):
            self._cards[call.id], card.state = card, "waiting"
            yield Changed(card)
        else:
            yield from self._called(call)

    def _tool_started(self, event: ev.ToolStarted) -> Iterable[Fact]:
        yield from self._ensure(event.call)
        self._turn("acting", note=event.call.name)
        if card := self._cards.get(event.call.id):
            card.state, card.arguments = "running", event.call.arguments
            yield Changed(card)

    def _tool_output(self, event: ev.ToolOutput) -> Iterable[Fact]:
        if card := self._cards.get(event.call_id):
            card.output = (card.output + event.text)[-LIVE_OUTPUT:]
        return ()

    def _delegated(self, event: ev.Delegated) -> Iterable[Fact]:
        """A reader's steps stand on the card of its call; what it waits for is said like the run's own waiting."""
        inner = event.event
        if isinstance(inner, ev.Replied):
            self.figures.cost_usd += inner.cost_usd
        if kind := _READERS_PHASES.get(type(inner)):
            self._turn(kind)
        if isinstance(inner, ev.Working | ev.RequestSent):
            _READERS[type(inner)](self, inner)
        card = self._cards.get(event.call_id)
        if card and follow(card, inner):
            yield Changed(card)

    def _tool_finished(self, event: ev.ToolFinished) -> Iterable[Fact]:
        result = event.result
        yield from self._ensure(ToolCall(result.call_id, result.name, {}))
        if card := self._cards.get(result.call_id):
            card.output, card.full, card.seconds = result.content, event.full, event.seconds
            card.state = state_of(result.ok, event.failure)
            yield Changed(card)

    def _file_changed(self, event: ev.FileChanged) -> Iterable[Fact]:
        if card := self._cards.get(event.call_id):
            card.changed = (*card.changed, event.path)
            yield Changed(card)

    def _fell_back(self, event: ev.FellBack) -> Iterable[Fact]:
        text = fell_back_line(event)
        if not text:
            return
        yield from self._drop_stream()
        yield Opened(Note("warning", text))
        yield Shifted()

    def _left(self, event: ev.CloudRequest) -> Iterable[Fact]:
        yield Shifted()

    def _drop_stream(self) -> Iterable[Fact]:
        """A reply that broke off is asked for again, so what came of it goes."""
        yield from self._drop_announced()
        if self._answer is not None:
            yield Dropped(self._answer)
            self._answer = None

    def _condensed(self, event: ev.Condensed) -> Iterable[Fact]:
        before, after = (n if n is not None else "?" for n in (event.before, event.after))
        yield Opened(Note("info", t("note.condensed", before=before, after=after)))

    def _noticed(self, event: ev.Notice) -> Iterable[Fact]:
        self.overflowed |= event.kind == "prompt_cut"
        yield Opened(Note(event.kind, explained(event.kind, event.text)))

    def _finished(self, event: ev.RunFinished) -> Iterable[Fact]:
        yield from self._thought_done()
        yield from self._break_off()
        self._turn("")
        result = event.result
        self.overflowed |= (result.error or {}).get("type") in OVERFLOWS
        yield from self._output(result)
        if result.outcome not in ("done", "answered"):
            yield Opened(Note(result.outcome, outcome_line(result)))
        elif result.is_cut:
            yield Opened(Note("limit", outcome_line(result)))
        yield Ended(result)

    def _break_off(self) -> Iterable[Fact]:
        if self._answer is not None:
            self._answer.final, self._answer = True, None
        yield from self._drop_announced()
        for card in self._cards.values():
            if card.state in ("waiting", "running"):
                card.state = "stopped"
                yield Changed(card)
        self._cards.clear()

    def _output(self, result: ev.RunResult) -> Iterable[Fact]:
        """The finish tool's output, unless the model has just said the same in prose."""
        text = result.output
        if text is None or result.outcome not in ("done", "answered"):
            return
        if not isinstance(text, str):
            text = f"```json\n{json.dumps(text, ensure_ascii=False, indent=2)}\n```"
        if text.strip() and text.strip() != self._last_prose.strip():
            yield Opened(Answer(text, final=True))

    def _thought_done(self) -> Iterable[Fact]:
        thinking, self._thinking = self._thinking, None
        if thinking is not None:
            thinking.seconds = self._clock() - self._thinking_since
            yield Changed(thinking)


_READERS_PHASES: dict[type, str] = {ev.Thought: "thinking", ev.Text: "answering"}

_READERS: dict[type, Callable[[Adapter, Any], Iterable[Fact]]] = {
    ev.RunStarted: Adapter._started,
    ev.MessageAdded: Adapter._added,
    ev.PlanChanged: Adapter._planned,
    ev.RequestSent: Adapter._requested,
    ev.Working: Adapter._working,
    ev.Thought: Adapter._thought,
    ev.Text: Adapter._text,
    ev.CallAnnounced: Adapter._announced_call,
    ev.Replied: Adapter._replied,
    ev.ReplyRejected: Adapter._rejected,
    ev.ApprovalAsked: Adapter._asked,
    ev.ToolStarted: Adapter._tool_started,
    ev.ToolOutput: Adapter._tool_output,
    ev.Delegated: Adapter._delegated,
    ev.ToolFinished: Adapter._tool_finished,
    ev.FileChanged: Adapter._file_changed,
    ev.FellBack: Adapter._fell_back,
    ev.CloudRequest: Adapter._left,
    ev.Condensed: Adapter._condensed,
    ev.Notice: Adapter._noticed,
    ev.RunFinished: Adapter._finished,
}
