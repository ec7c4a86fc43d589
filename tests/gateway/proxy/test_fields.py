"""For every field that can hold text: a planted value does not arrive upstream, and comes back where it is echoed.

`docs/gateway-fields.md` is what this test saw. Write it anew with: python -m tests.gateway.proxy.test_fields
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

import anthropic
import openai

from tests.fakes.detector import FakeDetector
from tests.fakes.gateway_server import Served, serving
from tests.fakes.http_server import Answer, Asked
from tests.fakes.transcripts import chat_reply, message_reply, response_reply, said
from tests.gateway.proxy.fields import VALUE, Field, all_fields
from tests.gateway.proxy.reply_fields import MARK, ReplyField, all_reply_fields

PAGE = Path(__file__).parents[3] / "docs" / "gateway-fields.md"
_TITLES = {
    "chat": "POST /v1/chat/completions",
    "responses": "POST /v1/responses",
    "messages": "POST /v1/messages",
    "embeddings": "POST /v1/embeddings",
}
_HEAD = """# What happens to every field

This page is written by `tests/gateway/proxy/test_fields.py`: each row was seen with the official SDKs, a real server
and a recording upstream. A value was planted in the field and nowhere else, and was searched in the bytes that arrived.

- **masked**: a placeholder arrived, and the reply that named it came back with the value
- **masked, bare**: the same without brackets, since providers take only letters, digits, `_` and `-` here
- **left out**: the block that held it was not sent, since a provider has signed it and it cannot be changed
- **refused**: nothing arrived; the client got this status

Fields that are not named here are read as well: every string, every key and every long number of a body is.
"""
_REPLIES = """## What comes back

A placeholder stood in the field of a whole reply, and was searched in what the SDK read. Streams give the same, which
`tests/gateway/proxy/test_stream.py` shows for any cut between any bytes.

- **restored**: the value
- **as it is**: signed or encrypted by the provider; restored, it would be no longer what was signed
- **left out**: tokens spell a placeholder in pieces, so that they fit no restored text
"""
_NOTES = """## Notes

- In prose a Russian name comes back in the case that the sentence asks for. In arguments, inputs and names of tools a
  value comes back as it was, escaped by where it stands.
- A signed thought (`thinking`, `redacted_thinking`, `encrypted_content`) is not changed in either direction: the client
  sees placeholders in it, and the provider gets it back byte for byte. It is searched on its way out; if it holds
  anything that would be masked it is not sent, and the record counts it as `left_out`.
- When a model is asked for JSON (`response_format`, `text.format`, `output_config.format`), an answer that begins like
  JSON is restored as JSON.
- `logprobs` are left out of a reply only if the request held values. Offsets of citations (`start_index`,
  `start_char_index`) count the characters of the masked text.
- Pictures, documents and sounds cannot be masked: they are refused, or pass unread with `[policy] images = "pass"`.
  Only base64 passes so: a document of text and an address are masked like any text, and so is base64 that unpacks to
  text (a table, an SVG).
- Earlier turns that the provider keeps (`previous_response_id`, `conversation`, `item_reference`) cannot be seen here.
  Such a request numbers its values from a drawn number on, so that no placeholder ever stands for two values; those of
  earlier turns come back as they are. Clients that send the whole history get all of them restored.
- Protocols are not translated: an OpenAI client needs an upstream that speaks OpenAI's protocol, an Anthropic client
  one that speaks Anthropic's.
"""
_PLACEHOLDER = re.compile(rb"PERSON_\d+")


async def echo(asked: Asked, answer: Answer) -> None:
    """An upstream that names the placeholder it got."""
    seen = _PLACEHOLDER.search(asked.body)
    echoed = f"I saw <{seen[0].decode()}>" if seen else "I saw nothing"
    if asked.path.endswith("/embeddings"):
        data = [{"object": "embedding", "index": 0, "embedding": [0.5]}]
        await answer.whole(
            {"object": "list", "model": "m", "data": data, "usage": {"prompt_tokens": 1, "total_tokens": 1}}
        )
    elif asked.path.endswith("/responses"):
        await answer.whole(response_reply(said(echoed)))
    elif asked.path.endswith("/messages"):
        await answer.whole(message_reply({"type": "text", "text": echoed}))
    else:
        await answer.whole(chat_reply({"content": echoed}))


class Clients:
    """The official SDKs, pointed at the gateway."""

    def __init__(self, url: str) -> None:
        self.openai = openai.AsyncOpenAI(base_url=f"{url}/v1", api_key="k", max_retries=0)
        self.anthropic = anthropic.AsyncAnthropic(base_url=url, api_key="k", max_retries=0)

    async def ask(self, field: Field) -> str:
        """All texts of the reply as JSON; the SDK's error if it was refused."""
        known, rest = _for_sdk(field)
        if field.route == "chat":
            reply: Any = await self.openai.chat.completions.create(**known, extra_body=rest)
        elif field.route == "responses":
            reply = await self.openai.responses.create(**known, extra_body=rest)
        elif field.route == "embeddings":
            reply = await self.openai.embeddings.create(**known, extra_body=rest)
        else:
            reply = await self.anthropic.messages.create(**known, extra_body=rest)
        return str(reply.model_dump_json())

    async def close(self) -> None:
        await self.openai.close()
        await self.anthropic.close()


def _for_sdk(field: Field) -> tuple[dict[str, Any], dict[str, Any]]:
    """The body as arguments of the SDK's method, and what no such argument is for."""
    needed = ("model", "messages", "input", "max_tokens")
    known = {key: value for key, value in field.body.items() if key in needed}
    return known, {key: value for key, value in field.body.items() if key not in needed}


async def verdict(field: Field, served: Served, clients: Clients) -> str:
    """What happened to the value; AssertionError if it arrived or did not come back."""
    seen = len(served.asked)
    try:
        reply = await clients.ask(field)
    except (openai.APIStatusError, anthropic.APIStatusError) as error:
        refused = error.response
    else:
        refused = None
    if refused is not None:
        assert len(served.asked) == seen, field
        assert VALUE not in refused.text, field
        return f"refused, {refused.status_code}"
    body = served.asked[-1].body
    assert VALUE.lower() not in body.decode().lower(), field
    assert b"daVance" not in body, field
    seen = _PLACEHOLDER.search(body)
    if seen is None:
        return "left out"
    if field.route != "embeddings":
        assert f"I saw {VALUE}" in reply, field
    return "masked" if b"<%s>" % seen[0] in body else "masked, bare"


async def verdicts(folder: Path) -> list[tuple[Field, str]]:
    """All fields, one after the other."""
    detector = FakeDetector(VALUE)
    async with serving(echo, folder, detector) as served:
        clients = Clients(served.url)
        result = [(field, await verdict(field, served, clients)) for field in all_fields()]
        await clients.close()
        assert VALUE.encode() not in served.everything_written()
        assert len(served.rows("gateway_request")) == len(served.asked)
    return result


async def reply_verdicts(folder: Path) -> list[tuple[ReplyField, str]]:
    """The same for the fields of replies."""
    fields = iter(all_reply_fields())
    current = next(fields)

    async def answer(_: Asked, answer: Answer) -> None:
        await answer.whole(current.reply)

    rows: list[tuple[ReplyField, str]] = []
    async with serving(answer, folder, FakeDetector(VALUE)) as served:
        clients = Clients(served.url)
        while True:
            body = {"model": "m", "input": VALUE} if current.route == "responses" else _asking(VALUE)
            rows.append((current, _reply_verdict(current, await clients.ask(Field(current.route, "", body)))))
            if (following := next(fields, None)) is None:
                break
            current = following
        await clients.close()
    return rows


def _asking(text: str) -> dict[str, Any]:
    return {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": text}]}


def _reply_verdict(field: ReplyField, reply: str) -> str:
    if MARK in reply:
        assert VALUE not in reply, field
        return "as it is"
    if VALUE not in reply:
        return "left out"
    assert "PERSON_1" not in reply, field
    return "restored"


def page(rows: list[tuple[Field, str]], replies: list[tuple[ReplyField, str]]) -> str:
    """The document."""
    parts = [_HEAD]
    for route, title in _TITLES.items():
        lines = [f"| `{field.name}` | {what} |" for field, what in rows if field.route == route]
        parts.append("\n".join([f"## {title}\n", "| field | a value in it |", "| --- | --- |", *lines]) + "\n")
    parts.append(_REPLIES)
    for route in ("chat", "responses", "messages"):
        lines = [f"| `{field.name}` | {what} |" for field, what in replies if field.route == route]
        head = f"### {_TITLES[route]}\n"
        parts.append("\n".join([head, "| field | a placeholder in it |", "| --- | --- |", *lines]) + "\n")
    return "\n".join([*parts, _NOTES])


async def test_no_value_arrives_from_any_field_and_the_page_says_so(tmp_path: Path) -> None:
    (tmp_path / "replies").mkdir()
    rows, replies = await verdicts(tmp_path), await reply_verdicts(tmp_path / "replies")
    assert page(rows, replies) == PAGE.read_text("utf-8")


def test_every_planted_value_stands_in_its_body_once() -> None:
    for field in all_fields():
        text = json.dumps(field.body).replace("\\\\\\\\u0041", "A")
        assert text.count(VALUE) == 1 or "tokens" in field.name, field


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as first, tempfile.TemporaryDirectory() as second:
        text = page(asyncio.run(verdicts(Path(first))), asyncio.run(reply_verdicts(Path(second))))
        PAGE.write_text(text, "utf-8")
    sys.stdout.write(f"{PAGE}\n")
