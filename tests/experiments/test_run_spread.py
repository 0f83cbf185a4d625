"""The page on other shuffles, on a made-up table and with a stand-in for the package."""

import json
import sys
import types

import numpy as np
import pytest

MADE = []


class Constant:
    """Its probability is the option that it was given."""

    def __init__(self, probability, random_state, n_threads):
        self.probability = probability
        MADE.append((probability, random_state))

    def fit(self, X, y, sample_weight):
        assert len(X) == len(y) == len(sample_weight) == 200
        return self

    def predict_proba(self, X):
        return np.full((len(X), 2), [1 - self.probability, self.probability])


@pytest.fixture
def spread(module, monkeypatch, tmp_path):
    monkeypatch.setitem(
        sys.modules, "mixboost", types.SimpleNamespace(MixBoostClassifier=Constant, MixBoostRegressor=0)
    )
    spread, problems = module("run_spread"), module("problems")
    monkeypatch.setattr(spread, "RESULTS", tmp_path)
    y = np.repeat([0.0, 1.0], 150)
    problem = problems.Problem("pol", problems.Table(np.zeros((300, 2)), y, True), [])
    monkeypatch.setattr(problems, "load", lambda _experiment, _name: problem)
    MADE.clear()
    return spread


def write(folder, *folds, scale="full", a_set="pol", contestant="ours (paper space)"):
    key = {"experiment": "openml", "scale": scale, "set": a_set, "contestant": contestant, "seed": 0}
    lines = [json.dumps({**key, "fold": k, "loss": 1.0, "options": {"probability": 0.5 + k / 10}}) for k in folds]
    with open(folder / "openml.jsonl", "a") as file:
        file.write("\n".join(lines) + "\n")


def test_each_fold_has_its_options_in_every_shuffle(spread, tmp_path):
    write(tmp_path, 2, 0, 1)
    text = spread.page()
    assert [(p, seed) for seed in range(1, 21) for p in (0.5, 0.6, 0.7)] == MADE
    (row,) = (line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| pol"))
    by_hand = float(np.mean([-(np.log(p) + np.log(1 - p)) / 2 for p in (0.5, 0.6, 0.7)]))
    assert row == ["pol", "0.03451", f"{by_hand:.4g}", row[3], f"{by_hand:.4g}", f"{by_hand:.4g}", "0 of 20"]
    assert float(row[3]) < 1e-12 and "## ours (paper space)" in text and "default" not in text


def test_a_set_that_is_not_done_at_full_scale_is_left_out(spread, tmp_path):
    write(tmp_path, 0, 1)
    write(tmp_path, 0, 1, 2, scale="small", a_set="letter")
    write(tmp_path, 0, 1, 2, contestant="XGBoost")
    assert "|" not in spread.page() and not MADE
