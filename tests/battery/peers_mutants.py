"""Model files of a booster, changed at random: each is loaded, and rows predicted, in a process of its own.

    peers_mutants.py LIBRARY FORMAT EDITS [--count N] [--seed SEED]

EDITS is `bytes`, one to eight random ones, or `numbers`, one number of a file of text. The process is forked from one
that has imported the library and done nothing with it, has 4 GiB of addresses, and ten seconds.
"""

from __future__ import annotations

import argparse
import collections
import importlib
import os
import random
import re
import resource
import signal
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

ADDRESSES, SECONDS = 4 << 30, 10
NO_MEMORY = re.compile(r"bad_?alloc|out of memory|cannot allocate|allocate memory|MemoryError|std::length_error", re.I)

ENDS = ["refused", "same", "different", "blow_ups", "crashes", "hangs"]
REFUSED, SAME, DIFFERENT, NO_ROOM = range(4)  # exit codes


class Library(NamedTuple):
    module: str
    name: str  # of what it loads a model into, which it may import late
    fit: Callable[[Any, Any, Any, str], None]  # of the module, rows and targets; saves the model to a path
    predict: Callable[[Any, str, Any], Any]  # of the module, a path and rows


def fit_xgboost(xgboost: Any, X: Any, y: Any, path: str) -> None:
    params = {"max_depth": 4, "nthread": 1}
    xgboost.train(params, xgboost.DMatrix(X, y, nthread=1), num_boost_round=20).save_model(path)


def predict_xgboost(xgboost: Any, path: str, X: Any) -> Any:
    return xgboost.Booster({"nthread": 1}, model_file=path).predict(xgboost.DMatrix(X, nthread=1))


def fit_lightgbm(lightgbm: Any, X: Any, y: Any, path: str) -> None:
    params = {"num_leaves": 15, "num_threads": 1, "verbosity": -1}
    lightgbm.train(params, lightgbm.Dataset(X, y), num_boost_round=20).save_model(path)


def predict_lightgbm(lightgbm: Any, path: str, X: Any) -> Any:
    return lightgbm.Booster(model_file=path).predict(X, num_threads=1)


def fit_catboost(catboost: Any, X: Any, y: Any, path: str) -> None:
    model = catboost.CatBoostRegressor(iterations=20, depth=4, thread_count=1, allow_writing_files=False, verbose=0)
    model.fit(X, y).save_model(path)


def predict_catboost(catboost: Any, path: str, X: Any) -> Any:
    return catboost.CatBoostRegressor().load_model(path).predict(X, thread_count=1)


def fit_mixboost(mixboost: Any, X: Any, y: Any, path: str) -> None:
    mixboost.MixBoostRegressor(num_round=20, max_max_depth=4, n_components=16, n_threads=1).fit(X, y).save(path)


def predict_mixboost(mixboost: Any, path: str, X: Any) -> Any:
    return mixboost.MixBoostRegressor.load(path).set_params(n_threads=1).predict(X)


LIBRARIES = {
    "XGBoost": Library("xgboost", "Booster", fit_xgboost, predict_xgboost),
    "LightGBM": Library("lightgbm", "Booster", fit_lightgbm, predict_lightgbm),
    "CatBoost": Library("catboost", "CatBoostRegressor", fit_catboost, predict_catboost),
    "mixboost": Library("mixboost", "MixBoostRegressor", fit_mixboost, predict_mixboost),
}


# ---- Edits ----


def edit_bytes(dice: random.Random, data: bytes) -> bytes:
    edited = bytearray(data)
    for _ in range(dice.randint(1, 8)):
        edited[dice.randrange(len(edited))] ^= dice.randint(1, 255)
    return bytes(edited)


EDGES = [0, 1, -1, 2, 255, 65536, 2**31 - 1, 2**31, -(2**31), 2**32, 2**63 - 1, 2**64, "1e308", "1e400", "nan", "0.5"]


def edit_number(dice: random.Random, data: bytes) -> bytes:
    places = list(re.finditer(rb"-?\d+(\.\d+)?([eE][-+]?\d+)?", data))
    place = dice.choice(places)
    return data[: place.start()] + str(dice.choice(EDGES)).encode() + data[place.end() :]


EDITS = {"bytes": edit_bytes, "numbers": edit_number}


# ---- Processes ----


def in_a_child(action: Callable[[], int], messages: Path) -> int:
    """How a forked process ended that did something, and what became of what it printed."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            for stream in (1, 2):
                os.dup2(os.open(messages, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND, 0o600), stream)
            code = action()
        finally:
            os._exit(code)
    return os.waitpid(child, 0)[1]


def rows() -> tuple[Any, Any]:
    numbers = np.random.default_rng(0)
    X = numbers.uniform(-3, 3, (500, 5))
    return X, np.sin(X[:, 0]) + (X[:, 1] > 0) + 0.1 * numbers.normal(size=500)


def make_model(library: Library, module: Any, path: str, expected: Path, messages: Path) -> None:
    def action() -> int:
        X, y = rows()
        library.fit(module, X, y, path)
        np.save(expected, library.predict(module, path, X))
        return 0

    if in_a_child(action, messages) != 0:
        sys.exit(messages.read_text(errors="replace"))


def load_and_predict(library: Library, module: Any, path: str, expected: Any) -> int:
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESSES, ADDRESSES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.alarm(SECONDS)
    try:
        predicted = np.asarray(library.predict(module, path, rows()[0]))
    except MemoryError:
        return NO_ROOM
    except Exception as error:
        return NO_ROOM if NO_MEMORY.search(str(error)) else REFUSED
    return SAME if predicted.tobytes() == expected.tobytes() else DIFFERENT


def name_end(status: int, messages: Path) -> str:
    if os.WIFEXITED(status):
        return ENDS[os.WEXITSTATUS(status)]
    if os.WTERMSIG(status) == signal.SIGALRM:
        return "hangs"
    return "blow_ups" if NO_MEMORY.search(messages.read_text(errors="replace")) else "crashes"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("library", choices=LIBRARIES)
    parser.add_argument("format")
    parser.add_argument("edits", choices=EDITS)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    library = LIBRARIES[arguments.library]
    module = importlib.import_module(library.module)
    getattr(module, library.name)
    ends: collections.Counter[str] = collections.Counter()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path, messages = str(folder / f"model.{arguments.format}"), folder / "messages"
        make_model(library, module, path, folder / "expected.npy", messages)
        data, expected = Path(path).read_bytes(), np.load(folder / "expected.npy")
        for seed in range(arguments.seed, arguments.seed + arguments.count):
            edited = EDITS[arguments.edits](random.Random(seed), data)
            Path(path).write_bytes(edited)
            status = in_a_child(lambda: load_and_predict(library, module, path, expected), messages)
            ends[name_end(status, messages)] += edited != data
    print(f"{getattr(module, '__version__', '')}: " + ", ".join(f"{ends[end]} {end}" for end in ENDS))


if __name__ == "__main__":
    main()
