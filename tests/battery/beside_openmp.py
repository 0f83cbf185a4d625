"""mixboost in one process with a library that brings an OpenMP runtime: both train in turns, then a forked child.

    beside_openmp.py LIBRARY first|last

The library is imported first or last. What mixboost gives must be what it gives alone, in the parent and in the child,
which has ten seconds; importing it and each of its calls must leave the processor's modes as they were.
"""

from __future__ import annotations

import argparse
import ctypes
import platform
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from peers import BOOSTERS, rows
from peers_forks import N_ROUNDS, N_ROWS, THREADS, end_in_a_child

FLAGS = 0x3F  # of MXCSR: what happened, not what shall


def train_sklearn(X: Any, y: Any) -> None:
    from sklearn.ensemble import HistGradientBoostingRegressor

    HistGradientBoostingRegressor(max_iter=5).fit(X, y).predict(X)


def train_peer(name: str) -> Callable[[Any, Any], None]:
    def train(X: Any, y: Any) -> None:
        booster = BOOSTERS[name](n_threads=THREADS)
        booster.predict(booster.fit(X, y, rounds=N_ROUNDS), X)

    return train


USERS = {"scikit-learn": train_sklearn, "LightGBM": train_peer("LightGBM"), "XGBoost": train_peer("XGBoost")}
MODULES = {"scikit-learn": "sklearn.ensemble", "LightGBM": "lightgbm", "XGBoost": "xgboost"}


class Modes:
    """Those of the processor in this thread: the control words of x87 and SSE."""

    def __init__(self) -> None:
        self._libm = ctypes.CDLL("libm.so.6") if platform.machine() == "x86_64" else None
        self.n_changed = 0

    def _now(self) -> tuple[int, int]:
        if self._libm is None:
            return (0, 0)
        environment = (ctypes.c_uint8 * 64)()
        self._libm.fegetenv(environment)
        x87, mxcsr = bytes(environment[0:2]), bytes(environment[28:32])
        return int.from_bytes(x87, "little"), int.from_bytes(mxcsr, "little") & ~FLAGS

    def kept_by(self, call: Callable[[], Any]) -> Any:
        before = self._now()
        result = call()
        self.n_changed += self._now() != before
        return result


def predicted_alone() -> bytes:
    """By a process that never saw the other library."""
    ours = BOOSTERS["mixboost"](n_threads=THREADS)
    X, y = rows(N_ROWS)
    return np.asarray(ours.predict(ours.fit(X, y, rounds=N_ROUNDS), X)).tobytes()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("library", choices=[*USERS, "none"])
    parser.add_argument("order", choices=["first", "last"])
    arguments = parser.parse_args()
    if arguments.library == "none":
        sys.stdout.buffer.write(predicted_alone())
        return
    alone = subprocess.run([sys.executable, __file__, "none", "first"], stdout=subprocess.PIPE, check=True).stdout
    X, y = rows(N_ROWS)
    modes = Modes()
    if arguments.order == "first":
        __import__(MODULES[arguments.library])
    ours = modes.kept_by(lambda: BOOSTERS["mixboost"](n_threads=THREADS))
    if arguments.order == "last":
        __import__(MODULES[arguments.library])

    def same() -> bool:
        model = modes.kept_by(lambda: ours.fit(X, y, rounds=N_ROUNDS))
        predicted = modes.kept_by(lambda: ours.predict(model, X))
        return np.asarray(predicted).tobytes() == alone

    n_same = 0
    for _ in range(3):
        n_same += same()
        USERS[arguments.library](X, y)
    n_same += same()
    end = end_in_a_child(same, lambda: None)
    runtimes = set(re.findall(r"/lib[gi]?omp\d*\b[^/\n]*$", Path("/proc/self/maps").read_text(), re.MULTILINE))
    print(f"{n_same} trainings the same, {4 - n_same} different, {int(end != 'same')} bad forks, ", end="")
    print(f"{modes.n_changed} modes changed, {len(runtimes)} OpenMP runtimes")


if __name__ == "__main__":
    main()
