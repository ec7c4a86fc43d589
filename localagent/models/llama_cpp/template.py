"""Messages → prompt text, by the chat template that the GGUF carries.

The environment is the one that transformers and llama-cpp-python give to templates: sandboxed, blocks trimmed,
`tojson` without escapes. A template that knows no system message gets it in front of the first user message.
"""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from localagent.models.llama_cpp.prompt import Prompt, Span

TRANSCRIPT = (
    "{{ bos_token }}{% for message in messages %}"
    "{% if message.role == 'user' and not message.content.startswith('Observation') %}"
    "{{ ('' if loop.first else '\n\n') + 'User: ' }}{% elif message.role == 'user' %}{{ '\n' }}{% endif %}"
    "{{ message.content }}{% if message.role == 'user' %}{{ '\n' }}{% endif %}{% endfor %}"
)
"""For a model that carries no template, which was never taught turns: it goes on writing as the prompt's examples are
written. The last request is a prefix of the next one."""
NEXT_TURN = "\nUser:"
_SECRET = secrets.token_hex(8)  # nobody who writes a text can write the marks
_OPEN, _CLOSE = f"\ue000{_SECRET}", f"\ue001{_SECRET}"  # around text that must not be read as the template's markers
_MARKED = re.compile(f"{_OPEN}(.*?){_CLOSE}", re.DOTALL)
WireMessage = dict[str, Any]


class TemplateProblem(Exception):
    """The model's chat template refuses these messages; the text is its own."""


class Template:
    """A compiled chat template. `specials` are the texts of control tokens, which messages must not smuggle in.

    `ends` is the text with which the model would begin to speak for the person."""

    def __init__(
        self,
        source: str | None,
        *,
        bos: str = "",
        eos: str = "",
        specials: Sequence[str] = (),
        think: bool | None = None,
    ) -> None:
        self.source = source or TRANSCRIPT
        self.ends = "" if source else NEXT_TURN
        self.knows_tools = "tools" in self.source
        self._globals: dict[str, Any] = {"bos_token": bos, "eos_token": eos}
        if think is not None:
            self._globals["enable_thinking"] = think
        self._specials, self._eos = _one_of(specials), _one_of((eos,))
        self._compiled = _environment().from_string(self.source)

    def render(self, messages: Sequence[WireMessage], tools: Sequence[WireMessage] = ()) -> Prompt:
        """The prompt that ends where the reply begins. Raises TemplateProblem."""
        wire = tidy([self._guarded(m) for m in messages], knows_tools=self.knows_tools)
        tools = [self._plain(tool) for tool in tools]
        problem = ""
        for variant in (wire, fold_system(wire)):
            for clock in ({}, {"strftime_now": _now}):
                try:
                    return _spans(self._rendered(variant, tools, clock))
                except _template_errors() as error:
                    problem = problem or str(error)
        raise TemplateProblem(problem)

    def _rendered(self, messages: Sequence[WireMessage], tools: Sequence[WireMessage], clock: dict[str, Any]) -> str:
        text: str = self._compiled.render(
            messages=messages,
            tools=list(tools) or None,
            add_generation_prompt=True,
            raise_exception=_refuse,
            **self._globals,
            **clock,  # only for a template that insists: a date would change the prefix every day
        )
        return text

    def _guarded(self, message: WireMessage) -> WireMessage:
        if message["role"] == "assistant":  # its other control tokens may be its own; its end it cannot have written
            calls = {"tool_calls": self._plain(message["tool_calls"])} if message.get("tool_calls") else {}
            message, guarded = {**message, **calls}, self._eos.sub(_mark, message["content"])
        elif message["role"] in ("user", "tool"):
            guarded = self._specials.sub(_mark, message["content"])
        else:
            return message
        return {**message, "content": guarded}

    def _plain(self, value: Any) -> Any:
        """A value of a call or of a tool's description, in which no string is a control token."""
        if isinstance(value, dict):
            return {key: self._plain(part) for key, part in value.items()}
        if isinstance(value, list | tuple):
            return [self._plain(part) for part in value]
        return self._specials.sub(_mark, value) if isinstance(value, str) else value


def _mark(found: re.Match[str]) -> str:
    return _OPEN + found[0] + _CLOSE


def _one_of(texts: Sequence[str]) -> re.Pattern[str]:
    return re.compile("|".join(map(re.escape, sorted(filter(None, texts), key=len, reverse=True))) or r"(?!)")


def tidy(messages: Sequence[WireMessage], *, knows_tools: bool = True) -> list[WireMessage]:
    """One system message in front, no two neighbours of one role; results as user text for an older template."""
    system = [m["content"] for m in messages if m["role"] == "system" and m["content"]]
    tidied: list[WireMessage] = [{"role": "system", "content": "\n\n".join(system)}] if system else []
    for message in messages:
        if message["role"] == "system":
            continue
        current = message if knows_tools else _as_text(message)
        if tidied and _joins(tidied[-1], current):
            tidied[-1] = {**tidied[-1], "content": f"{tidied[-1]['content']}\n\n{current['content']}"}
        else:
            tidied.append(dict(current))
    return tidied


def fold_system(messages: Sequence[WireMessage]) -> list[WireMessage]:
    """The system text in front of the first user message, for templates that have no system role."""
    if not messages or messages[0]["role"] != "system":
        return list(messages)
    system, rest = messages[0]["content"], list(messages[1:])
    if rest and rest[0]["role"] == "user":
        return [{**rest[0], "content": f"{system}\n\n{rest[0]['content']}"}, *rest[1:]]
    return [{"role": "user", "content": system}, *rest]


def _joins(before: WireMessage, after: WireMessage) -> bool:
    same = before["role"] == after["role"] and before["role"] != "tool"
    return same and not before.get("tool_calls") and not after.get("tool_calls")


def _as_text(message: WireMessage) -> WireMessage:
    if message["role"] == "tool":
        return {"role": "user", "content": message["content"]}
    calls = message.get("tool_calls", ())
    if not calls:
        return message
    written = [json.dumps(call["function"], ensure_ascii=False) for call in calls]
    return {"role": message["role"], "content": "\n".join([*filter(None, [message["content"]]), *written])}


def _spans(text: str) -> Prompt:
    pieces = _MARKED.split(text)
    return Prompt(tuple(Span(piece, plain=bool(n % 2)) for n, piece in enumerate(pieces) if piece))


def _environment() -> Any:
    from jinja2 import BaseLoader, nodes
    from jinja2.ext import Extension, loopcontrols
    from jinja2.parser import Parser
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    class GenerationTag(Extension):
        """`{% generation %}` marks the assistant's text for training; here its body is all that counts."""

        tags = {"generation"}  # noqa: RUF012 (as jinja2 declares it)

        def parse(self, parser: Parser) -> list[nodes.Node]:
            parser.stream.skip(1)
            return parser.parse_statements(("name:endgeneration",), drop_needle=True)

    environment = ImmutableSandboxedEnvironment(
        loader=BaseLoader(), trim_blocks=True, lstrip_blocks=True, extensions=[GenerationTag, loopcontrols]
    )
    environment.filters["tojson"] = _to_json
    return environment


def _to_json(value: Any, indent: int | None = None, **options: Any) -> str:
    return json.dumps(value, indent=indent, **{"ensure_ascii": False, **options})


def _template_errors() -> tuple[type[Exception], ...]:
    from jinja2 import TemplateError

    return (TemplateError, TypeError, ValueError)


def _refuse(message: str) -> None:
    raise ValueError(message)


def _now(pattern: str) -> str:
    return datetime.now().strftime(pattern)
