"""Processes that are forked or spawned and threads that run at once: no hang, and the same bits as alone."""

from __future__ import annotations

import faulthandler
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import joblib
import numpy as np
import pytest
from estimator_cases import Array, data_for, model_bytes, regression_data, scores
from mixboost import MixBoostClassifier, MixBoostRegressor

KINDS = [MixBoostRegressor, MixBoostClassifier]
REPEATS = 200
HANGS_AFTER = 60.0  # seconds; a repeat takes a few hundredths

pytestmark = pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")


@pytest.fixture(autouse=True)
def watchdog() -> Iterator[None]:
    """Ends a run that hangs, with a traceback of every thread."""
    faulthandler.dump_traceback_later(3 * HANGS_AFTER, exit=True, file=sys.__stderr__)
    yield
    faulthandler.cancel_dump_traceback_later()


def enough_data(kind: Any) -> tuple[Array, Any]:
    """Rows for which the library shares its work among threads."""
    X, y = data_for(kind)
    return np.tile(X, (20, 1)), np.tile(y, 20)


def model_of(kind: Any, seed: int = 0) -> Any:
    return kind(num_round=3, tree_probability=0.5, n_components=20, n_threads=3, random_state=seed)


def answer(work: Callable[[], bool]) -> None:
    faulthandler.register(signal.SIGUSR1, file=sys.__stderr__)  # asked to, shows where all threads are
    sys.exit(0 if work() else 3)


def assert_true_in_forked_child(work: Callable[[], bool]) -> None:
    child = multiprocessing.get_context("fork").Process(target=answer, args=(work,))
    child.start()
    child.join(HANGS_AFTER)
    if child.is_alive():
        assert child.pid
        os.kill(child.pid, signal.SIGUSR1)
        child.join(1)
        child.kill()
        pytest.fail("a forked child hangs; the captured output says where")
    assert child.exitcode == 0


# ---- Processes ----


@pytest.mark.parametrize("kind", KINDS)
def test_forked_children_train_and_predict_after_the_parent_did(kind: Any) -> None:
    X, y = enough_data(kind)
    model = model_of(kind).fit(X, y)
    expected, expected_bytes = scores(model, X).tobytes(), model_bytes(model)

    def child() -> bool:
        same_model = model_bytes(model_of(kind).fit(X, y)) == expected_bytes
        return same_model and scores(model, X).tobytes() == expected

    for repeat in range(REPEATS):
        if repeat % 2:
            scores(model, X)
        else:
            model_of(kind).fit(X, y)
        assert_true_in_forked_child(child)


def test_children_may_be_forked_while_other_threads_train() -> None:
    X, y = enough_data(MixBoostRegressor)
    model = model_of(MixBoostRegressor).fit(X, y)
    expected = model.predict(X).tobytes()
    done = threading.Event()

    def keep_training() -> None:
        while not done.is_set():
            model_of(MixBoostRegressor).fit(X, y)

    threads = [threading.Thread(target=keep_training) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(30):
            assert_true_in_forked_child(lambda: model.predict(X).tobytes() == expected)
    finally:
        done.set()
        for thread in threads:
            thread.join()


def train_and_predict(kind: Any, X: Array, y: Any, seed: int) -> bytes:
    """For processes that import this module anew, or have it sent."""
    return scores(model_of(kind, seed).fit(X, y), X).tobytes()


def predict(model: Any, X: Array) -> bytes:
    return scores(model, X).tobytes()


@pytest.mark.parametrize("start_method", ["fork", "spawn"])
def test_pools_of_processes(start_method: str) -> None:
    X, y = enough_data(MixBoostClassifier)
    model = model_of(MixBoostClassifier).fit(X, y)
    with multiprocessing.get_context(start_method).Pool(2) as pool:
        trained = pool.starmap_async(train_and_predict, [(MixBoostClassifier, X, y, seed % 3) for seed in range(20)])
        predicted = pool.starmap_async(predict, [(model, X)] * 20)
        seeds = [train_and_predict(MixBoostClassifier, X, y, seed) for seed in range(3)]
        assert trained.get(HANGS_AFTER) == [seeds[seed % 3] for seed in range(20)]
        assert predicted.get(HANGS_AFTER) == [predict(model, X)] * 20


@pytest.mark.parametrize("backend", ["loky", "threading"])
@pytest.mark.parametrize("kind", KINDS)
def test_joblib(kind: Any, backend: str) -> None:
    X, y = enough_data(kind)
    model = model_of(kind).fit(X, y)
    expected, expected_trained = predict(model, X), train_and_predict(kind, X, y, 1)
    # Arrays over 10 kB reach the workers of loky as read-only maps of files.
    parallel = joblib.Parallel(n_jobs=2, backend=backend, max_nbytes=10_000, timeout=HANGS_AFTER)
    predicted = parallel(joblib.delayed(predict)(model, X) for _ in range(REPEATS))
    assert predicted == [expected] * REPEATS
    trained = parallel(joblib.delayed(train_and_predict)(kind, X, y, 1) for _ in range(REPEATS))
    assert trained == [expected_trained] * REPEATS


# ---- Threads ----


def at_once(work: Callable[[int], object], n_threads: int = 8) -> list[Any]:
    """The results of threads that begin together."""
    barrier = threading.Barrier(n_threads)

    def begin(index: int) -> object:
        barrier.wait()
        return work(index)

    with ThreadPoolExecutor(n_threads) as pool:
        return list(pool.map(begin, range(n_threads)))


@pytest.mark.parametrize("kind", KINDS)
def test_threads_predict_with_one_model_at_once(kind: Any) -> None:
    X, y = enough_data(kind)
    model = model_of(kind).fit(X, y)
    expected = scores(model, X).tobytes()
    alone = [scores(model, X[i : i + 1]).tobytes() for i in range(50)]
    stages = [stage.tobytes() for stage in model.staged_predict(X)]

    def work(index: int) -> bool:
        same = scores(model, X).tobytes() == expected
        same &= [scores(model, X[i : i + 1]).tobytes() for i in range(50)] == alone
        same &= scores(model, X[:20]).tobytes() == b"".join(alone[:20])
        return same and [stage.tobytes() for stage in model.staged_predict(X)] == stages

    assert at_once(work) == [True] * 8


@pytest.fixture
def hasty_switches() -> Iterator[None]:
    """Threads take turns as often as Python lets them."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("hasty_switches")
@pytest.mark.parametrize("kind", KINDS)
def test_threads_share_a_predictor(kind: Any) -> None:
    X, y = data_for(kind)
    predict = model_of(kind).fit(X, y).predictor()
    expected = predict(X).tolist()

    def work(index: int) -> bool:
        """Each thread begins at another row, so that no two are at the same one."""
        order = np.roll(np.arange(len(X)), 17 * index)
        same = True
        for _ in range(20):
            same &= [predict(X[i]) for i in order] == [expected[i] for i in order]
            same &= [predict(X[i].tolist()) for i in order] == [expected[i] for i in order]
            same &= [predict(X[i : i + 5]).tolist() for i in order] == [expected[i : i + 5] for i in order]
        return same

    assert at_once(work) == [True] * 8


@pytest.mark.parametrize("kind", KINDS)
def test_threads_train_at_once(kind: Any) -> None:
    X, y = enough_data(kind)
    alone = [model_bytes(model_of(kind, seed).fit(X, y)) for seed in range(4)]
    assert len(set(alone)) == 4
    assert at_once(lambda seed: model_bytes(model_of(kind, seed).fit(X, y)), 4) == alone


def test_threads_hear_of_their_own_callbacks_errors() -> None:
    X, y = regression_data()

    def work(index: int) -> str:
        def complain(progress: Any) -> None:
            if progress.round == 1 + index % 3:
                raise RuntimeError(f"thread {index}")

        with pytest.raises(RuntimeError) as raised:
            MixBoostRegressor(num_round=5).fit(X, y, callbacks=[complain])
        return str(raised.value)

    assert at_once(work) == [f"thread {index}" for index in range(8)]
