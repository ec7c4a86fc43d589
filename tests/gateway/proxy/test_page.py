"""/journal: what a person sees of the record, and what the page may not do."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from html.parser import HTMLParser
from typing import Any

import pytest

from gateway.config import Config
from gateway.policy import Policy
from gateway.proxy.page import render
from tests.gateway.proxy.conftest import CHAT, MAIL, House, chat, client_of

NONE: dict[str, Any] = {
    "requests": 0, "sent": 0, "masked": {}, "passed": {}, "blocked": {}, "by_client": {}, "by_model": {},
    "by_upstream": {}, "by_outcome": {}, "by_day": {}, "masked_by_day": {}, "input_tokens": 0, "output_tokens": 0,
    "cost_usd": 0.0, "seconds": {},
}  # fmt: skip
NOW = datetime(2026, 11, 30, tzinfo=UTC)


class Read(HTMLParser):
    """The tags, and the text outside of the style."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.text = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        assert not any(name.startswith("on") or name in ("src", "href", "style") for name, _ in attrs)
        if tag not in ("meta", "rect"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in ("meta", "rect"):
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.text += data + " "


def test_an_empty_record_is_a_page_too() -> None:
    page = Read(render(NONE, NOW))
    assert "No request yet" in page.text
    assert not page.open


def test_names_are_escaped_and_long_lists_are_cut() -> None:
    models = {f"<script>{n}</script>": 100 - n for n in range(30)}
    page = Read(render({**NONE, "by_model": models, "by_day": {"2026-11-29": 2, "2026-11-30": 0}}, NOW))
    assert "script" not in page.tags
    assert page.text.count("<script>") == 20
    assert "all others" in page.text
    assert not page.open


async def test_the_page_shows_what_happened_and_no_value(house: House) -> None:
    up = await house.upstream("up")
    policy = Policy(actions={"SECRET": "block"})
    gateway = await house.gateway(Config(upstreams=(up,), policy=policy, clients=(client_of("ci", "k1"),)))
    key = {"x-api-key": "k1"}
    await gateway.post(CHAT, json=chat(), headers=key)
    await gateway.post(CHAT, json=chat("sk-abcdefgh12345678"), headers=key)
    await house.closed(2)
    reply = await gateway.get("/journal")
    page = Read(reply.text)
    for word in ("EMAIL_ADDRESS", "SECRET", "gpt-9", "ci", "done", "blocked", "up"):
        assert f" {word} " in f" {page.text} "
    assert MAIL not in reply.text
    assert "abcdefgh" not in reply.text
    policy_of_content = reply.headers["content-security-policy"]
    assert "default-src 'none'" in policy_of_content
    assert "unsafe" not in policy_of_content
    assert not re.search(r"https?://", reply.text)


@pytest.mark.parametrize(("headers", "status"), [({}, 401), ({"authorization": "Bearer k1"}, 200)])
async def test_from_elsewhere_a_key_is_needed(house: House, headers: dict[str, str], status: int) -> None:
    gateway = await house.gateway(Config(clients=(client_of("ci", "k1"),)))
    far = {"x-forwarded-for": "203.0.113.9", **headers}
    assert (await gateway.get("/journal", headers=far)).status_code == status
    assert (await gateway.post("/journal", headers=far)).status_code in (404, 405)
