"""Ours, tuned by its own tuner: the same rows, stages and budget as everybody."""

from __future__ import annotations

import sys
import time
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from halving import ETA, OverBudget, Stage, Study, Tuned
from rivals import Options
from sets import Array


@dataclass(frozen=True)
class Ours:
    """A space of the tuner's, and options that are not drawn."""

    name: str
    space: str
    options: Options = field(default_factory=dict)
    is_drawn_rounds: bool = True  # the space draws num_round, so only an experiment's patience stops early

    package = "mixboost"


def estimator(is_classification: bool, options: Options) -> Any:
    from mixboost import MixBoostClassifier, MixBoostRegressor

    return (MixBoostClassifier if is_classification else MixBoostRegressor)(**options)


def score_in_original_domain(model: Any, X: Array, y: Array, sample_weight: Array | None = None) -> float:
    """For labels that are log(1 + what losses are about)."""
    errors = np.expm1(y) - np.expm1(model.predict(X))
    return -float(np.sqrt(np.average(errors**2, weights=sample_weight)))


@dataclass(frozen=True)
class OurSearch:
    """What our tuner is told."""

    ours: Ours
    study: Study
    stages: list[Stage]
    patience: int | None
    journal: Path
    n_processors: int
    budget: float  # processor seconds
    seed: int


def tune(search: OurSearch) -> Tuned:
    """Its seconds are those that the processors worked, or of a search that was interrupted, those of all trials."""
    from mixboost import MixBoostSearchCV

    study, stages, n_processors = search.study, search.stages, search.n_processors
    stops = (
        {"early_stopping_rounds": search.patience}
        if search.patience is not None and search.ours.is_drawn_rounds
        else {}
    )
    limit = max(1.0, search.budget / n_processors)
    search.journal.parent.mkdir(parents=True, exist_ok=True)
    tuner = MixBoostSearchCV(
        estimator(study.is_classification, {**search.ours.options, **stops}),
        search.ours.space,
        n_configs=stages[0].n_configs,
        eta=ETA,
        min_resource=stages[0].resource,
        cv=[(parts[-1], judge) for parts, judge in zip(study.parts, study.judges, strict=True)],
        scoring=score_in_original_domain if study.is_log else None,
        refit=False,
        time_limit=limit,
        journal=search.journal,
        resume=True,
        n_jobs=n_processors,
        random_state=search.seed,
        verbose=int(sys.stderr.isatty()),
    )
    began, worked, is_resumed = time.monotonic(), time.process_time(), search.journal.exists()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of trials that failed, which are counted here
        try:
            tuner.fit(study.train.X, study.train.y, sample_weight=study.train.weights)
        except RuntimeError:
            if time.monotonic() - began > limit:
                raise OverBudget from None
            raise
    table = tuner.cv_results_
    done = [int(np.sum(table["iter"] == stage)) for stage in range(len(stages))]
    if time.monotonic() - began > limit and done != [stage.n_configs for stage in stages]:
        raise OverBudget
    scores = np.array([table[f"split{fold}_test_score"] for fold in range(tuner.n_splits_)])
    threads = np.array([max(1, n_processors // stage.n_configs) for stage in stages])[table["iter"]]
    of_trials = float(np.sum(table["mean_fit_time"] * threads)) * tuner.n_splits_
    return Tuned(
        dict(tuner.best_params_),
        -float(tuner.best_score_),
        None,
        of_trials if is_resumed else time.process_time() - worked,
        scores.size,
        int(np.sum(np.isnan(scores))),
    )


def predict_test(ours: Ours, study: Study, options: Options, seed: int, n_processors: int) -> Array:
    """Trains on all rows of the outer fold with what the search found."""
    settings = {**ours.options, **options, "random_state": seed, "n_threads": n_processors}
    model = estimator(study.is_classification, settings)
    model.fit(study.train.X, study.train.y, sample_weight=study.train.weights)
    predicted = model.predict_proba(study.X_test)[:, 1] if study.is_classification else model.predict(study.X_test)
    return np.asarray(predicted, dtype=np.float64)
