"""Results by the hash of a text: bounded, short-lived, and without the text itself.

The hash is keyed with random bytes of this process, so that it says nothing outside of it.
"""

import os
import threading
import time
from collections import OrderedDict
from hashlib import blake2b
from typing import Generic, TypeVar

T = TypeVar("T")
_KEY = os.urandom(32)


def digest(text: str) -> bytes:
    """The keyed hash of a text; lone surrogates are hashed as they are."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=20, key=_KEY).digest()


class SegmentCache(Generic[T]):
    """Least recently used results of at most `seconds` age; safe between threads."""

    def __init__(self, size: int, seconds: float) -> None:
        self._size, self._seconds = size, seconds
        self._items: OrderedDict[bytes, tuple[float, T]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: bytes) -> T | None:
        """The result, or None; what is too old is dropped."""
        with self._lock:
            item = self._items.get(key)
            if item is None:
                return None
            if time.monotonic() - item[0] > self._seconds:
                del self._items[key]
                return None
            self._items.move_to_end(key)
            return item[1]

    def put(self, key: bytes, value: T) -> None:
        """Keeps a result; the oldest one goes when the cache is full, and all that is too old."""
        now = time.monotonic()
        with self._lock:
            self._items[key] = (now, value)
            self._items.move_to_end(key)
            while self._items:
                oldest = next(iter(self._items))
                if len(self._items) <= self._size and now - self._items[oldest][0] <= self._seconds:
                    break
                del self._items[oldest]

    def __len__(self) -> int:
        return len(self._items)
