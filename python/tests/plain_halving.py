"""Successive halving, the paper's Algorithm 2, once more and plainly: to compare the library's with."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple


class Stage(NamedTuple):
    n_configs: int
    resource: Fraction


class Ranked(NamedTuple):
    """A stage that was run."""

    resource: Fraction
    losses: dict[int, list[float]]  # of each configuration, on each fold
    means: dict[int, float]


def stage_table(n_configs: int, eta: int, min_resource: Fraction) -> list[Stage]:
    """s_max = floor(-log_eta r_min), n_i = max(1, floor(n_0 eta^-i)), r_i = eta^(i - s_max)."""
    s_max = 0
    while Fraction(1, eta ** (s_max + 1)) >= min_resource:
        s_max += 1
    assert n_configs >= eta**s_max
    return [
        Stage(max(1, math.floor(Fraction(n_configs, eta**i))), Fraction(eta) ** (i - s_max)) for i in range(s_max + 1)
    ]


def halve(table: list[Stage], n_folds: int, evaluate: Callable[[int, int, int, Fraction], float]) -> list[Ranked]:
    """Runs all stages; `evaluate` is given a stage, a configuration, a fold and the resource."""
    configs, stages = list(range(table[0].n_configs)), []
    for number, (_, resource) in enumerate(table):
        losses = {each: [evaluate(number, each, fold, resource) for fold in range(n_folds)] for each in configs}
        means = {each: sum(losses[each]) / n_folds for each in configs}
        stages.append(Ranked(resource, losses, means))
        best_first = sorted(configs, key=lambda each: (means[each], each))
        configs = sorted(best_first[: table[number + 1].n_configs]) if number + 1 < len(table) else best_first[:1]
    return stages


def winner(stages: list[Ranked]) -> int:
    means = stages[-1].means
    return min(means, key=lambda each: (means[each], each))
