"""When a run must end: budgets, circles and failures, counted in one place.

A circle is the same call with the same answer, in whatever order, or different calls of one tool that go on getting one
answer, or replies that go on saying the same. A changing call that succeeded for the first time makes earlier answers
stale: counting begins anew.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal

from localagent.events import Replied, ToolFinished
from localagent.messages import ToolCall, Usage
from localagent.ports import Clock
from localagent.tools.words import say

StopOutcome = Literal["limit", "stalled"]
BUDGET_NOTE_AT = 0.8


@dataclass(frozen=True, slots=True)
class Limits:
    """Ceilings of one run; None is none. Tokens are those read anew plus those written, over all replies."""

    max_steps: int | None = 40
    max_tokens: int | None = None
    max_usd: float | None = None
    max_seconds: float | None = None
    max_same_calls: int = 6  # the same call, whatever it answered
    max_same_results: int = 3  # the same call with the same answer
    max_same_answers: int = 6  # in a row by one tool, other arguments, always the same answer
    max_same_texts: int = 10  # replies in a row that say the same, whatever they call
    max_failures: int = 6  # failed calls in a row
    max_invalid: int = 3  # replies in a row that could not be read

    def as_json(self) -> dict[str, Any]:
        return {f.name: getattr(self, f.name) for f in fields(self) if getattr(self, f.name) is not None}


@dataclass(frozen=True, slots=True)
class Stop:
    """Why a run ends: `kind` is a stable word, `text` a sentence for the person."""

    outcome: StopOutcome
    kind: str
    text: str


@dataclass(slots=True)
class Watch:
    """The counts of one run. `warnings` are notes for the model that wait to be said: (prompt name, values)."""

    limits: Limits
    clock: Clock
    started: float = 0.0
    steps: int = 0
    tokens: int = 0
    usd: float = 0.0
    failures: int = 0
    invalid: int = 0
    ran_on: bool = False  # whether the last reply hit its limit in the middle of a call
    unfinished: int = 0  # answers in prose where finish had to be called
    condensed: bool = False
    overflowed: set[str] = field(default_factory=set)  # models whose window was too small
    barred: set[str] = field(default_factory=set)  # tools that the next reply may not call, where sampling can be held
    warnings: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    _calls: Counter[str] = field(default_factory=Counter)
    _pairs: Counter[tuple[str, str]] = field(default_factory=Counter)
    _answers: dict[str, tuple[str, int]] = field(default_factory=dict)  # by tool: its last answer, how often in a row
    _changed: set[str] = field(default_factory=set)
    _text: str = ""
    _texts: int = 0  # replies in a row that said `_text`
    _unchecked: bool = False  # whether something was changed since the last check
    _circle: Stop | None = None
    _told_budget: bool = False

    def __post_init__(self) -> None:
        self.started = self.clock.monotonic()

    def replied(self, reply: Replied) -> None:
        """Counts a reply that was understood."""
        self.steps += 1
        self.invalid, self.ran_on = 0, False
        self.barred.clear()
        self._said(" ".join(reply.message.content.split()))
        self.spent(reply.usage, reply.cost_usd)

    def spent(self, usage: Usage, usd: float) -> None:
        """Counts what a reply cost, understood or not, also one of a reader that this run sent out."""
        read = usage.evaluated_tokens if usage.evaluated_tokens is not None else usage.input_tokens
        self.tokens += (read or 0) + (usage.output_tokens or 0)
        self.usd += usd

    def may_write(self, most: int) -> int:
        """Tokens that the next reply may have, `most` where the budget does not bound it."""
        ceiling = self.limits.max_tokens
        return most if ceiling is None else max(1, min(most, ceiling - self.tokens))

    def left(self, max_steps: int) -> Limits:
        """The limits of a reader that this run sends out: steps of its own, and what this run may still spend."""
        left: dict[str, Any] = {f"max_{kind}": most and most - used for kind, used, most, _ in self._budgets()}
        return replace(self.limits, **{**left, "max_steps": max_steps})

    def _said(self, text: str) -> None:
        self._texts = self._texts + 1 if text and text == self._text else 1
        self._text = text
        if text and self._texts >= self.limits.max_same_texts:
            self._circle = Stop("stalled", "same_text", f"{self._texts} replies in a row said the same")
        elif text and self._texts == self.limits.max_same_texts - 4:
            self.warnings.append(("same_text", {"count": self._texts}))

    def cut(self, reply: Replied) -> bool:
        """Whether the budget of the run ended a reply in the middle, which is no answer then."""
        return reply.finish_reason == "length" and self.stop() is not None

    def rejected(self, kind: str, usage: Usage, usd: float) -> None:
        """Counts a reply that was not understood, for a problem of this kind."""
        self.invalid += 1
        self.ran_on = kind == "length"
        self.spent(usage, usd)

    def answered(self, call: ToolCall, event: ToolFinished, *, effect: str) -> None:
        """Counts a call with its answer, and remembers what to tell the model about it."""
        ok = event.result.ok
        self.failures = 0 if ok else self.failures + 1
        name, print_, answer = call.name, _print(call), _digest(_apart(call, event.result.content))
        self._reflect(effect, event)
        if effect == "write" and ok and print_ not in self._changed:
            self._changed.add(print_)
            self._calls.clear()
            self._pairs.clear()
            self._answers.clear()
            self._texts = 0
        self._calls[print_] += 1
        self._pairs[print_, answer] += 1
        before, often = self._answers.get(name, ("", 0))
        silent = event.result.content == say("no_output")  # what a command did it need not say
        self._answers[name] = answer, 0 if silent else often + 1 if answer == before else 1
        self._look_for_circle(name, print_, answer)
        if not ok and self.failures == self.limits.max_failures - 2:
            self.warnings.append(("failures", {"count": self.failures}))

    def _reflect(self, effect: str, event: ToolFinished) -> None:
        """A check that fails after a change is a signal from outside to think; without one nobody is told to."""
        if effect == "write" and event.result.ok:
            self._unchecked = True
        elif effect == "execute" and event.failure == "failed" and self._unchecked:
            self._unchecked = False
            self.warnings.append(("reflect", {}))

    def _look_for_circle(self, name: str, print_: str, answer: str) -> None:
        pairs, answers, calls = self._pairs[print_, answer], self._answers[name][1], self._calls[print_]
        if pairs >= self.limits.max_same_results:
            self._circle = Stop("stalled", "same_result", f"{name} was called {pairs} times with the same answer")
        elif answers >= self.limits.max_same_answers:
            self._circle = Stop("stalled", "same_answer", f"{answers} calls of {name} in a row got the same answer")
        elif calls >= self.limits.max_same_calls:
            self._circle = Stop("stalled", "same_call", f"{name} was called {calls} times with the same arguments")
        elif pairs == self.limits.max_same_results - 1 or answers == self.limits.max_same_answers - 2:
            self.warnings.append(("circle", {"tool": name, "count": max(pairs, answers)}))
            self.barred.add(name)

    def stop(self) -> Stop | None:
        """The reason to end before the next request, None to go on."""
        limits = self.limits
        if self._circle is not None:
            return self._circle
        if self.failures >= limits.max_failures:
            return Stop("stalled", "failures", f"{self.failures} calls in a row failed")
        if self.invalid >= limits.max_invalid:
            return Stop("stalled", "invalid_calls", f"{self.invalid} replies in a row could not be read as a call")
        if self.unfinished >= limits.max_invalid:
            return Stop("stalled", "no_result", f"{self.unfinished} answers were no call of finish, as this task asks")
        for kind, used, ceiling, unit in self._budgets():
            if ceiling is not None and used >= ceiling:
                return _reached(kind, ceiling, unit)
        return None

    def seconds_left(self) -> float | None:
        """The wall time that is left, below 0 when it is over; None where there is no limit."""
        most = self.limits.max_seconds
        return None if most is None else most - (self.clock.monotonic() - self.started)

    def time_is_up(self) -> Stop:
        """The reason to end where the wall time ran out in the middle of a reply or a call."""
        return _reached("seconds", self.limits.max_seconds or 0.0, "seconds")

    def _budgets(self) -> tuple[tuple[str, float, float | None, str], ...]:
        seconds = self.clock.monotonic() - self.started
        return (
            ("steps", self.steps, self.limits.max_steps, "steps"),
            ("tokens", self.tokens, self.limits.max_tokens, "tokens"),
            ("usd", self.usd, self.limits.max_usd, "USD"),
            ("seconds", seconds, self.limits.max_seconds, "seconds"),
        )

    def take_warnings(self) -> list[tuple[str, dict[str, Any]]]:
        """The notes to put at the end of the history now; a budget that runs out is told once."""
        notes, self.warnings = self.warnings, []
        if self.limits.max_steps is not None and self.steps and self.steps == self.limits.max_steps - 1:
            return [*notes, ("last_step", {})]
        for kind, used, ceiling, unit in self._budgets():
            if ceiling is not None and not self._told_budget and used >= BUDGET_NOTE_AT * ceiling and kind != "steps":
                self._told_budget = True
                notes.append(("budget", {"left": f"{ceiling - used:.4g} of {ceiling:g} {unit}"}))
        return notes


def _reached(kind: str, ceiling: float, unit: str) -> Stop:
    return Stop("limit", f"max_{kind}", f"the limit of {ceiling:g} {unit} is reached")


def _print(call: ToolCall) -> str:
    return f"{call.name} {json.dumps(call.arguments, sort_keys=True, ensure_ascii=False)}"


def _apart(call: ToolCall, text: str) -> str:
    """An answer without what it quotes of the question: nothing matches 'a' and nothing matches 'b' say the same."""
    for value in call.arguments.values():
        text = text.replace(repr(value), "") if isinstance(value, str) else text
    return text


def _digest(text: str) -> str:
    return hashlib.blake2b(" ".join(text.split()).encode("utf-8", "replace"), digest_size=8).hexdigest()
