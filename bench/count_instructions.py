"""Counts the instructions of small trainings with callgrind and writes bench/instructions.txt.

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
from pathlib import Path
from typing import NamedTuple

from places import ROOT, SCRATCH

PROGRAM = ROOT / "build" / "release" / "mixboost"
FOLDER = SCRATCH / "instructions"
PAGE = ROOT / "bench" / "instructions.txt"

N_SHOWN = 8
OPTIONS = "--objective logloss --n_threads 1".split()
PAPER = "--preset paper --learning_rate 0.05 --min_max_depth 6 --max_max_depth 6"
KERNELS = ["portable", "avx2"]
COUNTED = ["mxb_prepared_create", "mxb_trainer_create", "mxb_trainer_run"]  # not the reading of the data


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


def write_data(path: Path, training: Training) -> None:
    numbers = random.Random(7)
    lines = [",".join([*(f"x{j}" for j in range(training.n_features)), "y"])]
    for _ in range(training.n_rows):
        x = [numbers.gauss(0, 1) for _ in range(training.n_features)]
        score = math.sin(2 * x[0]) + (x[2] if x[1] > 0 else -0.5 * x[2]) + numbers.gauss(0, 1)
        lines.append(",".join([*(f"{value:.4f}" for value in x), str(int(score > 0))]))
    path.write_text("\n".join(lines) + "\n")


def count(data: Path, training: Training, kernels: str) -> tuple[float, list[tuple[float, str]]]:
    """Millions of instructions of a training, and of the functions that take most of them."""
    counts = FOLDER / f"{training.name}-{kernels}.callgrind"
    valgrind = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={counts}"]
    valgrind += [f"--toggle-collect={function}" for function in COUNTED]
    files = ["train", str(data), "--label", "y", "--model", str(FOLDER / "model.mxb"), "--quiet"]
    command = [*valgrind, str(PROGRAM), *files, *OPTIONS, *training.options.split()]
    subprocess.run(command, env={**os.environ, "MIXBOOST_KERNELS": kernels}, check=True, capture_output=True)
    annotate = ["callgrind_annotate", "--auto=no", str(counts)]
    text = subprocess.run(annotate, check=True, capture_output=True, text=True).stdout
    found = re.findall(r"^ *([\d,]+) \([^)]*\)  (\S.*)$", text, re.MULTILINE)
    (total, _), *functions = [(int(number.replace(",", "")) / 1e6, name_of(place)) for number, place in found]
    return total, functions[:N_SHOWN]


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


def main() -> None:
    missing = [name for name in ("valgrind", "callgrind_annotate") if shutil.which(name) is None]
    if missing:
        sys.exit(f"{missing[0]} is not installed.")
    FOLDER.mkdir(parents=True, exist_ok=True)
    lines = [
        "Millions of instructions of small trainings, and the functions that take most of them.",
        "Written by `./dev bench instructions`; to be written again, and looked at, with a change of hot code.",
        f"mixboost train {' '.join(OPTIONS)}, without reading the data",
        f"{compiler()}; {first_line('valgrind', '--version')}",
    ]
    for training in TRAININGS:
        data = FOLDER / f"{training.name}.csv"
        write_data(data, training)
        lines += ["", f"{training.name}: {training.n_rows} x {training.n_features}, {training.options}"]
        for kernels in KERNELS:
            total, functions = count(data, training, kernels)
            lines += [f"{total:10.1f}  with {kernels} kernels"]
            lines += [f"{millions:14.1f}  {name}" for millions, name in functions]
    PAGE.write_text("\n".join(lines) + "\n")
    print(PAGE.read_text(), end="")


if __name__ == "__main__":
    main()
