"""What goes wrong is said clearly: the right kind of exception, and a sentence that names what is wrong."""

from __future__ import annotations

import ctypes
import subprocess
import sys
import textwrap
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from estimator_cases import ESTIMATORS, classification_data, data_for, regression_data
from mixboost import MixBoostClassifier, MixBoostRegressor, _native
from sklearn.base import is_classifier
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

KINDS = [MixBoostRegressor, MixBoostClassifier]


def assert_not_fitted(model: Any) -> None:
    with pytest.raises(NotFittedError):
        check_is_fitted(model)


# ---- The library's statuses ----


def test_param_is_a_value_error() -> None:
    with pytest.raises(ValueError, match=r'^learning_rate is "0"; it must be over 0, up to 1, or auto$'):
        _native.Params({"learning_rate": 0})


def test_data_is_a_value_error() -> None:
    X, y = regression_data()
    y[4] = -2e300
    with pytest.raises(ValueError, match=r"^the label of row 5 of the training data is -2e300; labels, also times"):
        MixBoostRegressor().fit(X, y)


def test_io_is_an_os_error(tmp_path: Any) -> None:
    with pytest.raises(OSError, match="No such file") as raised:
        _native.Model.load(tmp_path / "missing.mxb")
    assert type(raised.value) is OSError


def test_format_is_a_value_error() -> None:
    with pytest.raises(ValueError, match="model"):
        _native.Model.from_bytes(b"nonsense")


def test_memory_is_a_memory_error() -> None:
    code = """
    import resource
    import numpy as np
    from mixboost import MixBoostRegressor
    X = np.zeros((400_000, 100), dtype=np.float32)
    model = MixBoostRegressor(num_round=1, n_threads=1)
    model.fit(X[:10], X[:10, 0])
    used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
    limit = used + 20_000_000
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    try:
        model.fit(X, X[:, 0])
    except MemoryError as error:
        print(error)
        print(hasattr(model, "n_features_in_"))
    """
    run = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], check=True, stdout=subprocess.PIPE, text=True)
    sentence, fitted = run.stdout.splitlines()
    assert sentence.startswith("out of memory: ")
    assert fitted == "False"


def test_stopped_is_a_keyboard_interrupt() -> None:
    dataset = _native.Dataset(10)
    dataset.add_matrix(np.arange(10.0).reshape(-1, 1))
    dataset.set_label(np.arange(10.0))
    stop = _native.ProgressFunction(lambda *_: 0)
    model = _native.Handle()
    with pytest.raises(KeyboardInterrupt, match="stopped"):
        _native._library.train(dataset._handle, None, None, stop, None, ctypes.byref(model))


# ---- Not fitted ----

METHODS = ["predict", "score", "staged_predict", "predictor", "save"]
METHODS_OF_CLASSIFIERS = ["predict_proba", "decision_function", "staged_predict_proba"]


@pytest.mark.parametrize("kind", KINDS)
def test_everything_that_needs_a_fit_says_so(kind: Any) -> None:
    X, y = data_for(kind)
    arguments: dict[str, tuple[Any, ...]] = {"score": (X, y), "predictor": (), "save": ("file",)}
    for method in METHODS + (METHODS_OF_CLASSIFIERS if kind is MixBoostClassifier else []):
        with pytest.raises(NotFittedError, match=f"This {kind.__name__} instance is not fitted yet"):
            getattr(kind(), method)(*arguments.get(method, (X,)))


@pytest.mark.parametrize("kind", KINDS)
def test_a_fit_that_fails_leaves_an_estimator_that_is_not_fitted(kind: Any) -> None:
    X, y = data_for(kind)
    model = kind(num_round=2)
    wrong = y.astype(float)
    wrong[0] = np.nan
    for arguments in ((X, wrong), (X[:5], y), (X[:, 0], y)):
        model.fit(X, y)
        with pytest.raises(ValueError, match=r"\w"):
            model.fit(*arguments)
        assert_not_fitted(model)
    model.fit(X, y)
    with pytest.raises(ValueError, match="num_round"):
        model.set_params(num_round=0).fit(X, y)
    assert_not_fitted(model)


# ---- X ----


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("method", ["fit", "predict", "staged_predict"])
@pytest.mark.parametrize(
    ("change", "error", "sentence"),
    [
        (lambda X: X[:0], ValueError, r"0 sample\(s\)"),
        (lambda X: X[:, :0], ValueError, r"0 feature\(s\)"),
        (lambda X: X[:, 0], ValueError, "Expected 2D array, got 1D array instead"),
        (lambda X: X[0, 0], ValueError, "Expected 2D array, got scalar array instead"),
        (lambda X: X[:, :, None], ValueError, "Found array with dim 3"),
        (scipy.sparse.csr_matrix, TypeError, "Sparse data was passed"),
        (lambda X: X + 1j, ValueError, "Complex data not supported"),
        (lambda X: np.full(X.shape, "a"), ValueError, "could not convert string to float|dtype='numeric'"),
        (lambda X: np.full(X.shape, object()), TypeError, "argument must be .*a string or a.* number"),
        (lambda X: None, ValueError, "Expected 2D array"),
        (lambda X: np.full(X.shape, np.datetime64("2020")), ValueError, "^X: it holds dates or times"),
    ],
)
def test_an_x_that_is_no_table_of_numbers_is_refused(
    kind: Any, method: str, change: Any, error: Any, sentence: str
) -> None:
    X, y = data_for(kind)
    model = kind(num_round=2).fit(X, y)
    with pytest.raises(error, match=sentence):
        model.fit(change(X), y) if method == "fit" else getattr(model, method)(change(X))


@pytest.mark.parametrize("kind", ESTIMATORS)
@pytest.mark.parametrize("n_rows", [0, 1, 2])
@pytest.mark.parametrize("n_features", [0, 1, 2, 3, 5])
def test_another_number_of_features_is_refused(kind: Any, n_rows: int, n_features: int) -> None:
    X, y = data_for(kind)
    model = kind(num_round=2).fit(X, y)
    other = np.ones((n_rows, n_features))
    sentence = f"X has {n_features} features, but {kind.__name__} is expecting 4 features as input"
    if n_rows == 0 or n_features == 0:
        sentence = r"Found array with 0 (sample|feature)\(s\)"
    for method in ("predict", "staged_predict"):
        with pytest.raises(ValueError, match=sentence):
            getattr(model, method)(other)
    with pytest.raises(ValueError, match=sentence):
        kind().fit(X, y, eval_set=(other, y[:n_rows]))


@pytest.mark.parametrize("kind", ESTIMATORS)
@pytest.mark.parametrize("n_rows", [0, 1, 2])
@pytest.mark.parametrize("n_features", [0, 1, 2])
def test_the_smallest_tables_are_refused_or_learned(kind: Any, n_rows: int, n_features: int) -> None:
    X = np.arange(1.0 * n_rows * n_features).reshape(n_rows, n_features)
    y = np.arange(n_rows)
    if n_rows * n_features == 0:
        with pytest.raises(ValueError, match=r"Found array with 0 (sample|feature)\(s\)"):
            kind(num_round=3).fit(X, y)
    elif is_classifier(kind()) and n_rows == 1:
        with pytest.raises(ValueError, match=r"^A classifier needs rows of two classes; y has one class, 0\.$"):
            kind(num_round=3).fit(X, y)
    else:
        assert np.isfinite(kind(num_round=3).fit(X, y).predict(X)).all()


@pytest.mark.parametrize("kind", KINDS)
def test_other_names_of_features_are_refused(kind: Any) -> None:
    X, y = data_for(kind)
    frame = pd.DataFrame(X, columns=list("abcd"))
    model = kind(num_round=2).fit(frame, y)
    with pytest.raises(
        ValueError, match=r"unseen at fit time:\n- e\nFeature names seen at fit time, yet now missing:\n- d"
    ):
        model.predict(frame.rename(columns={"d": "e"}))
    with pytest.raises(ValueError, match="Feature names must be in the same order as they were in fit"):
        model.predict(frame[list("bacd")])
    with pytest.raises(ValueError, match="Feature names must be in the same order as they were in fit"):
        kind().fit(frame, y, eval_set=(frame[list("bacd")], y))
    with pytest.raises(ValueError, match="yet now missing:\n- d"):
        model.predict(frame[list("abc")])


@pytest.mark.parametrize("kind", KINDS)
def test_text_where_numbers_were_is_refused_and_the_reverse(kind: Any) -> None:
    X, y = data_for(kind)
    numbers = pd.DataFrame(X, columns=list("abcd"))
    texts = numbers.assign(c=np.where(X[:, 2] > 0, "high", "low"))
    for trained, other in ((numbers, texts), (texts, numbers)):
        model = kind(num_round=5).fit(trained, y)
        for rows in (other, other[:1]):
            with pytest.raises(ValueError, match=r'"c".*text'):
                model.predict(rows)
        with pytest.raises(ValueError, match=r'"c".*text'):
            kind(num_round=5).fit(trained, y, eval_set=(other, y))


# ---- y ----


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda y: None, "requires y to be passed, but the target y is None"),
        (lambda y: y[:-1], r"^X has 200 rows and y 199$"),
        (lambda y: y[:0], r"^X has 200 rows and y 0$"),
        (lambda y: np.column_stack([y, y]), r"y should be a 1d array, got an array of shape \(200, 2\)"),
        (lambda y: 1, "y should be a 1d array"),
        (lambda y: np.where(y == y[0], np.nan, y), "Input y contains NaN"),
        (lambda y: np.where(y == y[0], np.inf, y), "Input y contains infinity"),
        (lambda y: y + 1j, "Complex data not supported"),
        (lambda y: np.where(y == y[0], None, y), r"nothing missing; it has values of the types NoneType, (int|float)"),
        (lambda y: [pd.NA, *y[1:]], r"nothing missing; it has values of the types NAType"),
        (lambda y: pd.Series(y).where(y != y[0]), "Input y contains NaN"),
        (lambda y: np.array([b"x", *y[1:]], dtype=object), "it has values of the types bytes"),
        (lambda y: np.ma.masked_equal(y, y[0]), "^y must have nothing missing; it has values that are masked"),
        (
            lambda y: np.array(["2020", "2021"], "M8[Y]")[(y > 0).astype(int)],
            r"numbers.*; it has .* type datetime64\[Y\]",
        ),
    ],
)
def test_a_y_that_cannot_be_learned_is_refused(kind: Any, change: Any, sentence: str) -> None:
    X, y = data_for(kind)
    with pytest.raises(ValueError, match=sentence):
        kind().fit(X, change(y))
    with pytest.raises(ValueError, match=sentence.removeprefix("^")):
        kind().fit(X, y, eval_set=(X, change(y)))


@pytest.mark.parametrize(
    "values", [["a", "b"], [b"a", b"b"], ["1.5", "2.5"], [np.datetime64("2020"), np.datetime64("2021")]]
)
def test_a_regressor_needs_numbers(values: Any) -> None:
    X, y = classification_data()
    with pytest.raises(ValueError, match=r"^y must be numbers; it has values of the type "):
        MixBoostRegressor().fit(X, np.array(values)[y])


def test_a_classifier_needs_two_classes() -> None:
    X, y = classification_data()
    with pytest.raises(
        ValueError, match=r"^Only binary classification is supported\. The type of the target is multiclass\.$"
    ):
        MixBoostClassifier().fit(X, np.arange(len(y)) % 3)
    with pytest.raises(ValueError, match="Unknown label type: continuous"):
        MixBoostClassifier().fit(X, X[:, 0])
    with pytest.raises(ValueError, match=r"^A classifier needs rows of two classes; y has one class, 'only'\.$"):
        MixBoostClassifier().fit(X, np.full(len(y), "only"))
    with pytest.raises(ValueError, match="of the types int, str"):
        MixBoostClassifier().fit(X, np.array([1, "a"], dtype=object)[y])


def test_a_label_that_no_file_can_keep_is_refused() -> None:
    X, y = classification_data()
    with pytest.raises(ValueError, match="NUL"):
        MixBoostClassifier().fit(X, np.array(["a\0b", "a\0c"], dtype=object)[y])
    with pytest.raises(ValueError, match="surrogates not allowed"):
        MixBoostClassifier().fit(X, np.array(["é", "\udc80"], dtype=object)[y])


# ---- Weights ----


@pytest.mark.parametrize("kind", ESTIMATORS)
@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda y: np.full(len(y), -1.0), "Negative values"),
        (lambda y: np.full(len(y), np.nan), "Input sample_weight contains NaN"),
        (lambda y: np.full(len(y), np.inf), "Input sample_weight contains infinity"),
        (lambda y: np.zeros(len(y)), r"[Ww]eights must (contain at least one non-zero number|not all be 0)"),
        (lambda y: 0, r"[Ww]eights must (contain at least one non-zero number|not all be 0)"),
        (lambda y: np.ones(len(y) - 1), r"sample_weight\.shape == \(199,\), expected \(200,\)"),
        (lambda y: np.ones((len(y), 2)), "Sample weights must be 1D array or scalar"),
        (lambda y: ["a"] * len(y), "could not convert string to float"),
    ],
)
def test_weights_that_make_no_sense_are_refused(kind: Any, change: Any, sentence: str) -> None:
    X, y = data_for(kind)
    with pytest.raises(ValueError, match=sentence):
        kind().fit(X, y, sample_weight=change(y))
    with pytest.raises(ValueError, match=sentence):
        kind().fit(X, y, eval_set=(X, y), eval_sample_weight=change(y))


# ---- eval_set ----


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_an_eval_set_that_is_no_pair_is_refused(kind: Any) -> None:
    X, y = data_for(kind)
    for wrong in (X, [], [X, y], (X,), (X, y, y), [(X, y), (X, y)], "pair", [[X, y]]):
        with pytest.raises(ValueError, match=r"^eval_set must be a pair \(X, y\), or a list of one such pair$"):
            kind().fit(X, y, eval_set=wrong)
    with pytest.raises(ValueError, match=r"^eval_sample_weight is given, but no eval_set$"):
        kind().fit(X, y, eval_sample_weight=np.ones(len(y)))
    with pytest.raises(ValueError, match=r"^eval_set and validation_fraction are given; only one of them can be$"):
        kind(validation_fraction=0.1).fit(X, y, eval_set=(X, y))


@pytest.mark.parametrize("kind", ESTIMATORS)
@pytest.mark.parametrize("fraction", [0.0, 1.0, -0.5, 2, np.nan, "a third", [0.5]])
def test_a_fraction_that_is_none_is_refused(kind: Any, fraction: Any) -> None:
    X, y = data_for(kind)
    with pytest.raises(ValueError, match=r"^validation_fraction is .*; it must be a number over 0 and below 1$"):
        kind(validation_fraction=fraction).fit(X, y)


# ---- Options ----

WRONG_OPTIONS: list[tuple[str, Any, str]] = [
    ("num_round", 0, r'^num_round is "0"; it must be a whole number, 1 to 1000000, or auto$'),
    ("num_round", 2.5, r'^num_round is "2.5"; it must be a whole number'),
    ("num_round", None, r'^num_round is "None"; it must be'),
    ("num_round", True, r'^num_round is "true"; it must be'),
    ("num_round", [3], r'^num_round is "\[3\]"; it must be'),
    ("learning_rate", float("nan"), r'^learning_rate is "nan"; it must be over 0, up to 1, or auto$'),
    ("learning_rate", float("inf"), r'^learning_rate is "inf"; it must be over 0, up to 1, or auto$'),
    ("learning_rate", "fast", r'^learning_rate is "fast"; it must be'),
    ("learning_rate", "0.1\0", "NUL"),
    ("subsample", 1.5, r'^subsample is "1.5"; it must be over 0, up to 1$'),
    ("base_score", "automatic", r'^base_score is "automatic"; it must be'),
    ("use_histograms", "yes", r'^use_histograms is "yes"; it must be true \| false$'),
    ("use_histograms", 1, r'^use_histograms is "1"; it must be true \| false$'),
    ("fourier_scaling", "log", r'^fourier_scaling is "log"; it must be none \| standard \| rank$'),
    (
        "depth_probabilities",
        [0.5, 0.5],
        r"^depth_probabilities has 2 numbers; min_max_depth 2 to max_max_depth 10 are 9 depths$",
    ),
    ("depth_probabilities", [0.5] * 9, r"^depth_probabilities sum to 4.5; the sum must be 1$"),
    ("depth_probabilities", [], r'^depth_probabilities is ""; it must be numbers'),
    ("min_max_depth", 11, r"^min_max_depth is 11 and max_max_depth 10; the first must not be larger$"),
    ("n_threads", "2", r"^n_threads is '2'; it must be a whole number or None$"),
    ("n_threads", 2.0, r"^n_threads is 2.0; it must be a whole number or None$"),
    ("n_threads", 5000, r'^n_threads is "5000"; it must be a whole number, 0 to 4096$'),
    ("tree_n_threads", -1, r'^tree_n_threads is "-1"; it must be a whole number, 0 to 4096$'),
    ("random_state", -1, r'^random_state is "-1"; it must be a whole number, 0 to 4294967295$'),
    ("random_state", 2**32, r'^random_state is "4294967296"; it must be a whole number'),
    ("random_state", "lucky", r"cannot be used to seed"),
    ("random_state", 1.5, r"cannot be used to seed"),
]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("name", "value", "sentence"), WRONG_OPTIONS, ids=[f"{row[0]}={row[1]!r}" for row in WRONG_OPTIONS]
)
def test_a_wrong_option_is_named_with_what_is_allowed(kind: Any, name: str, value: Any, sentence: str) -> None:
    X, y = data_for(kind)
    model = kind(**{name: value})
    with pytest.raises(ValueError, match=sentence):
        model.fit(X, y)
    assert_not_fitted(model)


def test_every_option_is_checked() -> None:
    for option in _native.options():
        for kind in KINDS:
            X, y = data_for(kind)
            with pytest.raises(ValueError, match=option.name if option.name != "random_state" else "seed"):
                kind(**{option.name: object()}).fit(X, y)


def test_an_objective_is_for_one_kind_of_estimator() -> None:
    X, y = classification_data()
    with pytest.raises(ValueError, match=r"^objective is 'logloss'; that of a MixBoostRegressor must be 'mse'$"):
        MixBoostRegressor(objective="logloss").fit(X, y)
    with pytest.raises(ValueError, match=r"^objective is 'mse'; that of a MixBoostClassifier must be 'logloss'$"):
        MixBoostClassifier(objective="mse").fit(X, y)
