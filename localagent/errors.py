"""Everything localagent raises on purpose.

LocalAgentError
├── ConfigError            models.toml, settings or a schema file is wrong
├── UsageError             a command line that cannot be carried out (exit status 2)
├── MissingExtraError      a package of an extra is not installed
├── ModelError             a model could not answer; `transient` says whether trying again may help
│   ├── ModelUnavailableError    server not there, file missing, worker gone
│   ├── ModelNotFoundError       the server does not have this model: offer the pull
│   ├── ContextOverflowError     the prompt does not fit the window that is really served
│   ├── PromptCutError           the server cut the prompt in silence
│   ├── ModelTimeoutError        no byte for longer than the entry allows
│   ├── BadReplyError            the server answered what no protocol allows (empty 200, cut stream)
│   ├── ToolsUnsupportedError    the model takes no native tools
│   └── CloudRefusedError        nothing was sent to a cloud: the person, the policy or the masking says no
├── ConnectionRefusedByFenceError   a host that the configuration does not name
└── ResumeError            a session that cannot be continued
"""

from __future__ import annotations


class LocalAgentError(Exception):
    """Base of all; its text is one line that says what is wrong and what to do."""


class ConfigError(LocalAgentError):
    """A configuration that cannot be used: names file, line, key, what was found and what is allowed."""


class UsageError(LocalAgentError):
    """A command line that cannot be carried out."""


class MissingExtraError(LocalAgentError):
    """A feature needs packages of an extra; the text names the command that installs it."""


class ModelError(LocalAgentError):
    """A model could not answer. `why` is a stable word for what a fallback tells: down, slow, context, …"""

    transient = False
    why = "failed"
    wait = 0.0  # seconds that a busy server asks to be left alone


class ModelUnavailableError(ModelError):
    """The runtime is not there: a server that does not listen, a missing file, a worker that died."""

    transient = True
    why = "down"


class ModelNotFoundError(ModelError):
    """The server is there, the model is not."""

    why = "down"


class ContextOverflowError(ModelError):
    """The prompt does not fit; `needed` and `window` are in tokens, None where unknown."""

    why = "context"

    def __init__(self, text: str, *, needed: int | None = None, window: int | None = None) -> None:
        super().__init__(text)
        self.needed = needed
        self.window = window


class PromptCutError(ContextOverflowError):
    """The server evaluated fewer tokens than were sent: it cut the prompt without saying so."""


class ModelTimeoutError(ModelError):
    """Nothing came for longer than the entry's `silence_timeout` allows."""

    transient = True
    why = "slow"


class BadReplyError(ModelError):
    """The answer breaks the protocol: an empty 200, a stream that ends in the middle, no JSON."""

    transient = True


class ToolsUnsupportedError(ModelError):
    """The model takes no native tools; the text dialect is the way out."""

    why = "tools"


class CloudRefusedError(ModelError):
    """Nothing was sent: the person said no, the policy keeps a type in the house, or masking failed."""

    why = "cloud"


class ConnectionRefusedByFenceError(LocalAgentError):
    """A connection to a host that the configuration does not name."""


class ResumeError(LocalAgentError):
    """A session that does not exist or cannot be continued."""
