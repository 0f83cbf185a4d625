"""The rounds of a training as Python sees them: callbacks, the bar of ``verbose``, and a chance for Ctrl-C between them."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from ._native import Model, Trainer


class Progress(NamedTuple):
    """What a callback is told after each round.

    Examples
    --------
    >>> from mixboost import MixBoostRegressor, Progress
    >>> def stop_at_ten(progress: Progress) -> bool:
    ...     return progress.round == 10
    >>> X, y = [[0.0], [1.0], [2.0]], [0.0, 1.0, 2.0]
    >>> MixBoostRegressor().fit(X, y, callbacks=[stop_at_ten]).best_iteration_
    10
    """

    round: int
    """Rounds done, so counted from 1."""
    n_rounds: int
    """How many there will be unless the training stops early."""
    train_loss: float
    """The metric on the training rows."""
    valid_loss: float
    """The metric on the validation rows; NaN without any."""
    seconds: float
    """Time since the first round began."""


Callback = Callable[[Progress], object]

# Without anyone to tell, several rounds run in one call of the library, for at most about so long: Ctrl-C waits for it.
SECONDS_A_CALL = 0.05
SECONDS_A_LINE = 1.0


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
            if any([watcher(progress) is True for watcher in watchers]):  # a list, so that all of them hear of it
                break
    return trainer.model()


@contextmanager
def _watchers(callbacks: Iterable[Callback] | None, n_rounds: int, verbose: int) -> Iterator[list[Callback]]:
    watchers = list(callbacks or [])
    if not verbose:
        yield watchers
        return
    try:
        from tqdm.auto import tqdm
    except ImportError:
        yield [*watchers, _print_lines()]
        return
    with tqdm(total=n_rounds, desc="mixboost", unit="round") as bar:
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
            line = f"mixboost: round {progress.round} of {progress.n_rounds}{losses}  {progress.seconds:.1f} s"
            print(line, file=sys.stderr, flush=True)

    return print_line
