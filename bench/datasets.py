"""The data of the cases: generated or real, written once as .npy files that every measurement loads.

Files keep the making of data out of the memory that a measurement sees.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from places import REAL_FOLDER, SCRATCH

FOLDER = SCRATCH / "data"
N_TEST = 100_000


class RealTable(NamedTuple):
    """A gzipped CSV file with a header."""

    label: str
    dropped: tuple[str, ...] = ()
    classify: bool = True


REAL_TABLES = {
    "donors": RealTable("target"),
    "nycflights13": RealTable("arr_delay", dropped=("dep_delay",), classify=False),
}


def is_classification(name: str) -> bool:
    return name not in REAL_TABLES or REAL_TABLES[name].classify


def is_here(name: str) -> bool:
    return name not in REAL_TABLES or real_path(name).exists()


def real_path(name: str) -> Path:
    return REAL_FOLDER / "tabular" / f"{name}.csv.gz"


def make_data(rows: int, features: int) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
    """Float32 features and a label that trees can learn well but not perfectly."""
    random = np.random.default_rng(7)
    x = random.standard_normal((rows, features), dtype=np.float32)
    switched = np.where(x[:, 1] > 0, x[:, 2], -0.5 * x[:, 2])
    score = np.sin(2 * x[:, 0]) + switched + np.where(x[:, 3] > 0.5, 1.0, -0.5) + 0.5 * x[:, 4]
    y = (score + random.logistic(size=rows) > 0).astype(np.float64)
    return x, y


def read_real(name: str) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
    """The rows that have a label, in random order; texts become their ranks, missing values NaN."""
    import pandas

    table = REAL_TABLES[name]
    frame = pandas.read_csv(real_path(name)).drop(columns=list(table.dropped))
    frame = frame[frame[table.label].notna()].sample(frac=1, random_state=7)
    y = frame.pop(table.label).to_numpy(np.float64)
    columns: list[NDArray[np.float32]] = []
    for _, column in frame.items():
        if not pandas.api.types.is_numeric_dtype(column):
            codes, _ = pandas.factorize(column, sort=True)
            column = pandas.Series(np.where(codes < 0, np.nan, codes))
        columns.append(column.to_numpy(np.float32))
    return np.column_stack(columns), y


def make_files(name: str) -> Path:
    """Writes the files of a data set unless they are there; returns their folder."""
    folder = FOLDER / name
    if folder.exists():
        return folder
    if name in REAL_TABLES:
        x, y = read_real(name)
        n_test = min(N_TEST, len(y) // 5)
    else:
        rows, features = map(int, name.split("x"))
        n_test = N_TEST
        x, y = make_data(rows + n_test, features)
    unfinished = folder.with_suffix(".unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir(parents=True)
    for part, rows_of_part in (("train", slice(None, -n_test)), ("test", slice(-n_test, None))):
        np.save(unfinished / f"x_{part}.npy", x[rows_of_part])
        np.save(unfinished / f"y_{part}.npy", y[rows_of_part])
    unfinished.rename(folder)
    return folder


def load(folder: Path, part: str) -> tuple[NDArray[Any], NDArray[Any]]:
    return np.load(folder / f"x_{part}.npy"), np.load(folder / f"y_{part}.npy")


def make_csv(folder: Path) -> None:
    """Writes a folder's training rows as text unless that is there: with the digits of float32, and of float64."""
    import polars

    x = np.load(folder / "x_train.npy")
    for name, rows in (("x_train.csv", x), ("x_train_long.csv", x.astype(np.float64) / 3)):
        if not (folder / name).exists():
            unfinished = folder / "unfinished.csv"
            polars.from_numpy(rows).write_csv(unfinished)
            unfinished.rename(folder / name)
