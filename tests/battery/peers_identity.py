"""Trains a booster again and again with 1 to 16 threads, and counts how many different models and predictions come out.

    peers_identity.py LIBRARY LOSS

Weights span 1e-6 to 1e6; LOSS is `squared`, with labels exp(6 z) of normal z, or `logistic`. Of a model only what says
how it was made, and when, is left out. The last one is also saved and loaded, and pickled twice.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import json
import pickle
import re
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

N_THREADS = 16
N_ROWS, N_FEATURES, N_ROUNDS = 20_000, 10, 50


class Library(NamedTuple):
    module: str
    fit: Callable[[Any, str, Any, int], Any]  # of the module, the loss, rows and threads
    predict: Callable[[Any, Any, Any], Any]  # of the module, a model and features
    save: Callable[[Any, str], None]
    load: Callable[[Any, str, str], Any]  # of the module, the loss and a path
    content: Callable[[Any, str], bytes]  # what a training must repeat; of a model and a path to use


class Rows(NamedTuple):
    X: Any
    y: Any
    weight: Any


def rows(loss: str) -> Rows:
    numbers = np.random.default_rng(0)
    X = numbers.normal(size=(N_ROWS, N_FEATURES))
    score = X[:, 0] * X[:, 1] + (X[:, 2] > 1) + 0.5 * X[:, 3]
    y = np.exp(6 * numbers.normal(size=N_ROWS)) + score
    if loss == "logistic":
        y = (score + numbers.normal(size=N_ROWS) > 0.4).astype(float)
    return Rows(X, y, 10.0 ** numbers.uniform(-6, 6, N_ROWS))


# ---- The libraries ----


def fit_xgboost(xgboost: Any, loss: str, data: Rows, n_threads: int) -> Any:
    objective = {"squared": "reg:squarederror", "logistic": "binary:logistic"}[loss]
    params = {"objective": objective, "max_depth": 6, "nthread": n_threads}
    matrix = xgboost.DMatrix(data.X, data.y, weight=data.weight, nthread=n_threads)
    return xgboost.train(params, matrix, num_boost_round=N_ROUNDS)


def fit_lightgbm(lightgbm: Any, loss: str, data: Rows, n_threads: int) -> Any:
    """With the options by which its documentation promises the same model for any number of threads."""
    params = {"objective": {"squared": "regression", "logistic": "binary"}[loss], "num_threads": n_threads}
    params |= {"deterministic": True, "force_row_wise": True, "verbosity": -1}
    return lightgbm.train(params, lightgbm.Dataset(data.X, data.y, weight=data.weight), num_boost_round=N_ROUNDS)


def content_of_lightgbm(model: Any, _path: str) -> bytes:
    return re.sub(r"^\[num_threads: .*\n", "", model.model_to_string(), flags=re.MULTILINE).encode()


def fit_catboost(catboost: Any, loss: str, data: Rows, n_threads: int) -> Any:
    objective = {"squared": "RMSE", "logistic": "Logloss"}[loss]
    options = {"iterations": N_ROUNDS, "thread_count": n_threads, "allow_writing_files": False, "verbose": 0}
    return catboost.CatBoost({"loss_function": objective, **options}).fit(data.X, data.y, sample_weight=data.weight)


def content_of_catboost(model: Any, path: str) -> bytes:
    model.save_model(path, format="json")
    parts = json.loads(Path(path).read_bytes())
    return json.dumps({name: part for name, part in parts.items() if name != "model_info"}).encode()


def mixboost_kind(mixboost: Any, loss: str) -> Any:
    return {"squared": mixboost.MixBoostRegressor, "logistic": mixboost.MixBoostClassifier}[loss]


def fit_mixboost(mixboost: Any, loss: str, data: Rows, n_threads: int) -> Any:
    """Trees and fourier rounds, half of each."""
    options = {"num_round": N_ROUNDS, "tree_probability": 0.5, "n_threads": n_threads}
    return mixboost_kind(mixboost, loss)(**options).fit(data.X, data.y, sample_weight=data.weight)


def content_of_mixboost(model: Any, path: str) -> bytes:
    model.save(path)
    return Path(path).read_bytes()


LIBRARIES = {
    "XGBoost": Library(
        "xgboost",
        fit_xgboost,
        lambda xgboost, model, X: model.predict(xgboost.DMatrix(X)),
        lambda model, path: model.save_model(f"{path}.ubj"),
        lambda xgboost, _loss, path: xgboost.Booster(model_file=f"{path}.ubj"),
        lambda model, _path: bytes(model.save_raw("ubj")),
    ),
    "LightGBM": Library(
        "lightgbm",
        fit_lightgbm,
        lambda _lightgbm, model, X: model.predict(X),
        lambda model, path: model.save_model(path),
        lambda lightgbm, _loss, path: lightgbm.Booster(model_file=path),
        content_of_lightgbm,
    ),
    "CatBoost": Library(
        "catboost",
        fit_catboost,
        lambda _catboost, model, X: model.predict(X),
        lambda model, path: model.save_model(path),
        lambda catboost, _loss, path: catboost.CatBoost().load_model(path),
        content_of_catboost,
    ),
    "mixboost": Library(
        "mixboost",
        fit_mixboost,
        lambda _mixboost, model, X: getattr(model, "decision_function", model.predict)(X),
        lambda model, path: model.save(path),
        lambda mixboost, loss, path: mixboost_kind(mixboost, loss).load(path),
        content_of_mixboost,
    ),
}


# ---- What is counted ----


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("library", choices=LIBRARIES)
    parser.add_argument("loss", choices=["squared", "logistic"])
    arguments = parser.parse_args()
    library, loss = LIBRARIES[arguments.library], arguments.loss
    module = importlib.import_module(library.module)
    data = rows(loss)
    with tempfile.TemporaryDirectory() as folder:

        def digests(model: Any) -> tuple[str, str]:
            predicted = np.ascontiguousarray(library.predict(module, model, data.X))
            return digest(library.content(model, f"{folder}/content")), digest(predicted.tobytes())

        made = []
        for n_threads in range(1, N_THREADS + 1):
            model = library.fit(module, loss, data, n_threads)
            made.append(digests(model))
        library.save(model, f"{folder}/model")
        loaded = digests(library.load(module, loss, f"{folder}/model"))
        pickled = digests(pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(model)))))
    models, predictions = map(set, zip(*made, strict=True))
    print(f"{module.__version__}: {len(made)} trainings, {len(models)} models, {len(predictions)} predictions,")
    print(f"{loaded != made[-1]:d} changed by a file, {pickled != made[-1]:d} by pickles")


if __name__ == "__main__":
    main()
