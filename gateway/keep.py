"""Vaults that are kept: one encrypted file a session, with a lifetime, erasable on its own.

The file is a header (version, expiry), a nonce and AES-256-GCM over the vault's state; session and header are
authenticated with it, so that a file cannot be passed off as another session's or be given a longer life. The key comes
from the keyring of the operating system or from a file that only its owner can read. A session's name is not in the
file's name: that is a keyed hash of it.
"""

from __future__ import annotations

import hmac
import json
import os
import secrets
import struct
import time
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from gateway.config import VaultSettings
from gateway.errors import VaultError
from gateway.vault import Vault

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

_MAGIC = b"LAV1"
_HEADER = struct.Struct(">4sd")  # magic, expiry in seconds since the epoch
_NONCE = 12
_KEY = 32
_SERVICE, _USER = "localagent-gateway", "vault"


class Keeper:
    """Keeps vaults in `folder` under one key of 32 bytes. `now` gives seconds since the epoch."""

    def __init__(self, folder: Path, key: bytes, *, days: float = 30.0, now: Callable[[], float] = time.time) -> None:
        if len(key) != _KEY:
            raise VaultError(f"the vault key has {len(key)} bytes, it must have {_KEY}")
        self._folder, self._key, self._seconds, self._now = folder, key, days * 86_400, now

    def save(self, session: str, vault: Vault) -> None:
        """Writes or replaces the vault of a session; its lifetime starts anew."""
        header = _HEADER.pack(_MAGIC, self._now() + self._seconds)
        nonce = secrets.token_bytes(_NONCE)
        sealed = self._cipher().encrypt(nonce, json.dumps(vault.to_state()).encode(), header + session.encode())
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        _write_private(self._path(session), header + nonce + sealed)

    def load(self, session: str) -> Vault | None:
        """The vault of a session; None if there is none or its time is over (then it is erased)."""
        path = self._path(session)
        try:
            content = path.read_bytes()
        except FileNotFoundError:
            return None
        header = content[: _HEADER.size]
        if len(header) < _HEADER.size or header[:4] != _MAGIC:
            raise VaultError(f"{path}: this is no vault of this version; erase it to go on without")
        state = self._open(path, content, header + session.encode())
        if _HEADER.unpack(header)[1] < self._now():
            self.erase(session)
            return None
        return Vault.from_state(json.loads(state))

    def erase(self, session: str) -> bool:
        """Removes the vault of one session; False if there was none."""
        path = self._path(session)
        existed = path.exists()
        path.unlink(missing_ok=True)
        return existed

    def purge(self) -> int:
        """Removes all vaults whose time is over, and says how many."""
        gone = [path for path in self._folder.glob("*.vault") if _expiry(path) < self._now()]
        for path in gone:
            path.unlink(missing_ok=True)
        return len(gone)

    def _path(self, session: str) -> Path:
        return self._folder / f"{hmac.new(self._key, session.encode(), sha256).hexdigest()[:40]}.vault"

    def _open(self, path: Path, content: bytes, bound: bytes) -> bytes:
        from cryptography.exceptions import InvalidTag

        nonce, sealed = content[_HEADER.size : _HEADER.size + _NONCE], content[_HEADER.size + _NONCE :]
        try:
            return self._cipher().decrypt(nonce, sealed, bound)
        except (InvalidTag, ValueError):
            raise VaultError(
                f"{path}: the vault was changed or belongs to another key; erase it to go on without"
            ) from None

    def _cipher(self) -> AESGCM:
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        return AESGCM(self._key)


def open_keeper(settings: VaultSettings) -> Keeper:
    """The keeper that the configuration asks for; the key is made on first use."""
    kind, _, path = settings.key.partition(":")
    key = key_from_file(settings.folder.parent / path) if kind == "file" else key_from_keyring()
    return Keeper(settings.folder, key, days=settings.days)


def key_from_file(path: Path) -> bytes:
    """32 bytes in hexadecimal digits in a file that only its owner reads; made if there is none."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        _write_private(path, secrets.token_hex(_KEY).encode())
    if os.name == "posix" and path.stat().st_mode & 0o077:
        raise VaultError(f"{path}: others may read the vault key; run: chmod 600 {path}")
    return _key_of(path.read_text("ascii", "replace"), str(path))


def key_from_keyring() -> bytes:
    """The key in the keyring of the operating system; made if there is none. VaultError where no keyring answers."""
    import keyring
    from keyring.errors import KeyringError

    try:
        held = keyring.get_password(_SERVICE, _USER)
        if held is None:
            held = secrets.token_hex(_KEY)
            keyring.set_password(_SERVICE, _USER, held)
    except KeyringError as error:
        why = type(error).__name__
        raise VaultError(f'no keyring answers ({why}); name a key file: [vault] key = "file:vault.key"') from None
    return _key_of(held, "the keyring")


def _key_of(text: str, where: str) -> bytes:
    try:
        return bytes.fromhex(text.strip())
    except ValueError:
        raise VaultError(f"{where}: the vault key is not in hexadecimal digits") from None


def _expiry(path: Path) -> float:
    header = path.read_bytes()[: _HEADER.size]
    return float(_HEADER.unpack(header)[1]) if len(header) == _HEADER.size and header[:4] == _MAGIC else float("inf")


def _write_private(path: Path, content: bytes) -> None:
    part = path.with_name(f"{path.name}.{secrets.token_hex(4)}.part")
    descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with open(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
