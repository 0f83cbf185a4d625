"""One row and a few, by estimators and predictors: the bits and the errors of many rows, which go another way."""

from __future__ import annotations

import copy
import gc
import pickle
import tracemalloc
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from estimator_cases import Array, classification_data, data_for, regression_data, scores
from mixboost import HeterogeneousBoostingRegressor, MixBoostClassifier, MixBoostRegressor, Predictor, _native
from mixboost._columns import dataset_of
from plain_twin import plain_dataset, train

KINDS = [MixBoostRegressor, MixBoostClassifier]
FEW = [1, 2, 5, 31, 32, 33]  # rows; the last ones are around the number from which on a dataset is made


def unaligned(X: Array) -> Array:
    room = np.empty(X.nbytes + 1, np.uint8)
    copy: Array = room[1:].view(X.dtype).reshape(X.shape)
    copy[...] = X
    return copy


ROWS: list[tuple[str, Any]] = [
    ("float64", lambda X: X),
    ("float32", lambda X: X.astype(np.float32)),
    ("Fortran order", np.asfortranarray),
    ("every other column", lambda X: np.repeat(X, 2, axis=1)[:, ::2]),
    ("columns backwards", lambda X: X[:, ::-1].copy()[:, ::-1]),
    ("with missing values", lambda X: np.where(X > 1, np.nan, X)),
    ("with infinite values", lambda X: np.where(X > 1, -np.inf, X)),
    ("int", lambda X: (X * 10).astype(int)),
    ("uint64", lambda X: (np.abs(X) * 2.0**61).astype(np.uint64)),
    ("bool", lambda X: X > 0),
    ("big-endian", lambda X: X.astype(">f8")),
    ("float16", lambda X: X.astype(np.float16)),
    ("longdouble", lambda X: X.astype(np.longdouble)),
    ("objects", lambda X: X.astype(object)),
    ("None among numbers", lambda X: np.where(X > 1, None, X)),
    ("list", lambda X: X.tolist()),
    ("list with None", lambda X: np.where(X > 1, None, X).tolist()),
    ("whole numbers", lambda X: (X * 10).astype(int).tolist()),
    ("masked", lambda X: np.ma.masked_greater(X, 1.0)),
    ("read only", lambda X: np.broadcast_to(X, X.shape)),
    ("unaligned", unaligned),
    ("every other row", lambda X: np.repeat(X, 2, axis=0)[::2]),
]


def fitted(kind: Any) -> tuple[Any, Array]:
    X, y = data_for(kind)
    return kind(num_round=30, tree_probability=0.7).fit(X, y), X


def checked(model: Any, X: Any, output: int) -> Array:
    """The twin of every quick way: scikit-learn's checks, then a dataset."""
    predicted: Array = model._model.predict(model._features(X, model._model), output, 1)
    return predicted


def predictions(model: Any, X: Any) -> Array:
    """What a predictor gives, by the estimator."""
    return np.asarray(model.predict_proba(X)[:, 1] if isinstance(model, MixBoostClassifier) else model.predict(X))


@pytest.mark.parametrize("change", [row[1] for row in ROWS], ids=[row[0] for row in ROWS])
@pytest.mark.parametrize("kind", KINDS)
def test_a_few_rows_are_predicted_as_among_many(kind: Any, change: Any) -> None:
    model, X = fitted(kind)
    rows = change(X)
    raw = checked(model, rows, _native.RAW)
    expected = checked(model, rows, _native.PROBABILITY if kind is MixBoostClassifier else _native.VALUE)
    predict = model.predictor()
    for n in FEW:
        assert scores(model, rows[:n]).tobytes() == raw[:n].tobytes()
        assert predictions(model, rows[:n]).tobytes() == expected[:n].tobytes()
        assert model.predict(rows[:n]).tolist() == model.predict(rows)[:n].tolist()
        assert predict(rows[:n]).tobytes() == expected[:n].tobytes()
    assert predict(rows).tobytes() == expected.tobytes()
    assert [predict(row) for row in rows] == expected.tolist()
    assert all([type(predict(row)) is float for row in rows[:5]])


@pytest.mark.parametrize("kind", KINDS)
def test_forms_of_one_row(kind: Any) -> None:
    model, X = fitted(kind)
    predict, expected = model.predictor(), predictions(model, X).tolist()[0]
    row = X[0]
    for form in (tuple, list, np.ndarray.tolist, pd.Series, lambda row: list(map(Decimal, row)), pd.array):
        assert predict(form(row)) == expected
    for missing in (None, np.nan, pd.NA):
        assert predict([*row[:3], missing]) == predictions(model, [[*row[:3], np.nan]])[0]
    assert predict([2, True, 0.5, np.float32(3)]) == predictions(model, [[2, 1, 0.5, 3]])[0]


def test_a_model_of_one_feature() -> None:
    X, y = regression_data()
    model = MixBoostRegressor(num_round=10).fit(X[:, :1], y)
    predict, expected = model.predictor(), model.predict(X[:, :1]).tolist()
    for row in (X[0, :1], [X[0, 0]], (X[0, 0],)):
        assert predict(row) == expected[0]
    for rows in (X[:1, :1], [[X[0, 0]]], [X[0, :1]], ([X[0, 0]],)):
        assert predict(rows).tolist() == expected[:1]


WRONG_SHAPES: list[tuple[str, Any]] = [
    ("a feature too few", lambda X: X[:, :3]),
    ("a feature too many", lambda X: np.hstack([X, X])[:, :5]),
    ("no feature", lambda X: X[:, :0]),
    ("no row", lambda X: X[:0]),
    ("an empty list", lambda X: []),
    ("a number", lambda X: 1.0),
    ("three dimensions", lambda X: X[None]),
    ("rows of different length", lambda X: [[1.0] * 4, [1.0] * 3]),
    ("text", lambda X: "text"),
    ("a dict", lambda X: {}),
    ("None", lambda X: None),
]
WRONG_CELLS: list[tuple[str, Any]] = [
    ("text in place of numbers", lambda X: X.astype(str)),
    ("a text among numbers", lambda X: [[1.0, "left", 2.0, 3.0]]),
    ("a text among objects", lambda X: np.array([[1.0, "left", 2.0, 3.0]], object)),
    ("bytes", lambda X: X.astype(bytes)),
    ("complex numbers", lambda X: X + 0j),
    ("dates", lambda X: X.astype("datetime64[D]")),
    ("differences of dates", lambda X: X.astype("timedelta64[D]")),
    ("Python's dates", lambda X: [[date(2020, 1, 1)] * 4]),
    ("other objects", lambda X: [[{}, 1.0, 2.0, 3.0]]),
    ("a number that no double holds", lambda X: [[10**400, 1.0, 2.0, 3.0]]),
]
WRONG = WRONG_SHAPES + WRONG_CELLS


@pytest.mark.filterwarnings("error", "ignore:Creating an ndarray from ragged")
@pytest.mark.parametrize(("name", "make"), WRONG, ids=[row[0] for row in WRONG])
@pytest.mark.parametrize("kind", KINDS)
def test_errors_are_of_the_kind_of_predict(kind: Any, name: str, make: Any) -> None:
    model, X = fitted(kind)
    predict, wrong = model.predictor(), make(X)
    with pytest.raises((ValueError, TypeError)) as raised:
        model.predict(wrong)
    with pytest.raises(raised.type, match=r"\w"):
        predict(wrong)
    if name in dict(WRONG_CELLS):
        with pytest.raises(raised.type, match=r"\w"):
            predict(wrong[0])


def test_errors_say_what_is_wrong() -> None:
    model, X = fitted(MixBoostRegressor)
    predict = model.predictor()
    for wrong, sentence in (
        (X[0, :3], r"^x: the shape is \(3,\), the model has 4 features$"),
        (X[:, :3].tolist(), r"^x: the shape is \(200, 3\), the model has 4 features$"),
        (X[:0], "^x: there are 0 rows, a minimum of 1 is required$"),
        ([1.0, "2", 3.0, 4.0], "^x: there is text where a feature of the model holds numbers$"),
    ):
        with pytest.raises(ValueError, match=sentence):
            predict(wrong)
    with pytest.raises(TypeError, match="of a frame it could not compare the names"):
        predict(pd.DataFrame(X))


# ---- Texts ----


def words(seed: int, n: int = 60) -> list[str | None]:
    return np.random.default_rng(seed).choice(np.array(["fig", "plum", "Äpfel", "", None]), n).tolist()


def test_rows_with_text() -> None:
    numbers = np.random.default_rng(0).normal(size=60).tolist()
    plain = {"word": words(0), "x": numbers, "other": words(1)}
    dataset = plain_dataset(plain)
    predict = Predictor(train(dataset))
    expected = predict._model.predict(dataset, _native.VALUE, 1)
    rows = list(zip(*plain.values(), strict=True))
    assert predict.feature_names == ["word", "x", "other"]
    for form in (tuple, list, lambda row: np.array(row, dtype=object), lambda row: pd.Series(row, dtype=object)):
        assert [predict(form(row)) for row in rows] == expected.tolist()
    for n in (1, 2, 60):
        for several in (rows[:n], list(map(list, rows[:n])), np.array(rows[:n], object), np.asfortranarray(rows[:n])):
            assert predict(several).tobytes() == expected[:n].tobytes()
    array = np.array(rows, object)
    before = array.copy()
    predict(array)
    assert (array == before).all()  # texts do not become numbers in the caller's array


def test_rows_whose_texts_are_missing_unknown_or_wrong() -> None:
    plain = {"word": words(0), "x": np.random.default_rng(0).normal(size=60).tolist(), "other": words(1)}
    predict = Predictor(train(plain_dataset(plain)))
    missing = predict([None, 1.0, None])
    assert predict([np.nan, 1.0, "never seen"]) == predict([pd.NA, 1.0, pd.NA]) == missing
    masked = np.ma.array(np.array(["fig", 1.0, "fig"], object), mask=[True, False, True])
    assert predict(masked) == missing
    assert predict([[None, 1.0, None]] * 2).tolist() == [missing] * 2
    for number in (0, 1.0, True):  # not the number that the model has for a text
        with pytest.raises(ValueError, match=f"feature 3 is {number}, that of the model holds text"):
            predict(["fig", 1.0, number])
        with pytest.raises(ValueError, match=f"feature 3 is {number}, that of the model holds text"):
            predict([["fig", 1.0, "plum"], ["fig", 1.0, number]])
    with pytest.raises(ValueError, match="feature 1 is 0.0"):
        predict(np.zeros(3))
    names = dict.fromkeys(["fig", 1.0, "plum"])  # whose iterator gives the keys
    for wrong in (["fig", 1.0], names, "fig", None, [], [[]], np.empty((0, 3))):
        with pytest.raises(ValueError, match=r"the model has 3 features|0 rows"):
            predict(wrong)
    with pytest.raises(ValueError, match="there is text"):
        predict(["fig", "fig", "fig"])
    with pytest.raises(TypeError, match="frame"):
        predict(pd.DataFrame({name: ["fig"] for name in names}))


# ---- Files, copies, lifetimes ----


@pytest.mark.parametrize("kind", KINDS)
def test_a_predictor_is_loaded_from_the_file_of_an_estimator(kind: Any, tmp_path: Path) -> None:
    model, X = fitted(kind)
    expected = predictions(model, X).tolist()
    for path in (tmp_path / "model.mxb", str(tmp_path / "model.mxb")):
        model.save(path)
        for predict in (Predictor.load(path), model.predictor()):
            assert predict(X).tolist() == expected
            assert (predict.n_features, predict.feature_names) == (4, None)
            assert predict.classes == ([0, 1] if kind is MixBoostClassifier else None)
    frame = pd.DataFrame(X, columns=["a", "b", "ü", "d e"])
    assert kind(num_round=2).fit(frame, data_for(kind)[1]).predictor().feature_names == ["a", "b", "ü", "d e"]


@pytest.mark.parametrize("labels", [["no", "yes"], [-1, 1], ["Österreich", "é"]])
def test_classes_are_those_of_the_file(labels: Any, tmp_path: Path) -> None:
    X, y = classification_data()
    model = MixBoostClassifier(num_round=5).fit(X, np.array(labels)[y])
    model.save(tmp_path / "model.mxb")
    classes = Predictor.load(tmp_path / "model.mxb").classes
    assert classes == labels == MixBoostClassifier.load(tmp_path / "model.mxb").classes_.tolist()
    assert classes is not None and type(classes[0]) is type(labels[0])


def test_what_cannot_be_loaded(tmp_path: Path) -> None:
    with pytest.raises(OSError, match=r"missing\.mxb.*No such file"):
        Predictor.load(tmp_path / "missing.mxb")
    (tmp_path / "file").write_bytes(b"x,y\n1,2\n")
    with pytest.raises(ValueError, match="file"):
        Predictor.load(tmp_path / "file")
    X, y = regression_data()
    HeterogeneousBoostingRegressor(num_round=2).fit(X, y)._model.save(tmp_path / "own.mxb")
    with pytest.raises(ValueError, match="learner"):
        Predictor.load(tmp_path / "own.mxb")


def test_predictors_are_pickled_and_copied() -> None:
    model, X = fitted(MixBoostClassifier)
    predict = model.predictor()
    for other in (pickle.loads(pickle.dumps(predict)), copy.copy(predict), copy.deepcopy(predict)):
        assert other(X).tobytes() == predict(X).tobytes()
        assert other.classes == predict.classes


def test_a_predictor_outlives_its_estimator() -> None:
    X, y = regression_data()
    model = MixBoostRegressor(num_round=30).fit(X, y)
    predict = model.predictor()
    before = [predict(row) for row in X]
    model.fit(X, -y)
    assert [predict(row) for row in X] == before
    del model
    gc.collect()
    others = [MixBoostRegressor(num_round=30).fit(X, y + i) for i in range(5)]  # would take the memory that is free
    assert predict(X).tolist() == before
    assert len(others) == 5


def test_many_features_and_many_rows() -> None:
    """More than the library predicts without the heap."""
    X = np.random.default_rng(0).normal(size=(3000, 700))
    model = MixBoostRegressor(num_round=5, tree_probability=0.5, subsample=1.0).fit(X[:300], X[:300, 0])
    expected = model._model.predict(dataset_of(X), _native.VALUE, 1)
    predict = model.predictor()
    assert predict(X).tobytes() == expected.tobytes()
    assert model.predict(X[:3]).tobytes() == expected[:3].tobytes()
    assert [predict(row) for row in X[:20]] == expected[:20].tolist()


def test_text_in_place_of_a_number_is_refused_wherever_it_is() -> None:
    X, y = regression_data()
    predict = MixBoostRegressor(num_round=3).fit(X, y).predictor()
    others = [0.5] * (X.shape[1] - 2)
    for row in ([None, "5", *others], [1.0, "5", *others], [np.nan, b"5", *others]):
        with pytest.raises(ValueError, match="text"):
            predict(row)
        with pytest.raises(ValueError, match="text"):
            predict([row, row])


def test_a_large_batch_is_not_copied_as_a_whole() -> None:
    X, y = regression_data()
    predict = MixBoostRegressor(num_round=3).fit(X, y).predictor()
    many = np.tile(X.astype(np.float32), (40_000 // len(X) + 1, 1))
    expected = np.tile(predict(X.astype(np.float32)), 40_000 // len(X) + 1)
    tracemalloc.start()
    found = predict(many)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert np.array_equal(found, expected)
    assert peak < found.nbytes + many.nbytes


def test_a_file_without_options_is_predicted() -> None:
    golden = Path(__file__).parents[2] / "tests" / "golden"
    predict = Predictor.load(golden / "example.mxb")
    assert predict.classes is None
    assert isinstance(predict([1.0] * predict.n_features), float)
