"""Trains a booster on labels and weights that are no numbers, or very large: refused, or taken without a word.

    peers_labels.py LIBRARY

Each in a process of its own; one value of 500 is bad.
"""

from __future__ import annotations

import argparse
import collections
import os
import tempfile
from pathlib import Path

import numpy as np
from peers import BOOSTERS, Booster, in_a_child, rows

# Whose value is bad, and what it is. The last is a number as any other, which has a model.
BAD = [(of, value) for of in ("label", "weight") for value in (np.nan, np.inf, -np.inf)]
LARGE = ("label", 1e300)
REFUSED, FINITE, NOT_FINITE = range(10, 13)  # exit codes
CODES = {REFUSED: "refused", FINITE: "finite", NOT_FINITE: "not_finite"}
ENDS = [*CODES.values(), "crashes"]


def train(booster: Booster, of: str, value: float) -> int:
    X, y = rows()
    weight = np.ones(len(y))
    {"label": y, "weight": weight}[of][123] = value
    try:
        predicted = np.asarray(booster.predict(booster.fit(X, y, weight), X))
    except Exception:
        return REFUSED
    return FINITE if np.isfinite(predicted).all() else NOT_FINITE


def end_of(booster: Booster, of: str, value: float, messages: Path) -> str:
    status = in_a_child(lambda: train(booster, of, value), messages)
    return CODES.get(os.WEXITSTATUS(status), "crashes") if os.WIFEXITED(status) else "crashes"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("library", choices=BOOSTERS)
    booster = BOOSTERS[parser.parse_args().library]()
    with tempfile.TemporaryDirectory() as name:
        messages = Path(name) / "messages"
        ends = collections.Counter(end_of(booster, of, value, messages) for of, value in BAD)
        large = end_of(booster, *LARGE, messages)
    print(f"{booster.version}: " + ", ".join(f"{ends[end]} {end}" for end in ENDS))
    print(f"large labels: {int(large == 'finite')} predicted, {int(large == 'refused')} refused")


if __name__ == "__main__":
    main()
