"""How a search ends before its time: journals, Ctrl-C, kills, time limits, failures."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sklearn
from estimator_cases import model_bytes, regression_data
from mixboost import MixBoostRegressor, MixBoostSearchCV, _native, _trials
from mixboost._native import TrialResult
from mixboost._trials import Outcome
from search_cases import SPACE, findings, small_search
from sklearn.exceptions import FitFailedWarning, NotFittedError
from sklearn.metrics import get_scorer, make_scorer, mean_pinball_loss, mean_squared_error
from test_ctrl_c import ctrl_c_after

LONG = 1_000_000  # rounds, far more than any of these tests waits for


def long_search(**settings: Any) -> MixBoostSearchCV:
    """Trials without an end."""
    estimator = MixBoostRegressor(num_round=LONG, early_stopping_rounds=0)
    return MixBoostSearchCV(estimator, SPACE, **{"n_configs": 4, "min_resource": 1, **settings})


def larger_search(**settings: Any) -> MixBoostSearchCV:
    """240 trials, of some milliseconds each."""
    return small_search(n_configs=64, **settings).set_params(estimator__num_round=150)


@contextmanager
def ctrl_c_after_results(journal: Path) -> Iterator[None]:
    """Sends this process what Ctrl-C sends when some results have come to the journal, but not nearly all."""

    def send() -> None:
        while not journal.exists() or journal.stat().st_size < 4000:
            time.sleep(0.001)
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=send)
    thread.start()
    try:
        yield
    finally:
        thread.join()


# ---- Journals ----------------------------------------------------------------------------------------------------


def test_a_journal_changes_nothing_and_holds_everything(tmp_path: Path) -> None:
    X, y = regression_data()
    plain = findings(small_search().fit(X, y))
    journal = tmp_path / "search.mxj"
    assert findings(small_search(journal=journal).fit(X, y)) == plain
    before = journal.read_bytes()
    again = small_search(journal=str(journal), resume=True).fit(X, y)
    assert findings(again) == plain
    assert journal.read_bytes() == before
    with pytest.raises(OSError, match=re.escape(str(journal))):
        small_search(journal=journal).fit(X, y)
    assert journal.read_bytes() == before


def test_with_a_journal_no_trial_is_run_twice(tmp_path: Path) -> None:
    X, y = regression_data()
    n_calls = 0

    def scorer(estimator: Any, X: Any, y: Any) -> float:
        nonlocal n_calls
        n_calls += 1
        if n_calls in (21, 42):  # of 60
            raise KeyboardInterrupt
        return -mean_squared_error(y, estimator.predict(X))

    search = small_search(scoring=scorer, journal=tmp_path / "search.mxj", n_jobs=1)
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            search.fit(X, y)
        search.set_params(resume=True)
    search.fit(X, y)
    assert n_calls == 62
    assert findings(search) == findings(small_search(scoring="neg_mean_squared_error").fit(X, y))


@pytest.mark.parametrize(
    ("settings", "data"),
    [
        ({"eta": 2}, 0),
        ({"random_state": 1}, 0),
        ({"cv": 2}, 0),
        ({"scoring": "r2"}, 0),
        ({"space": {"gamma": (0.1, 1, "log10")}}, 0),
        ({}, 1),
    ],
    ids=str,
)
def test_a_journal_of_another_search_is_refused(tmp_path: Path, settings: Any, data: int) -> None:
    X, y = regression_data()
    journal = tmp_path / "search.mxj"
    small_search(journal=journal).fit(X, y)
    before = journal.read_bytes()
    X, y = regression_data(seed=data)
    with pytest.raises(ValueError, match="search.mxj"):
        small_search(**{"journal": journal, "resume": True, **settings}).fit(X, y)
    assert journal.read_bytes() == before


def test_scorers_of_long_names_are_told_apart(tmp_path: Path) -> None:
    X, y = regression_data()

    def search(alpha: float) -> MixBoostSearchCV:
        scoring = make_scorer(mean_pinball_loss, greater_is_better=False, alpha=alpha)
        return small_search(n_configs=4, scoring=scoring, journal=tmp_path / "search.mxj", resume=True)

    first = search(0.1).fit(X, y)
    assert findings(search(0.1).fit(X, y)) == findings(first)
    with pytest.raises(ValueError, match="is of another search"):
        search(0.9).fit(X, y)


def test_weights_of_a_scorer_are_told_apart(tmp_path: Path) -> None:
    X, y = regression_data()
    weight = np.linspace(0.1, 2, 200)
    with sklearn.config_context(enable_metadata_routing=True):
        scoring = get_scorer("r2").set_score_request(sample_weight=True)
        search = small_search(n_configs=4, scoring=scoring, journal=tmp_path / "search.mxj", resume=True)
        search.estimator.set_fit_request(sample_weight=False)
        first = findings(search.fit(X, y, sample_weight=weight))
        assert findings(search.fit(X, y, sample_weight=weight.tolist())) == first
        with pytest.raises(ValueError, match="is of another search"):
            search.fit(X, y, sample_weight=weight[::-1])


def test_a_damaged_end_is_cut_off_with_a_warning(tmp_path: Path) -> None:
    X, y = regression_data()
    journal = tmp_path / "search.mxj"
    search = small_search(journal=journal).fit(X, y)
    journal.write_bytes(journal.read_bytes()[:-7])
    with pytest.warns(RuntimeWarning, match="search.mxj"):
        again = small_search(journal=journal, resume=True).fit(X, y)
    assert findings(again) == findings(search)


def test_a_journal_is_let_go_after_the_search_and_after_a_failure(tmp_path: Path) -> None:
    X, y = regression_data()
    denominator = 0

    def scorer(*_: Any) -> float:
        return 1 / denominator

    search = small_search(journal=tmp_path / "search.mxj", scoring=scorer, error_score="raise")
    with pytest.raises(ZeroDivisionError) as kept:  # its traceback holds all that the search had
        search.fit(X, y)
    denominator = 1
    search.set_params(resume=True).fit(X, y)
    assert kept.value is not None


# ---- Ctrl-C ------------------------------------------------------------------------------------------------------


def has_trials(_call: int) -> bool:
    return callable(_trials.evaluate_in_worker)


@pytest.fixture(scope="module")
def processes() -> Any:
    with ProcessPoolExecutor(2) as executor:
        list(executor.map(has_trials, range(8)))  # importing them may take a while
        yield executor


def test_ctrl_c_ends_a_search_that_has_no_end() -> None:
    X, y = regression_data()
    for settings in ({}, {"scoring": "r2"}, {"verbose": 1}):
        search = long_search(**settings)
        with ctrl_c_after(0.3), pytest.raises(KeyboardInterrupt):
            search.fit(X, y)
        with pytest.raises(NotFittedError):
            search.predict(X)
        assert not hasattr(search, "cv_results_")


@pytest.mark.parametrize("scoring", [None, "r2"], ids=["library", "threads"])
def test_ctrl_c_while_a_thread_starts(scoring: Any, tmp_path: Path) -> None:
    """Then Python's pool forgets the thread. It must end by itself, and not use what is freed."""
    shutil.copy(Path(__file__).with_name("search_cases.py"), tmp_path)
    shutil.copy(Path(__file__).with_name("estimator_cases.py"), tmp_path)
    code = f"""
import threading, time
from estimator_cases import regression_data
from search_cases import small_search
start = threading.Thread.start
def start_and_hear_ctrl_c(thread):
    start(thread)
    time.sleep(0.2)
    raise KeyboardInterrupt
search = small_search(scoring={scoring!r}).set_params(estimator__num_round={LONG}, estimator__early_stopping_rounds=0)
threading.Thread.start = start_and_hear_ctrl_c
try:
    search.fit(*regression_data())
except KeyboardInterrupt:
    print("heard")
"""
    ended = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, timeout=60, capture_output=True, text=True)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "heard\n", "")


def test_ctrl_c_ends_the_training_on_all_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = regression_data()
    estimator = MixBoostRegressor(num_round=LONG, early_stopping_rounds=0)
    search = MixBoostSearchCV(estimator, SPACE, n_configs=1, min_resource=1, scoring="r2", cv=2)
    monkeypatch.setattr(_trials.Study, "evaluate", lambda *_: Outcome(TrialResult(_native.OK, 1.0, LONG, 0.0, "")))
    with ctrl_c_after(0.5), pytest.raises(KeyboardInterrupt):
        search.fit(X, y)
    assert not hasattr(search, "best_params_")


@pytest.mark.parametrize("kind", ["library", "threads", "processes"])
def test_after_ctrl_c_the_journal_goes_on(kind: str, tmp_path: Path, processes: Executor) -> None:
    X, y = regression_data()
    settings: dict[str, Any] = {"threads": {"scoring": "r2"}, "processes": {"executor": processes}}.get(kind, {})
    journal = tmp_path / "search.mxj"
    search = larger_search(journal=journal, **settings)
    with ctrl_c_after_results(journal), pytest.raises(KeyboardInterrupt):
        search.fit(X, y)
    begun = journal.stat().st_size
    search.set_params(resume=True).fit(X, y)
    assert begun < journal.stat().st_size
    assert findings(search) == findings(larger_search(**settings).fit(X, y))


def test_a_process_is_killed_and_the_journal_goes_on(tmp_path: Path) -> None:
    shutil.copy(Path(__file__).with_name("search_cases.py"), tmp_path)
    shutil.copy(Path(__file__).with_name("estimator_cases.py"), tmp_path)
    code = """
from estimator_cases import regression_data
from search_cases import small_search
small_search(n_configs=64, journal="search.mxj").set_params(estimator__num_round=150).fit(*regression_data())
"""
    journal = tmp_path / "search.mxj"
    with subprocess.Popen([sys.executable, "-c", code], cwd=tmp_path) as process:
        while process.poll() is None and (not journal.exists() or journal.stat().st_size < 4000):
            time.sleep(0.005)
        process.kill()
    assert process.returncode == -signal.SIGKILL
    begun = journal.stat().st_size
    search = larger_search(journal=journal, resume=True).fit(*regression_data())
    assert begun < journal.stat().st_size
    assert findings(search) == findings(larger_search().fit(*regression_data()))


# ---- Time limits -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["library", "threads", "processes"])
def test_a_time_limit_ends_with_the_best_so_far(kind: str, tmp_path: Path, processes: Executor) -> None:
    X, y = regression_data()
    settings: dict[str, Any] = {"threads": {"scoring": "r2"}, "processes": {"executor": processes}}.get(kind, {})
    settings |= {
        "n_configs": 1000,
        "min_resource": 1,
        "time_limit": 1.0,
        "journal": tmp_path / "search.mxj",
        "n_jobs": 2,
    }
    search = small_search(**settings).set_params(estimator__num_round=300, estimator__early_stopping_rounds=0)
    n_done = []
    for _ in range(2):  # the second goes on
        results = search.fit(X, y).cv_results_
        n_done.append(len(results["iter"]))
        assert search.best_score_ == results["mean_test_score"].max()
        assert search.predict(X).shape == (200,)
        search.set_params(resume=True)
    assert 1 <= n_done[0] < n_done[1] < 1000


@pytest.mark.parametrize("settings", [{}, {"scoring": "r2"}], ids=["library", "threads"])
def test_a_time_limit_before_anything_is_done_is_an_error(settings: Any) -> None:
    sentence = "^time_limit ended the search before any configuration was done on all folds$"
    with pytest.raises(RuntimeError, match=sentence):
        long_search(time_limit=0.2, **settings).fit(*regression_data())


# ---- Failures ----------------------------------------------------------------------------------------------------


def fails_for_deep_trees(estimator: Any, X: Any, y: Any) -> float:
    if estimator.options_["max_max_depth"] > 4:
        raise LookupError("a deep tree")
    return -mean_squared_error(y, estimator.predict(X))


@pytest.mark.parametrize("error_score", [np.nan, -1e9])
def test_a_trial_that_fails_is_the_last_of_its_stage(error_score: float) -> None:
    X, y = regression_data()
    with pytest.warns(FitFailedWarning, match=r"^\d+ trials failed and are the last of their stages; the first: "):
        search = small_search(scoring=fails_for_deep_trees, error_score=error_score).fit(X, y)
    results = search.cv_results_
    failed = results["param_max_max_depth"].data > 4
    assert 0 < failed[:16].sum() < 16
    np.testing.assert_array_equal(results["mean_test_score"][failed], error_score)
    np.testing.assert_array_equal(results["split1_test_score"][failed], error_score)
    assert not failed[16:].any()
    assert results["rank_test_score"][failed].min() > results["rank_test_score"][~failed].max()


@pytest.mark.parametrize("kind", ["library", "threads", "processes"])
def test_the_first_failure_ends_a_search_that_is_to_raise_it(kind: str, tmp_path: Path, processes: Executor) -> None:
    settings: dict[str, Any] = {"threads": {"scoring": "r2"}, "processes": {"executor": processes}}.get(kind, {})
    space = {**SPACE, "depth_probabilities": ["0.5,0.5"]}  # most configurations have more than two depths, or fewer
    journal = tmp_path / "search.mxj"
    search = small_search(space=space, journal=journal, error_score="raise", **settings)
    with pytest.raises(ValueError, match="^depth_probabilities has 2 numbers; min_max_depth . to max_max_depth . are"):
        search.fit(*regression_data())
    begun = journal.stat().st_size
    with pytest.warns(FitFailedWarning):
        search.set_params(resume=True, error_score=np.nan).fit(*regression_data())
    assert begun < journal.stat().st_size / 2


def test_a_failure_in_a_journal_is_raised_at_once(tmp_path: Path) -> None:
    journal = tmp_path / "search.mxj"
    search = small_search(scoring=fails_for_deep_trees, journal=journal)
    with pytest.warns(FitFailedWarning):
        search.fit(*regression_data())
    half = journal.stat().st_size // 2
    os.truncate(journal, half)
    search.set_params(resume=True, error_score="raise")
    with (
        pytest.warns(RuntimeWarning, match="search.mxj"),
        pytest.raises(ValueError, match="^LookupError of the scorer: a deep tree$"),
    ):
        search.fit(*regression_data())
    assert journal.stat().st_size <= half  # nothing more was run


def test_the_first_reason_is_told_where_all_fail() -> None:
    def fails(*_: Any) -> float:
        raise LookupError("nothing is good enough")

    sentence = "^all configurations failed; the first: LookupError of the scorer: nothing is good enough$"
    with pytest.raises(ValueError, match=sentence):
        small_search(scoring=fails).fit(*regression_data())
    with pytest.raises(LookupError, match="^nothing is good enough$"):
        small_search(scoring=fails, error_score="raise").fit(*regression_data())


@pytest.mark.parametrize("score", [np.nan, np.inf, -np.inf])
def test_a_score_that_is_no_number_is_a_failure(score: float) -> None:
    with pytest.raises(ValueError, match=f"ValueError of the scorer: the score is {score}"):
        small_search(scoring=lambda *_: score).fit(*regression_data())


@pytest.mark.parametrize("scoring", ["roc_auc", "neg_log_loss", "accuracy", "f1", "average_precision"])
def test_a_metric_for_another_kind_of_estimator_is_a_failure(scoring: str) -> None:
    with pytest.raises(ValueError, match=r"^all configurations failed; the first: \w+Error of the scorer: \w"):
        small_search(scoring=scoring).fit(*regression_data())


def test_long_reasons_are_cut() -> None:
    def fails(*_: Any) -> float:
        raise LookupError("ä\0" * 500)

    with pytest.raises(ValueError, match="^all configurations failed; the first: LookupError of the scorer: (ä )+ä?$"):
        small_search(scoring=fails).fit(*regression_data())


# ---- Progress ----------------------------------------------------------------------------------------------------


def test_progress_is_shown(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = regression_data()
    quiet = small_search().fit(X, y)
    assert capsys.readouterr().err == ""
    for settings in ({}, {"scoring": "neg_root_mean_squared_error"}):
        small_search(verbose=1, **settings).fit(X, y)
        shown = capsys.readouterr().err
        assert "60/60" in shown
        assert f"best score={quiet.best_score_:.6g}" in shown
    monkeypatch.setitem(sys.modules, "tqdm", None)
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    loud = small_search(verbose=1).fit(X, y)
    lines = capsys.readouterr().err.splitlines()
    wanted = rf"mixboost: 60 of 60 trials  stage 2 of 2  best score {re.escape(f'{quiet.best_score_:.6g}')}  \d+\.\d s"
    assert re.fullmatch(wanted, lines[-1])
    assert model_bytes(loud.best_estimator_) == model_bytes(quiet.best_estimator_)
