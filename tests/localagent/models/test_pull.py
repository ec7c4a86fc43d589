"""Pulls: whole, resumed, broken, wrong, and refused."""

from __future__ import annotations

import hashlib
import resource
import signal
from pathlib import Path

import pytest

from localagent.config.models_toml import Entry
from localagent.errors import ModelError, ModelNotFoundError, ModelUnavailableError, UsageError
from localagent.models import pull as pulling
from localagent.models.pull import missing, path_of, pull
from localagent.ports import Progress
from tests.fakes.http_server import Answer, Asked, HttpServer

DATA = bytes(range(256)) * 2000
SHA = hashlib.sha256(DATA).hexdigest()


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(pulling.asyncio, "sleep", _no_sleep)
    return tmp_path / "localagent" / "models"


async def _no_sleep(seconds: float) -> None:
    """Waiting between tries is not what is tested."""


class Hub:
    """A server of one file that understands Range; `breaks` is after how many bytes a connection breaks."""

    def __init__(self, *, breaks: int | None = None, ranges: bool = True, status: int = 200) -> None:
        self.breaks, self.ranges, self.status = breaks, ranges, status
        self.starts: list[int] = []

    async def handle(self, asked: Asked, answer: Answer) -> None:
        if asked.path == "/moved/model.gguf":
            await answer.raw(b"HTTP/1.1 302 X\r\nlocation: /files/model.gguf\r\ncontent-length: 0\r\n\r\n")
            return
        if self.status != 200:
            await answer.whole("no", self.status)
            return
        start = int(asked.headers.get("range", "bytes=0-")[6:-1]) if self.ranges else 0
        self.starts.append(start)
        if start >= len(DATA):
            await answer.raw(
                f"HTTP/1.1 416 X\r\ncontent-range: bytes */{len(DATA)}\r\ncontent-length: 0\r\n\r\n".encode()
            )
            return
        status = 206 if start else 200
        await answer.raw(f"HTTP/1.1 {status} X\r\ncontent-length: {len(DATA) - start}\r\n\r\n".encode())
        end = len(DATA) if self.breaks is None else min(start + self.breaks, len(DATA))
        await answer.raw(DATA[start:end])
        if end < len(DATA):
            answer.drop()


def entry(server: HttpServer, sha256: str = SHA, path: str = "/files/model.gguf") -> Entry:
    return Entry("mine", "llama_cpp", url=server.url + path, sha256=sha256)


async def pulled(what: Entry) -> list[Progress]:
    return [progress async for progress in pull(what)]


async def test_a_whole_pull_with_progress(cache: Path) -> None:
    async with HttpServer(Hub().handle) as server:
        what = entry(server)
        assert missing(what)
        steps = await pulled(what)
        assert path_of(what) == cache / "model.gguf"
        assert path_of(what).read_bytes() == DATA
        assert not list(cache.glob("*.part"))
        assert (steps[0].done, steps[-1].total) == (0, len(DATA))
        assert await pulled(what) == []


async def test_a_redirect_is_followed(cache: Path) -> None:
    async with HttpServer(Hub().handle) as server:
        await pulled(entry(server, path="/moved/model.gguf"))
    assert (cache / "model.gguf").read_bytes() == DATA


async def test_a_connection_that_breaks_is_taken_up_where_it_broke(cache: Path) -> None:
    hub = Hub(breaks=200_000)
    async with HttpServer(hub.handle) as server:
        steps = await pulled(entry(server))
    assert (cache / "model.gguf").read_bytes() == DATA
    assert hub.starts[0] == 0
    assert len(hub.starts) == 3
    assert all(later > sooner for sooner, later in zip(hub.starts, hub.starts[1:], strict=False))
    assert "retrying" in {step.phase for step in steps}


async def test_a_host_that_nobody_reaches_is_named_with_the_place_for_the_file(cache: Path) -> None:
    async with HttpServer(Hub().handle) as server:
        gone = entry(server)
    with pytest.raises(ModelUnavailableError, match=r"127\.0\.0\.1 cannot be reached .* put the file at .*model\.gguf"):
        await pulled(gone)


async def test_a_pull_that_was_given_up_goes_on_the_next_time(cache: Path) -> None:
    hub = Hub(breaks=60_000)
    async with HttpServer(hub.handle) as server:
        with pytest.raises(ModelUnavailableError, match="pull again to go on"):
            await pulled(entry(server))
        kept = (cache / "model.gguf.part").stat().st_size
        assert kept > 0
        hub.breaks = None
        await pulled(entry(server))
    assert hub.starts[-1] == kept
    assert (cache / "model.gguf").read_bytes() == DATA


async def test_a_server_without_ranges_begins_anew(cache: Path) -> None:
    cache.mkdir(parents=True)
    (cache / "model.gguf.part").write_bytes(b"something else")
    async with HttpServer(Hub(ranges=False).handle) as server:
        await pulled(entry(server))
    assert (cache / "model.gguf").read_bytes() == DATA


@pytest.mark.parametrize("left", [DATA, DATA + b"too much"])
async def test_a_part_that_is_complete_or_too_long(cache: Path, left: bytes) -> None:
    cache.mkdir(parents=True)
    (cache / "model.gguf.part").write_bytes(left)
    async with HttpServer(Hub().handle) as server:
        await pulled(entry(server))
    assert (cache / "model.gguf").read_bytes() == DATA


async def test_a_wrong_hash_keeps_nothing(cache: Path) -> None:
    async with HttpServer(Hub().handle) as server:
        with pytest.raises(ModelError, match=f"sha256 {SHA} instead of 0000"):
            await pulled(entry(server, sha256="0" * 64))
    assert not list(cache.iterdir())


async def test_a_full_disk_is_said_before_anything_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pulling.shutil, "disk_usage", lambda _: pulling.shutil._ntuple_diskusage(10, 9, 1))
    async with HttpServer(Hub().handle) as server:
        with pytest.raises(ModelError, match=r" MB are to come and only 0 MB free"):
            await pulled(entry(server))


async def test_a_server_that_begins_elsewhere_than_asked(cache: Path) -> None:
    cache.mkdir(parents=True)
    (cache / "model.gguf.part").write_bytes(DATA[:1000])

    async def handle(asked: Asked, answer: Answer) -> None:
        head = f"content-range: bytes 0-{len(DATA) - 1}/{len(DATA)}\r\ncontent-length: {len(DATA)}"
        await answer.raw(f"HTTP/1.1 206 X\r\n{head}\r\n\r\n".encode() + DATA)

    async with HttpServer(handle) as server:
        await pulled(entry(server))
    assert (cache / "model.gguf").read_bytes() == DATA


async def test_a_disk_that_fills_on_the_way_keeps_what_came(cache: Path) -> None:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    async with HttpServer(Hub().handle) as server:
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, before[1]))
        try:
            with pytest.raises(ModelError, match="the disk is full"):
                await pulled(entry(server))
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
        assert (cache / "model.gguf.part").read_bytes() == DATA[:100_000]
        await pulled(entry(server))
    assert (cache / "model.gguf").read_bytes() == DATA


@pytest.mark.parametrize("location", ["file:///etc/passwd", "http://[bad", "http://127.0.0.1:99999/", "gopher://x"])
async def test_a_redirect_to_no_web_address_is_refused(cache: Path, location: str) -> None:
    async def handle(asked: Asked, answer: Answer) -> None:
        await answer.raw(f"HTTP/1.1 302 X\r\nlocation: {location}\r\ncontent-length: 0\r\n\r\n".encode())

    async with HttpServer(handle) as server:
        with pytest.raises(ModelError, match="no web address"):
            await pulled(entry(server))
    assert not list(cache.iterdir()), "an empty part is no part"


async def test_a_page_that_asks_to_log_in_is_no_model(cache: Path) -> None:
    async def handle(asked: Asked, answer: Answer) -> None:
        await answer.whole("<html>Who are you?</html>")

    async with HttpServer(handle) as server:
        with pytest.raises(ModelError, match="no GGUF file: it begins with b'<html>"):
            await pulled(entry(server, sha256=""))
    assert not list(cache.iterdir())


@pytest.mark.parametrize("path", ["/x/..%2f..%2fmodel.gguf", "/x/%2e%2e/model.gguf", "/model.gguf?download=true"])
def test_weights_lie_in_their_folder_whatever_the_address_says(cache: Path, path: str) -> None:
    what = Entry("mine", "llama_cpp", url=f"http://127.0.0.1{path}")
    assert path_of(what).resolve() == (cache / "model.gguf").resolve()


@pytest.mark.parametrize(
    ("status", "error"), [(404, ModelNotFoundError), (403, ModelNotFoundError), (500, ModelUnavailableError)]
)
async def test_a_refusal_is_said_with_the_address(status: int, error: type[ModelError]) -> None:
    async with HttpServer(Hub(status=status).handle) as server:
        with pytest.raises(error, match=str(status)):
            await pulled(entry(server))


async def test_two_pulls_of_one_file_do_not_mix() -> None:
    async with HttpServer(Hub().handle) as server:
        first = pull(entry(server))
        await anext(first)
        with pytest.raises(ModelError, match="another process"):
            await pulled(entry(server))
        await first.aclose()


async def test_an_entry_without_a_source_is_refused() -> None:
    with pytest.raises(UsageError, match="nothing to pull"):
        await pulled(Entry("mine", "openai", base_url="http://127.0.0.1:1/v1"))


async def test_a_folder_in_the_place_of_the_file_is_said_before_anything_is_fetched(cache: Path) -> None:
    async with HttpServer(Hub().handle) as server:
        named = entry(server)
        path_of(named).mkdir(parents=True)
        with pytest.raises(ModelError, match="is a folder"):
            await pulled(named)
        assert not server.asked
