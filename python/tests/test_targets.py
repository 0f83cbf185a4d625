"""What is predicted: weights of rows and classes, and labels of every kind."""

from __future__ import annotations

import tracemalloc
import warnings
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from estimator_cases import CLASSIFIERS, ESTIMATORS, REGRESSORS, classification_data, data_for, regression_data, scores
from mixboost import MixBoostClassifier, MixBoostRegressor, _native, _targets
from sklearn.exceptions import DataConversionWarning
from sklearn.utils.class_weight import compute_sample_weight

# ---- Weights of rows ----


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_weights_may_be_anything_like_an_array(kind: Any) -> None:
    X, y = data_for(kind)
    weight = np.random.default_rng(0).uniform(0.5, 2, len(y))
    expected = scores(kind(num_round=5).fit(X, y, sample_weight=weight), X)
    for same in (
        weight.tolist(),
        pd.Series(weight),
        pl.Series(weight),
        np.repeat(weight, 2)[::2],
        weight.astype(object),
    ):
        assert scores(kind(num_round=5).fit(X, y, sample_weight=same), X).tolist() == expected.tolist()
    unweighted = scores(kind(num_round=5).fit(X, y), X)
    assert unweighted.tolist() != expected.tolist()
    assert scores(kind(num_round=5).fit(X, y, sample_weight=1), X).tolist() == unweighted.tolist()


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_a_weight_is_a_number_of_copies(kind: Any) -> None:
    X, y = (
        part[:150] for part in data_for(kind)
    )  # options that are auto count copies: up to 316 rows are all the same
    weight = np.random.default_rng(0).integers(0, 4, len(y))
    weighted = kind(num_round=20).fit(X, y, sample_weight=weight)
    copied = kind(num_round=20).fit(X.repeat(weight, axis=0), y.repeat(weight))
    np.testing.assert_allclose(scores(weighted, X), scores(copied, X), rtol=1e-7, atol=1e-9)


def test_rows_of_weight_zero_may_have_any_finite_label() -> None:
    X, y = regression_data()
    weight = np.ones(len(y))
    weight[::5] = 0
    strange = np.where(weight == 0, 1e6, y)
    one, other = (MixBoostRegressor(num_round=5).fit(X, each, sample_weight=weight) for each in (y, strange))
    assert one.predict(X).tolist() == other.predict(X).tolist()


@pytest.mark.parametrize("kind", REGRESSORS)
@pytest.mark.parametrize("dtype", [np.float64, np.int64, np.uint32, object])
def test_labels_far_from_0_keep_all_their_digits(kind: Any, dtype: Any) -> None:
    """A float has no number between 999,999,936 and 1,000,000,064."""
    X, _ = regression_data()
    y = 10**9 + (X[:, 0] > 0).astype(np.int64)
    predicted = kind(num_round=150, learning_rate=0.3).fit(X, y.astype(dtype)).predict(X)
    assert np.abs(predicted - y).max() < 0.05


# ---- Classes ----


@pytest.mark.parametrize("kind", CLASSIFIERS)
@pytest.mark.parametrize("first", [10**9, 1e9, 2**60, np.uint64(2**63)])
def test_classes_far_from_0_are_told_apart(kind: Any, first: Any) -> None:
    X, _ = classification_data()
    labels = np.array([first, first + type(first)(1)])
    y = labels[(X[:, 0] > 0).astype(int)]
    model = kind(num_round=30).fit(X, y)
    assert model.classes_.tolist() == labels.tolist()
    assert model.predict(X).tolist() == y.tolist()


def test_classes_are_those_of_rows_that_weigh_anything() -> None:
    X, y = classification_data()
    labels = np.where(np.arange(len(y)) % 7 == 0, 2, y)
    weight = np.where(labels == 2, 0.0, 1.0)
    model = MixBoostClassifier(num_round=5).fit(X, labels, sample_weight=weight)
    without = MixBoostClassifier(num_round=5).fit(X[labels != 2], labels[labels != 2])
    assert model.classes_.tolist() == [0, 1]
    assert model.predict_proba(X).tolist() == without.predict_proba(X).tolist()
    with pytest.raises(ValueError, match=r"one class, 1\.$"):
        model.fit(X, y, sample_weight=y)


@pytest.mark.parametrize("rows_at_once", [1, 7, 1000])
def test_classes_are_found_wherever_they_are(rows_at_once: int, monkeypatch: Any) -> None:
    monkeypatch.setattr(_targets, "_ROWS_AT_ONCE", rows_at_once)
    for place in (0, 6, 7, 49):
        y, weight = np.full(50, 5.0), np.ones(50)
        with pytest.raises(ValueError, match=r"one class, 5\.0\.$"):
            _targets.Classes(y, None, None)
        y[place] = 3.0
        classes = _targets.Classes(y, None, None)
        assert classes.labels.tolist() == [3.0, 5.0]
        assert classes.encode(y).tolist() == (y == 5.0).tolist()
        y[20] = 4.0
        with pytest.raises(ValueError, match="multiclass"):
            _targets.Classes(y, None, None)
        with pytest.raises(ValueError, match=r"label 4\.0, which"):
            classes.encode(y)
        weight[20] = 0.0
        assert _targets.Classes(y, weight, None).labels.tolist() == [3.0, 5.0]
        assert classes.encode(y, weight).tolist() == (y == 5.0).tolist()


def test_labels_that_are_numbers_take_no_room() -> None:
    y = np.random.default_rng(0).integers(0, 2, 1_000_000).astype(np.float64)
    dataset = _native.Dataset(len(y))
    tracemalloc.start()
    try:
        _targets.Classes(y, None, None).attach(dataset, y, None)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 3 * len(y)  # a byte a row, and what a part of the rows takes; y has 8 bytes a row


LABELS: list[tuple[str, Any, Any]] = [
    ("text", np.array(["no", "yes"]), None),
    ("text of objects", np.array(["no", "yes"], dtype=object), None),
    ("text beyond ASCII", np.array(["Müller", "Ångström"]), None),
    ("text of blanks", np.array(["", " "]), None),
    ("text of numbers", np.array(["10", "9"]), None),
    ("bool", np.array([False, True]), None),
    ("minus one and one", np.array([-1, 1]), None),
    ("int8", np.array([-128, 127], dtype=np.int8), None),
    ("uint8", np.array([0, 255], dtype=np.uint8), None),
    ("uint64", np.array([2**63, 2**64 - 1], dtype=np.uint64), None),
    ("beyond 2**53", np.array([2**53, 2**53 + 1]), None),
    ("far below 0", np.array([-(2**63), -(2**63) + 1]), None),
    ("float32", np.array([1, 2], dtype=np.float32), None),
    ("float64", np.array([-3.0, 2.0**40]), None),
    ("big-endian", np.array([3, 70000], dtype=">i4"), None),
    ("objects that are int", np.array([3, 4], dtype=object), np.array([3, 4])),
    ("objects that are bool", np.array([False, True], dtype=object), np.array([False, True])),
    ("objects that are float", np.array([0.0, 1.0], dtype=object), np.array([0.0, 1.0])),
]


@pytest.mark.parametrize(("labels", "learned"), [row[1:] for row in LABELS], ids=[row[0] for row in LABELS])
def test_labels_of_every_kind_come_back(labels: Any, learned: Any) -> None:
    X, codes = classification_data()
    classes = labels if learned is None else learned
    expected = MixBoostClassifier(num_round=5).fit(X, codes)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = MixBoostClassifier(num_round=5).fit(X, labels[codes], eval_set=(X, labels[codes]))
        predicted = model.predict(X)
    assert model.classes_.tolist() == classes.tolist()
    assert model.classes_.dtype == classes.dtype
    assert predicted.dtype == classes.dtype
    assert predicted.tolist() == classes[expected.predict(X)].tolist()
    assert model.predict_proba(X).tolist() == expected.predict_proba(X).tolist()
    assert model.score(X, classes[codes]) == expected.score(X, codes)


CONTAINERS: list[tuple[str, Any]] = [
    ("list", lambda y: y.tolist()),
    ("tuple", lambda y: tuple(y.tolist())),
    ("pandas Series", pd.Series),
    ("pandas string", lambda y: pd.Series(y, dtype="string")),
    ("pandas category", lambda y: pd.Series(y, dtype="category")),
    ("pandas category of another order", lambda y: pd.Series(pd.Categorical(y, categories=["b", "unused", "a"]))),
    ("polars Series", pl.Series),
    ("polars Categorical", lambda y: pl.Series(y.tolist(), dtype=pl.Categorical)),
    ("strided", lambda y: np.repeat(y, 3)[::3]),
    ("backwards", lambda y: y[::-1].copy()[::-1]),
]


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "uint8", "bool"])
def test_labels_that_are_numbers_are_read_where_they_lie(dtype: Any, monkeypatch: Any) -> None:
    X, y = classification_data()
    given = y.astype(dtype)
    seen = []
    set_label = _native.Dataset.set_label
    monkeypatch.setattr(_native.Dataset, "set_label", lambda self, array: (seen.append(array), set_label(self, array)))
    fitted = MixBoostClassifier(num_round=3).fit(X, given)
    assert np.shares_memory(seen[0], given)
    monkeypatch.undo()
    assert scores(fitted, X).tolist() == scores(MixBoostClassifier(num_round=3).fit(X, y.astype(str)), X).tolist()


@pytest.mark.parametrize("container", [row[1] for row in CONTAINERS], ids=[row[0] for row in CONTAINERS])
def test_y_may_be_anything_like_an_array(container: Any) -> None:
    X, codes = classification_data()
    y = np.array(["a", "b"])[codes]
    expected = MixBoostClassifier(num_round=5).fit(X, y)
    model = MixBoostClassifier(num_round=5).fit(X, container(y))
    assert model.classes_.tolist() == ["a", "b"]
    assert model.predict_proba(X).tolist() == expected.predict_proba(X).tolist()


def test_numbers_of_every_type_can_be_the_target() -> None:
    X, _ = regression_data()
    y = np.arange(len(X)) % 50
    expected = MixBoostRegressor(num_round=5).fit(X, y.astype(float)).predict(X)
    for dtype in "b h i q B H I Q e f d g >f8 O".split():
        assert MixBoostRegressor(num_round=5).fit(X, y.astype(dtype)).predict(X).tolist() == expected.tolist()
    for same in (y.tolist(), pd.Series(y), pl.Series(y), pd.Series(y, dtype="Int64"), np.repeat(y, 2)[::2]):
        assert MixBoostRegressor(num_round=5).fit(X, same).predict(X).tolist() == expected.tolist()
    bools = MixBoostRegressor(num_round=5).fit(X, y > 20).predict(X)
    assert bools.tolist() == MixBoostRegressor(num_round=5).fit(X, (y > 20).astype(float)).predict(X).tolist()


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_a_column_is_taken_with_a_warning(kind: Any) -> None:
    X, y = data_for(kind)
    with pytest.warns(DataConversionWarning, match="column-vector"):
        model = kind(num_round=3).fit(X, y.reshape(-1, 1))
    assert scores(model, X).tolist() == scores(kind(num_round=3).fit(X, y), X).tolist()


# ---- Weights of classes ----


def test_weights_of_classes_multiply_those_of_rows() -> None:
    X, y = classification_data()
    y[:20] = 0
    weight = np.random.default_rng(0).uniform(0.5, 2, len(y))
    for class_weight in ({0: 1.0, 1: 3.0}, {1: 3.0}, {0: 2, 1: 0.5}, "balanced"):
        factor = compute_sample_weight(class_weight, y)
        model = MixBoostClassifier(num_round=5, class_weight=class_weight).fit(X, y)
        twin = MixBoostClassifier(num_round=5).fit(X, y, sample_weight=factor)
        np.testing.assert_allclose(model.predict_proba(X), twin.predict_proba(X), rtol=1e-12)
        if class_weight != "balanced":
            model.fit(X, y, sample_weight=weight)
            twin.fit(X, y, sample_weight=weight * factor)
            assert model.predict_proba(X).tolist() == twin.predict_proba(X).tolist()


def test_balanced_classes_weigh_the_same_whatever_their_rows_weigh() -> None:
    X, y = classification_data()
    weight = np.where(y == 1, 5.0, 0.25)
    model = MixBoostClassifier(num_round=5, class_weight="balanced").fit(X, y, sample_weight=weight)
    total = {label: weight[y == label].sum() for label in (0, 1)}
    factor = np.where(y == 1, weight.sum() / (2 * total[1]), weight.sum() / (2 * total[0]))
    twin = MixBoostClassifier(num_round=5).fit(X, y, sample_weight=weight * factor)
    np.testing.assert_allclose(model.predict_proba(X), twin.predict_proba(X), rtol=1e-12)
    start = next(
        MixBoostClassifier(num_round=1, learning_rate=1e-12, class_weight="balanced").fit(X, y).staged_predict_proba(X)
    )
    np.testing.assert_allclose(start, 0.5, atol=1e-9)


def test_weights_of_classes_are_named_by_label() -> None:
    X, codes = classification_data()
    y = np.array(["no", "yes"])[codes]
    named = MixBoostClassifier(num_round=5, class_weight={"yes": 3}).fit(X, y)
    numbered = MixBoostClassifier(num_round=5, class_weight={1: 3}).fit(X, codes)
    assert named.predict_proba(X).tolist() == numbered.predict_proba(X).tolist()
    for wrong in ({"maybe": 1.0}, "even", [1.0, 2.0]):
        with pytest.raises(ValueError, match="class_weight"):
            MixBoostClassifier(num_round=5, class_weight=wrong).fit(X, y)
