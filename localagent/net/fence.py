"""No connection but to loopback and to hosts that the configuration names.

The fence is a Python audit hook, so that it also holds inside libraries; once installed it cannot be taken away
by code that runs later. It sees what Python's `socket` does in this process: child processes are the sandbox's
business, and native code that opens sockets by itself is not used here.
"""

from __future__ import annotations

import ipaddress
import socket
import sys
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

from localagent.config.models_toml import is_loopback
from localagent.errors import ConnectionRefusedByFenceError

Verdict = Literal["opened", "refused"]
Listener = Callable[[Verdict, str], None]

_CONNECTS = frozenset({"socket.connect", "socket.sendto", "socket.sendmsg"})
_LOOKUPS = frozenset({"socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr"})
_NOWHERE = frozenset({"", "0.0.0.0", "::"})  # addresses that connect to this machine or only bind


@dataclass(slots=True)
class Fence:
    """What may be reached. `opened` and `refused` hold every host that was tried beyond loopback."""

    hosts: frozenset[str] = frozenset()
    listener: Listener | None = None
    opened: set[str] = field(default_factory=set)
    refused: set[str] = field(default_factory=set)
    _pulling: list[str] = field(default_factory=list)
    _far: list[str] = field(default_factory=list)  # names that must not turn out to be this machine
    _addresses: dict[str, str] = field(default_factory=dict)  # address → the allowed name that it was looked up for

    def allow(self, hosts: Iterable[str]) -> None:
        """Sets the named hosts; called again when models.toml has changed."""
        self.hosts = frozenset(host.lower() for host in hosts)

    @contextmanager
    def opening(self, *hosts: str, far: bool = False) -> Iterator[None]:
        """Allows hosts for one piece of work that the person asked for, such as a pull.

        `far`: a name of another machine, whose owner could let it point to this one and what listens here.
        """
        names = [spelling for host in hosts for spelling in _spellings(host.lower())]
        distant = [name for name in names if far and not is_loopback(name)]
        self._pulling.extend(names)
        self._far.extend(distant)
        try:
            yield
        finally:
            for name in names:
                self._pulling.remove(name)
            for name in distant:
                self._far.remove(name)

    def allows(self, host: str) -> bool:
        host = host.lower().rstrip(".")
        name = self._addresses.get(host, host)
        return is_loopback(host) or host in _NOWHERE or name in self.hosts or name in self._pulling

    def check(self, host: str) -> None:
        """Raises ConnectionRefusedByFenceError for a host that nobody named; tells the listener of new ones."""
        host = host.lower().rstrip(".")
        if is_loopback(host) or host in _NOWHERE:
            return
        name = self._addresses.get(host, host)
        if self.allows(host):
            self._tell("opened", name, self.opened)
            return
        self._tell("refused", name, self.refused)
        raise ConnectionRefusedByFenceError(
            f"no connection to {name}: models.toml names no such host. localagent works offline; to allow it, "
            "write an entry whose `base_url` has this host"
        )

    def learn(self, host: str, addresses: Collection[str]) -> None:
        """Remembers which addresses an allowed name has, so that connecting to them is allowed too.

        Raises ConnectionRefusedByFenceError for a name of another machine that points to this one or its own link.
        """
        name = host.lower().rstrip(".")
        if name in self._far and (near := next(filter(_is_here, addresses), "")):
            raise ConnectionRefusedByFenceError(f"{name} is {near}, this machine; name it so if that is meant")
        self._addresses.update({address: host.lower().rstrip(".") for address in addresses if address != host})

    def _tell(self, verdict: Verdict, host: str, seen: set[str]) -> None:
        if host not in seen:
            seen.add(host)
            if self.listener is not None:
                self.listener(verdict, host)


_installed: Fence | None = None


def install(hosts: Iterable[str] = (), listener: Listener | None = None) -> Fence:
    """Puts up the fence of this process, for good; a second call changes its hosts and its listener."""
    global _installed
    if _installed is None:
        _installed = Fence()
        sys.addaudithook(_hook)
        _learn_from_lookups(_installed)
    _installed.allow(hosts)
    _installed.listener = listener or _installed.listener
    return _installed


def installed() -> Fence | None:
    """The fence of this process, None where none was put up."""
    return _installed


@contextmanager
def opening(*hosts: str, far: bool = False) -> Iterator[None]:
    """`Fence.opening` of this process's fence; without a fence everything is open anyway."""
    if _installed is None:
        yield
        return
    with _installed.opening(*hosts, far=far):
        yield


def _hook(event: str, args: tuple[Any, ...]) -> None:
    if not event.startswith("socket.") or _installed is None:
        return
    if event in _CONNECTS and args[0].family != socket.AF_UNIX:
        _installed.check(_address_host(args[1]))
    elif event in _LOOKUPS and args[0] is not None:
        _installed.check(_text(args[0]))


def _spellings(host: str) -> list[str]:
    """A name as people write it and as it is looked up, which differ beyond ASCII."""
    try:
        return list(dict.fromkeys((host, host.encode("idna").decode())))
    except UnicodeError:
        return [host]


def _is_here(address: str) -> bool:
    """Whether an address is of this machine or of its own link, where clouds keep their keys."""
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return False
    found = getattr(found, "ipv4_mapped", None) or found
    return found.is_loopback or found.is_link_local or found.is_unspecified


def _address_host(address: Any) -> str:
    """The host of a socket address; None is the address of a connected socket, which was checked."""
    if address is None:
        return ""
    return _text(address[0]) if isinstance(address, tuple) and address else repr(address)


def _text(host: Any) -> str:
    return host.decode("ascii", "replace") if isinstance(host, bytes | bytearray) else str(host)


def _learn_from_lookups(fence: Fence) -> None:
    """Audit hooks see questions, not answers: the lookup itself is wrapped to learn the addresses of allowed names."""
    real = socket.getaddrinfo

    def getaddrinfo(host: Any, *args: Any, **kwargs: Any) -> Any:
        found = real(host, *args, **kwargs)
        if host is not None and not is_loopback(_text(host)):
            fence.learn(_text(host), [str(row[4][0]) for row in found])
        return found

    socket.getaddrinfo = getaddrinfo


__all__ = ["Fence", "Listener", "Verdict", "install", "installed", "opening"]
