"""Any scikit-learn regressors as learner classes of the library, which draws them and runs the rounds.

The library sees nothing of X. Its dataset has two columns, the number of a table and the number of a row in it, and
what it calls back is told by these which rows are meant.
"""

from __future__ import annotations

import inspect
import itertools
import math
from collections.abc import Sequence
from numbers import Real
from typing import Any, ClassVar
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import NDArray
from sklearn import config_context
from sklearn.base import clone, is_regressor
from sklearn.pipeline import Pipeline
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _num_samples, has_fit_parameter

from ._native import Dataset, Learner, Params, Round, Rows

Learners = Sequence[tuple[float, Any]]


# ---- What is allowed ---------------------------------------------------------------------------------------------


def check_learners(learners: Learners) -> list[tuple[float, Any]]:
    """The pairs of probability and regressor, the probabilities summing to 1 as nearly as doubles can."""
    if not isinstance(learners, (list, tuple)):
        raise ValueError(f"learners must be a list of pairs (probability, regressor), not {learners!r}")
    for i, pair in enumerate(learners):
        if not isinstance(pair, (list, tuple)) or len(pair) != 2:
            raise ValueError(f"learners[{i}] must be a pair (probability, regressor), not {pair!r}")
        probability, regressor = pair
        if not isinstance(probability, Real) or not 0.0 <= float(probability) <= 1.0:
            raise ValueError(f"the probability of learners[{i}] is {probability!r}; it must be a number from 0 to 1")
        _check_regressor(regressor, f"learners[{i}]")
    total = math.fsum(float(probability) for probability, _ in learners)
    if not math.isclose(total, 1.0, rel_tol=1e-8):
        raise ValueError(f"the probabilities of the learners sum to {total:.9g}; they must sum to 1")
    return [(float(probability) / total, regressor) for probability, regressor in learners]


def _check_regressor(regressor: Any, where: str) -> None:
    if isinstance(regressor, type) or not hasattr(regressor, "__sklearn_tags__") or not is_regressor(regressor):
        raise ValueError(f"{where} must be a scikit-learn regressor, not {regressor!r}")
    if isinstance(regressor, Pipeline):
        _check_regressor(regressor[-1], f"the last step of {where}")
    elif not _takes_weights(regressor):
        raise ValueError(
            f"{where} is a {type(regressor).__name__}, whose fit takes no sample_weight; every round is a problem of "
            "weighted least squares"
        )


def _takes_weights(regressor: Any) -> bool:
    """Whether `fit` has a sample_weight, or hands on what it is given, as estimators around estimators do."""
    parameters = inspect.signature(regressor.fit).parameters
    return "sample_weight" in parameters or any(p.kind is p.VAR_KEYWORD for p in parameters.values())


def _weight_arguments(regressor: Any, weights: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
    """What `fit` gets besides X and y: in a pipeline, the weights for the last step and every other that has them."""
    if not isinstance(regressor, Pipeline):
        return {"sample_weight": weights}
    weighted = [
        (name, step)
        for name, step in regressor.steps
        if step is regressor[-1] or has_fit_parameter(step, "sample_weight")
    ]
    return {
        f"{name}__{argument}": value
        for name, step in weighted
        for argument, value in _weight_arguments(step, weights).items()
    }


# ---- Rows --------------------------------------------------------------------------------------------------------


def _read_only(X: Any) -> Any:
    """An array that learners cannot write to: each round and the caller are to find X as it was.

    What scikit-learn has been told to do in place (``copy=False``) it then does in a copy. Frames and sparse matrices
    are left as they are.
    """
    if isinstance(X, np.ndarray):
        X = X.view()
        X.flags.writeable = False
    return X


class Table(Dataset):
    """An X as the library has it: for every row the number of the table and its own.

    Tables are numbered through the process, so that a callback finds its rows on whatever thread it runs.
    """

    _next_number: ClassVar = itertools.count()
    _tables: ClassVar[WeakValueDictionary[int, Table]] = WeakValueDictionary()

    def __init__(self, X: Any) -> None:
        n_rows = _num_samples(X)
        super().__init__(n_rows)
        number = next(self._next_number)
        self._numbers = np.arange(n_rows, dtype=np.float64)
        self.add_column(None, np.broadcast_to(np.float64(number), n_rows))
        self.add_column(None, self._numbers)
        self._X = _read_only(X)
        self._parts: list[tuple[NDArray[np.float64], Any]] = []
        self._tables[number] = self

    @classmethod
    def rows(cls, rows: Rows) -> Any:
        """The part of an X that a callback is shown."""
        table = cls._tables[int(rows.read(0)[0])]
        return table._take(rows.read(1))

    def _take(self, numbers: NDArray[np.float64]) -> Any:
        """X itself, or a copy of some rows. A training asks for the same ones in every round, so it is kept."""
        if np.array_equal(numbers, self._numbers):
            return self._X
        for known, part in self._parts:
            if np.array_equal(numbers, known):
                return part
        part = _read_only(_safe_indexing(self._X, numbers.astype(np.intp)))
        self._parts.append((numbers, part))
        return part


# ---- Rounds ------------------------------------------------------------------------------------------------------


class Kind:
    """A learner class: clones of one regressor. A term is a place, counted from 1, in the list of fitted estimators."""

    def __init__(self, regressor: Any, subsample: float, estimators: list[Any]) -> None:
        self._regressor, self._subsample, self._estimators = regressor, subsample, estimators

    def fit(self, round: Round) -> tuple[int, NDArray[np.float64]]:
        """Fits a clone to the targets of the round."""
        X = Table.rows(round)
        random = np.random.RandomState([round.seed & 0xFFFFFFFF, round.seed >> 32])
        rows = self._rows_to_fit(round, random)
        if len(rows) == round.n_rows:
            estimator = self._fit_clone(X, round.targets, round.weights, random)
        else:
            estimator = self._fit_clone(_safe_indexing(X, rows), round.targets[rows], round.weights[rows], random)
        self._estimators.append(estimator)
        return len(self._estimators), _values(estimator, X)

    def predict(self, term: int, rows: Rows) -> NDArray[np.float64]:
        """What the estimator of a round says of rows."""
        return _values(self._estimators[term - 1], Table.rows(rows))

    def knows(self, term: int) -> bool:
        """Whether there is such a place."""
        return 1 <= term <= len(self._estimators)

    def _rows_to_fit(self, round: Round, random: np.random.RandomState) -> NDArray[np.intp]:
        """Those with any weight, which is at least one; of these the ones drawn, unless that leaves none."""
        rows = np.flatnonzero(round.weights > 0)
        if self._subsample < 1:
            drawn = rows[random.random_sample(len(rows)) < self._subsample]
            rows = drawn if len(drawn) > 0 else rows
        return rows

    def _fit_clone(
        self, X: Any, targets: NDArray[np.float64], weights: NDArray[np.float64], random: np.random.RandomState
    ) -> Any:
        estimator = clone(self._regressor)
        names = [name for name in sorted(estimator.get_params()) if f"__{name}".endswith("__random_state")]
        estimator.set_params(**{name: random.randint(np.iinfo(np.int32).max) for name in names})
        with config_context(enable_metadata_routing=False):  # pipelines get their weights by the names of their steps
            return estimator.fit(X, targets, **_weight_arguments(estimator, weights))


def _values(estimator: Any, X: Any) -> NDArray[np.float64]:
    """Predictions, one a row; some regressors give a column."""
    values: NDArray[np.float64] = np.asarray(estimator.predict(X), dtype=np.float64)
    n_rows = int(_num_samples(X))
    if values.shape not in ((n_rows,), (n_rows, 1)):
        raise ValueError(
            f"the learner {type(estimator).__name__} predicted {n_rows} rows as an array of shape {values.shape}; "
            "a prediction is one number a row"
        )
    return values.reshape(n_rows)


def learner_names(learners: Learners) -> list[str]:
    """What the library calls the learners: their class, in the characters it takes, and their place from 1 on."""
    classes = [type(regressor).__name__.encode("ascii", "replace").decode()[:50] for _, regressor in learners]
    return [f"{name} {i}" for i, name in enumerate(classes, start=1)]


def add_learners(params: Params, learners: Learners, subsample: float, estimators: list[Any]) -> None:
    """Lets the rounds of a training draw these learners, and none but these; they add to `estimators`."""
    for name, (probability, regressor) in zip(learner_names(learners), learners, strict=True):
        params.add_learner(Learner(name, Kind(regressor, subsample, estimators)), probability)
