"""What a search found, as scikit-learn shows it: a row for every configuration and stage."""

from __future__ import annotations

import math
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _native
from ._estimators import option_value
from ._native import Trial, Tuner
from ._trials import Study


def result_table(study: Study, error_score: float) -> dict[str, Any]:
    """``cv_results_``: configurations that are done on all folds of a stage, stage by stage."""
    tuner = study.tuner
    rows = _done(tuner)
    results = [[tuner.result(Trial(*row, fold)) for fold in range(tuner.n_folds)] for row in rows]
    losses = np.array([[one.loss if one and one.status == _native.OK else np.nan for one in row] for row in results])
    seconds = np.array([[one.seconds if one else np.nan for one in row] for row in results])
    scores = np.where(np.isnan(losses), error_score, -losses)
    params = {config: params_of(study, config) for _, config in rows}
    table: dict[str, Any] = {
        "iter": np.array([stage for stage, _ in rows]),
        "n_resources": np.array([tuner.stage_resource(stage) for stage, _ in rows]),
        "config": np.array([config for _, config in rows]),
        "mean_fit_time": seconds.mean(axis=1),
        "std_fit_time": seconds.std(axis=1),
        **_columns([params[config] for _, config in rows]),
        "params": [params[config] for _, config in rows],
        **{f"split{fold}_test_score": scores[:, fold] for fold in range(tuner.n_folds)},
    }
    means = np.array([-tuner.loss(*row) for row in rows])
    table["mean_test_score"] = np.where(np.isfinite(means), means, scores.mean(axis=1))
    table["std_test_score"] = scores.std(axis=1)
    table["rank_test_score"] = _ranks(tuner, rows)
    return table


def _done(tuner: Tuner) -> list[tuple[int, int]]:
    """The stage and number of configurations that are done on all folds."""
    rows = [(stage, config) for stage in range(tuner.n_stages) for config in tuner.stage_configs(stage)]
    return [row for row in rows if not math.isnan(tuner.loss(*row))]


def _ranks(tuner: Tuner, rows: list[tuple[int, int]]) -> NDArray[np.int32]:
    """By stage, the last first, then by loss, then by number."""
    order = sorted(range(len(rows)), key=lambda i: (-rows[i][0], tuner.loss(*rows[i]), rows[i][1]))
    ranks = np.empty(len(rows), dtype=np.int32)
    ranks[order] = np.arange(1, len(rows) + 1)
    return ranks


def _columns(params: list[dict[str, Any]]) -> dict[str, np.ma.MaskedArray[Any, Any]]:
    """A column for each option, masked where a row does not have it."""
    columns = {}
    for name in sorted({name for each in params for name in each}):
        known = np.array([each[name] for each in params if name in each and is_number(each[name])])
        is_all = len(known) == sum(name in each for each in params)
        values = np.ma.MaskedArray(np.empty(len(params), dtype=known.dtype if is_all else object), mask=True)
        for i, each in enumerate(params):
            if name in each:
                values[i] = each[name]
        columns[f"param_{name}"] = values
    return columns


def params_of(study: Study, config: int) -> dict[str, Any]:
    """What makes the search's estimator one of this configuration, for a training on all rows.

    It has what the configuration drew, the rounds that its trials kept, and a preset written out, since to an estimator
    a value that equals its default counts as not given.
    """
    params, drawn = study.tuner.params(config), study.space.scales()
    plain = _native.Params({name: text for name, text in study.recipe.params.items() if name != "preset"})
    values = {}
    for option in _native.options():
        text = params.get(option.name)
        is_set = option.name in drawn or text != plain.get(option.name) or option.name == "num_round"
        if is_set and not option.name.endswith("n_threads"):
            values[option.name] = option_value(option, text)
    if values.pop("preset", "default") != "default" and study.recipe.estimator.preset != "default":
        values["preset"] = "default"
    return values


def is_number(value: object) -> bool:
    """Whether an option's value is a number and not a switch or a word."""
    return isinstance(value, Real) and not isinstance(value, bool)
