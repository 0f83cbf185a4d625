"""The tables that everybody is measured on, as numbers, and how each is split.

Texts become numbers by their sorted order, the same for everybody; what is missing stays NaN. Of large tables a sample
takes part, always the same rows, but where all rows are asked for.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Rows = NDArray[np.intp]

ROOT = Path(__file__).resolve().parents[2]
FOLDER_VARIABLE = "MIXBOOST_BENCH_DATA"  # as the other benchmarks have it
PARTS = (0.6, 0.2)  # of the rows: training, validation; the rest is the test part
LEAST_OF_CLASS = 2  # rows, where few are trained on
CLASSES, NUMBERS = "classes", "numbers"
CLEAN, NOISY, APART = "clean", "noisy", "apart"  # sets of the last group count in no mean


def data_folder() -> Path:
    return Path(os.environ.get(FOLDER_VARIABLE, ROOT.parent / "shared" / "data"))


@dataclass(frozen=True)
class Dataset:
    """All rows of a set."""

    name: str
    group: str
    task: str
    X: Array
    y: Array
    text_columns: tuple[int, ...] = ()  # those whose numbers stand for texts
    sample: Rows | None = None  # of a large table the rows that take part; None: all

    @property
    def is_classification(self) -> bool:
        return self.task == CLASSES


class Part(NamedTuple):
    """Some rows of a set."""

    X: Array
    y: Array


class Split(NamedTuple):
    """What a contestant is given, and the rows that it is judged on."""

    train: Part
    valid: Part | None
    test: Part


# ---- Reading ----------------------------------------------------------------------------------------------------


class Source(NamedTuple):
    """A gzipped CSV file with a header, and what is done with it."""

    file: str
    task: str = CLASSES
    group: str = NOISY
    label: str = "target"
    dropped: tuple[str, ...] = ()
    max_rows: int | None = None
    missing: str = ""  # a text that stands for a missing value, beside an empty one
    prepare: Callable[[Any], Any] | None = None  # frame to frame


def rossmann_sales(train: Any) -> Any:
    """Days on which a store sold something, with the store's own columns; the label is the logarithm of the sales."""
    import pandas

    stores = pandas.read_csv(data_folder() / "kaggle" / "rossmann_store.csv.gz")
    frame = train[train["Sales"] > 0].merge(stores, on="Store", how="left")
    date = pandas.to_datetime(frame.pop("Date"))
    frame["year"], frame["month"], frame["day"] = date.dt.year, date.dt.month, date.dt.day
    frame["Sales"] = np.log(frame["Sales"])
    return frame


# Small ones first.
SOURCES: dict[str, Source] = {
    "parkinsons": Source("regression/parkinsons", NUMBERS),
    "parkinsonsUPDRS": Source(
        "regression/parkinsons_raw22", NUMBERS, label="total_UPDRS", dropped=("subject#", "motor_UPDRS")
    ),
    "bank8FM": Source("regression/bank8FM", NUMBERS),
    "mammography": Source("openml/310_mammography"),
    "mozilla4": Source("openml/1046_mozilla4"),
    "nursery": Source("openml/959_nursery", group=APART),  # one feature decides
    "pendigits": Source("openml/1019_pendigits", group=CLEAN),
    "navalT": Source("regression/navalT", NUMBERS, CLEAN),
    "puma32H": Source("regression/puma32H", NUMBERS),
    "eeg-eye-state": Source("openml/1471_eeg-eye-state"),
    "elevators": Source("regression/elevators", NUMBERS),
    "letter": Source("openml/977_letter", group=CLEAN),
    "PhishingWebsites": Source("openml/4534_PhishingWebsites"),
    "CreditCardSubset": Source("openml/4154_CreditCardSubset", group=APART),  # 23 positives
    "ailerons": Source("regression/ailerons", NUMBERS),
    "ailerons-classes": Source("openml/734_ailerons"),
    "pol": Source("openml/722_pol", group=CLEAN),
    "donors": Source("tabular/donors", group=APART, max_rows=20_000),  # nobody errs on any row
    "bank_marketing": Source("tabular/bank_marketing"),
    "adult": Source("tabular/adult", missing="?"),
    "nycflights13": Source("tabular/nycflights13", NUMBERS, label="arr_delay", dropped=("dep_delay",), max_rows=40_000),
    "rossmann": Source(
        "kaggle/rossmann_train",
        NUMBERS,
        label="Sales",
        dropped=("Customers",),
        max_rows=40_000,
        prepare=rossmann_sales,
    ),
}
NAMES = list(SOURCES)


def is_here(name: str) -> bool:
    return path_of(name).exists()


def path_of(name: str) -> Path:
    return data_folder() / f"{SOURCES[name].file}.csv.gz"


def as_numbers(column: Any) -> tuple[Array, bool]:
    """A column of a frame, and whether it held texts."""
    import pandas

    if pandas.api.types.is_numeric_dtype(column):
        return column.to_numpy(np.float64), False
    codes, _ = pandas.factorize(column, sort=True)
    return np.where(codes < 0, np.nan, codes), True


@lru_cache(maxsize=2)
def load(name: str) -> Dataset:
    """A set of the data folder: all rows that have a label, in the order of the file."""
    import pandas

    source = SOURCES[name]
    dtypes = {"StateHoliday": str}  # digits and letters
    frame = pandas.read_csv(path_of(name), na_values=source.missing or None, dtype=dtypes)
    frame = source.prepare(frame) if source.prepare is not None else frame
    frame = frame.drop(columns=list(source.dropped))
    frame = frame[frame[source.label].notna()]
    y, _ = as_numbers(frame.pop(source.label))
    columns = [as_numbers(column) for _, column in frame.items()]
    X = np.ascontiguousarray(np.column_stack([values for values, _ in columns]))
    texts = tuple(j for j, (_, is_text) in enumerate(columns) if is_text)
    sample = None
    if source.max_rows is not None and len(y) > source.max_rows:
        sample = np.sort(np.random.default_rng(7).choice(len(y), source.max_rows, replace=False))
    return Dataset(name, source.group, source.task, X, y, texts, sample)


# ---- Splitting --------------------------------------------------------------------------------------------------


def places_of_classes(dataset: Dataset, rows: Rows) -> list[Rows]:
    """Where among the rows each class stands, the rarest first; numbers are one class."""
    labels = dataset.y[rows] if dataset.is_classification else np.zeros(len(rows))
    return sorted((np.flatnonzero(labels == label) for label in np.unique(labels)), key=len)


def part_of_rows(dataset: Dataset, seed: int) -> tuple[Rows, NDArray[np.int8]]:
    """The rows in random order and for each 0 (training), 1 (validation) or 2 (test); classes are split alike."""
    rows = np.arange(len(dataset.y)) if dataset.sample is None else dataset.sample
    order = np.random.default_rng(seed).permutation(rows)
    part = np.empty(len(order), dtype=np.int8)
    for places in places_of_classes(dataset, order):
        ends = np.round(np.cumsum(PARTS) * len(places)).astype(int)
        part[places] = np.searchsorted(ends, np.arange(len(places)), side="right")
    return order, part


def first_rows(dataset: Dataset, rows: Rows, n_rows: int) -> Rows:
    """So many of the rows, classes alike, but LEAST_OF_CLASS of each at least."""
    chosen, n_left, n_others = [], n_rows, len(rows)
    for places in places_of_classes(dataset, rows):
        n = max(LEAST_OF_CLASS, round(n_left * len(places) / n_others))
        chosen.append(places[:n])
        n_left, n_others = n_left - n, n_others - len(places)
    return rows[np.sort(np.concatenate(chosen))]


def recode_texts(parts: list[Array], columns: tuple[int, ...]) -> list[Array]:
    """Numbers texts by their order among those of the first part; texts that it does not have are missing."""
    parts = [part.copy() for part in parts]
    for j in columns:
        first = parts[0][:, j]
        known = np.unique(first[~np.isnan(first)])
        for part in parts:
            codes = np.searchsorted(known, part[:, j])
            is_known = np.isin(part[:, j], known)
            part[:, j] = np.where(is_known, codes, np.nan)
    return parts


def make_parts(dataset: Dataset, rows: list[Rows]) -> list[Part]:
    """The first part is what is learned from: it also decides the codes of texts and the scale of the label."""
    tables = recode_texts([dataset.X[some] for some in rows], dataset.text_columns)
    labels = [dataset.y[some] for some in rows]
    if not dataset.is_classification:
        mean, deviation = labels[0].mean(), labels[0].std()
        labels = [(y - mean) / deviation for y in labels]
    return [Part(np.ascontiguousarray(X), y) for X, y in zip(tables, labels, strict=True)]


def split(dataset: Dataset, seed: int) -> Split:
    """Training, validation and test parts: 60, 20 and 20 % of the rows."""
    order, part = part_of_rows(dataset, seed)
    train, valid, test = make_parts(dataset, [order[part == k] for k in (0, 1, 2)])
    return Split(train, valid, test)


def split_without_validation(dataset: Dataset, train: Rows, test: Rows) -> Split:
    learned, judged = make_parts(dataset, [train, test])
    return Split(learned, None, judged)


def split_in_two(dataset: Dataset, seed: int, n_rows: int | None = None) -> Split:
    """The same test rows; all others are for training, or so many of them."""
    order, part = part_of_rows(dataset, seed)
    train = order[part < 2]
    if n_rows is not None:
        train = first_rows(dataset, train, n_rows)
    return split_without_validation(dataset, train, order[part == 2])


def split_all(dataset: Dataset, seed: int) -> Split:
    """The same test rows; all others of the table are for training, those out of the sample among them."""
    order, part = part_of_rows(dataset, seed)
    test = order[part == 2]
    train = np.setdiff1d(np.arange(len(dataset.y)), test)
    return split_without_validation(dataset, np.random.default_rng(seed).permutation(train), test)


# ---- Judging ----------------------------------------------------------------------------------------------------

LEAST_PROBABILITY = 1e-7  # some give probabilities in single precision


def loss(dataset: Dataset, y: Array, predicted: Array) -> float:
    """Log-loss of probabilities of class 1, or the root of the mean squared error."""
    if not dataset.is_classification:
        return float(np.sqrt(np.mean((y - predicted) ** 2)))
    p = np.clip(np.asarray(predicted, dtype=np.float64), LEAST_PROBABILITY, 1 - LEAST_PROBABILITY)
    return float(-np.mean(np.where(y == 1, np.log(p), np.log1p(-p))))
