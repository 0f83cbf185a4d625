"""Three kinds of learners against each of them alone, on a function that has something for every kind.

A jump suits trees, a wave suits a kernel, a slope a linear model. Each kind alone must build the rest from what it has;
the ensemble that draws a kind at random in every round need not.
"""

from __future__ import annotations

import numpy as np
from mixboost import HeterogeneousBoostingRegressor
from numpy.typing import NDArray
from sklearn.kernel_ridge import KernelRidge
from sklearn.metrics import root_mean_squared_error
from sklearn.svm import LinearSVR
from sklearn.tree import DecisionTreeRegressor

KINDS = {
    "trees": DecisionTreeRegressor(max_depth=3),
    "kernel": KernelRidge(kernel="rbf", gamma=0.6, alpha=0.3),
    "linear": LinearSVR(loss="squared_epsilon_insensitive", dual=False),
}
MIXTURES = {
    "trees alone": {"trees": 1.0},
    "kernel alone": {"kernel": 1.0},
    "linear alone": {"linear": 1.0},
    "all three": {"trees": 0.5, "kernel": 0.2, "linear": 0.3},
}


def make_data(n_rows: int, seed: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """A jump in the first feature, a wave in the next two, a slope in the last, and noise of deviation 0.2."""
    random = np.random.default_rng(seed)
    X = random.uniform(-2, 2, (n_rows, 4))
    jump = np.where(X[:, 0] > 0.7, 2.0, 0.0)
    wave = np.sin(2 * X[:, 1]) * np.cos(2 * X[:, 2])
    return X, jump + wave + X[:, 3] + random.normal(scale=0.2, size=n_rows)


def main() -> dict[str, float]:
    """Prints, and returns, the error of every mixture on rows that no training has seen."""
    X, y = make_data(200, seed=0)
    X_test, y_test = make_data(1000, seed=2)
    errors = {}
    print(f"{'learners':<14}{'rounds':>6}{'test RMSE':>12}")
    for name, mixture in MIXTURES.items():
        learners = [(probability, KINDS[kind]) for kind, probability in mixture.items()]
        model = HeterogeneousBoostingRegressor(learners, num_round=200, early_stopping_rounds=25)
        model.fit(X, y, eval_set=make_data(100, seed=1))
        errors[name] = float(root_mean_squared_error(y_test, model.predict(X_test)))
        print(f"{name:<14}{model.best_iteration_:>6}{errors[name]:>12.3f}")
    return errors


if __name__ == "__main__":
    main()
