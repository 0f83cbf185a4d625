"""Measures the prediction of a large batch: seconds of a call, memory over the rows, and the loss."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
from cases import Case
from datasets import load
from machine import PeakMemory
from measurements import Figures, Task
from models import CALLS, wanted_by

LEAST_SECONDS, LEAST_CALLS = 0.5, 2


def measure(task: Task, case: Case) -> Figures:
    """A call on few rows may load something; of the others the first is watched for memory, and the quickest counts."""
    x, y = load(Path(task.folder), "test")
    x, y = x[: case.n_rows], y[: case.n_rows]
    model = wanted_by(task.contestant, case).load()
    predict = CALLS[task.contestant.removesuffix(" AVX2")](model, task.threads)
    predict(x[:1000])
    memory, times = PeakMemory(), [time.perf_counter()]
    answer = np.asarray(predict(x))
    times.append(time.perf_counter())
    bytes_a_row = memory.bytes() / len(y)
    while times[-1] - times[0] < LEAST_SECONDS or len(times) <= LEAST_CALLS:
        predict(x)
        times.append(time.perf_counter())
    return Figures(float(np.diff(times).min()), bytes_a_row, float(np.sqrt(np.mean((answer - y) ** 2))))
