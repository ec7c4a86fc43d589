"""Keyed hashes of masked values: with the key an auditor can ask whether a value was met, without it they say nothing.

The key lies beside the ledger (`ledger.db.key`, mode 0600) and is made with the first row. Spelling does not matter:
letters and digits alone are hashed, case-folded; a Russian person has the same hash in every grammatical case.
"""

from __future__ import annotations

import hmac
import os
import re
import secrets
import unicodedata
from collections.abc import Iterable
from pathlib import Path

from gateway.errors import LedgerError

_PERSON_KEY = 3  # slashes in the identity of a Russian person (gateway.detect.russian.identity)
_RUSSIAN_PHONE = re.compile(r"[78](\d{10})")
_CYRILLIC = re.compile("[а-яё]", re.IGNORECASE)
_LENGTH = 24  # hexadecimal digits: 96 bits


def key_file(ledger: Path) -> Path:
    """Where the key of a ledger lies."""
    return ledger.with_name(ledger.name + ".key")


def load_key(ledger: Path, *, create: bool = True) -> bytes:
    """The key of a ledger, made if there is none. LedgerError if others can read it, or it is missing or damaged."""
    path = key_file(ledger)
    if create and not path.exists():
        _create(path)
    try:
        if os.name == "posix" and path.stat().st_mode & 0o077:
            raise LedgerError(f"the key {path} can be read by others; run: chmod 600 {path}")
        key = bytes.fromhex(path.read_text("ascii").strip())
    except FileNotFoundError:
        raise LedgerError(f"there is no key {path}: nothing was recorded here yet, or the key was moved away") from None
    except (OSError, ValueError):
        raise LedgerError(f"the key {path} cannot be read; put the right one back") from None
    if len(key) < 32:
        raise LedgerError(f"the key {path} is too short; put the right one back")
    return key


def _create(path: Path) -> None:
    """All or nothing, and the first of several processes wins."""
    part = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as file:
            file.write(secrets.token_hex(32))
        os.link(part, path)
    except FileExistsError:
        pass
    except OSError as error:
        raise LedgerError(f"the key {path} cannot be written: {error.strerror}; check the folder's rights") from None
    finally:
        part.unlink(missing_ok=True)


def digest(key: bytes, text: str) -> str:
    """The keyed hash of a value or of an identity."""
    return hmac.digest(key, text.encode("utf-8", "surrogatepass"), "sha256").hex()[:_LENGTH]


def fold(value: str) -> str:
    """What is hashed of a value: its letters and digits; a Russian phone without the 7 or 8 in front."""
    folded = unicodedata.normalize("NFKC", value).casefold().replace("ё", "е")
    plain = "".join(filter(str.isalnum, folded))
    phone = _RUSSIAN_PHONE.fullmatch(plain)
    return phone[1] if phone else plain or folded


def of_issued(key: bytes, forms: Iterable[str], identity: str) -> list[str]:
    """The hashes of one masked value: of every spelling that was seen, and of the person where one is known."""
    hashes = {digest(key, fold(form)): None for form in forms}
    if identity.count("/") == _PERSON_KEY:
        hashes[digest(key, f"person {identity}")] = None
    return list(hashes)


def of_question(key: bytes, value: str) -> list[str]:
    """The hashes under which a value that is asked for may have been recorded."""
    hashes = [digest(key, fold(value))]
    if _CYRILLIC.search(value):
        from gateway.detect.russian.morph import person_key

        identity = person_key(value.strip())[0]
        hashes += [digest(key, f"person {identity}")] if identity.count("/") == _PERSON_KEY else []
    return hashes
