"""What boosters predict: numbers, or one of two classes and its probability."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils import Tags

from . import _native
from ._base import Booster, is_row_of
from ._targets import Classes, ClassWeight, Numbers, Weight, check_target


class BoostedRegressor(RegressorMixin, Booster):
    """Predicts numbers."""

    def _check_target(self, y: Any) -> NDArray[Any]:
        return check_target(y, numeric=True)

    def _learn_target(self, y: NDArray[Any], weight: Weight) -> Numbers:
        return Numbers()

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Predict every row.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The features, as for ``fit``.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return self._predict(X, _native.VALUE)

    def staged_predict(self, X: Any) -> Iterator[NDArray[np.float64]]:
        """Predict every row after each round in turn.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The features, as for ``fit``.

        Yields
        ------
        ndarray of shape (n_samples,)
            The predictions after 1, 2, ... rounds; the last are those of ``predict``.
        """
        return self._stages(X, _native.VALUE)


class BoostedClassifier(ClassifierMixin, Booster):
    """Predicts one of two classes and its probability."""

    class_weight: ClassWeight

    def _check_target(self, y: Any) -> NDArray[Any]:
        return check_target(y, numeric=False)

    def _learn_target(self, y: NDArray[Any], weight: Weight) -> Classes:
        classes = Classes(y, weight, self.class_weight)
        self.classes_ = classes.labels
        return classes

    def _check_state(self, state: dict[str, Any], model: _native.Model) -> None:
        super()._check_state(state, model)
        if not is_row_of(state.get("classes_"), 2):
            raise ValueError(f"the state's classes_ must be an array of two labels, not {state.get('classes_')!r}")

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Predict the probability of each class.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The features, as for ``fit``.

        Returns
        -------
        ndarray of shape (n_samples, 2)
            The columns are in the order of ``classes_``.
        """
        return _two_columns(self._predict(X, _native.PROBABILITY))

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the more likely class of every row.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The features, as for ``fit``.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return _chosen(self.decision_function(X), self.classes_)

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Predict the log-odds of ``classes_[1]``.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The features, as for ``fit``.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return self._predict(X, _native.RAW)

    def staged_predict(self, X: Any) -> Iterator[NDArray[Any]]:
        """Predict the more likely class of every row after each round in turn.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The features, as for ``fit``.

        Yields
        ------
        ndarray of shape (n_samples,)
            The predictions after 1, 2, ... rounds; the last are those of ``predict``.
        """
        stages = self._stages(X, _native.RAW)
        return map(partial(_chosen, classes=self.classes_), stages)

    def staged_predict_proba(self, X: Any) -> Iterator[NDArray[np.float64]]:
        """Predict the probability of each class after each round in turn.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The features, as for ``fit``.

        Yields
        ------
        ndarray of shape (n_samples, 2)
            The probabilities after 1, 2, ... rounds; the last are those of ``predict_proba``.
        """
        return map(_two_columns, self._stages(X, _native.PROBABILITY))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags


def _chosen(scores: NDArray[np.float64], classes: NDArray[Any]) -> NDArray[Any]:
    return classes.take(scores > 0)


def _two_columns(probability: NDArray[np.float64]) -> NDArray[np.float64]:
    columns = np.empty((len(probability), 2))
    columns[:, 0] = 1.0 - probability
    columns[:, 1] = probability
    return columns
