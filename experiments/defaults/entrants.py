"""Everybody who takes part: what each is told in each protocol, and how each is asked to fit.

`stopping`: the same learning rate, at most so many rounds, early stopping on the validation part. `plain`: nothing is
set. Sizes: nothing either, on fewer rows or more. `times`: the same rounds for everybody, no stopping. Beyond that
everybody keeps its own defaults. What is told is a dictionary that names all of it, so that a result can be kept under
it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module, metadata
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sets import Array, Split

STOPPING, PLAIN, TIMES, ALL_ROWS = "stopping", "plain", "times", "all rows"
FEW_ROWS = {f"{n} rows": n for n in (50, 200, 1000)}
SIZES = (*FEW_ROWS, ALL_ROWS)
ALL_PROTOCOLS = (STOPPING, PLAIN, TIMES, *SIZES)
RATE, MAX_ROUNDS, PATIENCE, TIMED_ROUNDS = 0.05, 2000, 50, 300

Settings = dict[str, Any]
DEFAULT = object()


@dataclass(frozen=True)
class Work:
    """What is to be done, beside the data."""

    protocol: str
    classify: bool
    seed: int
    threads: int = 2


class Fitted(NamedTuple):
    """A model: probabilities of class 1 or numbers, and how many rounds it has."""

    predict: Callable[[Array], Array]
    n_rounds: int | None


@dataclass(frozen=True)
class Contestant:
    """One who takes part. `settings` and `fit` are told the work; `fit` the settings, too."""

    name: str
    package: str
    settings: Callable[[Work], Settings]
    fit: Callable[[Settings, Work, Split], Fitted]
    protocols: tuple[str, ...] = ALL_PROTOCOLS

    def version(self) -> str:
        return package_version(self.package)


def package_version(package: str) -> str:
    """A package's version; of ours also a digest of its files, library and defaults among them."""
    version = metadata.version(package)
    if package != "mixboost":
        return version
    folder = Path(str(import_module("mixboost").__file__)).parent
    files = sorted(file for file in folder.iterdir() if file.is_file())
    return f"{version} {hashlib.sha256(b''.join(map(Path.read_bytes, files))).hexdigest()[:8]}"


def by_name(*contestants: Contestant) -> dict[str, Contestant]:
    return {contestant.name: contestant for contestant in contestants}


def digest(settings: Settings) -> str:
    return hashlib.sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()[:12]


def told(rounds_name: str, patience_name: str, **more: Any) -> Callable[[Work], Settings]:
    """What the protocol says in the contestant's own words, and more; DEFAULT takes back what the protocol says."""

    def settings(work: Work) -> Settings:
        protocols = {
            STOPPING: {rounds_name: MAX_ROUNDS, "learning_rate": RATE, patience_name: PATIENCE},
            TIMES: {rounds_name: TIMED_ROUNDS, "learning_rate": RATE},
        }
        both = {**protocols.get(work.protocol, {}), **more}
        return {name: value for name, value in both.items() if value is not DEFAULT}

    return settings


def predictor(model: Any, work: Work) -> Callable[[Array], Array]:
    if work.classify:
        return lambda rows: np.asarray(model.predict_proba(rows), dtype=np.float64)[:, 1]
    return lambda rows: np.asarray(model.predict(rows), dtype=np.float64)


# ---- Peers ------------------------------------------------------------------------------------------------------


def fit_catboost(settings: Settings, work: Work, data: Split) -> Fitted:
    from catboost import CatBoostClassifier, CatBoostRegressor

    estimator = CatBoostClassifier if work.classify else CatBoostRegressor
    quiet = {"verbose": False, "allow_writing_files": False}
    model = estimator(**settings, **quiet, thread_count=work.threads, random_seed=work.seed)
    model.fit(*data.train, eval_set=tuple(data.valid) if data.valid is not None else None)
    return Fitted(predictor(model, work), model.tree_count_)


def fit_lightgbm(settings: Settings, work: Work, data: Split) -> Fitted:
    from lightgbm import LGBMClassifier, LGBMRegressor

    estimator = LGBMClassifier if work.classify else LGBMRegressor
    model = estimator(**settings, verbosity=-1, n_jobs=work.threads, random_state=work.seed)
    model.fit(*data.train, eval_set=[tuple(data.valid)] if data.valid is not None else None)
    return Fitted(predictor(model, work), model.best_iteration_ or model.n_estimators)


def fit_xgboost(settings: Settings, work: Work, data: Split) -> Fitted:
    from xgboost import XGBClassifier, XGBRegressor

    estimator = XGBClassifier if work.classify else XGBRegressor
    model = estimator(**settings, verbosity=0, n_jobs=work.threads, random_state=work.seed)
    model.fit(*data.train, eval_set=[tuple(data.valid)] if data.valid is not None else None, verbose=False)
    n_rounds = model.best_iteration + 1 if work.protocol == STOPPING else model.get_booster().num_boosted_rounds()
    return Fitted(predictor(model, work), n_rounds)


def scikit_learn_settings(work: Work) -> Settings:
    """By its own defaults it stops early on large data, on a part that it keeps aside."""
    stops = {"early_stopping": work.protocol == STOPPING} if work.protocol in (STOPPING, TIMES) else {}
    return {**told("max_iter", "n_iter_no_change")(work), **stops}


def fit_scikit_learn(settings: Settings, work: Work, data: Split) -> Fitted:
    """It keeps the rounds after the best one; with a validation part they are left out here."""
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
    from threadpoolctl import threadpool_limits

    estimator = HistGradientBoostingClassifier if work.classify else HistGradientBoostingRegressor
    model = estimator(**settings, random_state=work.seed)
    valid = {} if data.valid is None else {"X_val": data.valid.X, "y_val": data.valid.y}
    with threadpool_limits(work.threads):
        model.fit(*data.train, **valid)
    if data.valid is None:
        return Fitted(predictor(model, work), model.n_iter_)
    best = max(1, int(np.argmax(model.validation_score_)))  # the first score is that of no rounds

    def predict(rows: Array) -> Array:
        stages = model.staged_predict_proba(rows) if work.classify else model.staged_predict(rows)
        predicted = next(islice(stages, best - 1, None))
        return np.asarray(predicted[:, 1] if work.classify else predicted, dtype=np.float64)

    return Fitted(predict, best)


def fit_snapml(settings: Settings, work: Work, data: Split) -> Fitted:
    """It takes no missing values: they become the median of the training part."""
    from snapml import BoostingMachineClassifier, BoostingMachineRegressor

    estimator = BoostingMachineClassifier if work.classify else BoostingMachineRegressor
    model = estimator(**settings, n_jobs=work.threads, random_state=work.seed)
    medians = np.nanmedian(data.train.X, axis=0)

    def filled(rows: Array) -> Array:
        return np.where(np.isnan(rows), medians, rows)

    valid = {} if data.valid is None else {"X_val": filled(data.valid.X), "y_val": data.valid.y}
    model.fit(filled(data.train.X), data.train.y, **valid)
    predict = predictor(model, work)
    return Fitted(lambda rows: predict(filled(rows)), None)


SNAPML_WORDS = ("num_round", "early_stopping_rounds")
SNAPML_RIDGE: Settings = {"tree_select_probability": 0.9, "n_components": 100, "min_max_depth": 1, "max_max_depth": 8}
PEERS = by_name(
    Contestant("catboost", "catboost", told("iterations", "early_stopping_rounds"), fit_catboost),
    Contestant("lightgbm", "lightgbm", told("n_estimators", "early_stopping_round"), fit_lightgbm),
    Contestant("xgboost", "xgboost", told("n_estimators", "early_stopping_rounds"), fit_xgboost),
    Contestant("sklearn-hgb", "scikit-learn", scikit_learn_settings, fit_scikit_learn),
    Contestant("snapml", "snapml", told(*SNAPML_WORDS), fit_snapml),
    Contestant("snapml-ridge", "snapml", told(*SNAPML_WORDS, **SNAPML_RIDGE), fit_snapml),
)

# ---- Without boosting -------------------------------------------------------------------------------------------


def fit_constant(settings: Settings, work: Work, data: Split) -> Fitted:
    from sklearn.dummy import DummyClassifier, DummyRegressor

    model = (DummyClassifier if work.classify else DummyRegressor)(**settings)
    return Fitted(predictor(model.fit(*data.train), work), None)


def fit_ridge(settings: Settings, work: Work, data: Split) -> Fitted:
    """The penalty is chosen by cross-validation; each fold has a row of each class, which older versions ask for."""
    from sklearn.impute import SimpleImputer
    from sklearn.linear_model import LogisticRegressionCV, RidgeCV
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from threadpoolctl import threadpool_limits

    if work.classify:
        n_rarest = np.unique(data.train.y, return_counts=True)[1].min()
        linear = LogisticRegressionCV(scoring=settings["scoring"], cv=min(5, int(n_rarest)))
    else:
        linear = RidgeCV(settings["alphas"])
    model = make_pipeline(SimpleImputer(strategy="median"), StandardScaler(), linear)
    with threadpool_limits(work.threads):
        model.fit(*data.train)
    return Fitted(predictor(model, work), None)


RIDGE: Settings = {"alphas": np.logspace(-3, 4, 15).tolist(), "scoring": "neg_log_loss"}  # of numbers, of classes
BASELINES = by_name(
    Contestant("constant", "scikit-learn", lambda work: {}, fit_constant, SIZES),
    Contestant("ridge", "scikit-learn", lambda work: RIDGE, fit_ridge, SIZES),
)

# ---- Ours -------------------------------------------------------------------------------------------------------


def fit_ours(settings: Settings, work: Work, data: Split) -> Fitted:
    from mixboost import MixBoostClassifier, MixBoostRegressor

    estimator: Any = MixBoostClassifier if work.classify else MixBoostRegressor
    model = estimator(**settings, n_threads=work.threads, random_state=work.seed)
    model.fit(*data.train, eval_set=tuple(data.valid) if data.valid is not None else None)
    return Fitted(predictor(model, work), model.best_iteration_)


def ours(name: str, protocols: tuple[str, ...] = ALL_PROTOCOLS, **options: Any) -> Contestant:
    """Ours with some options changed."""
    return Contestant(name, "mixboost", told("num_round", "early_stopping_rounds", **options), fit_ours, protocols)


OURS = by_name(
    ours("ours"),
    ours("ours-own-rate", (STOPPING,), learning_rate=DEFAULT),
    ours("ours-trees", tree_probability=1.0),
    ours("ours-paper", preset="paper"),
    ours("ours-4", n_members=4),
)


def variant(name: str, **options: Any) -> Contestant:
    """Ours with one thing changed alone."""
    return ours(name, (STOPPING,), **options)


# Ingredients switched off.
ABLATIONS = by_name(
    variant("no-fourier", tree_probability=1.0),
    variant("no-symmetric", symmetric_probability=0.0),
    variant("leaves-of-sample", leaf_rows="sample"),
    variant("no-sampling", subsample=1.0),
    variant("raw-inputs", fourier_scaling="none"),
    variant("standard-inputs", fourier_scaling="standard"),
    variant("isotropic", fourier_metric="isotropic"),
    variant("one-projection", n_projections=1),
    variant("one-gamma", gamma=0.05),
    variant("depth-6", min_max_depth=6, max_max_depth=6, symmetric_depth=8),
    variant("heavy-leaves", min_child_weight=1.0),
)

# What was tried and not taken.
OTHER_VALUES = by_name(
    variant("noise", split_noise=0.3),
    variant("prior", split_prior=0.1),
    variant("small-prior", split_prior=0.03),
    variant("columns", colsample=0.8),
    variant("more-components", n_components=200),
    variant("more-projections", n_projections=8),
    variant("shallow-symmetric", symmetric_depth=6),
    variant("shallow", min_max_depth=1, max_max_depth=8),
    variant("deep", min_max_depth=4, max_max_depth=12),
    variant("strong-l2", lambda_l2=2.0),
    variant("slow", learning_rate=0.03),
    variant("more-symmetric", symmetric_probability=0.7),
    variant("fewer-symmetric", symmetric_probability=0.3),
)

CONTESTANTS = {**BASELINES, **PEERS, **OURS, **ABLATIONS, **OTHER_VALUES}
