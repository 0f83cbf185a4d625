"""The paper's data sets with its preprocessing, and the rows that each contestant tunes on and is judged by.

Every problem is a few outer folds with inner ones in them. The Kaggle-style ones have a single split, which is one
outer fold with one inner fold. Classes are weighted so that both count alike: by the rows of the outer training part
for training and validation, by those of the test part for the test loss.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import sets
from numpy.typing import NDArray
from sets import Array, Rows
from sklearn.metrics import log_loss
from sklearn.model_selection import KFold, StratifiedKFold, train_test_split
from sklearn.utils.class_weight import compute_sample_weight

OPENML, NODE, KAGGLE = "openml", "node", "kaggle"
N_FOLDS = {OPENML: 3, NODE: 2, KAGGLE: 1}  # outer ones; as many inner ones in each
SEED = 0  # of folds
KAGGLE_SEED = 42  # of the paper's single splits

Columns = Mapping[str, NDArray[Any]]


class Fold(NamedTuple):
    """An outer fold: rows of the problem, and inner folds as places among the training rows."""

    train: Rows
    test: Rows
    inner: list[tuple[Rows, Rows]]


@dataclass(frozen=True)
class Table:
    """A data set, ready for learning."""

    X: Array
    y: Array
    is_classification: bool
    is_log: bool = False  # labels are log(1 + what losses are about)


@dataclass(frozen=True)
class Problem:
    """A table and its folds."""

    name: str
    table: Table
    folds: list[Fold]


# ---- Losses -----------------------------------------------------------------------------------------------------


def balanced_weights(table: Table, rows: Rows) -> Array:
    """Both classes weigh alike; of regressions every row does."""
    if not table.is_classification:
        return np.ones(len(rows))
    return np.asarray(compute_sample_weight("balanced", table.y[rows]), dtype=np.float64)


def loss(y: Array, predicted: Array, weights: Array, is_classification: bool, is_log: bool) -> float:
    """Weighted log-loss of probabilities of class 1, or the root of the mean squared error in the original domain."""
    predicted = np.asarray(predicted, dtype=np.float64)
    if is_classification:
        return float(log_loss(y, predicted, sample_weight=weights, labels=[0, 1]))
    errors = np.expm1(y) - np.expm1(predicted) if is_log else y - predicted
    return float(np.sqrt(np.average(errors**2, weights=weights)))


# ---- Folds ------------------------------------------------------------------------------------------------------


def fold_rows(table: Table, rows: Rows, n_folds: int, seed: int = SEED) -> list[tuple[Rows, Rows]]:
    """Shuffled folds as places among the rows; classes are dealt alike."""
    kind = StratifiedKFold if table.is_classification else KFold
    return list(kind(n_folds, shuffle=True, random_state=seed).split(rows, table.y[rows]))


def nested_folds(table: Table, n_folds: int, seed: int = SEED) -> list[Fold]:
    """n_folds outer folds with n_folds inner ones each."""
    everything = np.arange(len(table.y))
    outer = fold_rows(table, everything, n_folds, seed)
    return [Fold(train, test, fold_rows(table, train, n_folds, seed)) for train, test in outer]


def single_split(train: Rows, valid: Rows, test: Rows) -> list[Fold]:
    places = np.arange(len(train) + len(valid))
    return [Fold(np.concatenate([train, valid]), test, [(places[: len(train)], places[len(train) :])])]


def split_twice(table: Table, test_share: float, valid_share: float) -> list[Fold]:
    """Training and test rows, then training and validation rows; classes are split alike."""

    def parts(rows: Rows, share: float) -> tuple[Rows, Rows]:
        labels = table.y[rows] if table.is_classification else None
        first, second = train_test_split(rows, test_size=share, stratify=labels, random_state=KAGGLE_SEED)
        return first, second

    both, test = parts(np.arange(len(table.y)), test_share)
    train, valid = parts(both, valid_share)
    return single_split(train, valid, test)


def sampled(fold: Fold, max_rows: int) -> Fold:
    """The fold with so many training and validation rows at most, drawn alike of both; the test rows stay."""
    if len(fold.train) <= max_rows:
        return fold
    share = max_rows / len(fold.train)
    random = np.random.default_rng(SEED)
    ((train, valid),) = fold.inner
    train, valid = (np.sort(random.choice(rows, round(share * len(rows)), replace=False)) for rows in (train, valid))
    return single_split(fold.train[train], fold.train[valid], fold.test)[0]


# ---- Tables -----------------------------------------------------------------------------------------------------


def table_of(name: str) -> Table:
    """As it lies in the data folder: texts by their sorted order, what is missing as zero."""
    dataset = sets.load(name)
    return Table(np.nan_to_num(dataset.X), dataset.y, dataset.is_classification)


def credit_card(table: Table) -> Table:
    """Columns standardised, then each row divided by the sum of its absolute values."""
    from sklearn.preprocessing import StandardScaler, normalize

    X = normalize(StandardScaler().fit_transform(table.X), norm="l1")
    return replace(table, X=np.ascontiguousarray(X))


def codes(texts: NDArray[Any]) -> Array:
    """As scikit-learn's LabelEncoder numbers texts."""
    return np.asarray(np.unique(texts.astype(str), return_inverse=True)[1], dtype=np.float64)


def iso_week(dates: NDArray[np.datetime64]) -> NDArray[np.int64]:
    """The number of the week of the year: that of its Thursday."""
    days = dates.astype("datetime64[D]").astype(np.int64)
    thursdays = (days + 3) // 7 * 7  # day 0 is a Thursday
    starts = thursdays.astype("datetime64[D]").astype("datetime64[Y]").astype("datetime64[D]").astype(np.int64)
    return (thursdays - starts) // 7 + 1


MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sept", "Oct", "Nov", "Dec")  # as the file has them


def is_promotion_month(month: NDArray[np.int64], intervals: NDArray[Any]) -> Array:
    """Whether each row's month is among those that its text lists."""
    among = {interval: np.isin(MONTHS, str(interval).split(",")) for interval in set(intervals.tolist())}
    return np.array([among[i][m - 1] for m, i in zip(month, intervals.tolist(), strict=True)], dtype=np.float64)


def rossmann_columns(train: Columns, stores: Columns) -> tuple[Columns, Array]:
    """The paper's 20 features by name, and the sales: open days with sales, in the order of the days."""
    kept = np.flatnonzero((train["Open"] != 0) & (train["Sales"] > 0))
    kept = kept[np.argsort(train["Date"][kept].astype("datetime64[D]"), kind="stable")]
    day = {name: values[kept] for name, values in train.items()}
    by_store = np.argsort(stores["Store"])
    at = by_store[np.searchsorted(stores["Store"], day["Store"], sorter=by_store)]
    store = {name: values[at] for name, values in stores.items() if name != "Store"}

    dates = day["Date"].astype("datetime64[D]")
    year = dates.astype("datetime64[Y]").astype(np.int64) + 1970
    month = dates.astype("datetime64[M]").astype(np.int64) % 12 + 1
    week = iso_week(dates)
    since_promotion = 12 * (year - store["Promo2SinceYear"]) + (week - store["Promo2SinceWeek"]) / 4
    features = {
        **{name: day[name] for name in ("Store", "DayOfWeek", "Promo", "SchoolHoliday")},
        "StateHoliday": codes(day["StateHoliday"]),
        **{name: codes(store[name]) for name in ("StoreType", "Assortment")},
        **{name: values for name, values in store.items() if name not in ("StoreType", "Assortment", "PromoInterval")},
        "month": month,
        "year": year,
        "day": (dates - dates.astype("datetime64[M]")).astype(np.int64) + 1,
        "week": week,
        "months of competition": 12 * (year - store["CompetitionOpenSinceYear"])
        + (month - store["CompetitionOpenSinceMonth"]),
        "months of promotion": np.where(store["Promo2SinceYear"] == 0, 0, np.maximum(since_promotion, 0)),
        "is promotion month": is_promotion_month(month, store["PromoInterval"]),
    }
    return features, np.asarray(day["Sales"], dtype=np.float64)


def rossmann_folds(month: Array) -> list[Fold]:
    """July's rows are for validation and test, half and half; all others are for training."""
    is_july = month == 7
    valid, test = train_test_split(np.flatnonzero(is_july), test_size=0.5, random_state=KAGGLE_SEED)
    return single_split(np.flatnonzero(~is_july), valid, test)


def read_columns(file: str) -> Columns:
    """A file's columns, what is missing as zero."""
    import pandas

    frame = pandas.read_csv(sets.data_folder() / file, dtype={"StateHoliday": str})
    are_numbers = {name: pandas.api.types.is_numeric_dtype(column) for name, column in frame.items()}
    return {
        name: column.fillna(0 if are_numbers[name] else "0").to_numpy(None if are_numbers[name] else object)
        for name, column in frame.items()
    }


# ---- Problems ---------------------------------------------------------------------------------------------------


def openml(name: str) -> Problem:
    table = table_of("ailerons-classes" if name == "ailerons" else name)
    return Problem(name, table, nested_folds(table, N_FOLDS[OPENML]))


def node(name: str) -> Problem:
    table = table_of(name)
    return Problem(name, table, nested_folds(table, N_FOLDS[NODE]))


def kaggle_credit_card(name: str) -> Problem:
    table = credit_card(table_of("CreditCardSubset"))
    return Problem(name, table, split_twice(table, 0.25, 0.3))


def kaggle_rossmann(name: str) -> Problem:
    features, sales = rossmann_columns(
        read_columns("kaggle/rossmann_train.csv.gz"), read_columns("kaggle/rossmann_store.csv.gz")
    )
    X = np.column_stack([np.asarray(values, dtype=np.float64) for values in features.values()])
    return Problem(name, Table(X, np.log1p(sales), False, is_log=True), rossmann_folds(features["month"]))


def kaggle_flights(name: str) -> Problem:
    table = table_of(name)
    return Problem(name, table, split_twice(table, 0.2, 0.3))


# In the order of the paper's tables.
MAKERS: dict[str, dict[str, Callable[[str], Problem]]] = {
    OPENML: dict.fromkeys(
        (
            "CreditCardSubset",
            "eeg-eye-state",
            "PhishingWebsites",
            "mammography",
            "ailerons",
            "pol",
            "mozilla4",
            "pendigits",
            "nursery",
            "letter",
        ),
        openml,
    ),
    NODE: dict.fromkeys(("ailerons", "parkinsons", "navalT", "elevators", "bank8FM", "puma32H"), node),
    KAGGLE: {"credit card": kaggle_credit_card, "rossmann": kaggle_rossmann, "nycflights13": kaggle_flights},
}


@lru_cache(maxsize=1)
def load(experiment: str, name: str, deal: int = SEED) -> Problem:
    """With its folds dealt by a seed; a single split is the paper's and no other."""
    problem = MAKERS[experiment][name](name)
    if deal == SEED:
        return problem
    assert experiment != KAGGLE
    return replace(problem, folds=nested_folds(problem.table, len(problem.folds), deal))
