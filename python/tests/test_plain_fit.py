"""A plain fit on data that is small, wide, noisy or lopsided: hardly worse than the mean, and near a ridge on what is
linear. The bounds leave room for other seeds: they were measured over eight of them."""

import numpy as np
import pytest
from mixboost import MixBoostClassifier, MixBoostRegressor
from sklearn.linear_model import RidgeCV
from sklearn.metrics import log_loss, root_mean_squared_error

N_TEST = 2000


def regression(seed, n_rows, n_features, signal):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n_rows + N_TEST, n_features))
    y = signal(X) + random.normal(size=len(X))
    return X[:n_rows], y[:n_rows], X[n_rows:], y[n_rows:]


def two_classes(seed, n_rows, log_odds):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n_rows + N_TEST, 10))
    y = (random.random(len(X)) < 1 / (1 + np.exp(-log_odds(X)))).astype(int)
    y[:2] = 0, 1
    return X[:n_rows], y[:n_rows], X[n_rows:], y[n_rows:]


def nothing(X):
    return np.zeros(len(X))


@pytest.mark.parametrize(("n_rows", "n_features"), [(50, 10), (200, 10), (40, 400)])
@pytest.mark.parametrize("seed", [0, 1])
def test_noise_is_left_alone(seed, n_rows, n_features):
    X, y, X_test, y_test = regression(seed, n_rows, n_features, nothing)
    loss = root_mean_squared_error(y_test, MixBoostRegressor().fit(X, y).predict(X_test))
    assert loss < 1.06 * root_mean_squared_error(y_test, np.full(N_TEST, y.mean()))


@pytest.mark.parametrize(("n_rows", "most"), [(50, 1.25), (200, 1.12), (500, 1.1)])
def test_what_is_linear_is_found(n_rows, most):
    X, y, X_test, y_test = regression(3, n_rows, 10, lambda X: X @ np.linspace(1, 0.1, 10))
    loss = root_mean_squared_error(y_test, MixBoostRegressor().fit(X, y).predict(X_test))
    ridge = RidgeCV(np.logspace(-3, 4, 15)).fit(X, y)
    assert loss < most * root_mean_squared_error(y_test, ridge.predict(X_test))
    assert loss < 0.8 * root_mean_squared_error(y_test, np.full(N_TEST, y.mean()))


@pytest.mark.parametrize(
    ("n_rows", "log_odds", "most"),
    [
        (50, nothing, 1.07),
        (1000, lambda X: np.full(len(X), -4.6), 1.02),
        (1000, lambda X: 2 * X[:, 0] - 5, 0.9),
    ],
    ids=["noise", "rare class without signal", "rare class"],
)
def test_probabilities_are_no_worse_than_the_share(n_rows, log_odds, most):
    ratios = []
    for seed in range(4):
        X, y, X_test, y_test = two_classes(seed, n_rows, log_odds)
        loss = log_loss(y_test, MixBoostClassifier().fit(X, y).predict_proba(X_test)[:, 1], labels=[0, 1])
        ratios.append(loss / log_loss(y_test, np.full(N_TEST, y.mean()), labels=[0, 1]))
    assert np.mean(ratios) < most


def test_few_values_interact():
    random = np.random.default_rng(5)
    X = random.integers(0, 3, size=(2200, 8)).astype(float)
    y = X[:, 0] * X[:, 1] + 0.5 * random.normal(size=len(X))
    model = MixBoostRegressor().fit(X[:200], y[:200])
    assert root_mean_squared_error(y[200:], model.predict(X[200:])) < 0.6


def test_a_constant_stays_one():
    model = MixBoostRegressor().fit(np.random.default_rng(0).random((100, 3)), np.full(100, 7.0))
    assert model.predict(np.zeros((2, 3))).tolist() == [7.0, 7.0]
    assert model.best_iteration_ == 1 and not model.feature_importances_.any()
