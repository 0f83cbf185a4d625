"""A search for options beside other ways to make it, on this machine: how long it takes, what it reaches.

    ./dev bench tune [--configs N] [--repeats N]

The same stages of trials (three folds) are run by MixBoostSearchCV with one thread and with all, through
the estimators one by one, and by joblib in processes; HalvingRandomSearchCV of scikit-learn draws its own from the same
ranges. All take turns, and the fastest run of each counts; once with the same number of rounds for every fit, and once
with what the estimator makes of it. Writes a page into bench/results and prints it.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from typing import Any

import joblib
import numpy as np
from datasets import load, make_files
from machine import describe, machine_name
from mixboost import MixBoostClassifier, MixBoostSearchCV
from numpy.typing import NDArray
from places import RESULTS
from scipy.stats import loguniform, randint, uniform
from sklearn.base import clone
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.metrics import log_loss
from sklearn.model_selection import HalvingRandomSearchCV, StratifiedKFold, train_test_split
from tables import table

DATA = "10000x30"
ETA = 4
FOLDS = StratifiedKFold(3, shuffle=True, random_state=0)
SPACE = {
    "learning_rate": (0.02, 0.2, "log10"),
    "max_max_depth": (3, 12, "integer"),
    "subsample": (0.5, 1.0, "linear"),
    "lambda_l2": (0.01, 30.0, "log10"),
    "tree_probability": (0.3, 1.0, "linear"),
    "alpha": (1e-4, 10.0, "log10"),
}
N_ROUNDS = 200
FIXED = MixBoostClassifier(num_round=N_ROUNDS, early_stopping_rounds=0)
AS_IT_COMES = MixBoostClassifier()
Rows = NDArray[np.intp]
Trial = tuple[MixBoostClassifier, Rows, Rows]


def search(estimator: MixBoostClassifier, configs: int, threads: int) -> MixBoostSearchCV:
    return MixBoostSearchCV(estimator, SPACE, n_configs=configs, eta=ETA, cv=FOLDS, n_jobs=threads)


def trials_of(done: MixBoostSearchCV, y: NDArray[Any]) -> list[Trial]:
    """Estimator, training rows and held-out rows of every trial; fractions have other rows than the search drew."""
    folds = list(FOLDS.split(y[:, None], y))
    found = done.cv_results_
    trials: list[Trial] = []
    for params, fraction in zip(found["params"], found["n_resources"], strict=True):
        drawn = {option: params[option] for option in SPACE}  # and not the rounds, which are those for all rows
        estimator = clone(done.estimator).set_params(**drawn)
        for train, held_out in folds:
            rows = train
            if fraction < 1:
                rows, _ = train_test_split(train, train_size=fraction, stratify=y[train], random_state=0)
            trials.append((estimator, np.sort(rows), held_out))
    return trials


def run_trial(x: NDArray[Any], y: NDArray[Any], trial: Trial, threads: int) -> float:
    estimator, rows, held_out = trial
    model = clone(estimator).set_params(n_threads=threads)
    stops = estimator.early_stopping_rounds != 0
    model.fit(x[rows], y[rows], eval_set=(x[held_out], y[held_out]) if stops else None)
    return float(log_loss(y[held_out], model.predict_proba(x[held_out])))


def one_by_one(x: NDArray[Any], y: NDArray[Any], trials: list[Trial], threads: int) -> None:
    for trial in trials:
        run_trial(x, y, trial, threads)


def in_processes(x: NDArray[Any], y: NDArray[Any], trials: list[Trial], processes: int) -> None:
    joblib.Parallel(n_jobs=processes)(joblib.delayed(run_trial)(x, y, trial, 1) for trial in trials)


def halving(estimator: MixBoostClassifier, configs: int, threads: int) -> HalvingRandomSearchCV:
    """Without held-out rows to stop at, each of its fits finds its number of rounds by itself, unless it is given."""
    kinds: dict[str, Callable[[Any, Any], Any]] = {
        "log10": loguniform,
        "integer": lambda lowest, highest: randint(lowest, highest + 1),
        "linear": lambda lowest, highest: uniform(lowest, highest - lowest),
    }
    ranges = {name: kinds[scale](lowest, highest) for name, (lowest, highest, scale) in SPACE.items()}
    n_rows = int(DATA.partition("x")[0])
    return HalvingRandomSearchCV(
        clone(estimator).set_params(n_threads=1),
        ranges,
        n_candidates=configs,
        factor=ETA,
        min_resources=n_rows // ETA,
        max_resources=n_rows,
        cv=FOLDS,
        scoring="neg_log_loss",
        n_jobs=threads,
        random_state=0,
    )


def timed(action: Callable[[], Any]) -> tuple[float, Any]:
    began = time.perf_counter()
    made = action()
    return time.perf_counter() - began, made


def measure(estimator: MixBoostClassifier, configs: int, repeats: int) -> str:
    threads = os.cpu_count() or 1
    folder = make_files(DATA)
    x, y = load(folder, "train")
    x_test, y_test = load(folder, "test")
    trials = trials_of(search(estimator, configs, threads).fit(x, y), y)
    ways: dict[str, Callable[[], Any]] = {
        "MixBoostSearchCV, 1 thread": lambda: search(estimator, configs, 1).fit(x, y),
        f"MixBoostSearchCV, {threads} threads": lambda: search(estimator, configs, threads).fit(x, y),
        f"the same trials one by one, {threads} threads": lambda: one_by_one(x, y, trials, threads),
        f"the same trials by joblib in {threads} processes": lambda: in_processes(x, y, trials, threads),
        f"HalvingRandomSearchCV, {threads} processes": lambda: halving(estimator, configs, threads).fit(x, y),
    }
    runs: dict[str, list[tuple[float, Any]]] = {name: [] for name in ways}
    for _ in range(repeats):
        for name, way in ways.items():
            runs[name].append(timed(way))
            print(f"{name}: {runs[name][-1][0]:.1f} s", flush=True)
    best = {name: min(found, key=lambda run: run[0]) for name, found in runs.items()}
    ours = best[f"MixBoostSearchCV, {threads} threads"][0]
    rows = []
    for name, (seconds, found) in best.items():
        loss = f"{log_loss(y_test, found.predict_proba(x_test)):.4f}" if found is not None else ""
        rows.append([name, f"{seconds:.1f}", f"{seconds / ours:.2f}", loss])
    return table(["way", "seconds", "ratio", "test loss"], rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], prog="./dev bench tune")
    parser.add_argument("--configs", type=int, default=32, help="of the first stage")
    parser.add_argument("--repeats", type=int, default=3, help="of each way; the fastest counts")
    arguments = parser.parse_args()
    configs, repeats = arguments.configs, arguments.repeats
    page = f"""# Ways to search

{describe()}; `./dev bench tune --configs {configs} --repeats {repeats}`, the fastest of each.
{DATA} generated rows and features, two classes; {configs} configurations of a fourth of the rows, the best
{configs // ETA} on all, three folds. Searches train their winner once more on all rows; trials one by one and by joblib
have the options of the search and end with their losses. HalvingRandomSearchCV draws others from the same ranges.

## The same budget

Every fit has {N_ROUNDS} rounds, so all ways have as many trials of as many rows and rounds.

{measure(FIXED, configs, repeats)}
## As it comes

Trials stop at their held-out rows. HalvingRandomSearchCV gives its fits no rows to stop at: each looks for its number
of rounds itself, with trainings of its own.

{measure(AS_IT_COMES, configs, repeats)}"""
    RESULTS.mkdir(parents=True, exist_ok=True)
    path = RESULTS / f"{machine_name()}-tune.md"
    path.write_text(page)
    print(f"{page}\nWritten to bench/results/{path.name}.")


if __name__ == "__main__":
    main()
