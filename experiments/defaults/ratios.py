"""Losses of contestants against each other: ratios a set, their geometric means, wins, ranks.

Seeds are averaged first: a set's loss is the geometric mean over its seeds, and a set's ratio is that over the seeds
which both have. A ratio is clipped, so that no set alone makes a mean.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from outcomes import Outcome
from sets import APART, CLEAN, NOISY, SOURCES

LEAST_RATIO, LARGEST_RATIO = 0.5, 2.0
LEAST_LOSS = 1e-9  # of a set that is learned without any error
N_RESAMPLES = 10_000
EVERY_SET = "every set"
GROUPS = {CLEAN: (CLEAN,), NOISY: (NOISY,), "all": (CLEAN, NOISY), EVERY_SET: (CLEAN, NOISY, APART)}

# Losses by contestant, set and seed.
Losses = dict[str, dict[str, dict[int, float]]]


def losses_of(outcomes: Iterable[Outcome], protocol: str) -> Losses:
    losses: Losses = {}
    for outcome in outcomes:
        key = outcome.key
        if key.protocol == protocol and outcome.loss is not None:
            of_set = losses.setdefault(key.contestant, {}).setdefault(key.set, {})
            of_set[key.seed] = max(outcome.loss, LEAST_LOSS)
    return losses


def geometric_mean(values: Iterable[float]) -> float:
    return float(np.exp(np.mean(np.log(list(values)))))


def better_of(losses: Losses, names: Iterable[str]) -> dict[str, dict[int, float]]:
    """For each set the losses of whoever is best there: somebody who always chose the right one of several settings."""
    best: dict[str, dict[int, float]] = {}
    for name in names:
        for a_set, seeds in losses.get(name, {}).items():
            if a_set not in best or geometric_mean(seeds.values()) < geometric_mean(best[a_set].values()):
                best[a_set] = seeds
    return best


def set_ratios(losses: Losses, ours: str, peer: str) -> dict[str, float]:
    """Our loss over the peer's on each set that both have, over their common seeds; not clipped."""
    ratios = {}
    for a_set, seeds in losses.get(ours, {}).items():
        others = losses.get(peer, {}).get(a_set, {})
        common = sorted(seeds.keys() & others.keys())
        if common:
            ratios[a_set] = geometric_mean(seeds[seed] / others[seed] for seed in common)
    return ratios


def set_losses(losses: Losses, contestants: list[str], a_set: str) -> dict[str, float]:
    """Everybody's loss on a set, over the seeds that all of those have who have the set."""
    found = {name: losses[name][a_set] for name in contestants if a_set in losses.get(name, {})}
    shared = set.intersection(*(set(seeds) for seeds in found.values())) if found else set()
    return {name: geometric_mean(seeds[seed] for seed in sorted(shared)) for name, seeds in found.items() if shared}


def of_group(ratios: dict[str, float], group: str) -> dict[str, float]:
    return {a_set: ratio for a_set, ratio in ratios.items() if SOURCES[a_set].group in GROUPS[group]}


class Summary(NamedTuple):
    """Ratios over a group of sets: geometric mean, its bootstrap interval of 95 %, and how many sets are won."""

    mean: float
    low: float
    high: float
    n_won: int
    n_sets: int


def clipped_logarithms(ratios: Iterable[float]) -> NDArray[np.float64]:
    return np.log(np.clip(np.array(list(ratios), dtype=np.float64), LEAST_RATIO, LARGEST_RATIO))


def summarise(ratios: dict[str, float]) -> Summary | None:
    """None where there is no set. The interval comes from drawing the sets anew, with the same seed each time."""
    if not ratios:
        return None
    logarithms = clipped_logarithms(ratios.values())
    draws = np.random.default_rng(0).integers(len(logarithms), size=(N_RESAMPLES, len(logarithms)))
    low, high = np.quantile(logarithms[draws].mean(axis=1), [0.025, 0.975])
    mean, low, high = map(float, np.exp([logarithms.mean(), low, high]))
    return Summary(mean, low, high, sum(ratio < 1 for ratio in ratios.values()), len(ratios))


def mean_ranks(losses: Losses, contestants: list[str], group: str) -> dict[str, float]:
    """Over the sets that all of them have; 1 is the best, and who is level shares the mean of the places."""
    names = [name for name, source in SOURCES.items() if source.group in GROUPS[group]]
    found = [set_losses(losses, contestants, a_set) for a_set in names]
    table = np.array([list(of_set.values()) for of_set in found if len(of_set) == len(contestants)])
    if table.size == 0:
        return {}
    below = (table[:, None, :] < table[:, :, None]).sum(axis=2)
    level = (table[:, None, :] == table[:, :, None]).sum(axis=2)
    ranks = (below + (level + 1) / 2).mean(axis=0)
    return dict(zip(contestants, map(float, ranks), strict=True))


# ---- Choosing on half of the sets -------------------------------------------------------------------------------


class HalfChoice(NamedTuple):
    """What choosing the best variant on half of the sets gives on the other half, against a base."""

    here: float  # the chosen ones' ratio on the half that they were chosen on
    there: float  # and on the other half
    shares: dict[str, float]  # how often each variant was chosen, the most chosen first


def choose_on_halves(losses: Losses, variants: list[str], base: str, n_splits: int = 1000) -> HalfChoice | None:
    """Splits the sets in two at random, both groups alike, chooses on one half and looks at the other, both ways.

    The difference between `here` and `there` is what choosing among these variants pretends to give.
    """
    ratios = {variant: of_group(set_ratios(losses, variant, base), "all") for variant in variants}
    shared = sorted(set.intersection(*(set(found) for found in ratios.values()))) if ratios else []
    if len(shared) < 4:
        return None
    table = np.array([clipped_logarithms(ratios[variant][a_set] for a_set in shared) for variant in variants])
    is_clean = np.array([SOURCES[a_set].group == CLEAN for a_set in shared])
    random = np.random.default_rng(0)
    here, there, chosen = [], [], []
    for _ in range(n_splits):
        half = random_half(is_clean, random)
        for first in (half, ~half):
            best = int(np.argmin(table[:, first].mean(axis=1)))
            here.append(table[best, first].mean())
            there.append(table[best, ~first].mean())
            chosen.append(variants[best])
    shares = {name: count / len(chosen) for name, count in Counter(chosen).most_common()}
    return HalfChoice(float(np.exp(np.mean(here))), float(np.exp(np.mean(there))), shares)


def random_half(is_clean: NDArray[np.bool_], random: np.random.Generator) -> NDArray[np.bool_]:
    """Half of either group, the odd set of one at random."""
    half = np.zeros(len(is_clean), dtype=bool)
    for group in (np.flatnonzero(is_clean), np.flatnonzero(~is_clean)):
        n = (len(group) + random.integers(2)) // 2
        half[random.choice(group, n, replace=False)] = True
    return half
