"""What is to be sent where: the model's name, the upstream that takes it, the masked bytes and the way back."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any

from gateway import payload
from gateway.config import Config, Upstream
from gateway.errors import BlockedError, PayloadError, RequestError
from gateway.lastlook import last_look
from gateway.mask import Masker
from gateway.vault import Vault

_MODEL = re.compile(r"[\w@][\w./:@+-]{0,199}", re.ASCII)
_LIKE_NAMES = {"PERSON", "ORGANIZATION", "LOCATION"}  # what model names themselves look like: claude, mistral


@dataclass(frozen=True, slots=True)
class Route:
    """A path that is served. `needs` is the key that its body must hold."""

    path: str
    protocol: str
    needs: str


@dataclass(frozen=True, slots=True)
class Plan:
    """One request as it will leave. `vault` restores the reply."""

    route: Route
    protocol: str
    upstream: Upstream
    model: str
    body: bytes
    vault: Vault
    stream: bool = False
    client: str = ""
    counts: Mapping[str, int] = field(default_factory=dict)


def make_plan(config: Config, masker: Masker, route: Route, raw: bytes, client: str = "") -> Plan:
    """Reads and masks; any GatewayError means that nothing leaves. Heavy: call it off the event loop."""
    table = payload.read(raw)
    if table.get("stream"):
        raise PayloadError("this version answers no streams yet; send stream = false")
    if not isinstance(table.get(route.needs), list if route.needs == "messages" else list | str):
        raise PayloadError(f"`{route.needs}` is missing, or of another type than this route takes")
    model = _model(table, masker)
    upstream = choose(config, route.protocol, model)
    vault = masker.new_vault()
    vault.allow(model)
    masked = masker.mask_many(list(payload.texts(table)), vault)
    if not upstream.local and (kept := sorted({kind for one in masked for kind in one.local})):
        raise BlockedError(f"the policy keeps {', '.join(kept)} in the house; ask a model of a local upstream")
    queue = iter(masked)
    body = json.dumps(payload.rewrite(table, lambda _text, _key: next(queue).text), ensure_ascii=False).encode()
    last_look(body, vault)
    counts: dict[str, int] = {}
    for one in masked:
        for kind, count in one.counts.items():
            counts[kind] = counts.get(kind, 0) + count
    return Plan(route, route.protocol, upstream, model, body, vault, bool(table.get("stream")), client, counts)


def choose(config: Config, protocol: str, model: str) -> Upstream:
    """The first upstream of this protocol whose patterns take the model."""
    for one in config.upstreams:
        if one.protocol == protocol and any(fnmatchcase(model, pattern) for pattern in one.models):
            return one
    raise RequestError(404, f"no {protocol} upstream of gateway.toml takes this model; nothing was sent on")


def _model(table: dict[str, Any], masker: Masker) -> str:
    """The model's name, the one text that leaves as it is: it must look like one and hold nothing personal."""
    name = table.get("model")
    if not isinstance(name, str) or not _MODEL.fullmatch(name):
        raise PayloadError("`model` must be the name of a model")
    found = set(masker.mask(name, masker.new_vault()).counts) - _LIKE_NAMES
    if found:
        raise PayloadError(f"`model` holds what looks like {', '.join(sorted(found))}; name a model")
    return name
