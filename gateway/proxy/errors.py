"""Errors as each protocol writes them, and which HTTP status an exception of the house has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gateway.errors import BlockedError, GatewayError, LeakError, PayloadError, RequestError

if TYPE_CHECKING:
    from starlette.responses import Response

_ANTHROPIC = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    504: "timeout_error",
    529: "overloaded_error",
}
_OPENAI = {401: "authentication_error", 403: "permission_error", 429: "rate_limit_error"}


def status_of(error: GatewayError) -> int:
    """403 what the policy blocks, 422 what masking could not hide, 400 what cannot be read, 500 a failed detector."""
    if isinstance(error, RequestError):
        return error.status
    known = ((BlockedError, 403), (LeakError, 422), (PayloadError, 400))
    return next((status for kind, status in known if isinstance(error, kind)), 500)


def error_body(protocol: str, status: int, message: str, code: str | None = None) -> dict[str, Any]:
    """The error object of a whole reply."""
    if protocol == "anthropic":
        kind = _ANTHROPIC.get(status, "invalid_request_error" if status < 500 else "api_error")
        return {"type": "error", "error": {"type": kind, "message": message}}
    kind = _OPENAI.get(status, "invalid_request_error" if status < 500 else "server_error")
    return {"error": {"message": message, "type": kind, "param": None, "code": code}}


def refusal(protocol: str, error: GatewayError) -> Response:
    """The whole reply that says why a request was refused."""
    from starlette.responses import JSONResponse

    status = status_of(error)
    return JSONResponse(error_body(protocol, status, str(error)), status)
