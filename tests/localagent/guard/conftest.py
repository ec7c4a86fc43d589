"""A bench in a folder of its own."""

from pathlib import Path

import pytest

from tests.fakes.tools import Bench
from tests.localagent.guard.confined import kind, place, view  # noqa: F401 - fixtures


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path / "work")
