"""Everybody who takes part: how each is asked for the same trees, the same rounds and the same bins.

All grow trees of the same depth on the same number of bins, take every row and feature and one Newton step a leaf, with
the same learning rate and penalties. Beyond that each keeps its own defaults.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module, metadata
from pathlib import Path
from typing import Any

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


def probability_of_1(model: Any) -> Predict:
    return lambda rows: np.asarray(model.predict_proba(rows))[:, 1]


def predictor(model: Any, work: Work) -> Predict:
    """The predictions of an estimator: probabilities, or numbers."""
    if work.classify:
        return probability_of_1(model)
    return lambda rows: np.asarray(model.predict(rows))


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


def fit_mixboost(x: Array, y: Array, work: Work, tree_probability: float = 1.0) -> Predict:
    from mixboost import MixBoostClassifier, MixBoostRegressor

    estimator: Any = MixBoostClassifier if work.classify else MixBoostRegressor
    return predictor(estimator(**mixboost_options(work, tree_probability)).fit(x, y), work)


def fit_mixboost_mixed(x: Array, y: Array, work: Work) -> Predict:
    return fit_mixboost(x, y, work, TREE_PROBABILITY)


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


def fit_lightgbm(x: Array, y: Array, work: Work, **more: Any) -> Predict:
    import lightgbm

    options = lightgbm_options(work, **more)
    model = lightgbm.train(options, lightgbm.Dataset(x, y, params=options), work.rounds)
    return lambda rows: np.asarray(model.predict(rows))


def fit_lightgbm_quantised(x: Array, y: Array, work: Work) -> Predict:
    return fit_lightgbm(x, y, work, use_quantized_grad=True)


def fit_xgboost(x: Array, y: Array, work: Work) -> Predict:
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
    model = xgboost.train(options, data, work.rounds)
    return lambda rows: np.asarray(model.predict(xgboost.DMatrix(rows)))


def fit_catboost(x: Array, y: Array, work: Work, **more: Any) -> Predict:
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
    return predictor(model.fit(x, y), work)


def fit_catboost_depthwise(x: Array, y: Array, work: Work) -> Predict:
    return fit_catboost(x, y, work, grow_policy="Depthwise", min_data_in_leaf=1)


def fit_snapml(x: Array, y: Array, work: Work, tree_probability: float = 1.0) -> Predict:
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
    return predictor(model.fit(x, y), work)


def fit_snapml_mixed(x: Array, y: Array, work: Work) -> Predict:
    return fit_snapml(x, y, work, TREE_PROBABILITY)


def fit_scikit_learn(x: Array, y: Array, work: Work) -> Predict:
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
    return predictor(model.fit(x, y), work)


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


FITS: dict[str, Callable[[Array, Array, Work], Predict]] = {
    "mixboost": fit_mixboost,
    "mixboost mixed": fit_mixboost_mixed,
    "mixboost AVX2": fit_mixboost,
    "mixboost mixed AVX2": fit_mixboost_mixed,
    "LightGBM": fit_lightgbm,
    "LightGBM quantised": fit_lightgbm_quantised,
    "XGBoost": fit_xgboost,
    "CatBoost": fit_catboost,
    "CatBoost depth-wise": fit_catboost_depthwise,
    "snapml": fit_snapml,
    "snapml mixed": fit_snapml_mixed,
    "scikit-learn": fit_scikit_learn,
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


def version_of(contestant: str) -> str:
    """The package's version; of ours also which build of the library it is, and which kernels it was told to use."""
    package = package_of(contestant)
    version = metadata.version(package)
    if package != "mixboost":
        return version
    library = Path(str(import_module(package).__file__)).with_name("libmixboost.so")
    kernels = {**os.environ, **environment_of(contestant)}.get("MIXBOOST_KERNELS", "best")
    return f"{version} ({hashlib.sha256(library.read_bytes()).hexdigest()[:8]}, {kernels} kernels)"
