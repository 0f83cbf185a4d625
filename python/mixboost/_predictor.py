"""Predictions for services: one row or some, without scikit-learn and its checks.

Rows of every kind become doubles one behind the other, texts the numbers that the model has for them, and the library
predicts them on the calling thread.
"""

from __future__ import annotations

import os
import struct
import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _native
from ._columns import is_frame, naming, readable, without_mask

_FLOAT64 = np.dtype(np.float64)
_OUTPUTS = {"mse": _native.VALUE, "logloss": _native.PROBABILITY}  # by objective


def _is_missing(cell: Any) -> bool:
    return cell is None or cell is getattr(sys.modules.get("pandas"), "NA", None) or bool(cell != cell)


def _text_number(numbers: dict[str, float], cell: Any, feature: int) -> float:
    """The number of a text; NaN where it is missing or the model does not know it."""
    if isinstance(cell, str):
        return numbers.get(cell, np.nan)
    if _is_missing(cell):
        return np.nan
    raise ValueError(f"feature {feature + 1} is {cell!r}, that of the model holds text")


def _doubles(cells: NDArray[Any]) -> NDArray[np.float64]:
    has_text = cells.dtype.kind in "US"
    if cells.dtype.kind == "O":
        values = [np.nan if _is_missing(cell) else cell for cell in cells.flat]
        has_text = any(isinstance(value, str | bytes) for value in values)
        cells = cells if has_text else np.array(values, np.float64).reshape(cells.shape)
    if has_text:
        raise ValueError("there is text where a feature of the model holds numbers")
    return readable(cells).astype(np.float64, copy=False)


def _of_bytes(data: bytes) -> Predictor:
    return Predictor(_native.Model.from_bytes(data))


class Predictor:
    """A model that predicts a row in microseconds, for services.

    Made by :meth:`load`, which needs neither scikit-learn nor the estimator, or by an estimator's ``predictor()``.
    It never changes, starts no thread and may be called from several threads at once. Predictions are bit for bit
    those of the estimator.

    Attributes
    ----------
    n_features : int
        Number of features.
    feature_names : list of str or None
        Their names in order, where the model has names. Rows are taken in this order; nothing compares names.
    classes : list or None
        The two labels of a classifier; None of a regressor.

    Examples
    --------
    >>> import numpy as np
    >>> from mixboost import MixBoostRegressor, Predictor
    >>> X = np.random.default_rng(0).uniform(-3, 3, (500, 2))
    >>> model = MixBoostRegressor(num_round=50).fit(X, np.sin(X[:, 0]))
    >>> model.save("model.mxb")
    >>> predict = Predictor.load("model.mxb")
    >>> predict([0.5, 1.0]) == float(model.predict([[0.5, 1.0]])[0])
    True
    >>> predict(X[:3]).shape
    (3,)
    """

    def __init__(self, model: _native.Model) -> None:
        objective = model.objective()
        if objective not in _OUTPUTS:
            raise ValueError(f"the model's objective is {objective}, which only the C library can predict")
        self.n_features = model.n_features
        self.feature_names = model.feature_names()
        self.classes = model.labels() if objective == "logloss" else None
        self._model = model
        self._output = _OUTPUTS[objective]
        self._texts = [
            (i, {text: float(number) for number, text in enumerate(model.texts(i))})
            for i in range(model.n_features)
            if model.is_text(i)
        ]
        # Numbers in an array of this shape, or in a list that can be packed, need no further look. A list of one cell
        # is not packed: the cell may be an array, a row of one number.
        self._plain_shape = None if self._texts else (model.n_features,)
        self._pack = None if self._texts or model.n_features == 1 else struct.Struct(f"{model.n_features}d").pack
        self(np.full(model.n_features, None))  # a model with learners of a caller's cannot be used: better said now

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Predictor:
        """Make a predictor of a model file, whoever wrote it.

        Parameters
        ----------
        path : str or path-like
            The file that ``save`` of an estimator, the program or the C library wrote.
        """
        return cls(_native.Model.load(path))

    def __call__(self, x: Any) -> Any:
        """Predict one row or several.

        Parameters
        ----------
        x : array-like of shape (n_features,) or (n_rows, n_features)
            Numbers, and texts where the model has texts; NaN and None are missing.

        Returns
        -------
        float or ndarray of shape (n_rows,)
            A number for one row, an array for several: the prediction of a regressor, the probability of
            ``classes[1]`` of a classifier.
        """
        if type(x) is np.ndarray:
            if x.shape == self._plain_shape and x.dtype == _FLOAT64:
                return self._model.predict_row(x.tobytes(), self._output)
            if x.shape[1:] == self._plain_shape and len(x) > 0 and _native.is_readable(x.dtype):
                return self._model.predict_rows(x, self._output)
        elif type(x) is list and self._pack is not None:
            try:
                return self._model.predict_row(self._pack(*x), self._output)
            except struct.error:
                pass  # several rows, or something missing, or wrong
        values = self._read(x)
        if values.ndim == 1:
            return self._model.predict_row(values.tobytes(), self._output)
        return self._model.predict_rows(values, self._output)

    def _read(self, x: Any) -> NDArray[np.float64]:
        """The doubles of a row or of rows of any kind."""
        if is_frame(x):
            raise TypeError("a predictor takes arrays and lists; of a frame it could not compare the names")
        with naming("x"):
            x, n_features = without_mask(x), self._model.n_features
            cells = np.array(x, object) if self._texts else np.asarray(x)
            if (n_features,) not in (cells.shape, cells.shape[1:]):
                raise ValueError(f"the shape is {cells.shape}, the model has {n_features} features")
            if len(cells) == 0:
                raise ValueError("there are 0 rows, a minimum of 1 is required")
            for i, numbers in self._texts:
                column = np.atleast_2d(cells)[:, i]  # a view
                column[:] = [_text_number(numbers, cell, i) for cell in column]
            return _doubles(cells)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles carry the bytes of the model file."""
        return _of_bytes, (self._model.to_bytes(),)
