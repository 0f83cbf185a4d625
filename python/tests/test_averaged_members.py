"""Estimators of several members: everything they answer is about the mean."""

import json
import pickle
import subprocess
from pathlib import Path

import numpy as np
import pytest
from mixboost import MixBoostClassifier, MixBoostRegressor, plot
from numpy.typing import NDArray
from sklearn.datasets import make_friedman1

X, Y = make_friedman1(300, noise=1.0, random_state=0)


def make(n_members: int = 3, n_threads: int = 0) -> MixBoostRegressor:
    return MixBoostRegressor(
        num_round=25, learning_rate=0.1, n_members=n_members, tree_probability=0.7, subsample=0.8, n_threads=n_threads
    )


@pytest.fixture(scope="module")
def model() -> MixBoostRegressor:
    return make().fit(X, Y)


def test_the_mean_is_nearer_to_the_truth_than_members_are_on_average() -> None:
    def error(n_members: int, seed: int) -> float:
        model = make(n_members).set_params(random_state=seed)
        predicted: NDArray[np.float64] = model.fit(X[:200], Y[:200]).predict(X[200:])
        return float(np.mean((predicted - Y[200:]) ** 2))

    assert error(8, 0) < np.mean([error(1, seed) for seed in range(8)])


def test_stages_end_in_the_prediction(model: MixBoostRegressor) -> None:
    stages = list(model.staged_predict(X))
    assert len(stages) == model.best_iteration_ == 25
    assert np.array_equal(stages[-1], model.predict(X))
    losses = model.evals_result_["training"]["rmse"]
    assert [np.sqrt(np.mean((stage - Y) ** 2)) for stage in stages] == pytest.approx(losses)


def test_one_row_and_copies_predict_the_same(model: MixBoostRegressor) -> None:
    predict_row = model.predictor()
    assert [predict_row(row) for row in X[:20]] == model.predict(X[:20]).tolist()
    assert np.array_equal(pickle.loads(pickle.dumps(model)).predict(X), model.predict(X))


def test_threads_change_nothing(model: MixBoostRegressor) -> None:
    for n_threads in (1, 3, 7):
        again = make(n_threads=n_threads).fit(X, Y)
        assert np.array_equal(again.predict(X), model.predict(X))


def test_importances_are_means() -> None:
    """Of gains, so that they are near those of one member, and sum to 1 as theirs do."""
    many, one = (make(n).fit(X, Y).feature_importances_ for n in (4, 1))
    assert many.sum() == pytest.approx(1)
    assert np.abs(many - one).max() < 0.1


def test_early_stopping_judges_the_mean() -> None:
    model = MixBoostClassifier(n_members=3, num_round=500, learning_rate=0.5, validation_fraction=0.3)
    model.fit(X, np.greater(Y, 14))
    losses = model.evals_result_["validation"]["logloss"]
    assert model.best_iteration_ == int(np.argmin(losses)) + 1
    assert len(losses) == model.best_iteration_ + 50


def test_the_ensemble_is_drawn_with_a_mark_for_each_member(model: MixBoostRegressor) -> None:
    ax = plot.ensemble(model)
    places = np.concatenate([np.reshape(points.get_offsets(), (-1, 2))[:, 0] for points in ax.collections])
    assert len(places) == 75
    assert np.array_equal(np.sort(np.rint(places)), np.repeat(np.arange(1, 26), 3))


def test_members_share_what_a_round_took_off_by_their_gains(
    model: MixBoostRegressor, program: Path, tmp_path: Path
) -> None:
    """The gains are those that the program shows."""
    model.save(tmp_path / "model.mxb")
    rounds = json.loads(subprocess.check_output([program, "show", tmp_path / "model.mxb", "--json"]))["rounds"]
    curve = model._model.curve(valid=False)
    shares: dict[str, float] = {}
    for i in range(25):
        members = rounds[3 * i : 3 * i + 3]
        gained = sum(term["gain"] for term in members)
        for term in members:
            part = term["gain"] / gained * (curve[i] - curve[i + 1]) / (curve[0] - curve[25])
            shares[term["learner"]] = shares.get(term["learner"], 0.0) + part
    assert model.learner_shares_ == pytest.approx(shares)
    assert sum(shares.values()) == pytest.approx(1)
