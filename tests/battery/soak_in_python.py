"""A long run of the package: predictions of a row or a few, then fits, over and over. The memory of the process does
not grow, and results stay what they were.

    soak_in_python.py PREDICTIONS FITS
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

N_ROWS, N_FEATURES = 2000, 6
FEW = 8  # rows at once, at most
PAGE = os.sysconf("SC_PAGE_SIZE")


def check_growth(what: str, n: int, is_right: Callable[[int], bool]) -> None:
    """Does things 0 to n - 1, the first quarter of them to warm up, and prints by how many bytes the most that the last
    quarter needs is above the most that the second needs: what is resident goes up and down."""
    file = os.open("/proc/self/statm", os.O_RDONLY)
    quarter = n // 4
    most = [0] * 5  # pages, by quarter; what is left over comes last
    n_wrong = 0
    for i in range(n):
        n_wrong += not is_right(i)
        pages = int(os.pread(file, 128, 0).split()[1])
        most[i // quarter] = max(most[i // quarter], pages)
    os.close(file)
    growth = PAGE * max(0, max(most[3:]) - most[1])
    print(f"{n} {what}, {n_wrong} wrong, {growth} bytes of growth to {PAGE * max(most[3:])}", flush=True)


class Kind(NamedTuple):
    """A sort of fit: an estimator, its options, and what it is fitted to."""

    estimator: Any
    options: dict[str, Any]
    X: Any
    y: Any

    def predictor(self) -> Any:
        return self.estimator(**self.options).fit(self.X, self.y).predictor()


def make_kinds() -> list[Kind]:
    mixboost: Any = importlib.import_module("mixboost")
    numbers = np.random.default_rng(0)
    X = numbers.uniform(-3, 3, (N_ROWS, N_FEATURES))
    y = np.sin(X[:, 0]) + (X[:, 1] > 0) + 0.1 * numbers.normal(size=N_ROWS)
    return [
        Kind(mixboost.MixBoostRegressor, {"num_round": 40, "n_threads": 2}, X, y),
        Kind(mixboost.MixBoostRegressor, {"num_round": 40, "tree_probability": 0.5, "n_threads": 1}, X, y),
        Kind(mixboost.MixBoostClassifier, {"num_round": 40, "validation_fraction": 0.2, "n_threads": 2}, X, y > 0.5),
    ]


class Predictions:
    """Of each kind in turn: a row as an array, a row as a list, a few rows."""

    def __init__(self, kinds: list[Kind]) -> None:
        self._X, self._lists = kinds[0].X, kinds[0].X.tolist()
        self._predictors = [kind.predictor() for kind in kinds]
        self._expected = [predict(self._X) for predict in self._predictors]

    def is_right(self, i: int) -> bool:
        which, row = i % len(self._predictors), i * 7 % (N_ROWS - FEW)
        predict, expected = self._predictors[which], self._expected[which]
        if i % 5 == 0:
            rows = slice(row, row + 1 + i // 5 % FEW)
            return bool((predict(self._X[rows]) == expected[rows]).all())
        return bool(predict((self._X if i % 5 < 3 else self._lists)[row]) == expected[row])


class Fits:
    """Of each kind in turn, and one that is refused."""

    def __init__(self, kinds: list[Kind]) -> None:
        self._kinds, self._expected = kinds, [kind.predictor()(kind.X) for kind in kinds]
        self._bad = kinds[0]._replace(y=np.full(N_ROWS, np.nan))

    def is_right(self, i: int) -> bool:
        which = i % (len(self._kinds) + 1)
        if which < len(self._kinds):
            kind = self._kinds[which]
            return bool((kind.predictor()(kind.X) == self._expected[which]).all())
        try:
            self._bad.predictor()
        except ValueError:
            return True
        return False


def main() -> None:
    kinds = make_kinds()
    check_growth("predictions", int(sys.argv[1]), Predictions(kinds).is_right)
    check_growth("fits", int(sys.argv[2]), Fits(kinds).is_right)


if __name__ == "__main__":
    main()
