"""Trials that an executor runs: the same results, whoever ran them, in whatever order, however often one was lost."""

from __future__ import annotations

import os
import pickle
import random
import signal
import tempfile
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from copy import deepcopy
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd
import pytest
from dask.distributed import Client, LocalCluster
from estimator_cases import classification_data, regression_data
from mixboost import MixBoostClassifier, MixBoostRegressor, _native, _trials
from search_cases import findings, small_search
from sklearn.base import clone
from sklearn.metrics import root_mean_squared_error
from sklearn.model_selection import KFold

KINDS = [MixBoostRegressor, MixBoostClassifier]


def scorer_with_weights(estimator: Any, X: Any, y: Any, sample_weight: Any = None) -> float:
    """For processes, which find it by its name."""
    return -float(root_mean_squared_error(y, estimator.predict(X), sample_weight=sample_weight))


def deadly_scorer(estimator: Any, X: Any, y: Any) -> float:
    if len(y) > 60:  # the larger of two folds
        os.kill(os.getpid(), signal.SIGKILL)
    return 0.0


def failing_scorer(estimator: Any, X: Any, y: Any) -> float:
    if estimator.options_["max_max_depth"] > 4:
        raise LookupError("a deep tree")
    return -float(root_mean_squared_error(y, estimator.predict(X)))


class TwoWordError(Exception):
    """It cannot be sent to another process: only one of its words gets there."""

    def __init__(self, first: str, second: str) -> None:
        super().__init__(f"{first} {second}")


def oddly_failing_scorer(estimator: Any, X: Any, y: Any) -> float:
    raise TwoWordError("not", "good")


def n_kept() -> int:
    """Data sets that a process has read and still has."""
    return _trials._load_study.cache_info().currsize


class ReversedExecutor(Executor):
    """Runs what it was given some time later, the last first, in this process; may lose some of it."""

    def __init__(self, lose: Callable[[Any], Exception | None] = lambda _trial: None) -> None:
        self._lose, self._lock = lose, threading.Lock()
        self._waiting: list[tuple[Future[Any], Any]] = []
        self.trials: list[_native.Trial] = []

    def submit(self, function: Any, /, *arguments: Any, **_named: Any) -> Future[Any]:
        future: Future[Any] = Future()
        with self._lock:
            self._waiting.append((future, (function, arguments)))
            if len(self._waiting) == 1:
                threading.Timer(0.02, self._run).start()
        return future

    def _run(self) -> None:
        with self._lock:
            waiting, self._waiting = self._waiting[::-1], []
        for future, (function, arguments) in waiting:
            lost = self._lose(arguments)
            self.trials.append(arguments[1])
            if isinstance(lost, KeyError):
                future.cancel()  # what Dask does with those of a worker that is gone
                future.set_running_or_notify_cancel()
            elif lost is not None:
                future.set_exception(lost)
            else:
                future.set_result(function(*arguments))


@pytest.fixture(scope="module")
def processes() -> Iterator[Executor]:
    with ProcessPoolExecutor(2) as executor:
        yield executor


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where temporary files go."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


# ---- The same results --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("settings", [{}, {"resource": "rounds"}, {"cv": KFold(2), "scoring": "r2"}], ids=str)
def test_processes_find_the_same(kind: Any, settings: Any, processes: Executor) -> None:
    X, y = regression_data() if kind is MixBoostRegressor else classification_data()
    weight = np.random.default_rng(0).uniform(0.5, 2, 200)
    here = small_search(kind, **settings).fit(X, y, sample_weight=weight)
    there = small_search(kind, executor=processes, **settings).fit(X, y, sample_weight=weight)
    assert findings(there) == findings(here)


def test_frames_texts_and_own_scorers_travel(processes: Executor) -> None:
    X, y = regression_data()
    frame = pd.DataFrame(X, columns=[*"abcd"]).assign(text=np.where(X[:, 0] > 0, "over", "under"))
    frame.loc[::7, "a"] = np.nan
    labels = pd.Series(np.where(y > 0.5, "yes", "no"))
    for kind, target, scoring in (
        (MixBoostRegressor, pd.Series(y), scorer_with_weights),
        (MixBoostClassifier, labels, "accuracy"),
        (MixBoostClassifier, labels, None),
    ):
        weight = pd.Series(np.linspace(0.1, 2, 200))
        here = small_search(kind, n_configs=4, scoring=scoring).fit(frame, target, sample_weight=weight)
        there = small_search(kind, n_configs=4, scoring=scoring, executor=processes)
        assert findings(there.fit(frame, target, sample_weight=weight)) == findings(here)


@pytest.mark.parametrize("n_jobs", [None, 1, 2])
def test_order_of_arrival_and_threads_change_nothing(n_jobs: int | None) -> None:
    X, y = regression_data()
    executor = ReversedExecutor()
    search = small_search(executor=executor, n_jobs=n_jobs).fit(X, y)
    assert findings(search) == findings(small_search().fit(X, y))
    assert executor.trials != sorted(executor.trials)


def test_waiting_for_results_does_not_lock_what_is_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """As `concurrent.futures.wait` does: Ctrl-C while it holds the locks would leave them locked for ever."""
    locked: list[Future[Any]] = []

    class WatchedFuture(Future[Any]):
        def __init__(self) -> None:
            super().__init__()
            acquire = self._condition.acquire
            self._condition.acquire = lambda: (locked.append(self), acquire())[1]  # not called by a `with`

    monkeypatch.setitem(globals(), "Future", WatchedFuture)
    small_search(n_configs=4, executor=ReversedExecutor()).fit(*regression_data())
    assert locked == []


# ---- The data ----------------------------------------------------------------------------------------------------


def test_data_are_written_once_read_once_and_removed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = regression_data()
    read: list[weakref.ref[Any]] = []
    load = joblib.load

    def watched_load(path: Path, **options: Any) -> Any:
        recipe = load(path, **options)
        read.append(weakref.ref(recipe.X))
        return recipe

    monkeypatch.setattr(_trials.joblib, "load", watched_load)
    with ThreadPoolExecutor(4) as executor:
        small_search(executor=executor).fit(X, y)
        assert [data() for data in read] == [None]
        small_search(executor=executor, random_state=1).fit(X, y)
    assert [data() for data in read] == [None, None]
    assert list(folder.iterdir()) == []


def test_a_worker_keeps_the_data_of_one_search() -> None:
    with ProcessPoolExecutor(1) as executor:
        for seed in range(2):
            small_search(n_configs=4, executor=executor, random_state=seed).fit(*regression_data())
        assert executor.submit(n_kept).result() == 1


def test_calls_of_an_executor_are_small(folder: Path) -> None:
    sizes: list[int] = []
    executor = ReversedExecutor(lambda call: sizes.append(len(pickle.dumps(call))))  # type: ignore[func-returns-value]
    small_search(n_configs=4, executor=executor, scoring="r2").fit(*regression_data(500))
    assert len(sizes) == 15
    assert max(sizes) < 1000


def test_a_worker_that_cannot_see_the_data_says_so(folder: Path) -> None:
    sentence = (
        "a worker does not see the data that the search wrote to .*: set TMPDIR, where the search runs, to a folder"
    )
    with pytest.raises(FileNotFoundError, match=sentence):
        _trials.evaluate_in_worker(str(folder / "elsewhere"), _native.Trial(0, 0, 0), 1, None, 0)


# ---- What is lost ------------------------------------------------------------------------------------------------


def test_lost_trials_are_sent_out_again() -> None:
    X, y = regression_data()
    chance, n_lost = random.Random(0), 0

    def lose(_call: Any) -> Exception | None:
        nonlocal n_lost
        if chance.random() > 0.1:
            return None
        n_lost += 1
        return chance.choice([OSError("the worker is gone"), KeyError("cancelled")])

    search = small_search(executor=ReversedExecutor(lose)).fit(X, y)
    assert n_lost > 3
    assert findings(search) == findings(small_search().fit(X, y))


def test_a_trial_that_is_lost_again_and_again_ends_the_search(tmp_path: Path) -> None:
    X, y = regression_data()
    bad = _native.Trial(0, 7, 1)
    executor = ReversedExecutor(lambda call: OSError("the worker is gone") if call[1] == bad else None)
    search = small_search(executor=executor, journal=tmp_path / "search.mxj")
    sentence = (
        r"^the executor lost Trial\(stage=0, config=7, fold=1\) 3 times, at last with OSError: the worker is gone$"
    )
    with pytest.raises(RuntimeError, match=sentence):
        search.fit(X, y)
    assert executor.trials.count(bad) == 3
    search.set_params(executor=None, resume=True).fit(X, y)
    assert findings(search) == findings(small_search().fit(X, y))


def test_a_pool_that_breaks_says_how_to_go_on(tmp_path: Path) -> None:
    X, y = regression_data()
    folds = [(np.arange(100, 200), np.arange(50)), (np.arange(100), np.arange(100, 200))]
    search = small_search(n_configs=4, cv=folds, scoring=deadly_scorer, journal=tmp_path / "search.mxj")
    sentence = "^a worker of the executor died, and the executor with it .BrokenProcessPool.. With a new executor"
    with ProcessPoolExecutor(1) as executor:
        with pytest.raises(RuntimeError, match=sentence):
            search.set_params(executor=executor).fit(X, y)
        with pytest.raises(RuntimeError, match=sentence):  # to which nothing can be handed any more
            search.set_params(executor=executor, resume=True).fit(X, y)
    assert not hasattr(search, "cv_results_")


def test_failures_of_trials_are_results(processes: Executor) -> None:
    """Of the scorer's own exceptions, not of lost workers."""
    X, y = regression_data()
    with pytest.warns(Warning, match="trials failed and are the last of their stages; the first: LookupError of the"):
        here = small_search(scoring=failing_scorer).fit(X, y)
    with pytest.warns(Warning, match="trials failed"):
        there = small_search(scoring=failing_scorer, executor=processes).fit(X, y)
    assert np.isnan(here.cv_results_["mean_test_score"]).any()
    np.testing.assert_equal(findings(there), findings(here))
    search = small_search(scoring=failing_scorer, executor=processes, error_score="raise")
    with pytest.raises(LookupError, match="a deep tree"):
        search.fit(X, y)


def test_a_failure_that_cannot_travel_breaks_no_pool(processes: Executor) -> None:
    X, y = regression_data()
    sentence = "^all configurations failed; the first: TwoWordError of the scorer: not good$"
    with pytest.raises(ValueError, match=sentence):
        small_search(scoring=oddly_failing_scorer, executor=processes).fit(X, y)
    search = small_search(scoring=oddly_failing_scorer, executor=processes, error_score="raise")
    with pytest.raises(ValueError, match="^TwoWordError of the scorer: not good$"):
        search.fit(X, y)


# ---- Dask --------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    settings = {"processes": True, "n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    with LocalCluster(**settings) as cluster, Client(cluster) as client:
        yield client


def test_dask_finds_the_same(client: Client) -> None:
    X, y = classification_data()
    search = small_search(MixBoostClassifier, executor=client.get_executor(), scoring="neg_log_loss").fit(X, y)
    assert findings(search) == findings(small_search(MixBoostClassifier, scoring="neg_log_loss").fit(X, y))


def test_dask_takes_a_scorer_that_has_no_name(client: Client) -> None:
    X, y = regression_data()
    scoring = lambda model, X, y: -float(np.abs(model.predict(X) - y).max())  # noqa: E731
    search = small_search(n_configs=4, executor=client.get_executor(), scoring=scoring).fit(X, y)
    assert findings(search) == findings(small_search(n_configs=4, scoring=scoring).fit(X, y))


def test_a_worker_of_dask_is_killed_during_the_search(client: Client, tmp_path: Path) -> None:
    X, y = regression_data()
    journal, killed = tmp_path / "search.mxj", []
    pids = client.run(os.getpid)

    def kill_one() -> None:
        while not journal.exists() or journal.stat().st_size < 4000:  # some results have come
            time.sleep(0.001)
        os.kill(next(iter(pids.values())), signal.SIGKILL)
        killed.append(journal.stat().st_size)

    killer = threading.Thread(target=kill_one, daemon=True)
    killer.start()
    search = small_search(n_configs=64, executor=client.get_executor(), journal=journal).fit(X, y)
    killer.join(timeout=10)
    assert killed and killed[0] < journal.stat().st_size  # it was during the search
    assert findings(search) == findings(small_search(n_configs=64).fit(X, y))
    client.wait_for_workers(2)
    assert set(client.run(os.getpid).values()) != set(pids.values())


# ---- Copies ------------------------------------------------------------------------------------------------------


def test_a_clone_has_the_executor_and_a_pickle_has_none(processes: Executor) -> None:
    search = small_search(n_configs=2, min_resource=1, executor=processes).fit(*regression_data())
    assert clone(search).executor is processes
    for copy in (pickle.loads(pickle.dumps(search)), deepcopy(search)):
        assert copy.executor is None
        assert findings(copy) == findings(search)
    assert search.executor is processes
