"""Heterogeneous Newton boosting with any scikit-learn regressors, on the library's boosting loop."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.impute import SimpleImputer
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import Tags, get_tags
from sklearn.utils.validation import validate_data

from . import _native
from ._base import Booster, seed_of
from ._columns import feature_names, is_frame, without_mask
from ._estimators import MixBoostRegressor
from ._learners import Learners, Table, add_learners, check_learners, learner_names
from ._outputs import BoostedClassifier, BoostedRegressor
from ._progress import Callback
from ._targets import ClassWeight


def default_learners() -> list[tuple[float, Any]]:
    """One round each of the library's trees and of its ridge on Fourier features, and ridge on the features themselves.

    All three count a row of weight 2 as two rows and take missing values, the last one as the mean.
    """
    one_round = partial(MixBoostRegressor, num_round=1, learning_rate=1.0, base_score=0.0)
    tree = one_round(tree_probability=1.0, subsample=1.0, symmetric_probability=0.0, min_max_depth=1, max_max_depth=8)
    fourier = one_round(tree_probability=0.0, alpha=0.1, gamma=0.05, n_projections=1)
    mean_if_missing = SimpleImputer(strategy="constant", fill_value=0.0, keep_empty_features=True)
    linear = make_pipeline(StandardScaler(), mean_if_missing, Ridge())
    return [(0.5, tree), (0.3, fourier), (0.2, linear)]


class HeterogeneousBoosting(Booster):
    """What the regressor and the classifier share: the learners, and an X that is theirs to understand."""

    _learned = (*Booster._learned, "estimators_", "learner_indices_", "learners_")

    def __init__(
        self,
        learners: Learners | None = None,
        *,
        num_round: int = 100,
        learning_rate: float = 0.1,
        random_state: int | np.random.RandomState | None = 0,
        subsample: float = 1.0,
        early_stopping_rounds: int = 50,
        base_score: float | Literal["auto"] = "auto",
        validation_fraction: float | None = None,
        verbose: int = 0,
    ) -> None:
        self.learners = learners
        self.num_round = num_round
        self.learning_rate = learning_rate
        self.random_state = random_state
        self.subsample = subsample
        self.early_stopping_rounds = early_stopping_rounds
        self.base_score = base_score
        self.validation_fraction = validation_fraction
        self.verbose = verbose

    # ---- Training ----

    def _params(self) -> _native.Params:
        self.learners_ = check_learners(default_learners() if self.learners is None else self.learners)
        self.estimators_: list[Any] = []
        names = ("num_round", "learning_rate", "subsample", "early_stopping_rounds", "base_score")
        values = {name: getattr(self, name) for name in names}
        if self.num_round == "auto":
            raise ValueError("num_round is 'auto'; here it must be a number")
        values |= {"objective": self._objective, "random_state": seed_of(self.random_state), "n_threads": 1}
        params = _native.Params(values)
        add_learners(params, self.learners_, float(self.subsample), self.estimators_)
        return params

    def _features(self, X: Any, like: _native.Dataset | _native.Model | None) -> Table:
        """Arrays are checked to have a shape and numbers. What else X may be is up to the learners."""
        reset = like is None
        if is_frame(X):
            self._check_frame(X, feature_names(X), reset)
        else:
            X = validate_data(self, without_mask(X), reset=reset, accept_sparse="csr", ensure_all_finite=False)
        return Table(X)

    def _train(
        self,
        train: _native.Dataset,
        valid: _native.Dataset | None,
        params: _native.Params,
        callbacks: Iterable[Callback] | None,
    ) -> None:
        super()._train(train, valid, params, callbacks)
        del self.estimators_[self._model.n_rounds :]

    def _set_model(self, model: _native.Model) -> None:
        super()._set_model(model)
        names = learner_names(self.learners_)
        self.learner_indices_ = np.array([names.index(name) for name, _ in model.rounds()], dtype=np.intp)

    # ---- Fitted ----

    def _predict(self, X: Any, output: int) -> NDArray[np.float64]:
        model = self._fitted()
        return model.predict(self._features(X, model), output, n_threads=1)

    def _stages(self, X: Any, output: int) -> Iterator[NDArray[np.float64]]:
        model = self._fitted()
        return model.stages(self._features(X, model), output, n_threads=1)

    def _load_model(self, data: bytes, state: dict[str, Any]) -> _native.Model:
        learners: Any = state.get("learners_")
        estimators = state.get("estimators_")
        if not isinstance(estimators, list) or not all(hasattr(estimator, "predict") for estimator in estimators):
            raise ValueError(f"the state's estimators_ must be a list of fitted regressors, not {estimators!r}")
        params = _native.Params()
        add_learners(params, check_learners(learners), 1.0, estimators)
        return _native.Model.from_bytes(data, params)

    def _check_state(self, state: dict[str, Any], model: _native.Model) -> None:
        super()._check_state(state, model)
        if len(state["estimators_"]) != model.n_rounds:
            raise ValueError(f"the state has {len(state['estimators_'])} estimators_ for {model.n_rounds} rounds")
        names = learner_names(state["learners_"])
        unknown = [name for name, _ in model.rounds() if name not in names]
        if unknown:
            raise ValueError(f"the state's model has rounds of {unknown[0]}, which is not one of its learners_")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        if self.learners is None:
            tags.input_tags.allow_nan = True
            return tags
        try:
            inputs = [get_tags(regressor).input_tags for _, regressor in check_learners(self.learners)]
        except ValueError:  # fit says what is wrong
            return tags
        tags.input_tags.allow_nan = all(input.allow_nan for input in inputs)
        tags.input_tags.sparse = all(input.sparse for input in inputs)
        return tags


_PARAMETERS = """learners : list of pairs (float, regressor), optional
        The probability that a round draws it, and any scikit-learn regressor whose ``fit`` takes ``sample_weight``. A
        round fits a clone of it, whose ``random_state``, where it has any, is drawn for the round. In a pipeline the
        last step must take the weights, and every other step that does gets them, too. None: trees of depth 1 to 8
        (probability 0.5), ridge regression on random Fourier features (0.3) and on the features (0.2).
        Learners must not change X; an array they can only read.
    num_round : int, default=100
        Number of boosting rounds.
    learning_rate : float, default=0.1
        Factor on every round's step.
    random_state : int, RandomState or None, default=0
        Seed of all random draws. A RandomState, or None for numpy's own, draws the seed anew for each fit.
    subsample : float, default=1.0
        Fraction of the rows that each round is fitted to, drawn row by row; all of them where that leaves none.
    early_stopping_rounds : int, default=50
        With validation rows: stop when their loss has not improved for so many rounds and keep the best round; 0:
        never.
    base_score : float or "auto", default="auto"
        Score that the ensemble starts from (log-odds for the classifier); auto: the constant of least loss."""

_ATTRIBUTES = """learners_ : list of pairs (float, regressor)
        The learners, also those that None stood for.
    estimators_ : list of regressors
        The fitted regressor of each round that predictions use.
    learner_indices_ : ndarray of shape (best_iteration_,)
        Which of ``learners_`` each of these rounds drew.
    learner_shares_ : dict
        How much of the decrease of the training loss the rounds of each learner brought, summing to 1. Learners are
        named by their class and place: "Ridge 2".
    best_iteration_ : int
        Rounds that predictions use; with validation rows, those up to the best one."""


class HeterogeneousBoostingRegressor(BoostedRegressor, HeterogeneousBoosting):
    __doc__ = f"""Newton boosting for regression whose every round draws one of any scikit-learn regressors.

    Parameters
    ----------
    {_PARAMETERS}
    validation_fraction : float, optional
        Part of the rows that is kept aside, at random, for early stopping; not together with ``eval_set``.
    verbose : int, default=0
        1 shows the progress of a training.

    Attributes
    ----------
    {_ATTRIBUTES}
    evals_result_ : dict
        The metric after each round: ``evals_result_["training"]["rmse"]``, and ``["validation"]`` where there was one.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str
        Their names, where X was a frame with names.

    Examples
    --------
    >>> from sklearn.datasets import make_friedman1
    >>> from sklearn.kernel_ridge import KernelRidge
    >>> from sklearn.linear_model import Ridge
    >>> from sklearn.tree import DecisionTreeRegressor
    >>> from mixboost import HeterogeneousBoostingRegressor
    >>> X, y = make_friedman1(n_samples=100, random_state=0)
    >>> model = HeterogeneousBoostingRegressor(
    ...     learners=[
    ...         (0.6, DecisionTreeRegressor(max_depth=4)),
    ...         (0.3, KernelRidge(kernel="rbf")),
    ...         (0.1, Ridge()),
    ...     ],
    ... ).fit(X, y)
    >>> bool(model.score(X, y) > 0.95)
    True
    >>> len(model.estimators_)
    100
    """

    _objective = "mse"


class HeterogeneousBoostingClassifier(BoostedClassifier, HeterogeneousBoosting):
    __doc__ = f"""Newton boosting for two classes whose every round draws one of any scikit-learn regressors.

    Parameters
    ----------
    {_PARAMETERS}
    class_weight : "balanced" or dict, optional
        A factor on the weights of each class. "balanced": both classes weigh the same in all.
    validation_fraction : float, optional
        Part of the rows of each class that is kept aside, at random, for early stopping; not together with
        ``eval_set``.
    verbose : int, default=0
        1 shows the progress of a training.

    Attributes
    ----------
    {_ATTRIBUTES}
    evals_result_ : dict
        The metric after each round: ``evals_result_["training"]["logloss"]``, and ``["validation"]`` where there was
        one.
    classes_ : ndarray of shape (2,)
        The two labels, sorted.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str
        Their names, where X was a frame with names.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from mixboost import HeterogeneousBoostingClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = HeterogeneousBoostingClassifier().fit(X[:400], y[:400])
    >>> bool(model.score(X[400:], y[400:]) > 0.95)
    True
    """

    _objective = "logloss"

    def __init__(
        self,
        learners: Learners | None = None,
        *,
        num_round: int = 100,
        learning_rate: float = 0.1,
        random_state: int | np.random.RandomState | None = 0,
        subsample: float = 1.0,
        early_stopping_rounds: int = 50,
        base_score: float | Literal["auto"] = "auto",
        class_weight: ClassWeight = None,
        validation_fraction: float | None = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(
            learners,
            num_round=num_round,
            learning_rate=learning_rate,
            random_state=random_state,
            subsample=subsample,
            early_stopping_rounds=early_stopping_rounds,
            base_score=base_score,
            validation_fraction=validation_fraction,
            verbose=verbose,
        )
        self.class_weight = class_weight
