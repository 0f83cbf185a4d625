"""The generic boosters against Algorithm 1 written out, and against ensembles whose answer is known."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from mixboost import HeterogeneousBoostingClassifier, HeterogeneousBoostingRegressor, MixBoostRegressor
from numpy.typing import NDArray
from regressors import Recorder, WeightedStep
from sklearn.base import clone
from sklearn.ensemble import GradientBoostingRegressor, RandomForestRegressor, VotingRegressor
from sklearn.kernel_approximation import RBFSampler
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import LinearRegression, Ridge, RidgeCV
from sklearn.metrics import log_loss, root_mean_squared_error
from sklearn.model_selection import train_test_split
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVR
from sklearn.tree import DecisionTreeRegressor

Array = NDArray[np.float64]
Booster = HeterogeneousBoostingRegressor | HeterogeneousBoostingClassifier

THREE_KINDS = [
    (0.5, DecisionTreeRegressor(max_depth=3)),
    (0.3, KernelRidge(kernel="rbf", gamma=0.5)),
    (0.2, LinearSVR(C=0.5, max_iter=100_000)),
]


@pytest.fixture(autouse=True)
def fresh_records() -> None:
    Recorder.forget()
    WeightedStep.weights.clear()


def data(n_rows: int = 120, seed: int = 0) -> tuple[Array, Array, Array]:
    """Features, a target with a step, a wave and a slope, and weights of which some are 0."""
    random = np.random.default_rng(seed)
    X = random.uniform(-2, 2, (n_rows, 3))
    y = (X[:, 0] > 0) + np.sin(3 * X[:, 1]) + 0.5 * X[:, 2] + 0.2 * random.normal(size=n_rows)
    return X, y, random.integers(0, 4, n_rows).astype(float)


def sigmoid(f: Array) -> Array:
    return 1.0 / (1.0 + np.exp(-f))


def start_value(y: Array, w: Array, logistic: bool) -> float:
    mean = float(np.average(y, weights=w))
    return float(np.log(mean / (1 - mean))) if logistic else mean


def boost_by_hand(model: Booster, X: Array, y: Array, w: Array, logistic: bool) -> Array:
    """Algorithm 1 with plain loops: the learners as the model's record says they were drawn, with its seeds."""
    f = np.full(len(y), start_value(y, w, logistic))
    for index, fitted in zip(model.learner_indices_, model.estimators_, strict=True):
        g = w * ((sigmoid(f) - y) if logistic else (f - y))
        h = w * (sigmoid(f) * (1 - sigmoid(f)) if logistic else 1.0)
        learner = clone(model.learners[index][1])
        learner.set_params(**{k: v for k, v in fitted.get_params().items() if k == "random_state"})
        learner.fit(X, -g / h, sample_weight=h)
        f += model.learning_rate * learner.predict(X)
    return f


# ---- Algorithm 1 ----


@pytest.mark.parametrize("weighted", [False, True])
def test_regression_is_algorithm_1(weighted: bool) -> None:
    X, y, w = data()
    w = w if weighted else np.ones_like(w)
    model = HeterogeneousBoostingRegressor(THREE_KINDS, num_round=30, learning_rate=0.3)
    model.fit(X, y, sample_weight=w if weighted else None)
    assert set(model.learner_indices_) == {0, 1, 2}
    X, y, w = X[w > 0], y[w > 0], w[w > 0]
    np.testing.assert_allclose(model.predict(X), boost_by_hand(model, X, y, w, False), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("weighted", [False, True])
def test_classification_is_algorithm_1(weighted: bool) -> None:
    X, y, w = data()
    w = w if weighted else np.ones_like(w)
    labels = (y > 0.5).astype(float)
    model = HeterogeneousBoostingClassifier(THREE_KINDS, num_round=20, learning_rate=0.3)
    model.fit(X, labels, sample_weight=w if weighted else None)
    assert set(model.learner_indices_) == {0, 1, 2}
    X, labels, w = X[w > 0], labels[w > 0], w[w > 0]
    scores = boost_by_hand(model, X, labels, w, True)
    np.testing.assert_allclose(model.decision_function(X), scores, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], sigmoid(scores), rtol=1e-6, atol=1e-6)
    np.testing.assert_array_equal(model.predict(X), (scores > 0).astype(float))


def test_trees_alone_are_scikit_learns_gradient_boosting() -> None:
    X, y, _ = data(300)
    tree = DecisionTreeRegressor(max_depth=3)
    model = HeterogeneousBoostingRegressor([(1.0, tree)], num_round=25, learning_rate=0.2).fit(X, y)
    peer = GradientBoostingRegressor(max_depth=3, n_estimators=25, learning_rate=0.2)
    np.testing.assert_allclose(model.predict(X), peer.fit(X, y).predict(X), rtol=1e-9)


def test_least_squares_alone_goes_to_the_solution_at_a_known_rate() -> None:
    X, y, w = data()
    linear = LinearRegression()
    model = HeterogeneousBoostingRegressor([(1.0, linear)], num_round=7, learning_rate=0.25).fit(X, y, w)
    start = np.average(y, weights=w)
    solution = linear.fit(X, y, sample_weight=w).predict(X)
    np.testing.assert_allclose(model.predict(X), start + (1 - 0.75**7) * (solution - start))


def test_the_library_s_own_learners_give_the_library_s_own_ensemble() -> None:
    X, y, _ = data()
    trees: dict[str, Any] = {"tree_probability": 1.0, "symmetric_probability": 0.0}
    trees |= {"min_max_depth": 3, "max_max_depth": 3, "subsample": 1.0}
    tree = MixBoostRegressor(num_round=1, learning_rate=1.0, base_score=0.0, **trees)
    model = HeterogeneousBoostingRegressor([(1.0, tree)], num_round=10, learning_rate=0.1).fit(X, y)
    peer = MixBoostRegressor(num_round=10, learning_rate=0.1, **trees).fit(X, y)
    np.testing.assert_allclose(model.predict(X), peer.predict(X), rtol=1e-9)


def test_the_ensemble_is_the_sum_of_its_estimators() -> None:
    X, y, _ = data()
    model = HeterogeneousBoostingRegressor(num_round=20, base_score=0.5).fit(X, y)
    steps = [0.1 * estimator.predict(X) for estimator in model.estimators_]
    np.testing.assert_allclose(model.predict(X), 0.5 + np.sum(steps, axis=0))
    stages = list(model.staged_predict(X))
    np.testing.assert_allclose(stages, 0.5 + np.cumsum(steps, axis=0))
    np.testing.assert_array_equal(stages[-1], model.predict(X))


def test_shares_are_what_the_training_loss_fell_in_the_rounds_of_each_learner() -> None:
    X, y, _ = data()
    model = HeterogeneousBoostingRegressor(THREE_KINDS, num_round=30, learning_rate=0.3).fit(X, y)
    losses = [np.std(y), *model.evals_result_["training"]["rmse"]]
    falls = np.bincount(model.learner_indices_, -np.diff(losses))
    names = [f"{type(regressor).__name__} {i}" for i, (_, regressor) in enumerate(model.learners_, start=1)]
    expected = dict(zip(names, falls / (losses[0] - losses[-1]), strict=True))
    assert model.learner_shares_ == pytest.approx(expected)


def test_rows_without_curvature_are_left_out() -> None:
    X, y, _ = data()
    w = np.full(len(y), np.nextafter(0.0, 1.0))  # a quarter of it, which is h, is 0
    w[:50] = 1.0
    HeterogeneousBoostingClassifier([(1.0, Recorder())], num_round=1, base_score=0.0).fit(X, y > 0.5, w)
    np.testing.assert_array_equal(Recorder.fits[0][0], X[:50])
    np.testing.assert_array_equal(Recorder.fits[0][2], 0.25)


# ---- The draw ----


def test_learners_are_drawn_with_their_probabilities() -> None:
    X, y, _ = data(10)
    learners = [(0.6, Recorder()), (0.0, Recorder()), (0.1, Recorder()), (0.3, Recorder())]
    model = HeterogeneousBoostingRegressor(learners, num_round=2000).fit(X, y)
    counts = np.bincount(model.learner_indices_, minlength=4)
    expected = np.array([1200, 0, 200, 600])
    assert counts[1] == 0
    assert np.all(np.abs(counts - expected) <= 5 * np.sqrt(expected))
    assert len(model.estimators_) == 2000


def test_probabilities_that_sum_to_1_but_for_rounding_draw_nothing_else() -> None:
    X, y, _ = data(10)
    model = HeterogeneousBoostingRegressor([(0.1, Recorder())] * 10, num_round=500).fit(X, y)
    assert len(Recorder.fits) == 500
    assert set(model.learner_indices_) == set(range(10))


@pytest.mark.parametrize("random_state", [0, 7, np.random.RandomState(3), None])
def test_a_seed_repeats_a_training_and_others_differ(random_state: Any) -> None:
    X, y, _ = data()
    learners = [(0.5, RandomForestRegressor(n_estimators=2)), (0.5, Ridge())]
    model = HeterogeneousBoostingRegressor(learners, num_round=10, random_state=random_state)
    first = model.fit(X, y).predict(X)
    second = model.fit(X, y).predict(X)
    assert np.array_equal(first, second) == isinstance(random_state, int)
    assert not np.array_equal(first, model.set_params(random_state=8).fit(X, y).predict(X))


def test_each_round_draws_new_seeds_also_for_what_is_nested() -> None:
    X, y, _ = data()
    pipeline = make_pipeline(RBFSampler(n_components=5, random_state=1), Ridge(random_state=2))
    model = HeterogeneousBoostingRegressor([(1.0, pipeline)], num_round=10).fit(X, y)
    for step in ("rbfsampler", "ridge"):
        assert len({estimator.get_params()[f"{step}__random_state"] for estimator in model.estimators_}) == 10
    assert (pipeline.get_params()["rbfsampler__random_state"], pipeline[-1].random_state) == (1, 2)
    assert not hasattr(pipeline[-1], "coef_")


# ---- Rows and weights ----


def test_learners_see_the_rows_that_weigh_anything_and_the_newton_problem() -> None:
    X, y, w = data()
    HeterogeneousBoostingRegressor([(1.0, Recorder())], num_round=2, base_score=0.25).fit(X, y, w)
    (X_first, targets, weights), (X_second, *_) = Recorder.fits
    np.testing.assert_array_equal(X_first, X[w > 0])
    np.testing.assert_allclose(targets, (y - 0.25)[w > 0])
    np.testing.assert_array_equal(weights, w[w > 0])
    assert X_second is X_first  # copied once, not in every round


def test_x_is_handed_to_learners_as_it_is() -> None:
    X, y, _ = data()
    model = HeterogeneousBoostingRegressor([(1.0, Recorder())], num_round=3).fit(X, y, eval_set=(X[:9], y[:9]))
    assert all(is_view(seen, X) for seen, _, _ in Recorder.fits)
    Recorder.predictions.clear()
    model.predict(X)
    assert all(is_view(seen, X) for seen in Recorder.predictions)


def is_view(seen: Any, X: Any) -> bool:
    return bool(seen.__array_interface__["data"] == (X.ctypes.data, True) and seen.strides == X.strides)


@pytest.mark.parametrize("options", [{}, {"validation_fraction": 0.3}, {"subsample": 0.5}])
def test_a_learner_that_works_in_place_changes_nothing(options: dict[str, Any]) -> None:
    X, y, w = data()
    before = X.copy()
    predictions = []
    for copy in (True, False):
        learners = [(1.0, make_pipeline(StandardScaler(copy=copy), Ridge(copy_X=copy)))]
        model = HeterogeneousBoostingRegressor(learners, num_round=10, **options).fit(X, y, w)
        predictions.append(model.predict(X))
    np.testing.assert_array_equal(X, before)
    np.testing.assert_allclose(*predictions, rtol=1e-12)


@pytest.mark.parametrize("subsample", [0.3, 0.8])
def test_subsample_draws_rows_anew_in_every_round(subsample: float) -> None:
    X, y, w = data(2000)
    HeterogeneousBoostingRegressor([(1.0, Recorder())], num_round=5, subsample=subsample, base_score=0.0).fit(X, y, w)
    n = int((w > 0).sum())
    expected, spread = subsample * n, np.sqrt(n * subsample * (1 - subsample))
    assert all(abs(len(seen) - expected) < 5 * spread for seen, _, _ in Recorder.fits)
    assert len({seen.tobytes() for seen, _, _ in Recorder.fits}) == 5
    rows = {row.tobytes(): (target, weight) for row, target, weight in zip(X, y, w, strict=True)}
    seen, targets, weights = Recorder.fits[0]
    np.testing.assert_allclose([rows[row.tobytes()] for row in seen], np.column_stack([targets, weights]))


def test_subsample_that_leaves_no_row_takes_all() -> None:
    X, y, _ = data(20)
    HeterogeneousBoostingRegressor([(1.0, Recorder())], num_round=3, subsample=1e-9).fit(X, y)
    assert [len(seen) for seen, _, _ in Recorder.fits] == [20, 20, 20]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("kind", [HeterogeneousBoostingRegressor, HeterogeneousBoostingClassifier])
def test_default_learners_take_weights_for_copies_and_missing_values(kind: type[Booster], seed: int) -> None:
    X, y, w = data(60, seed)
    X[::7, 1] = np.nan
    if kind is HeterogeneousBoostingClassifier:
        y = (y > 0.5).astype(float)
    copies = np.repeat(np.arange(60), w.astype(int))
    weighted = kind(random_state=seed).fit(X, y, w)
    repeated = kind(random_state=seed).fit(X[copies], y[copies])
    np.testing.assert_array_equal(weighted.learner_indices_, repeated.learner_indices_)
    method = "decision_function" if hasattr(weighted, "decision_function") else "predict"
    np.testing.assert_allclose(getattr(weighted, method)(X), getattr(repeated, method)(X), rtol=1e-6, atol=1e-7)


def test_steps_of_a_pipeline_get_the_weights_if_they_take_them() -> None:
    X, y, w = data()
    inner = Pipeline([("passthrough", "passthrough"), ("recorder", Recorder())])
    pipeline = make_pipeline(StandardScaler(), RBFSampler(n_components=4), WeightedStep(), inner)
    HeterogeneousBoostingRegressor([(1.0, pipeline)], num_round=1).fit(X, y, w)
    np.testing.assert_array_equal(WeightedStep.weights, [w[w > 0]])
    np.testing.assert_array_equal(Recorder.fits[0][2], w[w > 0])


def test_estimators_around_estimators_get_the_weights() -> None:
    X, y, w = data()
    around = VotingRegressor([("one", Recorder()), ("two", Ridge())])
    HeterogeneousBoostingRegressor([(0.9, around), (0.1, RidgeCV())], num_round=1).fit(X, y, w)
    np.testing.assert_array_equal(Recorder.fits[0][2], w[w > 0])


# ---- Early stopping ----


def test_early_stopping_keeps_the_estimators_up_to_the_best_round() -> None:
    X, y, w = data(400)
    X, X_valid, y, y_valid, w, w_valid = train_test_split(X, y, w, random_state=0)
    learners = [(0.8, DecisionTreeRegressor(max_depth=6)), (0.2, Ridge())]
    model = HeterogeneousBoostingRegressor(learners, num_round=500, learning_rate=0.5, early_stopping_rounds=10)
    model.fit(X, y, w, eval_set=(X_valid, y_valid), eval_sample_weight=w_valid)
    losses = model.evals_result_["validation"]["rmse"]
    assert 0 < model.best_iteration_ < 490
    assert len(losses) == model.best_iteration_ + 10
    assert np.argmin(losses) + 1 == model.best_iteration_ == len(model.estimators_) == len(model.learner_indices_)
    by_hand = [
        root_mean_squared_error(y_valid, stage, sample_weight=w_valid) for stage in model.staged_predict(X_valid)
    ]
    np.testing.assert_allclose(by_hand, losses[: model.best_iteration_])


def test_validation_fraction_shows_learners_the_other_rows_only() -> None:
    X, y, _ = data()
    labels = np.where(y > 0.5, "yes", "no")
    learners = [(1.0, Recorder())]
    model = HeterogeneousBoostingClassifier(learners, num_round=3, validation_fraction=0.25, base_score=1.0)
    model.fit(X, labels)
    train, valid = Recorder.fits[0][0], Recorder.predictions[1]
    assert (len(train), len(valid)) == (90, 30)
    assert sorted(row.tobytes() for row in [*train, *valid]) == sorted(row.tobytes() for row in X)
    assert all(seen is train for seen, _, _ in Recorder.fits)
    assert all(seen is valid for seen in Recorder.predictions[1::2])
    labels_of = {row.tobytes(): label for row, label in zip(X, labels, strict=True)}
    truth = [labels_of[row.tobytes()] for row in valid]
    by_hand = log_loss(truth, next(model.staged_predict_proba(valid)))
    np.testing.assert_allclose(by_hand, model.evals_result_["validation"]["logloss"][0])


def test_no_round_may_be_the_best() -> None:
    X, y, _ = data()
    model = HeterogeneousBoostingRegressor(num_round=60, base_score=0.0, early_stopping_rounds=5)
    model.fit(X, y, eval_set=(X, np.zeros_like(y)))
    assert (model.best_iteration_, model.estimators_, model.learner_indices_.shape) == (0, [], (0,))
    np.testing.assert_array_equal(model.predict(X), 0.0)
