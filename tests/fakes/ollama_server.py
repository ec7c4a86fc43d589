"""Ollama's API in front of an OpenAI-compatible server, written from its published description.

What users meet is kept: the window is `num_ctx` (4096 without it), a longer prompt loses its oldest messages in
silence, another `num_ctx` reloads the model, and tool calls come whole before `done`.
"""

from __future__ import annotations

import json
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

import httpx

from tests.fakes.http_server import Answer, Asked, HttpServer

NOW = "2026-01-01T00:00:00Z"


@dataclass(slots=True)
class Ollama:
    """The server's state. `models` maps names to what `/api/show` says of them."""

    upstream: str
    models: dict[str, dict[str, Any]] = field(default_factory=lambda: {"qwen:0.5b": show("completion", "tools")})
    loaded: dict[str, int] = field(default_factory=dict)  # model → num_ctx
    loads: int = 0
    served: int | None = None  # a smaller window than num_ctx, as a server short of memory serves
    pulls: int = 0

    def server(self) -> HttpServer:
        return HttpServer(self.handle)

    async def handle(self, asked: Asked, answer: Answer) -> None:
        route = asked.path.removeprefix("/api/")
        body = asked.json if asked.body else {}
        if route in ("chat", "generate"):
            await self._reply(body, answer, chat=route == "chat")
        elif route == "pull":
            await self._pull(body, answer)
        else:
            await self._plain(route, body, answer)

    async def _plain(self, route: str, body: dict[str, Any], answer: Answer) -> None:
        if route in ("show", "embed") and body.get("model") not in self.models:
            await self._missing(body, answer)
        elif route == "show":
            await answer.whole(self.models[body["model"]])
        elif route == "embed":
            texts = body["input"] if isinstance(body["input"], list) else [body["input"]]
            await answer.whole({"model": body["model"], "embeddings": [[float(len(text)), 1.0] for text in texts]})
        elif route == "tags":
            await answer.whole({"models": [{"name": name, "model": name, "modified_at": NOW} for name in self.models]})
        elif route == "version":
            await answer.whole({"version": "0.12.0"})
        elif route == "ps":
            rows = [
                {"name": name, "model": name, "context_length": n, "expires_at": NOW} for name, n in self.loaded.items()
            ]
            await answer.whole({"models": rows})
        else:
            await answer.whole("404 page not found", 404, "text/plain")

    async def _missing(self, body: dict[str, Any], answer: Answer) -> None:
        await answer.whole({"error": f"model '{body.get('model')}' not found"}, 404)

    async def _pull(self, body: dict[str, Any], answer: Answer) -> None:
        name = body["model"]
        if name.startswith("nothing"):
            await answer.whole({"error": "pull model manifest: file does not exist"}, 500)
            return
        await answer.start("application/x-ndjson")
        for row in ({"status": "pulling manifest"}, *_layers(1000), {"status": "success"}):
            await answer.chunk(json.dumps(row) + "\n")
        await answer.end()
        self.pulls += 1
        self.models[name] = show("completion")

    async def _reply(self, body: dict[str, Any], answer: Answer, *, chat: bool) -> None:
        if body["model"] not in self.models:
            await self._missing(body, answer)
        elif body.get("tools") and "tools" not in self.models[body["model"]]["capabilities"]:
            text = f"registry.ollama.ai/library/{body['model']} does not support tools"
            await answer.whole({"error": text}, 400)
        elif body.get("stream", True):
            await answer.start("application/x-ndjson")
            async for row in self._rows(body, chat=chat):
                await answer.chunk(json.dumps(row) + "\n")
            await answer.end()
        else:
            await answer.whole(_joined([row async for row in self._rows(body, chat=chat)], chat=chat))

    async def _rows(self, body: dict[str, Any], *, chat: bool) -> AsyncIterator[dict[str, Any]]:
        began = time.monotonic_ns()
        window = self._load(body)
        messages = body["messages"] if chat else [{"role": "user", "content": body["prompt"]}]
        kept, count = _fitting(messages, window)
        calls: dict[int, list[str]] = {}
        usage: dict[str, Any] = {}
        reason = "stop"
        async for chunk in _upstream(self.upstream, _openai(body, kept)):
            usage = chunk.get("usage") or usage
            for choice in chunk.get("choices", ()):
                reason = choice.get("finish_reason") or reason
                delta = choice["delta"]
                _collect(calls, delta.get("tool_calls") or ())
                message = {"content": delta.get("content") or "", "thinking": delta.get("reasoning_content") or ""}
                if any(message.values()):
                    yield _row(body, message, chat=chat)
        if calls:
            whole = [{"function": {"name": n, "arguments": json.loads(a or "{}")}} for n, a in calls.values()]
            yield _row(body, {"content": "", "tool_calls": whole}, chat=chat)
        evaluated = count if len(kept) < len(messages) else usage.get("prompt_tokens", count)
        yield _row(body, {"content": ""}, chat=chat) | _done(
            reason, evaluated, usage.get("completion_tokens", 0), began
        )

    def _load(self, body: dict[str, Any]) -> int:
        wanted = (body.get("options") or {}).get("num_ctx", 4096)
        served = min(wanted, self.served or wanted)
        if self.loaded.get(body["model"]) != served:
            self.loads += 1
        self.loaded[body["model"]] = served
        return served


def show(*capabilities: str, context: int = 32768) -> dict[str, Any]:
    """What `/api/show` says of a model."""
    return {
        "template": "{{ .Prompt }}",
        "details": {"format": "gguf", "family": "qwen2", "parameter_size": "494.03M"},
        "model_info": {"general.architecture": "qwen2", "qwen2.context_length": context},
        "capabilities": list(capabilities),
    }


def _layers(total: int) -> list[dict[str, Any]]:
    return [{"status": "pulling abc", "digest": "sha256:abc", "total": total, "completed": n} for n in (0, 500, total)]


def _tokens(message: dict[str, Any]) -> int:
    return len(str(message.get("content", ""))) // 4 + 4


def _fitting(messages: list[dict[str, Any]], window: int) -> tuple[list[dict[str, Any]], int]:
    """The system messages, the newest message, and of the others the newest that fit; with their token count."""
    if sum(map(_tokens, messages)) <= window:
        return messages, sum(map(_tokens, messages))
    kept = [m for m in messages[:-1] if m["role"] == "system"] + messages[-1:]
    total = sum(map(_tokens, kept))
    if total > window:  # one message alone is too long: half of the window stays of it
        half = {**messages[-1], "content": messages[-1]["content"][-window * 2 :]}
        return [half], _tokens(half)
    return kept, total


def _openai(body: dict[str, Any], messages: list[dict[str, Any]]) -> dict[str, Any]:
    options = body.get("options") or {}
    wanted: dict[str, Any] = {"messages": _openai_messages(messages), "stream": True}
    wanted |= {"stream_options": {"include_usage": True}, "max_tokens": options.get("num_predict", 128)}
    wanted |= {key: options[key] for key in ("temperature", "top_p", "top_k", "seed") if key in options}
    if body.get("tools"):
        wanted["tools"] = body["tools"]
    if isinstance(body.get("format"), dict):
        wanted["response_format"] = {"type": "json_schema", "json_schema": {"name": "f", "schema": body["format"]}}
    elif body.get("format") == "json":
        wanted["response_format"] = {"type": "json_object"}
    return wanted


def _openai_messages(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    rows = []
    for message in messages:
        row = {"role": message["role"], "content": message.get("content") or ""}
        if calls := message.get("tool_calls"):
            functions = [c["function"] for c in calls]
            row["tool_calls"] = [
                {
                    "id": f"c{n}",
                    "type": "function",
                    "function": {"name": f["name"], "arguments": json.dumps(f["arguments"])},
                }
                for n, f in enumerate(functions)
            ]
        if message["role"] == "tool":
            row["tool_call_id"] = "c0"
        rows.append(row)
    return rows


async def _upstream(url: str, body: dict[str, Any]) -> AsyncIterator[dict[str, Any]]:
    async with (
        httpx.AsyncClient(timeout=None, trust_env=False) as client,
        client.stream("POST", f"{url}/v1/chat/completions", json=body) as response,
    ):
        if response.status_code >= 400:
            yield {"choices": [{"delta": {"content": (await response.aread()).decode()}, "finish_reason": "stop"}]}
            return
        async for line in response.aiter_lines():
            if line.startswith("data: {"):
                yield json.loads(line[6:])


def _collect(calls: dict[int, list[str]], pieces: Any) -> None:
    for piece in pieces:
        entry = calls.setdefault(piece["index"], ["", ""])
        entry[0] += piece["function"].get("name") or ""
        entry[1] += piece["function"].get("arguments") or ""


def _row(body: dict[str, Any], message: dict[str, Any], *, chat: bool) -> dict[str, Any]:
    said = {key: value for key, value in message.items() if value or key == "content"}
    shown = {"message": {"role": "assistant", **said}} if chat else {"response": said["content"]}
    return {"model": body["model"], "created_at": NOW, "done": False, **shown}


def _done(reason: str, prompt: int, completion: int, began: int) -> dict[str, Any]:
    nanoseconds = time.monotonic_ns() - began
    counts = {"prompt_eval_count": prompt, "eval_count": completion}
    times = {"total_duration": nanoseconds, "load_duration": 1, "prompt_eval_duration": 1, "eval_duration": nanoseconds}
    return {"done": True, "done_reason": "length" if reason == "length" else "stop", **counts, **times}


def _joined(rows: list[dict[str, Any]], *, chat: bool) -> dict[str, Any]:
    last = dict(rows[-1])
    if not chat:
        return last | {"response": "".join(row["response"] for row in rows)}
    message: dict[str, Any] = {"role": "assistant", "content": "".join(row["message"]["content"] for row in rows)}
    if calls := [call for row in rows for call in row["message"].get("tool_calls", ())]:
        message["tool_calls"] = calls
    if thinking := "".join(row["message"].get("thinking", "") for row in rows):
        message["thinking"] = thinking
    return last | {"message": message}


__all__ = ["Ollama", "show"]
