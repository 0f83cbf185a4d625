"""Columns out of the Arrow C stream interface, without an Arrow library.

What an object exports through ``__arrow_c_stream__`` becomes arrays. Numbers, codes of texts and marks of missing
values stay where the producer has them if they lie in one piece; the arrays hold the producer's memory until the last
of them is gone. Knows nothing of the C library.
"""

from __future__ import annotations

import ctypes
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from ctypes import CFUNCTYPE, POINTER, c_char_p, c_int, c_int64, c_void_p
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


class Column(NamedTuple):
    """A column as a dataset takes it: numbers, or codes of texts where ``texts`` is not None.

    ``validity`` is a bitmap, least significant bit first, whose bit ``bit_offset + i`` is 0 where row i is missing.
    """

    values: NDArray[Any]
    texts: Sequence[str] | None = None
    validity: NDArray[np.uint8] | None = None
    bit_offset: int = 0


def unusable(what: str, remedy: str) -> ValueError:
    """The error for a column that holds neither numbers nor text."""
    return ValueError(f"it holds {what}, and a feature is numbers, booleans or text; {remedy}")


# ---- The structs of the interface --------------------------------------------------------------------------------


class _Schema(ctypes.Structure):
    pass


class _Array(ctypes.Structure):
    pass


class _Stream(ctypes.Structure):
    pass


_Release = CFUNCTYPE(None, c_void_p)

_Schema._fields_ = [
    ("format", c_char_p),
    ("name", c_char_p),
    ("metadata", c_void_p),
    ("flags", c_int64),
    ("n_children", c_int64),
    ("children", POINTER(POINTER(_Schema))),
    ("dictionary", POINTER(_Schema)),
    ("release", _Release),
    ("private_data", c_void_p),
]

_Array._fields_ = [
    ("length", c_int64),
    ("null_count", c_int64),
    ("offset", c_int64),
    ("n_buffers", c_int64),
    ("n_children", c_int64),
    ("buffers", POINTER(c_void_p)),
    ("children", POINTER(POINTER(_Array))),
    ("dictionary", POINTER(_Array)),
    ("release", _Release),
    ("private_data", c_void_p),
]

_Stream._fields_ = [
    ("get_schema", CFUNCTYPE(c_int, c_void_p, c_void_p)),
    ("get_next", CFUNCTYPE(c_int, c_void_p, c_void_p)),
    ("get_last_error", CFUNCTYPE(c_char_p, c_void_p)),
    ("release", _Release),
    ("private_data", c_void_p),
]

_capsule_pointer = ctypes.PYFUNCTYPE(c_void_p, ctypes.py_object, c_char_p)(("PyCapsule_GetPointer", ctypes.pythonapi))


class _Owned:
    """A struct of the interface that is released when nothing refers to it any more."""

    def __init__(self, struct: Any, capsule: object = None) -> None:
        self.struct = struct
        self._capsule = capsule  # what the struct lies in, where it is not memory of ours

    @property
    def address(self) -> int:
        return ctypes.addressof(self.struct)

    def __del__(self) -> None:
        if self.struct.release:
            self.struct.release(self.address)


class _Reader:
    """A stream that is being read."""

    def __init__(self, source: Any) -> None:
        capsule = source.__arrow_c_stream__()
        pointer = _capsule_pointer(capsule, b"arrow_array_stream")
        self._stream = _Owned(_Stream.from_address(pointer), capsule)

    def _check(self, status: int) -> None:
        if status != 0:
            message = self._stream.struct.get_last_error(self._stream.address) or b"no reason given"
            raise RuntimeError(f"the Arrow stream of the data failed: {message.decode('utf-8', 'replace')}")

    def schema(self) -> _Owned:
        schema = _Owned(_Schema())
        self._check(self._stream.struct.get_schema(self._stream.address, schema.address))
        return schema

    def chunks(self) -> Iterator[_Owned]:
        """The chunks that have rows."""
        while True:
            chunk = _Owned(_Array())
            self._check(self._stream.struct.get_next(self._stream.address, chunk.address))
            if not chunk.struct.release:
                return
            if chunk.struct.length > 0:
                yield chunk


# ---- Memory ------------------------------------------------------------------------------------------------------


class _Memory:
    """Lends an address to NumPy; arrays made of it keep the owner alive."""

    def __init__(self, owner: _Owned, address: int, dtype: np.dtype[Any], shape: tuple[int, ...]) -> None:
        self._owner = owner
        read_only = True
        self.__array_interface__ = {"data": (address, read_only), "shape": shape, "typestr": dtype.str, "version": 3}


class _Span(NamedTuple):
    """Rows ``first`` to ``first + n`` of an array."""

    owner: _Owned
    array: Any
    first: int
    n: int

    @classmethod
    def whole(cls, owner: _Owned, array: Any) -> _Span:
        return cls(owner, array, array.offset, array.length)

    def child(self, index: int) -> _Span:
        array = self.array.children[index].contents
        return _Span(self.owner, array, array.offset + self.first, self.n)

    def dictionary(self) -> _Span:
        return self.whole(self.owner, self.array.dictionary.contents)

    def blocks(self, n_rows: int = 65536) -> Iterator[_Span]:
        """The span in parts, for what makes a Python object of every row."""
        for done in range(0, self.n, n_rows):
            yield self._replace(first=self.first + done, n=min(n_rows, self.n - done))

    def view(self, buffer: int, dtype: Any, first: int, n: int, width: int = 1) -> NDArray[Any]:
        """Items of ``width`` values each, where they lie."""
        shape = (n,) if width == 1 else (n, width)
        dtype = np.dtype(dtype)
        address = self.array.buffers[buffer]
        if n == 0 or not address:  # a buffer without content may have no address
            return np.zeros(shape, dtype)
        return np.asarray(_Memory(self.owner, address + first * dtype.itemsize * width, dtype, shape))

    def items(self, dtype: Any, width: int = 1) -> NDArray[Any]:
        """What the second buffer, which most types have their values in, says of the rows."""
        return self.view(1, dtype, self.first, self.n, width)

    def bits(self, buffer: int) -> NDArray[np.bool_]:
        first_byte, skip = divmod(self.first, 8)
        packed = self.view(buffer, np.uint8, first_byte, (skip + self.n + 7) // 8)
        return np.unpackbits(packed, count=skip + self.n, bitorder="little")[skip:].view(np.bool_)

    def has_validity(self) -> bool:
        array = self.array
        return array.null_count != 0 and array.n_buffers > 0 and bool(array.buffers[0])

    def valid(self) -> NDArray[np.bool_]:
        return self.bits(0) if self.has_validity() else np.ones(self.n, np.bool_)


# ---- Values ------------------------------------------------------------------------------------------------------

_NUMBERS = {
    "c": np.int8,
    "C": np.uint8,
    "s": np.int16,
    "S": np.uint16,
    "i": np.int32,
    "I": np.uint32,
    "l": np.int64,
    "L": np.uint64,
    "f": np.float32,
    "g": np.float64,
}
_TEXTS = ("u", "U", "vu")


def _check_format(format: str) -> None:
    """Refuses the types of values that no feature can have."""
    if format in _NUMBERS or format in _TEXTS or format in ("n", "b", "e") or format.startswith("d:"):
        return
    if format.startswith("t"):
        raise unusable("dates or times", "turn them into numbers first, such as days since a date")
    if format.startswith("+"):
        raise unusable("nested values", "give each part a column of its own")
    if format in ("z", "Z", "vz") or format.startswith("w:"):
        raise unusable("bytes", "turn them into text or numbers first")
    raise unusable(f"values of the Arrow type {format!r}", "convert it to one of these first")


def _decimals(span: _Span, format: str) -> NDArray[np.float64]:
    """The doubles nearest to decimals; the format is ``d:precision,scale[,bits]``."""
    _precision, scale, bits = map(int, (format[2:] + ",128").split(",")[:3])
    times, divisor = 10 ** max(-scale, 0), 10 ** max(scale, 0)
    size = bits // 8
    values = np.empty(span.n)
    for block in span.blocks():
        data = block.items(np.uint8, size).tobytes()
        units = (int.from_bytes(data[i : i + size], "little", signed=True) for i in range(0, len(data), size))
        first = block.first - span.first
        values[first : first + block.n] = [unit * times / divisor for unit in units]
    return values


def _numbers(span: _Span, format: str) -> NDArray[Any]:
    if format in _NUMBERS:
        return span.items(_NUMBERS[format])
    if format == "e":
        return span.items(np.float16).astype(np.float32)
    if format == "b":
        return span.bits(1)
    if format == "n":
        return np.broadcast_to(np.float32(np.nan), span.n)
    return _decimals(span, format)


def _offset_texts(span: _Span, offset_type: Any) -> Iterator[bytes]:
    """Texts that lie one after the other."""
    bounds = span.view(1, offset_type, span.first, span.n + 1)
    start = int(bounds[0])
    data = span.view(2, np.uint8, start, int(bounds[-1]) - start).tobytes()
    ends: list[int] = (bounds - start).tolist()
    return (data[i:j] for i, j in pairwise(ends))


def _view_texts(span: _Span) -> Iterator[bytes]:
    """Texts of 12 bytes at most, which lie in 16 bytes after their length, and longer ones, which lie elsewhere."""
    views = span.items(np.int32, 4)
    lengths: list[int] = np.where(span.valid(), views[:, 0], 0).tolist()
    data = views.tobytes()
    addresses = [span.array.buffers[i] for i in range(2, span.array.n_buffers - 1)]
    for at, length, buffer, offset in zip(
        range(4, len(data), 16), lengths, views[:, 2].tolist(), views[:, 3].tolist(), strict=True
    ):
        yield data[at : at + length] if length <= 12 else ctypes.string_at(addresses[buffer] + offset, length)


def _texts(span: _Span, format: str) -> Iterator[bytes]:
    """The text of every row; any text where it is missing."""
    for block in span.blocks():
        if format == "vu":
            yield from _view_texts(block)
        else:
            yield from _offset_texts(block, np.int32 if format == "u" else np.int64)


# ---- Columns -----------------------------------------------------------------------------------------------------


class _Codes:
    """Numbers texts in the order they are met."""

    def __init__(self) -> None:
        self._table: defaultdict[bytes, int] = defaultdict()
        self._table.default_factory = self._table.__len__

    def of(self, span: _Span, format: str) -> NDArray[np.int32]:
        """The code of every row, -1 where it is missing."""
        codes = np.fromiter(map(self._table.__getitem__, _texts(span, format)), np.int32, span.n)
        codes[~span.valid()] = -1
        return codes

    def texts(self) -> list[str]:
        return _decoded(self._table)


def _decoded(texts: Iterable[bytes]) -> list[str]:
    return [text.decode("utf-8", "surrogateescape") for text in texts]


class _Field(NamedTuple):
    """Name and type of a column; ``indices`` is the type of its indices where values lie in a dictionary."""

    name: str
    format: str
    indices: str | None

    @classmethod
    def of(cls, schema: Any) -> _Field:
        name = (schema.name or b"").decode("utf-8", "surrogateescape")
        if schema.dictionary:
            return cls(name, schema.dictionary.contents.format.decode(), schema.format.decode())
        return cls(name, schema.format.decode(), None)


def _looked_up(span: _Span, indices: str, entries: NDArray[Any], missing: float) -> NDArray[Any]:
    """For every row its entry of a dictionary."""
    places = np.where(span.valid(), span.items(_NUMBERS[indices]), len(entries))
    return np.append(entries, entries.dtype.type(missing))[places.astype(np.intp)]


def _number_piece(span: _Span, field: _Field) -> NDArray[Any]:
    if field.indices is None:
        return _numbers(span, field.format)
    dictionary = span.dictionary()
    entries = np.where(dictionary.valid(), _numbers(dictionary, field.format).astype(np.float64), np.nan)
    return _looked_up(span, field.indices, entries, np.nan)


def _text_piece(span: _Span, field: _Field, codes: _Codes) -> NDArray[np.int32]:
    if field.indices is None:
        return codes.of(span, field.format)
    return _looked_up(span, field.indices, codes.of(span.dictionary(), field.format), -1)


def _joined(pieces: list[NDArray[Any]]) -> NDArray[Any]:
    return pieces[0] if len(pieces) == 1 else np.concatenate(pieces)


def _joined_validity(spans: list[_Span]) -> tuple[NDArray[np.uint8] | None, int]:
    """A bitmap over all spans and the place of its first bit."""
    if not any(span.has_validity() for span in spans):
        return None, 0
    if len(spans) == 1:
        first_byte, bit_offset = divmod(spans[0].first, 8)
        return spans[0].view(0, np.uint8, first_byte, (bit_offset + spans[0].n + 7) // 8), bit_offset
    return np.packbits(np.concatenate([span.valid() for span in spans]), bitorder="little"), 0


def _column(field: _Field, spans: list[_Span]) -> Column:
    _check_format(field.format)
    if field.format not in _TEXTS:
        values = _joined([_number_piece(span, field) for span in spans])
        return Column(values, None, *_joined_validity(spans))
    if field.indices is not None and len(spans) == 1 and not spans[0].dictionary().has_validity():
        texts = _decoded(_texts(spans[0].dictionary(), field.format))
        return Column(spans[0].items(_NUMBERS[field.indices]), texts, *_joined_validity(spans))
    codes = _Codes()
    values = _joined([_text_piece(span, field, codes) for span in spans])
    return Column(values, codes.texts())


def _fields(schema: _Owned) -> list[_Field]:
    """The columns of a table."""
    if schema.struct.format != b"+s":
        raise ValueError("Expected 2D array, got an Arrow stream of a single column instead")
    return [_Field.of(schema.struct.children[i].contents) for i in range(schema.struct.n_children)]


def names(source: Any) -> list[str]:
    """The names of a table's columns."""
    return [field.name for field in _fields(_Reader(source).schema())]


def columns(source: Any) -> tuple[int, list[tuple[str, Callable[[], Column]]]]:
    """The number of rows of a table; for each of its columns the name and what reads it."""
    reader = _Reader(source)
    fields = _fields(reader.schema())
    rows = [_Span.whole(chunk, chunk.struct) for chunk in reader.chunks()]
    if any(chunk.has_validity() and not chunk.valid().all() for chunk in rows):
        raise ValueError("rows that are missing as a whole cannot be used; drop them first")

    def reading(index: int, field: _Field) -> Callable[[], Column]:
        return lambda: _column(field, [chunk.child(index) for chunk in rows])

    return sum(chunk.n for chunk in rows), [(field.name, reading(i, field)) for i, field in enumerate(fields)]


def column(source: Any) -> Column:
    """The only column of a stream that is no table."""
    reader = _Reader(source)
    schema = reader.schema()
    field = _Field.of(schema.struct)
    return _column(field, [_Span.whole(chunk, chunk.struct) for chunk in reader.chunks()])
