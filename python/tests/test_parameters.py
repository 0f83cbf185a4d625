"""The constructors: names and defaults of the library's options, and what scikit-learn does with parameters."""

from __future__ import annotations

import inspect
import pickle
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import joblib
import mixboost
import numpy as np
import pytest
from estimator_cases import ESTIMATORS, classification_data, data_for, model_bytes, regression_data, scores
from mixboost import (
    MixBoostClassifier,
    MixBoostRegressor,
    MixBoostSearchCV,
    Predictor,
    _native,
    nested_score,
)
from mixboost._base import thread_count
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.utils.validation import check_is_fitted

KINDS = [MixBoostRegressor, MixBoostClassifier]
OBJECTIVES = {MixBoostRegressor: "mse", MixBoostClassifier: "logloss"}
OF_PYTHON = {
    MixBoostRegressor: ["validation_fraction", "verbose"],
    MixBoostClassifier: ["class_weight", "validation_fraction", "verbose"],
}


def parameters_of(kind: type) -> dict[str, inspect.Parameter]:
    return dict(inspect.signature(kind).parameters)


# ---- Signature and documentation ----


@pytest.mark.parametrize("kind", KINDS)
def test_parameters_are_the_options_of_the_library_in_its_order(kind: type) -> None:
    names = [option.name for option in _native.options()]
    assert list(parameters_of(kind)) == names + OF_PYTHON[kind]
    assert all(parameter.kind is parameter.KEYWORD_ONLY for parameter in parameters_of(kind).values())


@pytest.mark.parametrize("kind", KINDS)
def test_defaults_are_those_of_the_library(kind: type) -> None:
    for option in _native.options():
        default = parameters_of(kind)[option.name].default
        if option.name == "objective":
            assert default == OBJECTIVES[kind]
            continue
        if option.type in ("integer", "number") or (option.type == "number or auto" and option.default != "auto"):
            assert default == float(option.default)
            assert isinstance(default, int if option.type == "integer" else float)
        elif option.type == "boolean":
            assert default is {"true": True, "false": False}[option.default]
        else:
            assert default == option.default


@pytest.mark.parametrize("kind", KINDS)
def test_every_parameter_is_documented_with_its_default(kind: type) -> None:
    described = dict(re.findall(r"^    (\w+) : .*, (?:default=)?(\S+)$", kind.__doc__ or "", flags=re.MULTILINE))
    for name, parameter in parameters_of(kind).items():
        assert described[name] == ("optional" if parameter.default is None else repr(parameter.default)), name


@pytest.mark.parametrize("kind", KINDS)
def test_public_methods_and_attributes_are_documented(kind: type) -> None:
    for name in [name for name in vars(kind) if not name.startswith("_")]:
        assert inspect.getdoc(getattr(kind, name)), name
    X, y = data_for(kind)
    model = kind(num_round=1).fit(X, y)
    learned = {name for name in dir(model) if name.endswith("_") and not name.startswith("_")}
    undocumented = {name for name in learned if not re.search(rf"\b{name}\b", kind.__doc__ or "")}
    assert undocumented == set()


@pytest.mark.parametrize("kind", KINDS)
def test_the_constructor_only_stores(kind: type) -> None:
    strange = object()
    values = dict.fromkeys(parameters_of(kind), strange)
    model = kind(**values)
    assert vars(model) == values


# ---- get, set, show, clone ----


@pytest.mark.parametrize("kind", KINDS)
def test_set_params_after_fit_counts_for_the_next_fit(kind: Any) -> None:
    X, y = data_for(kind)
    model = kind(num_round=3).fit(X, y)
    before = model_bytes(model)
    model.set_params(num_round=7, n_threads=1)
    assert model_bytes(model) == before
    assert model.best_iteration_ == 3
    assert model_bytes(model.fit(X, y)) == model_bytes(kind(num_round=7).fit(X, y))
    with pytest.raises(ValueError, match="Invalid parameter 'num_rounds'"):
        model.set_params(num_rounds=5)


@pytest.mark.parametrize("kind", KINDS)
def test_repr_shows_what_differs_from_the_defaults(kind: Any) -> None:
    X, y = data_for(kind)
    name = kind.__name__
    assert repr(kind()) == f"{name}()"
    model = kind(num_round=3, gamma=0.5)
    assert repr(model) == f"{name}(gamma=0.5, num_round=3)"
    assert repr(model.fit(X, y)) == f"{name}(gamma=0.5, num_round=3)"
    assert name in model._repr_html_()


@pytest.mark.parametrize("kind", KINDS)
def test_dir_shows_what_can_be_used(kind: Any) -> None:
    X, y = data_for(kind)
    model = kind(num_round=3)
    assert {"fit", "predict", "staged_predict", "save", "load", "score", "predictor"} <= set(dir(model))
    assert "best_iteration_" not in dir(model)
    assert {"best_iteration_", "evals_result_", "n_features_in_"} <= set(dir(model.fit(X, y)))
    for name in dir(model):
        getattr(model, name)


def everything_public() -> Iterator[tuple[str, Any]]:
    """The module, its classes, and objects of each, not fitted, fitted and loaded from a pickle."""
    X, y = classification_data()
    seen: list[Any] = []
    yield "mixboost", mixboost
    yield from ((name, getattr(mixboost, name)) for name in mixboost.__all__)
    for kind in ESTIMATORS:
        yield f"{kind.__name__}, not fitted", kind(num_round=2)
        fitted = kind(num_round=2, learning_rate=0.1).fit(X, y)
        yield f"{kind.__name__}, fitted", fitted
        yield f"{kind.__name__}, from a pickle", pickle.loads(pickle.dumps(fitted))
        yield f"{kind.__name__}, never initialised", kind.__new__(kind)
    for estimator in (MixBoostRegressor(num_round=2), MixBoostClassifier(num_round=2)):
        search = MixBoostSearchCV(estimator, n_configs=2, eta=2, min_resource="1/2")
        yield f"search over {estimator}, not fitted", search
        yield f"search over {estimator}, fitted", clone(search).fit(X, y)
        yield f"search over {estimator}, without a model", clone(search).set_params(refit=False).fit(X, y)
        yield f"nested score of {estimator}", nested_score(search, X, y, cv=2)
        yield f"predictor of {estimator}", clone(estimator).fit(X, y, callbacks=[seen.append]).predictor()
    yield "progress", seen[0]
    yield "predictor, never initialised", Predictor.__new__(Predictor)


NOT_EVERYWHERE = ["classes_", "cv_results_", "best_estimator_", "a_name_of_nothing"]


def mistakes_of_looking(name: str, thing: Any) -> Iterator[str]:
    """What is not there yet is missing, with an AttributeError, and nothing worse."""
    for show in (repr, str) if "never initialised" not in name else ():
        if not show(thing):
            yield f"{name}: {show.__name__} is empty"
    for attribute in {*dir(thing), *dir(type(thing)), *NOT_EVERYWHERE}:
        try:
            getattr(thing, attribute)
        except (AttributeError, NotFittedError):
            pass
        except Exception as error:
            yield f"{name}: {attribute} raises {error!r}"


def test_looking_at_anything_public_breaks_nothing() -> None:
    """As a notebook does that shows an object or completes a name."""
    things = dict(everything_public())
    assert len(things) == 40
    assert [mistake for name, thing in things.items() for mistake in mistakes_of_looking(name, thing)] == []


@pytest.mark.parametrize("kind", KINDS)
def test_a_clone_has_the_parameters_and_is_not_fitted(kind: Any) -> None:
    X, y = data_for(kind)
    model = kind(num_round=3, depth_probabilities=[0.5, 0.5], max_max_depth=3).fit(X, y)
    copy = clone(model)
    assert copy.get_params() == model.get_params()
    with pytest.raises(NotFittedError):
        check_is_fitted(copy)
    assert model_bytes(copy.fit(X, y)) == model_bytes(model)


def test_values_may_be_numpys() -> None:
    X, y = regression_data()
    plain = MixBoostRegressor(num_round=5, learning_rate=0.5, use_histograms=False, depth_probabilities=[0.5, 0.5])
    numpys = MixBoostRegressor(
        num_round=np.int64(5),
        learning_rate=np.float64(0.5),
        use_histograms=np.False_,
        depth_probabilities=np.array([0.5, 0.5]),
        random_state=np.uint32(0),
        n_threads=np.int8(1),
    )
    for model in (plain, numpys):
        model.set_params(max_max_depth=3).fit(X, y)
    assert model_bytes(plain) == model_bytes(numpys)


def test_a_number_keeps_all_its_digits() -> None:
    rate = 0.1234567890123456789
    X, y = regression_data()
    model = MixBoostRegressor(num_round=2, learning_rate=rate).fit(X, y)
    assert float(model._model.option("learning_rate")) == rate


# ---- Presets ----

PAPER: dict[str, Any] = {
    "colsample": 1.0,
    "subsample": 1.0,
    "min_child_weight": 0.0,
    "base_score": 0.0,
    "n_members": 1,
    "tree_probability": 0.9,
    "symmetric_probability": 0.0,
    "split_noise": 0.0,
    "split_prior": 0.0,
    "leaf_rows": "sample",
    "alpha": 0.001,
    "gamma": 0.05,
    "n_components": 100,
    "n_projections": 1,
    "fourier_scaling": "none",
    "fourier_metric": "isotropic",
    "fourier_linear": False,
}


def options_of(model: Any) -> dict[str, str | None]:
    """The options that a fitted model keeps, but for the preset."""
    return {option.name: model._model.option(option.name) for option in _native.options() if option.name != "preset"}


@pytest.mark.parametrize("kind", KINDS)
def test_the_papers_learner_is_what_its_options_make(kind: Any) -> None:
    X, y = data_for(kind)
    preset = kind(preset="paper", num_round=20, tree_probability=0.7).fit(X, y)
    options = kind(num_round=20, **{**PAPER, "tree_probability": 0.7}).fit(X, y)
    assert scores(preset, X).tobytes() == scores(options, X).tobytes()
    assert options_of(preset) == options_of(options)
    assert (preset._model.option("preset"), options._model.option("preset")) == ("paper", "default")
    assert scores(kind(num_round=20, tree_probability=0.7).fit(X, y), X).tobytes() != scores(preset, X).tobytes()


def test_what_is_given_wins_over_a_preset() -> None:
    X, y = regression_data()
    model = MixBoostRegressor(preset="paper", num_round=3, fourier_scaling="standard", base_score=0.5).fit(X, y)
    assert options_of(model)["fourier_scaling"] == "standard"
    assert options_of(model)["base_score"] == "0.5"
    assert options_of(model)["min_child_weight"] == "0"


def test_an_argument_that_equals_its_default_follows_the_preset() -> None:
    X, y = regression_data()
    default = parameters_of(MixBoostRegressor)["fourier_scaling"].default
    assert default != "none"
    model = MixBoostRegressor(preset="paper", num_round=3, fourier_scaling=default).fit(X, y)
    assert options_of(model)["fourier_scaling"] == "none"
    assert model.get_params()["fourier_scaling"] == default


def test_a_preset_survives_clones_and_its_options_files(tmp_path: Path) -> None:
    X, y = regression_data()
    model = MixBoostRegressor(preset="paper", num_round=5, learning_rate=0.1).fit(X, y)
    assert repr(model) == "MixBoostRegressor(learning_rate=0.1, num_round=5, preset='paper')"
    assert model_bytes(clone(model).fit(X, y)) == model_bytes(model)
    model.save(tmp_path / "m.mxb")
    loaded = MixBoostRegressor.load(tmp_path / "m.mxb")
    assert loaded.get_params() == {
        **model.get_params(),
        **PAPER,
        "preset": "default",
        "min_max_depth": 2,
        "symmetric_depth": 8,
    }
    assert loaded.fit(X, y).predict(X).tobytes() == model.predict(X).tobytes()


@pytest.mark.parametrize("kind", KINDS)
def test_options_say_what_auto_came_to(kind: Any, tmp_path: Path) -> None:
    X, y = data_for(kind)
    model = kind(num_round=5, max_max_depth=3, subsample=0.7).fit(X, y)
    found = {"learning_rate": 0.05, "tree_probability": 0.3, "alpha": 1.0, "fourier_linear": True}
    found |= {"min_max_depth": 2, "symmetric_depth": 3, "num_round": 5, "subsample": 0.7, "gamma": "auto"}
    assert found.items() <= model.options_.items()
    assert kind(**{**model.options_, "preset": "default"}).fit(X, y).predict(X).tolist() == model.predict(X).tolist()
    model.save(tmp_path / "m.mxb")
    assert kind.load(tmp_path / "m.mxb").options_ == model.options_


def test_a_preset_that_does_not_exist_is_refused() -> None:
    X, y = regression_data()
    with pytest.raises(ValueError, match='^preset is "papers"; it must be default | paper$'):
        MixBoostRegressor(preset="papers").fit(X, y)  # type: ignore[arg-type]


# ---- Subclasses ----


class WithArguments(MixBoostRegressor):
    """A subclass that has parameters of its own and hands on the others."""

    def __init__(self, shift: float = 0.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.shift = shift

    def fit(self, X: Any, y: Any, **kwargs: Any) -> WithArguments:
        self.mean_ = float(np.mean(y))  # set before the parent's fit
        return super().fit(X, np.asarray(y) + self.shift, **kwargs)


class WithOneArgument(MixBoostClassifier):
    """A subclass that leaves its parent only one parameter."""

    def __init__(self, num_round: int = 5) -> None:
        super().__init__(num_round=num_round, tree_probability=1.0)


def test_a_subclass_that_passes_keywords_on_has_the_parameters_of_both() -> None:
    X, y = regression_data()
    model = WithArguments(shift=100.0, num_round=3)
    assert model.get_params() == {**MixBoostRegressor(num_round=3).get_params(), "shift": 100.0}
    assert clone(model).get_params() == model.get_params()
    model.set_params(learning_rate=1.0)
    assert scores(model.fit(X, y), X).mean() == pytest.approx(100.0 + y.mean(), abs=0.1)
    assert model.mean_ == y.mean()
    assert "shift=100.0" in repr(model)
    with pytest.raises(TypeError, match="nonsense"):
        WithArguments(nonsense=1)


def test_a_subclass_with_parameters_of_its_own_has_only_these() -> None:
    model = WithOneArgument(num_round=4)
    assert model.get_params() == {"num_round": 4}
    X, y = data_for(MixBoostClassifier)
    assert clone(model).fit(X, y).best_iteration_ == 4


def test_a_subclass_can_be_searched_over() -> None:
    X, y = regression_data()
    grid = {"shift": [0.0, 5.0], "num_round": [1, 20]}
    search = GridSearchCV(WithArguments(), grid, cv=2, error_score="raise").fit(X, y)
    assert search.best_params_ == {"shift": 0.0, "num_round": 20}


# ---- Threads and seeds ----


def test_n_threads_has_the_meanings_of_n_jobs() -> None:
    n_processors = joblib.cpu_count()
    assert thread_count(0) == 0
    assert thread_count(-1) == 0
    assert thread_count(3) == 3
    assert thread_count(-2) == max(1, n_processors - 1)
    assert thread_count(-n_processors - 5) == 1
    assert thread_count(None) == 1
    with joblib.parallel_backend("threading", n_jobs=3):
        assert thread_count(None) == 3


@pytest.mark.parametrize("n_threads", [None, 0, -1, -2, 1, 3, 4])
def test_the_model_is_the_same_for_any_number_of_threads(n_threads: int | None) -> None:
    X, y = regression_data(3000)
    one = MixBoostRegressor(num_round=5, n_threads=1).fit(X, y)
    other = MixBoostRegressor(num_round=5, n_threads=n_threads).fit(X, y)
    assert model_bytes(one) == model_bytes(other)
    assert one.predict(X).tobytes() == other.predict(X).tobytes()


def test_an_integer_is_the_seed_that_the_program_takes(program: Path, tmp_path: Path) -> None:
    X, y = regression_data()
    np.savetxt(tmp_path / "data.csv", np.column_stack([X, y]), delimiter=",", fmt="%.17g")
    command = [program, "train", "data.csv", "--label", "5", "--model", "m.mxb", "--random_state", "7", "--quiet"]
    subprocess.run([*command, "--num_round", "20", "--subsample", "0.5"], check=True, cwd=tmp_path)
    model = MixBoostRegressor(random_state=7, num_round=20, subsample=0.5).fit(X, y)
    assert model_bytes(model) == (tmp_path / "m.mxb").read_bytes()


def test_a_random_state_draws_the_seed_anew_for_each_fit() -> None:
    X, y = regression_data()
    model = MixBoostRegressor(num_round=5, random_state=np.random.RandomState(3))
    first, second = model_bytes(model.fit(X, y)), model_bytes(model.fit(X, y))
    assert first != second
    assert first == model_bytes(clone(model).set_params(random_state=np.random.RandomState(3)).fit(X, y))


def test_none_draws_the_seed_from_numpys_own_state() -> None:
    X, y = regression_data()
    model = MixBoostRegressor(num_round=5, random_state=None)
    np.random.seed(1)  # noqa: NPY002
    first, second = model_bytes(model.fit(X, y)), model_bytes(model.fit(X, y))
    np.random.seed(1)  # noqa: NPY002
    assert first != second
    assert model_bytes(model.fit(X, y)) == first
