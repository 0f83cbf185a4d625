"""Arrow streams of every type, offset and number of chunks against their plain twin, and who frees what when."""

from __future__ import annotations

import ctypes
import gc
import itertools
import random
import tracemalloc
from decimal import Decimal
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from mixboost import _arrow, _native
from mixboost._columns import dataset_of, feature_names, is_frame
from plain_twin import assert_same, is_text, plain_dataset, train, values_of

N = 60
WORDS = ["fig", "Äpfel", "", "10", "9", "a much longer name of some fruit", "exactly 12 b", "thirteen byte"]
INTEGERS = [pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64()]
NUMBERS = [*INTEGERS, pa.float16(), pa.float32(), pa.float64(), pa.bool_()]
DECIMALS = [pa.decimal32(7, 2), pa.decimal64(9, 3), pa.decimal128(38, 20), pa.decimal256(60, 30), pa.decimal128(5, -2)]
TEXTS = [pa.string(), pa.large_string(), pa.string_view()]
DICTIONARIES = [pa.dictionary(index, value) for index in INTEGERS for value in TEXTS[:2]] + [
    pa.dictionary(pa.int8(), pa.int8()),
    pa.dictionary(pa.uint32(), pa.float64()),
    pa.dictionary(pa.int16(), pa.int64()),
]
TYPES = [*NUMBERS, *DECIMALS, *TEXTS, *DICTIONARIES, pa.null()]


def draw(kind: pa.DataType, n: int, dice: random.Random, missing: float = 0.3) -> list[Any]:
    """Values that the type has exactly."""

    def value() -> Any:
        content = kind.value_type if pa.types.is_dictionary(kind) else kind
        if content in TEXTS:
            return dice.choice(WORDS)
        if pa.types.is_null(content):
            return None
        if pa.types.is_boolean(content):
            return dice.random() < 0.5
        if pa.types.is_floating(content):
            return float(np.float16(dice.gauss(0, 10)))
        if pa.types.is_decimal(content):
            digits = dice.randrange(-(10**content.precision) + 1, 10**content.precision)
            return Decimal(digits // 10 ** dice.randrange(content.precision)).scaleb(-content.scale)
        limits = np.iinfo(content.to_pandas_dtype())
        spread = 20 if pa.types.is_dictionary(kind) else limits.max
        return max(int(limits.min), dice.randrange(-spread, spread))

    return [None if dice.random() < missing else value() for _ in range(n)]


def array_of(values: list[Any], kind: pa.DataType) -> pa.Array:
    if pa.types.is_dictionary(kind):
        return pa.array(values, kind.value_type).dictionary_encode().cast(kind)
    if pa.types.is_float16(kind):
        values = [None if value is None else np.float16(value) for value in values]
    return pa.array(values, kind)


def kept_addresses(dataset: _native.Dataset) -> list[int]:
    return [kept.ctypes.data for kept in dataset._kept if isinstance(kept, np.ndarray)]


# ---- Types, offsets and chunks -----------------------------------------------------------------------------------


@pytest.mark.parametrize("missing", [0.0, 0.3])
@pytest.mark.parametrize("kind", TYPES, ids=str)
def test_one_chunk(kind: pa.DataType, missing: float) -> None:
    values = draw(kind, N, random.Random(1), missing)
    assert_same(pa.table({"a": array_of(values, kind)}), {"a": values})


@pytest.mark.parametrize("kind", TYPES, ids=str)
def test_slices_and_several_chunks(kind: pa.DataType) -> None:
    dice = random.Random(2)
    values = draw(kind, 4 * N, dice)
    for first in (1, 8, 13):
        array = array_of(values, kind).slice(first, N)
        assert_same(pa.table({"a": array}), {"a": values[first : first + N]})
        assert_same(pa.RecordBatch.from_arrays([array], ["a"]), {"a": values[first : first + N]})
    pieces = [array_of(values[i : i + N], kind).slice(3, 40) for i in range(0, 4 * N, N)]
    expected = [value for i in range(0, 4 * N, N) for value in values[i + 3 : i + 43]]
    assert_same(
        pa.table({"a": pa.chunked_array([pieces[0].slice(0, 0), *pieces, pieces[0].slice(5, 0)])}), {"a": expected}
    )


@pytest.mark.parametrize("kind", [*TEXTS, pa.decimal128(38, 20)], ids=str)
def test_columns_longer_than_a_block(kind: pa.DataType) -> None:
    values = draw(kind, 70_000, random.Random(6), missing=0.01)
    assert_same(pa.table({"a": array_of(values, kind)}), {"a": values})


@pytest.mark.parametrize("kind", [*INTEGERS, pa.float32(), pa.float64()], ids=str)
def test_numbers_are_read_in_place(kind: pa.DataType) -> None:
    array = array_of(draw(kind, N, random.Random(3)), kind).slice(5)
    dataset = dataset_of(pa.table({"a": array}))
    validity, values = array.buffers()
    assert kept_addresses(dataset) == [values.address + 5 * array.type.bit_width // 8, validity.address]


@pytest.mark.parametrize("index", INTEGERS, ids=str)
def test_codes_of_texts_are_read_in_place(index: pa.DataType) -> None:
    kind = pa.dictionary(index, pa.string())
    array = array_of(draw(kind, N, random.Random(4)), kind).slice(9)
    dataset = dataset_of(pa.table({"a": array}))
    codes = array.indices.buffers()[1].address + 9 * index.bit_width // 8
    assert codes in kept_addresses(dataset)


def test_nothing_large_is_allocated() -> None:
    numbers = np.zeros(1_000_000)
    codes = pa.DictionaryArray.from_arrays(np.zeros(1_000_000, np.int32), ["a", "b"])
    tables = [pa.table({"x": numbers, "word": codes}), pl.DataFrame({"x": numbers}), pa.table({"x": codes}).slice(7)]
    for table in tables:
        tracemalloc.start()
        dataset_of(table)
        _now, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < 100_000


def test_dictionaries_with_missing_and_repeated_entries() -> None:
    for texts in (["b", None, "a", "b"], ["b", "c", "a", "b"]):
        codes = pa.array([0, 1, 2, 3, None, 1] * 10, pa.int8())
        values = [None if code is None else texts[code] for code in codes.to_pylist()]
        table = pa.table({"a": pa.DictionaryArray.from_arrays(codes, pa.array(texts))})
        assert_same(table, {"a": values})
        assert_same(pa.concat_tables([table, table.slice(3)]), {"a": values + values[3:]})
    numbers = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2, None] * 10), pa.array([2**40, None, 5]))
    assert_same(pa.table({"a": numbers}), {"a": [2**40, None, 5, None] * 10})


def test_chunks_with_dictionaries_of_their_own() -> None:
    pieces = [pa.array(words * 10).dictionary_encode() for words in (["x", "y"], ["y", "z", None], ["a", "x"])]
    values = [value for piece in pieces for value in piece.to_pylist()]
    assert_same(pa.table({"a": pa.chunked_array(pieces)}), {"a": values})


def test_a_dictionary_without_entries() -> None:
    empty = pa.DictionaryArray.from_arrays(pa.array([None] * N, pa.int8()), pa.array([], pa.string()))
    for chunks in ([empty], [empty, empty]):
        dataset = dataset_of(pa.table({"a": pa.chunked_array(chunks)}))
        assert dataset.is_text(0)
        assert np.isnan(values_of(dataset, 0)).all()


def bare_span(addresses: list[int | None], **fields: int) -> _arrow._Span:
    buffers = ctypes.cast((ctypes.c_void_p * 2)(*addresses), ctypes.POINTER(ctypes.c_void_p))
    array = _arrow._Array(n_buffers=2, buffers=buffers, **fields)
    return _arrow._Span.whole(_arrow._Owned(array), array)


def test_buffers_without_an_address() -> None:
    """As arrays without a row may have them, and arrays without a value."""
    assert bare_span([None, None], length=0).items(np.float64).tolist() == []
    assert bare_span([None, None], length=3).items(np.int16).tolist() == [0, 0, 0]


def test_a_bitmap_counts_where_something_may_be_missing() -> None:
    bits = np.array([0b101], np.uint8)
    address = bits.ctypes.data
    for null_count, missing in ((0, False), (1, True), (-1, True)):
        span = bare_span([address, None], length=3, null_count=null_count)
        assert span.has_validity() == missing
        assert span.valid().tolist() == [True, not missing, True]
    assert not bare_span([None, None], length=3, null_count=-1).has_validity()


def test_nothing_is_read_where_a_text_is_missing() -> None:
    views = np.frombuffer(b"\3\0\0\0fig" + bytes(9), np.int32).reshape(1, 4).repeat(N, axis=0)
    views[::4] = (1000, 0, 77, 88)  # a text of 1000 bytes in a buffer there is not
    bits = pa.py_buffer(b"\xee" * 8)
    table = pa.table({"a": pa.Array.from_buffers(pa.string_view(), N, [bits, pa.py_buffer(views)])})
    assert_same(table, {"a": [None, "fig", "fig", "fig"] * (N // 4)})


def test_texts_that_are_not_utf8() -> None:
    array = pa.array([b"caf\xe9", b"caf\xc3\xa9"] * 20, pa.binary()).view(pa.string())
    assert_same(pa.table({"a": array}), {"a": ["caf\udce9", "café"] * 20})


def test_decimals_are_the_nearest_doubles() -> None:
    digits = ["0.1", "-0.3", "123456789012345678901.2345678901", "-99999999999999999999999999.999999", "0"]
    dataset = dataset_of(pa.table({"a": pa.array(map(Decimal, digits), pa.decimal128(38, 10))}))
    assert values_of(dataset, 0).tolist() == [float(Decimal(text)) for text in digits]


@pytest.mark.parametrize("seed", range(40))
def test_random_tables(seed: int) -> None:
    dice = random.Random(seed)
    n = dice.randrange(20, 200)
    kinds = {f"column {i}": dice.choice(TYPES) for i in range(dice.randrange(1, 8))}
    plain = {name: draw(kind, n, dice, dice.choice([0, 0.2])) for name, kind in kinds.items()}
    columns = {}
    for name, kind in kinds.items():
        bounds = [0, *sorted(dice.choices(range(n + 1), k=dice.randrange(3))), n]
        pieces = [array_of(plain[name][i:j], kind) for i, j in itertools.pairwise(bounds)]
        columns[name] = pa.chunked_array(pieces, kind)
    first = dice.randrange(n - 10)
    cut = {name: values[first:] for name, values in plain.items()}
    if all(is_text(cut[name]) == is_text(plain[name]) for name in plain):
        assert_same(pa.table(columns).slice(first), cut)
    assert_same(pa.table(columns), plain)


# ---- Polars ------------------------------------------------------------------------------------------------------

POLARS_NUMBERS: list[Any] = [
    pl.Int8,
    pl.Int16,
    pl.Int32,
    pl.Int64,
    pl.UInt8,
    pl.UInt16,
    pl.UInt32,
    pl.UInt64,
    pl.Float32,
]
POLARS_NUMBERS += [pl.Float64, pl.Boolean, pl.Decimal(9, 2), pl.Null]


@pytest.mark.parametrize("kind", POLARS_NUMBERS, ids=str)
def test_polars_numbers(kind: Any) -> None:
    small = [None if i % 7 == 0 else i % 2 if kind == pl.Boolean else i % 100 for i in range(N)]
    values = [None] * N if kind == pl.Null else small
    frame = pl.DataFrame({"a": pl.Series(values, dtype=kind, strict=False), "b": np.arange(N)})
    assert_same(frame, {"a": values, "b": range(N)})
    assert_same(frame[3:50], {"a": values[3:50], "b": range(3, 50)})
    assert_same(
        pl.concat([frame, frame[3:50]], rechunk=False), {"a": values + values[3:50], "b": [*range(N), *range(3, 50)]}
    )


@pytest.mark.parametrize("kind", [pl.String, pl.Categorical, pl.Enum(WORDS)], ids=str)
def test_polars_text(kind: Any) -> None:
    dice = random.Random(5)
    words = [dice.choice([*WORDS, None]) for _ in range(N)]
    frame = pl.DataFrame({"a": pl.Series(words, dtype=kind)})
    assert_same(frame, {"a": words})
    assert_same(frame[::-1], {"a": words[::-1]})
    assert_same(frame[7:40], {"a": words[7:40]})
    assert_same(pl.concat([frame, frame[7:40]], rechunk=False), {"a": words + words[7:40]})
    codes = pl.DataFrame({"a": frame["a"].to_physical() if kind != pl.String else range(N)})
    assert not dataset_of(codes).is_text(0)


def test_polars_is_read_in_place() -> None:
    frame = pl.DataFrame({"a": np.arange(100.0), "b": np.arange(100, dtype=np.int16)})[10:]
    addresses = [frame[name].to_numpy(allow_copy=False).ctypes.data for name in frame.columns]
    assert kept_addresses(dataset_of(frame)) == addresses


def test_polars_infinity_and_nan() -> None:
    values = [np.inf, -np.inf, np.nan, 1.5, None] * 12
    dataset = assert_same(pl.DataFrame({"a": values}), {"a": values})
    assert np.isnan(values_of(dataset, 0)).sum() == 24


# ---- What is a frame ---------------------------------------------------------------------------------------------


class Exports:
    """A table of nobody's, known by its stream alone."""

    def __init__(self, table: Any) -> None:
        self.table = table

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.table.__arrow_c_stream__(requested_schema)


def test_whatever_exports_a_table_is_a_frame() -> None:
    values = list(range(N))
    table = pa.table({"b": values, "a": values})
    batch = table.to_batches()[0]
    for X in (
        table,
        batch,
        table.to_reader(),
        pl.DataFrame({"b": values, "a": values}),
        Exports(table),
        Exports(batch),
    ):
        assert is_frame(X)
        assert feature_names(X) == ["b", "a"]
        assert_same(X, {"b": values, "a": values})


def test_single_columns_are_no_frames() -> None:
    assert not is_frame(pl.Series([1]))
    assert not is_frame(pa.array([1]))
    with pytest.raises(ValueError, match="Expected 2D array, got an Arrow stream of a single column instead"):
        dataset_of(pa.chunked_array([[1, 2]]))


# ---- What cannot be used -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("array", "sentence"),
    [
        (pa.array([1, 2], pa.date32()), "it holds dates or times.*such as days since a date"),
        (pa.array([1, 2], pa.timestamp("ms", "UTC")), "dates or times"),
        (pa.array([1, 2], pa.duration("s")), "dates or times"),
        (pa.array([1, 2], pa.time64("us")), "dates or times"),
        (pa.array([[1], [2]]), "nested values.*give each part a column of its own"),
        (pa.array([{"x": 1}, None]), "nested values"),
        (pa.array([b"a", b"b"]), "bytes.*turn them into text or numbers first"),
        (pa.array([b"a", b"b"], pa.binary(1)), "bytes"),
        (pa.array([b"a", b"b"], pa.binary_view()), "bytes"),
        (pa.array([1, 2], pa.date32()).dictionary_encode(), "dates or times"),
        (pa.array(["a\0b", "c"]), "has a character NUL"),
    ],
)
def test_a_column_that_cannot_be_used_is_named(array: pa.Array, sentence: str) -> None:
    with pytest.raises(ValueError, match=f'^column "when": .*{sentence}'):
        dataset_of(pa.table({"x": [1, 2], "when": array}))


def test_a_type_of_polars_alone() -> None:
    with pytest.raises(ValueError, match='^column "a": it holds values of the Arrow type .*convert it'):
        dataset_of(pl.DataFrame({"a": pl.Series([1, 2], dtype=pl.Int128)}))


def test_tables_that_cannot_be_used() -> None:
    twice = pa.Table.from_arrays([pa.array([1]), pa.array([2])], ["a", "a"])
    with pytest.raises(ValueError, match='features 1 and 2 have the same name "a"'):
        dataset_of(twice)
    for empty in (pa.table({"a": pa.array([], pa.string())}), pl.DataFrame({"a": []})):
        with pytest.raises(ValueError, match=r"Found array with 0 sample\(s\) \(shape=\(0, 1\)\)"):
            dataset_of(empty)
    with pytest.raises(ValueError, match=r"0 (sample|feature)\(s\)"):
        dataset_of(pl.DataFrame())
    rows = pa.StructArray.from_arrays([pa.array([1, 2])], ["a"], mask=pa.array([False, True]))
    with pytest.raises(ValueError, match="rows that are missing as a whole"):
        dataset_of(pa.chunked_array([rows]))


# ---- Who frees what, and when: a producer of our own -------------------------------------------------------------

FREE = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
DESTRUCTOR = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)
NEW_CAPSULE = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, DESTRUCTOR)(
    ("PyCapsule_New", ctypes.pythonapi)
)


class Producer:
    """Exports chunks of one float64 column and counts how often each struct is released."""

    def __init__(self, chunks: list[Any], offset: int = 0, fails_at: int | None = None) -> None:
        self.chunks, self.offset, self.fails_at = chunks, offset, fails_at
        self.released: list[str] = []
        self.given = 0
        self._alive: list[Any] = []  # the memory of every struct, as a producer in C would have it on the heap

    def _releasing(self, name: str, kind: Any) -> Any:
        def release(address: int) -> None:
            self.released.append(name)
            kind.from_address(address).release = _arrow._Release()

        callback = FREE(release)
        self._alive.append(callback)
        return ctypes.cast(callback, _arrow._Release)

    def _pointers(self, kind: Any, items: list[Any]) -> Any:
        pointers = (ctypes.POINTER(kind) * len(items))(*map(ctypes.pointer, items))
        self._alive.append((pointers, items))
        return ctypes.cast(pointers, ctypes.POINTER(ctypes.POINTER(kind)))

    def _get_schema(self, _stream: int, out: int) -> int:
        child = _arrow._Schema(format=b"g", name=b"a")
        schema = _arrow._Schema.from_address(out)
        schema.format, schema.n_children = b"+s", 1
        schema.children = self._pointers(_arrow._Schema, [child])
        schema.release = self._releasing("schema", _arrow._Schema)
        return 0

    def _get_next(self, _stream: int, out: int) -> int:
        array = _arrow._Array.from_address(out)
        if self.given == self.fails_at:
            return 5
        if self.given == len(self.chunks):
            array.release = _arrow._Release()
            return 0
        values = self.chunks[self.given]
        buffers = (ctypes.c_void_p * 2)(None, values.ctypes.data)
        child = _arrow._Array(length=len(values), n_buffers=2)
        child.buffers = ctypes.cast(buffers, ctypes.POINTER(ctypes.c_void_p))
        array.length, array.offset, array.n_buffers, array.n_children = len(values) - self.offset, self.offset, 1, 1
        nothing = (ctypes.c_void_p * 1)(None)
        array.buffers = ctypes.cast(nothing, ctypes.POINTER(ctypes.c_void_p))
        array.children = self._pointers(_arrow._Array, [child])
        array.release = self._releasing(f"chunk {self.given}", _arrow._Array)
        self._alive += [buffers, nothing]
        self.given += 1
        return 0

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        kinds: dict[str, Any] = dict(_arrow._Stream._fields_)  # type: ignore[arg-type]
        reason = ctypes.create_string_buffer(b"the disk is on fire")
        say = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)(lambda _stream: ctypes.addressof(reason))
        functions = {
            "get_schema": kinds["get_schema"](self._get_schema),
            "get_next": kinds["get_next"](self._get_next),
            "get_last_error": ctypes.cast(say, kinds["get_last_error"]),
        }
        stream = _arrow._Stream(release=self._releasing("stream", _arrow._Stream), **functions)

        def destroy(_capsule: int) -> None:
            if stream.release:
                stream.release(ctypes.addressof(stream))

        destructor = DESTRUCTOR(destroy)
        self._alive += [say, functions, stream, destructor]
        return NEW_CAPSULE(ctypes.addressof(stream), b"arrow_array_stream", destructor)


def chunk(n: int) -> Any:
    return np.random.default_rng(n).normal(size=n)


def test_a_chunk_is_released_once_with_the_dataset() -> None:
    producer = Producer([chunk(N)])
    dataset = assert_same(producer, {"a": producer.chunks[0].tolist()})
    gc.collect()
    assert sorted(producer.released) == ["schema", "stream"]
    assert kept_addresses(dataset)[0] == producer.chunks[0].ctypes.data
    model = train(dataset)
    del dataset
    gc.collect()
    assert sorted(producer.released) == ["chunk 0", "schema", "stream"]
    assert model.n_features == 1


def test_chunks_that_were_joined_are_released_at_once() -> None:
    producer = Producer([chunk(20), chunk(0), chunk(30)])
    dataset = assert_same(producer, {"a": np.concatenate(producer.chunks).tolist()})
    gc.collect()
    assert sorted(producer.released) == ["chunk 0", "chunk 1", "chunk 2", "schema", "stream"]
    assert dataset.n_rows == 50


def test_an_empty_chunk_does_not_cost_a_copy() -> None:
    producer = Producer([chunk(0), chunk(N), chunk(0)])
    assert kept_addresses(dataset_of(producer)) == [producer.chunks[1].ctypes.data]


def test_the_offset_of_a_table_is_that_of_its_columns() -> None:
    producer = Producer([chunk(N)], offset=11)
    assert_same(producer, {"a": producer.chunks[0][11:].tolist()})


def test_names_alone_release_what_they_saw() -> None:
    producer = Producer([chunk(N)])
    assert feature_names(producer) == ["a"]
    gc.collect()
    assert sorted(producer.released) == ["schema", "stream"]


@pytest.mark.parametrize("fails_at", [0, 1])
def test_a_stream_that_fails(fails_at: int) -> None:
    producer = Producer([chunk(N), chunk(N)], fails_at=fails_at)
    with pytest.raises(RuntimeError, match="the Arrow stream of the data failed: the disk is on fire"):
        dataset_of(producer)
    gc.collect()
    assert sorted(producer.released) == ["chunk 0", "schema", "stream"][1 - fails_at :]


def test_memory_outlives_its_table() -> None:
    plain: dict[str, list[Any]] = {"x": [float(i) for i in range(N)], "word": ["fig", "9", None] * 20}
    expected = train(plain_dataset(plain)).to_bytes()
    for make in (pa.table, pl.DataFrame):
        dataset = dataset_of(make(plain))
        gc.collect()
        others = [make({"x": [0.0] * N, "word": ["none"] * N}) for _ in range(50)]
        assert train(dataset).to_bytes() == expected
        assert len(others) == 50
