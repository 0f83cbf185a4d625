"""scikit-learn's own checks of an estimator: all of them, none skipped and none expected to fail."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from estimator_cases import ESTIMATORS
from mixboost import MixBoostClassifier, MixBoostRegressor
from sklearn.base import is_classifier
from sklearn.utils.estimator_checks import (
    check_dataframe_column_names_consistency,
    check_estimator,
    estimator_checks_generator,
    parametrize_with_checks,
)

DEFAULTS = [kind() for kind in ESTIMATORS]
OPTIONS: list[dict[str, Any]] = [
    {"n_components": 1},
    {"tree_probability": 0.0},
    {"tree_probability": 1.0},
    {"tree_probability": 1.0, "symmetric_probability": 1.0},
    {"tree_probability": 0.5, "n_components": 1, "fit_intercept": False, "alpha": 0.1},
    {"use_histograms": False},
    {"hist_nbins": 2},
    {"colsample": 0.5},
    {"fourier_scaling": "standard"},
    {"fourier_scaling": "none"},
    {"tree_probability": 0.5, "n_projections": 2, "gamma": "auto", "fourier_metric": "learned"},
    {"n_threads": None},
    {"n_threads": -1},
    {"learning_rate": 1.0, "base_score": 0.5, "lambda_l2": 0.0},
]
VARIANTS = [
    kind(**{"num_round": 20, "learning_rate": 0.1, **options})
    for kind in (MixBoostRegressor, MixBoostClassifier)
    for options in OPTIONS
]
VARIANTS.append(MixBoostClassifier(num_round=20, class_weight="balanced"))

# Rows are drawn at random, so that a row of weight 2 is not the same as the row twice.
DRAWS_ROWS = [kind(num_round=20, subsample=0.5) for kind in (MixBoostRegressor, MixBoostClassifier)]
NEEDS_ALL_ROWS = {"check_sample_weight_equivalence_on_dense_data"}


def name_of(check: Any) -> str:
    return str(getattr(check, "func", check).__name__)


@parametrize_with_checks(DEFAULTS + VARIANTS)
def test_check(estimator: Any, check: Callable[[Any], None]) -> None:
    check(estimator)


@pytest.mark.parametrize("kind", [MixBoostRegressor, MixBoostClassifier])
def test_every_check_is_run_and_passed(kind: Any) -> None:
    results = check_estimator(kind(num_round=20), on_skip=None, on_fail=None)
    assert [(result["check_name"], result["status"]) for result in results if result["status"] != "passed"] == []
    assert len(results) > 50
    names = {result["check_name"] for result in results}
    assert {"check_sample_weight_equivalence_on_dense_data", "check_methods_subset_invariance"} <= names
    assert {"check_dict_unchanged", "check_dtype_object"} <= names


@pytest.mark.parametrize("estimator", DRAWS_ROWS, ids=repr)
def test_checks_that_a_draw_of_rows_allows(estimator: Any) -> None:
    checks = [
        (each, check) for each, check in estimator_checks_generator(estimator) if name_of(check) not in NEEDS_ALL_ROWS
    ]
    assert len(checks) > 50
    for each, check in checks:
        check(each)


@pytest.mark.parametrize("estimator", DEFAULTS, ids=repr)
def test_feature_names_are_handled_as_scikit_learn_does(estimator: Any) -> None:
    check_dataframe_column_names_consistency(type(estimator).__name__, estimator)


def test_only_two_classes_are_promised_and_more_are_refused() -> None:
    for kind in ESTIMATORS:
        if is_classifier(kind()):
            assert kind().__sklearn_tags__().classifier_tags.multi_class is False
            with pytest.raises(ValueError, match=r"^Only binary classification is supported\. The type of the target"):
                kind().fit(np.arange(6.0).reshape(-1, 1), [0, 1, 2, 0, 1, 2])
