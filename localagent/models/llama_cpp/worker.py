"""The child process: `python -m localagent.models.llama_cpp.worker`, frames on standard input and output.

It ends when its input does, and when the app dies without closing it. A cancel is read beside the computation.
"""

from __future__ import annotations

import ctypes
import os
import queue
import signal
import sys
import threading
from typing import Any, BinaryIO

from localagent.models.llama_cpp import frames
from localagent.models.llama_cpp.frames import Frame
from localagent.models.llama_cpp.settings import from_json

_IDLE_SECONDS = 1.0
_LAST_SECONDS = 10.0  # for saving the state after the app has gone
_PR_SET_PDEATHSIG = 1
_END: Frame = {"op": "end"}


class Worker:
    """Reads operations in one thread and carries them out in the main one."""

    def __init__(self, source: BinaryIO, sink: BinaryIO) -> None:
        self._source = source
        self._sink = sink
        self._todo: queue.SimpleQueue[Frame] = queue.SimpleQueue()
        self._engine: Any = None
        self._session: Any = None
        self._cancelled = 0  # the newest reply that is not wanted any more

    def run(self) -> None:
        threading.Thread(target=self._listen, daemon=True).start()
        while (frame := self._next()) is not _END:
            self._carry_out(frame)
        if self._session:
            self._session.keep(idle=True)

    def stop(self, *_: object) -> None:
        """Ends the current work and then the process, in any case after some seconds."""
        timer = threading.Timer(_LAST_SECONDS, os._exit, [1])
        timer.daemon = True
        timer.start()
        self._cancelled = sys.maxsize
        if self._engine:
            self._engine.cancel()
        self._todo.put(_END)

    def _listen(self) -> None:
        while (frame := frames.read(self._source)) is not None:
            if frame["op"] == "cancel":
                self._cancelled = frame["id"]
                if self._engine:
                    self._engine.cancel()
            else:
                self._todo.put(frame)
        self.stop()

    def _next(self) -> Frame:
        try:
            return self._todo.get(timeout=_IDLE_SECONDS)
        except queue.Empty:
            if self._session:
                self._session.keep(idle=True)
            return self._todo.get()

    def _carry_out(self, frame: Frame) -> None:
        try:
            self._send(getattr(self, f"_{frame['op']}")(frame), frame)
        except Exception as error:  # noqa: BLE001 (the process boundary: the app must hear of every failure)
            self._send(_failure(error), frame)
        if self._session and frame["op"] == "reply":
            self._session.keep(idle=False)

    def _load(self, frame: Frame) -> Frame:
        from localagent.models.llama_cpp.engine import Engine
        from localagent.models.llama_cpp.session import ModelSession

        settings = from_json(frame["settings"])
        told = [-1]

        def report(done: int, total: int) -> None:
            if total and done * 20 // total > told[0]:
                told[0] = done * 20 // total
                self._send({"ev": "progress", "phase": "loading", "done": done, "total": total}, frame)

        self._engine = Engine(settings, report)
        self._session = ModelSession(settings, self._engine)
        return {"ev": "loaded", "window": self._engine.window}

    def _reply(self, frame: Frame) -> Frame:
        self._engine.ready()
        if self._cancelled >= frame["id"]:
            return {"ev": "cancelled"}
        last: Frame = self._session.reply(frame, lambda out: self._send(out, frame))
        return last

    def _count(self, frame: Frame) -> Frame:
        return {"ev": "counted", "tokens": self._session.count(frame)}

    def _send(self, out: Frame, about: Frame) -> None:
        self._sink.write(frames.pack({**out, "id": about["id"]}))
        self._sink.flush()


def _failure(error: Exception) -> Frame:
    kind = type(error).__name__
    details = {"needed": getattr(error, "needed", None), "window": getattr(error, "window", None)}
    return {"ev": "cancelled"} if kind == "Cancelled" else {"ev": "error", "kind": kind, "text": str(error), **details}


def main() -> None:
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    os.environ.setdefault("GGML_NO_BACKTRACE", "1")
    sink = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever prints, prints to standard error: the frames stay whole
    worker = Worker(sys.stdin.buffer, sink)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the app's to handle
    signal.signal(signal.SIGTERM, worker.stop)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
    try:
        worker.run()
    except BrokenPipeError:
        pass  # the app has gone
    sys.stderr.flush()
    os._exit(0)  # llama.cpp's own destructors have nothing to say any more


if __name__ == "__main__":
    main()
