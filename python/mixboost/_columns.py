"""TEMPORARY."""

from __future__ import annotations
from typing import Any, Callable
import numpy as np
from . import _native


def is_frame(X: Any) -> bool:
    return hasattr(X, "columns")


def dataset_of(X: Any) -> _native.Dataset:
    d = _native.Dataset(X.shape[0])
    if is_frame(X):
        for c in X.columns:
            d.add_column(str(c) if all(isinstance(i, str) for i in X.columns) else None, X[c].to_numpy())
        return d
    if not _native.is_readable(X.dtype):
        X = X.astype(np.float64)
    d.add_matrix(X)
    return d


def row_reader(model: Any) -> Callable[[Any], bytes]:
    n = model.n_features

    def read(x: Any) -> bytes:
        x = np.asarray(x, dtype=np.float64)
        if x.shape != (n,):
            raise ValueError("shape")
        return x.tobytes()

    return read
