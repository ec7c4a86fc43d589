"""`gateway serve`: /v1/chat/completions and /v1/messages, whole replies. What it does not know it refuses."""

from __future__ import annotations

import json
import os
import re
import sys
import time
from argparse import Namespace
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from gateway import payload
from gateway.config import Config, Upstream, load_config
from gateway.errors import BlockedError, ConfigError, GatewayError, PayloadError
from gateway.lastlook import last_look
from gateway.ledger import Ledger
from gateway.mask import Masker
from gateway.restore import restore
from gateway.vault import Vault

if TYPE_CHECKING:
    import httpx
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response

_ROUTES = {"/v1/chat/completions": "openai", "/v1/messages": "anthropic"}
_MODEL = re.compile(r"[\w@][\w./:@+-]{0,199}", re.ASCII)
_LIKE_NAMES = {"PERSON", "ORGANIZATION", "LOCATION"}  # what model names themselves look like: claude, mistral
_LOOPBACK = ("127.0.0.1", "::1", "localhost")


@dataclass(frozen=True, slots=True)
class Proxy:
    """What a request needs: the configuration, one masker, the ledger and the pool of connections."""

    config: Config
    masker: Masker
    ledger: Ledger
    http: httpx.AsyncClient

    async def answer(self, request: Request) -> Response:
        """Masks, writes the ledger row, forwards, restores; any GatewayError before that means nothing leaves."""
        from starlette.concurrency import run_in_threadpool
        from starlette.responses import Response

        protocol = _ROUTES[request.url.path]
        try:
            upstream, body, vault, row = await run_in_threadpool(
                self.prepare, protocol, await _body(request, self.config)
            )
        except BlockedError as error:
            return _error(protocol, 403, str(error))
        except GatewayError as error:
            return _error(protocol, 400, str(error))
        except Exception as error:  # noqa: BLE001 - fail closed, and a traceback would hold the text
            return _error(protocol, 500, f"masking failed ({type(error).__name__}); nothing was sent on")
        started = time.monotonic()
        outcome: str = "failed"
        usage: dict[str, Any] = {}
        try:
            reply = await self.http.post(
                _url(upstream, request.url.path), content=body, headers=_headers(upstream, request)
            )
            whole = json.loads(reply.content)
            outcome, usage = ("done" if reply.is_success else "refused"), whole.get("usage") or {}
            restored = payload.rewrite(whole, lambda text, key: restore(text, vault.map, json=key == "arguments"))
            return Response(json.dumps(restored, ensure_ascii=False), reply.status_code, media_type="application/json")
        except (OSError, ValueError, AttributeError, GatewayError, _http_error()) as error:
            return _error(protocol, 502, f"the upstream {upstream.name} gave no usable reply ({type(error).__name__})")
        finally:
            tokens = [
                usage.get(a, usage.get(b))
                for a, b in (("prompt_tokens", "input_tokens"), ("completion_tokens", "output_tokens"))
            ]
            self.ledger.append(
                "gateway_reply",
                {
                    "request": row,
                    "outcome": outcome,
                    "input_tokens": tokens[0],
                    "output_tokens": tokens[1],
                    "seconds": time.monotonic() - started,
                },
            )

    def prepare(self, protocol: str, raw: bytes) -> tuple[Upstream, bytes, Vault, int]:
        """The masked bytes, the vault that restores the reply, and the id of the ledger row that was written."""
        table = payload.read(raw)
        if table.get("stream"):
            raise PayloadError("this version answers no streams yet; send stream = false")
        upstream = self._upstream(protocol, self._model(table))
        vault = self.masker.new_vault()
        masked = self.masker.mask_many(list(payload.texts(table)), vault)
        if not upstream.local and (kept := sorted({kind for one in masked for kind in one.local})):
            raise BlockedError(f"the policy keeps {', '.join(kept)} in the house; ask a model of a local upstream")
        queue = iter(masked)
        body = json.dumps(payload.rewrite(table, lambda _text, _key: next(queue).text), ensure_ascii=False).encode()
        last_look(body, vault)
        counts: dict[str, int] = {}
        for one in masked:
            for kind, count in one.counts.items():
                counts[kind] = counts.get(kind, 0) + count
        row = self.ledger.append(
            "gateway_request",
            {
                "client": "",
                "model": table.get("model"),
                "protocol": protocol,
                "upstream": upstream.name,
                "masked": counts,
                "bytes": len(body),
            },
        )
        return upstream, body, vault, row

    def _model(self, table: dict[str, Any]) -> str:
        """The model's name, the one text that leaves as it is: it must look like one and hold nothing personal."""
        name = table.get("model")
        if not isinstance(name, str) or not _MODEL.fullmatch(name):
            raise PayloadError("`model` must be the name of a model")
        if not isinstance(table.get("messages"), list):
            raise PayloadError("`messages` must be a list")
        found = set(self.masker.mask(name, self.masker.new_vault()).counts) - _LIKE_NAMES
        if found:
            raise PayloadError(f"`model` holds what looks like {', '.join(sorted(found))}; name a model")
        return name

    def _upstream(self, protocol: str, model: str) -> Upstream:
        for one in self.config.upstreams:
            if one.protocol == protocol and any(fnmatchcase(model, pattern) for pattern in one.models):
                return one
        raise PayloadError(f"no {protocol} upstream of gateway.toml takes this model")


async def _body(request: Request, config: Config) -> bytes:
    if request.headers.get("content-encoding", "identity") != "identity":
        raise PayloadError("the body is compressed, so that it cannot be read; send it plain")
    if request.url.query:
        raise PayloadError("query values are not forwarded; leave them out")
    raw = b""
    async for piece in request.stream():
        raw += piece
        if len(raw) > config.limits.body_mb * 1e6:
            raise PayloadError(f"the body is larger than {config.limits.body_mb} MB")
    return raw


def _url(upstream: Upstream, path: str) -> str:
    base = upstream.base_url.rstrip("/")
    return base + (path.removeprefix("/v1") if base.endswith("/v1") else path)


def _headers(upstream: Upstream, request: Request) -> dict[str, str]:
    headers = {"content-type": "application/json", "accept-encoding": "identity"}
    if upstream.protocol == "anthropic":
        headers["anthropic-version"] = "2023-06-01"
    own = os.environ.get(upstream.api_key_env, "") if upstream.api_key_env else ""
    if upstream.pass_through:
        return headers | {
            name: request.headers[name] for name in ("authorization", "x-api-key") if name in request.headers
        }
    if own:
        headers |= {"x-api-key": own} if upstream.protocol == "anthropic" else {"authorization": f"Bearer {own}"}
    return headers


def _http_error() -> type[Exception]:
    import httpx

    return httpx.HTTPError


def _error(protocol: str, status: int, message: str) -> Response:
    from starlette.responses import JSONResponse

    error: dict[str, Any] = {"type": "invalid_request_error" if status < 500 else "api_error", "message": message}
    shape = (
        {"type": "error", "error": error}
        if protocol == "anthropic"
        else {"error": error | {"param": None, "code": None}}
    )
    return JSONResponse(shape, status)


def build(config: Config, masker: Masker) -> Starlette:
    """The application; the ledger is opened here, connections when they are first needed."""
    import httpx
    from starlette.applications import Starlette
    from starlette.responses import JSONResponse
    from starlette.routing import Route

    proxy = Proxy(
        config,
        masker,
        Ledger(config.ledger),
        httpx.AsyncClient(timeout=config.limits.upstream_seconds, trust_env=False),
    )

    async def healthy(_: Request) -> Response:
        return JSONResponse({"status": "ok"})

    async def refused(request: Request, error: Exception) -> Response:
        status = getattr(error, "status_code", 404)
        return _error("openai", status, f"{request.method} on this path is not served; nothing was sent on")

    app = Starlette(
        routes=[Route("/healthz", healthy), *(Route(path, proxy.answer, methods=["POST"]) for path in _ROUTES)],
        exception_handlers={404: refused, 405: refused},
    )
    app.router.redirect_slashes = False
    return app


def serve(options: Namespace) -> int:
    """Runs until it is stopped. Only the loopback address is served: this version checks no client keys yet."""
    import uvicorn

    from gateway.detect.engine import load_detector

    config = load_config(options.config)
    if options.host not in _LOOPBACK or config.clients:
        raise ConfigError("this version checks no client keys: serve 127.0.0.1 and leave [clients] out")
    if not config.upstreams:
        raise ConfigError(
            f"serve has nothing to forward to: write an [[upstream]] into {config.file or 'gateway.toml'}"
        )
    app = build(config, Masker(load_detector(config.detect), config.policy))
    names = ", ".join(f"{one.name} ({one.base_url})" for one in config.upstreams)
    sys.stderr.write(f"gateway: http://{options.host}:{options.port}/v1 masks for {names}; Ctrl-C ends it\n")
    uvicorn.run(app, host=options.host, port=options.port, access_log=False, log_level="warning")
    return 0
