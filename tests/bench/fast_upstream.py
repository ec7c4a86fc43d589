"""An upstream for bench_gateway that costs next to nothing: python -m tests.bench.fast_upstream PORT."""

import asyncio
import json
import sys

REPLY = json.dumps(
    {
        "id": "c",
        "object": "chat.completion",
        "created": 1700000000,
        "model": "gpt-x",
        "choices": [
            {
                "index": 0,
                "finish_reason": "stop",
                "message": {"role": "assistant", "content": "I have written to <PERSON_1> about it."},
            }
        ],
        "usage": {"prompt_tokens": 500, "completion_tokens": 10, "total_tokens": 510},
    }
).encode()
ANSWER = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%s" % (len(REPLY), REPLY)


class Upstream(asyncio.Protocol):
    """Answers every complete request with the same bytes."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport
        self.held = b""

    def data_received(self, data: bytes) -> None:
        self.held += data
        while (end := self.held.find(b"\r\n\r\n")) >= 0:
            length = 0
            for line in self.held[:end].lower().split(b"\r\n"):
                if line.startswith(b"content-length:"):
                    length = int(line.partition(b":")[2])
            if len(self.held) < end + 4 + length:
                return
            self.held = self.held[end + 4 + length :]
            self.transport.write(ANSWER)  # type: ignore[attr-defined]


async def main(port: int) -> None:
    server = await asyncio.get_running_loop().create_server(Upstream, "127.0.0.1", port)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1])))
