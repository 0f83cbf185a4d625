"""The models of tests/golden are loaded, predicted with, saved and pickled: the same bits and bytes for ever."""

from __future__ import annotations

import pickle
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from mixboost import MixBoostClassifier, MixBoostRegressor, Predictor

sys.path.append(str(Path(__file__).resolve().parents[2] / "tests"))

from golden.golden_files import bits, models, path_of, predictions, rows

WITH_OWN_LOSSES = ["own", "own_loss", "own_stranger"]
OURS = [name for name in models() if name not in WITH_OWN_LOSSES]


def load(name: str) -> Any:
    try:
        return MixBoostRegressor.load(path_of(name))
    except ValueError:
        return MixBoostClassifier.load(path_of(name))


def frame(model: Any) -> pd.DataFrame:
    table = pd.DataFrame(rows()).iloc[:, : model.n_features_in_]
    if hasattr(model, "feature_names_in_"):
        table.columns = pd.Index(model.feature_names_in_, dtype=object)  # other types of pandas want UTF-8
    return table


def predicted(model: Any) -> tuple[bytes, bytes]:
    X = frame(model)
    if isinstance(model, MixBoostClassifier):
        return model.decision_function(X).tobytes(), model.predict_proba(X)[:, 1].tobytes()
    return (model.predict(X).tobytes(),) * 2


@pytest.mark.parametrize("name", OURS)
def test_the_predictions_are_what_they_were(name: str) -> None:
    model = load(name)
    assert predicted(model) == predictions(name)
    assert predicted(pickle.loads(pickle.dumps(model))) == predictions(name)


@pytest.mark.parametrize("name", OURS)
def test_a_predictor_predicts_them_too(name: str) -> None:
    predict, wanted = Predictor.load(path_of(name)), predictions(name)
    table = [row[: predict.n_features] for row in rows()]
    assert wanted is not None
    assert predict(table).tobytes() == wanted[1]
    assert bits([predict(row) for row in table]) == wanted[1]


@pytest.mark.parametrize("name", OURS)
def test_the_bytes_are_what_they_were(name: str, tmp_path: Path) -> None:
    model = load(name)
    for i, copy in enumerate((model, pickle.loads(pickle.dumps(model)))):
        copy.save(tmp_path / f"{i}.mxb")
        assert (tmp_path / f"{i}.mxb").read_bytes() == path_of(name).read_bytes()


@pytest.mark.parametrize("name", WITH_OWN_LOSSES)
def test_a_loss_of_a_callers_is_for_the_library(name: str) -> None:
    for kind in (MixBoostRegressor, MixBoostClassifier):
        with pytest.raises(ValueError, match="load it with the C library"):
            kind.load(path_of(name))
    with pytest.raises(ValueError, match="which only the C library can predict"):
        Predictor.load(path_of(name))
