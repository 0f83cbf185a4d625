"""Rounds of a training and trials of a search: callbacks, the bar of ``verbose``, a chance for Ctrl-C."""

from __future__ import annotations

import math
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from typing import Any, NamedTuple, TypeVar

import numpy as np

from . import _native
from ._native import Dataset, Model, Params, Trainer, Tuner


class Progress(NamedTuple):
    """What a callback is told after each round.

    Examples
    --------
    A callback that stops when the loss is small enough:

    >>> import numpy as np
    >>> from mixboost import MixBoostRegressor, Progress
    >>> def is_enough(progress: Progress) -> bool:
    ...     return progress.train_loss < 0.1
    >>> X = np.linspace(0, 10, 200).reshape(-1, 1)
    >>> model = MixBoostRegressor(num_round=100).fit(X, np.sin(X[:, 0]), callbacks=[is_enough])
    >>> model.best_iteration_ < 100
    True
    """

    round: int
    """Rounds done, so counted from 1."""
    n_rounds: int
    """How many there will be unless the training stops early; 0 while nobody knows."""
    train_loss: float
    """The metric on the training rows."""
    valid_loss: float
    """The metric on the validation rows; NaN without any."""
    seconds: float
    """Time since the first round began."""


Callback = Callable[[Progress], object]
Result = TypeVar("Result")

# Without anyone to tell, several rounds run in one call of the library, for at most about so long: Ctrl-C waits for it.
SECONDS_A_CALL = 0.05
SECONDS_A_LINE = 1.0


def interruptible(call: Callable[[Callable[[], bool]], Result]) -> Result:
    """Makes a long call of the library, which is to ask its argument again and again whether it is to go on.

    It has a thread of its own, since only a thread that waits for Python hears Ctrl-C.
    """
    is_interrupted = threading.Event()
    with ThreadPoolExecutor(1) as executor:
        try:
            future = executor.submit(call, lambda: not is_interrupted.is_set())
            while not future.done():  # the signal may come to a thread that cannot wake this one
                wait([future], timeout=SECONDS_A_CALL)
            return future.result()
        except BaseException:
            is_interrupted.set()
            raise


def choose_rounds(train: Dataset, valid: Dataset | None, params: Params, verbose: int) -> None:
    """Makes num_round a number; where it is "auto" and no rows judge the training, it is searched for."""
    if valid is not None or params.get("num_round") != "auto":
        _native.choose_rounds(train, valid, params)
        return
    with _watchers(None, None, verbose) as watchers:

        def choose(is_to_go_on: Callable[[], bool]) -> None:
            def watch(round: int, train_loss: float, valid_loss: float, seconds: float) -> bool:
                for watcher in watchers:
                    watcher(Progress(round, 0, train_loss, valid_loss, seconds))
                return is_to_go_on()

            _native.choose_rounds(train, valid, params, watch)

        interruptible(choose)


def run_rounds(trainer: Trainer, n_rounds: int, callbacks: Iterable[Callback] | None, verbose: int) -> Model:
    """Trains to the end, or until a callback returns True, and returns the model of the rounds so far."""
    began = time.perf_counter()
    with _watchers(callbacks, n_rounds, verbose) as watchers:
        n_at_once = 1
        while not trainer.is_done:
            trainer.run(trainer.n_rounds + n_at_once)
            done, seconds = trainer.n_rounds, time.perf_counter() - began
            if not watchers:
                n_at_once = max(1, math.floor(SECONDS_A_CALL * done / seconds))
                continue
            losses = trainer.loss(done, valid=False), trainer.loss(done, valid=True)
            progress = Progress(done, n_rounds, *losses, seconds)
            answers = [watcher(progress) for watcher in watchers]
            if any(isinstance(answer, (bool, np.bool_)) and answer for answer in answers):
                break
    return trainer.model()


def _functions(callbacks: Iterable[Callback] | None) -> list[Callback]:
    functions = list(callbacks or []) if callbacks is None or isinstance(callbacks, Iterable) else [callbacks]
    if not all(map(callable, functions)) or callable(callbacks):
        raise TypeError(f"callbacks must be a list of functions, not {callbacks!r}")
    return functions


@contextmanager
def _watchers(callbacks: Iterable[Callback] | None, n_rounds: int | None, verbose: int) -> Iterator[list[Callback]]:
    """Those who are told of every round: of so many of a training, or, None, of the search for their number."""
    watchers = _functions(callbacks)
    if not verbose:
        yield watchers
        return
    try:
        from tqdm.auto import tqdm
    except ImportError:
        yield [*watchers, _print_lines()]
        return
    description = "mixboost" if n_rounds else "mixboost: choosing num_round"
    with tqdm(total=n_rounds, desc=description, unit="round") as bar:
        yield [*watchers, _move_bar(bar)]


def _losses(progress: Progress) -> dict[str, str]:
    losses = {"training": progress.train_loss, "validation": progress.valid_loss}
    return {name: f"{loss:.6g}" for name, loss in losses.items() if not math.isnan(loss)}


def _move_bar(bar: Any) -> Callback:
    def move(progress: Progress) -> None:
        bar.set_postfix(_losses(progress), refresh=False)
        bar.update()

    return move


def _print_lines() -> Callback:
    """A line now and then, and one for the last round of all."""
    last_line = -math.inf

    def print_line(progress: Progress) -> None:
        nonlocal last_line
        if progress.seconds - last_line >= SECONDS_A_LINE or progress.round == progress.n_rounds:
            last_line = progress.seconds
            losses = "".join(f"  {name} {loss}" for name, loss in _losses(progress).items())
            what = f"round {progress.round} of {progress.n_rounds}"
            if not progress.n_rounds:
                what = f"choosing num_round: round {progress.round}"
            print(f"mixboost: {what}{losses}  {progress.seconds:.1f} s", file=sys.stderr, flush=True)

    return print_line


# ---- Searches ----------------------------------------------------------------------------------------------------


@contextmanager
def search_watcher(verbose: int) -> Iterator[Callable[[Tuner, float], object]]:
    """Who is told of a search, now and then, and of the seconds that it has taken."""
    if not verbose:
        yield lambda _tuner, _seconds: None
        return
    try:
        from tqdm.auto import tqdm
    except ImportError:
        yield _print_trials()
        return
    with tqdm(desc="mixboost: tuning", unit="trial") as bar:
        yield _move_trials(bar)


def _trial_counts(tuner: Tuner) -> tuple[int, int]:
    """Trials that are done, and all."""
    stages = range(tuner.n_stages)
    return sum(map(tuner.n_done, stages)), tuner.n_folds * sum(map(tuner.stage_size, stages))


def _search_state(tuner: Tuner) -> dict[str, str]:
    """The stage, and the best score so far."""
    stage, best = min(tuner.stage, tuner.n_stages - 1), tuner.best
    state = {"stage": f"{stage + 1} of {tuner.n_stages}"}
    if best is not None:
        losses = [tuner.loss(each, best) for each in range(tuner.n_stages)]
        state["best score"] = f"{-[loss for loss in losses if not math.isnan(loss)][-1]:.6g}"
    return state


def _move_trials(bar: Any) -> Callable[[Tuner, float], object]:
    def move(tuner: Tuner, _seconds: float) -> None:
        n_done, bar.total = _trial_counts(tuner)
        bar.set_postfix(_search_state(tuner), refresh=False)
        bar.update(n_done - bar.n)

    return move


def _print_trials() -> Callable[[Tuner, float], object]:
    last_line = -math.inf

    def print_line(tuner: Tuner, seconds: float) -> None:
        nonlocal last_line
        n_done, n_all = _trial_counts(tuner)
        if seconds - last_line >= SECONDS_A_LINE or n_done == n_all:
            last_line = seconds
            state = "".join(f"  {name} {value}" for name, value in _search_state(tuner).items())
            print(f"mixboost: {n_done} of {n_all} trials{state}  {seconds:.1f} s", file=sys.stderr, flush=True)

    return print_line
