"""Trainings and predictions of a booster around a fork, each compared with the same one before any fork.

    peers_forks.py LIBRARY SITUATION [--count N]

`trained`: the parent has trained, and both train on. `loaded`: the parent has loaded a model and predicted, as a server
does before it forks its workers; the child predicts, and loads it again. `pool`: workers of multiprocessing train. Each
library works with two threads, and each child or pool has ten seconds.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import multiprocessing
import os
import signal
import tempfile
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from peers import BOOSTERS, CRASHED, count_ends, rows

SECONDS, THREADS, WORKERS = 10, 2, 2
N_ROWS, N_ROUNDS = 6000, 5  # enough of them for a library to share them among its threads
ENDS = ["same", "different", "hangs", "crashes"]
SAME, DIFFERENT = 10, 11  # exit codes


# ---- Children ----


@contextlib.contextmanager
def limited() -> Iterator[None]:
    """What the parent itself does, which ends it where it hangs: no code of its own would run any more."""
    signal.alarm(3 * SECONDS)
    yield
    signal.alarm(0)


def end_in_a_child(work: Callable[[], bool], meanwhile: Callable[[], object]) -> str:
    """How a forked process ended that was asked whether all is the same; the parent works, too."""
    child = os.fork()
    if child == 0:
        code = CRASHED
        try:
            signal.alarm(SECONDS)
            code = SAME if work() else DIFFERENT
        finally:
            os._exit(code)
    with limited():
        meanwhile()
    status = os.waitpid(child, 0)[1]
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGALRM:
        return "hangs"
    return {SAME << 8: "same", DIFFERENT << 8: "different"}.get(status, "crashes")


class Trainings:
    """Of one library: what it gave before any fork, and whether it gives that again."""

    def __init__(self, name: str) -> None:
        self.booster = BOOSTERS[name](n_threads=THREADS)
        self._X, self._y = rows(N_ROWS)
        self._model = self._fit()
        self._expected = self._predicted(self._model)

    def _predicted(self, model: Any) -> bytes:
        return np.asarray(self.booster.predict(model, self._X)).tobytes()

    def _fit(self) -> Any:
        return self.booster.fit(self._X, self._y, rounds=N_ROUNDS)

    def save(self, path: str) -> None:
        self.booster.save(self._model, path)

    def trains(self) -> bool:
        return self._predicted(self._fit()) == self._expected

    def loads(self, path: str) -> bool:
        loaded = self.booster.load(path)
        return self._predicted(self._model) == self._predicted(loaded) == self._expected


inherited: list[Trainings] = []  # of a worker


def train_in_a_worker(_index: int) -> bool:
    return inherited[0].trains()


def end_of_a_pool(trainings: Trainings) -> str:
    with limited(), multiprocessing.get_context("fork").Pool(WORKERS, inherited.append, (trainings,)) as pool:
        try:
            same = pool.map_async(train_in_a_worker, range(WORKERS)).get(SECONDS)
        except multiprocessing.TimeoutError:
            return "hangs"
    return "same" if all(same) else "different"


def ends(trainings: Trainings, situation: str, count: int, folder: str) -> collections.Counter[str]:
    path = f"{folder}/model.{trainings.booster.suffix}"
    trainings.save(path)
    if situation == "pool":
        return count_ends(end_of_a_pool(trainings) for _ in range(count))
    work = trainings.trains if situation == "trained" else lambda: trainings.loads(path)
    return count_ends(end_in_a_child(work, work) for _ in range(count))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("library", choices=BOOSTERS)
    parser.add_argument("situation", choices=["trained", "loaded", "pool"])
    parser.add_argument("--count", type=int, default=200)
    arguments = parser.parse_args()
    warnings.filterwarnings("ignore", message="This process .* is multi-threaded", category=DeprecationWarning)
    trainings = Trainings(arguments.library)
    with tempfile.TemporaryDirectory() as folder:
        found = ends(trainings, arguments.situation, arguments.count, folder)
    print(f"{trainings.booster.version}: {found.total()} repeats, " + ", ".join(f"{found[end]} {end}" for end in ENDS))


if __name__ == "__main__":
    main()
