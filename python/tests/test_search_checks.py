"""scikit-learn's own checks of a search: all of them, none skipped and none expected to fail; and metadata routing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import sklearn
from estimator_cases import classification_data, regression_data
from mixboost import MixBoostClassifier, MixBoostRegressor, MixBoostSearchCV, tune
from search_cases import ESTIMATORS, findings, small_search
from sklearn.base import is_classifier, is_regressor
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.metrics import get_scorer
from sklearn.model_selection import GroupKFold
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import check_estimator, parametrize_with_checks

KINDS = [MixBoostRegressor, MixBoostClassifier]
SPACE = {"learning_rate": (0.05, 0.5, "log10"), "max_max_depth": (1, 4, "integer")}
HALVING: dict[str, Any] = {"n_configs": 4, "eta": 2, "min_resource": "1/2", "resource": "rounds"}
SCORINGS = {MixBoostRegressor: "r2", MixBoostClassifier: "neg_log_loss"}


def searches() -> Iterator[MixBoostSearchCV]:
    for kind in KINDS:
        for settings in [{}, {"cv": 2}, {"cv": 2, "scoring": SCORINGS[kind]}, HALVING]:
            yield MixBoostSearchCV(
                kind(num_round=20), SPACE, **{"n_configs": 2, "min_resource": 1, "error_score": "raise", **settings}
            )


@parametrize_with_checks(list(searches()))
def test_check(estimator: Any, check: Callable[[Any], None]) -> None:
    check(estimator)


def test_every_check_is_run_and_passed() -> None:
    for search in list(searches())[::4]:
        results = check_estimator(search, on_skip=None, on_fail=None)
        assert [(each["check_name"], each["status"]) for each in results if each["status"] != "passed"] == []
        assert len(results) > 40


@pytest.mark.parametrize("kind", KINDS)
def test_tags_are_those_of_the_estimator(kind: Any) -> None:
    search = small_search(kind)
    assert (is_classifier(search), is_regressor(search)) == (kind is MixBoostClassifier, kind is MixBoostRegressor)
    assert get_tags(search).input_tags == get_tags(ESTIMATORS[kind]).input_tags
    assert get_tags(search).input_tags.allow_nan
    assert get_tags(search).classifier_tags == get_tags(ESTIMATORS[kind]).classifier_tags


# ---- Metadata routing --------------------------------------------------------------------------------------------


@pytest.fixture
def _routing() -> Iterator[None]:
    with sklearn.config_context(enable_metadata_routing=True):
        yield


WEIGHT = np.random.default_rng(0).uniform(0.2, 3, 200)
GROUPS = np.arange(200) % 4


@pytest.mark.usefixtures("_routing")
def test_weights_go_to_who_requests_them() -> None:
    X, y = regression_data()
    with sklearn.config_context(enable_metadata_routing=False):
        plain = findings(small_search().fit(X, y))
        weighted = findings(small_search().fit(X, y, sample_weight=WEIGHT))
    search = small_search()
    with pytest.raises(UnsetMetadataPassedError, match="sample_weight"):
        search.fit(X, y, sample_weight=WEIGHT)
    search.estimator = MixBoostRegressor(num_round=16, n_components=8)
    search.estimator.set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
    assert findings(search.fit(X, y, sample_weight=WEIGHT)) == weighted
    assert findings(search.fit(X, y)) == plain
    search.estimator.set_score_request(sample_weight=False)
    with pytest.raises(ValueError, match="rows count in the score as they do in training; let both fit and score"):
        search.fit(X, y, sample_weight=WEIGHT)


@pytest.mark.usefixtures("_routing")
def test_tune_requests_the_weights_it_is_given() -> None:
    X, y = regression_data()
    settings: dict[str, Any] = {"space": SPACE, "n_configs": 2, "min_resource": 1}
    routed = tune(X, y, sample_weight=WEIGHT, **settings)
    with sklearn.config_context(enable_metadata_routing=False):
        assert findings(routed) == findings(tune(X, y, sample_weight=WEIGHT, **settings))


@pytest.mark.usefixtures("_routing")
def test_weights_for_the_scorer_alone() -> None:
    X, y = regression_data()
    scorer = get_scorer("neg_mean_squared_error").set_score_request(sample_weight=True)
    estimator = MixBoostRegressor(num_round=16, n_components=8).set_fit_request(sample_weight=False)
    search = small_search(scoring=scorer, cv=2, min_resource=1).set_params(estimator=estimator)
    search.fit(X, y, sample_weight=WEIGHT)
    unweighted = small_search(scoring="neg_mean_squared_error", cv=2, min_resource=1).fit(X, y)
    assert search.cv_results_["mean_test_score"].tolist() != unweighted.cv_results_["mean_test_score"].tolist()
    assert search.cv_results_["params"] == unweighted.cv_results_["params"]  # the trainings are the same


@pytest.mark.usefixtures("_routing")
def test_groups_go_to_the_splitter() -> None:
    X, y = classification_data()
    search = small_search(MixBoostClassifier, cv=GroupKFold(2), n_configs=4).fit(X, y, groups=GROUPS)
    folds = list(GroupKFold(2).split(X, y, GROUPS))
    assert findings(search) == findings(small_search(MixBoostClassifier, cv=folds, n_configs=4).fit(X, y))
    with pytest.raises(TypeError, match="groups"):
        small_search(MixBoostClassifier, n_configs=4).fit(X, y, groups=GROUPS)


@pytest.mark.usefixtures("_routing")
def test_weights_of_a_score() -> None:
    X, y = regression_data()
    scorer = get_scorer("r2").set_score_request(sample_weight=True)
    search = small_search(n_configs=2, min_resource=1, scoring=scorer).fit(X, y)
    assert search.score(X, y, sample_weight=WEIGHT) == scorer(search.best_estimator_, X, y, sample_weight=WEIGHT)
