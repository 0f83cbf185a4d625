"""Measures a fit, or binning alone: seconds, memory, and the loss on rows held out."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
from cases import Case
from contestants import BINS, FITS, Array, Predict, Work
from datasets import is_classification, load
from machine import PeakMemory
from measurements import Figures, Task

N_WARM_UP = 1000


def do_work(contestant: str, x: Array, y: Array, work: Work) -> Predict | None:
    if work.rounds == 0:
        BINS[contestant](x, y, work)
        return None
    fit = FITS[contestant]
    return fit.predictor(fit.train(x, y, work), work)


def held_out(predict: Predict, folder: Path, classify: bool) -> float:
    x, y = load(folder, "test")
    answer = predict(x)
    if not classify:
        return float(np.sqrt(np.mean((answer - y) ** 2)))
    p = np.clip(answer, 1e-15, 1 - 1e-15)
    return float(-np.mean(y * np.log(p) + (1 - y) * np.log1p(-p)))


def measure(task: Task, case: Case) -> Figures:
    """A small fit first loads whatever is loaded on first use; the data are there, the peak of memory is the fit's."""
    folder, classify = Path(task.folder), is_classification(case.data)
    x, y = load(folder, "train")
    warm_up = Work(min(case.rounds, 2), 2, task.threads, classify)
    do_work(task.contestant, x[:N_WARM_UP], y[:N_WARM_UP], warm_up)
    work = Work(case.rounds, case.depth, task.threads, classify)
    memory = PeakMemory()
    began = time.perf_counter()
    predict = do_work(task.contestant, x, y, work)
    seconds = time.perf_counter() - began
    bytes_a_row = memory.bytes() / len(y)
    return Figures(seconds, bytes_a_row, None if predict is None else held_out(predict, folder, classify))
