"""States that pickles carry: taken where they are whole and fit their model, and else refused with a sentence."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from estimator_cases import CLASSIFIERS, ESTIMATORS, data_for, model_bytes, scores
from mixboost import (
    HeterogeneousBoostingRegressor,
    MixBoostClassifier,
    MixBoostRegressor,
    Predictor,
)
from mixboost._learners import Kind
from sklearn.linear_model import Ridge
from sklearn.tree import DecisionTreeRegressor


def fitted(kind: Any, **options: Any) -> Any:
    X, y = data_for(kind)
    return kind(num_round=4, **options).fit(pd.DataFrame(X, columns=list("abcd")), y)


def set_state(kind: Any, state: Any) -> Any:
    model = kind.__new__(kind)
    model.__setstate__(state)
    return model


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_bytes_that_are_no_model_are_refused(kind: Any) -> None:
    state = fitted(kind).__getstate__()
    for wrong in (b"", b"nonsense", state["_model"][:-1], state["_model"] + b"x", state["_model"][:-1] + b"x"):
        with pytest.raises(ValueError, match=r"model|byte"):
            set_state(kind, {**state, "_model": wrong})


@pytest.mark.parametrize("kind", ESTIMATORS)
@pytest.mark.parametrize("wrong", [None, 5, "a text", bytearray(b"bytes"), [1, 2], np.zeros(3)])
def test_a_model_is_made_of_bytes_alone(kind: Any, wrong: Any) -> None:
    state = fitted(kind).__getstate__()
    with pytest.raises(TypeError, match=f"a model is made of bytes, not of {type(wrong).__name__}"):
        set_state(kind, {**state, "_model": wrong})


def test_so_is_that_of_a_predictor() -> None:
    make, _ = fitted(MixBoostRegressor).predictor().__reduce__()
    assert isinstance(make(model_bytes(fitted(MixBoostRegressor))), Predictor)
    with pytest.raises(TypeError, match="a model is made of bytes, not of list"):
        make([0, 1])


@pytest.mark.parametrize("kind", ESTIMATORS)
@pytest.mark.parametrize("wrong", [None, 5, [("num_round", 5)], {1: 2}])
def test_a_state_is_a_dict_of_attributes(kind: Any, wrong: Any) -> None:
    with pytest.raises(TypeError, match=f"the state of a {kind.__name__} must be a dict of its attributes"):
        set_state(kind, wrong)


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_parameters_that_a_state_lacks_are_at_their_defaults(kind: Any) -> None:
    """As those are that an older version did not have."""
    model = fitted(kind)
    state = {name: value for name, value in model.__getstate__().items() if name not in kind().get_params()}
    twin = set_state(kind, {**state, "num_round": 4})
    assert twin.get_params() == kind(num_round=4).get_params()
    frame = pd.DataFrame(data_for(kind)[0], columns=list("abcd"))
    assert scores(twin, frame).tobytes() == scores(model, frame).tobytes()


class Subclass(MixBoostRegressor):
    def __init__(self, *, factor: float, bonus: float = 2.0, **options: Any) -> None:
        super().__init__(**options)
        self.factor = factor
        self.bonus = bonus


def test_so_are_those_of_a_subclass() -> None:
    state = fitted(Subclass, factor=3.0).__getstate__()
    del state["bonus"], state["alpha"]
    assert set_state(Subclass, state).get_params() == Subclass(factor=3.0, num_round=4).get_params()


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_what_the_model_tells_is_not_taken_from_the_state(kind: Any) -> None:
    model = fitted(kind)
    state = {**model.__getstate__(), "best_iteration_": "many"}
    del state["evals_result_"]
    twin = set_state(kind, state)
    assert twin.best_iteration_ == 4
    assert twin.evals_result_ == model.evals_result_


@pytest.mark.parametrize("kind", ESTIMATORS)
@pytest.mark.parametrize(
    "name, wrong",
    [
        ("n_features_in_", None),
        ("n_features_in_", "4"),
        ("n_features_in_", 3),
        ("feature_names_in_", "abcd"),
        ("feature_names_in_", np.array(["a", "b", "c"])),
        ("feature_names_in_", np.array([1, 2, 3, 4])),
    ],
)
def test_features_that_do_not_fit_are_refused(kind: Any, name: str, wrong: Any) -> None:
    state = fitted(kind).__getstate__()
    with pytest.raises(ValueError, match=r"(n_features_in_|feature_names_in_) must be"):
        set_state(kind, {**state, name: wrong})


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_a_state_without_its_number_of_features_is_refused(kind: Any) -> None:
    state = fitted(kind).__getstate__()
    del state["n_features_in_"]
    with pytest.raises(ValueError, match="n_features_in_ must be a whole number, not None"):
        set_state(kind, state)


def test_a_model_of_other_features_is_refused() -> None:
    X, y = data_for(MixBoostRegressor)
    state = MixBoostRegressor(num_round=2).fit(X, y).__getstate__()
    other = MixBoostRegressor(num_round=2).fit(X[:, :2], y)
    with pytest.raises(ValueError, match="n_features_in_ is 4; its model has 2 features"):
        set_state(MixBoostRegressor, {**state, "_model": model_bytes(other)})


@pytest.mark.parametrize("kind", CLASSIFIERS)
@pytest.mark.parametrize("wrong", [None, 5, [0, 1], np.array([0]), np.array([0, 1, 2]), np.array(0)])
def test_classes_are_two(kind: Any, wrong: Any) -> None:
    state = fitted(kind).__getstate__()
    with pytest.raises(ValueError, match="the state's classes_ must be an array of two labels"):
        set_state(kind, {**state, "classes_": wrong})


def test_a_model_of_another_objective_is_refused() -> None:
    state = fitted(MixBoostRegressor).__getstate__()
    classifier = model_bytes(fitted(MixBoostClassifier))
    with pytest.raises(ValueError, match="objective logloss; that of a MixBoostRegressor must be mse"):
        set_state(MixBoostRegressor, {**state, "_model": classifier})


# ---- Learners of scikit-learn ----

LEARNERS = [(0.5, DecisionTreeRegressor(max_depth=2)), (0.5, Ridge())]


def heterogeneous(**options: Any) -> Any:
    return fitted(HeterogeneousBoostingRegressor, learners=LEARNERS, **options)


@pytest.mark.parametrize("wrong", [None, 5, (), [1, 2, 3, 4], [Ridge()] * 3, [Ridge()] * 5])
def test_every_round_has_its_estimator(wrong: Any) -> None:
    state = heterogeneous().__getstate__()
    with pytest.raises(ValueError, match=r"estimators_|which is not there"):
        set_state(HeterogeneousBoostingRegressor, {**state, "estimators_": wrong})


def test_rounds_are_counted_from_1() -> None:
    kind = Kind(Ridge(), 1.0, [Ridge(), Ridge()])
    assert [kind.knows(term) for term in range(4)] == [False, True, True, False]


@pytest.mark.parametrize("wrong", [None, 5, [], [(1.0, 5)], [(0.5, Ridge())]])
def test_learners_are_what_they_may_be(wrong: Any) -> None:
    state = heterogeneous().__getstate__()
    with pytest.raises(ValueError, match="learners"):
        set_state(HeterogeneousBoostingRegressor, {**state, "learners_": wrong})


def test_rounds_of_learners_that_are_not_there_are_refused() -> None:
    state = heterogeneous().__getstate__()
    for learners in ([(1.0, LinearLike())], LEARNERS[::-1]):
        with pytest.raises(ValueError, match="rounds of .*, which is not one of its learners_"):
            set_state(HeterogeneousBoostingRegressor, {**state, "learners_": learners})


class LinearLike(Ridge):
    pass


def test_which_learner_a_round_drew_is_told_by_the_model() -> None:
    model = heterogeneous()
    state = model.__getstate__()
    del state["learner_indices_"]
    twin = set_state(HeterogeneousBoostingRegressor, state)
    np.testing.assert_array_equal(twin.learner_indices_, model.learner_indices_)


# ---- Any states ----


def test_changed_states_are_refused_or_work(root: Path) -> None:
    """Some of what the reliability battery tries."""
    command = [sys.executable, root / "tests" / "fuzz" / "fuzz_states.py", "--count", "400"]
    run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert run.returncode == 0, run.stdout
    *_warnings, said = run.stdout.splitlines()
    assert said.startswith("400 states, ") and " 0 crashes, 0 hangs, " in said
