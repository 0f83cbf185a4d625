"""What the Python package costs beside LightGBM, XGBoost and CatBoost: to install, to import, for one row, in memory.

    ./dev bench python [--rows N] [--features N] [--threads N] [--repeats N]

Every measurement runs in a process of its own, contestants in turn, and the best of the repeats counts. Prints Markdown
tables.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
from contestants import PLAIN_LEARNER, RATE
from datasets import make_data
from machine import PeakMemory, processor

WHEELS = Path(__file__).resolve().parent.parent / "build" / "python" / "dist"
ROUNDS, DEPTH = 100, 6
ROUNDS_FOR_MEMORY = 20  # the most memory is needed in the first ones
PACKAGES = ["mixboost", "lightgbm", "xgboost", "catboost"]
OUR_IMPORTS = ["import mixboost", "from mixboost import Predictor", "from mixboost import MixBoostRegressor"]
IMPORTS = [*OUR_IMPORTS, *(f"import {name}" for name in PACKAGES[1:])]


# ---- Contestants -------------------------------------------------------------------------------------------------


def make_mixboost(rounds: int, threads: int, tree_probability: float = 1.0) -> Any:
    from mixboost import MixBoostRegressor

    options: Any = PLAIN_LEARNER
    return MixBoostRegressor(
        **options,
        num_round=rounds,
        learning_rate=RATE,
        min_max_depth=DEPTH,
        max_max_depth=DEPTH,
        tree_probability=tree_probability,
        n_threads=threads,
    )


def make_mixed(rounds: int, threads: int) -> Any:
    return make_mixboost(rounds, threads, tree_probability=0.9)


def make_lightgbm(rounds: int, threads: int) -> Any:
    from lightgbm import LGBMRegressor

    return LGBMRegressor(
        n_estimators=rounds,
        learning_rate=RATE,
        max_depth=DEPTH,
        num_leaves=2**DEPTH,
        min_child_samples=1,
        n_jobs=threads,
        verbosity=-1,
    )


def make_xgboost(rounds: int, threads: int) -> Any:
    from xgboost import XGBRegressor

    return XGBRegressor(n_estimators=rounds, learning_rate=RATE, max_depth=DEPTH, n_jobs=threads)


def make_catboost(rounds: int, threads: int) -> Any:
    from catboost import CatBoostRegressor

    return CatBoostRegressor(
        iterations=rounds,
        learning_rate=RATE,
        depth=DEPTH,
        thread_count=threads,
        verbose=False,
        allow_writing_files=False,
    )


MAKERS: dict[str, Callable[[int, int], Any]] = {
    "mixboost, trees": make_mixboost,
    "mixboost, 10 % fourier": make_mixed,
    "LightGBM": make_lightgbm,
    "XGBoost": make_xgboost,
    "CatBoost": make_catboost,
}


def lightgbm_single_row(model: Any, x: np.ndarray) -> Callable[[], float]:
    """The function that LightGBM's C interface has for single rows, through ctypes."""
    from lightgbm import basic

    booster, config = model.booster_, ctypes.c_void_p()
    start = basic._LIB.LGBM_BoosterPredictForMatSingleRowFastInit
    status = start(booster._handle, 0, 0, -1, 1, len(x), b"num_threads=1", ctypes.byref(config))
    assert status == 0
    data, n, out = ctypes.c_void_p(x.ctypes.data), ctypes.c_int64(), ctypes.c_double()
    arguments = (config, data, ctypes.byref(n), ctypes.byref(out))
    predict = basic._LIB.LGBM_BoosterPredictForMatSingleRowFast

    def call() -> float:
        predict(*arguments)
        return out.value

    return call


def ways_to_predict(contestant: str, model: Any, x: np.ndarray) -> Iterator[tuple[str, Callable[[], Any]]]:
    """The usual call for one row, and what the documentation has for those in a hurry."""
    row = x[0]
    yield "model.predict(X[:1])", lambda: model.predict(x[:1])
    if "mixboost" in contestant:
        predict, numbers = model.predictor(), row.tolist()
        yield "model.predictor()(x)", lambda: predict(row)
        yield "model.predictor()(list)", lambda: predict(numbers)
    elif contestant == "LightGBM":
        yield "model.booster_.predict(X[:1])", lambda: model.booster_.predict(x[:1], num_threads=1)
        yield "LGBM_BoosterPredictForMatSingleRowFast", lightgbm_single_row(model, row)
    elif contestant == "XGBoost":
        booster = model.get_booster()
        yield "booster.inplace_predict(X[:1])", lambda: booster.inplace_predict(x[:1])
    else:
        yield "model.predict(x, thread_count=1)", lambda: model.predict(row, thread_count=1)


# ---- Measurements, each in a process of its own ------------------------------------------------------------------


def import_command(statement: str) -> list[str]:
    """A Python that has loaded nothing else: how long numpy takes, and what the statement adds to it."""
    code = f"""
import time
times = [time.perf_counter()]
import numpy
times.append(time.perf_counter())
{statement}
times.append(time.perf_counter())
import json
print(json.dumps(dict(numpy=times[1] - times[0], more=times[2] - times[1])))"""
    return [sys.executable, "-c", code]


def seconds_of(call: Callable[[], Any], n_calls: int = 2000, n_times: int = 5) -> float:
    best = float("inf")
    for _ in range(n_times):
        began = time.perf_counter()
        for _ in range(n_calls):
            call()
        best = min(best, (time.perf_counter() - began) / n_calls)
    return best


def row_seconds(contestant: str, data: Path) -> dict[str, float]:
    """One thread: a row has nothing to share."""
    x, y = np.load(data / "x.npy")[:20_000].astype(np.float64), np.load(data / "y.npy")[:20_000]
    model = MAKERS[contestant](ROUNDS, 1).fit(x, y)
    expected = float(np.ravel(model.predict(x[:1]))[0])
    seconds = {}
    for name, call in ways_to_predict(contestant, model, x):
        assert abs(float(np.ravel(call())[0]) - expected) < 1e-5, name
        seconds[name] = seconds_of(call)
    return seconds


def fit_bytes(contestant: str, data: Path, threads: int) -> dict[str, float]:
    """The peak of a fit above the process with the data in it, once a small fit has loaded everything."""
    x, y = np.load(data / "x.npy"), np.load(data / "y.npy")
    MAKERS[contestant](1, threads).fit(x[:1000], y[:1000])
    memory = PeakMemory()
    MAKERS[contestant](ROUNDS_FOR_MEMORY, threads).fit(x, y)
    return {"bytes": memory.bytes()}


# ---- Tables ------------------------------------------------------------------------------------------------------


def best_of(
    kind: str, all_of_them: list[str], data: Path, arguments: argparse.Namespace
) -> dict[str, dict[str, float]]:
    """Runs the measurement of each in turn, again and again, and keeps the smallest figures."""
    best: dict[str, dict[str, float]] = {what: {} for what in all_of_them}
    for _ in range(arguments.repeats):
        for what in all_of_them:
            command = [sys.executable, __file__, "--threads", str(arguments.threads), "--one", kind, what, str(data)]
            if kind == "import":
                command = import_command(what)
            output = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
            figures = json.loads(output.splitlines()[-1])
            best[what] = {name: min(figure, best[what].get(name, figure)) for name, figure in figures.items()}
            print(f"{kind}, {what}: {figures}", file=sys.stderr)
    return best


def installed_megabytes(package: str) -> float:
    files = [Path(file.locate()) for file in metadata.files(package) or []]
    return sum(file.stat().st_size for file in files if file.exists()) / 1e6


def print_table(title: str, header: list[str], rows: list[list[str]]) -> None:
    lines = [header, ["---"] * len(header), *rows]
    print(f"\n{title}\n\n" + "\n".join(f"| {' | '.join(line)} |" for line in lines))


def print_tables(data: Path, arguments: argparse.Namespace) -> None:
    versions = ", ".join(f"{name} {metadata.version(name)}" for name in ["numpy", *PACKAGES])
    print(f"{processor()}; Python {sys.version.split()[0]}; {versions}; best of {arguments.repeats}")
    wheels = ", ".join(f"{wheel.name} has {wheel.stat().st_size / 1e6:.2f} MB" for wheel in WHEELS.glob("*.whl"))
    sizes = [[name, f"{installed_megabytes(name):.1f}"] for name in PACKAGES]
    print_table(f"Installed, without what they depend on ({wheels}):", ["", "MB"], sizes)

    imports = best_of("import", IMPORTS, data, arguments)
    rows = [[f"`{statement}`", f"{1e3 * imports[statement]['more']:.0f}"] for statement in IMPORTS]
    numpy_alone = 1e3 * min(figures["numpy"] for figures in imports.values())
    print_table(f"Import, on top of numpy's {numpy_alone:.0f} ms:", ["", "ms"], rows)

    figures = best_of("row", list(MAKERS), data, arguments)
    rows = [[who, f"`{way}`", f"{1e6 * seconds:.1f}"] for who in MAKERS for way, seconds in figures[who].items()]
    title = f"One row, {ROUNDS} trees of depth {DEPTH}, {arguments.features} features, one thread:"
    print_table(title, ["", "call", "µs"], rows)

    memory, x_bytes = best_of("fit", list(MAKERS), data, arguments), 4 * arguments.rows * arguments.features
    rows = [[who, f"{memory[who]['bytes'] / 1e6:.0f}", f"{memory[who]['bytes'] / x_bytes:.2f}"] for who in MAKERS]
    size = f"{arguments.rows} x {arguments.features} float32 ({x_bytes / 1e6:.0f} MB)"
    title = f"Peak memory of fit over X, {size}, {ROUNDS_FOR_MEMORY} rounds, {arguments.threads} threads:"
    print_table(title, ["", "MB", "times X"], rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], prog="./dev bench python")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--features", type=int, default=28)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--one", nargs=3, metavar=("KIND", "WHAT", "DATA"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        kind, what, data = arguments.one
        figures = row_seconds(what, Path(data)) if kind == "row" else fit_bytes(what, Path(data), arguments.threads)
        print(json.dumps(figures))
        return
    with tempfile.TemporaryDirectory() as folder:
        x, y = make_data(arguments.rows, arguments.features)
        np.save(Path(folder) / "x.npy", x)
        np.save(Path(folder) / "y.npy", y)
        del x, y
        print_tables(Path(folder), arguments)


if __name__ == "__main__":
    main()
