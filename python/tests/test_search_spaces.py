"""What configurations are drawn from, and tune, which asks for nothing but data."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from estimator_cases import regression_data
from mixboost import MixBoostClassifier, MixBoostRegressor, MixBoostSearchCV, _native, tune
from search_cases import SPACE, findings, small_search
from sklearn.base import clone
from sklearn.model_selection import GroupKFold

GROUPS = np.arange(200) % 5


# ---- Spaces ------------------------------------------------------------------------------------------------------

TEXT = """
learning_rate 0.05 0.5 log10
max_max_depth 1 6 integer   # of trees
tree_probability 0.5 1 linear
fourier_linear false true choice
"""


def test_a_space_is_a_dict_a_text_or_a_file(tmp_path: Path) -> None:
    X, y = regression_data()
    (tmp_path / "small.space").write_text(TEXT)
    found = [findings(small_search(space=space).fit(X, y)) for space in (SPACE, TEXT, tmp_path / "small.space")]
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize("name", ["default", "paper", "paper-node"])
def test_built_in_spaces(name: str) -> None:
    X, y = regression_data()
    search = MixBoostSearchCV(MixBoostRegressor(num_round=10), name, n_configs=2, min_resource=1).fit(X, y)
    text = _native.built_in_space(name)
    assert text
    assert set(search.space_) == {line.split()[0] for line in text.splitlines() if line != "defaults"}
    assert search.space_.get("num_round", "fixed") == "fixed"
    assert all(params["num_round"] <= 10 for params in search.cv_results_["params"])
    again = clone(search.estimator).set_params(**search.best_params_).fit(X, y)
    np.testing.assert_array_equal(again.predict(X), search.predict(X))


def test_a_parameter_of_the_estimator_is_not_drawn_from_a_built_in_space() -> None:
    X, y = regression_data()
    estimator = MixBoostRegressor(num_round=10, learning_rate=0.3, subsample=0.9)
    search = MixBoostSearchCV(estimator, n_configs=3, min_resource=1).fit(X, y)
    assert {name for name, scale in search.space_.items() if scale == "fixed"} == {"learning_rate", "subsample"}
    assert all(params["learning_rate"] == 0.3 for params in search.cv_results_["params"])
    assert "learning_rate" not in search.option_importances_
    assert len({params["colsample"] for params in search.cv_results_["params"]}) == 3


def test_a_space_of_ones_own_wins_over_the_estimator() -> None:
    X, y = regression_data()
    search = small_search(space={"num_round": [3, 5], "subsample": 1.0}, n_configs=4, min_resource=1).fit(X, y)
    assert {params["subsample"] for params in search.cv_results_["params"]} == {1.0}
    assert max(params["num_round"] for params in search.cv_results_["params"]) <= 5


def test_a_preset_is_written_out() -> None:
    """A drawn value that equals the default holds, though to an estimator with a preset it would count as not given."""
    X, y = regression_data()
    default = MixBoostRegressor().n_components
    estimator = MixBoostRegressor(preset="paper", num_round=8)
    search = MixBoostSearchCV(estimator, {"n_components": [default]}, n_configs=1, min_resource=1).fit(X, y)
    assert search.best_estimator_.options_["n_components"] == default
    assert search.best_params_["preset"] == "default"
    again = clone(estimator).set_params(**search.best_params_).fit(X, y)
    np.testing.assert_array_equal(again.predict(X), search.predict(X))
    by_space = MixBoostSearchCV(
        MixBoostRegressor(num_round=8), {"preset": "paper", "n_components": [default]}, n_configs=1, min_resource=1
    ).fit(X, y)
    assert "preset" not in by_space.best_params_
    assert by_space.best_params_ == {name: value for name, value in search.best_params_.items() if name != "preset"}
    np.testing.assert_array_equal(by_space.predict(X), search.predict(X))


def test_a_space_may_begin_with_the_estimator_as_it_is() -> None:
    X, y = regression_data()
    with_defaults, without = (
        small_search(space={**SPACE, "defaults": defaults}, min_resource=1, n_configs=3).fit(X, y)
        for defaults in (True, False)
    )
    drawn = [
        [{name: params[name] for name in SPACE} for params in search.cv_results_["params"]]
        for search in (with_defaults, without)
    ]
    assert drawn[0][0] == {name: with_defaults.estimator.get_params()[name] for name in SPACE}
    assert drawn[0][0] != drawn[1][0]
    assert drawn[0][1:] == drawn[1][1:]
    assert "defaults" not in with_defaults.space_


def test_a_list_option_can_be_chosen() -> None:
    X, y = regression_data()
    space = {"depth_probabilities": [[1.0, 0.0], [0.0, 1.0]], "min_max_depth": 1, "max_max_depth": 2}
    search = small_search(space=space, n_configs=6, min_resource=1).fit(X, y)
    drawn = [tuple(params["depth_probabilities"]) for params in search.cv_results_["params"]]
    assert set(drawn) == {(1.0, 0.0), (0.0, 1.0)}


# ---- tune --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("target", "kind"),
    [
        (lambda y: y, MixBoostRegressor),
        (lambda y: np.round(3 * y).astype(int), MixBoostRegressor),
        (lambda y: y.astype(object), MixBoostRegressor),
        (lambda y: y > 0.5, MixBoostClassifier),
        (lambda y: (y > 0.5).astype(float), MixBoostClassifier),
        (lambda y: np.where(y > 0.5, "yes", "no"), MixBoostClassifier),
        (lambda y: pd.Series(np.where(y > 0.5, "yes", "no")), MixBoostClassifier),
    ],
    ids=["numbers", "whole numbers", "objects", "booleans", "two numbers", "texts", "a series of texts"],
)
def test_tune_chooses_by_the_target(target: Any, kind: Any) -> None:
    X, y = regression_data()
    search = tune(X, target(y), space={"num_round": [4, 8]}, n_configs=2, min_resource=1)
    assert type(search.best_estimator_) is kind
    assert search.score(X, target(y)) > 0.3


def test_tune_hands_weights_and_groups_on() -> None:
    X, y = regression_data()
    weight = np.random.default_rng(0).uniform(size=200)
    settings: dict[str, Any] = {"space": {"num_round": [4, 8]}, "n_configs": 2, "min_resource": 1, "cv": GroupKFold(2)}
    search = tune(X, y, sample_weight=weight, groups=GROUPS, **settings)
    same = MixBoostSearchCV(MixBoostRegressor(), **settings).fit(X, y, sample_weight=weight, groups=GROUPS)
    assert findings(search) == findings(same)


def test_tune_says_that_it_knows_two_classes_only() -> None:
    X, _ = regression_data()
    with pytest.raises(ValueError, match="Only binary classification is supported"):
        tune(X, np.array(["a", "b", "c", "d"])[np.arange(200) % 4])
