"""Figures in Prometheus' text format. Several processes of one gateway share a folder: each writes its figures there
once a second, and whichever is asked adds them up. What an ended process counted stays counted.
"""

from __future__ import annotations

import asyncio
import json
import os
import threading
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
SAVE_SECONDS = 1.0

Key = tuple[str, tuple[tuple[str, str], ...]]

_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
_FAMILIES = {
    "gateway_requests_total": ("counter", "Requests by client, protocol, upstream, outcome and HTTP status."),
    "gateway_masked_total": ("counter", "Values masked, by entity type."),
    "gateway_tokens_total": ("counter", "Tokens as the upstreams count them, by client and direction."),
    "gateway_cost_usd_total": ("counter", "Cost by client, from the prices of gateway.toml."),
    "gateway_in_flight": ("gauge", "Requests at work."),
    "gateway_added_seconds": ("histogram", "What the gateway adds before a request leaves: reading, masking, record."),
    "gateway_request_seconds": ("histogram", "From the request's arrival to the end of its answer."),
    "gateway_first_seconds": ("histogram", "From the request's departure to the first byte of the answer."),
    "gateway_memory_bytes": ("gauge", "Resident memory of all processes; what they share is counted in each."),
    "gateway_processes": ("gauge", "Processes of this gateway that answer."),
}


class Metrics:
    """Counters, gauges and histograms of one process; `folder` is shared with its siblings."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._values: defaultdict[Key, float] = defaultdict(float)
        self._lock = threading.Lock()

    def add(self, name: str, value: float = 1, **labels: str) -> None:
        """Adds to a counter or a gauge."""
        with self._lock:
            self._values[name, tuple(sorted(labels.items()))] += value

    def observe(self, name: str, seconds: float) -> None:
        """Adds one observation to a histogram."""
        with self._lock:
            for bound in _BUCKETS:
                self._values[f"{name}_bucket", (("le", f"{bound:g}"),)] += seconds <= bound
            self._values[f"{name}_bucket", (("le", "+Inf"),)] += 1
            self._values[f"{name}_sum", ()] += seconds
            self._values[f"{name}_count", ()] += 1

    def text(self) -> str:
        """All figures of all processes."""
        total: defaultdict[Key, float] = defaultdict(float)
        for values in (self._own(), *self._siblings()):
            for key, value in values.items():
                total[key] += value
        return "".join(_family(name, total) for name in _FAMILIES)

    def save(self) -> None:
        """Writes this process's figures for its siblings, whole or not at all."""
        if self._folder is None:
            return
        rows = [[name, labels, value] for (name, labels), value in self._own().items()]
        part = self._folder / f"{os.getpid()}.part"
        part.write_text(json.dumps(rows), "utf-8")
        part.replace(self._folder / f"{os.getpid()}.json")

    async def keep_saved(self) -> None:
        """Saves once a second until it is cancelled, and once more then; what a full disk forbids is tried again."""
        try:
            while True:
                with suppress(OSError):
                    self.save()
                await asyncio.sleep(SAVE_SECONDS)
        finally:
            with suppress(OSError):
                self.save()

    def _own(self) -> dict[Key, float]:
        with self._lock:
            values = dict(self._values)
        return values | {("gateway_memory_bytes", ()): _resident(), ("gateway_processes", ()): 1.0}

    def _siblings(self) -> Iterator[dict[Key, float]]:
        """What the others saved; of a process that is gone the counters only."""
        for path in self._folder.glob("*.json") if self._folder else ():
            pid = int(path.stem)
            if pid == os.getpid():
                continue
            with suppress(OSError, ValueError):
                rows = json.loads(path.read_text("utf-8"))
                values = {(name, tuple((k, v) for k, v in labels)): float(value) for name, labels, value in rows}
                yield values if _alive(pid) else {key: n for key, n in values.items() if not _is_gauge(key[0])}


def _is_gauge(name: str) -> bool:
    return _FAMILIES.get(name, ("",))[0] == "gauge"


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _resident() -> float:
    """Bytes; 0 where the platform does not tell."""
    try:
        return float(Path("/proc/self/statm").read_text("ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return 0.0


def _family(name: str, values: Mapping[Key, float]) -> str:
    kind, text = _FAMILIES[name]
    names = (f"{name}_bucket", f"{name}_sum", f"{name}_count") if kind == "histogram" else (name,)
    rows = [(key, value) for one in names for key, value in values.items() if key[0] == one]
    if not rows:
        return ""
    lines = [f"# HELP {name} {text}", f"# TYPE {name} {kind}", *(_line(key, value) for key, value in _sorted(rows))]
    return "\n".join(lines) + "\n"


def _sorted(rows: Iterable[tuple[Key, float]]) -> list[tuple[Key, float]]:
    """Buckets by their bound, all else by its labels; the parts of a histogram stay in their order."""
    return sorted(rows, key=lambda row: (row[0][0].endswith(("_sum", "_count")), row[0][0], _bound(row[0]), row[0][1]))


def _bound(key: Key) -> float:
    return float(dict(key[1]).get("le", "0").replace("+Inf", "inf"))


def _line(key: Key, value: float) -> str:
    name, labels = key
    inside = ",".join(f'{label}="{_escaped(text)}"' for label, text in labels)
    return f"{name}{{{inside}}} {value:.15g}" if inside else f"{name} {value:.15g}"


def _escaped(text: str) -> str:
    return text.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
