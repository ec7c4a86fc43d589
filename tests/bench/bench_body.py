"""What a request costs before it leaves and a chunk on its way back, in CPU time: python -m tests.bench.bench_body

Prints the cost of a new 2 KB prompt, of the same one again, of a chat of 20 turns with one more turn, and of an event of
a stream, each beside what only reading and writing the same JSON costs.
"""

from __future__ import annotations

import gc
import json
import random
import time
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from statistics import median_high as median

from gateway.config import Config, Upstream
from gateway.detect.engine import load_detector
from gateway.mask import Masker
from gateway.proxy.plan import Route, make_plan
from gateway.proxy.reply import Restoring
from gateway.proxy.stream import Relay
from tests.fakes.transcripts import chat, chat_reply, sse

NAMES = ("James", "Mary", "Robert", "Patricia", "Jennifer", "Michael", "Linda", "David", "Elizabeth", "William")
WORDS = files("gateway.detect").joinpath("data/common_words.txt").read_text("utf-8").split()
ROUTE = Route("/v1/chat/completions", "openai", "messages")
TURNS = 20


def prompt(seed: int, size: int = 2000) -> str:
    """A text of everyday words with a name, an address and a number."""
    dice = random.Random(seed)
    name = dice.choice(NAMES)
    head = f"I am {name} Smith, {name.lower()}.{seed}@example.com, +1 415 555 {1000 + seed % 9000}. "
    return head + " ".join(dice.choice(WORDS) for _ in range(size // 7))


def body(turns: int, seed: int) -> bytes:
    """A chat of so many turns, the last message is new."""
    said = [{"role": role, "content": prompt(at)} for at in range(turns) for role in ("user", "assistant")]
    return json.dumps({"model": "gpt-9", "messages": [*said, {"role": "user", "content": prompt(seed)}]}).encode()


def cpu(work: Callable[[], object]) -> float:
    """Milliseconds of CPU of one call."""
    started = time.process_time()
    work()
    return (time.process_time() - started) * 1000


def main() -> None:
    masker = Masker(load_detector())
    gc.collect()
    gc.freeze()  # as `gateway serve` does
    config = Config(upstreams=(Upstream("o", "openai", "http://127.0.0.1:9/v1"),), ledger=Path("unused.db"))

    def plan(raw: bytes) -> Callable[[], object]:
        return lambda: make_plan(config, masker, ROUTE, raw)

    for warm in range(3):
        plan(body(TURNS, 10_000 + warm))()
    new = median([cpu(plan(body(0, 20_000 + at))) for at in range(30)])
    same = median([cpu(plan(body(0, 20_000))) for _ in range(30)])
    chats = [body(TURNS, 30_000 + at) for at in range(15)]
    more = median([cpu(plan(raw)) for raw in chats])
    bare = median([cpu(lambda raw=raw: json.dumps(json.loads(raw))) for raw in chats])  # type: ignore[misc]
    print(f"a new 2 KB prompt        {new:7.2f} ms")
    print(f"the same again           {same:7.2f} ms   {same / new:.2f} of it")
    print(f"one more turn of {TURNS}      {more:7.2f} ms   {more / new:.1f} new prompts for {len(chats[0]) >> 10} KB")
    print(f"only JSON of it          {bare:7.2f} ms")
    text = "Dear <PERSON_1>, I wrote to <EMAIL_ADDRESS_1> about the weather of today. " * 100
    raw = sse(chat(chat_reply({"content": text}), lambda t: [t[i : i + 4] for i in range(0, len(t), 4)]), named=False)
    count = raw.count(b"data:")
    for name, mapping in (
        ("restored", {"<PERSON_1>": "Ada Vance", "<EMAIL_ADDRESS_1>": "a@b.example"}),
        ("untouched", {}),
    ):
        event = median([cpu(lambda m=mapping: Relay(ROUTE.path, Restoring(m)).feed(raw)) for _ in range(5)])  # type: ignore[misc]
        print(f"an event {name:16s}{event / count * 1000:7.1f} µs")


if __name__ == "__main__":
    main()
