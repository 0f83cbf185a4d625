"""Arrays and pandas frames of every type and layout against their plain twin."""

from __future__ import annotations

import datetime
import itertools
import random
import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from mixboost import _native
from mixboost._columns import dataset_of, feature_names, is_frame
from plain_twin import assert_same, is_text, plain_dataset, train, values_of

N = 60
NUMBER_TYPES = "float32 float64 int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool".split()
CONVERTED_TYPES = ["float16", "longdouble", ">f4", ">f8", ">i2", ">u8"]


def draw(dtype: str, shape: Any, seed: int = 0) -> Any:
    """Values that every type takes for itself, large and negative ones where it has them."""
    rng = np.random.default_rng(seed)
    kind = np.dtype(dtype).kind
    if kind == "f":
        return (rng.normal(size=shape) * 100).astype(dtype)
    if kind == "b":
        return rng.integers(0, 2, shape).astype(dtype)
    limits = np.iinfo(np.dtype(dtype))
    return rng.integers(limits.min, limits.max, shape, np.dtype(dtype).newbyteorder("="), endpoint=True).astype(dtype)


def plain_of(array: Any) -> dict[str, list[float]]:
    return {str(i): array[:, i].astype(np.float64).tolist() for i in range(array.shape[1])}


def addresses(dataset: _native.Dataset) -> list[int]:
    return [kept.ctypes.data for kept in dataset._kept if isinstance(kept, np.ndarray)]


# ---- Arrays ------------------------------------------------------------------------------------------------------


def unaligned(array: Any) -> Any:
    room = np.empty(array.nbytes + 1, np.uint8)
    copy = room[1:].view(array.dtype).reshape(array.shape)
    copy[...] = array
    return copy


def read_only(array: Any) -> Any:
    array.setflags(write=False)
    return array


LAYOUTS: dict[str, Callable[[Any], Any]] = {
    "C": lambda a: a,
    "Fortran": np.asfortranarray,
    "rows backwards": lambda a: a[::-1],
    "columns backwards": lambda a: a[:, ::-1],
    "every other row": lambda a: np.repeat(a, 2, axis=0)[::2],
    "some columns": lambda a: np.tile(a, (1, 3))[:, 1:9:2],
    "transposed": lambda a: np.ascontiguousarray(a.T).T,
    "one row repeated by stride 0": lambda a: np.broadcast_to(a[0], a.shape),
    "read-only": read_only,
    "unaligned": unaligned,
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", NUMBER_TYPES)
def test_arrays_are_read_in_place(dtype: str, layout: str) -> None:
    array = LAYOUTS[layout](draw(dtype, (N, 4)))
    dataset = assert_same(array, plain_of(array), named=False)
    assert array.ctypes.data in addresses(dataset)
    assert next(kept.strides for kept in dataset._kept if isinstance(kept, np.ndarray)) == array.strides


@pytest.mark.parametrize("dtype", CONVERTED_TYPES)
def test_other_number_types_are_converted(dtype: str) -> None:
    array = draw(dtype, (N, 3))
    assert_same(array, plain_of(array), named=False)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "longdouble"])
def test_nan_is_missing_and_infinity_a_number(dtype: str) -> None:
    array = draw(dtype, (N, 2))
    array[::3, 0], array[1::4, 1], array[2::5, 1] = np.nan, np.inf, -np.inf
    dataset = assert_same(array, plain_of(array), named=False)
    assert np.isnan(values_of(dataset, 0)).sum() == N / 3
    assert np.isinf(values_of(dataset, 1)).sum() > N / 4


def test_no_array_is_copied() -> None:
    array = np.zeros((100_000, 10))
    frames = [array, np.asfortranarray(array), array[::-1, ::2], pd.DataFrame(array), pd.DataFrame({"a": array[:, 1]})]
    for X in frames:
        tracemalloc.start()
        dataset_of(X)
        _now, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < 100_000


def test_a_dataset_keeps_its_array_alive() -> None:
    array = draw("float64", (N, 2))
    dataset, expected = dataset_of(array.copy()), array[:, 1]
    for _ in range(100):
        np.ones((N, 2))
    np.testing.assert_array_equal(values_of(dataset, 1), expected)


# ---- What is a frame ---------------------------------------------------------------------------------------------


def test_frames_are_told_from_arrays_and_columns() -> None:
    frame = pd.DataFrame({"a": [1.0]})
    assert is_frame(frame)
    assert is_frame(type("Sub", (pd.DataFrame,), {})(frame))
    for X in (np.zeros((2, 2)), [[1]], frame["a"], frame.to_numpy(), None, "text", {"a": [1]}):
        assert not is_frame(X)


def test_feature_names() -> None:
    assert feature_names(pd.DataFrame({"b": [1], "a": [2]})) == ["b", "a"]
    assert feature_names(pd.DataFrame([[1, 2]])) is None
    assert feature_names(pd.DataFrame([[1]], columns=pd.MultiIndex.from_tuples([("a", "b")]))) is None
    assert feature_names(np.zeros((1, 2))) is None
    mixed = pd.DataFrame([[1, 2]], columns=["a", 1])
    for function in (feature_names, dataset_of):
        with pytest.raises(TypeError, match="all input features have string names.*the types int, str"):
            function(mixed)


def test_pandas_is_not_imported() -> None:
    code = (
        "import sys; from mixboost._columns import is_frame, dataset_of; import numpy as np;"
        "dataset_of(np.zeros((2, 2))); assert not is_frame([[1]]);"
        "assert not {'pandas', 'polars', 'pyarrow', 'sklearn'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


# ---- Frames of pandas: numbers -----------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", NUMBER_TYPES)
def test_pandas_numbers_are_read_in_place(dtype: str) -> None:
    block, alone = draw(dtype, (N, 3)), draw(dtype, N, seed=1)
    frame = pd.concat([pd.DataFrame(block, columns=list("abc")), pd.DataFrame({"d": alone})], axis=1)
    dataset = assert_same(frame, {name: frame[name].astype(np.float64).tolist() for name in "abcd"})
    assert [frame[name].to_numpy().ctypes.data for name in "abcd"] == addresses(dataset)[:4]


def test_pandas_slices_are_read_in_place() -> None:
    frame = pd.DataFrame(draw("float64", (2 * N, 3)), columns=list("abc")).iloc[::-2, ::2]
    dataset = assert_same(frame, {name: frame[name].tolist() for name in "ac"})
    assert frame["c"].to_numpy().ctypes.data in addresses(dataset)


@pytest.mark.parametrize("dtype", ["float16", "longdouble", ">f8", ">i4"])
def test_pandas_numbers_of_other_types_are_converted(dtype: str) -> None:
    array = draw(dtype, (N, 2))
    frame = pd.DataFrame({"a": array[:, 0], "b": array[:, 1]})
    assert_same(frame, {"a": array[:, 0].astype(float).tolist(), "b": array[:, 1].astype(float).tolist()})


NULLABLE = "Int8 Int16 Int32 Int64 UInt8 UInt16 UInt32 UInt64 Float32 Float64 boolean".split()


@pytest.mark.parametrize("dtype", NULLABLE)
def test_pandas_nullable_numbers(dtype: str) -> None:
    values: list[Any] = draw("bool" if dtype == "boolean" else dtype.lower(), N).tolist()
    whole = pd.DataFrame({"a": pd.array(values, dtype=dtype)})
    dataset = assert_same(whole, {"a": values})
    assert np.shares_memory(dataset._kept[0], whole["a"].to_numpy(whole["a"].dtype.numpy_dtype))
    values[::7] = [None] * len(values[::7])
    assert_same(pd.DataFrame({"a": pd.array(values, dtype=dtype)}), {"a": values})


def test_pandas_sparse_columns() -> None:
    numbers, flags = [0.0, 1.5, np.nan, 0.0] * 15, [True, False, False] * 20
    frame = pd.DataFrame(
        {"a": pd.arrays.SparseArray(numbers, fill_value=0.0), "b": pd.arrays.SparseArray(flags, fill_value=False)}
    )
    assert_same(frame, {"a": numbers, "b": flags})


def test_pandas_objects_that_are_numbers() -> None:
    cells = [1, 2.5, None, True, np.float32(3.25), np.int8(-4), np.bool_(False), pd.NA, np.nan, Decimal("0.5")]
    cells += [Fraction(1, 4), pd.NaT]
    numbers = [1, 2.5, None, 1, 3.25, -4, 0, None, None, 0.5, 0.25, None]
    assert_same(pd.DataFrame({"a": pd.Series(cells * 5, dtype=object)}), {"a": numbers * 5})


def test_unnamed_frames() -> None:
    array = draw("float64", (N, 3))
    assert_same(pd.DataFrame(array), plain_of(array), named=False)
    assert train(dataset_of(pd.DataFrame(array))).feature_names() is None


# ---- Frames of pandas: text --------------------------------------------------------------------------------------

WORDS = ["fig", "Äpfel", "", "10", "9", "a much longer name of some fruit", "fig "]


def draw_words(missing: Any = None, seed: int = 0) -> list[Any]:
    dice = random.Random(seed)
    return [dice.choice([*WORDS, missing]) for _ in range(N)]


def text_columns() -> dict[str, tuple[Any, list[Any]]]:
    words = draw_words()
    nothings = itertools.cycle([None, np.nan, pd.NA])
    mixed_missing = [next(nothings) if word is None else word for word in words]
    return {
        "object": (pd.Series(words, dtype=object), words),
        "object, missing as None, NaN and NA": (pd.Series(mixed_missing, dtype=object), words),
        "object of numpy texts": (pd.Series([None if w is None else np.str_(w) for w in words], dtype=object), words),
        "str": (pd.Series(words, dtype="str" if pd.__version__ >= "3" else "string"), words),
        "string[python]": (pd.Series(words, dtype="string[python]"), words),
        "string[pyarrow]": (pd.Series(words, dtype="string[pyarrow]"), words),
        "ArrowDtype(string)": (pd.Series(words, dtype=pd.ArrowDtype(pa.string())), words),
        "ArrowDtype(large_string)": (pd.Series(words, dtype=pd.ArrowDtype(pa.large_string())), words),
        "category": (pd.Series(words, dtype="category"), words),
        "category with more texts, in another order": (
            pd.Series(pd.Categorical(words, ["unseen", *WORDS[::-1], "also"])),
            words,
        ),
        "text without missing": (pd.Series([w or "none" for w in words]), [w or "none" for w in words]),
    }


@pytest.mark.parametrize("kind", text_columns())
def test_pandas_text(kind: str) -> None:
    series, words = text_columns()[kind]
    numbers = draw("float64", N).tolist()
    assert_same(pd.DataFrame({"x": numbers, "word": series}), {"x": numbers, "word": words})
    assert_same(pd.DataFrame({"word": series[::-2], "x": numbers[::-2]}), {"word": words[::-2], "x": numbers[::-2]})


def test_codes_of_categories_are_read_in_place() -> None:
    frame = pd.DataFrame({"a": pd.Series(draw_words(), dtype="category")})
    dataset = dataset_of(frame)
    assert frame["a"].array.codes.ctypes.data in addresses(dataset)


def test_categories_that_are_no_text_count_as_their_str() -> None:
    dice = random.Random(1)
    for values in ([9, 10, 100], [0.5, 2.25], [True, False], [datetime.date(2020, 1, 2), datetime.date(1999, 1, 1)]):
        cells = [dice.choice([*values, None]) for _ in range(N)]
        texts = [None if cell is None else str(cell) for cell in cells]
        assert_same(pd.DataFrame({"a": pd.Categorical(cells, values)}), {"a": texts})


def test_categories_that_are_equal_numbers_are_one_text() -> None:
    whole, missing = pd.Series([9, 10, -1] * 20), pd.Series([9, 10, -1, None] * 15)
    for dtype in ("float64", "float32", "Float64"):
        assert_same(pd.DataFrame({"a": whole.astype(dtype).astype("category")}), {"a": ["9", "10", "-1"] * 20})
        assert_same(pd.DataFrame({"a": missing.astype(dtype).astype("category")}), {"a": ["9", "10", "-1", None] * 15})
    assert_same(pd.DataFrame({"a": pd.Categorical([np.inf, 0.5, None] * 20)}), {"a": ["inf", "0.5", None] * 20})


def test_texts_beyond_utf8_and_with_nul() -> None:
    escaped = ["caf\udce9", "café"] * 30  # bytes of a CSV file in another encoding come as such
    assert_same(pd.DataFrame({"a": pd.Series(escaped, dtype=object)}), {"a": escaped})
    for text, sentence in (("a\0b", "has a character NUL"), ("\ud800", "surrogates not allowed")):
        with pytest.raises(ValueError, match=f'column "a": .*{sentence}'):
            dataset_of(pd.DataFrame({"a": pd.Series([text, "b"], dtype=object)}))


# ---- Columns that cannot be used ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        (pd.to_datetime(["2020-01-01", "2021-01-01"]), "dates or times.* turn them into numbers first, such as days"),
        (pd.to_datetime(["2020-01-01", "2021-01-01"]).tz_localize("UTC"), r"values of the type datetime64\[.*UTC\]"),
        (pd.to_timedelta([1, 2], "s"), "dates or times"),
        (pd.period_range("2020", periods=2, freq="D"), r"values of the type period\[D\].*convert it"),
        (pd.Series([1, 2], dtype="complex128"), "complex numbers.*give the real and the imaginary part a column each"),
        (pd.Series([1, "a"], dtype=object), r"objects \(int, str\).*make it all numbers or all text first"),
        (pd.Series([b"1", b"2"], dtype=object), r"objects \(bytes\)"),
        (pd.Series([[1], [2, 3]]), r"objects \(list\)"),
        (pd.Series([{}, None]), r"objects \(dict\)"),
        (pd.Series([datetime.date(2020, 1, 1), None]), r"objects \(date\)"),
        (pd.Series([10**400, 1], dtype=object), "too large to convert to float"),
        (pd.Series([datetime.date(2020, 1, 1)] * 2, dtype=pd.ArrowDtype(pa.date32())), "dates or times"),
        (pd.Series([[1], [2]], dtype=pd.ArrowDtype(pa.list_(pa.int8()))), "nested values.*each part a column"),
        (pd.Series([b"a", b"b"], dtype=pd.ArrowDtype(pa.binary())), "bytes.*turn them into text or numbers first"),
        (pd.Series(["x" * 2_000_000, "y"]), r"texts\[\d\] has 2000000 bytes; at most"),
    ],
)
def test_a_column_that_cannot_be_used_is_named(values: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=f'^column "when": .*{sentence}'):
        dataset_of(pd.DataFrame({"x": [1.0, 2.0], "when": values}))


def test_names_that_cannot_be_used() -> None:
    with pytest.raises(ValueError, match='features 1 and 3 have the same name "a"'):
        dataset_of(pd.DataFrame([[1, 2, 3]], columns=["a", "b", "a"]))
    with pytest.raises(ValueError, match=r"'a\\x00b' has a character NUL"):
        dataset_of(pd.DataFrame({"a\0b": [1]}))


def test_empty_frames() -> None:
    with pytest.raises(ValueError, match=r"Found array with 0 sample\(s\) \(shape=\(0, 1\)\) while a minimum of 1"):
        dataset_of(pd.DataFrame({"a": []}))
    with pytest.raises(ValueError, match=r"Found array with 0 feature\(s\) \(shape=\(2, 0\)\) while a minimum of 1"):
        dataset_of(pd.DataFrame(index=[0, 1]))


# ---- Columns without any value -----------------------------------------------------------------------------------

EMPTY = {
    "None": pd.Series([None] * 3, dtype=object),
    "float64": pd.Series([np.nan] * 3),
    "Int64": pd.array([None] * 3, dtype="Int64"),
    "string": pd.Series([None] * 3, dtype="string[python]"),
    "category": pd.Categorical([None] * 3, ["fig", "9"]),
    "null": pd.Series([None] * 3, dtype=pd.ArrowDtype(pa.null())),
    "Arrow int": pd.Series([None] * 3, dtype=pd.ArrowDtype(pa.int16())),
}


@pytest.mark.parametrize("kind", EMPTY)
def test_a_column_without_values_fits_numbers_and_text(kind: str) -> None:
    plain = {"word": draw_words(), "x": draw("float64", N).tolist()}
    train_data = plain_dataset(plain)
    model = train(train_data)
    for name in plain:
        missing: dict[str, list[Any]] = {"word": ["fig", None, "9"], "x": [1.0, None, 2.5], name: [None] * 3}
        frame = pd.DataFrame({**missing, name: EMPTY[kind]})
        twin = plain_dataset(missing) if name == "x" else empty_text_twin(missing)
        expected = model.predict(twin, _native.RAW, 1).tobytes()
        for like in (model, train_data):
            assert model.predict(dataset_of(frame, like), _native.RAW, 1).tobytes() == expected


def empty_text_twin(plain: dict[str, list[Any]]) -> _native.Dataset:
    dataset = _native.Dataset(3)
    dataset.add_text_column("word", np.array([-1, -1, -1]), [])
    dataset.add_column("x", plain_numbers(plain["x"]))
    return dataset


def plain_numbers(values: list[Any]) -> Any:
    return np.array([np.nan if value is None else value for value in values])


def test_a_column_with_values_must_be_of_the_models_kind() -> None:
    model = train(plain_dataset({"word": draw_words(), "x": draw("float64", N).tolist()}))
    for frame, sentence in (
        (pd.DataFrame({"word": [1.0, np.nan], "x": [1.0, 2.0]}), 'feature "word" .* holds numbers'),
        (pd.DataFrame({"word": ["fig", "9"], "x": ["one", None]}), 'feature "x" .* holds text'),
    ):
        with pytest.raises(ValueError, match=sentence):
            model.predict(dataset_of(frame, model), _native.RAW, 1)


# ---- Random frames -----------------------------------------------------------------------------------------------


def random_column(dice: random.Random, n: int) -> tuple[Any, list[Any]]:
    seed, missing = dice.randrange(10**6), dice.random() < 0.5
    kind = dice.choice(["numpy", "nullable", "text", "object"])
    if kind == "numpy":
        array = draw(dice.choice(NUMBER_TYPES), n, seed)
        return array, array.astype(np.float64).tolist()
    if kind == "nullable":
        dtype = dice.choice(NULLABLE)
        cells = draw("bool" if dtype == "boolean" else dtype.lower(), n, seed).tolist()
        cells = [None if missing and dice.random() < 0.3 else cell for cell in cells]
        return pd.array(cells, dtype=dtype), cells
    if kind == "text":
        words = [dice.choice(WORDS) for _ in range(n - 1)] + ["last"]
        cells = [None if missing and dice.random() < 0.3 else word for word in words[:-1]] + ["last"]
        return pd.Series(cells, dtype=dice.choice([object, "category", "string[python]", "string[pyarrow]"])), cells
    cells = [dice.choice([None, 1, 2.5, True]) for _ in range(n)]
    return pd.Series(cells, dtype=object), cells


@pytest.mark.parametrize("seed", range(40))
def test_random_frames(seed: int) -> None:
    dice = random.Random(seed)
    n = dice.randrange(20, 200)
    drawn = {f"column {i}": random_column(dice, n) for i in range(dice.randrange(1, 8))}
    frame = pd.DataFrame({name: column for name, (column, _plain) in drawn.items()})
    first, last = sorted(dice.sample(range(n + 1), 2))
    rows = slice(first, last, dice.choice([1, 1, 2, 3]))
    plain = {name: column[rows] for name, (_column, column) in drawn.items()}
    if len(range(n)[rows]) < 5 or any(is_text(drawn[name][1]) != is_text(plain[name]) for name in plain):
        rows, plain = slice(None), {name: column for name, (_column, column) in drawn.items()}
    assert_same(frame.iloc[rows], plain)
