"""What is to be predicted, numbers or two classes, as the library is told of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from numbers import Real
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import assert_all_finite, column_or_1d
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets, type_of_target

from ._native import Dataset, is_readable

Weight = NDArray[np.float64] | None
ClassWeight = Literal["balanced"] | Mapping[Any, float] | None

# Labels are looked at so many at a time: what is computed of them on the way stays small beside the rows.
_ROWS_AT_ONCE = 1 << 14


def check_target(y: Any, numeric: bool) -> NDArray[Any]:
    """y as an array of one dimension, nothing missing: of numbers, or of labels of any one kind."""
    if y is None:
        raise ValueError("fit requires y to be passed, but the target y is None")
    if np.ma.is_masked(y):
        raise ValueError("y must have nothing missing; it has values that are masked")
    values: NDArray[Any] = column_or_1d(y, warn=True)
    if values.dtype.kind == "O":
        values = _unboxed(values, numeric)
    assert_all_finite(values, input_name="y")
    if numeric and values.dtype.kind not in "biuf":
        raise ValueError(f"y must be numbers; it has values of the type {values.dtype}")
    if values.dtype.kind in "Mm":
        raise ValueError(f"y must be all numbers or all text; it has values of the type {values.dtype}")
    return values


def _unboxed(y: NDArray[Any], numeric: bool) -> NDArray[Any]:
    """Python's numbers as an array of numbers; texts as they are."""
    kinds = set(map(type, y))
    if all(issubclass(kind, str) for kind in kinds):
        return y
    if not all(issubclass(kind, (Real, np.bool_)) for kind in kinds):
        names = ", ".join(sorted(kind.__name__ for kind in kinds))
        raise ValueError(f"y must be all numbers or all text, nothing missing; it has values of the types {names}")
    return y.astype(np.float64) if numeric else np.array(y.tolist())


class Numbers:
    """The targets of a regressor."""

    def attach(self, dataset: Dataset, y: NDArray[Any], weight: Weight) -> None:
        """Gives a dataset its labels and weights."""
        dataset.set_label(y if is_readable(y.dtype) else y.astype(np.float64))
        if weight is not None:
            dataset.set_weight(weight)


def _parts(n_rows: int) -> Iterator[slice]:
    return (slice(first, first + _ROWS_AT_ONCE) for first in range(0, n_rows, _ROWS_AT_ONCE))


def _distinct_labels(y: NDArray[Any], weight: Weight) -> NDArray[Any]:
    """The labels of the rows that weigh anything, each once; where there are more than two, of all these rows."""
    found = y[:0]
    for part in _parts(len(y)):
        labels = y[part] if weight is None else y[part][weight[part] > 0]
        if len(found) > 0:
            labels = labels[(labels != found[0]) & (labels != found[-1])]
        if len(labels) > 0:
            found = np.unique(np.concatenate((found, labels))).astype(y.dtype)  # which joining may change
        if len(found) > 2:
            return y if weight is None else y[weight > 0]
    return found


class Classes:
    """The two labels of a classifier: those of the training rows that weigh anything.

    Numbers go to the library as numbers and texts as texts, so that the model file has them. Labels that a double
    cannot hold exactly (integers beyond 2**53) are 0 and 1 there.
    """

    def __init__(self, y: NDArray[Any], weight: Weight, class_weight: ClassWeight) -> None:
        self.labels: NDArray[Any] = _distinct_labels(y, weight)
        check_classification_targets(self.labels)
        kind = type_of_target(self.labels, input_name="y", raise_unknown=True)
        if kind != "binary":
            raise ValueError(f"Only binary classification is supported. The type of the target is {kind}.")
        if len(self.labels) != 2:
            whose = "y has" if weight is None else "rows with a sample_weight over 0 have"
            raise ValueError(f"A classifier needs rows of two classes; {whose} one class, {self.labels.tolist()[0]!r}.")
        self._numbers = self._exact_numbers()
        self._weights = self._weigh(class_weight, y, weight)

    def _exact_numbers(self) -> NDArray[np.float64] | None:
        """The labels as the library keeps them; None for texts."""
        labels = self.labels.tolist()
        if any(isinstance(label, str) for label in labels):
            "".join(labels).encode()  # fails for those that the library, which goes by bytes, would order otherwise
            return None
        numbers = [float(label) for label in labels]
        return np.array(numbers if numbers == labels else [0.0, 1.0])

    def _weigh(self, class_weight: ClassWeight, y: NDArray[Any], weight: Weight) -> NDArray[np.float64] | None:
        """A factor for the rows of each class. "balanced" counts a row of weight k as k rows."""
        if class_weight is None:
            return None
        if isinstance(class_weight, str) and class_weight == "balanced":
            totals = np.bincount(self.encode(y, weight), weights=weight, minlength=2)
            return np.asarray(totals.sum() / (2 * totals))
        return np.asarray(compute_class_weight(class_weight, classes=self.labels, y=self.labels), dtype=np.float64)

    def encode(self, y: NDArray[Any], weight: Weight = None) -> NDArray[np.int8]:
        """0 and 1 for the two labels. Rows that weigh nothing may have any."""
        codes = np.zeros(len(y), dtype=np.int8)
        are_comparable = (y.dtype.kind in "OU") == (self._numbers is None)  # not every numpy compares texts to numbers
        for part in _parts(len(y)):
            labels = y[part]
            strange = np.ones(len(labels), dtype=np.bool_)
            if are_comparable:
                codes[part] = labels == self.labels[1]
                strange = np.asarray(labels != self.labels[codes[part]])
            if weight is not None:
                strange &= weight[part] > 0
            if np.any(strange):
                label = labels[strange].tolist()[0]
                raise ValueError(f"y has the label {label!r}, which the training rows do not have.")
        return codes

    def attach(self, dataset: Dataset, y: NDArray[Any], weight: Weight) -> None:
        """Gives a dataset its labels, and its weights times those of the classes."""
        codes = self.encode(y, weight)
        if self._numbers is None:
            dataset.set_text_label(codes, self.labels.tolist())
        elif is_readable(y.dtype) and np.array_equal(self._numbers, self.labels):
            dataset.set_label(y)
        else:
            dataset.set_label(self._numbers[codes])
        if self._weights is not None:
            weight = self._weights[codes] * (1.0 if weight is None else weight)
        if weight is not None:
            dataset.set_weight(weight)
