"""The head of a GGUF file: what a model is, without loading it.

Format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md (magic, counts, key-value pairs, tensor infos).
"""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

_SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_STRING, _ARRAY = 8, 9
_LARGEST = 1 << 40  # bytes; file systems refuse to seek further
_KEPT_ARRAY = 64  # longer arrays (vocabularies) are skipped


class NotGgufError(ValueError):
    """The file is no GGUF, or it is cut."""


@dataclass(frozen=True, slots=True)
class Header:
    """Metadata of a model; `parameters` counts the weights of all tensors."""

    values: dict[str, Any] = field(repr=False)
    parameters: int

    @property
    def template(self) -> str | None:
        found = self.values.get("tokenizer.chat_template")
        return found if isinstance(found, str) else None

    @property
    def trained_context(self) -> int | None:
        found = self.values.get(f"{self.values.get('general.architecture')}.context_length")
        return found if isinstance(found, int) else None

    @property
    def title(self) -> str:
        return str(self.values.get("general.name", ""))


def read_header(path: Path) -> Header:
    """Reads the head of `path`. Raises OSError, or NotGgufError for another kind of file."""
    with path.open("rb") as file:
        try:
            return _header(file)
        except NotGgufError:
            raise
        except (struct.error, ValueError, KeyError, MemoryError, OverflowError, RecursionError):
            raise NotGgufError(f"{path} is no complete GGUF file") from None


def _header(file: BinaryIO) -> Header:
    magic, version = file.read(4), _number(file, "I")
    if magic != b"GGUF" or version not in (2, 3):
        raise NotGgufError("the file does not begin as a GGUF of version 2 or 3 does")
    tensors, pairs = _number(file, "Q"), _number(file, "Q")
    values = {}
    for _ in range(pairs):
        key = _text(file)
        values[key] = _value(file, _number(file, "I"))
    return Header(values, sum(_tensor_size(file) for _ in range(tensors)))


def _value(file: BinaryIO, kind: int) -> Any:
    if kind == _STRING:
        return _text(file)
    if kind != _ARRAY:
        return _number(file, _SCALARS[kind])
    inner, count = _number(file, "I"), _number(file, "Q")
    if count <= _KEPT_ARRAY:
        return [_value(file, inner) for _ in range(count)]
    _skip(file, inner, count)
    return None


def _skip(file: BinaryIO, kind: int, count: int) -> None:
    if kind == _STRING:
        for _ in range(count):
            _over(file, _number(file, "Q"))
    else:
        _over(file, struct.calcsize("<" + _SCALARS[kind]) * count)


def _tensor_size(file: BinaryIO) -> int:
    _over(file, _number(file, "Q"))  # its name
    shape = [_number(file, "Q") for _ in range(_number(file, "I"))]
    _over(file, 4 + 8)  # its type and offset
    return math.prod(shape)


def _over(file: BinaryIO, size: int) -> None:
    if size > _LARGEST:
        raise NotGgufError("a part of the file is said to be larger than any file")
    file.seek(size, 1)


def _text(file: BinaryIO) -> str:
    return file.read(_number(file, "Q")).decode("utf-8")


def _number(file: BinaryIO, code: str) -> Any:
    return struct.unpack("<" + code, file.read(struct.calcsize("<" + code)))[0]
