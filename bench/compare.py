"""Times mixboost beside LightGBM and XGBoost: same data, threads, depth, bins, rounds and learning rate.

    ./dev bench [--rows N] [--features N] [--threads N] [--repeats N]

Every measurement runs in a process of its own, contestants in turn, and the best of the repeats counts. Prints a
Markdown table with the held-out loss of each, so that nobody wins by doing less.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
import time
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

ROUNDS, DEPTH, RATE = 100, 6, 0.1


def make_data(rows: int, features: int) -> tuple[np.ndarray, np.ndarray]:
    """Float32 features and a label that trees can learn well but not perfectly."""
    random = np.random.default_rng(7)
    x = random.standard_normal((rows, features), dtype=np.float32)
    switched = np.where(x[:, 1] > 0, x[:, 2], -0.5 * x[:, 2])
    score = np.sin(2 * x[:, 0]) + switched + np.where(x[:, 3] > 0.5, 1.0, -0.5) + 0.5 * x[:, 4]
    y = (score + random.logistic(size=rows) > 0).astype(np.float64)
    return x, y


def logloss(y: np.ndarray, p: np.ndarray) -> float:
    p = np.clip(p, 1e-15, 1 - 1e-15)
    return float(-np.mean(y * np.log(p) + (1 - y) * np.log1p(-p)))


def fit_mixboost(x: np.ndarray, y: np.ndarray, threads: int, tree_probability: float = 1) -> Any:
    from mixboost import MixBoostClassifier

    model = MixBoostClassifier(
        num_round=ROUNDS,
        learning_rate=RATE,
        min_max_depth=DEPTH,
        max_max_depth=DEPTH,
        min_child_weight=1,
        tree_probability=tree_probability,
        n_threads=threads,
    ).fit(x, y)
    return lambda rows: model.predict_proba(rows)[:, 1]


def fit_mixed(x: np.ndarray, y: np.ndarray, threads: int) -> Any:
    return fit_mixboost(x, y, threads, tree_probability=0.9)


def fit_lightgbm(x: np.ndarray, y: np.ndarray, threads: int) -> Any:
    import lightgbm

    options = {
        "objective": "binary",
        "num_leaves": 2**DEPTH,
        "max_depth": DEPTH,
        "max_bin": 255,
        "learning_rate": RATE,
        "min_sum_hessian_in_leaf": 1.0,
        "min_data_in_leaf": 1,
        "lambda_l2": 1.0,
        "num_threads": threads,
        "verbosity": -1,
    }
    model = lightgbm.train(options, lightgbm.Dataset(x, y), ROUNDS)
    return model.predict


def fit_xgboost(x: np.ndarray, y: np.ndarray, threads: int) -> Any:
    import xgboost

    options = {
        "objective": "binary:logistic",
        "tree_method": "hist",
        "max_depth": DEPTH,
        "max_bin": 256,
        "learning_rate": RATE,
        "min_child_weight": 1.0,
        "reg_lambda": 1.0,
        "nthread": threads,
    }
    model = xgboost.train(options, xgboost.QuantileDMatrix(x, y, max_bin=256), ROUNDS)
    return lambda rows: model.predict(xgboost.DMatrix(rows))


CONTESTANTS = {
    "mixboost, trees": fit_mixboost,
    "mixboost, 10 % fourier": fit_mixed,
    "LightGBM": fit_lightgbm,
    "XGBoost": fit_xgboost,
}


def measure(contestant: str, rows: int, features: int, threads: int) -> dict[str, float]:
    """One fit in this process: seconds, bytes a row above the loaded data, held-out loss."""
    for module in ("mixboost._estimators", "lightgbm", "xgboost"):
        if module.partition(".")[0] in contestant.lower():
            __import__(module)
    n_test = 100_000
    x, y = make_data(rows + n_test, features)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    began = time.perf_counter()
    predict = CONTESTANTS[contestant](x[:rows], y[:rows], threads)
    seconds = time.perf_counter() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    return {
        "seconds": seconds,
        "bytes_a_row": peak * 1024 / rows,
        "logloss": logloss(y[rows:], np.asarray(predict(x[rows:]))),
    }


def processor() -> str:
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    return next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), platform.machine())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--features", type=int, default=28)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--one", choices=CONTESTANTS, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    size = (arguments.rows, arguments.features, arguments.threads)
    if arguments.one:
        print(json.dumps(measure(arguments.one, *size)))
        return

    results: dict[str, list[dict[str, float]]] = {name: [] for name in CONTESTANTS}
    for _ in range(arguments.repeats):
        for name in CONTESTANTS:
            command = [sys.executable, __file__, *sys.argv[1:], "--one", name]
            output = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
            results[name].append(json.loads(output.splitlines()[-1]))
            print(f"{name}: {results[name][-1]['seconds']:.2f} s", file=sys.stderr)

    versions = ", ".join(f"{name} {metadata.version(name.lower())}" for name in ("LightGBM", "XGBoost"))
    print(
        f"{arguments.rows} x {arguments.features}, {ROUNDS} rounds, depth {DEPTH}, {arguments.threads} threads, ",
        end="",
    )
    print(f"best of {arguments.repeats}; {processor()}; {versions}\n")
    print("| | fit, s (binning included) | memory over the data, bytes a row | held-out logloss |\n|---|---|---|---|")
    for name, runs in results.items():
        best = min(runs, key=lambda run: run["seconds"])
        memory = min(run["bytes_a_row"] for run in runs)
        print(f"| {name} | {best['seconds']:.2f} | {memory:.0f} | {best['logloss']:.5f} |")


if __name__ == "__main__":
    main()
