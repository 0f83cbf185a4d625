"""What a training does and leaves behind: validation rows, curves, stages, importances."""

from __future__ import annotations

import gc
import subprocess
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from estimator_cases import classification_data, data_for, model_bytes, regression_data, scores
from mixboost import MixBoostClassifier, MixBoostRegressor, _native
from sklearn.exceptions import NotFittedError

KINDS = [MixBoostRegressor, MixBoostClassifier]
METRICS = {MixBoostRegressor: "rmse", MixBoostClassifier: "logloss"}


def halves(kind: Any) -> tuple[Any, Any, Any, Any]:
    """Training and validation rows; labels with noise, so that too many rounds do harm."""
    X, y = data_for(kind)
    flipped = np.random.default_rng(1).random(len(y)) < 0.2
    y = np.where(flipped, y[::-1], y)
    return X[:100], y[:100], X[100:], y[100:]


def test_nothing_is_printed_and_nobody_is_warned(capfd: pytest.CaptureFixture[str]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for kind in KINDS:
            X, y = data_for(kind)
            model = kind(num_round=5, validation_fraction=0.2).fit(X, y)
            model.predict(X)
            list(model.staged_predict(X))
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("kind", KINDS)
def test_equations_that_needed_help_are_a_warning(kind: Any, capfd: pytest.CaptureFixture[str]) -> None:
    X, y = data_for(kind)
    model = kind(num_round=20, tree_probability=0.0, alpha=0.0)  # 20 rows cannot settle 100 weights
    with pytest.warns(RuntimeWarning, match=r"^20 of 20 rounds were repaired: .* a larger alpha") as caught:
        model.fit(X[:20], y[:20])
    assert [Path(one.filename).name for one in caught] == [Path(__file__).name]
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("kind", KINDS)
def test_fit_changes_neither_its_data_nor_its_parameters(kind: Any) -> None:
    X, y = data_for(kind)
    weight = np.ones(len(y))
    for array in (X, y, weight):
        array.flags.writeable = False
    model = kind(num_round=5, class_weight={1: 2.0}) if kind is MixBoostClassifier else kind(num_round=5)
    before = model.get_params()
    model.fit(X, y, sample_weight=weight, eval_set=(X, y), eval_sample_weight=weight)
    assert model.get_params() == before


# ---- Validation rows ----


@pytest.mark.parametrize("kind", KINDS)
def test_the_best_round_on_the_validation_rows_is_kept(kind: Any) -> None:
    X, y, X_valid, y_valid = halves(kind)
    model = kind(num_round=200, learning_rate=0.3, early_stopping_rounds=10)
    model.fit(X, y, eval_set=(X_valid, y_valid))
    losses = model.evals_result_["validation"][METRICS[kind]]
    assert model.best_iteration_ == np.argmin(losses) + 1
    assert len(losses) == model.best_iteration_ + 10 < 200
    assert len(model.evals_result_["training"][METRICS[kind]]) == len(losses)
    shorter = kind(num_round=model.best_iteration_, learning_rate=0.3).fit(X, y)
    assert scores(model, X).tolist() == scores(shorter, X).tolist()


@pytest.mark.parametrize("kind", KINDS)
def test_eval_set_may_be_a_pair_or_a_list_of_one(kind: Any) -> None:
    X, y, X_valid, y_valid = halves(kind)
    weight = np.linspace(0, 1, len(y_valid))
    model = kind(num_round=20).fit(X, y, eval_set=(X_valid, y_valid), eval_sample_weight=weight)
    listed = kind(num_round=20).fit(X, y, eval_set=[(X_valid, y_valid)], eval_sample_weight=[weight])
    also = kind(num_round=20).fit(X, y, eval_set=[(X_valid, y_valid)], eval_sample_weight=weight)
    assert model_bytes(model) == model_bytes(listed) == model_bytes(also)
    assert model.evals_result_ == listed.evals_result_


@pytest.mark.parametrize("kind", KINDS)
def test_weights_of_validation_rows_count(kind: Any) -> None:
    X, y, X_valid, y_valid = halves(kind)
    weight = (np.arange(len(y_valid)) % 3).astype(float)
    weighted = kind(num_round=20).fit(X, y, eval_set=(X_valid, y_valid), eval_sample_weight=weight)
    repeat = weight.astype(int)
    copied = kind(num_round=20).fit(X, y, eval_set=(X_valid.repeat(repeat, axis=0), y_valid.repeat(repeat)))
    plain = kind(num_round=20).fit(X, y, eval_set=(X_valid, y_valid))
    losses = [model.evals_result_["validation"][METRICS[kind]] for model in (weighted, copied, plain)]
    np.testing.assert_allclose(losses[0], losses[1], rtol=1e-12)
    assert losses[0] != losses[2]


def test_validation_rows_may_lack_a_class_but_not_have_another() -> None:
    X, y = classification_data()
    only = y == 1
    model = MixBoostClassifier(num_round=5).fit(X, y, eval_set=(X[only], y[only]))
    assert len(model.evals_result_["validation"]["logloss"]) == 5
    for wrong in (np.where(y == 0, 2, y), np.array(["a", "b"])[y]):
        with pytest.raises(ValueError, match=r"^y has the label (2|'a'|'b'), which the training rows do not have\.$"):
            model.fit(X, y, eval_set=(X, wrong))
    weight = np.where(y == 0, 0.0, 1.0)
    model.fit(X, y, eval_set=(X, np.where(y == 0, 2, y)), eval_sample_weight=weight)


@pytest.mark.parametrize("kind", KINDS)
def test_a_fraction_of_the_rows_is_kept_aside_as_the_program_does(kind: Any, program: Path, tmp_path: Path) -> None:
    X, y = data_for(kind)
    np.savetxt(tmp_path / "data.csv", np.column_stack([X, y]), delimiter=",", fmt="%.17g")
    options = ["--objective", kind().objective, "--random_state", "3", "--num_round", "30"]
    command = [program, "train", "data.csv", "--label", "5", "--model", "m.mxb", "--valid-fraction", "0.3", "--quiet"]
    subprocess.run([*command, *options], check=True, cwd=tmp_path)
    model = kind(num_round=30, random_state=3, validation_fraction=0.3).fit(X, y)
    assert model_bytes(model) == (tmp_path / "m.mxb").read_bytes()
    assert model_bytes(model) != model_bytes(kind(num_round=30, random_state=3).fit(X, y))


def test_rows_kept_aside_have_both_classes_in_proportion() -> None:
    X, _ = classification_data()
    y = np.zeros(len(X), dtype=int)
    y[:10] = 1  # 5 % of the rows
    model = MixBoostClassifier(num_round=1, base_score=0.0, learning_rate=1e-300, validation_fraction=0.2)
    seen = []
    for seed in range(20):
        model.set_params(random_state=seed).fit(X, y, sample_weight=np.where(y == 1, 1e9, 1.0))
        seen.append(model.evals_result_["validation"]["logloss"][0])
    assert np.allclose(seen, np.log(2))  # finite: some row of the rare class is always there
    train, valid = split_labels(y, 0.2)
    assert (train.count(1), valid.count(1)) == (8, 2)


def split_labels(y: Any, fraction: float) -> tuple[list[int], list[int]]:
    dataset = _native.Dataset(len(y))
    dataset.add_matrix(y.astype(float).reshape(-1, 1))
    dataset.set_label(y)
    parts = dataset.split(fraction, stratify=True, seed=0)
    train, valid = (_native.Rows(part._handle).read(0).astype(int).tolist() for part in parts)
    return train, valid


# ---- Curves and stages ----


@pytest.mark.parametrize("kind", KINDS)
def test_the_curve_is_that_of_the_predictions(kind: Any) -> None:
    X, y, X_valid, y_valid = halves(kind)
    model = kind(num_round=10, early_stopping_rounds=0).fit(X, y, eval_set=(X_valid, y_valid))
    for name, (rows, labels) in {"training": (X, y), "validation": (X_valid, y_valid)}.items():
        if kind is MixBoostRegressor:
            expected = [np.sqrt(np.mean((stage - labels) ** 2)) for stage in model.staged_predict(rows)]
        else:
            stages = model.staged_predict_proba(rows)
            expected = [-np.mean(np.log(stage[np.arange(len(labels)), labels])) for stage in stages]
        np.testing.assert_allclose(model.evals_result_[name][METRICS[kind]], expected, rtol=1e-9)
    assert list(model.evals_result_) == ["training", "validation"]
    assert list(kind(num_round=2).fit(X, y).evals_result_) == ["training"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_stage_is_a_model_of_so_many_rounds(kind: Any) -> None:
    X, y = data_for(kind)
    model = kind(num_round=6, tree_probability=0.5).fit(X, y)
    stages = list(model.staged_predict(X))
    assert len(stages) == 6
    assert stages[-1].tolist() == model.predict(X).tolist()
    for k, stage in enumerate(stages, start=1):
        shorter = kind(num_round=k, tree_probability=0.5).fit(X, y)
        assert stage.tolist() == shorter.predict(X).tolist()
        if kind is MixBoostClassifier:
            probabilities = list(model.staged_predict_proba(X))[k - 1]
            assert probabilities.tolist() == shorter.predict_proba(X).tolist()


def test_predictions_of_a_classifier_agree_with_each_other() -> None:
    X, y = classification_data()
    model = MixBoostClassifier(num_round=20).fit(X, y)
    proba, decision = model.predict_proba(X), model.decision_function(X)
    np.testing.assert_allclose(proba[:, 1], 1 / (1 + np.exp(-decision)), rtol=1e-12)
    np.testing.assert_allclose(proba.sum(axis=1), 1)
    assert model.predict(X).tolist() == proba.argmax(axis=1).tolist() == (decision > 0).astype(int).tolist()
    assert model.score(X, y) > 0.9


# ---- Stages ----


def test_stages_outlive_their_estimator() -> None:
    X, y = regression_data()
    expected = [stage.tolist() for stage in MixBoostRegressor(num_round=5).fit(X, y).staged_predict(X)]
    stages = MixBoostRegressor(num_round=5).fit(X, y).staged_predict(X.copy())
    gc.collect()
    assert [stage.tolist() for stage in stages] == expected


def test_stages_keep_their_classes_when_the_estimator_is_fitted_again() -> None:
    X, y = classification_data()
    model = MixBoostClassifier(num_round=5).fit(X, y)
    expected = [stage.tolist() for stage in model.staged_predict(X)]
    stages, others = model.staged_predict(X), model.staged_predict(X)
    model.fit(X, np.where(y > 0, "yes", "no"))
    assert [stage.tolist() for stage in stages] == expected
    with pytest.raises(ValueError, match="two classes"):
        model.fit(X, np.zeros(len(y)))
    assert [stage.tolist() for stage in others] == expected


# ---- Names ----


@pytest.mark.parametrize("kind", KINDS)
def test_names_of_features_are_kept(kind: Any) -> None:
    X, y = data_for(kind)
    frame = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    model = kind(num_round=5).fit(frame, y, eval_set=(frame, y))
    assert model.feature_names_in_.tolist() == ["a", "b", "c", "d"]
    assert scores(model, frame).tolist() == scores(kind(num_round=5).fit(X, y), X).tolist()
    with pytest.warns(UserWarning, match="X does not have valid feature names"):
        assert scores(model, X[:1]).tolist() == scores(model, frame[:1]).tolist()
    assert not hasattr(model.fit(X, y), "feature_names_in_")


# ---- Importances ----


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("tree_probability", [0.0, 0.5, 1.0])
def test_importances_sum_to_one_and_show_what_matters(kind: Any, tree_probability: float) -> None:
    X, y = classification_data(1000) if kind is MixBoostClassifier else regression_data(1000)
    model = kind(num_round=50, tree_probability=tree_probability, symmetric_probability=0.4).fit(X, y)
    importances = model.feature_importances_
    assert importances.sum() == pytest.approx(1)
    trees = model.tree_importances_ + model.symmetric_importances_
    assert importances.tolist() == (trees + model.fourier_importances_).tolist()
    assert (model.tree_importances_.sum() > 0) == (tree_probability > 0)
    assert (model.symmetric_importances_.sum() > 0) == (tree_probability > 0)
    assert (model.fourier_importances_.sum() > 0) == (tree_probability < 1)
    assert importances.min() >= 0
    assert importances[:2].min() > 3 * importances[2:].max()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "name",
    [
        "feature_importances_",
        "tree_importances_",
        "symmetric_importances_",
        "fourier_importances_",
        "learner_shares_",
    ],
)
def test_there_are_no_importances_before_fit(kind: Any, name: str) -> None:
    with pytest.raises(NotFittedError):
        getattr(kind(), name)
    assert not hasattr(kind(), name)


def test_a_model_that_learned_nothing_finds_nothing_important() -> None:
    X, _ = regression_data()
    model = MixBoostRegressor(num_round=5).fit(X, np.ones(len(X)))
    assert model.feature_importances_.tolist() == [0, 0, 0, 0]


# ---- Shares of the learner classes ----


@pytest.mark.parametrize("kind", KINDS)
def test_shares_are_what_the_training_loss_fell_in_the_rounds_of_each_class(kind: Any) -> None:
    """Also where it rose in some: a few rows in each round, and long steps."""
    X, y = data_for(kind)
    options = {"tree_probability": 0.6, "symmetric_probability": 0.5, "subsample": 0.3, "learning_rate": 0.8}
    model = kind(num_round=60, leaf_rows="sample", **options).fit(X, y)
    curve = model._model.curve(valid=False)
    falls, names = -np.diff(curve), np.array([name for name, _ in model._model.rounds()])
    assert falls.min() < 0
    shares = model.learner_shares_
    assert set(shares) == {"tree", "symmetric", "fourier"}
    for name, share in shares.items():
        assert share == pytest.approx(falls[names == name].sum() / (curve[0] - curve[-1]))
    assert sum(shares.values()) == pytest.approx(1)


def test_rounds_that_early_stopping_left_out_have_no_share() -> None:
    X, y = regression_data()
    model = MixBoostRegressor(num_round=300, learning_rate=0.9, early_stopping_rounds=5, validation_fraction=0.3)
    model.fit(X, y)
    assert 0 < model.best_iteration_ < len(model.evals_result_["training"]["rmse"])
    assert sum(model.learner_shares_.values()) == pytest.approx(1)


def test_a_loss_that_did_not_fall_has_no_shares() -> None:
    X, _ = regression_data()
    model = MixBoostRegressor(num_round=5, tree_probability=1.0, symmetric_probability=0.0).fit(X, np.zeros(len(X)))
    assert list(model.learner_shares_) == ["tree"]
    assert np.isnan(model.learner_shares_["tree"])
