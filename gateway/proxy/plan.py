"""What is to be sent where: the model's name, the upstream that takes it, the masked bytes and the way back."""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from gateway import payload
from gateway.body import mask_body
from gateway.config import Config, Upstream
from gateway.errors import PayloadError
from gateway.lastlook import last_look
from gateway.mask import Masker
from gateway.proxy.route import choose
from gateway.vault import Vault

MODEL = re.compile(r"[\w@][\w./:@+-]{0,199}", re.ASCII)
_KEPT_THERE = ("previous_response_id", "conversation")  # name texts that only the provider has
_DRAWN = 900_000  # placeholders have at most six digits
_LIKE_NAMES = {"PERSON", "ORGANIZATION", "LOCATION"}  # what model names themselves look like: claude, mistral


@dataclass(frozen=True, slots=True)
class Route:
    """A path that is served. `needs` is the key that its body must hold; `embeds` says that numbers come back."""

    path: str
    protocol: str
    needs: str
    embeds: bool = False


@dataclass(frozen=True, slots=True)
class Plan:
    """One request as it will leave. `vault` restores the reply; `structured` says that the model answers in JSON.

    `left_out` counts signed thoughts that are not sent, since they hold what must not leave."""

    route: Route
    upstream: Upstream
    model: str
    body: bytes
    vault: Vault
    stream: bool = False
    structured: bool = False
    counts: Mapping[str, int] = field(default_factory=dict)
    left_out: int = 0


def make_plan(config: Config, masker: Masker, route: Route, raw: bytes, words: Sequence[str] = ()) -> Plan:
    """Reads and masks; any GatewayError means that nothing leaves. Heavy: call it off the event loop.

    `words` are the client's headers that go on with the body."""
    table = payload.read(raw)
    _check_needs(table, route)
    model = _model(table, masker)
    upstream = choose(config.upstreams, route.protocol, model)
    vault = masker.new_vault(first=_first_number(table))
    vault.allow(model)
    masked = mask_body(table, masker, vault, depth=config.limits.depth)
    if masked.local and not upstream.local:
        upstream = choose(config.upstreams, route.protocol, model, masked.local)
    if upstream.model:
        masked.table["model"] = upstream.model
    body = payload.write(masked.table)
    last_look(body, vault, masker.pieces)
    check_words(words, masker, vault)
    if table.get("stream"):
        vault.grammar.prepare()
    return Plan(
        route=route,
        upstream=upstream,
        model=model,
        body=body,
        vault=vault,
        stream=bool(table.get("stream")),
        structured=_is_structured(table),
        counts=masked.counts,
        left_out=masked.dropped,
    )


def _first_number(table: dict[str, Any]) -> int:
    """1; where the provider keeps the turns before, any: they may hold all the low numbers, and a number that stands
    for two persons would restore the wrong one. It is drawn, since one made of the text would tell of the text."""
    items = table.get("input")
    kept = any(table.get(key) for key in _KEPT_THERE) or (
        isinstance(items, list) and any(isinstance(one, dict) and _is_reference(one) for one in items)
    )
    return 1000 + secrets.randbelow(_DRAWN) if kept else 1


def _is_reference(item: dict[str, Any]) -> bool:
    return item.get("type") == "item_reference" or item.keys() == {"id"}


def _is_structured(table: dict[str, Any]) -> bool:
    """Whether the answer is to be JSON: response_format, text.format or output_config.format ask for it."""
    holders = (table.get("text"), table.get("output_config"))
    inner = [holder.get("format") for holder in holders if isinstance(holder, dict)]
    formats = [table.get("response_format"), table.get("output_format"), *inner]
    return any(isinstance(one, dict) and str(one.get("type", "")).startswith("json") for one in formats)


def _check_needs(table: dict[str, Any], route: Route) -> None:
    kinds = (list,) if route.needs == "messages" else (list, str)
    value = table.get(route.needs)
    if not isinstance(value, kinds):
        raise PayloadError(f"`{route.needs}` is missing, or of another type than this route takes")
    if table.get("background") and not table.get("stream"):
        raise PayloadError(
            "`background` leaves the answer with the provider, to be fetched from a path that is not served; "
            "leave it out, or stream"
        )
    if route.embeds and isinstance(value, list) and not all(isinstance(one, str) for one in value):
        raise PayloadError("`input` holds tokens, which cannot be read, so that they cannot be masked; send text")


def _model(table: dict[str, Any], masker: Masker) -> str:
    """The model's name, the one text that leaves as it is: it must look like one and hold nothing personal."""
    name = table.get("model")
    if not isinstance(name, str) or not MODEL.fullmatch(name):
        raise PayloadError("`model` must be the name of a model")
    return _looked_at(name, masker)


@lru_cache(maxsize=256)
def _looked_at(name: str, masker: Masker) -> str:
    """The name, kept once nothing was found in it; the next requests name the same."""
    found = set(masker.mask(name, masker.new_vault()).counts) - _LIKE_NAMES
    if found:
        raise PayloadError(f"`model` holds what looks like {', '.join(sorted(found))}; name a model")
    return name


def check_words(words: Sequence[str], masker: Masker, vault: Vault | None = None) -> None:
    """Headers cannot be restored, so that they are not masked: what holds something personal is refused."""
    for word in words:
        if found := masker.mask(word, masker.new_vault()).counts:
            raise PayloadError(f"a header that goes on holds what looks like {', '.join(sorted(found))}; leave it out")
        if vault:
            last_look(word.encode("utf-8", "surrogateescape"), vault)
