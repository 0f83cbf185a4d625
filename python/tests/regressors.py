"""Regressors for tests of the generic boosters: they note what they are given, or misbehave on request."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, RegressorMixin, TransformerMixin

Array = NDArray[np.float64]


class Recorder(RegressorMixin, BaseEstimator):
    """Predicts the weighted mean of its targets; the class notes every call."""

    fits: ClassVar[list[tuple[Any, Array, Array | None]]] = []
    predictions: ClassVar[list[Any]] = []

    def __init__(self, random_state: int | None = None) -> None:
        self.random_state = random_state

    @classmethod
    def forget(cls) -> None:
        cls.fits.clear()
        cls.predictions.clear()

    def fit(self, X: Any, y: Array, sample_weight: Array | None = None) -> Recorder:
        self.fits.append((X, y.copy(), None if sample_weight is None else sample_weight.copy()))
        self.mean_ = np.average(y, weights=sample_weight)
        return self

    def predict(self, X: Any) -> Array:
        self.predictions.append(X)
        return np.full(X.shape[0], self.mean_)


class Unweighted(RegressorMixin, BaseEstimator):
    """Takes no weights."""

    def fit(self, X: Any, y: Array) -> Unweighted:
        raise AssertionError("must not be fitted")

    def predict(self, X: Any) -> Array:
        raise AssertionError("must not predict")


class Failing(RegressorMixin, BaseEstimator):
    """Raises an exception in the fit, or the prediction, of that number; counted over all objects."""

    n_fits: ClassVar[int] = 0
    n_predictions: ClassVar[int] = 0

    def __init__(self, exception: BaseException, fit_number: int = 0, prediction_number: int = 0) -> None:
        self.exception = exception
        self.fit_number = fit_number
        self.prediction_number = prediction_number

    def __sklearn_clone__(self) -> Failing:
        return Failing(self.exception, self.fit_number, self.prediction_number)  # the same exception, not a copy

    @classmethod
    def start(cls) -> None:
        cls.n_fits = cls.n_predictions = 0

    def fit(self, X: Any, y: Array, sample_weight: Array | None = None) -> Failing:
        Failing.n_fits += 1
        if Failing.n_fits == self.fit_number:
            raise self.exception
        return self

    def predict(self, X: Any) -> Array:
        Failing.n_predictions += 1
        if Failing.n_predictions == self.prediction_number:
            raise self.exception
        return np.zeros(len(X))


class Saying(RegressorMixin, BaseEstimator):
    """Predicts whatever it was told to."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def fit(self, X: Any, y: Array, sample_weight: Array | None = None) -> Saying:
        return self

    def predict(self, X: Any) -> Any:
        return self.answer


class WeightedStep(TransformerMixin, BaseEstimator):
    """A step of a pipeline that takes weights and notes them."""

    weights: ClassVar[list[Array | None]] = []

    def fit(self, X: Any, y: Any = None, sample_weight: Array | None = None) -> WeightedStep:
        self.weights.append(sample_weight)
        return self

    def transform(self, X: Any) -> Any:
        return X
