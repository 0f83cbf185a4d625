"""The other boosters: what the paper draws for each, and how each is asked to fit.

A rival is one of the tables of the paper's appendix. What the comparison with NODE has for SnapBoost, other rounds,
depths and learning rates, is here also what the rivals have there. snapml, which has no published space, gets
SnapBoost's.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from places import ROOT
from scipy.special import expit
from sets import Array

Options = dict[str, Any]
LINEAR, LOG10, INTEGER = "linear", "log10", "integer"
KTBOOST_PYTHON = ROOT / "build" / "python" / "ktboost" / "bin" / "python"
KTBOOST_FIT = Path(__file__).with_name("ktboost_fit.py")


class Range(NamedTuple):
    """What an option is drawn from; exponents on the scale log10, both bounds included on integer."""

    lowest: float
    highest: float
    scale: str = LINEAR


Space = Mapping[str, Range]
MOST_ROUNDS, PATIENCE = 2000, 50  # of those who stop early by themselves, ours at its defaults among them


class Part(NamedTuple):
    """Rows, with a weight each."""

    X: Array
    y: Array
    weights: Array


class How(NamedTuple):
    """What every contestant is told alike."""

    is_classification: bool
    seed: int
    patience: int | None = None  # rounds that early stopping on the validation rows waits


class Fitted(NamedTuple):
    """A model: probabilities of class 1 or numbers, and how many rounds it has, if that is known."""

    predict: Callable[[Array], Array]
    n_rounds: int | None


Fit = Callable[[Options, How, Part, Part | None], Fitted]


@dataclass(frozen=True)
class Rival:
    """One of the others. `fit` is a function of a module, since processes get it by its name."""

    name: str
    package: str
    space: Space
    fit: Fit
    rounds: str  # what it calls the number of rounds
    fixed: Options = field(default_factory=dict)
    stops_early: bool = True
    python: Path | None = None  # that must be there
    patience: int | None = None  # where the experiment has none
    first: Options | None = None  # a configuration before those drawn, with a place in the last stage

    def settings(self, options: Options) -> Options:
        """With what is fixed, unless the options say otherwise, as those of the first configuration may."""
        return {**self.fixed, **options}


def configurations(rival: Rival, n: int, seed: int) -> list[Options]:
    first = [] if rival.first is None else [dict(rival.first)]
    return [*first, *draw(rival.space, n - len(first), seed)]


def draw(space: Space, n: int, seed: int) -> list[Options]:
    """So many configurations; the first ones do not depend on how many there are."""
    random = np.random.default_rng(seed)
    return [{name: draw_one(a_range, random) for name, a_range in space.items()} for _ in range(n)]


def draw_one(a_range: Range, random: np.random.Generator) -> float | int:
    lowest, highest, scale = a_range
    if scale == INTEGER:
        return int(random.integers(int(lowest), int(highest), endpoint=True))
    value = float(random.uniform(lowest, highest))
    return 10.0**value if scale == LOG10 else value


# ---- How each fits ----------------------------------------------------------------------------------------------


def predictor(model: Any, how: How, **arguments: Any) -> Callable[[Array], Array]:
    if how.is_classification:
        return lambda rows: np.asarray(model.predict_proba(rows, **arguments), dtype=np.float64)[:, 1]
    return lambda rows: np.asarray(model.predict(rows, **arguments), dtype=np.float64)


def fit_xgboost(options: Options, how: How, train: Part, valid: Part | None) -> Fitted:
    """It takes no split that gains less than 1e-6, which is a lot where labels are small, so it gets standard ones."""
    from xgboost import XGBClassifier, XGBRegressor

    estimator = XGBClassifier if how.is_classification else XGBRegressor
    mean, deviation = (0.0, 1.0) if how.is_classification else (train.y.mean(), train.y.std() or 1.0)
    model = estimator(**options, early_stopping_rounds=how.patience, verbosity=0, n_jobs=1, random_state=how.seed)
    judge: Options = {"verbose": False}
    if valid is not None:
        labels = (valid.y - mean) / deviation
        judge |= {"eval_set": [(valid.X, labels)], "sample_weight_eval_set": [valid.weights]}
    model.fit(train.X, (train.y - mean) / deviation, sample_weight=train.weights, **judge)
    n_rounds = options["n_estimators"] if valid is None else model.best_iteration + 1

    def predict(rows: Array) -> Array:
        """Its probabilities are float32, in which those near 1 are 1; here they are computed from its scores."""
        if how.is_classification:
            return np.asarray(expit(model.predict(rows, output_margin=True).astype(np.float64)))
        return mean + deviation * np.asarray(model.predict(rows), dtype=np.float64)

    return Fitted(predict, n_rounds)


def fit_lightgbm(options: Options, how: How, train: Part, valid: Part | None) -> Fitted:
    """Without so many leaves its depth would mean little, and without bagging_freq nothing would be sampled."""
    from lightgbm import LGBMClassifier, LGBMRegressor

    estimator = LGBMClassifier if how.is_classification else LGBMRegressor
    leaves = {} if "num_leaves" in options else {"num_leaves": 2 ** options["max_depth"]}
    stops = {} if how.patience is None else {"early_stopping_round": how.patience}
    told = {**options, **leaves, **stops, "bagging_freq": 1}
    model = estimator(**told, verbosity=-1, n_jobs=1, random_state=how.seed)
    judge: Options = {}
    if valid is not None:
        judge = {"eval_set": [(valid.X, valid.y)], "eval_sample_weight": [valid.weights]}
    model.fit(train.X, train.y, sample_weight=train.weights, **judge)
    return Fitted(predictor(model, how), options["n_estimators"] if valid is None else model.best_iteration_)


def fit_catboost(options: Options, how: How, train: Part, valid: Part | None) -> Fitted:
    from catboost import CatBoostClassifier, CatBoostRegressor, Pool

    estimator = CatBoostClassifier if how.is_classification else CatBoostRegressor
    quiet = {"verbose": False, "allow_writing_files": False, "thread_count": 1}
    model = estimator(**options, **quiet, early_stopping_rounds=how.patience, random_seed=how.seed)
    judge = None if valid is None else Pool(valid.X, valid.y, weight=valid.weights)
    model.fit(train.X, train.y, sample_weight=train.weights, eval_set=judge)
    return Fitted(predictor(model, how, thread_count=1), model.tree_count_)


def fit_snapml(options: Options, how: How, train: Part, valid: Part | None) -> Fitted:
    """It tells nobody how many rounds it kept, so it takes no part where early stopping chooses them."""
    from snapml import BoostingMachineClassifier, BoostingMachineRegressor

    assert valid is None
    estimator = BoostingMachineClassifier if how.is_classification else BoostingMachineRegressor
    lowest, highest = sorted((options["min_max_depth"], options["max_max_depth"]))
    options = {**options, "min_max_depth": lowest, "max_max_depth": highest}
    options["fit_intercept"] = bool(options["fit_intercept"])
    model = estimator(**options, n_jobs=1, random_state=how.seed)
    model.fit(train.X, train.y, sample_weight=train.weights)
    return Fitted(predictor(model, how), options["num_round"])


def fit_ktboost(options: Options, how: How, train: Part, valid: Part | None) -> Fitted:
    """It needs an environment of its own, and fits when it is asked to predict."""

    def predict(rows: Array) -> Array:
        with tempfile.TemporaryDirectory() as folder:
            asked, answer = Path(folder) / "in.npz", Path(folder) / "out.npy"
            told = {**options, "random_state": how.seed, "is_classification": how.is_classification}
            as_text = np.array(json.dumps(told))
            np.savez(asked, X=train.X, y=train.y, weight=train.weights, X_test=rows, options=as_text)
            subprocess.run([KTBOOST_PYTHON, KTBOOST_FIT, asked, answer], check=True, capture_output=True, text=True)
            return np.asarray(np.load(answer), dtype=np.float64)

    return Fitted(predict, options["n_estimators"])


# ---- What is drawn for each -------------------------------------------------------------------------------------


ROUNDS, RATE, HALF_TO_ALL = Range(10, 1000, INTEGER), Range(-2.5, -1, LOG10), Range(0.5, 1.0)
EVERYBODY = (
    Rival(
        "XGBoost",
        "xgboost",
        {
            "max_depth": Range(1, 19, INTEGER),
            "n_estimators": ROUNDS,
            "learning_rate": RATE,
            "colsample_bytree": HALF_TO_ALL,
            "subsample": HALF_TO_ALL,
        },
        fit_xgboost,
        "n_estimators",
        {"reg_lambda": 0.01, "tree_method": "hist", "max_bin": 256},
    ),
    Rival(
        "LightGBM",
        "lightgbm",
        {
            "max_depth": Range(1, 15, INTEGER),
            "n_estimators": ROUNDS,
            "learning_rate": RATE,
            "feature_fraction": HALF_TO_ALL,
            "bagging_fraction": HALF_TO_ALL,
        },
        fit_lightgbm,
        "n_estimators",
        {"lambda_l2": 0.01, "max_bin": 256},
    ),
    Rival(
        "CatBoost",
        "catboost",
        {"max_depth": Range(1, 16, INTEGER), "n_estimators": ROUNDS, "learning_rate": RATE, "subsample": HALF_TO_ALL},
        fit_catboost,
        "n_estimators",
        {
            "l2_leaf_reg": 0.01,
            "max_bin": 256,
            "boosting_type": "Ordered",
            "bootstrap_type": "MVS",
            "sampling_frequency": "PerTree",
            "grow_policy": "SymmetricTree",
        },
    ),
    Rival(
        "snapml",
        "snapml",
        {
            "num_round": ROUNDS,
            "min_max_depth": Range(1, 19, INTEGER),
            "max_max_depth": Range(1, 19, INTEGER),
            "learning_rate": RATE,
            "subsample": HALF_TO_ALL,
            "colsample_bytree": HALF_TO_ALL,
            "tree_select_probability": Range(0.9, 1.0),
            "fit_intercept": Range(0, 1, INTEGER),
            "regularizer": Range(-6, -3, LOG10),
            "gamma": Range(-3, 3, LOG10),
            "n_components": Range(1, 100, INTEGER),
        },
        fit_snapml,
        "num_round",
        {"lambda_l2": 0.01, "use_histograms": True, "hist_nbins": 256},
        stops_early=False,
    ),
    Rival(
        "KTBoost",
        "KTBoost",
        {
            "max_depth": Range(1, 19, INTEGER),
            "n_estimators": ROUNDS,
            "learning_rate": RATE,
            "subsample": HALF_TO_ALL,
            "max_features": HALF_TO_ALL,
            "theta": Range(-1.5, 1.5, LOG10),
            "alphaReg": Range(-6, 3, LOG10),
            "n_components": Range(1, 100, INTEGER),
        },
        fit_ktboost,
        "n_estimators",
        {"update_step": "newton", "nystroem": True, "base_learner": "combined"},
        stops_early=False,
        python=KTBOOST_PYTHON,
    ),
)


def beside_node(rival: Rival) -> Rival:
    """With what the paper changes of SnapBoost's space for the comparison with NODE."""
    changed = {
        rival.rounds: Range(64, 2048, INTEGER),
        "learning_rate": Range(-3, 0, LOG10),
        "max_depth": Range(1, 8, INTEGER),
    }
    return replace(rival, space={**rival.space, **changed})


# What the libraries have where nothing is said, of all that is drawn or fixed for them here.
UNTUNED: dict[str, Options] = {
    "XGBoost": {
        "max_depth": 6,
        "learning_rate": 0.3,
        "colsample_bytree": 1.0,
        "subsample": 1.0,
        "reg_lambda": 1.0,
        "tree_method": "hist",
        "max_bin": 256,
    },
    "LightGBM": {
        "max_depth": -1,
        "num_leaves": 31,
        "learning_rate": 0.1,
        "feature_fraction": 1.0,
        "bagging_fraction": 1.0,
        "lambda_l2": 0.0,
        "max_bin": 255,
    },
}


def stopping(rival: Rival) -> Rival:
    """With what our default space has beside its ranges: rounds are found by the rows that judge, and the first
    configuration is the library's own."""
    space = {**rival.space, rival.rounds: Range(MOST_ROUNDS, MOST_ROUNDS, INTEGER)}
    first = {**UNTUNED[rival.name], rival.rounds: MOST_ROUNDS}
    return replace(rival, name=f"{rival.name} (stopping)", space=space, patience=PATIENCE, first=first)


APPENDIX = {rival.name: rival for rival in EVERYBODY}
BESIDE_NODE = {name: beside_node(APPENDIX[name]) for name in ("XGBoost", "LightGBM", "CatBoost")}
