"""Datasets out of what users call X: arrays, pandas frames, and whatever exports an Arrow stream.

Values stay where they lie if the library can read them there, and are converted column by column if not. pandas is
never imported here: who passes a frame has done so.

What a column means:

- numbers and booleans are numbers, infinite ones too; NaN, None, NA, null and what a mask hides are missing;
- text is text, as are pandas categories, each being the ``str`` of its category: categories 9 and 10, and 9.0 and 10.0
  too, are the texts "9" and "10", whose order is that of their bytes. To have them ordered as numbers, pass numbers;
- Arrow dictionaries (polars' Categorical and Enum among them) are what their values are;
- a column without any value is numbers or text, whichever the model has.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from decimal import Decimal
from functools import partial
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _arrow
from ._arrow import Column, unusable
from ._native import Dataset, Model, is_readable

# ---- Frames ------------------------------------------------------------------------------------------------------


def _is_pandas(X: object) -> bool:
    return isinstance(X, getattr(sys.modules.get("pandas"), "DataFrame", ()))


def is_frame(X: object) -> bool:
    """Whether X has columns of its own types: a pandas frame, or a table that exports an Arrow stream.

    A Series, which exports a stream too, is none; it is known by its one dtype.
    """
    kind = type(X)
    return (hasattr(kind, "__arrow_c_stream__") and not hasattr(kind, "dtype")) or _is_pandas(X)


def _names(labels: Sequence[object]) -> list[str] | None:
    """The labels if they are strings, None if they are something else."""
    names = [str(label) for label in labels if isinstance(label, str)]
    if names and len(names) < len(labels):
        kinds = ", ".join(sorted({type(label).__name__ for label in labels}))
        raise TypeError(
            f"Feature names are only supported if all input features have string names, but X has column names of "
            f"the types {kinds}. Make them all strings, with X.columns = X.columns.astype(str), or none."
        )
    return names or None


def feature_names(X: Any) -> list[str] | None:
    """The names of a frame's columns; None where these are not strings, and of anything but a frame."""
    if _is_pandas(X):
        return _names(list(X.columns))
    return _names(_arrow.names(X)) if is_frame(X) else None


# ---- Arrays ------------------------------------------------------------------------------------------------------


def without_mask(X: Any) -> Any:
    """NaN for what a masked array hides, where scikit-learn would read on; anything else as it is."""
    if not isinstance(X, np.ma.MaskedArray):
        return X
    return np.ma.filled(X.astype(np.result_type(X.dtype, np.float32)), np.nan)


# ---- Columns of pandas -------------------------------------------------------------------------------------------


def readable(array: NDArray[Any]) -> NDArray[Any]:
    """The array itself if the library can read it, else its values as float64."""
    if is_readable(array.dtype):
        return array
    if array.dtype.kind in "fiubO":
        return array.astype(np.float64)
    if array.dtype.kind in "Mm":
        raise unusable("dates or times", "turn them into numbers first, such as days since a date")
    if array.dtype.kind == "c":
        raise unusable("complex numbers", "give the real and the imaginary part a column each")
    raise unusable(f"values of the type {array.dtype}", "convert it to one of these first")


def _factorised(series: Any) -> Column:
    codes, texts = series.factorize()
    return Column(codes, list(texts))


def _category_text(category: object) -> str:
    """Equal numbers are one text: where a value is missing, pandas makes categories 9.0 and 10.0 of 9 and 10."""
    if isinstance(category, (float, np.floating)) and category.is_integer():
        return str(int(category))
    return str(category)


def _object_column(series: Any) -> Column:
    kinds = set(map(type, series.dropna()))
    if kinds and all(issubclass(kind, str) for kind in kinds):
        return _factorised(series)
    if all(issubclass(kind, (Real, np.bool_, Decimal)) for kind in kinds):
        return Column(series.to_numpy(object, na_value=np.nan).astype(np.float64))  # at once only since pandas 2
    names = ", ".join(sorted(kind.__name__ for kind in kinds))
    raise unusable(f"objects ({names})", "make it all numbers or all text first")


def _nullable_column(series: Any, number_type: np.dtype[Any]) -> Column:
    if not series.hasnans:
        return Column(series.to_numpy(number_type))
    # The smallest type that has NaN and every value that a double has.
    return Column(series.to_numpy(np.result_type(number_type, np.float32), na_value=np.nan))


def _pandas_column(pandas: Any, series: Any) -> Column:
    dtype = series.dtype
    if isinstance(dtype, np.dtype):
        return _object_column(series) if dtype.kind == "O" else Column(readable(series.to_numpy()))
    if isinstance(dtype, pandas.CategoricalDtype):
        return Column(series.array.codes, list(map(_category_text, dtype.categories)))
    if isinstance(dtype, pandas.StringDtype):
        return _factorised(series)
    if isinstance(dtype, pandas.SparseDtype):
        return _pandas_column(pandas, series.sparse.to_dense())
    if isinstance(dtype, pandas.ArrowDtype):
        return _arrow.column(series.array.__arrow_array__())
    number_type = getattr(dtype, "numpy_dtype", None)
    if number_type is None or number_type.kind not in "fiub":
        raise unusable(f"values of the type {dtype}", "convert it to one of these first")
    return _nullable_column(series, number_type)


def _pandas_columns(X: Any) -> tuple[int, list[tuple[object, Callable[[], Column]]]]:
    pandas = sys.modules["pandas"]
    return len(X), [(label, partial(_pandas_column, pandas, series)) for label, series in X.items()]


# ---- Datasets ----------------------------------------------------------------------------------------------------


@contextmanager
def naming(what: str) -> Iterator[None]:
    """Says in errors what they are about."""
    try:
        yield
    except (ValueError, OverflowError) as error:
        raise ValueError(f"{what}: {error}") from error


def _has_values(column: Column) -> bool:
    values, bitmap = column.values, column.validity
    present = values == values if column.texts is None else (values >= 0) & (values < len(column.texts))
    if bitmap is not None:
        present &= np.unpackbits(bitmap, bitorder="little")[column.bit_offset :][: len(values)].view(np.bool_)
    return bool(present.any())


def _of_kind(column: Column, text: bool) -> Column:
    """A column of missing text for one of missing numbers and the other way round; other columns as they are."""
    if (column.texts is not None) == text or _has_values(column):
        return column
    n_rows = len(column.values)
    if text:
        return Column(np.broadcast_to(np.int8(-1), n_rows), [])
    return Column(np.broadcast_to(np.float32(np.nan), n_rows))


def _add(dataset: Dataset, name: str | None, column: Column) -> None:
    if column.texts is None:
        dataset.add_column(name, column.values, column.validity, column.bit_offset)
    else:
        dataset.add_text_column(name, column.values, column.texts, column.validity, column.bit_offset)


def dataset_of(X: Any, like: Dataset | Model | None = None) -> Dataset:
    """A dataset over the columns of a frame or of a two-dimensional array of numbers.

    Parameters
    ----------
    X : frame (see :func:`is_frame`) or array of shape (n_samples, n_features)
        Read where it lies; the dataset keeps it alive.
    like : Dataset or Model, optional
        Says of columns without any value whether they are text.
    """
    if not is_frame(X):
        dataset = Dataset(len(X))
        with naming("X"):
            dataset.add_matrix(readable(X))
        return dataset
    n_rows, columns = _pandas_columns(X) if _is_pandas(X) else _arrow.columns(X)
    for count, what in ((n_rows, "sample"), (len(columns), "feature")):
        if count == 0:
            raise ValueError(
                f"Found array with 0 {what}(s) (shape=({n_rows}, {len(columns)})) while a minimum of 1 is required."
            )
    names = _names([label for label, _ in columns])
    dataset = Dataset(n_rows)
    for i, (label, read) in enumerate(columns):
        with naming(f'column "{label}"'):
            column = read()
            if like is not None and i < like.n_features:
                column = _of_kind(column, like.is_text(i))
            _add(dataset, names[i] if names else None, column)
    return dataset
