"""The llama_cpp backend as the app sees it: a Model whose work is done by a process that may die."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from typing import Any

from localagent.calling.grammar import lark_of
from localagent.errors import ContextOverflowError, ModelError, ModelUnavailableError
from localagent.messages import Message, ToolSpec, Usage
from localagent.models.llama_cpp import gguf
from localagent.models.llama_cpp.frames import Frame
from localagent.models.llama_cpp.process import WorkerProcess
from localagent.models.llama_cpp.settings import LlamaCppSettings
from localagent.ports import Capabilities, Delta, Finish, Progress, Request, TextDelta

_FORMED_BELOW = 0.3  # billions of parameters; smaller models do not begin a form that they were only shown
_THINKING = ("<think>", "enable_thinking", "reasoning_content", "[THINK]", "<|channel")


class LlamaCppModel:
    """A GGUF file that answers. The worker starts with the first request and is replaced when it dies."""

    def __init__(self, entry_name: str, settings: LlamaCppSettings) -> None:
        self._name = entry_name
        self._settings = settings
        self._process = WorkerProcess(entry_name, settings)
        self._turn = asyncio.Lock()
        self._capabilities: Capabilities | None = None
        self._refused: set[str] = set()  # grammars that do not compile and were told about

    @property
    def name(self) -> str:
        return self._name

    async def capabilities(self) -> Capabilities:
        """Read from the head of the file; nothing is loaded for it."""
        if self._capabilities is None:
            self._capabilities = await asyncio.to_thread(self._read_capabilities)
        return self._capabilities

    async def reply(self, request: Request) -> AsyncIterator[Delta]:
        """Yields deltas and one Finish; closing it cancels within one token, also while the prompt is read."""
        start, first = time.monotonic(), None
        async with self._turn:
            async for progress in self._process.ready():
                yield progress
            await self.capabilities()
            asked = self._reply_frame(request)
            async with self._process.ask(asked) as answers:
                async for frame in answers:
                    if frame["ev"] == "cancelled":
                        raise await self._told_to_end()
                    if frame["ev"] == "grammar_refused":
                        self._refused.add(asked["grammar"])
                    if frame["ev"] == "text" and first is None:
                        first = time.monotonic() - start
                    delta = self._delta(frame, first)
                    if delta is not None:
                        yield delta

    async def count(self, request: Request) -> int | None:
        """Exact; loads the model if need be."""
        async with self._turn:
            async for _ in self._process.ready():
                pass
            frame = {"op": "count", **_conversation(request)}
            async with self._process.ask(frame) as answers:
                async for answer in answers:
                    if answer["ev"] == "counted":
                        return int(answer["tokens"])
                    self._delta(answer, None)
        return None

    async def close(self) -> None:
        """Ends the worker; it saves the state of its session first."""
        await self._process.close()

    async def _told_to_end(self) -> ModelUnavailableError:
        """A reply was cancelled that is still read here: somebody else ended the process."""
        await self._process.close()
        return ModelUnavailableError(
            f"the process of {self._name} was told to end by another program; the next request starts a fresh one"
        )

    def _reply_frame(self, request: Request) -> Frame:
        grammar = None
        if request.constraint and self._settings.grammar:
            size = self._capabilities.parameters if self._capabilities else None
            grammar = lark_of(request.constraint, formed=size is not None and size < _FORMED_BELOW)
        return {
            "op": "reply",
            "max_tokens": request.max_tokens,
            "session": request.session,
            "grammar": grammar if grammar not in self._refused else None,
            **_conversation(request),
        }

    def _delta(self, frame: Frame, first: float | None) -> Delta | None:
        match frame["ev"]:
            case "text":
                return TextDelta(frame["text"])
            case "progress":
                return Progress(frame["phase"], frame["done"], frame["total"])
            case "finish":
                usage = Usage(frame["input"], frame["output"], frame["evaluated"])
                return Finish(frame["reason"], usage, first, frame["speed"])
            case "grammar_refused":
                return Progress("writing", note=f"this reply is not held to its schema: {frame['text']}")
            case "error":
                raise self._error(frame)
        return None

    def _error(self, frame: Frame) -> ModelError:
        kind, text = frame["kind"], frame["text"]
        if kind == "Overflow":
            needed, window = frame["needed"], frame["window"]
            return ContextOverflowError(
                f"the conversation takes {needed} tokens, the window of {self._name} holds {window}: condense it, or "
                f"raise `context` in its entry",
                needed=needed,
                window=window,
            )
        if kind == "TemplateProblem":
            return ModelError(f"the chat template of {self._name} refuses this conversation: {text}")
        return ModelError(f"{self._name} could not answer: {kind}: {text}")

    def _read_capabilities(self) -> Capabilities:
        file = self._settings.file
        try:
            header = gguf.read_header(file)
        except OSError as error:
            raise ModelUnavailableError(f"{self._name}: {file} cannot be read ({error.strerror})") from None
        except gguf.NotGgufError as error:
            raise ModelError(f"{self._name}: {error}; fetch it again") from None
        template = header.template or ""
        return Capabilities(
            context=served(self._settings.context, header.trained_context),
            context_source="models.toml and the file's training length",
            native_tools="tools" in template,
            thinking=any(mark in template for mark in _THINKING),
            images=False,
            grammar=self._settings.grammar,
            parameters=round(header.parameters / 1e9, 3),
            template=header.template,
            loaded=self._process.loaded,
        )


def served(wanted: int, trained: int | None) -> int:
    """The window that the worker opens; the same sum as in engine.served_context, without llama.cpp."""
    rounded = -(-wanted // 256) * 256
    return min(rounded, trained // 256 * 256) if trained and trained >= 256 else rounded


def _conversation(request: Request) -> Frame:
    messages = [wire for message in request.messages for wire in _wire(message)]
    return {"messages": messages, "tools": [_tool(spec) for spec in request.tools]}


def _wire(message: Message) -> list[dict[str, Any]]:
    """The form that chat templates read; each result is a message of its own there."""
    if message.results:
        return [
            {"role": "tool", "content": r.content, "name": r.name, "tool_call_id": r.call_id} for r in message.results
        ]
    wire: dict[str, Any] = {"role": message.role, "content": message.content}
    if message.thinking:
        wire["reasoning_content"] = message.thinking
    if message.calls:
        wire["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for call in message.calls
        ]
    return [wire]


def _tool(spec: ToolSpec) -> dict[str, Any]:
    function = {"name": spec.name, "description": spec.description, "parameters": spec.parameters}
    return {"type": "function", "function": function}
