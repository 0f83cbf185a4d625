"""MixBoostSearchCV as a search of scikit-learn: what it finds, and from what."""

from __future__ import annotations

import pickle
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from estimator_cases import classification_data, data_for, model_bytes, regression_data
from mixboost import MixBoostClassifier, MixBoostRegressor, MixBoostSearchCV, _native
from search_cases import ESTIMATORS, SPACE, findings, small_search
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.metrics import log_loss, make_scorer, mean_squared_error, root_mean_squared_error
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    LeaveOneGroupOut,
    PredefinedSplit,
    RepeatedKFold,
    ShuffleSplit,
    StratifiedKFold,
    cross_val_score,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

KINDS = [MixBoostRegressor, MixBoostClassifier]
OWN_METRICS = {
    MixBoostRegressor: "neg_root_mean_squared_error",
    MixBoostClassifier: "neg_log_loss",
}


# ---- What is found -----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module", params=KINDS)
def fitted(request: pytest.FixtureRequest) -> MixBoostSearchCV:
    return small_search(request.param).fit(*data_for(request.param))


def test_the_table_has_a_row_for_each_configuration_and_stage(fitted: MixBoostSearchCV) -> None:
    results = fitted.cv_results_
    assert (fitted.n_candidates_, fitted.n_resources_, fitted.n_splits_) == ([16, 4], [0.25, 1.0], 3)
    assert results["iter"].tolist() == [0] * 16 + [1] * 4
    assert results["n_resources"].tolist() == [0.25] * 16 + [1.0] * 4
    assert results["config"][:16].tolist() == list(range(16))
    assert set(results["config"][16:]) < set(range(16))
    frame = pd.DataFrame(results)
    assert len(frame) == 20
    splits = frame[[f"split{fold}_test_score" for fold in range(3)]]
    np.testing.assert_allclose(frame["mean_test_score"], splits.mean(axis=1), rtol=1e-14)
    np.testing.assert_allclose(frame["std_test_score"], splits.std(axis=1, ddof=0), rtol=1e-12)
    assert (frame["mean_fit_time"] > 0).all()


def test_survivors_and_ranks_follow_the_scores(fitted: MixBoostSearchCV) -> None:
    frame = pd.DataFrame(fitted.cv_results_)
    first, last = frame[frame["iter"] == 0], frame[frame["iter"] == 1]
    assert set(last["config"]) == set(first.nlargest(4, "mean_test_score")["config"])
    ordered = frame.sort_values(["iter", "mean_test_score"], ascending=False)
    assert ordered["rank_test_score"].tolist() == list(range(1, 21))
    assert frame["rank_test_score"][fitted.best_index_] == 1
    assert fitted.best_score_ == last["mean_test_score"].max()


def test_params_are_those_that_are_drawn_and_the_rounds(fitted: MixBoostSearchCV) -> None:
    assert fitted.best_params_ is fitted.cv_results_["params"][fitted.best_index_]
    for i, params in enumerate(fitted.cv_results_["params"]):
        assert set(params) == {*SPACE, "num_round"}
        assert 0.05 <= params["learning_rate"] <= 0.5
        assert params["max_max_depth"] in range(1, 7)
        assert params["fourier_linear"] in (False, True)
        assert 1 <= params["num_round"] <= 16
        for name, value in params.items():
            assert fitted.cv_results_[f"param_{name}"][i] == value
    assert fitted.cv_results_["param_learning_rate"].dtype == np.float64


def test_the_best_estimator_is_one_of_the_best_params_fitted_to_all_rows(fitted: MixBoostSearchCV) -> None:
    X, y = data_for(type(fitted.estimator))
    best = fitted.best_estimator_
    assert {name: best.get_params()[name] for name in fitted.best_params_} == fitted.best_params_
    again = clone(fitted.estimator).set_params(**fitted.best_params_).fit(X, y)
    assert model_bytes(again) == model_bytes(best)
    assert again.get_params() == best.get_params()
    np.testing.assert_array_equal(fitted.predict(X), best.predict(X))
    assert fitted.score(X, y) == best.score(X, y)
    assert fitted.n_features_in_ == 4


def test_rounds_are_left_to_the_last_training_where_few_rows_of_a_class_judge() -> None:
    X, y = classification_data(n_rows=500)
    for n_rare, is_left in [(99, True), (100, False)]:
        rows = np.sort(np.concatenate([np.flatnonzero(y == 0)[:n_rare], np.flatnonzero(y == 1)]))
        assert np.bincount(y[rows])[0] == n_rare < np.bincount(y[rows])[1]
        search = MixBoostSearchCV(MixBoostClassifier(), SPACE, n_configs=4).fit(X[rows], y[rows])
        assert (search.best_params_["num_round"] == "auto") == is_left
        again = MixBoostClassifier(**search.best_params_).fit(X[rows], y[rows])
        assert model_bytes(again) == model_bytes(search.best_estimator_)


def test_a_classifier_has_what_its_best_estimator_has() -> None:
    X, y = classification_data()
    labels = np.array(["no", "yes"], dtype=object)[y]
    search = small_search(MixBoostClassifier, n_configs=4).fit(X, labels)
    assert search.classes_.tolist() == ["no", "yes"]
    np.testing.assert_array_equal(search.predict_proba(X), search.best_estimator_.predict_proba(X))
    np.testing.assert_array_equal(search.decision_function(X), search.best_estimator_.decision_function(X))
    assert set(search.predict(X)) == {"no", "yes"}


def test_importances_are_of_the_options_that_are_drawn(fitted: MixBoostSearchCV) -> None:
    assert list(fitted.option_importances_) == list(SPACE)
    assert all(0 <= share <= 1 for share in fitted.option_importances_.values())
    assert fitted.space_ == {
        "learning_rate": "log10",
        "max_max_depth": "integer",
        "tree_probability": "linear",
        "fourier_linear": "choice",
    }


def test_without_refit_there_is_no_estimator() -> None:
    X, y = regression_data()
    search, with_refit = (small_search(refit=refit).fit(X, y) for refit in (False, True))
    assert not hasattr(search, "best_estimator_")
    assert not hasattr(search, "predict")
    assert findings(search)["best"] == findings(with_refit)["best"]


def test_the_defaults_are_the_tuners() -> None:
    defaults = {setting.name: setting.default for setting in _native.settings()}
    search = MixBoostSearchCV(MixBoostRegressor())
    names = ["n_configs", "eta", "min_resource", "resource", "random_state"]
    assert {name: str(getattr(search, name)) for name in names} == {name: defaults[name] for name in names}


def test_the_same_search_finds_the_same_on_any_number_of_threads() -> None:
    X, y = regression_data()
    one, two, four = (findings(small_search(n_jobs=n).fit(X, y)) for n in (1, 2, 4))
    assert one == two == four
    assert findings(small_search(random_state=1).fit(X, y)) != one


def test_rounds_as_the_resource() -> None:
    """The first stage has a quarter of 16 rounds."""
    X, y = regression_data()
    folds = list(KFold(2).split(X))
    results = small_search(resource="rounds", cv=folds).fit(X, y).cv_results_
    train, held_out = folds[1]
    for config in (0, 5):
        drawn = {name: results["params"][config][name] for name in SPACE}
        model = clone(ESTIMATORS[MixBoostRegressor]).set_params(num_round=4, **drawn)
        model.fit(X[train], y[train], eval_set=(X[held_out], y[held_out]))
        assert results["split1_test_score"][config] == -min(model.evals_result_["validation"]["rmse"])


@pytest.mark.parametrize("kind", KINDS)
def test_the_program_finds_the_same(kind: Any, program: Path, tmp_path: Path) -> None:
    X, y = data_for(kind)
    frame = pd.DataFrame(X, columns=[*"abcd"])
    search = MixBoostSearchCV(kind(num_round=16), n_configs=16).fit(frame, y)
    frame.assign(y=y).to_csv(tmp_path / "data.csv", index=False)
    settings = {"folds": 3, "configs": 16, "num_round": 16, "objective": search.estimator.objective}
    command = [program, "tune", "data.csv", "--label", "y", "--model", "best.mxb", "--quiet"]
    command += [word for name, value in settings.items() for word in (f"--{name}", str(value))]
    subprocess.run(command, cwd=tmp_path, check=True)
    assert (tmp_path / "best.mxb").read_bytes() == model_bytes(search.best_estimator_)


# ---- Scoring -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("cv", [None, 3])
def test_a_scorer_of_the_same_metric_finds_the_same(kind: Any, cv: Any) -> None:
    X, y = data_for(kind)
    weight = np.random.default_rng(0).uniform(0.5, 2, len(y))
    for params in ({}, {"sample_weight": weight}):
        ours = small_search(kind, cv=cv).fit(X, y, **params)
        theirs = small_search(kind, cv=cv, scoring=OWN_METRICS[kind]).fit(X, y, **params)
        assert ours.cv_results_["config"].tolist() == theirs.cv_results_["config"].tolist()
        for name in ("split0_test_score", "split2_test_score", "mean_test_score"):
            np.testing.assert_allclose(ours.cv_results_[name], theirs.cv_results_[name], rtol=1e-12)
        assert model_bytes(ours.best_estimator_) == model_bytes(theirs.best_estimator_)
        assert ours.best_params_ == theirs.best_params_


def test_another_scorer_chooses_by_itself() -> None:
    X, y = regression_data()
    worst = make_scorer(root_mean_squared_error)  # greater is better: the search looks for the worst
    search = small_search(scoring=worst).fit(X, y)
    frame = pd.DataFrame(search.cv_results_)
    last = frame[frame["iter"] == 1]
    assert search.best_score_ == last["mean_test_score"].max() > 0
    assert set(last["config"]) == set(frame[frame["iter"] == 0].nlargest(4, "mean_test_score")["config"])
    assert search.score(X, y) == root_mean_squared_error(y, search.predict(X))
    assert search.best_params_ != small_search().fit(X, y).best_params_


def test_a_scorer_sees_the_rows_held_out_and_a_fitted_estimator() -> None:
    X, y = classification_data()
    seen: list[Any] = []

    def scorer(estimator: Any, X_seen: Any, y_seen: Any) -> float:
        seen.append((X_seen, y_seen, estimator.classes_.tolist(), estimator.n_features_in_))
        return -log_loss(y_seen, estimator.predict_proba(X_seen))

    folds = list(StratifiedKFold(2).split(X, y))
    small_search(MixBoostClassifier, n_configs=1, min_resource=1, cv=folds, scoring=scorer, n_jobs=1).fit(X, y)
    assert len(seen) == 2
    for (_, held_out), (X_seen, y_seen, classes, n_features) in zip(folds, seen, strict=True):
        np.testing.assert_array_equal(X_seen, X[held_out])
        np.testing.assert_array_equal(y_seen, y[held_out])
        assert (classes, n_features) == ([0, 1], 4)


def test_folds_of_the_library_are_held_out_whole() -> None:
    """Without cv a scorer is shown every row once."""
    X, y = regression_data()
    seen: list[float] = []

    def scorer(estimator: Any, X_seen: Any, y_seen: Any) -> float:
        seen.extend(y_seen)
        return -mean_squared_error(y_seen, estimator.predict(X_seen))

    small_search(n_configs=1, min_resource=1, scoring=scorer, n_jobs=1).fit(X, y)
    assert sorted(seen) == sorted(y)


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table], ids=["pandas", "polars", "pyarrow"])
def test_frames_are_searched_and_scored(make: Any) -> None:
    X, y = regression_data(120)
    columns = {name: X[:, i] for i, name in enumerate("abcd")}
    columns["text"] = np.array(["left", "right"], dtype=object)[(X[:, 0] > 0).astype(int)]
    frame = make(columns)
    ours, theirs = (
        small_search(n_configs=4, scoring=scoring).fit(frame, y) for scoring in (None, OWN_METRICS[KINDS[0]])
    )
    assert model_bytes(ours.best_estimator_) == model_bytes(theirs.best_estimator_)
    assert ours.feature_names_in_.tolist() == [*"abcd", "text"]
    assert len(ours.predict(frame)) == 120


# ---- Folds -------------------------------------------------------------------------------------------------------

GROUPS = np.arange(200) % 5


@pytest.mark.parametrize(
    ("cv", "params"),
    [
        (KFold(3), {}),
        (KFold(3, shuffle=True, random_state=1), {}),
        (StratifiedKFold(3), {}),
        (RepeatedKFold(n_splits=2, n_repeats=2, random_state=0), {}),
        (ShuffleSplit(1, test_size=0.3, random_state=0), {}),
        (PredefinedSplit(np.arange(200) % 3 - 1), {}),
        (GroupKFold(3), {"groups": GROUPS}),
        (LeaveOneGroupOut(), {"groups": GROUPS}),
    ],
    ids=lambda value: type(value).__name__,
)
def test_any_splitter(cv: Any, params: Any) -> None:
    """The scores are those of trainings on its folds."""
    X, y = classification_data()
    folds = list(cv.split(X, y, **params))
    search = small_search(MixBoostClassifier, n_configs=2, min_resource=1, cv=cv).fit(X, y, **params)
    assert search.n_splits_ == len(folds)
    drawn = {name: search.cv_results_["params"][1][name] for name in SPACE}
    for fold, (train, held_out) in enumerate(folds):
        model = clone(ESTIMATORS[MixBoostClassifier]).set_params(**drawn)
        model.fit(X[train], y[train], eval_set=(X[held_out], y[held_out]))
        loss = min(model.evals_result_["validation"]["logloss"])
        assert search.cv_results_[f"split{fold}_test_score"][1] == -loss


def test_a_number_an_iterable_and_masks_are_folds() -> None:
    X, y = regression_data()
    rows = np.arange(len(y))
    folds = list(KFold(2).split(X))
    kinds = [
        2,
        KFold(2),
        folds,
        iter(folds),
        [(np.isin(rows, train), np.isin(rows, held_out)) for train, held_out in folds],
        [(train.tolist(), held_out - len(y)) for train, held_out in folds],
    ]
    found = [findings(small_search(n_configs=4, cv=cv).fit(X, y)) for cv in kinds]
    assert all(each == found[0] for each in found)


def test_groups_stay_together() -> None:
    X, y = regression_data()
    seen: list[set[int]] = []

    def scorer(estimator: Any, X_seen: Any, y_seen: Any) -> float:
        seen.append({int(GROUPS[np.flatnonzero(y == each)[0]]) for each in y_seen})
        return 0.0

    search = small_search(n_configs=1, min_resource=1, cv=GroupKFold(5), scoring=scorer, n_jobs=1)
    search.fit(X, y, groups=GROUPS)
    assert sorted(map(sorted, seen)) == [[0], [1], [2], [3], [4]]


# ---- Weights -----------------------------------------------------------------------------------------------------


def test_rows_of_weight_0_do_not_count() -> None:
    X, y = regression_data()
    folds = list(KFold(2, shuffle=True, random_state=0).split(X))
    spoiled = np.concatenate([y, np.full(50, 1e6)])
    weight = np.concatenate([np.ones(200), np.zeros(50)])
    larger = [(np.concatenate([a, np.arange(200, 250)]), np.concatenate([b, np.arange(200, 250)])) for a, b in folds]
    settings: dict[str, Any] = {"n_configs": 4, "min_resource": 1}
    plain = small_search(cv=folds, **settings).fit(X, y)
    weighted = small_search(cv=larger, **settings).fit(np.vstack([X, X[:50]]), spoiled, sample_weight=weight)
    np.testing.assert_allclose(weighted.cv_results_["mean_test_score"], plain.cv_results_["mean_test_score"], rtol=1e-9)


def test_weights_count_in_the_score_as_in_training() -> None:
    X, y = regression_data()
    weight = np.random.default_rng(1).uniform(0, 3, 200)
    folds = list(KFold(2).split(X))
    search = small_search(n_configs=1, min_resource=1, cv=folds).fit(X, y, sample_weight=weight)
    train, held_out = folds[1]
    model = clone(ESTIMATORS[MixBoostRegressor]).set_params(**{name: search.best_params_[name] for name in SPACE})
    model.fit(
        X[train], y[train], weight[train], eval_set=(X[held_out], y[held_out]), eval_sample_weight=weight[held_out]
    )
    assert search.cv_results_["split1_test_score"][0] == -min(model.evals_result_["validation"]["rmse"])
    weights = {"sample_weight": weight[held_out]}
    loss = root_mean_squared_error(y[held_out], model.predict(X[held_out]), **weights)
    np.testing.assert_allclose(search.cv_results_["split1_test_score"][0], -loss, rtol=1e-12)


def test_class_weights_count() -> None:
    X, y = classification_data()
    plain = small_search(MixBoostClassifier, n_configs=4).fit(X, y)
    balanced = small_search(MixBoostClassifier, n_configs=4)
    balanced.set_params(estimator__class_weight={0: 1, 1: 5}).fit(X, y)
    assert balanced.predict(X).mean() > plain.predict(X).mean()
    again = clone(balanced.estimator).set_params(**balanced.best_params_).fit(X, y)
    assert model_bytes(again) == model_bytes(balanced.best_estimator_)


# ---- An estimator like others ------------------------------------------------------------------------------------


def test_copies(fitted: MixBoostSearchCV) -> None:
    X, _ = data_for(type(fitted.estimator))
    copy = pickle.loads(pickle.dumps(fitted))
    assert findings(copy) == findings(fitted)
    np.testing.assert_array_equal(copy.predict(X), fitted.predict(X))
    fresh = clone(fitted)
    assert not hasattr(fresh, "best_params_")
    assert repr(fresh) == repr(fitted)
    assert fresh.get_params()["estimator__num_round"] == 16


def test_repr_shows_what_was_set() -> None:
    assert repr(MixBoostSearchCV(MixBoostRegressor(), "paper", n_configs=8)) == (
        "MixBoostSearchCV(estimator=MixBoostRegressor(), n_configs=8, space='paper')"
    )


def test_inside_other_meta_estimators() -> None:
    X, y = regression_data()
    search = small_search(n_configs=2, min_resource=1)
    pipeline = make_pipeline(StandardScaler(), search).fit(X, y)
    assert pipeline.score(X, y) > 0.5
    assert (cross_val_score(search, X, y, cv=2) > 0.3).all()


def test_a_search_that_fails_is_not_fitted() -> None:
    X, y = regression_data()
    search = small_search(n_configs=2, min_resource=1).fit(X, y)
    with pytest.raises(ValueError, match="eta"):
        search.set_params(eta=1).fit(X, y)
    with pytest.raises(NotFittedError):
        search.predict(X)
    assert not hasattr(search, "cv_results_")
