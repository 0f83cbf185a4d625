"""nested_score: outer folds that the tuning inside never sees."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from estimator_cases import classification_data, data_for, regression_data
from mixboost import MixBoostClassifier, MixBoostRegressor, NestedScore, nested_score
from search_cases import small_search
from sklearn.base import clone
from sklearn.metrics import log_loss, root_mean_squared_error
from sklearn.model_selection import GroupKFold, KFold, StratifiedKFold

KINDS = [MixBoostRegressor, MixBoostClassifier]


def assert_same(one: NestedScore, two: NestedScore) -> None:
    np.testing.assert_array_equal(one.scores, two.scores)
    np.testing.assert_array_equal(one.inner_scores, two.inner_scores)
    assert one.params == two.params


@pytest.mark.parametrize("kind", KINDS)
def test_it_is_a_search_on_each_outer_fold(kind: Any) -> None:
    X, y = data_for(kind)
    search = small_search(kind, n_configs=4)
    nested = nested_score(search, X, y, cv=3)
    assert not hasattr(search, "best_params_")
    folds = (StratifiedKFold(3) if kind is MixBoostClassifier else KFold(3)).split(X, y)
    for i, (train, held_out) in enumerate(folds):
        tuned = clone(search).fit(X[train], y[train])
        if kind is MixBoostClassifier:
            score = -log_loss(y[held_out], tuned.predict_proba(X[held_out]))
        else:
            score = -root_mean_squared_error(y[held_out], tuned.predict(X[held_out]))
        assert nested.params[i] == tuned.best_params_
        assert nested.inner_scores[i] == tuned.best_score_
        assert nested.scores[i] == pytest.approx(score, rel=1e-12)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("scoring", [None, "r2"])
def test_nothing_of_the_rows_held_out_leaks(kind: Any, scoring: Any) -> None:
    """Labels of the outer fold are poisoned: what is chosen stays the same, only its score there changes."""
    X, y = data_for(kind)
    folds = list(KFold(3, shuffle=True, random_state=0).split(X))
    search = small_search(kind, n_configs=8, scoring=scoring)
    clean = nested_score(search, X, y, cv=folds)
    for i, (_, held_out) in enumerate(folds):
        poisoned, spoiled = y.copy(), X.copy()
        poisoned[held_out] = 1 - poisoned[held_out] if kind is MixBoostClassifier else 1e3 - poisoned[held_out]
        spoiled[held_out] *= -7
        nested = nested_score(search, spoiled, poisoned, cv=[folds[i]])
        assert nested.params[0] == clean.params[i]
        assert nested.inner_scores[0] == clean.inner_scores[i]
        assert nested.scores[0] < clean.scores[i]
    again = nested_score(search, spoiled, poisoned, cv=[folds[0]])  # there the poison is in the training rows
    assert again.inner_scores[0] != clean.inner_scores[0]


def test_a_scorer_scores_both_folds() -> None:
    X, y = regression_data()
    nested = nested_score(small_search(n_configs=4, scoring="r2"), X, y, cv=2)
    for i, (train, held_out) in enumerate(KFold(2).split(X)):
        tuned = small_search(n_configs=4, scoring="r2").fit(X[train], y[train])
        assert nested.scores[i] == tuned.score(X[held_out], y[held_out])


def test_weights_count_outside_as_they_do_inside() -> None:
    X, y = classification_data()
    weight = np.random.default_rng(0).uniform(0.1, 3, 200)
    for class_weight in (None, {0: 1.0, 1: 4.0}):
        search = small_search(MixBoostClassifier, n_configs=4).set_params(estimator__class_weight=class_weight)
        nested = nested_score(search, X, y, cv=2, sample_weight=weight)
        for i, (train, held_out) in enumerate(StratifiedKFold(2).split(X, y)):
            tuned = clone(search).fit(X[train], y[train], sample_weight=weight[train])
            weights = weight[held_out] * np.where(y[held_out] == 1, 4 if class_weight else 1, 1)
            loss = log_loss(y[held_out], tuned.predict_proba(X[held_out]), sample_weight=weights)
            assert nested.scores[i] == pytest.approx(-loss, rel=1e-12)


def test_groups_split_outside_and_inside() -> None:
    X, y = regression_data()
    groups = np.arange(200) % 8
    search = small_search(n_configs=4, cv=GroupKFold(2))
    nested = nested_score(search, X, y, cv=GroupKFold(2), groups=groups)
    for i, (train, _) in enumerate(GroupKFold(2).split(X, y, groups)):
        assert clone(search).fit(X[train], y[train], groups=groups[train]).best_params_ == nested.params[i]
    with pytest.raises(ValueError, match="^groups are given, but with cv=None folds do not look at them"):
        nested_score(small_search(n_configs=4), X, y, cv=GroupKFold(2), groups=groups)


def test_a_fold_with_one_class_is_scored() -> None:
    X, y = classification_data()
    ones = np.flatnonzero(y == 1)[:10]
    nested = nested_score(
        small_search(MixBoostClassifier, n_configs=2, min_resource=1),
        X,
        y,
        cv=[(np.setdiff1d(np.arange(200), ones), ones)],
    )
    assert np.isfinite(nested.scores).all()


def test_an_estimator_is_tuned_with_the_defaults(monkeypatch: pytest.MonkeyPatch) -> None:
    from mixboost import _tuning

    seen: list[Any] = []
    monkeypatch.setattr(_tuning, "_outer_fold", lambda search, *_: seen.append(search) or (0.0, 0.0, {}))
    nested_score(MixBoostRegressor(num_round=7), *regression_data(), cv=2)
    assert repr(seen[0]) == "MixBoostSearchCV(estimator=MixBoostRegressor(num_round=7))"
    assert len(seen) == 2


def test_each_fold_has_a_journal_called_as_the_program_calls_it(tmp_path: Path) -> None:
    X, y = regression_data()
    search = small_search(n_configs=4, journal=tmp_path / "nested.mxj")
    nested = nested_score(search, X, y, cv=2)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["nested.mxj.1", "nested.mxj.2"]
    assert_same(nested_score(search.set_params(resume=True), X, y, cv=2), nested)


def test_what_is_no_search_and_no_folds_are_refused() -> None:
    with pytest.raises(
        TypeError, match="^search must be a MixBoostSearchCV or an estimator that it can tune, not a KFold$"
    ):
        nested_score(KFold(), *regression_data())
    with pytest.raises(ValueError, match="^cv gives no folds$"):
        nested_score(small_search(), *regression_data(), cv=[])
