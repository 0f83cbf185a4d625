"""What all boosters of the package share: a training of a C model, what is known of it afterwards, and pickling."""

from __future__ import annotations

import inspect
import numbers
import warnings
from abc import abstractmethod
from collections.abc import Iterable, Iterator
from itertools import zip_longest
from typing import Any, Literal, TypeVar

import joblib
import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import _check_sample_weight, _get_feature_names, check_is_fitted, validate_data

from . import _native
from ._progress import Callback, choose_rounds, run_rounds
from ._targets import Classes, Numbers, Weight


def seed_of(random_state: int | np.random.RandomState | None) -> int:
    """An integer is the seed itself, so that the program trains the same model; anything else draws one."""
    if isinstance(random_state, (int, np.integer)):
        return int(random_state)
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))


def thread_count(n_threads: int | None, name: str = "n_threads") -> int:
    """What scikit-learn's n_jobs means, and 0 for all processors, as the library has it."""
    if n_threads is not None and not isinstance(n_threads, numbers.Integral):
        raise ValueError(f"{name} is {n_threads!r}; it must be a whole number or None")
    if n_threads is None or n_threads < -1:
        return int(joblib.effective_n_jobs(n_threads))
    return 0 if n_threads == -1 else int(n_threads)


_REPAIRS = (
    "{} of {} rounds were repaired: equations of the ridge regression that were nearly singular were solved with a "
    "larger penalty or in part, or steps beyond a double were left out; a larger alpha, fewer n_components or a larger "
    "lambda_l2 avoid this"
)


def is_row_of(value: Any, n: int, kinds: tuple[type, ...] = (object,)) -> bool:
    """Whether it is an array of so many things of these kinds."""
    return isinstance(value, np.ndarray) and value.shape == (n,) and all(isinstance(each, kinds) for each in value)


def warn_of_repairs(model: _native.Model, stacklevel: int) -> None:
    """Says so where rounds were not as the options wanted them."""
    if model.n_repairs > 0:
        message = _REPAIRS.format(model.n_repairs, model.n_rounds * model.n_members)
        warnings.warn(message, RuntimeWarning, stacklevel=stacklevel)


Self = TypeVar("Self", bound="Booster")


class Booster(BaseEstimator):
    """A booster: subclasses say how X becomes rows of the library and which learners the rounds draw."""

    _model: _native.Model
    _objective: str
    num_round: int | Literal["auto"]
    random_state: int | np.random.RandomState | None
    validation_fraction: float | None
    verbose: int

    _learned: tuple[str, ...] = (
        "_model",
        "best_iteration_",
        "classes_",
        "evals_result_",
        "feature_names_in_",
        "n_features_in_",
    )

    # ---- What subclasses say ----

    @abstractmethod
    def _params(self) -> _native.Params:
        """The options of a training, checked, and its learners."""

    @abstractmethod
    def _features(self, X: Any, like: _native.Dataset | _native.Model | None) -> _native.Dataset:
        """The rows of X, whose features must be those of `like`; None in training rows, which state them."""

    @abstractmethod
    def _check_target(self, y: Any) -> NDArray[Any]:
        """y as an array of one dimension."""

    @abstractmethod
    def _learn_target(self, y: NDArray[Any], weight: Weight) -> Numbers | Classes:
        """What is to be predicted."""

    @abstractmethod
    def _predict(self, X: Any, output: int) -> NDArray[np.float64]:
        """The prediction of every row."""

    @abstractmethod
    def _stages(self, X: Any, output: int) -> Iterator[NDArray[np.float64]]:
        """The predictions after each round in turn."""

    # ---- Training ----

    def fit(
        self: Self,
        X: Any,
        y: Any,
        sample_weight: ArrayLike | None = None,
        eval_set: Any = None,
        eval_sample_weight: Any = None,
        callbacks: Iterable[Callback] | None = None,
    ) -> Self:
        """Fit the ensemble.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            Numbers, NaN where missing; in a frame also text and categories. Generic boosters: what their learners take.
        y : array-like of shape (n_samples,)
            What is to be predicted: numbers for the regressor, two different labels for the classifier.
        sample_weight : array-like of shape (n_samples,), optional
            How much each row counts: weight 2 is as the row twice, weight 0 as if it were not there.
        eval_set : tuple (X, y), optional
            Validation rows: the training stops when their loss has not improved for ``early_stopping_rounds`` rounds
            and keeps the best round.
        eval_sample_weight : array-like, optional
            The weights of the validation rows.
        callbacks : iterable of callables, optional
            Each is called after every round of the training with a :class:`Progress`; one that returns True stops the
            training, and the rounds so far are the model. While ``num_round="auto"`` is searched for, none is called.

        Returns
        -------
        self
        """
        self._forget()
        try:
            params = self._params()
            train, targets = self._rows(X, y, sample_weight)
            train, valid = self._validation_rows(train, targets, eval_set, eval_sample_weight)
            choose_rounds(train, valid, params, self.verbose)
            self._train(train, valid, params, callbacks)
            warn_of_repairs(self._model, stacklevel=3)
        except BaseException:
            self._forget()
            raise
        return self

    def _rows(
        self,
        X: Any,
        y: Any,
        sample_weight: ArrayLike | None,
        like: _native.Dataset | _native.Model | None = None,
        targets: Numbers | Classes | None = None,
    ) -> tuple[_native.Dataset, Numbers | Classes]:
        """A dataset with labels and weights: that of the training rows, or with `like` one that is to fit it."""
        dataset = self._features(X, like)
        y = self._check_target(y)
        if len(y) != dataset.n_rows:
            raise ValueError(f"X has {dataset.n_rows} rows and y {len(y)}")
        weight = None
        if sample_weight is not None:
            weight = _check_sample_weight(sample_weight, y, dtype=np.float64, ensure_non_negative=True)
            if not weight.any():
                raise ValueError("sample weights must not all be 0")
        targets = targets or self._learn_target(y, weight)
        targets.attach(dataset, y, weight)
        return dataset, targets

    def _check_frame(self, X: Any, names: list[str] | None, reset: bool) -> None:
        """Learns or compares the names of a frame's features, also where scikit-learn does not know its kind."""
        if names is None or _get_feature_names(X) is not None:
            validate_data(self, X, reset=reset, skip_check_array=True)
        elif reset:
            self._name_features(len(names), names)
        else:
            for place, (name, known) in enumerate(zip_longest(names, getattr(self, "feature_names_in_", names)), 1):
                if name != known:
                    raise ValueError(
                        "The feature names should match those that were passed during fit. "
                        + f"Feature {place} is {name!r} and was {known!r}."
                    )

    def _name_features(self, n_features: int, names: list[str] | None) -> None:
        self.n_features_in_ = n_features
        if names is not None:
            self.feature_names_in_ = np.array(names, dtype=object)

    def _validation_rows(
        self, train: _native.Dataset, targets: Numbers | Classes, eval_set: Any, eval_sample_weight: Any
    ) -> tuple[_native.Dataset, _native.Dataset | None]:
        """The rows to train on and those that early stopping looks at."""
        if eval_set is None:
            if eval_sample_weight is not None:
                raise ValueError("eval_sample_weight is given, but no eval_set")
            fraction = self.validation_fraction
            if fraction is None:
                return train, None
            if not isinstance(fraction, numbers.Real) or not 0 < fraction < 1:
                raise ValueError(f"validation_fraction is {fraction!r}; it must be a number over 0 and below 1")
            return train.split(float(fraction), isinstance(targets, Classes), seed_of(self.random_state))
        if isinstance(eval_set, list) and len(eval_set) == 1:  # as other boosters have it
            eval_set = eval_set[0]
            if isinstance(eval_sample_weight, list) and len(eval_sample_weight) == 1:
                eval_sample_weight = eval_sample_weight[0]
        if not isinstance(eval_set, tuple) or len(eval_set) != 2:
            raise ValueError("eval_set must be a pair (X, y), or a list of one such pair")
        if self.validation_fraction is not None:
            raise ValueError("eval_set and validation_fraction are given; only one of them can be")
        return train, self._rows(*eval_set, eval_sample_weight, train, targets)[0]

    def _train(
        self,
        train: _native.Dataset,
        valid: _native.Dataset | None,
        params: _native.Params,
        callbacks: Iterable[Callback] | None,
    ) -> None:
        trainer = _native.Trainer(train, valid, params)
        self._set_model(run_rounds(trainer, int(params.get("num_round")), callbacks, self.verbose))

    def _set_model(self, model: _native.Model) -> None:
        self._model = model
        self.best_iteration_ = model.n_rounds
        self.evals_result_ = {}
        for name, is_valid in (("training", False), ("validation", True)):
            losses = model.curve(is_valid)[1:]
            if not np.isnan(losses).any():
                self.evals_result_[name] = {model.metric: losses.tolist()}

    def _forget(self) -> None:
        """A training that does not come to its end leaves an estimator that is not fitted."""
        for name in self._learned:
            self.__dict__.pop(name, None)

    # ---- Fitted ----

    def __sklearn_is_fitted__(self) -> bool:
        return "_model" in vars(self)

    def _fitted(self) -> _native.Model:
        if "_model" not in vars(self):
            check_is_fitted(self)
        return self._model

    @property
    def learner_shares_(self) -> dict[str, float]:
        """How much of the decrease of the training loss each learner class brought; sums to 1."""
        return self._fitted().learner_shares()

    def __getstate__(self) -> dict[str, Any]:
        """The model as the bytes of its file."""
        state = dict(super().__getstate__())
        if "_model" in state:
            state["_model"] = state["_model"].to_bytes()
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Takes a state that is whole: what was learned is there and fits the model, whoever made the pickle.

        Parameters that it lacks, as one of an older version may, are at their defaults.
        """
        if not isinstance(state, dict) or not all(isinstance(name, str) for name in state):
            raise TypeError(f"the state of a {type(self).__name__} must be a dict of its attributes by their names")
        state = {**self._defaults(), **state}
        if "_model" not in state:
            super().__setstate__(state)
            return
        model = self._load_model(state.pop("_model"), state)
        self._check_state(state, model)
        super().__setstate__(state)
        self._set_model(model)

    def _load_model(self, data: bytes, state: dict[str, Any]) -> _native.Model:
        return _native.Model.from_bytes(data)

    def _check_state(self, state: dict[str, Any], model: _native.Model) -> None:
        """What was learned beside the model."""
        if model.objective() != self._objective:
            raise ValueError(
                f"the state has a model of objective {model.objective()}; "
                + f"that of a {type(self).__name__} must be {self._objective}"
            )
        n_features, names = state.get("n_features_in_"), state.get("feature_names_in_")
        if not isinstance(n_features, numbers.Integral):
            raise ValueError(f"the state's n_features_in_ must be a whole number, not {n_features!r}")
        if "feature_names_in_" in state and not is_row_of(names, int(n_features), (str,)):
            raise ValueError(f"the state's feature_names_in_ must be an array of {n_features} names, not {names!r}")

    @classmethod
    def _parameters(cls) -> dict[str, inspect.Parameter]:
        """The parameters of the constructor, and of the parent's where it passes ``**kwargs`` on."""
        found: dict[str, inspect.Parameter] = {}
        for parent in cls.__mro__:
            if "__init__" in vars(parent):
                parameters = inspect.signature(vars(parent)["__init__"]).parameters.values()
                plain = [p for p in parameters if p.kind in (p.KEYWORD_ONLY, p.POSITIONAL_OR_KEYWORD)]
                found = {**{p.name: p for p in plain if p.name != "self"}, **found}
                if all(p.kind is not p.VAR_KEYWORD for p in parameters):
                    break
        return found

    @classmethod
    def _defaults(cls) -> dict[str, Any]:
        return {name: p.default for name, p in cls._parameters().items() if p.default is not p.empty}

    @classmethod
    def _get_param_names(cls) -> list[str]:
        return sorted(cls._parameters())
