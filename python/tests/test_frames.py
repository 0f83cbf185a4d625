"""The estimators on frames: names learned and compared, text, and tables that scikit-learn does not know."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from estimator_cases import classification_data, data_for, model_bytes, scores
from mixboost import HeterogeneousBoostingRegressor, MixBoostClassifier, MixBoostRegressor

KINDS = [MixBoostRegressor, MixBoostClassifier]


class Stream:
    """Nothing but an Arrow stream."""

    def __init__(self, table: pa.Table) -> None:
        self._table = table

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._table.__arrow_c_stream__(requested_schema)


class Array:
    """Nothing but an array."""

    def __init__(self, values: Any) -> None:
        self._values = values

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.asarray(self._values, dtype=dtype)


FRAMES: list[tuple[str, Any]] = [
    ("pandas", lambda frame: frame),
    ("polars", lambda frame: pl.from_pandas(frame)),
    ("pyarrow", lambda frame: pa.Table.from_pandas(frame)),
    ("stream", lambda frame: Stream(pa.Table.from_pandas(frame))),
    ("reader", lambda frame: pa.Table.from_pandas(frame).to_reader()),
]
IDS = [name for name, _ in FRAMES]


def mixed_frame(kind: Any) -> tuple[pd.DataFrame, Any]:
    """Numbers, truth values and text, some of them missing."""
    X, y = data_for(kind)
    frame = pd.DataFrame(
        {
            "side": pd.Series(np.where(X[:, 0] > 0, "left", "right"), dtype=object).where(X[:, 3] < 2.5, None),
            "wave": pd.Series(X[:, 1]).where(X[:, 3] > -2.5),
            "large": X[:, 2] > 1,
            "count": (X[:, 3] * 10).astype(np.int32),
        }
    )
    return frame, y


@pytest.mark.parametrize("convert", [row[1] for row in FRAMES], ids=IDS)
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_frame_gives_the_same_model(kind: Any, convert: Any) -> None:
    frame, y = mixed_frame(kind)
    expected = kind(num_round=20).fit(frame, y, eval_set=(frame, y))
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        model = kind(num_round=20).fit(convert(frame), y, eval_set=(convert(frame), y))
        assert scores(model, convert(frame)).tolist() == scores(expected, frame).tolist()
        assert [stage.tolist() for stage in model.staged_predict(convert(frame))][-1] == model.predict(frame).tolist()
    assert model_bytes(model) == model_bytes(expected)
    assert model.feature_names_in_.tolist() == ["side", "wave", "large", "count"]
    assert model.n_features_in_ == 4
    assert model.score(frame, y) > 0.7


@pytest.mark.parametrize("convert", [row[1] for row in FRAMES], ids=IDS)
@pytest.mark.parametrize("kind", KINDS)
def test_other_names_or_another_order_are_refused(kind: Any, convert: Any) -> None:
    frame, y = mixed_frame(kind)
    model = kind(num_round=2).fit(convert(frame), y)
    for wrong in (frame[["wave", "side", "large", "count"]], frame.rename(columns={"large": "small"}), frame[["side"]]):
        with pytest.raises(ValueError, match="feature"):
            model.predict(convert(wrong))
        with pytest.raises(ValueError, match="feature"):
            kind().fit(convert(frame), y, eval_set=(convert(wrong), y))


@pytest.mark.parametrize("kind", KINDS)
def test_a_column_without_any_value_is_what_the_model_has(kind: Any) -> None:
    frame, y = mixed_frame(kind)
    empty = frame.assign(side=np.nan)
    model = kind(num_round=5).fit(frame, y, eval_set=(empty, y))
    unknown = frame.assign(side="never seen")
    assert scores(model, empty).tolist() == scores(model, unknown).tolist()
    assert scores(model, empty[:1]).tolist() == scores(model, unknown[:1]).tolist()


@pytest.mark.parametrize("kind", KINDS)
def test_a_row_of_text_is_predicted_as_among_others(kind: Any) -> None:
    frame, y = mixed_frame(kind)
    model = kind(num_round=20).fit(frame, y)
    together = scores(model, frame)
    assert [scores(model, frame[i : i + 1])[0] for i in range(50)] == together[:50].tolist()
    predict = model.predictor()
    expected = model.predict(frame) if kind is MixBoostRegressor else model.predict_proba(frame)[:, 1]
    assert [predict(row) for row in frame.itertuples(index=False)] == expected.tolist()


def test_columns_that_are_numbered_have_no_names() -> None:
    X, y = classification_data()
    model = MixBoostClassifier(num_round=5).fit(pd.DataFrame(X), y)
    assert not hasattr(model, "feature_names_in_")
    assert model.n_features_in_ == 4
    assert model.predict_proba(X).tolist() == MixBoostClassifier(num_round=5).fit(X, y).predict_proba(X).tolist()


def test_a_frame_after_another_brings_its_own_names() -> None:
    frame, y = mixed_frame(MixBoostClassifier)
    model = MixBoostClassifier(num_round=2).fit(Stream(pa.Table.from_pandas(frame)), y)
    renamed = frame.rename(columns={"side": "bank"})
    assert model.fit(Stream(pa.Table.from_pandas(renamed)), y).feature_names_in_.tolist()[0] == "bank"
    assert not hasattr(model.fit(Array(frame[["wave", "count"]]), y), "feature_names_in_")
    assert model.n_features_in_ == 2


@pytest.mark.parametrize("kind", [*KINDS, HeterogeneousBoostingRegressor])
@pytest.mark.parametrize("dtype", ["float64", "float32", "int16", "object"])
def test_what_a_mask_hides_is_missing(kind: Any, dtype: str) -> None:
    X, y = data_for(kind)
    X = (X * 10).round().astype(dtype)
    X[::3, 1] = -9999
    hidden = np.ma.masked_equal(X, -9999)
    missing = np.where(X == -9999, np.nan, X).astype(np.float64)
    model = kind(num_round=10).fit(hidden, y)
    expected = kind(num_round=10).fit(missing, y).predict(missing)
    np.testing.assert_allclose(model.predict(hidden), expected, rtol=1e-4)  # generic learners see 32 bits for int16
    np.testing.assert_allclose(model.predict(hidden[:1]), expected[:1], rtol=1e-4)


def test_anything_that_makes_itself_an_array_is_one() -> None:
    X, y = classification_data()
    model = MixBoostClassifier(num_round=5).fit(Array(X), Array(y), sample_weight=Array(np.ones(len(y))))
    assert model_bytes(model) == model_bytes(MixBoostClassifier(num_round=5).fit(X, y, sample_weight=np.ones(len(y))))
    assert model.predict(Array(X)).tolist() == model.predict(X).tolist()
