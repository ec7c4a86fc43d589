"""The gateway's engine as the agent uses it: one masker of gateway.toml, and one vault a session.

Nothing of it is loaded before the first text is masked, which happens in a thread.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from localagent.errors import CloudRefusedError, ConfigError, LocalAgentError, MissingExtraError
from localagent.models.texts import Piece, pieces, rewritten
from localagent.ports import OutgoingText, Request

if TYPE_CHECKING:
    from gateway.config import Config
    from gateway.keep import Keeper
    from gateway.mask import Decision, Masked, Masker
    from gateway.vault import Vault

NEEDED = ("presidio_analyzer", "spacy", "cryptography", "phonenumbers", "re2")


@dataclass(frozen=True, slots=True)
class MaskedRequest:
    """A request as it may leave, and every text of it before and after."""

    request: Request
    texts: tuple[OutgoingText, ...]
    counts: dict[str, int]
    local: frozenset[str]  # types that the policy keeps in the house: it must not leave


class Engine:
    """The masker of one gateway.toml and the vaults of this process's sessions under it."""

    def __init__(self, file: Path | None) -> None:
        self._file = file
        self._lock = Lock()
        self._config: Config | None = None
        self._masker: Masker | None = None
        self._keeper: Keeper | None = None
        self._conversations: dict[str, Conversation] = {}

    @property
    def loaded(self) -> bool:
        return self._masker is not None

    def config(self) -> Config:
        """gateway.toml as read once a process. Raises ConfigError."""
        if self._config is None:
            from gateway.config import load_config, parse_config
            from gateway.errors import ConfigError as Wrong

            try:
                self._config = load_config(self._file) if self._file else parse_config("")
            except Wrong as error:
                raise ConfigError(str(error)) from None
        return self._config

    def masker(self) -> Masker:
        """Loads the detectors with the first call. Raises ConfigError, MissingExtraError."""
        with self._lock:
            if self._masker is None:
                from gateway.detect.engine import load_detector
                from gateway.errors import MissingExtraError as Missing
                from gateway.mask import Masker

                config = self.config()
                try:
                    self._masker = Masker(load_detector(config.detect), config.policy)
                except Missing as error:
                    raise MissingExtraError(str(error)) from None
            return self._masker

    def keeper(self) -> Keeper | None:
        """Where vaults are kept, None where `[vault] keep` does not ask for it."""
        settings = self.config().vault
        if self._keeper is None and settings.keep:
            from gateway.keep import open_keeper

            self._keeper = open_keeper(settings)
        return self._keeper

    def conversation(self, session: str) -> Conversation:
        """The one of a session, with its kept vault where there is one. Raises GatewayError."""
        if session not in self._conversations:
            keeper = self.keeper()
            vault = (keeper.load(session) if keeper else None) or self.masker().new_vault()
            self._conversations[session] = Conversation(self, session, vault)
        return self._conversations[session]

    def mask(self, text: str, session: str = "") -> Masked:
        """One text as it would leave now, with the session's placeholders where it has some. Raises GatewayError."""
        from gateway.vault import Vault

        masker, conversation = self.masker(), self._conversations.get(session)
        vault = Vault.from_state(conversation.vault.to_state()) if conversation else masker.new_vault()
        return masker.mask(text, vault)

    def forget(self, session: str) -> None:
        """Erases the vault of a session, in memory and where it is kept. Raises VaultError."""
        self._conversations.pop(session, None)
        settings = self.config().vault
        if any(settings.folder.glob("*.vault")):
            from gateway.keep import open_keeper

            open_keeper(settings).erase(session)


@dataclass(slots=True)
class Conversation:
    """The vault of one session, and what was decided for each text so far.

    Only new texts are looked at. A value that a later text shows is masked in earlier ones too.
    """

    engine: Engine
    session: str
    vault: Vault
    _decided: list[tuple[str, Decision]] = field(default_factory=list)
    _lock: Lock = field(default_factory=Lock)
    _kept: int = -1

    def mask(self, request: Request) -> MaskedRequest:
        """Raises GatewayError for what must not leave, CloudRefusedError for an image."""
        found = pieces(request)
        with self._lock:
            masked = self._masked([piece.shown for piece in found])
            self._keep()
        queue = iter(zip(found, masked, strict=True))

        def change(piece: Piece) -> str:
            at, one = next(queue)
            return at.without_key(one.text)

        counts: Counter[str] = Counter()
        for one in masked:
            counts.update(one.counts)
        local = frozenset(kind for one in masked for kind in one.local)
        texts = tuple(_outgoing(piece, one) for piece, one in zip(found, masked, strict=True) if piece.text)
        return MaskedRequest(rewritten(request, change), texts, dict(sorted(counts.items())), local)

    def _masked(self, texts: list[str]) -> list[Masked]:
        masker = self.engine.masker()
        same = 0
        while same < min(len(texts), len(self._decided)) and texts[same] == self._decided[same][0]:
            same += 1
        self._decided = self._decided[:same]
        for text in texts[same:]:
            self._decided.append((text, masker.decide(text, self.vault)))
        masker.refuse_blocked(entity.type for _, decision in self._decided for entity in decision.spans)
        return [masker.finish(text, decision, self.vault) for text, decision in self._decided]

    def _keep(self) -> None:
        """Writes the vault where it grew, before anything of it leaves."""
        keeper = self.engine.keeper()
        if keeper is not None and self._kept != self.vault.known.order:
            keeper.save(self.session, self.vault)
            self._kept = self.vault.known.order


def _outgoing(piece: Piece, masked: Masked) -> OutgoingText:
    entities = tuple((e.type, e.text, e.placeholder) for e in masked.entities)
    return OutgoingText(piece.place, piece.shown, masked.text, entities)


@cache
def _engine(file: Path | None, home: Path) -> Engine:
    return Engine(file)


def engine_of(file: Path | None) -> Engine:
    """The engine of the gateway.toml that [cloud] names, else of the home's; never of the folder that is worked in."""
    from gateway.config import FILE_NAME, home

    own = home() / FILE_NAME
    if file is not None and not file.is_file():
        raise ConfigError(f"{file}: there is no such file; correct `config` under [cloud] of models.toml")
    return _engine(file or (own if own.is_file() else None), home())


def forget_vault(session: str, config: Path | None) -> None:
    """Erases what is kept of a session's values. Raises ConfigError, LocalAgentError where the key is not there."""
    from gateway.errors import GatewayError

    try:
        engine_of(config).forget(session)
    except GatewayError as error:
        raise LocalAgentError(f"the kept vault of session {session} could not be erased: {error}") from None


def require_gateway(needed: Sequence[str] = NEEDED) -> None:
    """Raises MissingExtraError where the packages of masking are not installed; loads none of them."""
    missing = next((name for name in needed if find_spec(name) is None), None)
    if missing:
        raise MissingExtraError(f"cloud models need the gateway ('{missing}'): pip install 'localagent[gateway]'")


def refused(what: str, error: Exception) -> CloudRefusedError:
    """The error of a masking that failed or forbade; it names types, never values."""
    text = str(error)
    return CloudRefusedError(f"{what}: {text}" if "nothing was sent" in text else f"{what}: {text}; nothing was sent")


__all__ = ["Conversation", "Engine", "MaskedRequest", "engine_of", "forget_vault", "refused", "require_gateway"]
