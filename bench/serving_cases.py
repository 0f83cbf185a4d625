"""The suites of what comes after training: predictions, few rows at a time, CSV files, and what the package costs."""

from __future__ import annotations

from functools import partial

from cases import MIXED_PEER, OURS, Case, Figure, Limit, Suite, by_name

OURS_SYMMETRIC, OURS_DEFAULT = "mixboost symmetric", "mixboost default"
OURS_IN_C, OURS_FAST = "mixboost C", "mixboost Predictor"
SYMMETRIC_PEER = "CatBoost"
OTHER_PEERS = ["XGBoost", "XGBoost DMatrix", "LightGBM", "CatBoost depth-wise", "snapml", "scikit-learn"]
PEERS = [SYMMETRIC_PEER, *OTHER_PEERS]

TRAINED_ON = "20000x28"  # enough for full trees, and a thousand of them are made in minutes
PREDICTED = 100_000

# ---- A large batch ----------------------------------------------------------------------------------------------

TREES = [OURS, OURS_SYMMETRIC, "mixboost AVX2", "mixboost symmetric AVX2", *PEERS]
DEFAULT = [OURS_DEFAULT, "mixboost default AVX2", *PEERS, MIXED_PEER]


def batch_name(rounds: int, depth: int) -> str:
    return f"trees-{rounds}-depth-{depth}"


def batch(name: str, contestants: list[str], rounds: int, depth: int) -> Case:
    return Case(
        name,
        TRAINED_ON,
        contestants,
        rounds,
        depth,
        kind="batch",
        n_rows=PREDICTED,
        unit="ms",
        is_quick=name == batch_name(100, 6),
        has_models=True,
        what=f"{PREDICTED} x 28, {rounds} trees of depth {depth}",
    )


PREDICT = Suite(
    "predict",
    "Batch prediction beside peers",
    by_name(
        *(batch(batch_name(rounds, depth), TREES, rounds, depth) for rounds in (100, 1000) for depth in (4, 6, 8, 12)),
        batch("default-300", DEFAULT, 300, 6),
    ),
    [
        Figure("100 trees of depth 6, against symmetric trees", batch_name(100, 6), 1, "1.4", peers=(SYMMETRIC_PEER,)),
        Figure("100 trees of depth 6, against the others", batch_name(100, 6), 4, "6", peers=tuple(OTHER_PEERS)),
        Figure(
            "1,000 trees of depth 6, against symmetric trees", batch_name(1000, 6), 1.2, "2", peers=(SYMMETRIC_PEER,)
        ),
        Figure("1,000 trees of depth 6, against the others", batch_name(1000, 6), 8, "12", peers=tuple(OTHER_PEERS)),
        Figure(
            "300 rounds by default, against symmetric trees", "default-300", 0.4, "0.8", OURS_DEFAULT, (SYMMETRIC_PEER,)
        ),
    ],
    [
        "Regression, models trained on 20,000 rows; mixboost default is as it comes but for its rounds.",
        "A call takes a numpy array of float32, its rows one behind the other, and everything in it counts.",
    ],
    threads=(2,),
)

# ---- A few rows -------------------------------------------------------------------------------------------------

ROW_COUNTS = (1, 10, 100, 1000)
ROW_COUNTS_OF_OURS = (2, 4, 8, 16, 32)
OF_OURS = [OURS, OURS_FAST, OURS_IN_C]
OF_ANY_NUMBER = [*OF_OURS, OURS_DEFAULT, *PEERS]
OF_ONE_ROW = ["CatBoost single row", "LightGBM single row C"]


def rows_name(n_rows: int) -> str:
    return f"rows-{n_rows}"


def rows(n: int) -> Case:
    contestants = OF_ANY_NUMBER if n in ROW_COUNTS else OF_OURS
    contestants = contestants + (OF_ONE_ROW if n == 1 else [])
    return Case(
        rows_name(n),
        TRAINED_ON,
        contestants,
        kind="rows",
        n_rows=n,
        unit="µs",
        is_quick=n == 1,
        has_models=True,
        what=f"{n} row{'s' if n > 1 else ''} x 28, 100 trees of depth 6",
    )


ROWS = Suite(
    "rows",
    "A few rows beside peers",
    by_name(*(rows(n) for n in sorted(ROW_COUNTS + ROW_COUNTS_OF_OURS))),
    [
        Limit("one row, 100 trees of depth 6, from C", rows_name(1), OURS_IN_C, 0.8, "0.4", "µs"),
        Limit("the same by Python's fast path", rows_name(1), OURS_FAST, 5, "3", "µs"),
        Limit("the same by predict", rows_name(1), OURS, 60, "30", "µs"),
    ],
    ["A call takes rows of float64, other ones each time; mixboost default has 100 rounds as they come."],
)

# ---- CSV files --------------------------------------------------------------------------------------------------

READERS = ["pandas", "polars", "pyarrow"]
FAST_READERS = ["polars", "pyarrow"]
PREDICTORS = ["XGBoost", "LightGBM", "CatBoost", "snapml", "scikit-learn"]
END_TO_END = [OURS, *(f"{peer} by {reader}" for peer in PREDICTORS for reader in FAST_READERS)]


def csv_cases(data: str, ending: str, is_quick: bool) -> list[Case]:
    size, case = data.replace("x", " x "), partial(Case, data=data, kind="csv", is_quick=is_quick)
    reading, writing = f"reading {size} numbers", f"writing {size.split()[0]} predictions"
    both = f"{size} numbers read and predicted, the predictions written"
    return [
        case(f"csv-read{ending}", contestants=[OURS, *READERS], what=reading),
        case(f"csv-read-long{ending}", contestants=[OURS, *READERS], what=f"{reading} of 16 or 17 digits"),
        case(f"csv-write{ending}", contestants=[OURS, *READERS], what=writing),
        case(f"csv-predict{ending}", contestants=END_TO_END, what=both, has_models=True),
    ]


CSV = Suite(
    "csv",
    "CSV files beside peers",
    by_name(*csv_cases("1000000x28", "", False), *csv_cases("100000x28", "-small", True)),
    [
        Figure("reading, against pandas", "csv-read", 1, "", peers=("pandas",)),
        Figure("reading, against polars and pyarrow", "csv-read", 0.5, "1", peers=tuple(FAST_READERS)),
        Figure("reading 16 or 17 digits, against pandas", "csv-read-long", 1, "", peers=("pandas",)),
        Figure("the same, against polars and pyarrow", "csv-read-long", 0.5, "1", peers=tuple(FAST_READERS)),
        Figure("writing predictions, against pandas", "csv-write", 1, "", peers=("pandas",)),
        Figure("writing predictions, against polars and pyarrow", "csv-write", 0.5, "1", peers=tuple(FAST_READERS)),
        Figure("from file to file, against everybody", "csv-predict", 1, ""),
    ],
    [
        "Files lie in the page cache. Prediction is by 100 trees of depth 6: `mixboost predict` as a process, from its",
        "start to its end; of the others, loading the model, reading, predicting and writing, all imported before.",
        "mixboost writes a file beside the target, waits until the disk has it (fsync) and renames it; that counts;",
        "the others write the target itself and wait for nothing. What was written must read back as the same doubles.",
    ],
    threads=(2,),
)

# ---- The package ------------------------------------------------------------------------------------------------

LOADED = [OURS, OURS_IN_C, OURS_DEFAULT, *(name for name in PEERS if name != "XGBoost DMatrix")]
OURS_ESTIMATORS = "mixboost estimators"  # which need scikit-learn
IMPORTED = [OURS, OURS_FAST, OURS_ESTIMATORS, "LightGBM", "XGBoost", "CatBoost", "snapml", "scikit-learn"]
WHEEL, LIBRARY, PREDICT_LIBRARY = "mixboost wheel", "mixboost libmixboost.so", "mixboost libmixboost-predict.so"
FILES = [WHEEL, LIBRARY, PREDICT_LIBRARY]


package_case = partial(Case, kind="package", unit="ms")


def load_case(rounds: int) -> Case:
    what = f"loading {rounds} trees of depth 6"
    return package_case(
        f"load-{rounds}", TRAINED_ON, LOADED, rounds, is_quick=rounds == 100, has_models=True, what=what
    )


PACKAGE = Suite(
    "package",
    "What the package costs beside peers",
    by_name(
        package_case("import", "", IMPORTED, is_quick=True, what="import on top of numpy's"),
        package_case("files", "", FILES, is_quick=True, what="files, libraries stripped"),
        load_case(100),
        load_case(1000),
    ),
    [
        Limit("the wheel", "files", WHEEL, 2, "1", "MB"),
        Limit("import of what a service needs, over numpy's", "import", OURS_FAST, 50, "20", "ms"),
        Limit("the library that only predicts, stripped", "files", PREDICT_LIBRARY, 200, "100", "KB"),
        Limit("loading 1,000 trees of depth 6, from C", "load-1000", OURS_IN_C, 10, "", "ms"),
    ],
    [
        "Sizes on disk: of an import the installed package without what it depends on, of a load the model file.",
        "Models have trees of depth 6, mixboost default as many rounds. Libraries are timed when they are opened.",
    ],
    threads=(2,),
)
