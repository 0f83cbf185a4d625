"""Counts the instructions of small trainings and of predictions with callgrind and writes bench/instructions.txt.

    ./dev bench instructions

The count hardly depends on what else the machine does, so a slow-down shows in review. It says nothing about memory,
and AVX-512 is not counted: callgrind does not know it.
"""

from __future__ import annotations

import math
import os
import random
import re
import shutil
import subprocess
import sys
from array import array
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from places import RELEASE, ROOT, SCRATCH, TIME_MODEL

PROGRAM = RELEASE / "mixboost"
FOLDER = SCRATCH / "instructions"
PAGE = ROOT / "bench" / "instructions.txt"

N_SHOWN = 8
OPTIONS = "--objective logloss --n_threads 1".split()
PAPER = "--preset paper --learning_rate 0.05 --min_max_depth 6 --max_max_depth 6"
KERNELS = ["portable", "avx2"]
OF_TRAINING = ["mxb_prepared_create", "mxb_trainer_create", "mxb_trainer_run"]  # not the reading of the data


class Training(NamedTuple):
    """A training of one regime."""

    name: str
    n_rows: int
    n_features: int
    options: str


TRAININGS = [
    Training("trees", 5000, 12, f"{PAPER} --num_round 30 --tree_probability 1"),
    Training("trees on packed histograms", 70000, 8, f"{PAPER} --num_round 8 --tree_probability 1"),
    Training("mixed", 5000, 12, f"{PAPER} --num_round 30 --tree_probability 0.8 --n_components 50"),
    Training("defaults", 5000, 12, "--num_round 30"),
]

# Of models that predict 28 features, by what they are made with.
TREES_TO_PREDICT = f"{PAPER} --num_round 100 --tree_probability 1"
MODELS = [
    Training("trees", 5000, 28, f"{TREES_TO_PREDICT}"),
    Training("symmetric trees", 5000, 28, f"{TREES_TO_PREDICT} --symmetric_probability 1 --symmetric_depth 6"),
    Training("defaults", 5000, 28, "--num_round 100"),
]
N_CALLS = 1000  # on one row each
N_BATCH = 512

Counts = list[tuple[int, str]]  # the whole, then functions from the most on


def write_data(path: Path, training: Training) -> None:
    numbers = random.Random(7)
    lines = [",".join([*(f"x{j}" for j in range(training.n_features)), "y"])]
    for _ in range(training.n_rows):
        x = [numbers.gauss(0, 1) for _ in range(training.n_features)]
        score = math.sin(2 * x[0]) + (x[2] if x[1] > 0 else -0.5 * x[2]) + numbers.gauss(0, 1)
        lines.append(",".join([*(f"{value:.4f}" for value in x), str(int(score > 0))]))
    path.write_text("\n".join(lines) + "\n")


def train_command(data: Path, training: Training, model: Path) -> list[str]:
    files = ["train", str(data), "--label", "y", "--model", str(model), "--quiet"]
    return [str(PROGRAM), *files, *OPTIONS, *training.options.split()]


def count(command: list[str], inside: list[str], kernels: str) -> Counts:
    """Instructions of a command inside some functions, those of what they call included."""
    counts = FOLDER / "counts.callgrind"
    valgrind = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={counts}"]
    valgrind += [f"--toggle-collect={function}" for function in inside]
    env = {**os.environ, "MIXBOOST_KERNELS": kernels}
    subprocess.run([*valgrind, *command], env=env, check=True, capture_output=True)
    annotate = ["callgrind_annotate", "--auto=no", str(counts)]
    text = subprocess.run(annotate, check=True, capture_output=True, text=True).stdout
    found = re.findall(r"^ *([\d,]+) \([^)]*\)  (\S.*)$", text, re.MULTILINE)
    return [(int(number.replace(",", "")), name_of(place)) for number, place in found]


def name_of(place: str) -> str:
    """The function in "file:function [object]"."""
    return re.sub(r" \[.*\]$", "", place).rpartition(":")[2]


def first_line(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()[0]


def compiler() -> str:
    cache = (PROGRAM.parent / "CMakeCache.txt").read_text()
    found = re.search(r"^CMAKE_C_COMPILER:\w+=(.+)$", cache, re.MULTILINE)
    assert found is not None
    return first_line(found.group(1), "--version")


def lines_of(counts: Counts, unit: int, digits: int, kernels: str) -> Iterator[str]:
    """The whole and the first functions, in units of so many instructions."""
    (total, _), *functions = counts
    yield f"{total / unit:10.{digits}f}  with {kernels} kernels"
    for number, name in functions[:N_SHOWN]:
        yield f"{number / unit:14.{digits}f}  {name}"


def of_trainings() -> Iterator[str]:
    yield "Millions of instructions of small trainings, and the functions that take most of them."
    yield f"mixboost train {' '.join(OPTIONS)}, without reading the data"
    for training in TRAININGS:
        data = FOLDER / f"{training.name}.csv"
        write_data(data, training)
        yield from ("", f"{training.name}: {training.n_rows} x {training.n_features}, {training.options}")
        for kernels in KERNELS:
            counts = count(train_command(data, training, FOLDER / "model.mxb"), OF_TRAINING, kernels)
            yield from lines_of(counts, 10**6, 1, kernels)


def write_rows(data: Path) -> tuple[Path, Path]:
    """The features of the first rows: those of a batch as text, those of single calls as doubles."""
    header, *lines = [line.rpartition(",")[0] for line in data.read_text().splitlines()]
    batch, rows = FOLDER / "batch.csv", FOLDER / "rows"
    batch.write_text("\n".join([header, *lines[:N_BATCH]]) + "\n")
    rows.write_bytes(array("d", [float(cell) for line in lines[:N_CALLS] for cell in line.split(",")]).tobytes())
    return batch, rows


def of_predictions() -> Iterator[str]:
    yield "Instructions a row of predictions, and the functions that take most of them."
    yield f"One row: mxb_model_predict_rows, mean of {N_CALLS} calls; batch: mxb_model_predict on {N_BATCH} rows"
    for training in MODELS:
        data, model, out = FOLDER / "to predict.csv", FOLDER / "model.mxb", FOLDER / "predictions.csv"
        write_data(data, training)
        subprocess.run(train_command(data, training, model), check=True, capture_output=True)
        batch, rows = write_rows(data)
        one = [str(TIME_MODEL), str(model), str(rows), "1", str(N_CALLS)]
        many = [str(PROGRAM), "predict", str(model), str(batch), "--out", str(out), "--n_threads", "1", "--quiet"]
        yield from ("", f"{training.name}: {training.n_features} features, {training.options}")
        for name, command, function, n in (
            ("one row", one, "mxb_model_predict_rows", N_CALLS),
            ("batch", many, "mxb_model_predict", N_BATCH),
        ):
            yield f"  {name}"
            for kernels in KERNELS:
                yield from lines_of(count(command, [function], kernels), n, 0, kernels)


def main() -> None:
    missing = [name for name in ("valgrind", "callgrind_annotate") if shutil.which(name) is None]
    if missing:
        sys.exit(f"{missing[0]} is not installed.")
    FOLDER.mkdir(parents=True, exist_ok=True)
    lines = ["Written by `./dev bench instructions`; to be written again, and looked at, with a change of hot code."]
    lines += [f"{compiler()}; {first_line('valgrind', '--version')}", "", *of_trainings(), "", *of_predictions()]
    PAGE.write_text("\n".join(lines) + "\n")
    print(PAGE.read_text(), end="")


if __name__ == "__main__":
    main()
