"""Which upstream answers: by protocol and by the model's name; what the policy keeps in the house, a local one."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from fnmatch import fnmatchcase

from gateway.config import Client, Upstream
from gateway.errors import RequestError


def choose(upstreams: Sequence[Upstream], protocol: str, model: str, kept: Collection[str] = ()) -> Upstream:
    """The first upstream of this protocol whose patterns take the model; RequestError 404 if there is none.

    `kept` are entity types that must not leave the house: the first local upstream whose patterns take the model
    answers, else the first local one of the protocol; RequestError 403 if there is none.
    """
    speaking = [one for one in upstreams if one.protocol == protocol]
    if kept:
        return _local(upstreams, speaking, model, kept)
    if not (taking := [one for one in speaking if takes(one, model)]):
        raise RequestError(404, f"no {protocol} upstream of gateway.toml takes this model; nothing was sent on")
    return taking[0]


def takes(one: Upstream | Client, model: str) -> bool:
    """Whether one of its patterns is for this model."""
    return any(fnmatchcase(model, pattern) for pattern in one.models)


def _local(upstreams: Sequence[Upstream], speaking: Sequence[Upstream], model: str, kept: Collection[str]) -> Upstream:
    types = ", ".join(sorted(kept))
    local = [one for one in speaking if one.local]
    if local:
        return next((one for one in local if takes(one, model)), local[0])
    others = sorted({one.protocol for one in upstreams if one.local})
    if others:
        raise RequestError(
            403,
            f"the policy keeps {types} in the house, and the local upstream speaks {' and '.join(others)} only: "
            "ask it in that protocol; protocols are not translated, and nothing was sent on",
        )
    raise RequestError(
        403,
        f"the policy keeps {types} in the house and gateway.toml names no local upstream; nothing was sent on. "
        "Add an [[upstream]] with local = true, or take it out of the text",
    )
