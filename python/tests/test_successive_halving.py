"""The search against a plain one, trial by trial and survivors by survivors."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from estimator_cases import data_for
from mixboost import MixBoostClassifier, MixBoostRegressor, MixBoostSearchCV, _native
from plain_halving import Ranked, Stage, halve, stage_table, winner
from search_cases import ESTIMATORS, small_search
from sklearn.base import clone

KINDS = [MixBoostRegressor, MixBoostClassifier]
SEED = 5
N_FOLDS = 3

TEXT = """
learning_rate 0.05 0.8 log10
min_max_depth 1 5 integer
max_max_depth 1 5 integer
tree_probability 0.5 1 linear
subsample 0.5 1 linear
"""


@pytest.mark.parametrize(
    ("n_configs", "min_resource", "sizes", "resources"),
    [
        (512, Fraction(1, 4), [512, 128], [0.25, 1]),  # OpenML
        (256, Fraction(1, 16), [256, 64, 16], [0.0625, 0.25, 1]),  # Kaggle
        (1000, Fraction(1, 20), [1000, 250, 62], [0.0625, 0.25, 1]),  # beside NODE
    ],
)
def test_the_tables_of_the_paper(
    n_configs: int, min_resource: Fraction, sizes: list[int], resources: list[Any]
) -> None:
    """A search of these settings is made for its table alone."""
    assert stage_table(n_configs, 4, min_resource) == [*map(Stage, sizes, resources)]
    X, y = data_for(MixBoostRegressor)
    dataset, _ = clone(ESTIMATORS[MixBoostRegressor])._rows(X, y, None)
    tuner = _native.Tuner(dataset, _native.Space(TEXT), _native.Params())
    tuner.set("n_configs", n_configs)
    tuner.set("min_resource", min_resource)
    tuner.start()
    stages = range(tuner.n_stages)
    assert [tuner.stage_size(i) for i in stages] == sizes
    assert [tuner.stage_resource(i) for i in stages] == resources


def drawn_params(kind: Any, config: int) -> _native.Params:
    """The options of a configuration's trials, as the estimator and the space have them."""
    space, params = _native.Space(TEXT), ESTIMATORS[kind]._params()
    _native._library.space_draw(space._handle, SEED, config, params._handle)
    return params


def train_from_the_start(kind: Any, X: Any, y: Any) -> Callable[[int, int, int, Fraction], float]:
    """Every trial is a training of its own, with so many rounds; nothing of the tuner takes part."""
    dataset, _ = clone(ESTIMATORS[kind])._rows(X, y, None)
    folds = [dataset.fold(N_FOLDS, kind is MixBoostClassifier, SEED, fold) for fold in range(N_FOLDS)]

    def evaluate(_stage: int, config: int, fold: int, resource: Fraction) -> float:
        params = drawn_params(kind, config)
        trainer = _native.Trainer(*folds[fold], params)
        trainer.run(round(int(params.get("num_round")) * resource))
        return min(trainer.loss(round, valid=True) for round in range(trainer.n_rounds + 1))

    return evaluate


def evaluate_by_fresh_tuners(kind: Any, X: Any, y: Any, settings: Any) -> Callable[[int, int, int, Fraction], float]:
    """A new tuner for each trial, which was never told of another. Fractions of rows are the tuner's to choose."""
    dataset, _ = clone(ESTIMATORS[kind])._rows(X, y, None)

    def evaluate(stage: int, config: int, fold: int, _resource: Fraction) -> float:
        tuner = _native.Tuner(dataset, _native.Space(TEXT), ESTIMATORS[kind]._params())
        for name, value in {**settings, "random_state": SEED, "n_folds": N_FOLDS}.items():
            tuner.set(name, value)
        tuner.start()
        result, _ = tuner.evaluate(_native.Trial(stage, config, fold), 1, lambda: True, wants_model=False)
        assert result.status == _native.OK
        return result.loss

    return evaluate


def assert_same(search: MixBoostSearchCV, stages: list[Ranked]) -> None:
    results = search.cv_results_
    places = list(zip(results["iter"].tolist(), results["config"].tolist(), strict=True))
    assert places == [(i, each) for i, stage in enumerate(stages) for each in stage.losses]
    for row, (i, each) in enumerate(places):
        assert [-results[f"split{fold}_test_score"][row] for fold in range(N_FOLDS)] == stages[i].losses[each]
        assert -results["mean_test_score"][row] == pytest.approx(stages[i].means[each], rel=1e-15)
    assert search.n_resources_ == [float(stage.resource) for stage in stages]
    assert results["config"][search.best_index_] == winner(stages)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "settings",
    [
        {"n_configs": 18, "eta": 4, "min_resource": "1/16"},
        {"n_configs": 13, "eta": 2, "min_resource": "0.3"},
        {"n_configs": 9, "eta": 3, "min_resource": "1/9"},
        {"n_configs": 3, "eta": 2, "min_resource": "1"},
    ],
    ids=lambda settings: "-".join(map(str, settings.values())),
)
@pytest.mark.parametrize("resource", ["rows", "rounds"])
def test_every_trial_and_all_survivors_are_those_of_a_plain_search(kind: Any, settings: Any, resource: str) -> None:
    X, y = data_for(kind)
    if resource == "rounds":
        evaluate = train_from_the_start(kind, X, y)
    else:
        evaluate = evaluate_by_fresh_tuners(kind, X, y, settings)
    table = stage_table(settings["n_configs"], settings["eta"], Fraction(settings["min_resource"]))
    stages = halve(table, N_FOLDS, evaluate)
    search = small_search(kind, TEXT, resource=resource, random_state=SEED, **settings).fit(X, y)
    assert search.n_candidates_ == [stage.n_configs for stage in table]
    assert_same(search, stages)


@pytest.mark.parametrize("kind", KINDS)
def test_with_all_rows_a_trial_is_a_plain_training(kind: Any) -> None:
    X, y = data_for(kind)
    evaluate = train_from_the_start(kind, X, y)
    search = small_search(kind, TEXT, n_configs=4, min_resource=1, random_state=SEED).fit(X, y)
    assert_same(search, halve([Stage(4, Fraction(1))], N_FOLDS, evaluate))


def test_a_difference_is_noticed() -> None:
    X, y = data_for(MixBoostRegressor)
    search = small_search(MixBoostRegressor, TEXT, n_configs=4, min_resource=1, random_state=SEED).fit(X, y)
    evaluate = train_from_the_start(MixBoostRegressor, X, y)
    other = halve([Stage(4, Fraction(1))], N_FOLDS, lambda *trial: evaluate(*trial) * (1 + 2**-52))
    with pytest.raises(AssertionError):
        assert_same(search, other)


def test_configurations_whose_depths_contradict_are_put_in_order() -> None:
    depths = [
        tuple(int(drawn_params(MixBoostRegressor, i).get(f"{m}_max_depth")) for m in ("min", "max")) for i in range(50)
    ]
    assert all(low <= high for low, high in depths)
    assert len(set(depths)) > 8
    assert np.mean([low < high for low, high in depths]) > 0.5
