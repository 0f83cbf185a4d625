"""The boosters that parts of the battery compare: how each trains, saves, loads and predicts; and processes to try them
in, forked from one that has imported the library and done nothing with it."""

from __future__ import annotations

import importlib
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

N_ROUNDS, DEPTH = 20, 4
NO_MEMORY = re.compile(r"bad_?alloc|out of memory|cannot allocate|allocate memory|MemoryError|std::length_error", re.I)


class Booster:
    """One of the libraries, on one thread."""

    module: str
    suffix: str  # of its model files, the usual one

    def __init__(self) -> None:
        self.library: Any = importlib.import_module(self.module)

    @property
    def version(self) -> str:
        return str(self.library.__version__)

    def fit(self, X: Any, y: Any, weight: Any = None, rounds: int = N_ROUNDS) -> Any:
        raise NotImplementedError

    def save(self, model: Any, path: str) -> None:
        model.save_model(path)

    def load(self, path: str) -> Any:
        raise NotImplementedError

    def predict(self, model: Any, X: Any) -> Any:
        raise NotImplementedError


class XGBoost(Booster):
    module, suffix = "xgboost", "ubj"

    def fit(self, X: Any, y: Any, weight: Any = None, rounds: int = N_ROUNDS) -> Any:
        data = self.library.DMatrix(X, y, weight=weight, nthread=1)
        return self.library.train({"max_depth": DEPTH, "nthread": 1}, data, num_boost_round=rounds)

    def load(self, path: str) -> Any:
        return self.library.Booster({"nthread": 1}, model_file=path)

    def predict(self, model: Any, X: Any) -> Any:
        return model.predict(self.library.DMatrix(X, nthread=1))


class LightGBM(Booster):
    module, suffix = "lightgbm", "txt"

    def fit(self, X: Any, y: Any, weight: Any = None, rounds: int = N_ROUNDS) -> Any:
        params = {"num_leaves": 2**DEPTH - 1, "num_threads": 1, "verbosity": -1}
        return self.library.train(params, self.library.Dataset(X, y, weight=weight), num_boost_round=rounds)

    def load(self, path: str) -> Any:
        return self.library.Booster(model_file=path)

    def predict(self, model: Any, X: Any) -> Any:
        return model.predict(X, num_threads=1)


class CatBoost(Booster):
    module, suffix = "catboost", "cbm"

    def fit(self, X: Any, y: Any, weight: Any = None, rounds: int = N_ROUNDS) -> Any:
        options = {"iterations": rounds, "depth": DEPTH, "thread_count": 1, "allow_writing_files": False, "verbose": 0}
        return self.library.CatBoostRegressor(**options).fit(X, y, sample_weight=weight)

    def load(self, path: str) -> Any:
        return self.library.CatBoostRegressor().load_model(path)

    def predict(self, model: Any, X: Any) -> Any:
        return model.predict(X, thread_count=1)


class MixBoost(Booster):
    module, suffix = "mixboost", "mxb"

    def __init__(self) -> None:
        super().__init__()
        self.regressor = self.library.MixBoostRegressor  # imported only now

    def fit(self, X: Any, y: Any, weight: Any = None, rounds: int = N_ROUNDS) -> Any:
        options = {"num_round": rounds, "max_max_depth": DEPTH, "n_components": 16, "n_threads": 1}
        return self.regressor(**options).fit(X, y, sample_weight=weight)

    def save(self, model: Any, path: str) -> None:
        model.save(path)

    def load(self, path: str) -> Any:
        return self.regressor.load(path).set_params(n_threads=1)

    def predict(self, model: Any, X: Any) -> Any:
        return model.predict(X)


BOOSTERS: dict[str, type[Booster]] = {
    "mixboost": MixBoost,
    "XGBoost": XGBoost,
    "LightGBM": LightGBM,
    "CatBoost": CatBoost,
}


def rows() -> tuple[Any, Any]:
    numbers = np.random.default_rng(0)
    X = numbers.uniform(-3, 3, (500, 5))
    return X, np.sin(X[:, 0]) + (X[:, 1] > 0) + 0.1 * numbers.normal(size=500)


# ---- Processes ----


def start_child(action: Callable[[], int], messages: Path) -> int:
    """Forks a process that does something and ends with its code; what it prints goes to a file."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            for stream in (1, 2):
                os.dup2(os.open(messages, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND, 0o600), stream)
            code = action()
        finally:
            os._exit(code)
    return child


def in_a_child(action: Callable[[], int], messages: Path) -> int:
    """How a process ended that did something."""
    return os.waitpid(start_child(action, messages), 0)[1]


def must_succeed(action: Callable[[], None], messages: Path) -> None:
    def succeed() -> int:
        action()
        return 0

    if in_a_child(succeed, messages) != 0:
        sys.exit(messages.read_text(errors="replace"))
