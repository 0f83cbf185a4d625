"""MixBoostSearchCV: the library's tuner behind scikit-learn's interface of a search."""

from __future__ import annotations

import numbers
import os
import re
import time
import warnings
from concurrent.futures import Executor
from contextlib import closing
from typing import Any, Literal, NamedTuple, TypeVar

import joblib
import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.exceptions import FitFailedWarning
from sklearn.model_selection import check_cv
from sklearn.model_selection._search import BaseSearchCV
from sklearn.utils import Tags, get_tags, indexable
from sklearn.utils.validation import _check_method_params

from . import _native
from ._base import seed_of, thread_count, warn_of_repairs
from ._columns import is_frame
from ._estimators import MixBoost
from ._progress import interruptible, search_watcher
from ._search_results import result_table
from ._spaces import Ranges, space_text
from ._trials import Conditions, Fold, Recipe, Scorer, Study, failures, run_all

Self = TypeVar("Self", bound="MixBoostSearchCV")

N_FOLDS = 3  # with cv=None


LONGEST_NAME = 63  # of a scoring that the library knows


def scoring_name(scoring: Any, score_params: dict[str, Any]) -> str:
    """What a journal knows a scorer and its arguments by, so that a search with others does not go on from it."""
    if scoring is None:
        return "metric"
    name = scoring if isinstance(scoring, str) else "scorer " + str(scoring)
    name = re.sub(r"0x[0-9a-f]+", "", name)  # where a function lies in memory
    if score_params or len(name) > LONGEST_NAME or not name.isascii() or not name.isprintable():
        digest = joblib.hash((name, {param: np.asarray(values) for param, values in score_params.items()}))
        name = "".join(c if " " <= c <= "~" else "?" for c in name)[: LONGEST_NAME - 1 - len(digest)] + " " + digest
    return name


class Routed(NamedTuple):
    """Arguments of fit by who gets them."""

    weight: Any
    score_params: dict[str, Any]
    split_params: dict[str, Any]


class MixBoostSearchCV(BaseSearchCV):
    """Search for the best options of an estimator: successive halving over random configurations.

    Many configurations are trained with little, the better ones go on with more, until the last are trained with
    everything. The same search gives the same results, to the last bit, on any number of threads, with any executor,
    and after any interruption where a journal is kept.

    Parameters
    ----------
    estimator : MixBoostRegressor or MixBoostClassifier
        What is tuned. A parameter that is not at its default is not drawn from a built-in space but stays as it is.
    space : str, path-like or dict, default="default"
        What configurations are drawn from: "default", "paper" or "paper-node"; the text of a space; the
        ``pathlib.Path`` of a file with one; or a dict that has for each option ``(lowest, highest, scale)`` with the
        scale "linear", "log10" or "integer", a list of choices, or a value; with ``"defaults": True`` the first
        configuration is the estimator as it is, and comes to the last stage unless one alone does. A space of one's own
        wins over parameters of the estimator.
    n_configs : int, default=512
        Configurations of the first stage.
    eta : int, default=4
        Of so many configurations of a stage the best goes on, with so many times the resource.
    min_resource : float or str, default="1/4"
        Fraction of the resource that the first stage may have at the least.
    resource : {"rows", "rounds"}, default="rows"
        What the stages have more and more of: training rows, or rounds of each configuration.
    cv : int, splitter or iterable, optional
        What configurations are judged on, by the mean over the folds, as in scikit-learn; None: three folds of rows
        drawn at random, for a classifier with the same part of each class.
    scoring : str or callable, optional
        A scorer of scikit-learn. None: minus the metric of the training, root mean squared error or log loss, weighted
        as the training is.
    refit : bool, default=True
        Whether the best configuration is trained on all rows in the end.
    time_limit : float, optional
        Seconds after which the search ends with what is best by then. The training of ``refit`` comes after, and takes
        as long as it takes.
    journal : path-like, optional
        A file that keeps every result, so that a search can go on after whatever ended it.
    resume : bool, default=False
        Whether to go on from a journal that is there already, which is refused otherwise.
    executor : concurrent.futures.Executor, optional
        Runs the trials: processes, or a cluster through Dask or MPI. The data go to a file in the folder for temporary
        files, which each worker reads once. Copies of the search by ``pickle`` have none.
    n_jobs : int, optional
        Threads that trials share; -1: all processors, -2: all but one, and so on. With an executor, threads of each
        trial. None: all processors, and 1 with an executor.
    random_state : int, RandomState or None, default=0
        Seed of configurations, folds and fractions of rows.
    error_score : "raise" or float, default=nan
        What stands in ``cv_results_`` for a trial that failed; it is the last of its stage in any case. "raise": the
        search ends with the first.
    verbose : int, default=0
        1 shows the progress.

    Attributes
    ----------
    best_params_ : dict
        The parameters to give ``estimator``. Where trials were stopped early, ``num_round`` follows from their
        rounds; "auto" stays where fewer than 100 rows of a class judge.
    best_score_ : float
        The mean score of the best configuration over the folds, in the last stage that it came to.
    best_estimator_ : estimator
        Trained with ``best_params_`` on all rows, if ``refit``.
    best_index_ : int
        The row of ``cv_results_`` with the best configuration.
    cv_results_ : dict
        Columns of a table with a row for each configuration and stage: the stage, ``iter``; the fraction of rows or
        rounds, ``n_resources``; the number of the configuration, ``config``; its parameters, the score on each fold,
        their mean and deviation; and the rank: rows of later stages come first.
    option_importances_ : dict
        What share of the differences between configurations each option that is drawn explains by itself; NaN where
        there are too few to tell.
    space_ : dict
        How each option of the space is drawn: "linear", "log10", "integer", "choice" or "fixed".
    n_candidates_ : list of int
        Configurations of each stage.
    n_resources_ : list of float
        The fraction of rows or rounds that the configurations of each stage have.
    n_splits_ : int
        Folds.
    refit_time_ : float
        Seconds that the training on all rows took.
    scorer_ : callable
        What ``score`` uses: ``scoring``, or else the estimator's own ``score``.

    Notes
    -----
    Ctrl-C raises KeyboardInterrupt and leaves a search that is not fitted; the journal has all trials that were done.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from mixboost import MixBoostRegressor, MixBoostSearchCV
    >>> X, y = load_diabetes(return_X_y=True)
    >>> space = {"learning_rate": (0.02, 0.2, "log10"), "max_max_depth": (1, 6, "integer")}
    >>> search = MixBoostSearchCV(MixBoostRegressor(num_round=50), space, n_configs=8).fit(X, y)
    >>> search.n_candidates_, search.n_resources_
    ([8, 2], [0.25, 1.0])
    >>> sorted(search.best_params_)
    ['learning_rate', 'max_max_depth', 'num_round']
    """

    _learned = (
        "best_estimator_",
        "best_index_",
        "best_params_",
        "best_score_",
        "cv_results_",
        "feature_names_in_",
        "multimetric_",
        "n_candidates_",
        "n_resources_",
        "n_splits_",
        "option_importances_",
        "refit_time_",
        "scorer_",
        "space_",
    )

    def __init__(
        self,
        estimator: MixBoost,
        space: str | os.PathLike[str] | Ranges = "default",
        *,
        n_configs: int = 512,
        eta: int = 4,
        min_resource: float | str = "1/4",
        resource: Literal["rows", "rounds"] = "rows",
        cv: Any = None,
        scoring: str | Scorer | None = None,
        refit: bool = True,
        time_limit: float | None = None,
        journal: str | os.PathLike[str] | None = None,
        resume: bool = False,
        executor: Executor | None = None,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = 0,
        error_score: float | Literal["raise"] = np.nan,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.space = space
        self.n_configs = n_configs
        self.eta = eta
        self.min_resource = min_resource
        self.resource = resource
        self.cv = cv
        self.scoring = scoring
        self.refit = refit
        self.time_limit = time_limit
        self.journal = journal
        self.resume = resume
        self.executor = executor
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.error_score = error_score
        self.verbose = verbose

    # ---- The search ----

    def fit(self: Self, X: Any, y: Any = None, **params: Any) -> Self:
        """Search, and train the best configuration on all rows.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The features, as for the estimator.
        y : array-like of shape (n_samples,)
            What is to be predicted.
        **params : dict
            ``sample_weight``, how much each row counts in training and in the score, and ``groups`` for the splitter of
            ``cv``. Where scikit-learn's metadata routing is enabled, what estimator, scorer and splitter request.

        Returns
        -------
        self
        """
        self._forget()
        try:
            self._check_arguments()
            X, y = X if is_frame(X) else indexable(X)[0], indexable(y)[0]
            routed = self._route(X, params)
            study = Study(self._recipe(X, y, routed))
            with closing(study.tuner):
                if self.cv is not None:
                    study.add_folds(self._folds(X, y, routed.split_params))
                elif study.n_rows < N_FOLDS:
                    raise ValueError(f"cv=None makes {N_FOLDS} folds, for which n_samples={study.n_rows} is too few")
                self._start(study)
                self._run(study)
                self._learn(study)
                if self.refit:
                    self._refit(study)
        except BaseException:
            self._forget()
            raise
        return self

    def _check_arguments(self) -> None:
        if not isinstance(self.estimator, MixBoost):
            kind = type(self.estimator).__name__
            raise TypeError(f"estimator must be a MixBoostRegressor or a MixBoostClassifier, not a {kind}")
        if self.estimator.validation_fraction is not None:
            raise ValueError(
                "the estimator has a validation_fraction, but trials are stopped early by the rows that judge them; "
                "leave it None, and choose these rows by cv"
            )
        if not isinstance(self.refit, (bool, np.bool_)):
            raise ValueError(f"refit is {self.refit!r}; it must be True or False")
        if self.error_score != "raise" and not isinstance(self.error_score, numbers.Real):
            raise ValueError(f"error_score is {self.error_score!r}; it must be a number or 'raise'")
        limit = self.time_limit
        if limit is not None and not (isinstance(limit, numbers.Real) and limit > 0):
            raise ValueError(f"time_limit is {limit!r}; it must be a number of seconds over 0, or None")
        if self.executor is not None and not callable(getattr(self.executor, "submit", None)):
            kind = type(self.executor).__name__
            raise TypeError(f"executor must be an Executor as of concurrent.futures, not a {kind}")
        if self.scoring is not None and not isinstance(self.scoring, str) and not callable(self.scoring):
            raise ValueError(f"scoring is {self.scoring!r}; it must be one scorer, its name, or None")
        if self.resume and self.journal is None:
            raise ValueError("resume is True, but there is no journal to go on from")

    def _route(self, X: Any, params: dict[str, Any]) -> Routed:
        """Arguments of fit to estimator, scorer and splitter, as scikit-learn's own searches do it."""
        given = {name: value for name, value in params.items() if value is not None}
        routed = self._get_routed_params_for_fit(_check_method_params(X, params=given))
        fit, score = dict(routed.estimator.fit), dict(routed.scorer.score)
        weight = fit.pop("sample_weight", None)
        if fit:
            raise TypeError(
                f"fit got {', '.join(sorted(fit))}; of the estimator's arguments it takes sample_weight only"
            )
        split = {name: value for name, value in routed.splitter.split.items() if value is not None}
        if self.cv is None and split:
            raise ValueError("groups are given, but with cv=None folds do not look at them; try cv=GroupKFold()")
        if self.scoring is None and (score.get("sample_weight") is None) != (weight is None):
            raise ValueError(
                "with scoring=None rows count in the score as they do in training; let both fit and score request "
                "sample_weight, or neither"
            )
        return Routed(weight, score, split)

    def _recipe(self, X: Any, y: Any, routed: Routed) -> Recipe:
        text, is_built_in = space_text(self.space)
        given = self.estimator._given_options()
        drawn = _native.Space(text).scales()
        fixed = {name: value for name, value in given.items() if is_built_in and name in drawn}
        settings = {
            "n_configs": self.n_configs,
            "eta": self.eta,
            "min_resource": self.min_resource,
            "resource": self.resource,
            "n_folds": N_FOLDS if self.cv is None else 0,
            "random_state": seed_of(self.random_state),
            "scoring": scoring_name(self.scoring, routed.score_params),
            "n_threads": self._n_threads(0),
            "time_limit": self.time_limit or 0,
        }
        return Recipe(self.estimator, X, y, routed.weight, routed.score_params, text, fixed, given, settings, None)

    def _n_threads(self, default: int) -> int:
        return default if self.n_jobs is None else thread_count(self.n_jobs, "n_jobs")

    def _folds(self, X: Any, y: Any, split_params: dict[str, Any]) -> list[Fold]:
        splitter = check_cv(self.cv, y, classifier=is_classifier(self.estimator))
        rows = np.arange(len(y))  # indexed, it tells row numbers of a mask and of numbers below 0
        folds = []
        for i, (train, held_out) in enumerate(splitter.split(X, y, **split_params)):
            try:
                folds.append((rows[train], rows[held_out]))
            except IndexError as error:
                raise IndexError(f"fold {i + 1} of cv: {error}") from error
            if not all(map(len, folds[-1])):
                raise ValueError(f"fold {i + 1} of cv has no rows to {'judge by' if len(folds[-1][0]) else 'train on'}")
        if not folds:
            raise ValueError("cv gives no folds")
        return folds

    def _start(self, study: Study) -> None:
        if self.journal is not None:
            study.tuner.set_journal(self.journal, bool(self.resume))
        study.tuner.start()
        if study.tuner.warning is not None:
            warnings.warn(study.tuner.warning, RuntimeWarning, stacklevel=3)

    def _run(self, study: Study) -> None:
        scorer = None if self.scoring is None else self._get_scorers()[0]
        with search_watcher(self.verbose) as watch:
            n_threads, raises = self._n_threads(1), self.error_score == "raise"
            run_all(study, Conditions(scorer, self.executor, n_threads, self.time_limit, raises, watch))
        if study.tuner.best is None:
            raise RuntimeError("time_limit ended the search before any configuration was done on all folds")
        failed = failures(study.tuner)
        if failed:
            message = f"{len(failed)} trials failed and are the last of their stages; the first: {failed[0].message}"
            warnings.warn(message, FitFailedWarning, stacklevel=3)

    def _learn(self, study: Study) -> None:
        tuner = study.tuner
        error_score = np.nan if isinstance(self.error_score, str) else float(self.error_score)
        self.cv_results_ = result_table(study, error_score)
        self.best_index_ = int(np.flatnonzero(self.cv_results_["config"] == tuner.best)[-1])
        self.best_score_ = float(self.cv_results_["mean_test_score"][self.best_index_])
        self.best_params_ = self.cv_results_["params"][self.best_index_]
        self.n_candidates_ = [tuner.stage_size(stage) for stage in range(tuner.n_stages)]
        self.n_resources_ = [tuner.stage_resource(stage) for stage in range(tuner.n_stages)]
        self.n_splits_ = tuner.n_folds
        self.space_ = study.space.scales()
        shares = tuner.importances()
        self.option_importances_ = {name: shares[name] for name in self.space_ if self.space_[name] != "fixed"}
        self.scorer_, _ = self._get_scorers()
        self.multimetric_ = False

    def _refit(self, study: Study) -> None:
        began = time.perf_counter()
        self.best_estimator_ = study.fitted(interruptible(study.tuner.refit)).set_params(**self.best_params_)
        self.refit_time_ = time.perf_counter() - began
        warn_of_repairs(self.best_estimator_._model, stacklevel=4)
        if hasattr(self.best_estimator_, "feature_names_in_"):
            self.feature_names_in_ = self.best_estimator_.feature_names_in_

    def _forget(self) -> None:
        """A search that does not come to its end leaves one that is not fitted."""
        for name in self._learned:
            self.__dict__.pop(name, None)

    # ---- Copies ----

    def __sklearn_clone__(self: Self) -> Self:
        """A copy that is not fitted, with the same executor, of which there can be no other."""
        params = self.get_params(deep=False)
        executor = params.pop("executor")
        copies = {name: clone(value, safe=False) for name, value in params.items()}
        return type(self)(**copies, executor=executor)

    def __getstate__(self) -> dict[str, Any]:
        """All but the executor, which does not travel."""
        return {**super().__getstate__(), "executor": None}

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags = get_tags(self.estimator).input_tags
        return tags
