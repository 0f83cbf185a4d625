"""Measures calls that predict a few rows: seconds of one, other rows in each."""

from __future__ import annotations

import ctypes
import json
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from cases import Case
from contestants import Array
from datasets import load
from measurements import Figures, Task
from models import CALLS, model_of, wanted_by
from places import TIME_MODEL
from serving_cases import OURS_FAST, OURS_IN_C

N_TIMES, LEAST_SECONDS = 5, 0.05  # the best of so many, each of as many calls as take so long
N_ROWS = 10_000  # that calls take theirs from


def call_predictor(model: Any, _threads: int) -> Callable[[Array], Any]:
    """One row as such, several as rows."""
    predict = model.predictor()
    return lambda rows: predict(rows[0] if len(rows) == 1 else rows)


def call_catboost_single_row(model: Any, _threads: int) -> Callable[[Array], Any]:
    return lambda rows: model.predict(rows[0], thread_count=1)


def call_lightgbm_single_row(model: Any, _threads: int) -> Callable[[Array], float]:
    """The function that LightGBM's C interface has for single rows, through ctypes; a row is copied to its place."""
    from lightgbm import basic

    config, row = ctypes.c_void_p(), np.zeros(model.num_feature())
    start = basic._LIB.LGBM_BoosterPredictForMatSingleRowFastInit
    status = start(model._handle, 0, 0, -1, 1, len(row), b"num_threads=1", ctypes.byref(config))
    assert status == 0
    data, n, out = ctypes.c_void_p(row.ctypes.data), ctypes.c_int64(), ctypes.c_double()
    arguments = (config, data, ctypes.byref(n), ctypes.byref(out))
    predict = basic._LIB.LGBM_BoosterPredictForMatSingleRowFast

    def call(rows: Array) -> float:
        row[:] = rows[0]
        predict(*arguments)
        return out.value

    return call


FAST_CALLS = {
    OURS_FAST: call_predictor,
    "CatBoost single row": call_catboost_single_row,
    "LightGBM single row C": call_lightgbm_single_row,
}


def seconds_of(call: Callable[[Array], Any], batches: list[Array]) -> float:
    """The least time of a call."""
    n_calls, best, n_timed = 1, float("inf"), 0
    while n_timed < N_TIMES:
        began = time.perf_counter()
        for i in range(n_calls):
            call(batches[i % len(batches)])
        seconds = time.perf_counter() - began
        if seconds < LEAST_SECONDS:
            n_calls *= 2
        else:
            best, n_timed = min(best, seconds / n_calls), n_timed + 1
    return best


def time_model(path: Path, x: Array, n_rows: int) -> dict[str, float]:
    """What the C program says of a model: seconds of a call and of loading."""
    with tempfile.TemporaryDirectory() as folder:
        rows = Path(folder) / "rows"
        np.ascontiguousarray(x, np.float64).tofile(rows)
        command = [str(TIME_MODEL), str(path), str(rows), str(n_rows)]
        answer = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    seconds: dict[str, float] = json.loads(answer)
    return seconds


def measure(task: Task, case: Case) -> Figures:
    x = load(Path(task.folder), "test")[0][:N_ROWS].astype(np.float64)
    wanted = wanted_by(task.contestant, case)
    if task.contestant == OURS_IN_C:
        return Figures(time_model(wanted.path(), x, case.n_rows)["rows"])
    model = wanted.load()
    expected = CALLS[model_of(task.contestant)](model, task.threads)(x[:1])
    call = {**CALLS, **FAST_CALLS}[task.contestant](model, task.threads)
    batches = [x[i : i + case.n_rows] for i in range(0, len(x) - case.n_rows + 1, case.n_rows)]
    np.testing.assert_allclose(np.ravel(call(batches[0]))[:1], np.ravel(expected), rtol=1e-4)
    return Figures(seconds_of(call, batches))
