"""Saved, pickled, copied: the same bytes everywhere, shared with the program, and damage is always noticed."""

from __future__ import annotations

import copy
import os
import pickle
import subprocess
import warnings
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd
import pytest
from estimator_cases import ESTIMATORS, classification_data, data_for, model_bytes, regression_data, scores
from mixboost import MixBoostClassifier, MixBoostRegressor
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

KINDS = [MixBoostRegressor, MixBoostClassifier]
METRICS = {MixBoostRegressor: "rmse", MixBoostClassifier: "logloss"}


def through_joblib(model: Any, folder: Path) -> Any:
    joblib.dump(model, folder / "model.joblib")
    return joblib.load(folder / "model.joblib")


COPIES: list[tuple[str, Any]] = [
    *((f"pickle {n}", lambda model, _, n=n: pickle.loads(pickle.dumps(model, n))) for n in range(6)),
    ("joblib", through_joblib),
    ("copy", lambda model, _: copy.copy(model)),
    ("deepcopy", lambda model, _: copy.deepcopy(model)),
]


@pytest.mark.parametrize("make_copy", [row[1] for row in COPIES], ids=[row[0] for row in COPIES])
@pytest.mark.parametrize("kind", ESTIMATORS)
def test_a_copy_has_the_same_bytes_and_attributes(kind: Any, make_copy: Any, tmp_path: Path) -> None:
    X, y = data_for(kind)
    model = kind(num_round=10, validation_fraction=0.2).fit(pd.DataFrame(X, columns=list("abcd")), y)
    twin = make_copy(model, tmp_path)
    assert type(twin) is kind
    assert model_bytes(twin) == model_bytes(model)
    frame = pd.DataFrame(X, columns=list("abcd"))
    assert scores(twin, frame).tobytes() == scores(model, frame).tobytes()
    assert twin.get_params() == model.get_params()
    assert twin.evals_result_ == model.evals_result_
    assert twin.best_iteration_ == model.best_iteration_
    assert twin.feature_names_in_.tolist() == ["a", "b", "c", "d"]
    assert vars(twin).keys() == vars(model).keys()


@pytest.mark.parametrize("kind", KINDS)
def test_saved_loaded_and_pickled_again_and_again(kind: Any, tmp_path: Path) -> None:
    """Of a training that stopped early, so that rounds and curve differ in length."""
    X, y = data_for(kind)
    model = kind(num_round=200, learning_rate=0.3, early_stopping_rounds=5)
    model.fit(X[:100], y[:100], eval_set=(X[100:], y[100:]))
    assert 0 < model.best_iteration_ < len(model.evals_result_["validation"][METRICS[kind]]) < 200
    path = tmp_path / "model.mxb"
    model.save(path)
    first = path.read_bytes()
    twin = kind.load(path)
    for _ in range(2):
        twin = pickle.loads(pickle.dumps(copy.deepcopy(pickle.loads(pickle.dumps(twin)))))
        twin.save(path)
        assert path.read_bytes() == first
        twin = kind.load(path)
    assert twin.best_iteration_ == model.best_iteration_
    assert twin.evals_result_ == model.evals_result_
    assert scores(twin, X).tobytes() == scores(model, X).tobytes()
    assert model_bytes(clone(twin).set_params(num_round=3).fit(X, y)) == model_bytes(
        clone(model).set_params(num_round=3).fit(X, y)
    )


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_an_estimator_that_is_not_fitted_can_be_pickled_too(kind: Any) -> None:
    twin = pickle.loads(pickle.dumps(kind(num_round=7)))
    assert twin.get_params() == kind(num_round=7).get_params()
    with pytest.raises(NotFittedError):
        check_is_fitted(twin)


def test_a_copy_goes_its_own_way() -> None:
    X, y = regression_data()
    model = MixBoostRegressor(num_round=5).fit(X, y)
    before = model_bytes(model)
    copy.copy(model).fit(X, -y)
    clone(model).fit(X, -y)
    assert model_bytes(model) == before


@pytest.mark.parametrize("kind", KINDS)
def test_damaged_bytes_in_a_pickle_are_noticed(kind: Any) -> None:
    X, y = data_for(kind)
    pickled = pickle.dumps(kind(num_round=5, tree_probability=0.5, n_components=10).fit(X, y))
    data = model_bytes(pickle.loads(pickled))
    start = pickled.index(data)
    random = np.random.default_rng(0)
    places = {*range(40), *range(len(data) - 40, len(data)), *random.integers(0, len(data), 300).tolist()}
    for place in places:
        damaged = bytearray(pickled)
        damaged[start + place] ^= 1 << int(random.integers(8))
        with pytest.raises(ValueError, match=r"model|byte|checksum|version"):
            pickle.loads(damaged)


# ---- save and load ----


@pytest.mark.parametrize("has_names", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_load_gives_back_what_was_saved(kind: Any, has_names: bool, tmp_path: Path) -> None:
    X, y = data_for(kind)
    rows: Any = pd.DataFrame(X, columns=["a", "b", "ü", "d e"]) if has_names else X
    options = {"num_round": 30, "learning_rate": 0.3, "use_histograms": False, "max_max_depth": 3, "random_state": 5}
    options |= {
        "tree_probability": 0.8,
        "alpha": 0.01,
        "min_max_depth": 2,
        "symmetric_depth": 3,
        "fourier_linear": False,
    }
    model = kind(**options, depth_probabilities=[0.25, 0.75], base_score=0.125, validation_fraction=0.3).fit(rows, y)
    for path in (tmp_path / "model.mxb", str(tmp_path / "other.mxb")):
        model.save(path)
        loaded = kind.load(path)
        assert Path(path).read_bytes() == model_bytes(model) == model_bytes(loaded)
        assert scores(loaded, rows).tobytes() == scores(model, rows).tobytes()
        assert loaded.evals_result_ == model.evals_result_
        assert loaded.best_iteration_ == model.best_iteration_
        assert loaded.n_features_in_ == 4
        assert hasattr(loaded, "feature_names_in_") == has_names
        assert loaded.get_params() == {**model.get_params(), "validation_fraction": None}
        assert model_bytes(loaded.set_params(validation_fraction=0.3).fit(rows, y)) == model_bytes(model)
    if has_names:
        assert loaded.feature_names_in_.tolist() == ["a", "b", "ü", "d e"]


@pytest.mark.parametrize("kind", KINDS)
def test_what_was_auto_comes_back_as_the_number_it_stood_for(kind: Any, tmp_path: Path) -> None:
    X, y = data_for(kind)
    model = kind().fit(X, y)
    model.save(tmp_path / "model.mxb")
    loaded = kind.load(tmp_path / "model.mxb")
    assert loaded.num_round == model.best_iteration_
    changed = {name: value for name, value in loaded.get_params().items() if value != model.get_params()[name]}
    assert {model.get_params()[name] for name in changed} == {"auto"}
    assert scores(loaded.fit(X, y), X).tobytes() == scores(model, X).tobytes()


@pytest.mark.parametrize(
    ("labels", "loaded_labels"),
    [
        (["no", "yes"], ["no", "yes"]),
        (["Ångström", "Österreich"], ["Ångström", "Österreich"]),
        ([-1, 1], [-1, 1]),
        ([False, True], [0, 1]),
        ([2**53, 2**53 + 1], [0, 1]),
        ([-7.0, 2.0**62], [-7, 2**62]),
    ],
)
def test_labels_that_a_file_can_keep_come_back(labels: Any, loaded_labels: Any, tmp_path: Path) -> None:
    X, y = classification_data()
    model = MixBoostClassifier(num_round=5).fit(X, np.array(labels)[y])
    model.save(tmp_path / "model.mxb")
    loaded = MixBoostClassifier.load(tmp_path / "model.mxb")
    assert loaded.classes_.tolist() == loaded_labels
    assert loaded.predict_proba(X).tolist() == model.predict_proba(X).tolist()
    assert loaded.predict(X).tolist() == np.array(loaded_labels)[(model.decision_function(X) > 0).astype(int)].tolist()


@pytest.mark.parametrize("label", [0.5, 1e300])
def test_labels_of_the_program_may_be_any_numbers(label: float, program: Path, tmp_path: Path) -> None:
    X, y = classification_data()
    write_csv(tmp_path / "data.csv", X, np.where(y == 1, label, -1e300))
    train(program, tmp_path, "--objective", "logloss")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert MixBoostClassifier.load(tmp_path / "m.mxb").classes_.tolist() == [-1e300, label]


def test_a_subclass_loads_as_itself(tmp_path: Path) -> None:
    class Derived(MixBoostRegressor):
        pass

    X, y = regression_data()
    MixBoostRegressor(num_round=2).fit(X, y).save(tmp_path / "m.mxb")
    assert type(Derived.load(tmp_path / "m.mxb")) is Derived


# ---- Shared with the program ----


def named(X: Any) -> pd.DataFrame:
    return pd.DataFrame(X, columns=[f"x{i}" for i in range(X.shape[1])])


def write_csv(path: Path, X: Any, y: Any) -> None:
    named(X).assign(label=y).to_csv(path, index=False, float_format="%.17g")


def train(program: Path, folder: Path, *options: str) -> None:
    command = [program, "train", "data.csv", "--label", "label", "--model", "m.mxb", "--quiet", *options]
    subprocess.run(command, check=True, cwd=folder)


def predictions(program: Path, folder: Path, *options: str) -> list[str]:
    command = [program, "predict", "m.mxb", "data.csv", *options]
    printed = subprocess.run(command, check=True, cwd=folder, stdout=subprocess.PIPE, text=True).stdout
    return printed.splitlines()[1:]


def numbers(texts: list[str]) -> list[float]:
    return [float(text) for text in texts]


@pytest.mark.parametrize("kind", KINDS)
def test_program_and_package_train_the_same_bytes(kind: Any, program: Path, tmp_path: Path) -> None:
    X, y = data_for(kind)
    X[::7, 2] = np.nan
    write_csv(tmp_path / "data.csv", X, y)
    train(program, tmp_path, "--objective", kind().objective, "--num_round", "40", "--random_state", "11")
    model = kind(num_round=40, random_state=11).fit(named(X), y)
    assert model_bytes(model) == (tmp_path / "m.mxb").read_bytes()


@pytest.mark.parametrize("kind", KINDS)
def test_a_model_of_the_program_predicts_the_same_bits_in_python(kind: Any, program: Path, tmp_path: Path) -> None:
    X, y = data_for(kind)
    write_csv(tmp_path / "data.csv", X, y)
    train(program, tmp_path, "--objective", kind().objective, "--tree_probability", "0.5")
    model = kind.load(tmp_path / "m.mxb")
    frame = named(X)
    assert model.get_params()["tree_probability"] == 0.5
    assert numbers(predictions(program, tmp_path, "--raw")) == scores(model, frame).tolist()
    assert numbers(predictions(program, tmp_path)) == model.predict(frame).tolist()


@pytest.mark.parametrize("kind", KINDS)
def test_a_model_of_python_predicts_the_same_bits_in_the_program(kind: Any, program: Path, tmp_path: Path) -> None:
    X, y = data_for(kind)
    write_csv(tmp_path / "data.csv", X, y)
    frame = named(X)
    model = kind(num_round=40, tree_probability=0.5).fit(frame, y)
    model.save(tmp_path / "m.mxb")
    assert numbers(predictions(program, tmp_path, "--raw")) == scores(model, frame).tolist()


def test_the_program_answers_with_the_texts_of_a_model_of_python(program: Path, tmp_path: Path) -> None:
    X, y = classification_data()
    write_csv(tmp_path / "data.csv", X, y)
    model = MixBoostClassifier(num_round=10).fit(named(X), np.array(["no", "yes"])[y])
    model.save(tmp_path / "m.mxb")
    assert predictions(program, tmp_path) == model.predict(named(X)).tolist()


# ---- What cannot be loaded or saved ----


def test_a_model_for_the_other_estimator_is_refused(tmp_path: Path) -> None:
    for kind, other in zip(KINDS, KINDS[::-1], strict=True):
        X, y = data_for(kind)
        path = tmp_path / "model.mxb"
        kind(num_round=2).fit(X, y).save(path)
        with pytest.raises(ValueError, match=f"objective {kind().objective}; load it with {kind.__name__}$"):
            other.load(path)


@pytest.mark.parametrize("kind", KINDS)
def test_what_cannot_be_read_is_an_os_error(kind: Any, tmp_path: Path) -> None:
    with pytest.raises(OSError, match=r"missing\.mxb.*No such file"):
        kind.load(tmp_path / "missing.mxb")
    with pytest.raises(OSError, match=r"[Dd]irectory"):
        kind.load(tmp_path)


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_no_model_is_a_value_error(kind: Any, tmp_path: Path) -> None:
    for content in (b"", b"x,y\n1,2\n", os.urandom(1000)):
        (tmp_path / "file").write_bytes(content)
        with pytest.raises(ValueError, match="file"):
            kind.load(tmp_path / "file")


@pytest.mark.parametrize("kind", KINDS)
def test_what_cannot_be_written_is_an_os_error(kind: Any, tmp_path: Path) -> None:
    X, y = data_for(kind)
    model = kind(num_round=2).fit(X, y)
    with pytest.raises(OSError, match="No such file"):
        model.save(tmp_path / "no" / "folder.mxb")
    with pytest.raises(ValueError, match="NUL"):
        model.save(f"{tmp_path}/cut\0short.mxb")
    with pytest.raises(ValueError, match="NUL"):
        kind.load(f"{tmp_path}/cut\0short.mxb")
    assert list(tmp_path.iterdir()) == []
