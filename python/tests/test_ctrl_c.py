"""Ctrl-C ends a training soon and leaves an estimator that is not fitted; other threads run on meanwhile."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from estimator_cases import data_for
from mixboost import MixBoostClassifier, MixBoostRegressor
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

KINDS = [MixBoostRegressor, MixBoostClassifier]
LONG = 1_000_000  # rounds, far more than any of these tests waits for


@contextmanager
def ctrl_c_after(seconds: float) -> Iterator[list[float]]:
    """Sends this process what Ctrl-C sends; notes when it did."""
    sent: list[float] = []

    def send() -> None:
        sent.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(seconds, send)
    timer.start()
    try:
        yield sent
    finally:
        timer.cancel()
        timer.join()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("callbacks", [None, [lambda progress: None]], ids=["alone", "watched"])
def test_ctrl_c_ends_a_training_soon(kind: Any, callbacks: Any) -> None:
    X, y = data_for(kind)
    model = kind(num_round=LONG)
    with ctrl_c_after(0.3) as sent, pytest.raises(KeyboardInterrupt):
        model.fit(X, y, callbacks=callbacks)
    assert time.perf_counter() - sent[0] < 1.0  # rounds here take less than a millisecond, calls of the library 0.05 s
    with pytest.raises(NotFittedError):
        check_is_fitted(model)
    assert not hasattr(model, "n_features_in_")
    assert model.set_params(num_round=3).fit(X, y).best_iteration_ == 3


@pytest.mark.parametrize("kind", KINDS)
def test_a_fitted_estimator_is_not_fitted_after_an_interrupted_fit(kind: Any) -> None:
    X, y = data_for(kind)
    model = kind(num_round=3).fit(X, y)
    with ctrl_c_after(0.2), pytest.raises(KeyboardInterrupt):
        model.set_params(num_round=LONG).fit(X, y)
    for method in ("predict", "staged_predict", "score"):
        with pytest.raises(NotFittedError):
            getattr(model, method)(*((X, y) if method == "score" else (X,)))


def test_ctrl_c_waits_for_a_round_at_most() -> None:
    random = np.random.default_rng(0)
    X = random.normal(size=(20_000, 40))
    model = MixBoostRegressor(num_round=LONG, min_max_depth=8, n_threads=1, tree_probability=1.0)
    times: list[float] = []
    with ctrl_c_after(1.0) as sent, pytest.raises(KeyboardInterrupt):
        model.fit(X, random.normal(size=len(X)), callbacks=[lambda progress: times.append(progress.seconds)])
    waited = time.perf_counter() - sent[0]
    assert waited < 3 * max(np.diff(times)) + 0.2


@pytest.mark.parametrize("verbose", [0, 1])
def test_ctrl_c_while_the_number_of_rounds_is_chosen(verbose: int) -> None:
    random = np.random.default_rng(0)
    X = random.normal(size=(5_000, 20))
    y = X[:, 0] + random.normal(size=len(X))
    heard: list[Any] = []
    model = MixBoostRegressor(early_stopping_rounds=0, verbose=verbose)  # 2000 rounds of each part
    with ctrl_c_after(0.5) as sent, pytest.raises(KeyboardInterrupt):
        model.fit(X, y, callbacks=[heard.append])
    assert time.perf_counter() - sent[0] < 1.0  # ten rounds of each part
    assert heard == []
    with pytest.raises(NotFittedError):
        check_is_fitted(model)
    assert model.set_params(num_round=3).fit(X, y).best_iteration_ == 3


def test_a_program_that_is_interrupted_goes_on_as_it_wishes() -> None:
    code = """
    import signal
    import numpy as np
    from mixboost import MixBoostRegressor
    signal.signal(signal.SIGINT, signal.default_int_handler)
    X = np.random.default_rng(0).normal(size=(500, 3))
    model = MixBoostRegressor(num_round=1_000_000)
    print("ready", flush=True)
    try:
        model.fit(X, X[:, 0])
    except KeyboardInterrupt:
        print("interrupted", flush=True)
    print(model.set_params(num_round=5).fit(X, X[:, 0]).best_iteration_)
    """
    command = [sys.executable, "-c", textwrap.dedent(code)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert (out, err, process.returncode) == ("interrupted\n5\n", "", 0)


def ticks_during(work: Callable[[], object]) -> int:
    """How often another thread of Python, which wants to run every millisecond, runs meanwhile."""
    n_ticks = 0
    done = threading.Event()

    def tick() -> None:
        nonlocal n_ticks
        while not done.wait(0.001):
            n_ticks += 1

    ticker = threading.Thread(target=tick)
    ticker.start()
    try:
        work()
    finally:
        done.set()
        ticker.join()
    return n_ticks


def test_other_threads_run_during_fit_and_predict() -> None:
    random = np.random.default_rng(0)
    X = random.normal(size=(100_000, 30))
    model = MixBoostRegressor(num_round=1, min_max_depth=8, tree_probability=1.0, use_histograms=False, n_threads=1)
    assert ticks_during(lambda: model.fit(X, X[:, 0])) > 30  # were the lock held, one for each call of the library
    model = MixBoostRegressor(num_round=5, tree_probability=0.0, n_components=1000, n_threads=1)
    model.fit(X[:1000], X[:1000, 0])
    assert ticks_during(lambda: model.predict(X)) > 30
