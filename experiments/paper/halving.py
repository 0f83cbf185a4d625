"""Algorithm 2 of the paper for any contestant: many configurations on few rows, the better ones on more.

Stages are as those of mixboost's own tuner. A trial is (stage, configuration, inner fold); its result is a line of a
file before it counts, so that a search which was killed goes on from there and comes to the same end.
"""

from __future__ import annotations

import json
import math
import pickle
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from problems import Fold, Problem, balanced_weights, loss
from records import append_lines, whole_lines
from rivals import How, Options, Part, Rival, configurations
from sets import Array, Rows
from workers import Answer, Call, Workers

ETA = 4
REFIT_LIMITS = 4  # a training on all rows may take so many times the limit of a trial


class OverBudget(Exception):
    """A search and the trainings after it took more processor time than they may."""


class Stage(NamedTuple):
    n_configs: int
    resource: float  # the fraction of the training rows


def plan_stages(n_configs: int, min_resource: float, eta: int = ETA) -> list[Stage]:
    """As Algorithm 2 has them, but with one configuration at least."""
    n_reductions = math.floor(-math.log(min_resource) / math.log(eta) + 1e-9)
    if n_configs < eta**n_reductions:
        raise ValueError(f"{n_configs} configurations are too few for {n_reductions + 1} stages of eta {eta}")
    return [Stage(max(1, n_configs // eta**i), float(eta) ** (i - n_reductions)) for i in range(n_reductions + 1)]


# ---- The rows ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Study:
    """The rows of an outer fold: those that a contestant tunes on, and the test rows without their labels."""

    train: Part
    X_test: Array
    is_classification: bool
    is_log: bool
    parts: list[list[Rows]]  # of each inner fold and stage, the rows that are trained on
    judges: list[Rows]  # of each inner fold, the rows that judge

    def rows(self, which: Rows) -> Part:
        return Part(self.train.X[which], self.train.y[which], self.train.weights[which])

    def as_bytes(self) -> bytes:
        return pickle.dumps(self, protocol=5)


def nested_parts(rows: Rows, y: Array, stages: list[Stage], is_classification: bool, seed: int) -> list[Rows]:
    """For each stage its fraction of the rows, with the same share of each class; contained in that of the next."""
    order = np.random.default_rng(seed).permutation(rows)
    labels = y[order] if is_classification else np.zeros(len(order))
    place = np.empty(len(order), dtype=np.int64)  # among the rows of the class
    size = np.empty(len(order), dtype=np.int64)
    for label in np.unique(labels):
        of_class = np.flatnonzero(labels == label)
        place[of_class], size[of_class] = np.arange(len(of_class)), len(of_class)
    return [np.sort(order[place < np.maximum(1, np.round(stage.resource * size))]) for stage in stages]


def make_study(problem: Problem, fold: Fold, stages: list[Stage], n_judges: int | None) -> Study:
    """Of the inner folds only the first `n_judges` judge, if that is said."""
    table, inner = problem.table, fold.inner[:n_judges]
    train = Part(table.X[fold.train], table.y[fold.train], balanced_weights(table, fold.train))
    parts = [nested_parts(rows, train.y, stages, table.is_classification, seed) for seed, (rows, _) in enumerate(inner)]
    judges = [valid for _, valid in inner]
    return Study(train, table.X[fold.test], table.is_classification, table.is_log, parts, judges)


# ---- In the workers ---------------------------------------------------------------------------------------------


@lru_cache(maxsize=1)
def load_study(path: Path) -> Study:
    study: Study = pickle.loads(path.read_bytes())
    return study


def prepare(path: Path, rival: Rival) -> None:
    """What all trials of a search need, and silence."""
    warnings.simplefilter("ignore")
    load_study(path)
    if rival.python is None:
        import_module(rival.package)


class Judged(NamedTuple):
    loss: float
    n_rounds: int | None


def run_trial(path: Path, rival: Rival, options: Options, stage: int, fold: int, patience: int | None) -> Judged:
    study = load_study(path)
    train, valid = study.rows(study.parts[fold][stage]), study.rows(study.judges[fold])
    stops = patience is not None and rival.stops_early
    how = How(study.is_classification, 0, patience if stops else None)
    fitted = rival.fit(rival.settings(options), how, train, valid if stops else None)
    found = loss(valid.y, fitted.predict(valid.X), valid.weights, study.is_classification, study.is_log)
    return Judged(found, fitted.n_rounds)


def predict_test(path: Path, rival: Rival, options: Options, seed: int) -> Array:
    """Trains on all rows of the outer fold."""
    study = load_study(path)
    fitted = rival.fit(rival.settings(options), How(study.is_classification, seed), study.train, None)
    return fitted.predict(study.X_test)


# ---- Trials that are kept ---------------------------------------------------------------------------------------


class Trial(NamedTuple):
    stage: int
    config: int
    fold: int


class Result(NamedTuple):
    """A trial that failed has an infinite loss, so it is the last of its stage."""

    loss: float
    seconds: float
    n_rounds: int | None = None
    error: str | None = None


class TrialFile:
    """Results, a line each, below a line that says what they are of."""

    def __init__(self, path: Path, about: dict[str, Any]) -> None:
        self._path = path
        self.results: dict[Trial, Result] = {}
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists():
            self._read(about)
        else:
            path.write_text(json.dumps(about) + "\n")

    def _read(self, about: dict[str, Any]) -> None:
        lines = [json.loads(line) for line in whole_lines(self._path)]
        if not lines:
            self._path.write_text(json.dumps(about) + "\n")
            return
        if lines[0] != json.loads(json.dumps(about)):
            raise ValueError(f"{self._path} has trials of another search; --forget drops them: {lines[0]}")
        for fields in lines[1:]:
            trial = Trial(*(fields.pop(name) for name in Trial._fields))
            found = fields.pop("loss")
            self.results[trial] = Result(math.inf if found is None else found, **fields)

    def add(self, trial: Trial, result: Result) -> None:
        fields = {**trial._asdict(), **result._asdict()}
        if not math.isfinite(result.loss):
            fields["loss"] = None
        append_lines(self._path, json.dumps(fields) + "\n")
        self.results[trial] = result


# ---- The search -------------------------------------------------------------------------------------------------


class Tuned(NamedTuple):
    """The best configuration, and what it took to find it."""

    options: Options
    loss: float  # the mean of the inner folds in the last stage that it was judged in
    n_rounds: int | None  # that early stopping found
    seconds: float  # of all trials together
    n_trials: int
    n_failed: int


@dataclass(frozen=True)
class Search:
    """What a rival's search is told."""

    rival: Rival
    study: Path  # where the workers find the rows
    stages: list[Stage]
    n_folds: int
    patience: int | None
    limit: float  # seconds of a trial
    budget: float  # seconds of all trials
    seed: int


def mean_loss(results: dict[Trial, Result], stage: int, config: int, n_folds: int) -> float:
    return float(np.mean([results[Trial(stage, config, fold)].loss for fold in range(n_folds)]))


def rank_stage(results: dict[Trial, Result], stage: int, n_folds: int) -> list[int]:
    """The configurations of a stage, best first: by the mean over the inner folds, of equal ones by number."""
    configs = {trial.config for trial in results if trial.stage == stage}
    return sorted(configs, key=lambda config: (mean_loss(results, stage, config, n_folds), config))


def who_goes_on(search: Search, results: dict[Trial, Result], stage: int) -> list[int]:
    """The best of the stage before; a rival's first configuration as ours, but not where one alone goes on."""
    best = rank_stage(results, stage - 1, search.n_folds)[: search.stages[stage].n_configs]
    if search.rival.first is not None and 0 not in best and search.stages[-1].n_configs > 1:
        best[-1] = 0
    return best


def find_winner(search: Search, results: dict[Trial, Result]) -> tuple[int, int]:
    """The stage and number of the best of the last stage, or of one before where all of the last stage failed."""
    winners = [(stage, rank_stage(results, stage, search.n_folds)[0]) for stage in range(len(search.stages))]
    judged = [winner for winner in winners if math.isfinite(mean_loss(results, *winner, search.n_folds))]
    return judged[-1] if judged else winners[-1]


def run_search(search: Search, workers: Workers, file: TrialFile, told: Callable[[Trial, bool], None]) -> Tuned:
    """Stage by stage; `told` hears of every trial, and whether it is new."""
    drawn = configurations(search.rival, search.stages[0].n_configs, search.seed)
    configs = list(range(len(drawn)))
    for stage in range(len(search.stages)):
        if stage > 0:
            configs = who_goes_on(search, file.results, stage)
        trials = [Trial(stage, config, fold) for config in configs for fold in range(search.n_folds)]
        for trial in [trial for trial in trials if trial in file.results]:
            told(trial, False)
        for trial in run_trials(search, trials, drawn, workers, file):
            told(trial, True)
    last, best = find_winner(search, file.results)
    finals = [file.results[Trial(last, best, fold)] for fold in range(search.n_folds)]
    results = file.results.values()
    rounds = [result.n_rounds for result in finals if result.n_rounds is not None]
    return Tuned(
        drawn[best],
        float(np.mean([result.loss for result in finals])),
        round(float(np.mean(rounds))) if search.patience is not None and rounds else None,
        sum(result.seconds for result in results),
        len(results),
        sum(result.error is not None for result in results),
    )


def run_trials(
    search: Search, trials: list[Trial], drawn: list[Options], workers: Workers, file: TrialFile
) -> Iterator[Trial]:
    """Does what is not there yet."""
    missing = [trial for trial in trials if trial not in file.results]
    calls = [
        Call(run_trial, (search.study, search.rival, drawn[trial.config], trial.stage, trial.fold, search.patience))
        for trial in missing
    ]
    check_budget(search, file)
    for i, answer in workers.answers(calls, search.limit):
        file.add(missing[i], result_of(answer))
        yield missing[i]
        check_budget(search, file)


def check_budget(search: Search, file: TrialFile) -> None:
    if sum(result.seconds for result in file.results.values()) > search.budget:
        raise OverBudget


def result_of(answer: Answer) -> Result:
    if answer.error is not None:
        return Result(math.inf, answer.seconds, error=answer.error)
    judged: Judged = answer.value
    if not math.isfinite(judged.loss):
        return Result(math.inf, answer.seconds, error="the loss is not a finite number")
    return Result(judged.loss, answer.seconds, judged.n_rounds)
