"""Callbacks, and what ``verbose`` shows."""

from __future__ import annotations

import math
import re
import sys
from typing import Any

import numpy as np
import pytest
from estimator_cases import ESTIMATORS, data_for, regression_data, scores
from mixboost import MixBoostClassifier, MixBoostRegressor, Progress, _progress
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

METRICS = {"mse": "rmse", "logloss": "logloss"}


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_callbacks_hear_of_every_round(kind: Any) -> None:
    X, y = data_for(kind)
    heard: list[Progress] = []
    model = kind(num_round=8).fit(X, y, callbacks=[heard.append])
    assert [progress.round for progress in heard] == [1, 2, 3, 4, 5, 6, 7, 8]
    assert {progress.n_rounds for progress in heard} == {8}
    (losses,) = model.evals_result_["training"].values()
    assert [progress.train_loss for progress in heard] == losses
    assert all(math.isnan(progress.valid_loss) for progress in heard)
    seconds = [progress.seconds for progress in heard]
    assert seconds == sorted(seconds)
    assert seconds[0] > 0


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_callbacks_see_the_loss_of_the_validation_rows(kind: Any) -> None:
    X, y = data_for(kind)
    heard: list[Progress] = []
    model = kind(num_round=5).fit(X[:100], y[:100], eval_set=(X[100:], y[100:]), callbacks=[heard.append])
    (losses,) = model.evals_result_["validation"].values()
    assert [progress.valid_loss for progress in heard] == losses


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_callbacks_change_nothing(kind: Any) -> None:
    X, y = data_for(kind)
    alone = kind(num_round=8).fit(X, y)
    watched = kind(num_round=8).fit(X, y, callbacks=[lambda progress: None])
    assert scores(alone, X).tolist() == scores(watched, X).tolist()
    assert alone.evals_result_ == watched.evals_result_


@pytest.mark.parametrize("answer", [True, np.True_])
@pytest.mark.parametrize("kind", ESTIMATORS)
def test_a_callback_that_says_true_stops_and_the_rounds_so_far_are_kept(kind: Any, answer: object) -> None:
    X, y = data_for(kind)
    model = kind(num_round=50)
    model.fit(X, y, callbacks=[lambda progress: progress.round == 3 and answer])
    assert model.best_iteration_ == 3
    assert scores(model, X).tolist() == scores(kind(num_round=3).fit(X, y), X).tolist()


@pytest.mark.parametrize("answer", [None, False, np.False_, 0, 1, "stop", [1]])
def test_any_other_answer_lets_the_training_go_on(answer: object) -> None:
    X, y = regression_data()
    assert MixBoostRegressor(num_round=4).fit(X, y, callbacks=[lambda progress: answer]).best_iteration_ == 4


def test_all_callbacks_hear_of_the_round_in_which_one_stops() -> None:
    X, y = regression_data()
    first: list[int] = []
    last: list[int] = []
    callbacks = (
        lambda progress: first.append(progress.round),
        lambda progress: progress.round == 2,
        lambda progress: last.append(progress.round),
    )
    MixBoostRegressor(num_round=10).fit(X, y, callbacks=iter(callbacks))
    assert first == last == [1, 2]


class OwnError(Exception):
    """An exception that nobody else raises."""


@pytest.mark.parametrize("kind", ESTIMATORS)
@pytest.mark.parametrize("error", [OwnError("of my own"), KeyboardInterrupt(), SystemExit(3), StopIteration(4)])
def test_what_a_callback_raises_comes_out_unchanged(kind: Any, error: BaseException) -> None:
    X, y = data_for(kind)

    def complain(progress: Progress) -> None:
        if progress.round == 3:
            raise error

    model = kind(num_round=10).fit(X, y)
    with pytest.raises(type(error)) as raised:
        model.fit(X, y, callbacks=[complain])
    assert raised.value is error
    with pytest.raises(NotFittedError):
        check_is_fitted(model)
    for learned in ("best_iteration_", "evals_result_", "classes_", "n_features_in_"):
        assert not hasattr(model, learned)
    assert model.fit(X, y).best_iteration_ == 10


# ---- num_round="auto" ----


@pytest.mark.parametrize("kind", [MixBoostRegressor, MixBoostClassifier])
def test_callbacks_hear_of_the_training_alone_and_not_of_the_choice_of_its_rounds(kind: Any) -> None:
    X, y = data_for(kind)
    heard: list[Progress] = []
    model = kind().fit(X, y, callbacks=[heard.append])
    n_rounds = model.best_iteration_
    assert [progress.round for progress in heard] == list(range(1, n_rounds + 1))
    assert {progress.n_rounds for progress in heard} == {n_rounds}
    assert scores(kind(num_round=n_rounds).fit(X, y), X).tolist() == scores(model, X).tolist()


def test_verbose_shows_the_choice_of_rounds(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = regression_data()
    MixBoostRegressor(verbose=1).fit(X, y)
    assert "mixboost: choosing num_round: " in capfd.readouterr().err
    without_tqdm(monkeypatch)
    n_rounds = MixBoostRegressor(verbose=1).fit(X, y).best_iteration_
    choosing, *_ = capfd.readouterr().err.splitlines()
    pattern = r"mixboost: choosing num_round: round 1  training \S+  validation \S+  \d+\.\d s"
    assert re.fullmatch(pattern, choosing)
    assert n_rounds > 1


def test_what_is_raised_while_rounds_are_chosen_comes_out_unchanged(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = regression_data()
    error = OwnError("of my own")

    def complain(progress: Progress) -> None:
        raise error

    monkeypatch.setattr(_progress, "_print_lines", lambda: complain)
    without_tqdm(monkeypatch)
    model = MixBoostRegressor(verbose=1)
    with pytest.raises(OwnError) as raised:
        model.fit(X, y)
    assert raised.value is error
    with pytest.raises(NotFittedError):
        check_is_fitted(model)


# ---- verbose ----


def without_tqdm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_a_bar_is_shown_where_tqdm_is_installed(kind: Any, capfd: pytest.CaptureFixture[str]) -> None:
    X, y = data_for(kind)
    model = kind(num_round=20, verbose=1).fit(X, y)
    out, err = capfd.readouterr()
    (loss,) = (losses[-1] for losses in model.evals_result_["training"].values())
    assert out == ""
    assert "mixboost: 100%" in err
    assert "20/20" in err
    assert f"training={loss:.6g}" in err


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_lines_are_shown_where_tqdm_is_not(
    kind: Any, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y = data_for(kind)
    without_tqdm(monkeypatch)
    model = kind(num_round=20, verbose=1).fit(X[:100], y[:100], eval_set=(X[100:], y[100:]))
    out, err = capfd.readouterr()
    assert out == ""
    first, *_, last = err.splitlines()
    (training,) = model.evals_result_["training"].values()
    (validation,) = model.evals_result_["validation"].values()
    assert re.fullmatch(r"mixboost: round 1 of 20  training \S+  validation \S+  \d+\.\d s", first)
    start = f"mixboost: round 20 of 20  training {training[-1]:.6g}  validation {validation[-1]:.6g}  "
    assert last.startswith(start)


def test_lines_come_at_most_once_a_second(capfd: pytest.CaptureFixture[str]) -> None:
    print_line = _progress._print_lines()
    for round, seconds in enumerate([0.1, 0.2, 1.0, 1.15, 2.0, 2.2, 2.3], start=1):
        print_line(Progress(round, 7, 0.5, math.nan, seconds))
    assert [line.split()[2] for line in capfd.readouterr().err.splitlines()] == ["1", "4", "6", "7"]


def test_a_bar_and_callbacks_go_together(capfd: pytest.CaptureFixture[str]) -> None:
    X, y = regression_data()
    heard: list[int] = []
    callbacks = [lambda progress: heard.append(progress.round), lambda progress: progress.round == 4]
    MixBoostRegressor(num_round=10, verbose=1).fit(X, y, callbacks=callbacks)
    assert heard == [1, 2, 3, 4]
    assert "4/10" in capfd.readouterr().err


def test_without_watchers_several_rounds_run_at_once_but_not_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[int] = []

    class SlowTrainer:
        """Takes a hundredth of a second a round."""

        n_rounds = 0

        @property
        def is_done(self) -> bool:
            return self.n_rounds == 60

        def run(self, until_round: int) -> None:
            calls.append(until_round - self.n_rounds)
            self.n_rounds = min(until_round, 60)
            clock.now += 0.01 * calls[-1]

        def model(self) -> str:
            return "model"

    class Clock:
        now = 0.0

        def perf_counter(self) -> float:
            return self.now

    clock = Clock()
    monkeypatch.setattr(_progress, "time", clock)
    assert _progress.run_rounds(SlowTrainer(), 60, None, 0) == "model"  # type: ignore[arg-type, comparison-overlap]
    assert calls[0] == 1
    assert 1 < max(calls) <= 5  # of 0.01 seconds each
