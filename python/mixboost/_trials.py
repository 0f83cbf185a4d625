"""The trials of a search: on the library's threads, on threads of Python, or wherever an executor runs them.

Whoever runs a trial makes a study of the same recipe, and a trial's result depends on recipe and trial alone. So it
does not matter who ran it, how often it was lost, or in which order results come back.
"""

from __future__ import annotations

import math
import pickle
import shutil
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager
from copy import copy
from functools import cached_property, lru_cache
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, NamedTuple

import joblib
import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _check_method_params

from . import _native
from ._columns import is_frame
from ._estimators import MixBoost
from ._native import Trial, TrialResult, Tuner
from ._progress import SECONDS_A_CALL, interruptible
from ._targets import Classes

Fold = tuple[NDArray[np.intp], NDArray[np.intp]]
Scorer = Callable[..., Any]

N_LOSSES = 3  # after so many a trial is not sent out again


class Recipe(NamedTuple):
    """All that results depend on, but for the scorer."""

    estimator: MixBoost
    X: Any
    y: Any
    weight: Any  # of the rows in training
    score_params: Mapping[str, Any]  # further arguments of the scorer, a value for each row
    space: str
    fixed: Mapping[str, str]  # options of the space that are not drawn
    params: Mapping[str, str]  # options that the space does not have
    settings: Mapping[str, Any]
    folds: Sequence[Fold] | None  # None: those of the library


class Outcome(NamedTuple):
    """What a trial came to, and what the scorer raised, if it did."""

    result: TrialResult
    error: Exception | None = None


# ---- One trial ---------------------------------------------------------------------------------------------------


class Study:
    """A tuner and the rows it works on, made of a recipe."""

    def __init__(self, recipe: Recipe) -> None:
        self.recipe = recipe
        self._template: MixBoost = clone(recipe.estimator)  # knows what a fitted estimator does, but no model
        self._train, self._targets = self._template._rows(recipe.X, recipe.y, recipe.weight)
        self.space = _native.Space(recipe.space)
        for option, text in recipe.fixed.items():
            self.space.fix(option, text)
        self.tuner = Tuner(self._train, self.space, _native.Params(recipe.params))
        for name, value in recipe.settings.items():
            self.tuner.set(name, value)
        if recipe.folds is not None:
            self.add_folds(recipe.folds)

    @property
    def n_rows(self) -> int:
        return int(self._train.n_rows)

    def add_folds(self, folds: Sequence[Fold]) -> None:
        """Folds instead of the library's own."""
        self.recipe = self.recipe._replace(folds=folds)
        for train, held_out in folds:
            self.tuner.add_fold(train, held_out)

    def fitted(self, model: _native.Model) -> MixBoost:
        """An estimator with a model of these rows."""
        estimator: MixBoost = copy(self._template)
        estimator._set_model(model)
        return estimator

    def evaluate(
        self, trial: Trial, n_threads: int, scorer: Scorer | None, is_to_go_on: Callable[[], bool] = lambda: True
    ) -> Outcome:
        """Trains, and measures with the model's own metric or a scorer."""
        result, model = self.tuner.evaluate(trial, n_threads, is_to_go_on, wants_model=scorer is not None)
        if scorer is None or model is None or result.status != _native.OK:
            return Outcome(result)
        estimator = self.fitted(model)
        estimator.n_threads = n_threads
        try:
            return Outcome(result._replace(loss=-self._score(estimator, trial.fold, scorer)))
        except Exception as error:
            message = f"{type(error).__name__} of the scorer: {error}"
            return Outcome(result._replace(status=_native.DATA, loss=np.inf, message=message), error)

    def _score(self, estimator: MixBoost, fold: int, scorer: Scorer) -> float:
        rows, recipe = self._rows_held_out(fold), self.recipe
        params = _check_method_params(recipe.X, recipe.score_params, indices=rows)
        score = float(scorer(estimator, rows_of(recipe.X, rows), _safe_indexing(recipe.y, rows), **params))
        if not np.isfinite(score):
            raise ValueError(f"the score is {score}")
        return score

    def _rows_held_out(self, fold: int) -> NDArray[np.intp]:
        if self.recipe.folds is not None:
            return self.recipe.folds[fold][1]
        return self._library_folds[fold]

    @cached_property
    def _library_folds(self) -> list[NDArray[np.intp]]:
        """The held-out rows of each. The library tells no numbers: it is given these to split, with the same labels."""
        recipe, n_folds = self.recipe, int(self.recipe.settings["n_folds"])
        numbers = np.arange(self._train.n_rows, dtype=np.float64).reshape(-1, 1)
        rows, targets = clone(recipe.estimator)._rows(numbers, recipe.y, recipe.weight)
        stratify, seed = isinstance(targets, Classes), int(recipe.settings["random_state"])
        return [rows.fold(n_folds, stratify, seed, fold)[1].read(0).astype(np.intp) for fold in range(n_folds)]


def rows_of(X: Any, rows: NDArray[np.intp]) -> Any:
    """Some rows of an array or a frame; scikit-learn does not know all kinds of these."""
    return X.take(rows) if is_frame(X) and hasattr(X, "take") else _safe_indexing(X, rows)


# ---- Trials elsewhere --------------------------------------------------------------------------------------------

_FILE = "search.joblib"
_loading = threading.Lock()


@contextmanager
def _shared_folder(recipe: Recipe) -> Iterator[str]:
    """A folder with the recipe in a file, for as long as the search lasts."""
    folder = tempfile.mkdtemp(prefix="mixboost-")
    try:
        joblib.dump(recipe, Path(folder) / _FILE)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        with _loading:
            _load_study.cache_clear()  # of an executor whose workers are threads of this process


@lru_cache(maxsize=1)
def _load_study(folder: str) -> Study:
    _load_study.cache_clear()  # so that the one before goes first
    path = Path(folder) / _FILE
    if not path.exists():
        raise FileNotFoundError(
            f"a worker does not see the data that the search wrote to {path}: set TMPDIR, where the search runs, to a "
            "folder that all machines share"
        )
    study = Study(joblib.load(path, mmap_mode="r"))
    study.tuner.start()
    return study


def evaluate_in_worker(folder: str, trial: Trial, n_threads: int, scorer: Scorer | None, n_lost: int) -> Outcome:
    """A trial in a process of an executor, which reads the data when the first one comes.

    `n_lost` is not looked at. It makes the call for a trial that was lost another one to executors that remember calls.
    """
    with _loading:
        study = _load_study(folder)
    outcome = study.evaluate(trial, n_threads, scorer)
    return outcome if _travels(outcome.error) else outcome._replace(error=None)


def _travels(error: Exception | None) -> bool:
    """Whether an exception can be sent to another process; one that breaks on the way breaks a whole pool."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return False
    return True


# ---- All trials --------------------------------------------------------------------------------------------------


class Conditions(NamedTuple):
    """How the trials of a search are run; results do not depend on it, but for the scorer."""

    scorer: Scorer | None
    executor: Executor | None
    n_threads: int  # of a trial of the executor's
    time_limit: float | None
    raises: bool  # what a trial fails with
    watch: Callable[[Tuner, float], object]


def run_all(study: Study, conditions: Conditions) -> None:
    """Runs the trials that are left, or until the time limit."""
    in_journal = failures(study.tuner)
    if in_journal and conditions.raises:
        raise in_journal[0].exception()
    if conditions.executor is not None:
        _run_with_executor(study, conditions, conditions.executor)
    elif conditions.scorer is not None or conditions.raises:  # the library would go on after a failure
        _run_in_threads(study, conditions)
    else:
        _run_in_the_library(study.tuner, conditions)


def _run_in_the_library(tuner: Tuner, conditions: Conditions) -> None:
    def run(is_to_go_on: Callable[[], bool]) -> None:
        def watch(seconds: float) -> bool:
            conditions.watch(tuner, seconds)
            return is_to_go_on()

        tuner.run(watch)

    interruptible(run)


def _run_in_threads(study: Study, conditions: Conditions) -> None:
    tuner, is_over = study.tuner, threading.Event()
    n_workers = [tuner.stage_workers(stage) for stage in range(tuner.n_stages)]
    with ThreadPoolExecutor(max(n_workers)) as executor:

        def submit(trial: Trial, _n_lost: int) -> Future[Outcome]:
            n_threads = tuner.stage_threads(trial.stage)
            return executor.submit(study.evaluate, trial, n_threads, conditions.scorer, lambda: not is_over.is_set())

        try:
            _ask_and_tell(_Flight(tuner, submit, conditions.raises), lambda: n_workers[tuner.stage], conditions)
        finally:
            is_over.set()


def _run_with_executor(study: Study, conditions: Conditions, executor: Executor) -> None:
    with _shared_folder(study.recipe) as folder:

        def submit(trial: Trial, n_lost: int) -> Future[Outcome]:
            arguments = folder, trial, conditions.n_threads, conditions.scorer, n_lost
            return executor.submit(evaluate_in_worker, *arguments)

        def all_that_wait() -> int:
            return sys.maxsize

        _ask_and_tell(_Flight(study.tuner, submit, conditions.raises), all_that_wait, conditions)


def _ask_and_tell(flight: _Flight, n_at_once: Callable[[], int], conditions: Conditions) -> None:
    began = time.monotonic()
    until = math.inf if conditions.time_limit is None else began + conditions.time_limit
    try:
        while time.monotonic() < until:
            if not flight.send_out(n_at_once):
                return
            flight.take_in()
            conditions.watch(flight.tuner, time.monotonic() - began)
    finally:
        flight.call_back()


class _Flight:
    """The trials that are out."""

    def __init__(self, tuner: Tuner, submit: Callable[[Trial, int], Future[Outcome]], raises: bool) -> None:
        self.tuner = tuner
        self._submit, self._raises = submit, raises
        self._trials: dict[Future[Outcome], Trial] = {}
        self._done: SimpleQueue[Future[Outcome]] = SimpleQueue()
        self._n_lost: Counter[Trial] = Counter()

    def send_out(self, n_at_once: Callable[[], int]) -> bool:
        """Sends trials out, so that `n_at_once` are, as long as some wait; whether any are out."""
        while self.tuner.stage < self.tuner.n_stages and len(self._trials) < n_at_once():
            trial = self.tuner.next()
            if trial is None:
                break
            try:
                future = self._submit(trial, self._n_lost[trial])
            except BrokenExecutor as error:
                self.tuner.take_back(trial)
                raise _broken(error) from error
            self._trials[future] = trial
            future.add_done_callback(self._done.put)
        return len(self._trials) > 0

    def take_in(self) -> None:
        """Waits a little for a result, and tells it; a trial that was lost waits again.

        `concurrent.futures.wait` locks all futures, again for each result, and Ctrl-C while it does so leaves them
        locked for ever.
        """
        try:
            future = self._done.get(timeout=SECONDS_A_CALL)
        except Empty:
            return
        trial = self._trials.pop(future)
        try:
            outcome = future.result()
        except BrokenExecutor as error:
            self.tuner.take_back(trial)
            raise _broken(error) from error
        except Exception as error:
            self._note_loss(trial, error)
        else:
            self._tell(trial, outcome)

    def _note_loss(self, trial: Trial, error: Exception) -> None:
        """A trial's own failure is a result; whatever else comes instead of one means that its worker was lost."""
        self.tuner.take_back(trial)
        self._n_lost[trial] += 1
        if self._n_lost[trial] == N_LOSSES:
            raise RuntimeError(
                f"the executor lost {trial} {N_LOSSES} times, at last with {type(error).__name__}: {error}"
            ) from error

    def _tell(self, trial: Trial, outcome: Outcome) -> None:
        if self._raises and outcome.result.status != _native.OK:
            self.tuner.take_back(trial)
            raise outcome.error or outcome.result.exception()
        self.tuner.tell(trial, outcome.result)

    def call_back(self) -> None:
        """Gives up what is out."""
        for future, trial in self._trials.items():
            future.cancel()
            self.tuner.take_back(trial)
        self._trials.clear()


def _broken(error: BaseException) -> RuntimeError:
    return RuntimeError(
        f"a worker of the executor died, and the executor with it ({type(error).__name__}). With a new executor the "
        "same search goes on from its journal, if it has one, with resume=True"
    )


def failures(tuner: Tuner) -> list[TrialResult]:
    """The results of trials that failed."""
    results = [
        tuner.result(Trial(stage, config, fold))
        for stage in range(tuner.n_stages)
        for config in tuner.stage_configs(stage)
        for fold in range(tuner.n_folds)
    ]
    return [result for result in results if result is not None and result.status != _native.OK]
