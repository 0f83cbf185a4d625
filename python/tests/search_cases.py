"""Small searches, and what to compare of two of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from estimator_cases import model_bytes
from mixboost import MixBoostClassifier, MixBoostRegressor, MixBoostSearchCV
from sklearn.base import clone

SPACE: dict[str, Any] = {
    "learning_rate": (0.05, 0.5, "log10"),
    "max_max_depth": (1, 6, "integer"),
    "tree_probability": (0.5, 1.0, "linear"),
    "fourier_linear": [False, True],
}
ESTIMATORS = {
    MixBoostRegressor: MixBoostRegressor(num_round=16, n_components=8),
    MixBoostClassifier: MixBoostClassifier(num_round=16, n_components=8),
}


def small_search(kind: Any = MixBoostRegressor, space: Any = None, **settings: Any) -> MixBoostSearchCV:
    """16 configurations on 1/4 of the rows, 4 on all."""
    defaults = {"n_configs": 16, "eta": 4, "min_resource": "1/4"}
    return MixBoostSearchCV(clone(ESTIMATORS[kind]), SPACE if space is None else space, **{**defaults, **settings})


def findings(search: MixBoostSearchCV) -> dict[str, Any]:
    """All that a search found, to the last bit; times, which differ, left out."""
    results = {name: np.ma.asarray(each).tolist() for name, each in search.cv_results_.items() if "time" not in name}
    return {
        "results": results,
        "best": (search.best_index_, search.best_score_, search.best_params_),
        "importances": repr(search.option_importances_),  # NaN, of few configurations, equals itself as text
        "model": model_bytes(search.best_estimator_) if search.refit else None,
    }
