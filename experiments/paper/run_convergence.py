"""Draws the paper's Theorem 1: the training loss of each round on a finite class, and the bound on it.

    ./dev experiments convergence

Prints a page and writes it as experiments/paper/results/convergence.md, beside the picture (svg) and the curves (json).
It takes about half a minute and needs no data.
"""

from __future__ import annotations

import json
import math
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import scipy
from convergence import BAND, N_REPEATS, N_ROUNDS, N_ROWS, SEED, SUBCLASSES, Course, follow_all
from machine import describe
from pictures import curves
from tables import table

COMMAND = "./dev experiments convergence"
RESULTS = Path(__file__).with_name("results")
SMALL = 0.01  # the share of the excess whose round the table tells


def rounds_until_small(course: Course) -> tuple[str, str]:
    """When the bound and the mean are down to a hundredth."""
    promised = math.log(SMALL) / math.log(course.contraction) if course.theta > 0 else math.inf
    measured = next((m for m, excess in enumerate(course.mean) if excess <= SMALL), None)
    return (
        f"{math.ceil(promised):,}" if course.theta > 0 else "never",
        str(measured) if measured is not None else f"> {len(course.mean) - 1}",
    )


def page(courses: list[Course], date: str) -> str:
    header = ["loss", "Φ", "probabilities", "μ", "S", "rate μ / S", "Θ", "bound a round", "rounds to 1%: bound", "mean"]
    rows = [
        [
            course.loss,
            course.phi_name,
            " ".join(f"{share:.2g}" for share in course.phi),
            f"{course.mu:g}",
            f"{course.s:g}",
            f"{course.mu / course.s:g}",
            f"{course.theta:.3f}",
            f"× {course.contraction:.4f}",  # noqa: RUF001
            *rounds_until_small(course),
        ]
        for course in courses
    ]
    n_trainings = f"{N_REPEATS:,}"
    return (
        "# Convergence: Theorem 1 as a picture\n\n"
        f"`{COMMAND}`, {date}, {describe()}.\n\n"
        f"A finite class on {N_ROWS} random rows of two features. Three subclasses: {', '.join(SUBCLASSES)}. The"
        " trees cut features at a half and have fixed leaves; the Fourier features have one frequency and three phases."
        " Together they span six dimensions, trees alone four. The label is a step, a wave of that"
        " frequency and noise, for the logistic loss its sign.\n\n"
        "Algorithm 1 draws a subclass from Φ each round, takes its function that fits the Newton step best and adds it"
        f" times μ / S. {n_trainings} trainings differ in their draws alone. The logistic loss has the penalty"
        " f² / 2, without which it is not strongly convex.\n\n"
        "![Excess loss of each round, and the bound](convergence.svg)\n\n"
        f"The line is the mean of L - L\\* over the trainings, the band has the middle {BAND[1] - BAND[0]:g}% of them."
        f" A mean of {n_trainings} trainings knows nothing of what is rarer than one of them, hence its steps low"
        " down.\n\n" + table(header, rows) + "\n"
        "*Bound a round* is 1 - μ²/S² Θ². Θ is exact: it is the distance from the origin to the nearest facet of a"
        " polytope (`minimum_cosine` in `convergence.py`).\n\n"
        "- The mean stays below the bound in every round. Where Θ is over 0 it falls by about the same factor a round,"
        " as the theorem has it.\n"
        "- The more seldom a subclass that is needed comes, the slower; with trees alone Θ is 0: what only the Fourier"
        " features can fit is never fitted, the bound says nothing, and the loss stops far above its least.\n"
        "- The bound is far from tight. Lemma 1 bounds a mean of squares by the square of a mean: where one subclass"
        " of probability φ alone can help, a round takes a share of about φ, and the bound has φ².\n"
    )


def rounded(values: list[float]) -> list[float]:
    return [float(f"{value:.5g}") for value in values]


def record(courses: list[Course], date: str) -> dict[str, Any]:
    """What is kept: where it came from, the constants and the curves."""
    kept = [{name: rounded(of) if isinstance(of, list) else of for name, of in asdict(c).items()} for c in courses]
    return {
        "command": COMMAND,
        "date": date,
        "machine": describe(),
        "versions": {"numpy": np.__version__, "scipy": scipy.__version__},
        "rows": N_ROWS,
        "rounds": N_ROUNDS,
        "trainings": N_REPEATS,
        "seed": SEED,
        "courses": kept,
    }


def write(courses: list[Course], date: str, folder: Path) -> str:
    folder.mkdir(exist_ok=True)
    text = page(courses, date)
    curves(folder / "convergence.svg", courses)
    (folder / "convergence.md").write_text(text)
    (folder / "convergence.json").write_text(json.dumps(record(courses, date)).replace('{"loss"', '\n{"loss"') + "\n")
    return text


def main() -> None:
    print(write(follow_all(), time.strftime("%Y-%m-%d"), RESULTS))
    print("Written to experiments/paper/results: convergence.md, convergence.svg, convergence.json.")


if __name__ == "__main__":
    main()
