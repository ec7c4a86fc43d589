"""`gateway serve`: the models are loaded once, then one process answers, or several that share them (`--workers N`).

The address is taken before the models are loaded, so that a busy port is told at once, and listened at only after a
trial masking. SIGTERM and Ctrl-C end it: no new requests, those at work and their streams are finished first.
"""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import socket
import sys
import tempfile
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

import uvicorn

from gateway.config import Config, detector_settings, load_config, missing_keys
from gateway.detect.engine import load_detector
from gateway.errors import ConfigError
from gateway.mask import Masker
from gateway.proxy.access import is_loopback
from gateway.proxy.app import build
from gateway.proxy.logs import set_up
from gateway.proxy.lost import close_lost
from gateway.proxy.metrics import Metrics
from gateway.proxy.stalled import Stalled
from gateway.proxy.warm import load_client, warm_up, warm_up_process
from gateway.proxy.workers import can_fork, supervise
from gateway.trial import try_masking

_KEEP_ALIVE = 75
_BACKLOG = 2048
_COLLECT = (1_000, 3, 3_000)
"""What is cached lives long and holds no cycles: to look through all of it stops the process for milliseconds, which
the usual numbers do at every three-hundredth request. What is not so old is looked through in small heaps: in heaps of
twenty thousand it took as long in all, and four milliseconds of one request."""
_TICKS_A_SECOND = 10  # of uvicorn's main loop


@dataclass(frozen=True, slots=True)
class Loaded:
    """What is loaded before the first request, and what processes then share."""

    config: Config
    masker: Masker
    maskers: dict[str, Masker]


def serve(options: Namespace) -> int:
    """Runs until it is stopped; ConfigError for what cannot be served."""
    config = load_config(options.config)
    check_serving(config, options.host, options.workers)
    for path in (options.cert, options.cert_key):
        if path and not path.is_file():
            raise ConfigError(f"{path}: there is no such file; --cert and --cert-key name PEM files")
    with take(options.host, options.port) as taken:
        signal.signal(signal.SIGTERM, _stopped_early)
        return serve_loaded(load(config), taken, options)


def _stopped_early(_: int, __: FrameType | None) -> None:
    """While the models are loaded. Without a handler the first process of a container would not hear it at all; an
    exception would be lost where it meets a finaliser. Nothing is open yet."""
    os._exit(0)


def serve_loaded(loaded: Loaded, taken: socket.socket, options: Namespace) -> int:
    """Answers at a taken address, in as many processes as are asked for."""
    set_up(requests=options.log != "off")
    gc.collect()
    gc.freeze()  # the models are never garbage, and shared pages stay shared
    taken.listen(_BACKLOG)
    _greet(loaded.config, options, taken)
    if options.workers == 1:
        return run(loaded, taken, options)
    with tempfile.TemporaryDirectory(prefix="gateway-") as folder:
        return supervise(
            options.workers,
            lambda pipe: run(loaded, taken, options, Path(folder), pipe),
            taken,
            lambda process, since: close_lost(loaded.config.ledger, process, since),
        )


def check_serving(config: Config, host: str, workers: int) -> None:
    """ConfigError for a configuration that cannot be served at this address."""
    file = config.file or "gateway.toml"
    if not config.upstreams:
        raise ConfigError(f"serve has nothing to forward to: write an [[upstream]] into {file}")
    if not is_loopback(host) and not config.clients:
        raise ConfigError(
            f"{host} can be reached from elsewhere, and {file} names no [clients]: make a key with `gateway key NAME`, "
            "or serve 127.0.0.1"
        )
    if workers < 1 or (workers > 1 and not can_fork()):
        raise ConfigError("--workers: found a number that cannot be had here; allowed is 1" + " or more" * can_fork())


def load(config: Config) -> Loaded:
    """The detectors of all policies, tried once."""
    masker = Masker(load_detector(config.detect), config.policy)
    own = {
        client.name: Masker(load_detector(detector_settings(client.policy, config.detect)), client.policy)
        for client in config.clients
        if client.policy
    }
    for one in (masker, *own.values()):
        try_masking(one)
        warm_up(one)
    load_client()
    return Loaded(config, masker, own)


def run(
    loaded: Loaded, taken: socket.socket, options: Namespace, folder: Path | None = None, parent: int | None = None
) -> int:
    """Serves in this process. `folder` is shared with its siblings; the end of the pipe `parent` stops it."""
    app = build(loaded.config, loaded.masker, maskers=loaded.maskers, metrics=Metrics(folder))
    if parent is not None:
        warm_up_process(loaded.masker)
    gc.freeze()
    gc.set_threshold(*_COLLECT)
    settings = uvicorn.Config(
        app,
        http="h11",  # the other parser loses the body of a request that offers HTTP/2, as all of Java's own client do
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        ws="none",
        timeout_keep_alive=_KEEP_ALIVE,
        timeout_graceful_shutdown=max(1, round(loaded.config.limits.stop_seconds)),
        ssl_certfile=options.cert,
        ssl_keyfile=options.cert_key,
    )
    server = _Server(settings, parent, Stalled(loaded.config.limits))
    with asyncio.Runner(loop_factory=settings.get_loop_factory()) as runner:
        runner.run(server.serve(sockets=[taken]))
    return 0


class _Server(uvicorn.Server):  # type: ignore[misc]  # mypy does not follow uvicorn
    """Cuts off who stands still. Ends quietly: a signal that was obeyed is not raised again, and the end of the parent
    is one."""

    def __init__(self, config: uvicorn.Config, parent: int | None, stalled: Stalled) -> None:
        super().__init__(config)
        self._parent, self._stalled = parent, stalled

    async def on_tick(self, counter: int) -> bool:
        if counter % _TICKS_A_SECOND == 0:
            self._stalled.look(self.server_state.connections)
        ended: bool = await super().on_tick(counter)
        return ended

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self.handle_exit)
        if self._parent is not None:
            loop.add_reader(self._parent, self._orphaned)
        try:
            yield
        finally:
            if self._parent is not None:
                loop.remove_reader(self._parent)

    def _orphaned(self) -> None:
        assert self._parent is not None
        asyncio.get_running_loop().remove_reader(self._parent)
        self.should_exit = True


@contextmanager
def take(host: str, port: int) -> Iterator[socket.socket]:
    """An address, bound and not listened at yet; ConfigError where it cannot be had."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        taken = socket.socket(family, kind, protocol)
    except OSError:
        raise ConfigError(f"--host {host}: there is no such address") from None
    try:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        taken.bind(address)
    except OSError as error:
        taken.close()
        why = "is used by another program" if error.errno == 98 else f"cannot be had ({error.strerror})"
        raise ConfigError(f"{host}:{port} {why}; name another one with --port or --host") from None
    taken.set_inheritable(True)
    try:
        yield taken
    finally:
        taken.close()


def _greet(config: Config, options: Namespace, taken: socket.socket) -> None:
    host = f"[{options.host}]" if ":" in options.host else options.host
    names = ", ".join(f"{one.name} ({one.base_url})" for one in config.upstreams)
    scheme = "https" if options.cert else "http"
    many = f" in {options.workers} processes" if options.workers > 1 else ""
    sys.stderr.write(
        f"gateway: {scheme}://{host}:{taken.getsockname()[1]}/v1 masks for {names}{many}; Ctrl-C ends it\n"
    )
    if missing := missing_keys(config):
        sys.stderr.write(f"gateway: {missing}; until then its requests leave without a key\n")
    sys.stderr.flush()
