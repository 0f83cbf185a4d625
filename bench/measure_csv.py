"""Measures CSV files: reading numbers, writing predictions, and from a file of rows to one of predictions."""

from __future__ import annotations

import ctypes
import math
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from cases import OURS, Case
from contestants import Array
from machine import PeakMemory
from measurements import Figures, Task
from models import CALLS, wanted_by
from numpy.typing import NDArray
from places import TIME_WRITE

# ---- Peers ------------------------------------------------------------------------------------------------------


def read_pandas(path: Path) -> Any:
    import pandas

    return pandas.read_csv(path)


def read_polars(path: Path) -> Any:
    import polars

    return polars.read_csv(path)


def read_pyarrow(path: Path) -> Any:
    from pyarrow import csv

    return csv.read_csv(path)


def write_pandas(values: Array, path: Path) -> None:
    import pandas

    pandas.DataFrame({"prediction": values}).to_csv(path, index=False)


def write_polars(values: Array, path: Path) -> None:
    import polars

    polars.DataFrame({"prediction": values}).write_csv(path)


def write_pyarrow(values: Array, path: Path) -> None:
    import pyarrow
    from pyarrow import csv

    csv.write_csv(pyarrow.table({"prediction": values}), path)


def as_array(frame: Any) -> Array:
    """Of float64, as it comes."""
    if hasattr(frame, "to_numpy"):
        return np.asarray(frame.to_numpy())
    return np.column_stack([column.to_numpy() for column in frame.columns])


READ: dict[str, Callable[[Path], Any]] = {"pandas": read_pandas, "polars": read_polars, "pyarrow": read_pyarrow}
WRITE: dict[str, Callable[[Array, Path], None]] = {
    "pandas": write_pandas,
    "polars": write_polars,
    "pyarrow": write_pyarrow,
}


# ---- Ours -------------------------------------------------------------------------------------------------------


def read_ours(path: Path, threads: int) -> None:
    """The function of the C library, through ctypes."""
    library = ctypes.CDLL(str(Path(str(import_module("mixboost").__file__)).with_name("libmixboost.so")))
    table, error = ctypes.c_void_p(), ctypes.create_string_buffer(1024)
    no_texts = (None, ctypes.c_size_t(0))
    status = library.mxb_table_read_csv(str(path).encode(), 0, *no_texts, threads, ctypes.byref(table), error)
    if status != 0:
        raise OSError(error.value.decode())


def write_ours(values: Array, path: Path, threads: int) -> float:
    """Seconds of the program's own functions, from C."""
    doubles = path.with_name("doubles")
    values.tofile(doubles)
    answer = subprocess.run([TIME_WRITE, doubles, path, str(threads)], check=True, capture_output=True, text=True)
    return float(answer.stdout)


def predict_ours(model: Path, rows: Path, out: Path, threads: int) -> None:
    program = Path(sys.executable).with_name("mixboost")
    command = [program, "predict", model, rows, "--out", out, "--n_threads", str(threads), "--quiet"]
    subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True)


# ---- Measurements -----------------------------------------------------------------------------------------------


class Timed:
    """Seconds and memory of what is done inside."""

    seconds = bytes = math.inf

    def __enter__(self) -> Timed:
        self.memory = PeakMemory()
        self.began = time.perf_counter()
        return self

    def __exit__(self, *_: object) -> None:
        self.seconds = time.perf_counter() - self.began
        self.bytes = self.memory.bytes()


def measure_read(contestant: str, path: Path, warm_up: Path, threads: int) -> Timed:
    read = partial(read_ours, threads=threads) if contestant == OURS else READ[contestant]
    read(warm_up)
    with Timed() as timed:
        table = read(path)
    assert table is not None or contestant == OURS
    return timed


def measure_write(contestant: str, values: NDArray[np.float64], out: Path, threads: int) -> Timed:
    if contestant == OURS:
        timed = Timed()
        timed.seconds = write_ours(values, out, threads)
        return timed
    WRITE[contestant](values[:100], out)
    with Timed() as timed:
        WRITE[contestant](values, out)
    return timed


def measure_predict(contestant: str, case: Case, path: Path, warm_up: Path, out: Path, threads: int) -> Timed:
    wanted = wanted_by(contestant, case)
    if contestant == OURS:
        with Timed() as timed:
            predict_ours(wanted.path(), path, out, threads)
        timed.bytes = 1024.0 * resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        return timed
    peer, _, reader = contestant.partition(" by ")

    def from_file_to_file(rows: Path) -> None:
        predict = CALLS[peer](wanted.load(), threads)
        WRITE[reader](np.asarray(predict(as_array(READ[reader](rows)))), out)

    from_file_to_file(warm_up)
    with Timed() as timed:
        from_file_to_file(path)
    return timed


def measure(task: Task, case: Case) -> Figures:
    path = Path(task.folder) / ("x_train_long.csv" if "long" in case.name else "x_train.csv")
    n_rows = int(case.data.split("x")[0])
    with tempfile.TemporaryDirectory(dir=task.folder) as folder:
        out, warm_up = Path(folder) / "out.csv", Path(folder) / "warm_up.csv"
        with open(path) as file:
            warm_up.write_text("".join(next(file) for _ in range(100)))
        if case.name.startswith("csv-read"):
            timed, size = measure_read(task.contestant, path, warm_up, task.threads), path.stat().st_size
        elif case.name.startswith("csv-write"):
            values = np.random.default_rng(7).standard_normal(n_rows)
            timed, size = measure_write(task.contestant, values, out, task.threads), out.stat().st_size
            written = np.array(out.read_text().split()[1:], np.float64)
            assert np.array_equal(written, values)
        else:
            timed = measure_predict(task.contestant, case, path, warm_up, out, task.threads)
            size = out.stat().st_size
    return Figures(timed.seconds, timed.bytes / n_rows, size=size)
