"""One server: started when first needed, watched, started once more when it dies; every wait has its end."""

from __future__ import annotations

import asyncio
import hashlib
import json
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from localagent import __version__
from localagent.errors import LocalAgentError
from localagent.mcp import listing as listings
from localagent.mcp.config import ServerConfig
from localagent.mcp.failures import FORGOTTEN, closed, innermost, lost, quiet
from localagent.mcp.following import Followed
from localagent.mcp.listing import Listing, clean
from localagent.mcp.people import People
from localagent.mcp.sieve import sieved
from localagent.net import fence

if TYPE_CHECKING:
    from mcp import Client

State = Literal["off", "idle", "starting", "ready", "ended", "failed"]
START_SECONDS = 60.0  # the first start of a server may fetch its packages
LIST_SECONDS = 20.0
MOST_SECONDS = 3600.0  # of a call that tells of progress, or waits for the person
MOST_DEATHS = 2
REFRESH_SECONDS, SELDOM_SECONDS = 1.0, 300.0  # between two looks at the tools of a server that tells of changes
LEFT_OUT_CHARS = 300
T = TypeVar("T")


class ServerError(LocalAgentError):
    """A server that could not be used: what happened, what it said last, and what to do."""


class Connection:
    """See the module. `people` answers what the server asks for; `argv` tells how its program is started."""

    def __init__(
        self, config: ServerConfig, state: Path, people: People, argv: Callable[[ServerConfig], Sequence[str]]
    ) -> None:
        self.config = config
        self.people = people
        self.problem = config.problem
        self.state: State = "failed" if config.problem else "idle" if config.enabled else "off"
        self._folder = state / "mcp"
        self._file = self._folder / f"{_safe(config.name)}-{_key(config)}.json"
        self.listing = listings.load(self._file)
        self._argv = argv
        self._client: Client | None = None
        self._life: asyncio.Task[None] | None = None
        self._over = asyncio.Event()
        self._lock = asyncio.Lock()
        self._deaths = 0
        self._sign = 0.0
        self._stale = False
        self._refreshing: asyncio.Task[None] | None = None
        self._told: set[str] = set()  # what was left out of its lists
        self.followed = Followed()

    @property
    def usable(self) -> bool:
        return self.state not in ("off", "failed")

    def forgive(self) -> None:
        """Whoever begins anew tries a server that failed once more; what its entry has wrong stays wrong."""
        if self.state == "failed" and not self.config.problem:
            self.state, self._deaths = "idle", 0

    @property
    def log(self) -> Path:
        """Where its standard error goes."""
        return self._folder / f"{_safe(self.config.name)}.log"

    async def client(self) -> Client:
        """The running server, started where it is not. Raises ServerError."""
        async with self._lock:
            if self._client is not None and not self._over.is_set():
                return self._client
            if not self.usable:
                raise ServerError(self._say("cannot be used"))
            return await self._start()

    async def _start(self) -> Client:
        await self._end()
        self.state, self.problem = "starting", ""
        self.followed = Followed()  # a server that was started anew knows nothing of it
        self._over = asyncio.Event()
        ready: asyncio.Future[Client] = asyncio.get_running_loop().create_future()
        self._life = asyncio.create_task(self._live(ready, self._over))
        try:
            client = await asyncio.wait_for(ready, START_SECONDS)
            self._stale = False
            await self._list(client)
            self._client, self.state = client, "ready"
            if self._stale:
                self._changed()
            return client
        except TimeoutError:
            problem = f"no answer within {START_SECONDS:.0f} seconds"
        except asyncio.CancelledError:
            await self._end()
            self.state = "idle"
            raise
        except Exception as error:  # noqa: BLE001 - a transport or a server may fail in any way it likes
            problem = innermost(error)
        await self._end()
        self.state, self.problem = "failed", self.problem or problem
        raise ServerError(self._say("did not start"))

    async def _live(self, ready: asyncio.Future[Client], over: asyncio.Event) -> None:
        """The task that owns the connection: what is entered here is left here."""
        try:
            async with self._connected(over) as client:
                if not ready.done():
                    ready.set_result(client)
                changes = asyncio.create_task(self._changes(client))
                await over.wait()
                changes.cancel()
        except Exception as error:  # noqa: BLE001 - the transports raise groups of whatever went wrong inside them
            if not ready.done():
                ready.set_exception(error)
        finally:
            over.set()
            if not ready.done():
                ready.set_exception(ServerError("ended while it was starting"))
            if self.state == "ready":
                self.state = "ended"

    @asynccontextmanager
    async def _connected(self, over: asyncio.Event) -> AsyncIterator[Client]:
        from mcp import Client
        from mcp_types import Implementation

        quiet()
        with fence.opening(*([self.config.host] if self.config.host else [])):
            client = Client(
                sieved(self._transport(over), lambda: client.protocol_version, self._left_out, self._changed),
                client_info=Implementation(name="localagent", version=__version__),
                cache=None,
                message_handler=self._heard,
                **self.people.callbacks(self.config.name),
            )
            async with client:
                yield client

    def _left_out(self, what: str) -> None:
        if what not in self._told:
            self._told.add(what)
            self.people.notify(f"the MCP server {self.config.name} is used without {clean(what, LEFT_OUT_CHARS)}")

    def _transport(self, over: asyncio.Event) -> Any:
        from localagent.mcp.http import http
        from localagent.mcp.stdio import Words, stdio

        if self.config.url:
            return http(self.config.url, dict(self.config.headers))
        if shutil.which(self.config.argv[0]) is None:
            raise ServerError(f"the program {self.config.argv[0]!r} is not installed or not on the PATH")
        self._words = Words(self.log)

        def ended(status: int) -> None:
            last = self._words.last_line()
            self.problem = f"ended with status {status}" + (f": {last}" if last else "")
            over.set()

        return stdio(self._argv(self.config), dict(self.config.env), self.config.cwd, self._words, ended)

    async def _list(self, client: Client) -> None:
        fresh = await asyncio.wait_for(listings.read_listing(client), LIST_SECONDS)
        before, self.listing = self.listing, fresh
        if fresh != before:
            await asyncio.to_thread(listings.save, self._file, fresh)
        if before is not None and (changed := listings.difference(before, fresh)):
            self.people.notify(f"the MCP server {self.config.name} has other tools than before: {changed}")

    async def _heard(self, message: object) -> None:
        self.followed.heard(message)

    async def _changes(self, client: Client) -> None:
        """Servers of the newer protocol tell of changes only on a stream that was asked for."""
        from mcp import MCPError
        from mcp.client.subscriptions import ListenNotSupportedError, SubscriptionLost

        able = client.server_capabilities.tools
        if not (able and able.list_changed):
            return
        try:
            async with client.listen(tools_list_changed=True) as events:
                async for _ in events:
                    self._changed()
        except (ListenNotSupportedError, SubscriptionLost, MCPError, TimeoutError):
            pass  # older servers notify unasked; the next start lists the tools again

    def _changed(self) -> None:
        """A change of its tools is looked at when the server has time for it: never inside its own message."""
        self._stale = True
        if self._client is not None and (self._refreshing is None or self._refreshing.done()):
            self._refreshing = asyncio.create_task(self._refresh(self._client))

    async def _refresh(self, client: Client) -> None:
        """Lists until nothing has changed since; a server that goes on changing is asked ever more seldom."""
        from mcp import MCPError

        pause = REFRESH_SECONDS
        while self._stale:
            self._stale = False
            try:
                await self._list(client)
            except (MCPError, TimeoutError):  # the next start lists them again
                pass
            await asyncio.sleep(pause)
            pause = min(pause * 2, SELDOM_SECONDS)

    async def use(self, work: Callable[[Client], Awaitable[T]], seconds: float) -> T:
        """One piece of work with the running server, ended after `seconds` without a sign of it.

        Where a server behind an address no longer knows us it has done nothing, so that it is asked once more.
        Raises ServerError, MCPError.
        """
        from mcp import MCPError

        try:
            return await self._use(work, seconds)
        except MCPError as error:
            if not (self.config.url and error.code == FORGOTTEN and self._over.is_set()):
                raise
            return await self._use(work, seconds)

    async def _use(self, work: Callable[[Client], Awaitable[T]], seconds: float) -> T:
        client = await self.client()
        task = asyncio.ensure_future(work(client))
        over = asyncio.ensure_future(self._over.wait())
        try:
            await self._patiently({task, over}, seconds)
            if over.done() or closed(task):  # its last words, or the way it ended, may still be on their way
                await asyncio.wait({task, over}, timeout=1.5)
            if task.done() and not (task.exception() and (over.done() or closed(task))):
                self._deaths = 0
                if self.config.url and lost(task):
                    self._over.set()  # a server that was started anew knows nothing of us: so do we
                return task.result()
            if over.done() or task.done():
                self._died()
            raise ServerError(
                f"the MCP server {self.config.name} did not answer within {seconds:.0f} seconds; the call was cancelled"
            )
        finally:
            for one in (task, over):
                one.cancel()
            await asyncio.gather(task, over, return_exceptions=True)

    async def _patiently(self, waited: set[asyncio.Future[Any]], seconds: float) -> None:
        """Waits for the first: progress counts as a sign, and while a person is asked the time stands still."""
        end = monotonic() + MOST_SECONDS
        while (began := monotonic()) < end:
            done, _ = await asyncio.wait(waited, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
            if done or not (self.people.waiting or self._sign > began):
                return

    def sign(self) -> None:
        """The server said that it is at work."""
        self._sign = monotonic()

    def _died(self) -> None:
        self._deaths += 1
        if self._deaths >= MOST_DEATHS:
            self.state = "failed"
            raise ServerError(self._say(f"ended {self._deaths} times in the middle of a call and is left alone"))
        raise ServerError(
            self._say("ended in the middle of the call; whether that had its effect is not known")
            + ". It is started once more for the next call"
        )

    def _say(self, what: str) -> str:
        why = self.problem or ("it is disabled in " + str(self.config.source) if self.state == "off" else "")
        log = f" (its words: {self.log})" if self.config.argv and self.log.exists() else ""
        return f"the MCP server {self.config.name} {what}" + (f": {why}" if why else "") + log

    async def _end(self) -> None:
        """Leaves the server; returns when it is gone."""
        self._over.set()
        if self._client is None and self._life is not None:  # it never got ready, so that it listens to nothing else
            self._life.cancel()
        self._client = None
        if self._refreshing is not None:
            self._refreshing.cancel()
        for task in (self._refreshing, self._life):
            if task is not None:
                done, _ = await asyncio.wait({task}, timeout=5.0)
                if not done:
                    task.cancel()
                    await asyncio.wait({task}, timeout=5.0)

    async def close(self) -> None:
        await self._end()


def _safe(name: str) -> str:
    return "".join(char if char.isalnum() or char in "-_" else "_" for char in name)


def _key(config: ServerConfig) -> str:
    """Tells entries apart that mean different servers; what an entry says of secrets goes in only as a hash."""
    told = {key: value for key, value in asdict(config).items() if key in ("argv", "env", "url", "headers", "cwd")}
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()[:12]


__all__ = ["Connection", "Listing", "ServerError", "State"]
