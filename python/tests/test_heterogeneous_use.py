"""The generic boosters in use: X of every kind, mistakes, interrupts, copies, threads, scikit-learn's tools."""

from __future__ import annotations

import copy
import gc
import os
import pickle
import re
import signal
import sys
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor
from itertools import zip_longest
from pathlib import Path
from types import FrameType
from typing import Any

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import sklearn
from mixboost import HeterogeneousBoostingClassifier, HeterogeneousBoostingRegressor, Progress, _native
from numpy.typing import NDArray
from regressors import Failing, Recorder, Saying, Unweighted
from scipy.sparse import csc_matrix, csr_matrix
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.compose import make_column_transformer
from sklearn.exceptions import NotFittedError
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV, cross_val_predict
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeRegressor
from sklearn.utils import get_tags

Array = NDArray[np.float64]
Booster = HeterogeneousBoostingRegressor | HeterogeneousBoostingClassifier
KINDS = [HeterogeneousBoostingRegressor, HeterogeneousBoostingClassifier]
TWO = [(0.5, DecisionTreeRegressor(max_depth=3)), (0.5, Ridge())]


def data(n_rows: int = 80, seed: int = 0) -> tuple[Array, NDArray[Any]]:
    random = np.random.default_rng(seed)
    X = random.uniform(-2, 2, (n_rows, 3))
    return X, X[:, 0] + np.sin(3 * X[:, 1]) > 0


def fitted(kind: type[Booster] = HeterogeneousBoostingRegressor, **options: Any) -> Booster:
    X, y = data()
    return kind(**{"learners": TWO, "num_round": 10, **options}).fit(X, y)


# ---- What X may be ----


def text_frame() -> Any:
    X, _ = data()
    return pd.DataFrame({"color": np.where(X[:, 2] > 0, "red", "blue"), "size": X[:, 0], "age": X[:, 1]})


def text_learners() -> list[tuple[float, Any]]:
    coded = make_column_transformer((OneHotEncoder(sparse_output=False), ["color"]), remainder="passthrough")
    return [(0.5, make_pipeline(coded, DecisionTreeRegressor(max_depth=3))), (0.5, make_pipeline(coded, Ridge()))]


@pytest.mark.parametrize("of", [pd.DataFrame, pl.DataFrame])
def test_frames_reach_the_learners_as_they_are(of: Any) -> None:
    frame, y = of({name: column.to_numpy() for name, column in text_frame().items()}), data()[1]
    model = HeterogeneousBoostingRegressor(text_learners(), num_round=10, validation_fraction=0.2).fit(frame, y)
    assert model.feature_names_in_.tolist() == ["color", "size", "age"]
    steps = [0.1 * estimator.predict(frame) for estimator in model.estimators_]
    np.testing.assert_allclose(np.diff(list(model.staged_predict(frame)), axis=0), steps[1:], atol=1e-12)
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(frame[["size", "color", "age"]])


class UnknownFrame:
    """A table that scikit-learn does not know as one with names: an Arrow stream and what an array has."""

    def __init__(self, table: pa.Table) -> None:
        self._table, self.shape = table, table.shape

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._table.__arrow_c_stream__(requested_schema)

    def __len__(self) -> int:
        return len(self._table)


def test_names_of_frames_that_scikit_learn_does_not_know_are_compared_too() -> None:
    table = pa.table({name: data()[0][:, i] for i, name in enumerate("abc")})
    model = HeterogeneousBoostingRegressor([(1.0, Recorder())], num_round=2).fit(UnknownFrame(table), data()[1])
    assert model.feature_names_in_.tolist() == ["a", "b", "c"]
    assert model.n_features_in_ == 3
    assert len(model.predict(UnknownFrame(table))) == len(table)
    for names, difference in ((["b", "a", "c"], "1 is 'b' and was 'a'"), (["a", "b"], "3 is None and was 'c'")):
        with pytest.raises(ValueError, match=f"names should match .* Feature {difference}"):
            model.predict(UnknownFrame(table.select(names)))


def test_frames_and_arrays_of_numbers_give_the_same() -> None:
    X, y = data()
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    predictions = [fitted().predict(X), HeterogeneousBoostingRegressor(TWO, num_round=10).fit(frame, y).predict(frame)]
    np.testing.assert_allclose(*predictions)


@pytest.mark.parametrize("of", [csr_matrix, csc_matrix])
def test_sparse_matrices_give_the_same_as_dense_ones(of: Any) -> None:
    X, y = data()
    X[np.abs(X) < 1] = 0.0
    w = np.arange(len(y)) % 3
    model = HeterogeneousBoostingRegressor([(1.0, DecisionTreeRegressor(max_depth=3))], num_round=10)
    dense = model.fit(X, y, w).predict(X)
    np.testing.assert_allclose(model.fit(of(X), y, w).predict(of(X)), dense)


def test_tags_say_what_all_learners_take() -> None:
    for learners in ([(1.0, DecisionTreeRegressor())], [(1.0, Ridge())], TWO):
        wanted = [get_tags(regressor).input_tags for _, regressor in learners]
        tags = get_tags(HeterogeneousBoostingRegressor(learners)).input_tags
        assert tags.sparse == all(each.sparse for each in wanted)
        assert tags.allow_nan == all(each.allow_nan for each in wanted)
    default = get_tags(HeterogeneousBoostingRegressor()).input_tags
    assert (default.allow_nan, default.sparse) == (True, False)


def test_missing_values_are_for_the_learners_to_judge() -> None:
    X, y = data()
    X[3, 1] = np.nan
    imputing = make_pipeline(SimpleImputer(), Ridge())
    for learners in (None, [(1.0, DecisionTreeRegressor())], [(1.0, imputing)]):
        model = HeterogeneousBoostingClassifier(learners, num_round=10).fit(X, y)
        assert np.isfinite(model.decision_function(X)).all()
    with pytest.raises(ValueError, match="Ridge does not accept missing values"):
        HeterogeneousBoostingClassifier(TWO, num_round=50).fit(X, y)


@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")  # of StandardScaler
def test_a_column_without_values_and_one_row_do_no_harm() -> None:
    X, y = data()
    X[:, 1] = np.nan
    model = HeterogeneousBoostingRegressor().fit(X, y)
    assert np.isfinite(model.predict(X)).all()
    assert HeterogeneousBoostingRegressor().fit(X[:1], [2.0]).predict(X[:1]) == 2.0


def test_x_is_let_go_after_fit_and_predict() -> None:
    X, y = data()
    frame = pd.DataFrame(X)
    gone = weakref.ref(frame)
    model = HeterogeneousBoostingRegressor(TWO, num_round=5).fit(frame, y)
    model.predict(frame)
    stages = model.staged_predict(frame)
    next(stages)
    del frame, stages
    gc.collect()
    assert gone() is None


# ---- Mistakes ----


@pytest.mark.parametrize(
    ("learners", "sentence"),
    [
        ("trees", "learners must be a list of pairs (probability, regressor), not 'trees'"),
        ([Ridge()], "learners[0] must be a pair (probability, regressor), not Ridge()"),
        ([(1.0, Ridge(), 2)], "learners[0] must be a pair (probability, regressor), not (1.0, Ridge(), 2)"),
        ([(1.5, Ridge()), (-0.5, Ridge())], "the probability of learners[0] is 1.5; it must be a number from 0 to 1"),
        ([(0.5, Ridge()), (-0.5, Ridge())], "the probability of learners[1] is -0.5; it must be a number from 0 to 1"),
        ([(float("nan"), Ridge())], "the probability of learners[0] is nan; it must be a number from 0 to 1"),
        ([("1", Ridge())], "the probability of learners[0] is '1'; it must be a number from 0 to 1"),
        ([(0.6, Ridge()), (0.3, Ridge())], "the probabilities of the learners sum to 0.9; they must sum to 1"),
        ([], "the probabilities of the learners sum to 0; they must sum to 1"),
        ([(1.0, "ridge")], "learners[0] must be a scikit-learn regressor, not 'ridge'"),
        ([(1.0, StandardScaler())], "learners[0] must be a scikit-learn regressor, not StandardScaler()"),
        ([(1.0, LogisticRegression())], "learners[0] must be a scikit-learn regressor, not LogisticRegression()"),
        (
            [(0.5, Ridge()), (0.5, KNeighborsRegressor())],
            "learners[1] is a KNeighborsRegressor, whose fit takes no sample_weight",
        ),
        (
            [(1.0, make_pipeline(StandardScaler(), Unweighted()))],
            "the last step of learners[0] is a Unweighted, whose fit takes no sample_weight",
        ),
    ],
)
@pytest.mark.parametrize("kind", KINDS)
def test_learners_that_cannot_be_are_named(kind: type[Booster], learners: Any, sentence: str) -> None:
    model = kind(learners)
    assert (is_classifier if kind is HeterogeneousBoostingClassifier else is_regressor)(model)
    with pytest.raises(ValueError, match=re.escape(sentence)):
        model.fit(*data())
    with pytest.raises(NotFittedError):
        model.predict(data()[0])


def test_a_class_is_not_a_regressor() -> None:
    with pytest.raises(ValueError, match=r"^learners\[0\] must be a scikit-learn regressor, not <class .*Ridge'>$"):
        fitted(learners=[(1.0, Ridge)])


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"num_round": 0}, "num_round"),
        ({"num_round": "auto"}, "num_round is 'auto'; here it must be a number"),
        ({"learning_rate": 2.0}, "learning_rate"),
        ({"subsample": 0.0}, "subsample"),
        ({"base_score": "mean"}, "base_score"),
        ({"early_stopping_rounds": -1}, "early_stopping_rounds"),
        ({"random_state": -1}, "random_state"),
        ({"learners": [(1 / 65, Ridge())] * 65}, "64"),
    ],
)
def test_options_out_of_range_get_the_library_s_sentence(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        fitted(**options)


def test_values_that_are_not_finite_or_not_one_a_row_are_refused() -> None:
    X, y = data()
    answer = np.zeros(len(y))
    answer[6] = np.nan
    with pytest.raises(ValueError, match='the learner "Saying 1" gave nan in round 1 for row 7 of the training data'):
        fitted(learners=[(1.0, Saying(answer))])
    for wrong in (np.zeros(3), 0.0, np.zeros((len(y), 2))):
        with pytest.raises(ValueError, match="the learner Saying predicted 80 rows as an array of shape"):
            fitted(learners=[(1.0, Saying(wrong))])
    column = np.linspace(-1, 1, len(y)).reshape(-1, 1)  # as some regressors predict
    model = HeterogeneousBoostingRegressor([(1.0, Saying(column))], num_round=1, base_score=0.0).fit(X, y)
    np.testing.assert_allclose(model.predict(X), 0.1 * column.ravel())


def test_a_new_x_must_fit() -> None:
    model = fitted()
    with pytest.raises(ValueError, match="X has 2 features, but HeterogeneousBoostingRegressor is expecting 3"):
        model.predict(data()[0][:, :2])
    with pytest.raises(ValueError, match="1D array"):
        model.predict(data()[0][0])
    with pytest.raises(ValueError, match="feature"):
        model.fit(*data(), eval_set=(data()[0][:, :2], data()[1]))


def test_a_class_with_a_strange_name_can_be_a_learner() -> None:
    strange = type("Rückblick" * 20, (Recorder,), {})
    model = fitted(learners=[(1.0, strange())], num_round=2)
    assert len(model.estimators_) == 2


# ---- Exceptions and interrupts ----


@pytest.mark.parametrize("exception", [ValueError("no"), MemoryError(), KeyboardInterrupt(), SystemExit(3)])
def test_what_a_learner_raises_comes_out_unchanged(exception: BaseException) -> None:
    X, y = data()
    model = fitted()
    for options in ({"fit_number": 3}, {"prediction_number": 4}):
        Failing.start()
        model.set_params(learners=[(1.0, Failing(exception, **options))])
        with pytest.raises(type(exception)) as raised:
            model.fit(X, y, eval_set=(X, y))
        assert raised.value is exception
        assert not [name for name in vars(model) if name.endswith("_")]
        with pytest.raises(NotFittedError):
            model.predict(X)
    Failing.start()
    model.set_params(learners=[(1.0, Failing(exception, prediction_number=13))]).fit(X, y)
    with pytest.raises(type(exception)) as raised:
        model.predict(X)
    assert raised.value is exception
    assert model.predict(X).shape == y.shape


def interrupt_callback(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    """Raises KeyboardInterrupt at the very beginning of a callback, where ctypes prints it and goes on."""
    callback = _native._guarded(lambda: None).__code__
    n_left = number

    def profile(frame: FrameType, event: str, _: Any) -> None:
        nonlocal n_left
        if event == "call" and frame.f_code is callback:
            n_left -= 1
            if n_left == 0:
                sys.setprofile(None)
                raise KeyboardInterrupt

    monkeypatch.setattr(sys, "unraisablehook", lambda _: None)
    sys.setprofile(profile)


@pytest.mark.parametrize("number", [1, 2, 5, 6, 19, 20])  # fits and predictions of validation rows in turns
def test_an_interrupt_at_the_beginning_of_a_callback_is_not_lost(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    X, y = data()
    model = HeterogeneousBoostingRegressor(TWO, num_round=10)
    rounds: list[int] = []
    interrupt_callback(monkeypatch, number)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y, eval_set=(X, y), callbacks=[lambda progress: rounds.append(progress.round)])
    assert len(rounds) == (number - 1) // 2  # so it came in the round in which it happened
    assert not [name for name in vars(model) if name.endswith("_")]


@pytest.mark.parametrize("status", [1, 2, 3, 4, 5, 6, 437918234])  # ctypes leaves any number behind
def test_a_learner_that_fails_without_an_exception_was_interrupted(status: int) -> None:
    for end in ("failed in round 3", "failed in predicting round 12", "gave nan in round 3 for row 1 of the dataset"):
        error = _native.Error(f'the learner "Ridge 2" {end}'.encode())
        assert isinstance(_native._exception(status, error), KeyboardInterrupt)


def test_an_interrupt_at_the_beginning_of_a_callback_is_not_lost_by_predict(monkeypatch: pytest.MonkeyPatch) -> None:
    X, _ = data()
    model = fitted()
    interrupt_callback(monkeypatch, 10)
    with pytest.raises(KeyboardInterrupt):
        model.predict(X)
    stages = model.staged_predict(X)
    next(stages)
    interrupt_callback(monkeypatch, 1)
    with pytest.raises(KeyboardInterrupt):
        next(stages)
    assert np.isfinite(model.predict(X)).all()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # what ctypes says of a lost interrupt
def test_ctrl_c_ends_a_training_soon() -> None:
    X = np.zeros((100_000, 1))
    model = HeterogeneousBoostingRegressor([(1.0, Saying(np.zeros(len(X))))], num_round=5_000)
    for delay in np.linspace(0.3, 0.31, 6):  # in Python at times, in the library at others
        timer = threading.Timer(delay, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            model.fit(X, X[:, 0])
        assert "_model" not in vars(model)


# ---- Copies ----


@pytest.mark.parametrize("kind", KINDS)
def test_copies_predict_the_same(kind: type[Booster], tmp_path: Path) -> None:
    X, _ = data()
    model = fitted(kind, learners=[*TWO[:1], (0.5, make_pipeline(StandardScaler(), Ridge()))])
    joblib.dump(model, tmp_path / "model.joblib")
    copies = [copy.copy(model), copy.deepcopy(model), joblib.load(tmp_path / "model.joblib")]
    copies += [pickle.loads(pickle.dumps(model, protocol)) for protocol in range(pickle.HIGHEST_PROTOCOL + 1)]
    copies.append(pickle.loads(pickle.dumps(copies[-1])))
    method = "predict_proba" if kind is HeterogeneousBoostingClassifier else "predict"
    for each in copies:
        np.testing.assert_array_equal(getattr(each, method)(X), getattr(model, method)(X))
        np.testing.assert_array_equal(list(each.staged_predict(X)), list(model.staged_predict(X)))
        np.testing.assert_array_equal(each.learner_indices_, model.learner_indices_)
        assert each._model.to_bytes() == model._model.to_bytes()
        assert repr(each) == repr(model)


def test_an_int_seed_gives_the_same_pickle() -> None:
    assert pickle.dumps(fitted()) == pickle.dumps(fitted())


def test_clone_takes_the_learners_along_and_nothing_fitted() -> None:
    model = fitted(learners=[(1.0, DecisionTreeRegressor(max_depth=4))])
    fresh = clone(model)
    assert fresh.learners[0][1] is not model.learners[0][1]
    assert (fresh.learners[0][0], fresh.learners[0][1].max_depth) == (1.0, 4)
    with pytest.raises(NotFittedError):
        fresh.predict(data()[0])
    np.testing.assert_array_equal(fresh.fit(*data()).predict(data()[0]), model.predict(data()[0]))


def test_set_params_after_fit_changes_no_prediction() -> None:
    X, _ = data()
    model = fitted()
    before = model.predict(X)
    model.set_params(learners=None, num_round=1, learning_rate=1.0, subsample=0.1, base_score=5.0)
    np.testing.assert_array_equal(model.predict(X), before)


# ---- Threads and processes ----


def test_threads_predict_at_once_each_its_own_rows() -> None:
    model = fitted(num_round=20)
    tables = [data(n_rows=50 + i, seed=i)[0] for i in range(16)]
    expected = [model.predict(X) for X in tables]
    with ThreadPoolExecutor(8) as pool:
        for _ in range(5):
            for found, wanted in zip(pool.map(model.predict, tables), expected, strict=True):
                np.testing.assert_array_equal(found, wanted)


def test_stages_of_several_tables_can_be_taken_in_turns() -> None:
    model = fitted()
    tables = [data(n_rows=n)[0] for n in (30, 50)]
    expected = [list(model.staged_predict(X)) for X in tables]
    in_turns = list(zip_longest(*(model.staged_predict(X) for X in tables)))
    for column, wanted in zip(zip(*in_turns, strict=True), expected, strict=True):
        np.testing.assert_array_equal(column, wanted)


def test_threads_train_at_once() -> None:
    X, y = data()

    def train(seed: int) -> Array:
        return np.asarray(HeterogeneousBoostingRegressor(TWO, num_round=20, random_state=seed).fit(X, y).predict(X))

    expected = [train(seed) for seed in range(6)]
    with ThreadPoolExecutor(6) as pool:
        np.testing.assert_array_equal(list(pool.map(train, range(6))), expected)


@pytest.mark.parametrize("backend", ["loky", "threading", "multiprocessing"])
def test_joblib_predicts_the_same(backend: str) -> None:
    model = fitted()
    tables = [data(seed=seed)[0] for seed in range(4)]
    found = joblib.Parallel(2, backend=backend)(joblib.delayed(model.predict)(X) for X in tables)
    np.testing.assert_array_equal(found, [model.predict(X) for X in tables])


def test_a_booster_can_be_a_learner_of_a_booster() -> None:
    X, y = data()
    inner = HeterogeneousBoostingRegressor(TWO, num_round=3, learning_rate=0.5)
    model = HeterogeneousBoostingRegressor([(0.5, inner), (0.5, Ridge())], num_round=10).fit(X, y, eval_set=(X, y))
    steps = [0.1 * estimator.predict(X) for estimator in model.estimators_]
    np.testing.assert_allclose(model.predict(X), np.mean(y) + np.sum(steps, axis=0))


# ---- With scikit-learn ----


def test_grid_search_over_learners() -> None:
    X, y = data(300)
    deep, shallow = ([(1.0, DecisionTreeRegressor(max_depth=depth))] for depth in (5, 1))
    search = GridSearchCV(HeterogeneousBoostingClassifier(num_round=20), {"learners": [shallow, deep]}, cv=3)
    search.fit(X, y)
    assert search.best_params_["learners"][0][1].max_depth == 5


def test_a_pipeline_and_cross_validation() -> None:
    X, y = data(300)
    pipeline = make_pipeline(StandardScaler(), HeterogeneousBoostingClassifier(num_round=20))
    probabilities = cross_val_predict(pipeline, X, y, cv=3, method="predict_proba")
    assert np.mean((probabilities[:, 1] > 0.5) == y) > 0.85


def test_weights_reach_learners_with_metadata_routing_on() -> None:
    X, y = data()
    Recorder.forget()
    with sklearn.config_context(enable_metadata_routing=True):
        booster = HeterogeneousBoostingRegressor([(1.0, make_pipeline(StandardScaler(), Recorder()))], num_round=1)
        pipeline = Pipeline([("boost", booster.set_fit_request(sample_weight=True))])
        pipeline.fit(X, y, sample_weight=np.arange(1.0, len(y) + 1))
    np.testing.assert_array_equal(Recorder.fits[0][2], np.arange(1.0, len(y) + 1))


def test_classes_of_any_kind_and_their_weights() -> None:
    X, y = data()
    labels = np.where(y, "yes", "no")
    model = HeterogeneousBoostingClassifier(TWO, num_round=10).fit(X, labels)
    assert model.classes_.tolist() == ["no", "yes"]
    assert model.score(X, labels) > 0.8
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)
    factors = HeterogeneousBoostingClassifier(TWO, num_round=10, class_weight={"no": 3.0, "yes": 0.5}).fit(X, labels)
    by_hand = HeterogeneousBoostingClassifier(TWO, num_round=10).fit(X, labels, np.where(y, 0.5, 3.0))
    np.testing.assert_array_equal(factors.predict_proba(X), by_hand.predict_proba(X))


def test_callbacks_hear_of_every_round_and_may_stop() -> None:
    X, y = data()
    heard: list[Progress] = []

    def stop_at_4(progress: Progress) -> bool:
        heard.append(progress)
        return progress.round == 4

    model = HeterogeneousBoostingRegressor(TWO, num_round=10).fit(X, y, callbacks=[stop_at_4])
    assert [(progress.round, progress.n_rounds) for progress in heard] == [(1, 10), (2, 10), (3, 10), (4, 10)]
    assert model.best_iteration_ == len(model.estimators_) == 4
    np.testing.assert_allclose([progress.train_loss for progress in heard], model.evals_result_["training"]["rmse"])
