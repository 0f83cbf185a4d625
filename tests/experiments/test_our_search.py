"""What our tuner is told; the tuner itself is not here."""

import sys
import types

import numpy as np
import pytest


@pytest.fixture
def seen(monkeypatch):
    """Everything that a stand-in for the package was told."""
    found = {}

    class Estimator:
        def __init__(self, **options):
            self.options = options

        def fit(self, X, y, sample_weight):
            found.update(fitted=self.options, n_fitted=len(y), fit_weights=sample_weight)
            return self

        def predict(self, X):
            return X[:, 0]

        def predict_proba(self, X):
            return np.column_stack([1 - X[:, 0], X[:, 0]])

    class Search:
        def __init__(self, estimator, space, **settings):
            found.update(estimator=estimator, space=space, settings=settings)

        def fit(self, X, y, sample_weight):
            found.update(n_rows=len(y), weights=sample_weight)
            if found.get("is_interrupted"):
                raise RuntimeError("time_limit ended the search")
            n_folds = len(found["settings"]["cv"])
            n_done = found.get("n_done", 20)
            self.best_params_, self.best_score_, self.n_splits_ = {"num_round": 7}, -0.25, n_folds
            scores = np.full(n_done, -0.5)
            scores[:2] = np.nan
            self.cv_results_ = {
                "iter": np.array([0] * 16 + [1] * 4)[:n_done],
                "mean_fit_time": np.full(n_done, 2.0),
                **{f"split{fold}_test_score": scores for fold in range(n_folds)},
            }
            return self

    package = types.SimpleNamespace(
        MixBoostClassifier=type("Classifier", (Estimator,), {}),
        MixBoostRegressor=type("Regressor", (Estimator,), {}),
        MixBoostSearchCV=Search,
    )
    monkeypatch.setitem(sys.modules, "mixboost", package)
    return found


def make_study(module, is_classification=True, is_log=False, n_judges=None):
    problems, halving = module("problems"), module("halving")
    y = np.tile([0.0, 0.0, 1.0], 60)
    table = problems.Table(np.column_stack([y, y]), y, is_classification, is_log)
    problem = problems.Problem("made up", table, problems.nested_folds(table, 3))
    stages = halving.plan_stages(16, 1 / 4)
    return halving.make_study(problem, problem.folds[0], stages, n_judges), stages


def interrupt(tmp_path):
    """An earlier run left a journal."""
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "b.trials").write_text("")


def tune(module, tmp_path, study, stages, ours=None, patience=None, n_processors=2, budget=1e6):
    our_search = module("our_search")
    ours = ours or our_search.Ours("SB-T", "paper", {"tree_probability": 1.0})
    journal = tmp_path / "a" / "b.trials"
    return our_search.tune(our_search.OurSearch(ours, study, stages, patience, journal, n_processors, budget, 7))


def test_the_search_has_everybodys_folds_weights_and_stages(module, seen, tmp_path):
    study, stages = make_study(module)
    interrupt(tmp_path)
    tuned = tune(module, tmp_path, study, stages)
    assert seen["space"] == "paper" and type(seen["estimator"]).__name__ == "Classifier"
    assert seen["estimator"].options == {"tree_probability": 1.0}
    settings = seen["settings"]
    assert (settings["n_configs"], settings["eta"], settings["min_resource"], settings["n_jobs"]) == (16, 4, 0.25, 2)
    assert settings["resume"] is True and settings["journal"] == tmp_path / "a" / "b.trials"
    assert settings["scoring"] is None and settings["random_state"] == 7
    for (train, valid), parts, judge in zip(settings["cv"], study.parts, study.judges, strict=True):
        assert np.array_equal(train, parts[-1]) and np.array_equal(valid, judge)
    assert seen["weights"] is study.train.weights and seen["n_rows"] == len(study.train.y)
    assert tuned.options == {"num_round": 7} and tuned.loss == 0.25
    assert (tuned.n_trials, tuned.n_failed, tuned.seconds) == (60, 6, 20 * 2.0 * 3)


def test_of_an_interrupted_search_all_trials_count_with_their_threads(module, seen, tmp_path):
    study, stages = make_study(module, n_judges=1)
    interrupt(tmp_path)
    assert tune(module, tmp_path, study, stages, n_processors=8).seconds == 16 * 2.0 + 4 * 2 * 2.0


@pytest.mark.parametrize("space, patience, told", [("paper", 10, 10), ("paper", None, None), ("default", 10, None)])
def test_early_stopping_is_the_experiments_where_rounds_are_drawn(module, seen, tmp_path, space, patience, told):
    study, stages = make_study(module)
    ours = module("our_search").Ours("ours", space, is_drawn_rounds=space == "paper")
    tune(module, tmp_path, study, stages, ours, patience)
    assert seen["estimator"].options.get("early_stopping_rounds") == told


def test_logarithms_are_judged_in_the_original_domain(module, seen, tmp_path):
    study, stages = make_study(module, is_classification=False, is_log=True)
    tune(module, tmp_path, study, stages)
    assert type(seen["estimator"]).__name__ == "Regressor"
    model, X = types.SimpleNamespace(predict=lambda rows: rows[:, 0]), np.log1p([[100.0], [200.0]])
    score = seen["settings"]["scoring"](model, X, np.log1p([103.0, 196.0]))
    assert score == pytest.approx(-np.sqrt(12.5))


def test_a_search_that_was_ended_by_its_limit_is_over_budget(module, seen, tmp_path, monkeypatch):
    study, stages = make_study(module)
    clock = iter([0.0, 100.0] * 3)
    monkeypatch.setattr(module("our_search").time, "monotonic", lambda: next(clock))
    tune(module, tmp_path, study, stages, budget=100.0)  # it was done all the same
    seen["n_done"] = 18
    with pytest.raises(module("halving").OverBudget):
        tune(module, tmp_path, study, stages, budget=100.0)
    assert seen["settings"]["time_limit"] == 50.0
    seen["is_interrupted"] = True
    with pytest.raises(module("halving").OverBudget):
        tune(module, tmp_path, study, stages, budget=100.0)


def test_other_errors_of_the_search_are_not_its_limits(module, seen, tmp_path):
    study, stages = make_study(module)
    seen["is_interrupted"] = True
    with pytest.raises(RuntimeError, match="time_limit ended"):
        tune(module, tmp_path, study, stages)


def test_of_another_what_the_processors_worked(module, seen, tmp_path, monkeypatch):
    study, stages = make_study(module)
    clock = iter([0.0, 500.0])
    monkeypatch.setattr(module("our_search").time, "process_time", lambda: next(clock))
    assert tune(module, tmp_path, study, stages).seconds == 500.0


def test_the_last_training_has_what_was_found_and_its_seed(module, seen):
    our_search = module("our_search")
    ours = our_search.Ours("SB-T", "paper", {"tree_probability": 1.0})
    for is_classification in (True, False):
        study, _ = make_study(module, is_classification)
        predicted = our_search.predict_test(ours, study, {"num_round": 7}, 3, 2)
        assert seen["fitted"] == {"tree_probability": 1.0, "num_round": 7, "random_state": 3, "n_threads": 2}
        assert seen["n_fitted"] == len(study.train.y) and seen["fit_weights"] is study.train.weights
        assert np.array_equal(predicted, study.X_test[:, 0])
