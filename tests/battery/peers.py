"""The boosters that parts of the battery compare: how each trains, saves, loads and predicts; and processes to try them
in, forked from one that has imported the library and done nothing with it."""

from __future__ import annotations

import collections
import importlib
import json
import os
import re
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

N_ROUNDS = 20
MOST_HANGS = 100  # each takes all the time that it may
CRASHED = 99  # exit code of a process that has not come to the end of its work
LOSSES = ("squared", "logistic")
NO_MEMORY = re.compile(r"bad_?alloc|out of memory|cannot allocate|allocate memory|MemoryError|std::length_error", re.I)


class Booster:
    """One of the libraries with its defaults, for a loss, on so many threads."""

    module: str
    suffix: str  # of its model files, the usual one
    objectives: ClassVar[dict[str, str]]  # what it calls the losses

    def __init__(self, loss: str = "squared", n_threads: int = 1) -> None:
        self.library: Any = importlib.import_module(self.module)
        self.objective, self.n_threads = self.objectives[loss], n_threads

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

    def content(self, model: Any, path: str) -> bytes:
        """What a training must repeat; `path` is free to use."""
        self.save(model, path)
        return Path(path).read_bytes()


class XGBoost(Booster):
    module, suffix = "xgboost", "ubj"
    objectives: ClassVar = {"squared": "reg:squarederror", "logistic": "binary:logistic"}

    def fit(self, X: Any, y: Any, weight: Any = None, rounds: int = N_ROUNDS) -> Any:
        data = self.library.DMatrix(X, y, weight=weight, nthread=self.n_threads)
        params = {"objective": self.objective, "nthread": self.n_threads}
        return self.library.train(params, data, num_boost_round=rounds)

    def load(self, path: str) -> Any:
        return self.library.Booster({"nthread": self.n_threads}, model_file=path)

    def predict(self, model: Any, X: Any) -> Any:
        return model.predict(self.library.DMatrix(X, nthread=self.n_threads))


class LightGBM(Booster):
    """With the options by which its documentation promises the same model for any number of threads."""

    module, suffix = "lightgbm", "txt"
    objectives: ClassVar = {"squared": "regression", "logistic": "binary"}

    def fit(self, X: Any, y: Any, weight: Any = None, rounds: int = N_ROUNDS) -> Any:
        params = {"objective": self.objective, "num_threads": self.n_threads, "verbosity": -1}
        params |= {"deterministic": True, "force_row_wise": True}
        return self.library.train(params, self.library.Dataset(X, y, weight=weight), num_boost_round=rounds)

    def load(self, path: str) -> Any:
        return self.library.Booster(model_file=path)

    def predict(self, model: Any, X: Any) -> Any:
        return model.predict(X, num_threads=self.n_threads)

    def content(self, model: Any, path: str) -> bytes:
        return re.sub(rb"^\[num_threads: .*\n", b"", super().content(model, path), flags=re.MULTILINE)


class CatBoost(Booster):
    module, suffix = "catboost", "cbm"
    objectives: ClassVar = {"squared": "RMSE", "logistic": "Logloss"}

    def fit(self, X: Any, y: Any, weight: Any = None, rounds: int = N_ROUNDS) -> Any:
        options = {"iterations": rounds, "thread_count": self.n_threads, "allow_writing_files": False, "verbose": 0}
        return self.library.CatBoost({"loss_function": self.objective, **options}).fit(X, y, sample_weight=weight)

    def load(self, path: str) -> Any:
        return self.library.CatBoost().load_model(path)

    def predict(self, model: Any, X: Any) -> Any:
        return model.predict(X, thread_count=self.n_threads)

    def content(self, model: Any, path: str) -> bytes:
        """Without when and how it was made."""
        model.save_model(path, format="json")
        parts = json.loads(Path(path).read_bytes())
        return json.dumps({name: part for name, part in parts.items() if name != "model_info"}).encode()


class MixBoost(Booster):
    """Trees and fourier rounds, half of each."""

    module, suffix = "mixboost", "mxb"
    objectives: ClassVar = {"squared": "MixBoostRegressor", "logistic": "MixBoostClassifier"}

    def __init__(self, loss: str = "squared", n_threads: int = 1) -> None:
        super().__init__(loss, n_threads)
        self.kind = getattr(self.library, self.objective)  # imported only now

    def fit(self, X: Any, y: Any, weight: Any = None, rounds: int = N_ROUNDS) -> Any:
        options = {"num_round": rounds, "tree_probability": 0.5, "n_components": 16, "n_threads": self.n_threads}
        return self.kind(**options).fit(X, y, sample_weight=weight)

    def save(self, model: Any, path: str) -> None:
        model.save(path)

    def load(self, path: str) -> Any:
        return self.kind.load(path).set_params(n_threads=self.n_threads)

    def predict(self, model: Any, X: Any) -> Any:
        return getattr(model, "decision_function", model.predict)(X)


BOOSTERS: dict[str, type[Booster]] = {one.__name__: one for one in (XGBoost, LightGBM, CatBoost)}
BOOSTERS["mixboost"] = MixBoost


def rows(n: int = 500) -> tuple[Any, Any]:
    numbers = np.random.default_rng(0)
    X = numbers.uniform(-3, 3, (n, 5))
    return X, np.sin(X[:, 0]) + (X[:, 1] > 0) + 0.1 * numbers.normal(size=n)


# ---- Processes ----


def start_child(action: Callable[[], int], messages: Path) -> int:
    """Forks a process that does something and ends with its code; what it prints goes to a file. Codes that mean
    something should be such as no library ends a process with."""
    child = os.fork()
    if child == 0:
        code = CRASHED
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


def count_ends(found: Iterable[str]) -> collections.Counter[str]:
    """How often each was found, up to so many that hang."""
    ends: collections.Counter[str] = collections.Counter()
    for end in found:
        ends[end] += 1
        if ends["hangs"] == MOST_HANGS:
            break
    return ends


def must_succeed(action: Callable[[], None], messages: Path) -> None:
    def succeed() -> int:
        action()
        return 0

    if in_a_child(succeed, messages) != 0:
        sys.exit(messages.read_text(errors="replace"))
