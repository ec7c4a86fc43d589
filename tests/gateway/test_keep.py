"""Kept vaults: encrypted, bound to their session, with an end."""

import stat
from pathlib import Path

import pytest

from gateway.config import VaultSettings
from gateway.errors import VaultError
from gateway.keep import Keeper, key_from_file, open_keeper
from gateway.mask import Masker
from gateway.restore import restore
from gateway.vault import Vault
from tests.fakes.detector import FakeDetector

KEY = bytes(range(32))
TEXT = "Ada Vance wrote <PERSON_7> to Иван Петров at a@b.example"


def used_vault() -> Vault:
    vault = Vault()
    Masker(FakeDetector("Ada Vance", "Иван Петров")).mask(TEXT, vault)
    return vault


def test_a_session_goes_on_with_the_same_numbers(tmp_path: Path) -> None:
    Keeper(tmp_path, KEY).save("s1", used_vault())
    vault = Keeper(tmp_path, KEY).load("s1")
    assert vault is not None
    assert vault.map == used_vault().map
    masker = Masker(FakeDetector("Ada Vance", "Eve Moor", *(f"N{n} Kerr" for n in range(6))))
    assert masker.mask("ada vance and Eve Moor", vault).text == "<PERSON_1> and <PERSON_3>"
    more = masker.mask(" ".join(f"N{n} Kerr" for n in range(6)), vault).text
    assert "<PERSON_7>" not in more  # the user's own text stays reserved
    assert restore("<PERSON_2>", vault.map) == "Иван Петров"


def test_nothing_readable_lies_on_disk(tmp_path: Path) -> None:
    Keeper(tmp_path, KEY).save("session of ada", used_vault())
    (file,) = tmp_path.iterdir()
    content = file.read_bytes() + file.name.encode()
    for value in ("Ada", "Петров", "a@b.example", "session of ada", "PERSON"):
        assert value.encode() not in content
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_erasing_one_session_leaves_the_others(tmp_path: Path) -> None:
    keeper = Keeper(tmp_path, KEY)
    keeper.save("s1", used_vault())
    keeper.save("s2", used_vault())
    assert keeper.erase("s1")
    assert not keeper.erase("s1")
    assert keeper.load("s1") is None
    assert keeper.load("s2") is not None


def test_a_vault_ends_with_its_lifetime(tmp_path: Path) -> None:
    clock = [1000.0]
    keeper = Keeper(tmp_path, KEY, days=1, now=lambda: clock[0])
    keeper.save("s1", used_vault())
    keeper.save("s2", used_vault())
    clock[0] += 86_401
    assert keeper.load("s1") is None
    assert keeper.purge() == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("place", [4, 14, -1])
def test_a_changed_file_is_refused_without_its_values(tmp_path: Path, place: int) -> None:
    keeper = Keeper(tmp_path, KEY)
    keeper.save("s1", used_vault())
    (file,) = tmp_path.iterdir()
    content = bytearray(file.read_bytes())
    content[place] ^= 1
    file.write_bytes(content)
    with pytest.raises(VaultError, match="changed or belongs to another key"):
        keeper.load("s1")


def test_another_key_or_another_session_cannot_open_it(tmp_path: Path) -> None:
    keeper = Keeper(tmp_path, KEY)
    keeper.save("s1", used_vault())
    keeper.save("s2", used_vault())
    one, other = sorted(tmp_path.iterdir())
    one.write_bytes(other.read_bytes())
    with pytest.raises(VaultError):
        [keeper.load(session) for session in ("s1", "s2")]
    assert Keeper(tmp_path, bytes(32)).load("s1") is None


def test_a_key_file_is_made_once_and_must_be_private(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "vault.key"
    key = key_from_file(path)
    assert len(key) == 32
    assert key_from_file(path) == key
    path.chmod(0o644)
    with pytest.raises(VaultError, match="chmod 600"):
        key_from_file(path)


def test_the_configuration_names_the_key_file(tmp_path: Path) -> None:
    settings = VaultSettings(keep=True, folder=tmp_path / "vaults", key="file:vault.key")
    open_keeper(settings).save("s1", used_vault())
    assert (tmp_path / "vault.key").exists()
    assert open_keeper(settings).load("s1") is not None
