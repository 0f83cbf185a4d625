"""The estimators of the package, and small data for them."""

from __future__ import annotations

from typing import Any

import numpy as np
from mixboost import (
    HeterogeneousBoostingClassifier,
    HeterogeneousBoostingRegressor,
    MixBoostClassifier,
    MixBoostRegressor,
)
from numpy.typing import NDArray

REGRESSORS = [MixBoostRegressor, HeterogeneousBoostingRegressor]
CLASSIFIERS = [MixBoostClassifier, HeterogeneousBoostingClassifier]
ESTIMATORS = [*REGRESSORS, *CLASSIFIERS]

Array = NDArray[np.float64]


def regression_data(n_rows: int = 200, seed: int = 0) -> tuple[Array, Array]:
    """A step in the first feature, a wave in the second; the third and fourth say nothing."""
    random = np.random.default_rng(seed)
    X = random.uniform(-3, 3, (n_rows, 4))
    return X, (X[:, 0] > 0) + np.sin(X[:, 1]) + 0.1 * random.normal(size=n_rows)


def classification_data(n_rows: int = 200, seed: int = 0) -> tuple[Array, NDArray[np.int64]]:
    """The same as two classes, 0 and 1."""
    X, y = regression_data(n_rows, seed)
    return X, (y > 0.5).astype(np.int64)


def data_for(estimator: Any) -> tuple[Array, NDArray[Any]]:
    """Data that an estimator, or a class of them, can be fitted to."""
    kind = estimator if isinstance(estimator, type) else type(estimator)
    return classification_data() if kind in CLASSIFIERS else regression_data()


def scores(model: Any, X: Any) -> Array:
    """What a model says of rows, before it is rounded to a label."""
    return np.asarray(model.decision_function(X) if hasattr(model, "decision_function") else model.predict(X))


def model_bytes(model: Any) -> bytes:
    """The bytes of the file that a fitted estimator would be saved to."""
    data: bytes = model._model.to_bytes()
    return data
