"""The names that the lines of tests/battery/bad_input/python.txt use, and what a line says."""

from __future__ import annotations

import pathlib
from typing import Any

import mixboost
import numpy as np
import pandas as pd
import scipy.sparse
from estimator_cases import classification_data, regression_data
from sklearn.linear_model import Ridge
from sklearn.neighbors import KNeighborsRegressor

OF_FIT = ["sample_weight", "eval_set", "eval_sample_weight", "callbacks"]


def fit(kind: Any, X: Any, y: Any, **given: Any) -> Any:
    """A quick fit; what is given are options, or arguments of fit."""
    arguments = {name: given.pop(name) for name in OF_FIT if name in given}
    return kind(**{"num_round": 2, "n_threads": 1, **given}).fit(X, y, **arguments)


def names() -> dict[str, Any]:
    X, y = regression_data()
    c = classification_data()[1]
    frame = pd.DataFrame(X, columns=list("abcd"))
    towns = frame.assign(d=["Oslo", "Rome"] * 100)
    quick = mixboost.MixBoostRegressor(num_round=2, n_threads=1)

    def regress(X: Any, y: Any, **given: Any) -> Any:
        return fit(mixboost.MixBoostRegressor, X, y, **given)

    def classify(X: Any, y: Any, **given: Any) -> Any:
        return fit(mixboost.MixBoostClassifier, X, y, **given)

    def search(**given: Any) -> Any:
        settings = {"estimator": quick, "space": {"alpha": (0.1, 1, "log10")}, "n_configs": 4, "min_resource": "1/4"}
        return mixboost.MixBoostSearchCV(**{**settings, "n_jobs": 1, **given}).fit(X, y)

    return {
        **{name: getattr(mixboost, name) for name in mixboost.__all__},
        **{"X": X, "y": y, "c": c, "frame": frame, "towns": towns},
        **{"regress": regress, "classify": classify, "search": search},
        **{"model": regress(X, y), "named": regress(frame, y), "texts": regress(towns, y), "classes": classify(X, c)},
        **{"mixboost": mixboost, "np": np, "pathlib": pathlib, "pd": pd, "scipy": scipy},
        **{"Ridge": Ridge, "KNeighborsRegressor": KNeighborsRegressor},
    }


def said_of(line: str, known: dict[str, Any]) -> tuple[str, str]:
    """The exception that the line raises and its sentence, in one line; nothing where it raises none."""
    try:
        exec(line, dict(known))
    except Exception as error:
        return type(error).__name__, " / ".join(str(error).replace("\0", "\\0").splitlines())
    return "", ""


def is_as_told(said: str, sentence: str) -> bool:
    if sentence.endswith(" [...]"):
        return said.startswith(sentence.removesuffix(" [...]"))
    return said == sentence
