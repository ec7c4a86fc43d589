"""Who may ask: bearer keys by their hash, the models, rate and budget of each client; without clients the loopback."""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING

from gateway.config import Client, Upstream
from gateway.errors import RequestError
from gateway.proxy.budget import Uses, over_rate
from gateway.proxy.route import takes

if TYPE_CHECKING:
    from starlette.requests import Request

KEY_HEADER = "x-gateway-key"
ANYONE = Client("", "")  # a caller on the loopback where no clients are configured
_FORWARDED = ("forwarded", "x-forwarded-for", "x-real-ip")


class Access:
    """The door of one process. `uses` may be None where no client has a rate or a budget."""

    def __init__(self, clients: tuple[Client, ...], uses: Uses | None = None) -> None:
        self._keys = [(bytes.fromhex(client.key.removeprefix("sha256:")), client) for client in clients]
        self._uses = uses
        self._open: Counter[str] = Counter()  # admitted, and not in the ledger yet

    def identify(self, headers: Mapping[str, str], peer: str) -> Client:
        """The client behind a request; RequestError 401 or 403."""
        if not self._keys:
            if not _is_local(headers, peer):
                raise RequestError(403, "without [clients] in gateway.toml only this machine is served")
            return ANYONE
        key = presented_key(headers)
        if key is None:
            raise RequestError(
                401, f"a key of this gateway is needed: send it as `Authorization: Bearer …`, x-api-key or {KEY_HEADER}"
            )
        if (client := self._owner(key)) is None:
            raise RequestError(401, "this key is none of the [clients] of gateway.toml")
        return client

    def may_look(self, headers: Mapping[str, str], peer: str) -> bool:
        """Whether figures may be shown: to a client, and to a person on this machine."""
        if _is_local(headers, peer):
            return True
        key = presented_key(headers)
        return key is not None and self._owner(key) is not None

    def admit(self, client: Client) -> None:
        """Counts the request; RequestError 429 over the rate or the budget. Call `recorded` when its row is written."""
        if self._uses is not None:
            self._within_rate(client, self._uses)
            self._within_budget(client, self._uses)
        self._open[client.name] += 1

    def recorded(self, client: Client) -> None:
        """The ledger holds the request, or it is over."""
        self._open[client.name] -= 1

    def _within_rate(self, client: Client, uses: Uses) -> None:
        if client.rate is not None and uses.rate(client.name) + self._open[client.name] >= client.rate:
            raise over_rate(client.name, client.rate, uses)

    def _within_budget(self, client: Client, uses: Uses) -> None:
        if client.tokens is None and client.usd is None:
            return
        used = uses.today(client.name)
        spent = client.tokens is not None and used.tokens >= client.tokens and f"{client.tokens} tokens"
        spent = spent or (client.usd is not None and used.usd >= client.usd and f"{client.usd:g} US dollars")
        if spent:
            raise RequestError(
                429,
                f"the client {client.name} has used its {spent} of today; a new day begins at midnight UTC",
                retry_after=uses.until_midnight(),
            )

    def _owner(self, key: str) -> Client | None:
        """Every hash is compared, each in constant time: the time says nothing about which one was near."""
        digest = hashlib.sha256(key.encode("utf-8", "surrogateescape")).digest()
        owner = None
        for known, client in self._keys:
            if hmac.compare_digest(digest, known):
                owner = client
        return owner


def peer_of(request: Request) -> str:
    """The address of the caller; empty where the server does not know it."""
    return request.client.host if request.client else ""


def presented_key(headers: Mapping[str, str]) -> str | None:
    """The gateway's key of a request: in its own header, else where SDKs put a provider's key."""
    if KEY_HEADER in headers:
        return headers[KEY_HEADER]
    scheme, _, token = headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer" and token.strip():
        return token.strip()
    return headers.get("x-api-key")


def check_model(client: Client, model: str) -> None:
    """RequestError 403 for a model that the client may not use."""
    if not takes(client, model):
        raise RequestError(403, f"the client {client.name} may use the models {', '.join(client.models)} only")


def check_provider_key(client: Client, upstream: Upstream, headers: Mapping[str, str]) -> None:
    """RequestError 401 where the gateway's own key would be passed on as the provider's."""
    if upstream.pass_through and client is not ANYONE and KEY_HEADER not in headers:
        raise RequestError(
            401,
            f"the upstream {upstream.name} takes your own provider key in the usual header: "
            f"send the gateway's key as {KEY_HEADER}; nothing was sent on",
        )


def is_loopback(host: str) -> bool:
    """Whether an address or a host's name is this machine."""
    if host.lower() == "localhost":
        return True
    try:
        address = ipaddress.ip_address(host.strip("[]"))
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    return bool((mapped or address).is_loopback)


def _is_local(headers: Mapping[str, str], peer: str) -> bool:
    """A caller on this machine: no reverse proxy in front, and no foreign name that a web page made resolve to it."""
    return (
        is_loopback(peer)
        and is_loopback(_host_name(headers.get("host", "localhost")))
        and not any(header in headers for header in _FORWARDED)
    )


def _host_name(host: str) -> str:
    """The name of a Host header, without its port."""
    return host[1:].partition("]")[0] if host.startswith("[") else host.partition(":")[0]
