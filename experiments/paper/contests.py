"""One contestant on one outer fold: the search, the trainings with what it found, and the records of them."""

from __future__ import annotations

import hashlib
import math
import shutil
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

import numpy as np
import our_search
from entrants import package_version
from halving import (
    REFIT_LIMITS,
    OverBudget,
    Search,
    Stage,
    Study,
    Trial,
    TrialFile,
    Tuned,
    make_study,
    predict_test,
    prepare,
    run_search,
)
from machine import describe
from our_search import Ours
from places import ROOT
from problems import Fold, Problem, balanced_weights, loss, sampled
from progress_line import Progress
from records import Key, Record, RecordFile
from rivals import Options, Rival
from scales import SCALES, Contestant, Experiment, stages_of
from sets import Array
from workers import Call, Workers

SCRATCH = ROOT / "build" / "experiments"  # trials, so that a run can go on where it stopped


@dataclass(frozen=True)
class Setting:
    """What a run does of an experiment."""

    experiment: Experiment
    scale: str
    n_processors: int
    hours: float  # a contestant may take so long for a set
    folder: Path = SCRATCH

    @property
    def stages(self) -> list[Stage]:
        return stages_of(self.experiment, SCALES[self.scale])

    @property
    def limit(self) -> float:
        """Seconds of a rival's trial."""
        return SCALES[self.scale].limit * self.experiment.times_limit

    @property
    def deal(self) -> int:
        """The seed of the outer and inner folds."""
        return SCALES[self.scale].deal

    @property
    def n_seeds(self) -> int:
        return min(self.experiment.n_seeds, SCALES[self.scale].max_seeds)

    def patience(self, rival: Rival) -> int | None:
        return self.experiment.patience if rival.patience is None else rival.patience

    def n_judges(self, fold: Fold) -> int:
        return len(fold.inner[: SCALES[self.scale].n_judges])

    def work_of_trial(self, trial: Trial) -> float:
        return self.stages[trial.stage].resource

    def work_of_search(self, n_judges: int) -> float:
        """In trainings on all rows."""
        return n_judges * sum(stage.n_configs * stage.resource for stage in self.stages)

    def work(self, fold: Fold) -> float:
        return self.work_of_search(self.n_judges(fold)) + self.n_seeds

    def folder_of(self, a_set: str) -> Path:
        return self.folder / self.experiment.name / self.scale / a_set.replace(" ", "-")

    def trials(self, a_set: str, contestant: str, fold: int) -> Path:
        name = "".join(c if c.isalnum() or c == "-" else "-" for c in contestant)
        return self.folder_of(a_set) / f"{name}.{fold}.trials"

    def seed(self, a_set: str, fold: int) -> int:
        """Of the draws of a search: other configurations for each set and fold, the same for whoever shares a space."""
        again = f" {self.deal}" if self.deal > 0 else ""
        return zlib.crc32(f"{self.experiment.name} {a_set} {fold}{again}".encode()) >> 1

    def keys(self, a_set: str, contestant: str, fold: int) -> list[Key]:
        return [Key(self.experiment.name, self.scale, a_set, contestant, fold, seed) for seed in range(self.n_seeds)]


def fold_of(setting: Setting, problem: Problem, number: int) -> Fold:
    """The outer fold; of a single split a sample, where the scale says so."""
    fold, max_rows = problem.folds[number], SCALES[setting.scale].max_rows
    return sampled(fold, max_rows) if max_rows is not None and len(fold.inner) == 1 else fold


@contextmanager
def study_file(study: Study, path: Path) -> Iterator[Path]:
    """The rows where the workers find them."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(study.as_bytes())
    try:
        yield path
    finally:
        path.unlink()


# ---- A fold -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Task:
    """A contestant on an outer fold."""

    contestant: Contestant
    problem: Problem
    number: int  # of the fold
    fold: Fold
    study: Study
    budget: float  # seconds of its trials on one processor


def version_of(contestant: Contestant) -> str:
    """Of a rival in an environment of its own, as that was asked for."""
    if isinstance(contestant, Ours) or contestant.python is None:
        return package_version(contestant.package)
    asked = Path(__file__).with_name("ktboost.txt").read_text().splitlines()
    return next(line.split("==")[1] for line in asked if line.startswith(f"{contestant.package}=="))


def about(setting: Setting, task: Task, rival: Rival) -> dict[str, object]:
    """What a file of trials belongs to."""
    return {
        "space": {name: list(a_range) for name, a_range in rival.space.items()},
        "fixed": rival.fixed,
        "stages": [list(stage) for stage in setting.stages],
        "study": hashlib.sha256(task.study.as_bytes()).hexdigest()[:16],
        "seed": setting.seed(task.problem.name, task.number),
        "patience": setting.patience(rival),
        "first": rival.first,
        "limit": setting.limit,
        "version": version_of(rival),
    }


def tune_rival(setting: Setting, task: Task, rival: Rival, path: Path, workers: Workers, progress: Progress) -> Tuned:
    trials = TrialFile(setting.trials(task.problem.name, rival.name, task.number), about(setting, task, rival))
    search = Search(
        rival,
        path,
        setting.stages,
        len(task.study.judges),
        setting.patience(rival),
        setting.limit,
        task.budget,
        setting.seed(task.problem.name, task.number),
    )

    def told(trial: Trial, is_new: bool) -> None:
        progress.advance(setting.work_of_trial(trial), is_new)

    return run_search(search, workers, trials, told)


def rounds_of(setting: Setting, study: Study, rival: Rival, tuned: Tuned) -> Options:
    """The number of rounds that early stopping found, where there was any; more for more rows, as our tuner has it."""
    if setting.patience(rival) is None or not rival.stops_early or tuned.n_rounds is None:
        return {}
    growth = math.sqrt(len(study.train.y) / np.mean([len(parts[-1]) for parts in study.parts]))
    return {rival.rounds: min(math.floor(tuned.n_rounds * growth + 0.5), tuned.options[rival.rounds])}


Predicted = tuple[Array | None, str | None, float]  # predictions or why there are none; seconds on one processor


def do_rival(setting: Setting, task: Task, rival: Rival, progress: Progress) -> tuple[Tuned, list[Predicted]]:
    file = setting.folder_of(task.problem.name) / f"{rival.name}.{task.number}.study"
    ready = Call(prepare, (file, rival))
    with study_file(task.study, file) as path, Workers(setting.n_processors, ready) as workers:
        tuned = tune_rival(setting, task, rival, path, workers, progress)
        if not math.isfinite(tuned.loss):
            return tuned, [(None, "every trial failed", 0.0)] * setting.n_seeds
        tuned = tuned._replace(options={**tuned.options, **rounds_of(setting, task.study, rival, tuned)})
        limit = REFIT_LIMITS * setting.limit
        seeds = range(setting.n_seeds)
        calls = [Call(predict_test, (path, rival, tuned.options, seed)) for seed in seeds]
        answers = {}
        for seed, answer in workers.answers(calls, limit):
            progress.advance(1)
            answers[seed] = (answer.value, answer.error, answer.seconds)
        return tuned, [answers[seed] for seed in seeds]


def do_ours(setting: Setting, task: Task, ours: Ours, progress: Progress) -> tuple[Tuned, list[Predicted]]:
    journal = setting.trials(task.problem.name, ours.name, task.number)
    version = version_of(ours).replace(" ", "-")  # a journal does not know a build from another
    tuned = our_search.tune(
        our_search.OurSearch(
            ours,
            task.study,
            setting.stages,
            setting.experiment.patience,
            journal.with_suffix(f".{version}.trials"),
            setting.n_processors,
            task.budget,
            setting.seed(task.problem.name, task.number),
        )
    )
    progress.advance(setting.work_of_search(len(task.study.judges)))
    predicted: list[Predicted] = []
    for seed in range(setting.n_seeds):
        predicted.append(train_ours(setting, task, ours, tuned.options, seed))
        progress.advance(1)
    return tuned, predicted


def train_ours(setting: Setting, task: Task, ours: Ours, options: Options, seed: int) -> Predicted:
    worked = time.process_time()
    try:
        predicted, error = our_search.predict_test(ours, task.study, options, seed, setting.n_processors), None
    except (ValueError, MemoryError) as problem:
        predicted, error = None, str(problem)
    return predicted, error, time.process_time() - worked


def contest(setting: Setting, task: Task, progress: Progress) -> list[Record]:
    """The records of a contestant on a fold."""
    keys = setting.keys(task.problem.name, task.contestant.name, task.number)
    blank = blank_record(setting, task, keys[0])
    try:
        if isinstance(task.contestant, Ours):
            tuned, predicted = do_ours(setting, task, task.contestant, progress)
        else:
            tuned, predicted = do_rival(setting, task, task.contestant, progress)
        if tuned.seconds + sum(seconds for _, _, seconds in predicted) > task.budget:
            raise OverBudget
    except OverBudget:
        return [replace(blank, error=f"over {setting.hours:g} h", tuning_seconds=max(0.0, task.budget))]
    return [finished(task, replace(blank, key=key), tuned, *found) for key, found in zip(keys, predicted, strict=True)]


def blank_record(setting: Setting, task: Task, key: Key) -> Record:
    return Record(
        key,
        n_configs=setting.stages[0].n_configs,
        n_judges=len(task.study.judges),
        n_rows=len(task.study.train.y),
        n_processors=setting.n_processors,
        hours=setting.hours,
        version=version_of(task.contestant),
        machine=describe(),
        date=date.today().isoformat(),
    )


def finished(
    task: Task, blank: Record, tuned: Tuned, predicted: Array | None, error: str | None, seconds: float
) -> Record:
    table, test = task.problem.table, task.fold.test
    found = None
    if predicted is not None:
        weights = balanced_weights(table, test)
        found = loss(table.y[test], predicted, weights, table.is_classification, table.is_log)
    return replace(
        blank,
        loss=found,
        error=error,
        options=tuned.options,
        validation_loss=tuned.loss if math.isfinite(tuned.loss) else None,
        tuning_seconds=tuned.seconds,
        fit_seconds=seconds,
        n_trials=tuned.n_trials,
        n_failed=tuned.n_failed,
    )


# ---- A set ------------------------------------------------------------------------------------------------------


def run_set(setting: Setting, problem: Problem, contestant: Contestant, file: RecordFile, progress: Progress) -> None:
    """A contestant on all outer folds of a set that are not known yet, until its time for the set is over."""
    budget = setting.hours * 3600 * setting.n_processors
    for number in range(len(problem.folds)):
        fold = fold_of(setting, problem, number)
        keys = setting.keys(problem.name, contestant.name, number)
        known = [file.known[key] for key in keys if key in file.known]
        if not is_done(known, keys, setting.hours):
            study = make_study(problem, fold, setting.stages, SCALES[setting.scale].n_judges)
            task = Task(contestant, problem, number, fold, study, budget)
            progress.begin(f"{problem.name}, fold {number + 1} of {len(problem.folds)}", contestant.name)
            known = contest(setting, task, progress)
            file.add(known)
            progress.tell(in_words(known))
        budget -= known[0].tuning_seconds + sum(record.fit_seconds for record in known)
        if known[0].error is not None and known[0].loss is None and budget <= 0:
            return


def is_done(known: list[Record], keys: list[Key], hours: float) -> bool:
    """All seeds are there, or it is known that there will be none in so much time."""
    final = [record for record in known if record.error is None or record.hours >= hours]
    return len(final) == len(keys) or any(record.error is not None for record in final)


def in_words(records: list[Record]) -> str:
    key = records[0].key
    losses = [record.loss for record in records if record.loss is not None]
    found = f"{sum(losses) / len(losses):.5g}" if losses else str(records[0].error)
    failed = f", {records[0].n_failed} of {records[0].n_trials} trials failed" if records[0].n_failed else ""
    return f"{key.set}, fold {key.fold + 1}: {key.contestant} {found}{failed}, {records[0].tuning_seconds:.0f} s"


def forget_trials(setting: Setting, a_set: str, contestant: str) -> None:
    for path in setting.folder_of(a_set).glob(setting.trials(a_set, contestant, 0).name.replace(".0.", ".*.")):
        path.unlink()
    if setting.folder_of(a_set).exists() and not any(setting.folder_of(a_set).iterdir()):
        shutil.rmtree(setting.folder_of(a_set))
