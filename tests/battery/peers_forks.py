"""Trainings and predictions of a booster around a fork, each compared with the same one before any fork.

    peers_forks.py LIBRARY SITUATION [--count N]

`trained`: the parent has trained, and both train on. `loaded`: the parent has loaded a model and predicted, as a server
does before it forks its workers; the child predicts, and loads it again. `pool`: workers of multiprocessing train. Each
library works with two threads, and each child or pool has ten seconds.
"""

from __future__ import annotations

import argparse
import collections
import importlib
import multiprocessing
import os
import signal
import tempfile
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

SECONDS, THREADS, WORKERS = 10, 2, 2
ENDS = ["same", "different", "hangs", "crashes"]
SAME, DIFFERENT = range(2)  # exit codes


class Library(NamedTuple):
    module: str
    fit: Callable[[Any, Any, Any], Any]  # of the module, rows and targets
    predict: Callable[[Any, Any, Any], Any]  # of the module, a model and rows
    save: Callable[[Any, str], Any]
    load: Callable[[Any, str], Any]


def fit_xgboost(xgboost: Any, X: Any, y: Any) -> Any:
    rows = xgboost.DMatrix(X, y, nthread=THREADS)
    return xgboost.train({"max_depth": 4, "nthread": THREADS}, rows, num_boost_round=5)


def predict_xgboost(xgboost: Any, model: Any, X: Any) -> Any:
    return model.predict(xgboost.DMatrix(X, nthread=THREADS))


def load_xgboost(xgboost: Any, path: str) -> Any:
    return xgboost.Booster({"nthread": THREADS}, model_file=path)


def fit_lightgbm(lightgbm: Any, X: Any, y: Any) -> Any:
    params = {"num_leaves": 15, "num_threads": THREADS, "verbosity": -1}
    return lightgbm.train(params, lightgbm.Dataset(X, y), num_boost_round=5)


def predict_lightgbm(_lightgbm: Any, model: Any, X: Any) -> Any:
    return model.predict(X, num_threads=THREADS)


def load_lightgbm(lightgbm: Any, path: str) -> Any:
    return lightgbm.Booster(model_file=path)


def fit_catboost(catboost: Any, X: Any, y: Any) -> Any:
    options = {"iterations": 5, "depth": 4, "thread_count": THREADS, "allow_writing_files": False, "verbose": 0}
    return catboost.CatBoostRegressor(**options).fit(X, y)


def predict_catboost(_catboost: Any, model: Any, X: Any) -> Any:
    return model.predict(X, thread_count=THREADS)


def load_catboost(catboost: Any, path: str) -> Any:
    return catboost.CatBoostRegressor().load_model(path)


def fit_mixboost(mixboost: Any, X: Any, y: Any) -> Any:
    options = {"num_round": 5, "tree_probability": 0.5, "n_components": 16, "n_threads": THREADS}
    return mixboost.MixBoostRegressor(**options).fit(X, y)


def predict_mixboost(_mixboost: Any, model: Any, X: Any) -> Any:
    return model.predict(X)


def load_mixboost(mixboost: Any, path: str) -> Any:
    return mixboost.MixBoostRegressor.load(path).set_params(n_threads=THREADS)


def save_model(model: Any, path: str) -> None:
    model.save_model(path)


LIBRARIES = {
    "XGBoost": Library("xgboost", fit_xgboost, predict_xgboost, save_model, load_xgboost),
    "LightGBM": Library("lightgbm", fit_lightgbm, predict_lightgbm, save_model, load_lightgbm),
    "CatBoost": Library("catboost", fit_catboost, predict_catboost, save_model, load_catboost),
    "mixboost": Library(
        "mixboost", fit_mixboost, predict_mixboost, lambda model, path: model.save(path), load_mixboost
    ),
}
FORMATS = {"XGBoost": "ubj", "LightGBM": "txt", "CatBoost": "cbm", "mixboost": "mxb"}


def rows(n: int = 6000) -> tuple[Any, Any]:
    """Enough of them for a library to share them among its threads."""
    numbers = np.random.default_rng(0)
    X = numbers.uniform(-3, 3, (n, 6))
    return X, np.sin(X[:, 0]) + (X[:, 1] > 0) + 0.1 * numbers.normal(size=n)


# ---- Children ----


def end_in_a_child(work: Callable[[], bool], meanwhile: Callable[[], object]) -> str:
    """How a forked process ended that was asked whether all is the same; the parent works, too."""
    child = os.fork()
    if child == 0:
        code = len(ENDS)
        try:
            signal.alarm(SECONDS)
            code = SAME if work() else DIFFERENT
        finally:
            os._exit(code)
    meanwhile()
    status = os.waitpid(child, 0)[1]
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGALRM:
        return "hangs"
    return ENDS[os.WEXITSTATUS(status)] if status in (SAME << 8, DIFFERENT << 8) else "crashes"


class Trainings:
    """Of one library: what it gave before any fork, and whether it gives that again."""

    def __init__(self, name: str) -> None:
        self._library = LIBRARIES[name]
        self._module = importlib.import_module(self._library.module)
        self._X, self._y = rows()
        self._model = self._library.fit(self._module, self._X, self._y)
        self._expected = self._predicted(self._model)

    def _predicted(self, model: Any) -> bytes:
        return np.asarray(self._library.predict(self._module, model, self._X)).tobytes()

    def save(self, path: str) -> None:
        self._library.save(self._model, path)

    def trains(self) -> bool:
        return self._predicted(self._library.fit(self._module, self._X, self._y)) == self._expected

    def loads(self, path: str) -> bool:
        loaded = self._library.load(self._module, path)
        return self._predicted(self._model) == self._predicted(loaded) == self._expected


inherited: list[Trainings] = []  # of a worker


def train_in_a_worker(_index: int) -> bool:
    return inherited[0].trains()


def end_of_a_pool(trainings: Trainings) -> str:
    with multiprocessing.get_context("fork").Pool(WORKERS, inherited.append, (trainings,)) as pool:
        try:
            same = pool.map_async(train_in_a_worker, range(WORKERS)).get(SECONDS)
        except multiprocessing.TimeoutError:
            return "hangs"
    return "same" if all(same) else "different"


def ends(name: str, situation: str, count: int, path: str) -> collections.Counter[str]:
    trainings = Trainings(name)
    trainings.save(path)
    if situation == "pool":
        return collections.Counter(end_of_a_pool(trainings) for _ in range(count))
    work = trainings.trains if situation == "trained" else lambda: trainings.loads(path)
    return collections.Counter(end_in_a_child(work, work) for _ in range(count))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("library", choices=LIBRARIES)
    parser.add_argument("situation", choices=["trained", "loaded", "pool"])
    parser.add_argument("--count", type=int, default=200)
    arguments = parser.parse_args()
    warnings.filterwarnings("ignore", message="This process .* is multi-threaded", category=DeprecationWarning)
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/model.{FORMATS[arguments.library]}"
        found = ends(arguments.library, arguments.situation, arguments.count, path)
    print(f"{sum(found.values())} repeats: " + ", ".join(f"{found[end]} {end}" for end in ENDS))


if __name__ == "__main__":
    main()
