"""Figures: Prometheus' text, and several processes as one."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from gateway.proxy.metrics import Metrics


def value(text: str, name: str) -> float:
    """The value of a line."""
    (line,) = [line for line in text.splitlines() if line.startswith(f"{name} ")]
    return float(line.split()[-1])


def test_labels_are_escaped() -> None:
    metrics = Metrics()
    metrics.add("gateway_masked_total", 2, type='a"b\\c\nd')
    assert 'gateway_masked_total{type="a\\"b\\\\c\\nd"} 2' in metrics.text().splitlines()


def test_a_histogram_adds_up() -> None:
    metrics = Metrics()
    for seconds in (0.0005, 0.3, 99):
        metrics.observe("gateway_request_seconds", seconds)
    text = metrics.text()
    buckets = [line for line in text.splitlines() if line.startswith("gateway_request_seconds_bucket")]
    counts = [int(line.split()[-1]) for line in buckets]
    assert counts == sorted(counts)
    assert (counts[0], counts[-1]) == (1, 3)
    assert buckets[-1].startswith('gateway_request_seconds_bucket{le="+Inf"}')
    assert value(text, "gateway_request_seconds_sum") == 99.3005
    assert text.count("# TYPE gateway_request_seconds histogram") == 1


def test_siblings_are_added_and_the_dead_keep_their_counts(tmp_path: Path) -> None:
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    rows = [
        ["gateway_masked_total", [["type", "PERSON"]], 5],
        ["gateway_in_flight", [], 3],
        ["gateway_processes", [], 1],
    ]
    for pid in (dead.pid, os.getppid()):
        (tmp_path / f"{pid}.json").write_text(json.dumps(rows))
    (tmp_path / "1.json").write_text("{half")
    mine = Metrics(tmp_path)
    mine.add("gateway_masked_total", 1, type="PERSON")
    mine.save()
    text = mine.text()
    assert value(text, 'gateway_masked_total{type="PERSON"}') == 11
    assert value(text, "gateway_in_flight") == 3
    assert value(text, "gateway_processes") == 2
    assert Metrics(tmp_path).text().count("gateway_masked_total{") == 1
    assert {path.name for path in tmp_path.iterdir()} == {f"{p}.json" for p in (dead.pid, os.getppid(), os.getpid(), 1)}


async def test_a_folder_that_is_gone_does_not_end_the_figures(tmp_path: Path) -> None:
    metrics = Metrics(tmp_path / "gone")
    saving = asyncio.create_task(metrics.keep_saved())
    await asyncio.sleep(0.01)
    assert not saving.done()
    saving.cancel()
    with pytest.raises(asyncio.CancelledError):
        await saving
    assert "gateway_processes 1" in metrics.text()
