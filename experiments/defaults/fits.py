"""Fits: each in a process of its own, and kept once it is done."""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import lru_cache
from multiprocessing import get_context
from typing import NamedTuple

import sets
from entrants import ALL_ROWS, CONTESTANTS, FEW_ROWS, PEERS, PLAIN, SIZES, STOPPING, TIMES, Work, digest
from outcomes import Journal, Key, Outcome

N_REPEATS = 3  # of a timed fit


class Task(NamedTuple):
    """One fit."""

    set: str
    seed: int
    protocol: str
    contestant: str
    repeat: int = 0

    @property
    def work(self) -> Work:
        return Work(self.protocol, sets.SOURCES[self.set].task == sets.CLASSES, self.seed)

    @property
    def journal(self) -> str:
        """The file that it is kept in."""
        if self.protocol == TIMES:
            return TIMES
        if self.protocol in SIZES:
            return "sizes"
        return "peers" if self.contestant in PEERS else "ours"


def loss_tasks(
    names: list[str], n_seeds: int, contestants: list[str], protocols: Iterable[str] = (STOPPING, PLAIN)
) -> Iterator[Task]:
    for protocol in protocols:
        for name in names:
            for seed in range(n_seeds):
                for contestant in contestants:
                    if protocol in CONTESTANTS[contestant].protocols:
                        yield Task(name, seed, protocol, contestant)


def size_tasks(names: list[str], n_seeds: int, contestants: list[str]) -> Iterator[Task]:
    """All rows are only of the sets that take part with a sample, and with one seed."""
    yield from loss_tasks(names, n_seeds, contestants, FEW_ROWS)
    sampled = [name for name in names if sets.SOURCES[name].max_rows is not None]
    yield from loss_tasks(sampled, 1, contestants, [ALL_ROWS])


def time_tasks(names: list[str], contestants: list[str]) -> Iterator[Task]:
    """Everybody in turn, again and again."""
    for name in names:
        for repeat in range(N_REPEATS):
            for contestant in contestants:
                yield Task(name, 0, TIMES, contestant, repeat)


class Figures(NamedTuple):
    """What a fit comes to."""

    loss: float
    n_rounds: int | None
    seconds: float


def split_for(task: Task, dataset: sets.Dataset) -> sets.Split:
    if task.protocol == STOPPING:
        return sets.split(dataset, task.seed)
    if task.protocol == ALL_ROWS:
        return sets.split_all(dataset, task.seed)
    return sets.split_in_two(dataset, task.seed, FEW_ROWS.get(task.protocol))


def measure(task: Task) -> Figures:
    """Fits, and looks at the test part. A timed fit comes after a small one, so that it finds everything loaded."""
    warnings.simplefilter("ignore")
    dataset, contestant = sets.load(task.set), CONTESTANTS[task.contestant]
    data, settings = split_for(task, dataset), contestant.settings(task.work)
    if task.protocol == TIMES:
        few = sets.Part(data.train.X[:500], data.train.y[:500])
        contestant.fit(settings, task.work, data._replace(train=few))
    start = time.perf_counter()
    fitted = contestant.fit(settings, task.work, data)
    seconds = time.perf_counter() - start
    loss = sets.loss(dataset, data.test.y, fitted.predict(data.test.X))
    return Figures(loss, fitted.n_rounds, seconds)


def measure_apart(task: Task) -> Figures | str:
    """The figures, or why there are none; a fit that takes its process down takes nothing else with it."""
    sets.load(task.set)  # once for all: the process inherits it
    with ProcessPoolExecutor(1, mp_context=get_context("fork")) as pool:
        try:
            return pool.submit(measure, task).result()
        except BrokenProcessPool:
            return "its process died"
        except Exception as problem:
            return f"{type(problem).__name__}: {problem}"[:200]


@lru_cache
def version_of(contestant: str) -> str:
    return CONTESTANTS[contestant].version()


def key_of(task: Task, machine: str) -> Key:
    settings = digest(CONTESTANTS[task.contestant].settings(task.work))
    return Key(
        task.set,
        task.seed,
        task.protocol,
        task.contestant,
        settings,
        version_of(task.contestant),
        task.repeat,
        machine if task.protocol == TIMES else "",
    )


def fit_all(tasks: Iterable[Task], journals: dict[str, Journal], machine: str) -> None:
    """Does what is not known yet."""
    for task in tasks:
        key, journal = key_of(task, machine), journals[task.journal]
        if key not in journal.known:
            journal.add(outcome_of(task, key))


def outcome_of(task: Task, key: Key) -> Outcome:
    settings, found = CONTESTANTS[task.contestant].settings(task.work), measure_apart(task)
    where = f"{task.protocol}, {task.set}, seed {task.seed}: {task.contestant}"
    if isinstance(found, str):
        tell(f"{where} failed: {found}")
        return Outcome(key, error=found, settings=settings)
    rounds = "" if found.n_rounds is None else f" {found.n_rounds} rounds,"
    tell(f"{where} {found.loss:.5f},{rounds} {found.seconds:.2f} s")
    return Outcome(key, found.loss, found.n_rounds, found.seconds, settings=settings)


def tell(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
