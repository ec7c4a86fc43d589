"""Everything the gateway raises on purpose.

    GatewayError
    ├── ConfigError          gateway.toml, a policy or a pattern is wrong
    ├── DetectionError       a detector failed or ran out of time: the request must not leave
    ├── BlockedError         the policy blocks an entity type that the text holds
    ├── LeakError            the last look found a value in the outgoing bytes
    ├── PayloadError         a body that cannot be read, so that it cannot be masked
    ├── RequestError         a request to the proxy that is refused with an HTTP status
    ├── UpstreamError        a model server that cannot be reached, or whose reply cannot be used
    ├── VaultError           the vault cannot be opened, or its key is missing
    ├── MissingExtraError    a package of an extra is not installed
    └── LedgerError
        ├── LedgerCorruptError   the file is no ledger, or it is damaged
        └── LedgerWriteError     disk full, read-only, locked for too long

No message ever holds a value that was found in a text: types, positions and counts only.
"""

from collections.abc import Mapping


class GatewayError(Exception):
    """Base of all; its text is one line that says what is wrong and what to do."""


class ConfigError(GatewayError):
    """A configuration that cannot be used: names file, key, what was found and what is allowed."""


class DetectionError(GatewayError):
    """A detector raised or ran out of time; nothing may leave."""


class BlockedError(GatewayError):
    """The policy forbids an entity type that the text holds; `types` counts them."""

    def __init__(self, message: str, types: Mapping[str, int] | None = None) -> None:
        super().__init__(message)
        self.types = dict(types or {})


class LeakError(GatewayError):
    """A value of the vault was found in bytes that were about to leave."""


class PayloadError(GatewayError):
    """A request or reply that cannot be read completely."""


class RequestError(GatewayError):
    """A request that the proxy refuses; `status` is the HTTP status that says so, `retry_after` seconds to wait."""

    def __init__(self, status: int, message: str, *, retry_after: int | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.retry_after = retry_after


class UpstreamError(RequestError):
    """The upstream gave no usable reply: 502, or 504 when it took too long; `unsent` where nothing reached it."""

    def __init__(self, status: int, message: str, *, unsent: bool = False) -> None:
        super().__init__(status, message)
        self.unsent = unsent


class VaultError(GatewayError):
    """The vault cannot be opened, or it does not know the session."""


class MissingExtraError(GatewayError):
    """A feature needs packages of an extra that is not installed."""


class LedgerError(GatewayError):
    """The ledger cannot be used."""


class LedgerCorruptError(LedgerError):
    """The file is not a ledger, or it is damaged."""


class LedgerWriteError(LedgerError):
    """An event could not be made durable; its effect must not happen."""
