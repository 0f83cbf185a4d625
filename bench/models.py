"""Models that are trained once and kept in files, and the quickest documented call of each for predictions.

Started with a Wanted as JSON it trains that model.
"""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from cases import Case
from contestants import FITS, Array, Predict, Work, build_of, package_of, train_mixboost
from datasets import load, make_files
from places import SCRATCH
from serving_cases import TRAINED_ON

FOLDER = SCRATCH / "models"


# ---- Files ------------------------------------------------------------------------------------------------------


def train_default(x: Array, y: Array, work: Work) -> Any:
    from mixboost import MixBoostRegressor

    return MixBoostRegressor(num_round=work.rounds, n_threads=work.threads).fit(x, y)


def train_symmetric(x: Array, y: Array, work: Work) -> Any:
    return train_mixboost(x, y, work, symmetric_probability=1.0, symmetric_depth=work.depth)


def load_mixboost(path: Path) -> Any:
    from mixboost import MixBoostRegressor

    return MixBoostRegressor.load(path)


def load_lightgbm(path: Path) -> Any:
    import lightgbm

    return lightgbm.Booster(model_file=path)


def load_xgboost(path: Path) -> Any:
    import xgboost

    return xgboost.Booster(model_file=path)


def load_catboost(path: Path) -> Any:
    from catboost import CatBoostRegressor

    return CatBoostRegressor().load_model(str(path))


def save_pickle(model: Any, path: Path) -> None:
    path.write_bytes(pickle.dumps(model))


def load_pickle(path: Path) -> Any:
    return pickle.loads(path.read_bytes())


class Kept(NamedTuple):
    """How one kind of model is made, written and read: in its own format, or as Python keeps any object."""

    ending: str
    train: Callable[[Array, Array, Work], Any]
    save: Callable[[Any, Path], None]
    load: Callable[[Path], Any]


def save_mixboost(model: Any, path: Path) -> None:
    model.save(path)


def save_model(model: Any, path: Path) -> None:
    model.save_model(str(path))


MODELS = {
    "mixboost": Kept("mxb", FITS["mixboost"].train, save_mixboost, load_mixboost),
    "mixboost symmetric": Kept("mxb", train_symmetric, save_mixboost, load_mixboost),
    "mixboost default": Kept("mxb", train_default, save_mixboost, load_mixboost),
    "LightGBM": Kept("txt", FITS["LightGBM"].train, save_model, load_lightgbm),
    "XGBoost": Kept("ubj", FITS["XGBoost"].train, save_model, load_xgboost),
    "CatBoost": Kept("cbm", FITS["CatBoost"].train, save_model, load_catboost),
    "CatBoost depth-wise": Kept("cbm", FITS["CatBoost depth-wise"].train, save_model, load_catboost),
    "snapml": Kept("pickle", FITS["snapml"].train, save_pickle, load_pickle),
    "snapml mixed": Kept("pickle", FITS["snapml mixed"].train, save_pickle, load_pickle),
    "scikit-learn": Kept("pickle", FITS["scikit-learn"].train, save_pickle, load_pickle),
}


@dataclass(frozen=True)
class Wanted:
    """A model: of whom, and how large."""

    name: str  # in MODELS
    rounds: int
    depth: int

    def path(self) -> Path:
        version, digest = build_of(package_of(self.name))
        return FOLDER / f"{self.stem()}-{version}{digest}.{MODELS[self.name].ending}"

    def stem(self) -> str:
        return f"{self.name.replace(' ', '-')}-{self.rounds}-{self.depth}"

    def load(self) -> Any:
        return MODELS[self.name].load(self.path())


def model_of(contestant: str) -> str:
    """The model that it predicts with: the longest name in MODELS that its own begins with."""
    return max((name for name in MODELS if contestant.startswith(name)), key=len)


def wanted_by(contestant: str, case: Case) -> Wanted:
    return Wanted(model_of(contestant), case.rounds, case.depth)


def models_of(case: Case) -> list[Wanted]:
    """All that a case needs."""
    contestants = case.contestants if case.has_models else []
    return list(dict.fromkeys(wanted_by(contestant, case) for contestant in contestants))


def train(wanted: Wanted) -> None:
    """Regression by all processors; a file of another version gives way."""
    x, y = load(make_files(TRAINED_ON), "train")
    kept, path = MODELS[wanted.name], wanted.path()
    model = kept.train(x, y, Work(wanted.rounds, wanted.depth, os.cpu_count() or 1, classify=False))
    FOLDER.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f"unfinished-{os.getpid()}.{kept.ending}")
    kept.save(model, unfinished)
    for old in FOLDER.glob(f"{wanted.stem()}-*"):
        old.unlink()
    unfinished.rename(path)


def train_apart(wanted: Wanted) -> str | None:
    """Trains in a process of its own unless there is the file; returns the last line of an error."""
    if wanted.path().exists():
        return None
    command = [sys.executable, __file__, json.dumps(asdict(wanted))]
    env = {**os.environ, "OMP_WAIT_POLICY": "PASSIVE"}  # threads that wait in a loop take hours on a busy machine
    answer = subprocess.run(command, env=env, capture_output=True, text=True)
    return None if answer.returncode == 0 else (answer.stderr.strip().splitlines() or ["it failed"])[-1]


# ---- Calls ------------------------------------------------------------------------------------------------------


def call_mixboost(model: Any, threads: int) -> Predict:
    model.set_params(n_threads=threads)
    return partial(model.predict)


def call_lightgbm(model: Any, threads: int) -> Predict:
    return partial(model.predict, num_threads=threads)


def call_xgboost(model: Any, threads: int) -> Predict:
    model.set_param({"nthread": threads})
    return partial(model.inplace_predict)


def call_xgboost_matrix(model: Any, threads: int) -> Predict:
    import xgboost

    model.set_param({"nthread": threads})
    return lambda rows: np.asarray(model.predict(xgboost.DMatrix(rows, nthread=threads)))


def call_catboost(model: Any, threads: int) -> Predict:
    return partial(model.predict, thread_count=threads)


def call_snapml(model: Any, threads: int) -> Predict:
    """Its trees are brought into the form that it has for predictions."""
    model.set_params(n_jobs=threads)
    model.optimize_trees(tree_format="compress_trees")
    return partial(model.predict)


def call_estimator(model: Any, _threads: int) -> Predict:
    """The threads of scikit-learn are those of OMP_NUM_THREADS, which compare.py sets."""
    return partial(model.predict)


Prepare = Callable[[Any, int], Predict]  # a model and a number of threads give a function of rows

CALLS: dict[str, Prepare] = {
    "mixboost": call_mixboost,
    "mixboost symmetric": call_mixboost,
    "mixboost default": call_mixboost,
    "LightGBM": call_lightgbm,
    "XGBoost": call_xgboost,
    "XGBoost DMatrix": call_xgboost_matrix,
    "CatBoost": call_catboost,
    "CatBoost depth-wise": call_catboost,
    "snapml": call_snapml,
    "snapml mixed": call_snapml,
    "scikit-learn": call_estimator,
}


if __name__ == "__main__":
    train(Wanted(**json.loads(sys.argv[1])))
