"""Everybody who takes part: how each is asked for the same trees, the same rounds and the same bins.

All grow trees of the same depth on the same number of bins, take every row and feature and one Newton step a leaf, with
the same learning rate and penalties. Beyond that each keeps its own defaults.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib import import_module, metadata
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Predict = Callable[[Array], Array]

RATE, LAMBDA, LEAST_CHILD = 0.1, 1.0, 1.0
# Of mixed ensembles.
TREE_PROBABILITY, N_COMPONENTS, GAMMA, ALPHA = 0.9, 100, 0.05, 0.001


@dataclass(frozen=True)
class Work:
    """What a contestant has to do."""

    rounds: int
    depth: int
    threads: int
    classify: bool


def of_estimator(model: Any, work: Work) -> Predict:
    """Its predictions: probabilities, or numbers."""
    if work.classify:
        return lambda rows: np.asarray(model.predict_proba(rows))[:, 1]
    return lambda rows: np.asarray(model.predict(rows))


def of_lightgbm(model: Any, _work: Work) -> Predict:
    return lambda rows: np.asarray(model.predict(rows))


def of_xgboost(model: Any, _work: Work) -> Predict:
    import xgboost

    return lambda rows: np.asarray(model.predict(xgboost.DMatrix(rows)))


# ---- Fits: binning included -------------------------------------------------------------------------------------


# What the others have, too: ordinary trees on all rows; and one kernel for all fourier rounds.
PLAIN_LEARNER = {
    "subsample": 1.0,
    "leaf_rows": "sample",
    "symmetric_probability": 0.0,
    "n_projections": 1,
    "fourier_metric": "isotropic",
    "fourier_linear": False,
}


def mixboost_options(work: Work, tree_probability: float) -> dict[str, Any]:
    return {
        **PLAIN_LEARNER,
        "num_round": work.rounds,
        "learning_rate": RATE,
        "lambda_l2": LAMBDA,
        "min_max_depth": work.depth,
        "max_max_depth": work.depth,
        "min_child_weight": LEAST_CHILD,
        "tree_probability": tree_probability,
        "n_components": N_COMPONENTS,
        "gamma": GAMMA,
        "alpha": ALPHA,
        "n_threads": work.threads,
    }


def train_mixboost(x: Array, y: Array, work: Work, tree_probability: float = 1.0, **more: Any) -> Any:
    from mixboost import MixBoostClassifier, MixBoostRegressor

    estimator: Any = MixBoostClassifier if work.classify else MixBoostRegressor
    return estimator(**{**mixboost_options(work, tree_probability), **more}).fit(x, y)


def lightgbm_options(work: Work, **more: Any) -> dict[str, Any]:
    return {
        "objective": "binary" if work.classify else "regression",
        "num_leaves": 2**work.depth,
        "max_depth": work.depth,
        "max_bin": 255,
        "learning_rate": RATE,
        "min_sum_hessian_in_leaf": LEAST_CHILD,
        "min_data_in_leaf": 1,
        "lambda_l2": LAMBDA,
        "num_threads": work.threads,
        "verbosity": -1,
        **more,
    }


def train_lightgbm(x: Array, y: Array, work: Work, **more: Any) -> Any:
    import lightgbm

    options = lightgbm_options(work, **more)
    return lightgbm.train(options, lightgbm.Dataset(x, y, params=options), work.rounds)


def train_xgboost(x: Array, y: Array, work: Work) -> Any:
    import xgboost

    options = {
        "objective": "binary:logistic" if work.classify else "reg:squarederror",
        "tree_method": "hist",
        "max_depth": work.depth,
        "max_bin": 256,
        "learning_rate": RATE,
        "min_child_weight": LEAST_CHILD,
        "reg_lambda": LAMBDA,
        "nthread": work.threads,
    }
    data = xgboost.QuantileDMatrix(x, y, max_bin=256, nthread=work.threads)
    return xgboost.train(options, data, work.rounds)


def train_catboost(x: Array, y: Array, work: Work, **more: Any) -> Any:
    from catboost import CatBoostClassifier, CatBoostRegressor

    estimator = CatBoostClassifier if work.classify else CatBoostRegressor
    model = estimator(
        iterations=work.rounds,
        learning_rate=RATE,
        depth=work.depth,
        border_count=254,
        l2_leaf_reg=LAMBDA,
        bootstrap_type="No",
        random_strength=0,
        leaf_estimation_iterations=1,
        boost_from_average=True,
        thread_count=work.threads,
        verbose=False,
        allow_writing_files=False,
        **more,
    )
    return model.fit(x, y)


def train_snapml(x: Array, y: Array, work: Work, tree_probability: float = 1.0) -> Any:
    from snapml import BoostingMachineClassifier, BoostingMachineRegressor

    estimator = BoostingMachineClassifier if work.classify else BoostingMachineRegressor
    model = estimator(
        num_round=work.rounds,
        learning_rate=RATE,
        max_depth=work.depth,
        hist_nbins=256,
        lambda_l2=LAMBDA,
        tree_select_probability=tree_probability,
        n_components=N_COMPONENTS,
        gamma=GAMMA,
        regularizer=ALPHA,
        fit_intercept=True,
        n_jobs=work.threads,
    )
    return model.fit(x, y)


def train_scikit_learn(x: Array, y: Array, work: Work) -> Any:
    """Its threads are those of OMP_NUM_THREADS, which compare.py sets."""
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

    estimator = HistGradientBoostingClassifier if work.classify else HistGradientBoostingRegressor
    model = estimator(
        max_iter=work.rounds,
        learning_rate=RATE,
        max_depth=work.depth,
        max_leaf_nodes=2**work.depth,
        min_samples_leaf=1,
        l2_regularization=LAMBDA,
        max_bins=255,
        early_stopping=False,
    )
    return model.fit(x, y)


# ---- Binning alone ----------------------------------------------------------------------------------------------


def bin_mixboost(x: Array, y: Array, work: Work) -> None:
    """All that happens before the first round."""
    from mixboost import _native

    options = {**mixboost_options(work, 1.0), "objective": "logloss" if work.classify else "mse", "num_round": 1}
    data = _native.Dataset(len(y))
    data.add_matrix(x)
    data.set_label(y)
    _native.Trainer(data, None, _native.Params(options))


def bin_lightgbm(x: Array, y: Array, work: Work) -> None:
    import lightgbm

    lightgbm.Dataset(x, y, params=lightgbm_options(work)).construct()


def bin_xgboost(x: Array, y: Array, work: Work) -> None:
    import xgboost

    xgboost.QuantileDMatrix(x, y, max_bin=256, nthread=work.threads)


def bin_catboost(x: Array, y: Array, work: Work) -> None:
    from catboost import Pool

    Pool(x, y, thread_count=work.threads).quantize(border_count=254)


class Fit(NamedTuple):
    """How a model is trained, and how it is asked for predictions."""

    train: Callable[[Array, Array, Work], Any]
    predictor: Callable[[Any, Work], Predict] = of_estimator


OURS = Fit(train_mixboost)
OURS_MIXED = Fit(partial(train_mixboost, tree_probability=TREE_PROBABILITY))
FITS = {
    "mixboost": OURS,
    "mixboost mixed": OURS_MIXED,
    "mixboost AVX2": OURS,
    "mixboost mixed AVX2": OURS_MIXED,
    "LightGBM": Fit(train_lightgbm, of_lightgbm),
    "LightGBM quantised": Fit(partial(train_lightgbm, use_quantized_grad=True), of_lightgbm),
    "XGBoost": Fit(train_xgboost, of_xgboost),
    "CatBoost": Fit(train_catboost),
    "CatBoost depth-wise": Fit(partial(train_catboost, grow_policy="Depthwise", min_data_in_leaf=1)),
    "snapml": Fit(train_snapml),
    "snapml mixed": Fit(partial(train_snapml, tree_probability=TREE_PROBABILITY)),
    "scikit-learn": Fit(train_scikit_learn),
}
BINS: dict[str, Callable[[Array, Array, Work], None]] = {
    "mixboost": bin_mixboost,
    "mixboost AVX2": bin_mixboost,
    "LightGBM": bin_lightgbm,
    "XGBoost": bin_xgboost,
    "CatBoost": bin_catboost,
}


def package_of(contestant: str) -> str:
    return contestant.split()[0].lower()


def environment_of(contestant: str) -> dict[str, str]:
    """What its process has to be told."""
    return {"MIXBOOST_KERNELS": "avx2"} if contestant.endswith("AVX2") else {}


def build_of(package: str) -> tuple[str, str]:
    """A package's version, and of ours the digest of the library, which says what it was built of."""
    version = metadata.version(package)
    if package != "mixboost":
        return version, ""
    library = Path(str(import_module(package).__file__)).with_name("libmixboost.so")
    return version, hashlib.sha256(library.read_bytes()).hexdigest()[:8]


def version_of(contestant: str) -> str:
    """The package's version; of ours also which build of the library it is, and which kernels it was told to use."""
    version, digest = build_of(package_of(contestant))
    kernels = {**os.environ, **environment_of(contestant)}.get("MIXBOOST_KERNELS", "best")
    return f"{version} ({digest}, {kernels} kernels)" if digest else version
