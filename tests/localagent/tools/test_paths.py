"""Opening a file is safe against links that appear between the check and the opening."""

import os
from pathlib import Path

import pytest

from localagent.tools.paths import locate, read_bytes, resolve, shown, write_bytes
from localagent.tools.tool import ToolFailure
from tests.fakes.tools import Bench


def test_a_file_that_became_a_link_is_not_read(bench: Bench) -> None:
    secret = bench.workspace.parent / "secret"
    secret.write_text("secret")
    path = bench.write("a.txt", "mine").resolve()
    path.unlink()
    path.symlink_to(secret)
    with pytest.raises(ToolFailure):
        read_bytes(path, bench.context)


def test_a_folder_that_became_a_link_is_not_read_or_written(bench: Bench) -> None:
    outside = bench.workspace.parent / "outside"
    outside.mkdir()
    (outside / "a.txt").write_text("secret")
    path = bench.write("folder/a.txt", "mine").resolve()
    (bench.workspace / "folder").rename(bench.workspace / "old")
    (bench.workspace / "folder").symlink_to(outside)
    with pytest.raises(ToolFailure, match="moved"):
        read_bytes(path, bench.context)
    with pytest.raises(ToolFailure):
        write_bytes(path, b"overwritten", bench.context)
    assert (outside / "a.txt").read_text() == "secret"


def test_writing_keeps_the_mode_and_leaves_nothing_behind(bench: Bench) -> None:
    path = bench.write("run.sh", "old").resolve()
    path.chmod(0o755)
    write_bytes(path, b"new", bench.context)
    assert path.stat().st_mode & 0o777 == 0o755
    assert [entry.name for entry in bench.workspace.iterdir()] == ["run.sh"]


def test_a_new_file_gets_the_usual_mode(bench: Bench) -> None:
    path = bench.workspace.resolve() / "new.txt"
    write_bytes(path, b"", bench.context)
    mask = os.umask(0)
    os.umask(mask)
    assert path.stat().st_mode & 0o777 == 0o666 & ~mask


def test_a_file_marked_read_only_is_not_replaced(bench: Bench) -> None:
    path = bench.write("a.txt", "old").resolve()
    path.chmod(0o444)
    with pytest.raises(ToolFailure) as caught:
        write_bytes(path, b"new", bench.context)
    assert caught.value.kind == "denied"
    assert path.read_text() == "old"


def test_kept_outputs_have_a_short_name_of_their_own(bench: Bench) -> None:
    path = resolve("@out/a.txt", bench.context)
    assert path == bench.context.scratch.resolve() / "a.txt"
    assert shown(path, bench.context) == "@out/a.txt"
    with pytest.raises(ToolFailure):
        resolve("@out/../home/x", bench.context)


def test_home_is_a_place_outside(bench: Bench) -> None:
    assert locate("~/x", bench.context) == Path.home().resolve() / "x"


@pytest.mark.parametrize("tool", ["read_file", "write_file", "list_dir"])
@pytest.mark.parametrize("path", ["x" * 5000, "ж" * 200, "a/" * 2000])
async def test_a_path_longer_than_any_is_refused(bench: Bench, tool: str, path: str) -> None:
    outcome = (
        await bench.call(tool, path=path, content="x") if tool == "write_file" else await bench.call(tool, path=path)
    )
    assert outcome.failure in ("invalid", "denied")
    assert len(outcome.content) < 500
