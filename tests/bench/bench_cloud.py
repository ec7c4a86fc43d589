"""What the masking of a cloud model costs a turn: python -m tests.bench.bench_cloud

A chat of 20 turns with a tool result of 2 KB each. Printed are the milliseconds of each part at some turns, and how much
less a turn costs than masking its whole request anew.
"""

from __future__ import annotations

import json
import time

from faker import Faker

from gateway.lastlook import last_look
from localagent.config.models_toml import Entry
from localagent.messages import Message, ToolCall, ToolResult, Usage
from localagent.models.masking import Engine
from localagent.models.openai_wire import body_of
from localagent.models.sse import encoded
from localagent.models.unmask import Unmask
from localagent.ports import CallDelta, Finish, Request, TextDelta
from localagent.tools.jobs import Jobs
from localagent.tools.registry import builtin_tools

TURNS, SHOWN = 20, (1, 2, 5, 10, 20)
ENTRY = Entry("far", "openai", model="m", base_url="http://far.example/v1", cloud=True)


def turn(fake: Faker, number: int) -> list[Message]:
    paragraphs = [
        f"{fake.paragraph()} {fake.name()} {fake.email()}" if n % 5 == 0 else fake.paragraph() for n in range(20)
    ]
    call = ToolCall(f"c{number}", "read_file", {"path": f"notes{number}.txt"})
    result = ToolResult(call.id, call.name, "\n".join(paragraphs)[:2000])
    return [
        Message("user", f"Look at file {number}."),
        Message("assistant", calls=(call,)),
        Message("tool", results=(result,)),
    ]


def main() -> None:
    fake, engine = Faker(), Engine(None)
    fake.seed_instance(7)
    began = time.perf_counter()
    engine.masker()
    print(f"loading the engine: {time.perf_counter() - began:.1f} s, once a process")
    specs = tuple(tool.spec for tool in builtin_tools("full", schema=None, jobs=Jobs(), web=True))  # type: ignore[arg-type]
    messages, conversation = [Message("system", "You work.")], engine.conversation("chat")
    for number in range(1, TURNS + 1):
        messages += turn(fake, number)
        request = Request(tuple(messages), specs)
        began = time.perf_counter()
        masked = conversation.mask(request)
        mask = time.perf_counter() - began
        body = encoded(body_of(masked.request, ENTRY, "cloud"))
        began = time.perf_counter()
        last_look(body, conversation.vault)
        look = time.perf_counter() - began
        if number in SHOWN:
            print(f"turn {number:>2}: {len(body):>6} bytes, mask {mask * 1e3:6.1f} ms, last look {look * 1e3:5.1f} ms")
    anew = Engine(None).conversation("anew")
    began = time.perf_counter()
    anew.mask(request)
    print(f"a turn costs 1/{(time.perf_counter() - began) / mask:.0f} of masking its request anew, detections cached")
    unmask, pieces = Unmask(conversation.vault.map.readable(), textual=False), 2000
    began = time.perf_counter()
    for n in range(pieces):
        list(unmask.feed(TextDelta("and <PERSON_1> ") if n % 20 == 0 else TextDelta("word ")))
    list(unmask.feed(CallDelta(0, arguments=json.dumps({"a": "<PERSON_1>"}))))
    list(unmask.feed(Finish("stop", Usage())))
    print(f"restoring: {(time.perf_counter() - began) / pieces * 1e6:.0f} µs a delta")


if __name__ == "__main__":
    main()
