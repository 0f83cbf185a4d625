"""MixBoostRegressor and MixBoostClassifier: the library's own learners behind scikit-learn's interface."""

from __future__ import annotations

import os
import textwrap
from collections.abc import Iterator, Sequence
from typing import Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Tags
from sklearn.utils.validation import validate_data

from . import _native
from ._base import Booster, seed_of, thread_count
from ._columns import dataset_of, is_frame, without_mask
from ._outputs import BoostedClassifier, BoostedRegressor
from ._predictor import Predictor
from ._targets import ClassWeight

Self = TypeVar("Self", bound="MixBoost")

FEW_ROWS = 32  # so many are predicted sooner than a dataset is made of them

_PYTHON_TYPES = {
    "integer": "int",
    "integer or auto": 'int or "auto"',
    "number": "float",
    "boolean": "bool",
    "boolean or auto": 'bool or "auto"',
    "number or auto": 'float or "auto"',
    _native.LIST_TYPE: 'sequence of float or "auto"',
    "choice": "str",
}

# Where the Python package takes other values than the library: type and meaning.
_OF_PYTHON = {
    "n_threads": (
        "int or None",
        "Threads; 0 and -1: all processors, -2: all but one, and so on; None: 1, or what a joblib context says.",
    ),
    "random_state": (
        "int, RandomState or None",
        "Seed of all random draws, 0 to 4294967295. A RandomState, or None for numpy's own, draws the seed anew for "
        "each fit.",
    ),
    "preset": (
        "str",
        "What the options that are not given are: their defaults, or the learner of the paper. One that equals its "
        "default counts as not given. Allowed: default | paper.",
    ),
}


def option_value(option: _native.Option, text: str) -> Any:
    """The text of an option as a value that the constructor takes."""
    if text == "auto" or option.type == "choice":
        return text
    if option.type.startswith("boolean"):
        return text == "true"
    if option.type == _native.LIST_TYPE:
        return [float(number) for number in text.split(",")]
    return int(text) if option.type.startswith("integer") else float(text)


def _options_of(model: _native.Model) -> dict[str, Any]:
    """The options that a model keeps."""
    kept = {option.name: (option, model.option(option.name)) for option in _native.options()}
    return {name: option_value(option, text) for name, (option, text) in kept.items() if text is not None}


def _describe_options(objective: str) -> str:
    """The parameters of a constructor, from the library's option table, for its docstring."""
    own = {**_OF_PYTHON, "objective": ("str", f"The loss. Allowed: {objective!r}.")}
    lines = []
    for option in _native.options():
        allowed = "" if option.type == "boolean" else f" Allowed: {option.range}."
        kind, meaning = own.get(option.name, (_PYTHON_TYPES[option.type], option.help + allowed))
        default = objective if option.name == "objective" else option_value(option, option.default)
        lines.append(f"{option.name} : {kind}, default={default!r}")
        lines += textwrap.wrap(meaning, 108, initial_indent="    ", subsequent_indent="    ")
    return "\n    ".join(lines)


class MixBoost(Booster):
    """What the regressor and the classifier share: the library's options, and X read where it lies."""

    def __init__(
        self,
        *,
        preset: Literal["default", "paper"] = "default",
        num_round: int | Literal["auto"] = "auto",
        objective: str = "mse",
        learning_rate: float | Literal["auto"] = "auto",
        random_state: int | np.random.RandomState | None = 0,
        colsample: float = 1.0,
        subsample: float = 0.8,
        lambda_l2: float = 1.0,
        min_child_weight: float = 0.01,
        early_stopping_rounds: int = 50,
        base_score: float | Literal["auto"] = "auto",
        n_members: int = 1,
        tree_probability: float | Literal["auto"] = "auto",
        min_max_depth: int | Literal["auto"] = "auto",
        max_max_depth: int = 10,
        depth_probabilities: Sequence[float] | Literal["auto"] = "auto",
        use_histograms: bool = True,
        hist_nbins: int = 256,
        symmetric_probability: float = 0.5,
        symmetric_depth: int | Literal["auto"] = "auto",
        split_noise: float = 0.0,
        split_prior: float = 0.0,
        leaf_rows: Literal["sample", "all"] = "all",
        tree_n_threads: int = 0,
        alpha: float | Literal["auto"] = "auto",
        fit_intercept: bool = True,
        ridge_n_threads: int = 0,
        gamma: float | Literal["auto"] = "auto",
        n_components: int = 96,
        n_projections: int = 4,
        fourier_scaling: Literal["none", "standard", "rank"] = "rank",
        fourier_metric: Literal["isotropic", "learned"] = "learned",
        fourier_linear: bool | Literal["auto"] = "auto",
        kernel_n_threads: int = 0,
        n_threads: int | None = 0,
        validation_fraction: float | None = None,
        verbose: int = 0,
    ) -> None:
        self.preset = preset
        self.num_round = num_round
        self.objective = objective
        self.learning_rate = learning_rate
        self.random_state = random_state
        self.colsample = colsample
        self.subsample = subsample
        self.lambda_l2 = lambda_l2
        self.min_child_weight = min_child_weight
        self.early_stopping_rounds = early_stopping_rounds
        self.base_score = base_score
        self.n_members = n_members
        self.tree_probability = tree_probability
        self.min_max_depth = min_max_depth
        self.max_max_depth = max_max_depth
        self.depth_probabilities = depth_probabilities
        self.use_histograms = use_histograms
        self.hist_nbins = hist_nbins
        self.symmetric_probability = symmetric_probability
        self.symmetric_depth = symmetric_depth
        self.split_noise = split_noise
        self.split_prior = split_prior
        self.leaf_rows = leaf_rows
        self.tree_n_threads = tree_n_threads
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.ridge_n_threads = ridge_n_threads
        self.gamma = gamma
        self.n_components = n_components
        self.n_projections = n_projections
        self.fourier_scaling = fourier_scaling
        self.fourier_metric = fourier_metric
        self.fourier_linear = fourier_linear
        self.kernel_n_threads = kernel_n_threads
        self.n_threads = n_threads
        self.validation_fraction = validation_fraction
        self.verbose = verbose

    # ---- Training ----

    def _params(self) -> _native.Params:
        return _native.Params(self._given_options())

    def _given_options(self) -> dict[str, str]:
        """The texts of the preset and of the options that are not at their defaults."""
        if self.objective != self._objective:
            raise ValueError(
                f"objective is {self.objective!r}; that of a {type(self).__name__} must be {self._objective!r}"
            )
        values = {option.name: getattr(self, option.name) for option in _native.options()}
        values["random_state"] = seed_of(self.random_state)
        values["n_threads"] = thread_count(self.n_threads)
        preset = values.pop("preset")
        params, defaults = _native.Params(values), _native.Params()
        given = {name: params.get(name) for name in values if params.get(name) != defaults.get(name)}
        return {"preset": _native.option_text("preset", preset), **given}

    # ---- Rows ----

    def _features(self, X: Any, like: _native.Dataset | _native.Model | None) -> _native.Dataset:
        reset = like is None
        if not is_frame(X):
            X = validate_data(self, without_mask(X), reset=reset, dtype="numeric", ensure_all_finite=False)
            return dataset_of(X)
        dataset = dataset_of(X, like)
        self._check_frame(X, dataset.feature_names(), reset)
        return dataset

    def _predict(self, X: Any, output: int) -> NDArray[np.float64]:
        model = self._fitted()
        if self._is_plain(X) and len(X) <= FEW_ROWS and not model.has_text:
            return model.predict_rows(X, output)
        return model.predict(self._rows_to_predict(X), output, thread_count(self.n_threads))

    def _stages(self, X: Any, output: int) -> Iterator[NDArray[np.float64]]:
        return self._fitted().stages(self._rows_to_predict(X), output, thread_count(self.n_threads))

    def _rows_to_predict(self, X: Any) -> _native.Dataset:
        return dataset_of(X) if self._is_plain(X) else self._features(X, self._model)

    def _is_plain(self, X: Any) -> bool:
        """Whether X is an array that plainly fits: scikit-learn's checks of it take longer than predicting a row."""
        return (
            type(X) is np.ndarray
            and X.ndim == 2
            and X.shape[1] == self._model.n_features
            and X.shape[0] > 0
            and _native.is_readable(X.dtype)
            and not hasattr(self, "feature_names_in_")
        )

    def predictor(self) -> Predictor:
        """Make a function that predicts a row in microseconds, for services.

        Returns
        -------
        Predictor
            Takes one row or several and gives what ``predict`` does, or ``predict_proba`` for ``classes_[1]``, bit for
            bit. It goes on predicting with this model when the estimator is fitted again.
        """
        return Predictor(self._fitted())

    @property
    def options_(self) -> dict[str, Any]:
        """The options of the fit, with what "auto" came to; thread counts are not kept."""
        return _options_of(self._fitted())

    # ---- Importances ----

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """What each feature brought to the fit, the rounds of all learner classes together; sums to 1."""
        parts = self._importances()
        return parts[_native.TREE] + parts[_native.SYMMETRIC] + parts[_native.FOURIER]

    @property
    def tree_importances_(self) -> NDArray[np.float64]:
        """The part of ``feature_importances_`` that came from the splits of ordinary trees."""
        return self._importances()[_native.TREE]

    @property
    def symmetric_importances_(self) -> NDArray[np.float64]:
        """The part of ``feature_importances_`` that came from the levels of symmetric trees."""
        return self._importances()[_native.SYMMETRIC]

    @property
    def fourier_importances_(self) -> NDArray[np.float64]:
        """The part of ``feature_importances_`` that came from fourier rounds."""
        return self._importances()[_native.FOURIER]

    def _importances(self) -> dict[int, NDArray[np.float64]]:
        """The parts of the learner classes."""
        model, classes = self._fitted(), (_native.TREE, _native.SYMMETRIC, _native.FOURIER)
        parts = np.array([model.importance(part) for part in classes])
        parts /= parts.max() or 1.0  # before the sum, which may be more than a double holds
        parts /= parts.sum() or 1.0
        return dict(zip(classes, parts, strict=True))

    # ---- Files ----

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file that the program and the C library read, too.

        Parameters
        ----------
        path : str or path-like
            The file; it is replaced in one step, so that it never holds half a model.
        """
        self._fitted().save(path)

    @classmethod
    def load(cls: type[Self], path: str | os.PathLike[str]) -> Self:
        """Make a fitted estimator of a model file, whoever wrote it.

        Parameters
        ----------
        path : str or path-like
            The file.

        Returns
        -------
        estimator
            Its parameters are those the model was trained with, those of a preset written out; what a file does not
            keep (thread counts, ``validation_fraction``, ``class_weight``, ``verbose``) is at its default.
        """
        model = _native.Model.load(path)
        estimator = cls()
        values = _options_of(model)
        values.pop("preset", None)
        if model.objective() != cls._objective:
            wanted = {"mse": "MixBoostRegressor", "logloss": "MixBoostClassifier"}
            raise ValueError(
                f"{os.fspath(path)} has a model of objective {model.objective()}; "
                + f"load it with {wanted.get(model.objective(), 'the C library')}"
            )
        estimator.set_params(**values)
        estimator._name_features(model.n_features, model.feature_names())
        estimator._adopt(model)
        return estimator

    def _adopt(self, model: _native.Model) -> None:
        self._set_model(model)

    def _check_state(self, state: dict[str, Any], model: _native.Model) -> None:
        super()._check_state(state, model)
        if state["n_features_in_"] != model.n_features:
            raise ValueError(
                f"the state's n_features_in_ is {state['n_features_in_']}; its model has {model.n_features} features"
            )

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


class MixBoostRegressor(BoostedRegressor, MixBoost):
    __doc__ = f"""Gradient boosting for regression whose rounds draw trees of random depth or kernel ridge regressions.

    Parameters
    ----------
    {_describe_options("mse")}
    validation_fraction : float, optional
        Part of the rows that is kept aside, at random, for early stopping; not together with ``eval_set``.
    verbose : int, default=0
        1 shows the progress of a training.

    Attributes
    ----------
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str
        Their names, where X was a frame with names.
    options_ : dict
        The options of the fit, with what "auto" came to; thread counts are not kept.
    feature_importances_ : ndarray of shape (n_features_in_,)
        What each feature brought, summing to 1: the sum of ``tree_importances_``, ``symmetric_importances_`` and
        ``fourier_importances_``.
    learner_shares_ : dict
        How much of the decrease of the training loss the rounds of each learner class brought, summing to 1: negative
        where they raised the loss, NaN where the loss did not fall at all.
    best_iteration_ : int
        Rounds that predictions use; with validation rows, those up to the best one.
    evals_result_ : dict
        The metric after each round: ``evals_result_["training"]["rmse"]``, and ``["validation"]`` where there was one.

    Examples
    --------
    >>> import numpy as np
    >>> from mixboost import MixBoostRegressor
    >>> random = np.random.default_rng(0)
    >>> X = random.uniform(-3, 3, (500, 2))
    >>> y = np.sin(X[:, 0]) + (X[:, 1] > 0)
    >>> model = MixBoostRegressor(num_round=200).fit(X, y)
    >>> bool(model.score(X, y) > 0.99)
    True
    """

    _objective = "mse"


class MixBoostClassifier(BoostedClassifier, MixBoost):
    __doc__ = f"""Gradient boosting for two classes whose rounds draw trees of random depth or kernel ridge regressions.

    Parameters
    ----------
    {_describe_options("logloss")}
    class_weight : "balanced" or dict, optional
        A factor on the weights of each class. "balanced": both classes weigh the same in all.
    validation_fraction : float, optional
        Part of the rows of each class that is kept aside, at random, for early stopping; not together with
        ``eval_set``.
    verbose : int, default=0
        1 shows the progress of a training.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        The two labels, sorted.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str
        Their names, where X was a frame with names.
    options_ : dict
        The options of the fit, with what "auto" came to; thread counts are not kept.
    feature_importances_ : ndarray of shape (n_features_in_,)
        What each feature brought, summing to 1: the sum of ``tree_importances_``, ``symmetric_importances_`` and
        ``fourier_importances_``.
    learner_shares_ : dict
        How much of the decrease of the training loss the rounds of each learner class brought, summing to 1: negative
        where they raised the loss, NaN where the loss did not fall at all.
    best_iteration_ : int
        Rounds that predictions use; with validation rows, those up to the best one.
    evals_result_ : dict
        The metric after each round: ``evals_result_["training"]["logloss"]``, and ``["validation"]`` where there was
        one.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from mixboost import MixBoostClassifier
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> model = MixBoostClassifier().fit(X[:400], y[:400])
    >>> bool(model.score(X[400:], y[400:]) > 0.95)
    True
    """

    _objective = "logloss"

    def __init__(
        self,
        *,
        preset: Literal["default", "paper"] = "default",
        num_round: int | Literal["auto"] = "auto",
        objective: str = "logloss",
        learning_rate: float | Literal["auto"] = "auto",
        random_state: int | np.random.RandomState | None = 0,
        colsample: float = 1.0,
        subsample: float = 0.8,
        lambda_l2: float = 1.0,
        min_child_weight: float = 0.01,
        early_stopping_rounds: int = 50,
        base_score: float | Literal["auto"] = "auto",
        n_members: int = 1,
        tree_probability: float | Literal["auto"] = "auto",
        min_max_depth: int | Literal["auto"] = "auto",
        max_max_depth: int = 10,
        depth_probabilities: Sequence[float] | Literal["auto"] = "auto",
        use_histograms: bool = True,
        hist_nbins: int = 256,
        symmetric_probability: float = 0.5,
        symmetric_depth: int | Literal["auto"] = "auto",
        split_noise: float = 0.0,
        split_prior: float = 0.0,
        leaf_rows: Literal["sample", "all"] = "all",
        tree_n_threads: int = 0,
        alpha: float | Literal["auto"] = "auto",
        fit_intercept: bool = True,
        ridge_n_threads: int = 0,
        gamma: float | Literal["auto"] = "auto",
        n_components: int = 96,
        n_projections: int = 4,
        fourier_scaling: Literal["none", "standard", "rank"] = "rank",
        fourier_metric: Literal["isotropic", "learned"] = "learned",
        fourier_linear: bool | Literal["auto"] = "auto",
        kernel_n_threads: int = 0,
        n_threads: int | None = 0,
        class_weight: ClassWeight = None,
        validation_fraction: float | None = None,
        verbose: int = 0,
    ) -> None:
        self.preset = preset
        self.num_round = num_round
        self.objective = objective
        self.learning_rate = learning_rate
        self.random_state = random_state
        self.colsample = colsample
        self.subsample = subsample
        self.lambda_l2 = lambda_l2
        self.min_child_weight = min_child_weight
        self.early_stopping_rounds = early_stopping_rounds
        self.base_score = base_score
        self.n_members = n_members
        self.tree_probability = tree_probability
        self.min_max_depth = min_max_depth
        self.max_max_depth = max_max_depth
        self.depth_probabilities = depth_probabilities
        self.use_histograms = use_histograms
        self.hist_nbins = hist_nbins
        self.symmetric_probability = symmetric_probability
        self.symmetric_depth = symmetric_depth
        self.split_noise = split_noise
        self.split_prior = split_prior
        self.leaf_rows = leaf_rows
        self.tree_n_threads = tree_n_threads
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.ridge_n_threads = ridge_n_threads
        self.gamma = gamma
        self.n_components = n_components
        self.n_projections = n_projections
        self.fourier_scaling = fourier_scaling
        self.fourier_metric = fourier_metric
        self.fourier_linear = fourier_linear
        self.kernel_n_threads = kernel_n_threads
        self.n_threads = n_threads
        self.class_weight = class_weight
        self.validation_fraction = validation_fraction
        self.verbose = verbose

    def _adopt(self, model: _native.Model) -> None:
        super()._adopt(model)
        self.classes_ = np.array(model.labels())
