"""The estimators inside the tools of scikit-learn."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
import sklearn
from estimator_cases import ESTIMATORS, classification_data, data_for, model_bytes, regression_data, scores
from mixboost import MixBoostClassifier, MixBoostRegressor
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer, TransformedTargetRegressor
from sklearn.ensemble import BaggingRegressor, StackingClassifier, VotingClassifier, VotingRegressor
from sklearn.feature_selection import SelectFromModel
from sklearn.impute import SimpleImputer
from sklearn.inspection import partial_dependence, permutation_importance
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss, make_scorer, r2_score
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
    RandomizedSearchCV,
    StratifiedKFold,
    cross_val_predict,
    cross_val_score,
    cross_validate,
    learning_curve,
    validation_curve,
)
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

# ---- Searches ----


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_grid_search(kind: Any) -> None:
    X, y = data_for(kind)
    search = GridSearchCV(kind(), {"num_round": [1, 30], "learning_rate": [0.001, 0.3]}, cv=3, error_score="raise")
    search.fit(X, y)
    assert search.best_params_ == {"num_round": 30, "learning_rate": 0.3}
    refitted = kind(num_round=30, learning_rate=0.3).fit(X, y)
    assert search.predict(X).tolist() == refitted.predict(X).tolist()


def test_grid_search_in_several_processes() -> None:
    X, y = regression_data()
    grid = {"num_round": [5, 20], "tree_probability": [0.5, 1.0]}
    searches = [
        GridSearchCV(MixBoostRegressor(n_threads=None), grid, cv=3, n_jobs=n_jobs, error_score="raise").fit(X, y)
        for n_jobs in (1, 2)
    ]
    found = [search.cv_results_["mean_test_score"].tolist() for search in searches]
    assert found[0] == found[1]


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_randomized_search(kind: Any) -> None:
    X, y = data_for(kind)
    choices = {"num_round": [1, 2, 40], "learning_rate": [0.3]}
    search = RandomizedSearchCV(kind(), choices, n_iter=3, cv=3, random_state=0, error_score="raise").fit(X, y)
    assert search.best_params_["num_round"] == 40


@pytest.mark.filterwarnings("ignore:One or more of the test scores are non-finite")
def test_an_option_out_of_range_fails_its_own_fits_only() -> None:
    X, y = regression_data()
    search = GridSearchCV(MixBoostRegressor(num_round=5), {"learning_rate": [0.3, 7.0]}, cv=3)
    with pytest.warns(Warning, match="learning_rate is"):
        search.fit(X, y)
    assert search.best_params_ == {"learning_rate": 0.3}


# ---- Cross-validation ----


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_cross_val_predict_predicts_each_row_by_a_model_without_it(kind: Any) -> None:
    X, y = data_for(kind)
    folds = KFold(4)
    predicted = cross_val_predict(kind(num_round=10), X, y, cv=folds)
    for train, test in folds.split(X):
        assert predicted[test].tolist() == kind(num_round=10).fit(X[train], y[train]).predict(X[test]).tolist()


def test_cross_val_predict_gives_probabilities() -> None:
    X, y = classification_data()
    labels = np.array(["no", "yes"])[y]
    proba = cross_val_predict(
        MixBoostClassifier(num_round=30), X, labels, cv=StratifiedKFold(4), method="predict_proba"
    )
    assert proba.shape == (len(y), 2)
    assert log_loss(y, proba) < 0.4


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_cross_validate_returns_fitted_estimators(kind: Any) -> None:
    X, y = data_for(kind)
    result = cross_validate(kind(num_round=30), X, y, cv=3, return_estimator=True, error_score="raise")
    assert result["test_score"].min() > 0.7
    assert len({scores(model, X).tobytes() for model in result["estimator"]}) == 3


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_learning_and_validation_curves(kind: Any) -> None:
    X, y = data_for(kind)
    _, _, by_rows = learning_curve(kind(num_round=30), X, y, train_sizes=[20, 130], cv=3, error_score="raise")
    assert by_rows.mean(axis=1)[1] > by_rows.mean(axis=1)[0]
    options = {"param_name": "num_round", "param_range": [1, 40], "cv": 3}
    _, by_rounds = validation_curve(kind(), X, y, **options)
    assert by_rounds.mean(axis=1)[1] > by_rounds.mean(axis=1)[0]


def test_a_scorer_may_ask_for_probabilities() -> None:
    X, y = classification_data()
    found = cross_val_score(MixBoostClassifier(num_round=30), X, y, scoring="neg_log_loss", cv=3, error_score="raise")
    assert found.min() > -0.5


# ---- Pipelines ----


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_pipeline(kind: Any) -> None:
    X, y = data_for(kind)
    pipeline = make_pipeline(StandardScaler(), kind(num_round=20)).fit(X, y)
    scaled = StandardScaler().fit_transform(X)
    alone = kind(num_round=20).fit(scaled, y)
    assert pipeline.predict(X).tolist() == alone.predict(scaled).tolist()
    name = kind.__name__.lower()
    assert pipeline.set_params(**{f"{name}__num_round": 2}).fit(X, y)[-1].best_iteration_ == 2


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_a_pipeline_hands_weights_on(kind: Any) -> None:
    X, y = data_for(kind)
    weight = np.random.default_rng(0).uniform(size=len(y))
    pipeline = Pipeline([("fill", SimpleImputer()), ("boost", kind(num_round=5))])
    pipeline.fit(X, y, boost__sample_weight=weight)
    assert scores(pipeline, X).tolist() == scores(kind(num_round=5).fit(X, y, sample_weight=weight), X).tolist()


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_column_transformer(kind: Any) -> None:
    X, y = data_for(kind)
    frame = pd.DataFrame(X, columns=list("abcd")).assign(kind=np.where(X[:, 0] > 0, "high", "low")).drop(columns="a")
    encode = ColumnTransformer([("text", OneHotEncoder(sparse_output=False), ["kind"])], remainder=StandardScaler())
    model = make_pipeline(encode, kind(num_round=30)).fit(frame, y)
    assert model[-1].n_features_in_ == 5
    assert model.score(frame, y) > 0.8


@pytest.mark.parametrize("container", ["pandas", "polars"])
@pytest.mark.parametrize("kind", ESTIMATORS)
def test_set_output_hands_names_on(kind: Any, container: str) -> None:
    X, y = data_for(kind)
    frame = pd.DataFrame(X, columns=list("abcd"))
    pipeline = make_pipeline(StandardScaler(), kind(num_round=10)).set_output(transform=container).fit(frame, y)
    assert pipeline[-1].feature_names_in_.tolist() == ["a", "b", "c", "d"]
    plain = make_pipeline(StandardScaler(), kind(num_round=10)).fit(frame, y)
    assert not hasattr(plain[-1], "feature_names_in_")
    # A frame's memory has another order, and learners of scikit-learn round by it.
    np.testing.assert_allclose(pipeline.predict(frame), plain.predict(frame), rtol=1e-12)


def test_select_from_model_goes_by_the_importances() -> None:
    X, y = regression_data(1000)
    selected = SelectFromModel(MixBoostRegressor(num_round=50), threshold="mean").fit(X, y)
    assert selected.get_support().tolist() == [True, True, False, False]


# ---- Ensembles ----


@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
def test_calibrated_classifier(method: str) -> None:
    X, y = classification_data(600)
    model = CalibratedClassifierCV(MixBoostClassifier(num_round=30), method=method, cv=3)
    weight = np.random.default_rng(0).uniform(0.5, 1.5, len(y))
    proba = model.fit(X[:400], y[:400], sample_weight=weight[:400]).predict_proba(X[400:])
    np.testing.assert_allclose(proba.sum(axis=1), 1)
    assert log_loss(y[400:], proba) < 0.4


def test_voting() -> None:
    X, y = classification_data()
    members = [("a", MixBoostClassifier(num_round=10)), ("b", MixBoostClassifier(num_round=10, random_state=1))]
    vote = VotingClassifier(members, voting="soft").fit(X, y)
    alone = [model.fit(X, y).predict_proba(X) for _, model in members]
    np.testing.assert_allclose(vote.predict_proba(X), np.mean(alone, axis=0))
    X, y = regression_data()
    numbers = VotingRegressor([("a", MixBoostRegressor(num_round=10)), ("b", MixBoostRegressor(num_round=20))]).fit(
        X, y
    )
    expected = [MixBoostRegressor(num_round=n).fit(X, y).predict(X) for n in (10, 20)]
    np.testing.assert_allclose(numbers.predict(X), np.mean(expected, axis=0))


def test_stacking() -> None:
    X, y = classification_data(400)
    members = [("boost", MixBoostClassifier(num_round=30)), ("line", LogisticRegression())]
    stack = StackingClassifier(members, final_estimator=MixBoostClassifier(num_round=5), cv=3).fit(X[:300], y[:300])
    assert stack.score(X[300:], y[300:]) > LogisticRegression().fit(X[:300], y[:300]).score(X[300:], y[300:])


def test_bagging_hands_weights_or_rows_on() -> None:
    X, y = regression_data()
    bag = BaggingRegressor(MixBoostRegressor(num_round=50), n_estimators=3, random_state=0).fit(X, y)
    assert len({model_bytes(model) for model in bag.estimators_}) == 3
    assert bag.score(X, y) > 0.8


def test_one_classifier_for_each_of_several_classes() -> None:
    X, y = regression_data(600)
    classes = np.digitize(y, [0.0, 1.0])
    model = OneVsRestClassifier(MixBoostClassifier(num_round=30)).fit(X[:400], classes[:400])
    assert model.score(X[400:], classes[400:]) > 0.75


def test_transformed_targets() -> None:
    X, y = regression_data()
    model = TransformedTargetRegressor(MixBoostRegressor(num_round=50), func=np.exp, inverse_func=np.log).fit(X, y)
    assert model.score(X, y) > 0.8


# ---- Inspection ----


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_permutation_importance(kind: Any) -> None:
    X, y = data_for(kind)
    found = permutation_importance(kind(num_round=50).fit(X, y), X, y, n_repeats=3, random_state=0).importances_mean
    assert set(np.argsort(found)[2:].tolist()) == {0, 1}
    assert found[:2].min() > 0.05


def test_partial_dependence() -> None:
    X, y = regression_data(1000)
    model = MixBoostRegressor(num_round=100).fit(X, y)
    found = partial_dependence(model, X, features=[1], grid_resolution=20, kind="average")
    grid, average = found["grid_values"][0], found["average"][0]
    assert np.corrcoef(np.sin(grid), average)[0, 1] > 0.95
    X, labels = classification_data(1000)
    classifier = MixBoostClassifier(num_round=100).fit(X, labels)
    step = partial_dependence(classifier, X, features=[0], grid_resolution=20)["average"][0]
    assert step[-1] - step[0] > 0.3


# ---- Metadata routing ----


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_weights_are_routed_to_fit_and_score(kind: Any) -> None:
    X, y = data_for(kind)
    weight = np.random.default_rng(0).uniform(0.1, 2, len(y))
    with sklearn.config_context(enable_metadata_routing=True):
        model = kind(num_round=10).set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        routed = cross_validate(model, X, y, params={"sample_weight": weight}, cv=KFold(2), return_estimator=True)
    for (train, test), fitted, score in zip(KFold(2).split(X), routed["estimator"], routed["test_score"], strict=True):
        twin = kind(num_round=10).fit(X[train], y[train], sample_weight=weight[train])
        assert scores(fitted, X).tolist() == scores(twin, X).tolist()
        assert score == twin.score(X[test], y[test], sample_weight=weight[test])


def test_weights_are_routed_through_searches_and_pipelines() -> None:
    X, y = regression_data()
    weight = np.random.default_rng(0).uniform(0.1, 2, len(y))
    with sklearn.config_context(enable_metadata_routing=True):
        model = make_pipeline(StandardScaler(), MixBoostRegressor(num_round=10).set_fit_request(sample_weight=True))
        model[0].set_fit_request(sample_weight=False)
        scorer = make_scorer(r2_score).set_score_request(sample_weight=True)
        grid = {"mixboostregressor__num_round": [3, 10]}
        search = GridSearchCV(model, grid, scoring=scorer, cv=3, error_score="raise").fit(X, y, sample_weight=weight)
    scaled = StandardScaler().fit_transform(X)
    twin = MixBoostRegressor(num_round=10).fit(scaled, y, sample_weight=weight)
    assert search.predict(X).tolist() == twin.predict(scaled).tolist()
    with (
        sklearn.config_context(enable_metadata_routing=True),
        pytest.raises(ValueError, match="sample_weight.* not explicitly set"),
    ):
        cross_validate(MixBoostRegressor(), X, y, params={"sample_weight": weight}, error_score="raise")
