"""The proxy as a service, over sockets: who is let in, what is recorded, counted and refused, who answers."""

from __future__ import annotations

import asyncio
import json
import re
import sqlite3
import threading
from itertools import pairwise
from pathlib import Path
from typing import Any

import httpx
import pytest

from gateway.config import Config, Limits, Price
from gateway.detect.entity import Entity
from gateway.errors import LedgerWriteError
from gateway.ledger import Ledger
from gateway.policy import Policy
from gateway.proxy.record import Recorder
from tests.fakes import transcripts
from tests.fakes.detector import FakeDetector
from tests.fakes.http_server import Answer, Asked
from tests.fakes.transcripts import chat_reply, message_reply, response_reply, said, sse
from tests.gateway.proxy.conftest import CHAT, MAIL, House, chat, client_of, say

CARD = "4111 1111 1111 1111"
SAID = "to <EMAIL_ADDRESS_1>, as was asked. " * 3
STREAMS = {
    CHAT: sse(transcripts.chat(chat_reply({"content": SAID}), list), named=False, done=True),
    "/v1/messages": sse(transcripts.messages(message_reply({"type": "text", "text": SAID}), list)),
    "/v1/responses": sse(transcripts.responses(response_reply(said(SAID)), list)),
}
LOCAL = Policy(actions={"CREDIT_CARD": "local", "SECRET": "block"})


async def test_what_the_policy_keeps_in_the_house_is_answered_by_the_local_model(house: House) -> None:
    cloud = await house.upstream("cloud", models=("gpt-*",))
    home = await house.upstream("home", models=("none",), local=True, model="qwen")
    gateway = await house.gateway(Config(upstreams=(cloud, home), policy=LOCAL))
    kept = await gateway.post(CHAT, json=chat(f"{MAIL} pays with {CARD}"))
    free = await gateway.post(CHAT, json=chat())
    assert (kept.status_code, free.status_code) == (200, 200)
    assert kept.json()["choices"][0]["message"]["content"] == f"to {MAIL}"
    at_cloud, at_home = house.upstreams[0].asked, house.upstreams[1].asked
    assert [asked.json["model"] for asked in at_cloud] == ["gpt-9"]
    assert [asked.json["model"] for asked in at_home] == ["qwen"]
    assert b"4111" not in at_cloud[0].body
    first, second = house.rows("gateway_request")
    assert (first["upstream"], first["local"], first["decisions"]["CREDIT_CARD"]) == ("home", True, "local")
    assert (second["upstream"], second["local"]) == ("cloud", False)


@pytest.mark.parametrize("path", STREAMS)
@pytest.mark.parametrize("how", ["whole", "broken", "gone"])
async def test_a_stream_that_stays_in_the_house_never_turns_to_the_cloud(house: House, path: str, how: str) -> None:
    protocol = "anthropic" if path.endswith("messages") else "openai"

    async def stream(asked: Asked, answer: Answer) -> None:
        if how == "gone":
            return answer.drop()
        raw = STREAMS[path]
        await answer.start("text/event-stream")
        for at in range(0, len(raw) if how == "whole" else len(raw) // 2, 50):
            await answer.chunk(raw[at : at + 50])
        await (answer.end() if how == "whole" else asyncio.sleep(0.01))
        answer.drop()

    cloud = await house.upstream("cloud", protocol=protocol)
    home = await house.upstream("home", stream, protocol=protocol, local=True)
    gateway = await house.gateway(Config(upstreams=(cloud, home), policy=LOCAL))
    asked = {"model": "m", "max_tokens": 5, "stream": True}
    turn = [{"role": "user", "content": f"{MAIL} pays with {CARD}"}]
    reply = await gateway.post(path, json=asked | {"input" if path.endswith("responses") else "messages": turn})
    (row,) = await house.closed()
    assert (reply.status_code, row["outcome"]) == {
        "whole": (200, "done"), "broken": (200, "cut"), "gone": (502, "failed")
    }[how]  # fmt: skip
    assert (MAIL in reply.text) == (how != "gone")
    assert (len(house.upstreams[0].asked), len(house.upstreams[1].asked)) == (0, 1)


async def test_without_a_local_model_of_the_protocol_nothing_leaves(house: House) -> None:
    cloud = await house.upstream("cloud")
    home = await house.upstream("home", protocol="anthropic", local=True)
    gateway = await house.gateway(Config(upstreams=(cloud, home), policy=LOCAL))
    reply = await gateway.post(CHAT, json=chat(f"pay with {CARD}"))
    assert reply.status_code == 403
    assert "CREDIT_CARD" in reply.json()["error"]["message"]
    assert "anthropic" in reply.json()["error"]["message"]
    assert not house.upstreams[0].asked
    assert not house.upstreams[1].asked


@pytest.mark.parametrize("path", [CHAT, "/v1/messages", "/v1/responses", "/v1/embeddings", "/v1/models"])
async def test_every_path_needs_a_key_and_says_so_in_its_own_shape(house: House, path: str) -> None:
    up = await house.upstream("up")
    gateway = await house.gateway(Config(upstreams=(up,), clients=(client_of("ci", "k1"),)))
    headers = {"authorization": "Bearer wrong"}
    reply = await (gateway.get(path, headers=headers) if "models" in path else gateway.post(path, headers=headers))
    assert reply.status_code == 401
    assert reply.json()["error"]["type"] == "authentication_error"
    assert (reply.json().get("type") == "error") is (path == "/v1/messages")
    assert "wrong" not in reply.text
    assert not house.upstreams[0].asked


async def test_each_client_has_its_own_policy_and_models(house: House) -> None:
    up = await house.upstream("up")
    strict = client_of("strict", "k1", policy=Policy(actions={"EMAIL_ADDRESS": "block"}), models=("gpt-*",))
    gateway = await house.gateway(Config(upstreams=(up,), clients=(strict, client_of("free", "k2"))))

    async def ask(key: str, **body: Any) -> int:
        return (await gateway.post(CHAT, json=chat(**body), headers={"x-api-key": key})).status_code

    assert await ask("k1") == 403
    assert await ask("k1", text="hello") == 200
    assert await ask("k1", text="hello", model="other") == 403
    assert await ask("k2", model="other") == 200
    blocked, done, refused, _ = await house.closed(4)
    assert (blocked["outcome"], blocked["blocked"], blocked["client"]) == ("blocked", {"EMAIL_ADDRESS": 1}, "strict")
    assert (done["outcome"], refused["outcome"]) == ("done", "refused")
    assert len(house.upstreams[0].asked) == 2
    assert "x-api-key" not in house.upstreams[0].asked[0].headers


async def test_the_key_of_the_gateway_does_not_go_on(house: House) -> None:
    up = await house.upstream("up", pass_through=True)
    gateway = await house.gateway(Config(upstreams=(up,), clients=(client_of("ci", "k1"),)))
    mistaken = await gateway.post(CHAT, json=chat(), headers={"authorization": "Bearer k1"})
    right = await gateway.post(CHAT, json=chat(), headers={"x-gateway-key": "k1", "authorization": "Bearer sk-theirs"})
    assert (mistaken.status_code, right.status_code) == (401, 200)
    (asked,) = house.upstreams[0].asked
    assert asked.headers["authorization"] == "Bearer sk-theirs"
    assert "x-gateway-key" not in asked.headers


async def test_a_rate_and_a_budget_are_shared_and_outlive_a_gateway(house: House) -> None:
    up = await house.upstream("up", price=Price(1.0, 2.0))
    clients = (client_of("slow", "k1", rate=2), client_of("poor", "k2", tokens=30))
    config = Config(upstreams=(up,), clients=clients)
    gateways = [await house.gateway(config) for _ in range(2)]

    async def ask(number: int, key: str) -> httpx.Response:
        return await gateways[number].post(CHAT, json=chat("hi"), headers={"authorization": f"Bearer {key}"})

    assert [(await ask(n, "k1")).status_code for n in (0, 1)] == [200, 200]
    over = await ask(0, "k1")
    assert (over.status_code, over.json()["error"]["type"]) == (429, "rate_limit_error")
    assert 1 <= int(over.headers["retry-after"]) <= 60
    for number in (0, 1):
        assert (await ask(number, "k2")).status_code == 200
        await house.closed(3 + number)
    spent = await ask(1, "k2")
    assert spent.status_code == 429
    assert "30 tokens" in spent.json()["error"]["message"]
    assert int(spent.headers["retry-after"]) <= 86_400
    assert len(house.upstreams[0].asked) == 4
    assert house.rows("gateway_reply")[0]["cost_usd"] == pytest.approx(20e-6)


async def test_a_rate_holds_for_a_burst_that_meets_several_gateways_at_once(house: House) -> None:
    up = await house.upstream("up")
    clients = (client_of("ci", "k1", rate=7), client_of("free", "k2"))
    gateways = [await house.gateway(Config(upstreams=(up,), clients=clients)) for _ in range(3)]

    async def ask(number: int, key: str) -> httpx.Response:
        return await gateways[number % 3].post(CHAT, json=chat("hi"), headers={"x-api-key": key})

    replies = await asyncio.gather(*(ask(n, "k1") for n in range(45)), *(ask(n, "k2") for n in range(9)))
    assert [reply.status_code for reply in replies[:45]].count(200) == 7 == len(house.upstreams[0].asked) - 9
    assert [reply.status_code for reply in replies[:45]].count(429) == 38
    assert all("7 times a minute" in reply.text for reply in replies[:45] if reply.status_code == 429)
    assert [reply.status_code for reply in replies[45:]] == [200] * 9
    await house.closed(16)
    assert len(house.rows("gateway_request")) == 16
    assert not house.rows("gateway_refused")


async def test_more_than_it_can_carry_is_turned_away(house: House) -> None:
    free = asyncio.Event()

    async def wait(asked: Asked, answer: Answer) -> None:
        await free.wait()
        await say(asked, answer)

    up = await house.upstream("up", wait)
    gateway = await house.gateway(Config(upstreams=(up,), limits=Limits(concurrent=1)))
    first = asyncio.create_task(gateway.post(CHAT, json=chat()))
    while not house.upstreams[0].asked:
        await asyncio.sleep(0.005)
    second = await gateway.post(CHAT, json=chat())
    assert (second.status_code, second.headers["retry-after"]) == (503, "1")
    free.set()
    assert (await first).status_code == 200
    assert (await gateway.post(CHAT, json=chat())).status_code == 200


async def test_a_body_that_does_not_come_is_not_waited_for(house: House) -> None:
    up = await house.upstream("up")
    gateway = await house.gateway(Config(upstreams=(up,), limits=Limits(read_seconds=0.1)))

    reader, writer = await asyncio.open_connection(gateway.base_url.host, gateway.base_url.port)
    head = f"POST {CHAT} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n"
    writer.write(head.encode() + b'{"model": ')
    assert (await asyncio.wait_for(reader.readline(), 5)).startswith(b"HTTP/1.1 408")
    writer.close()


async def test_the_row_is_there_before_anything_leaves_and_holds_no_value(house: House) -> None:
    before: list[dict[str, Any]] = []

    async def look(asked: Asked, answer: Answer) -> None:
        before.extend(house.rows())
        await say(asked, answer)

    up = await house.upstream("up", look)
    policy = Policy(actions={"PHONE_NUMBER": "allow"})
    detector = FakeDetector("Ada Vance")
    gateway = await house.gateway(Config(upstreams=(up,), policy=policy), detector)
    await gateway.post(CHAT, json=chat(f"Ada Vance, {MAIL}, +44 20 7946 0958"))
    (reply,) = await house.closed()
    (row,) = before
    assert row["kind"] == "gateway_request"
    assert row["masked"] == {"PERSON": 1, "EMAIL_ADDRESS": 1}
    assert row["passed"] == {"PHONE_NUMBER": 1}
    assert set(row["hashes"]) == {"PERSON", "EMAIL_ADDRESS"}
    assert (reply["request"], reply["outcome"], reply["input_tokens"]) == (row["id"], "done", 10)
    assert 0 <= reply["first_seconds"] <= reply["seconds"]
    kept = b"".join(path.read_bytes() for path in house.folder.iterdir())
    assert not any(word in kept for word in (b"Ada", b"Vance", b"lab.example", b"7946"))


async def test_refusals_have_rows_too_and_those_turned_away_have_none(house: House) -> None:
    up = await house.upstream("up")
    config = Config(upstreams=(up,), policy=LOCAL, clients=(client_of("ci", "k1"),))
    gateway = await house.gateway(config)
    key = {"authorization": "Bearer k1"}
    await gateway.post(CHAT, json=chat("sk-abcdefgh12345678"), headers=key)
    await gateway.post(CHAT, content=b"{", headers={**key, "content-type": "application/json"})
    await gateway.post(CHAT, json=chat())
    blocked, broken = await house.closed(2)
    assert (blocked["outcome"], blocked["blocked"], blocked["status"]) == ("blocked", {"SECRET": 1}, 403)
    why = "the body is no UTF-8 JSON, so that it cannot be masked; send application/json"
    assert (broken["outcome"], broken["status"], broken["reason"]) == ("refused", 400, why)
    assert not house.upstreams[0].asked


async def test_a_detector_that_fails_stops_the_request_and_readiness(house: House) -> None:
    up = await house.upstream("up")
    broken = await house.gateway(Config(upstreams=(up,)), FakeDetector(fail=True))
    reply = await broken.post(CHAT, json=chat())
    ready = await broken.get("/readyz")
    assert (reply.status_code, ready.status_code) == (500, 503)
    assert "DetectionError" in ready.json()["reason"]
    assert (await broken.get("/healthz")).status_code == 200
    assert not house.upstreams[0].asked


async def test_a_process_at_work_on_large_bodies_is_ready(house: House) -> None:
    go_on = threading.Event()

    class Slow(FakeDetector):
        def find(self, text: str, *, language: str = "auto") -> tuple[Entity, ...]:
            if text.startswith("large"):
                go_on.wait(20)
            return super().find(text, language=language)

    gateway = await house.gateway(Config(upstreams=(await house.upstream("up"),)), Slow())
    at_work = [asyncio.create_task(gateway.post(CHAT, json=chat(f"large {n}"))) for n in range(4)]
    await asyncio.sleep(0.2)
    ready = await asyncio.wait_for(gateway.get("/readyz"), 5)
    assert not any(task.done() for task in at_work)
    go_on.set()
    assert {(await task).status_code for task in at_work} == {200}
    assert ready.status_code == 200


async def test_a_ledger_that_cannot_be_written_stops_the_request_and_readiness(house: House) -> None:
    up = await house.upstream("up")
    gateway = await house.gateway(Config(upstreams=(up,)))
    assert (await gateway.get("/readyz")).json() == {"status": "ready"}
    with sqlite3.connect(house.ledger) as connection:
        connection.execute("ALTER TABLE head RENAME TO tail")
    reply = await gateway.post(CHAT, json=chat())
    for _ in range(2):
        ready = await gateway.get("/readyz")
        assert (reply.status_code, ready.status_code) == (500, 503)
    assert not house.upstreams[0].asked
    with sqlite3.connect(house.ledger) as connection:
        connection.execute("ALTER TABLE tail RENAME TO head")
    assert (
        await gateway.get("/readyz")
    ).status_code == 200  # without a request, since none is sent to who is not ready
    assert not house.rows()


@pytest.mark.parametrize("usage", [{"prompt_tokens": 10**30}, {"prompt_tokens": -1, "completion_tokens": True}])
async def test_counts_that_are_none_do_not_stop_the_record(house: House, usage: dict[str, Any]) -> None:
    async def boast(asked: Asked, answer: Answer) -> None:
        message = {"role": "assistant", "content": "hello"}
        await answer.whole({"choices": [{"index": 0, "finish_reason": "stop", "message": message}], "usage": usage})

    up = await house.upstream("up", boast)
    gateway = await house.gateway(Config(upstreams=(up,)))
    for _ in range(2):
        assert (await gateway.post(CHAT, json=chat())).json()["usage"] == usage
    rows = await house.closed(2)
    assert [row["outcome"] for row in rows] == ["done", "done"]
    assert all(row["estimated"] and row["input_tokens"] > 0 for row in rows)


async def test_a_row_that_cannot_be_written_is_told_and_the_next_one_is_written(tmp_path: Path) -> None:
    recorder = Recorder(Ledger(tmp_path / "l.db"))
    with pytest.raises(LedgerWriteError, match="OverflowError"):
        recorder.before({"input_tokens": 2**70})
    assert recorder.fault == "OverflowError"
    assert recorder.before({"input_tokens": 1}) == 1
    assert not recorder.fault
    recorder.close()


async def test_what_ends_while_no_row_can_be_written_is_recorded_later(house: House) -> None:
    """A closed request must not look as if its process had died."""
    go = asyncio.Event()

    async def wait(asked: Asked, answer: Answer) -> None:
        await go.wait()
        await say(asked, answer)

    up = await house.upstream("up", wait)
    gateway = await house.gateway(Config(upstreams=(up,)))
    asking = [asyncio.create_task(gateway.post(CHAT, json=chat())) for _ in range(3)]
    while len(house.upstreams[0].asked) < 3:
        await asyncio.sleep(0.01)
    with sqlite3.connect(house.ledger, isolation_level=None) as other:
        other.execute("ALTER TABLE head RENAME TO tail")
        go.set()
        assert [reply.status_code for reply in await asyncio.gather(*asking)] == [200] * 3
        refused = await gateway.post(CHAT, json=chat())
        assert (refused.status_code, (await gateway.get("/readyz")).status_code) == (500, 503)
        other.execute("ALTER TABLE tail RENAME TO head")
    assert (await gateway.get("/readyz")).status_code == 200
    assert [row["outcome"] for row in await house.closed(3)] == ["done"] * 3
    assert len(house.rows("gateway_request")) == 3


async def test_a_ledger_that_cannot_be_read_is_an_error_of_the_protocol(house: House) -> None:
    up = await house.upstream("up")
    gateway = await house.gateway(Config(upstreams=(up,), clients=(client_of("ci", "k1", rate=9),)))
    with sqlite3.connect(house.ledger) as connection:
        connection.execute("DROP TABLE gateway_use")
        connection.execute("DROP TABLE events")
    for reply in (
        await gateway.post(CHAT, json=chat(), headers={"x-api-key": "k1"}),
        await gateway.get("/journal", headers={"x-api-key": "k1"}),
    ):
        assert (reply.status_code, reply.json()["error"]["type"]) == (500, "server_error")
    assert not house.upstreams[0].asked


@pytest.mark.parametrize("body", [b"[1]", b"{}", b"no json", b'{"data": ' + b"[" * 50_000 + b"]" * 50_000 + b"}"])
async def test_a_list_of_models_that_is_none_is_an_error_of_the_protocol(house: House, body: bytes) -> None:
    async def talk(asked: Asked, answer: Answer) -> None:
        await answer.whole(body.decode())

    gateway = await house.gateway(Config(upstreams=(await house.upstream("up", talk),)))
    reply = await gateway.get("/v1/models")
    assert (reply.status_code, reply.json()["error"]["type"]) == (502, "server_error")


async def test_figures(house: House) -> None:
    up = await house.upstream("up", price=Price(1.0, 2.0))
    gateway = await house.gateway(Config(upstreams=(up,), clients=(client_of("ci", "k1"),)))
    await gateway.post(CHAT, json=chat(), headers={"x-api-key": "k1"})
    await gateway.post(CHAT, json=chat())
    await house.closed()
    figures = await gateway.get("/metrics")
    lines = figures.text.splitlines()
    assert figures.headers["content-type"].startswith("text/plain; version=0.0.4")
    labels = 'client="ci",outcome="done",protocol="openai",status="200",upstream="up"'
    assert f"gateway_requests_total{{{labels}}} 1" in lines
    assert 'gateway_masked_total{type="EMAIL_ADDRESS"} 1' in lines
    assert 'gateway_tokens_total{client="ci",direction="input"} 10' in lines
    assert 'gateway_cost_usd_total{client="ci"} 2e-05' in lines
    assert "gateway_in_flight 0" in lines
    assert "gateway_request_seconds_count 2" in lines
    far = await gateway.get("/metrics", headers={"x-forwarded-for": "203.0.113.9"})
    assert far.status_code == 401
    near = await gateway.get("/metrics", headers={"x-forwarded-for": "203.0.113.9", "authorization": "Bearer k1"})
    assert near.status_code == 200


async def test_any_gateway_answers_any_turn_with_the_same_bytes_upstream(house: House) -> None:
    up = await house.upstream("up")
    gateways = [await house.gateway(Config(upstreams=(up,)), FakeDetector("Ada Vance", "Bob Low")) for _ in range(2)]
    turns = ["I am Ada Vance", f"Bob Low writes to {MAIL}", "Ada Vance and Bob Low", "bye"]
    messages: list[dict[str, str]] = []
    bodies: list[list[bytes]] = []
    for number, turn in enumerate(turns):
        messages.append({"role": "user", "content": turn})
        for gateway in (gateways[number % 2], gateways[1 - number % 2]):
            reply = await gateway.post(CHAT, json={"model": "m", "messages": messages})
        bodies.append([asked.body for asked in house.upstreams[0].asked[-2:]])
        messages.append(reply.json()["choices"][0]["message"])
    assert all(first == second for first, second in bodies)
    seen = [json.loads(first)["messages"] for first, _ in bodies]
    assert all(longer[: len(shorter)] == shorter for shorter, longer in pairwise(seen))
    assert b"Ada" not in b"".join(first for first, _ in bodies)


@pytest.mark.parametrize(
    "kept",
    [
        {"previous_response_id": "resp_1", "input": f"To {MAIL}"},
        {"conversation": {"id": "conv_1"}, "input": f"To {MAIL}"},
        {"input": [{"type": "item_reference", "id": "msg_1"}, {"role": "user", "content": f"To {MAIL}"}]},
        {"input": [{"id": "msg_1"}, {"role": "user", "content": f"To {MAIL}"}]},
    ],
)
async def test_turns_that_the_provider_keeps_never_share_a_placeholder_with_this_one(
    house: House, kept: dict[str, Any]
) -> None:
    async def answer(asked: Asked, answer: Answer) -> None:
        mine = re.findall(r"<EMAIL_ADDRESS_\d+>", asked.body.decode())
        await answer.whole(response_reply(said(f"{mine[0]}, not <EMAIL_ADDRESS_1>")))

    gateway = await house.gateway(Config(upstreams=(await house.upstream("up", answer),)))
    first = await gateway.post("/v1/responses", json={"model": "m", "input": f"To {MAIL}"})
    then = await gateway.post("/v1/responses", json={"model": "m", **kept})
    assert first.json()["output"][0]["content"][0]["text"] == f"{MAIL}, not {MAIL}"
    assert then.json()["output"][0]["content"][0]["text"] == f"{MAIL}, not <EMAIL_ADDRESS_1>"
    assert b"EMAIL_ADDRESS_1>" not in house.upstreams[0].asked[1].body


async def test_traces_go_to_the_collector_without_a_value(house: House) -> None:
    from gateway.config import Telemetry

    async def collect(_: Asked, answer: Answer) -> None:
        await answer.whole({})

    up = await house.upstream("up")
    collector = await house.upstream("collector", collect)
    telemetry = Telemetry(collector.base_url.removesuffix("/v1"), "gw")
    trace, parent = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
    async with asyncio.timeout(10):
        gateway = await house.gateway(Config(upstreams=(up,), telemetry=telemetry))
        await gateway.post(CHAT, json=chat(), headers={"traceparent": f"00-{trace}-{parent}-01"})
        while not house.upstreams[1].asked:
            await asyncio.sleep(0.02)
    (asked,) = house.upstreams[1].asked
    assert asked.path == "/v1/traces"
    (resource,) = asked.json["resourceSpans"]
    spans = {span["name"]: span for span in resource["scopeSpans"][0]["spans"]}
    assert set(spans) == {"mask", "record", "upstream", "request"}
    assert {span["traceId"] for span in spans.values()} == {trace}
    assert spans["request"]["parentSpanId"] == parent
    assert all(spans[name]["parentSpanId"] == spans["request"]["spanId"] for name in ("mask", "record", "upstream"))
    assert all(int(span["startTimeUnixNano"]) <= int(span["endTimeUnixNano"]) for span in spans.values())
    assert b"lab.example" not in asked.body
    assert "traceparent" not in house.upstreams[0].asked[0].headers
