"""Whether contestants differ over a collection of sets: the paper's tests, on losses[contestant][set].

Average ranks; the Friedman test with the correction of Iman and Davenport; Wilcoxon's signed-rank test for each pair
with Li's procedure; Nemenyi's critical difference. Ranks and the Friedman test are of those contestants that have a
finite loss on every set; Wilcoxon's test is on the sets that both of a pair have one on.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from scipy import stats
from tables import table

Losses = dict[str, dict[str, float]]

LEVEL = 0.05


def has_loss(losses: Losses, contestant: str, name: str) -> bool:
    return math.isfinite(losses[contestant].get(name, math.nan))


def sets_of(losses: Losses) -> list[str]:
    """Every set that somebody finished, in the order they come."""
    return list(dict.fromkeys(name for who in losses for name in losses[who] if has_loss(losses, who, name)))


def complete_sets(losses: Losses, contestants: Iterable[str]) -> list[str]:
    """The sets that all of these finished."""
    contestants = list(contestants)
    return [name for name in sets_of(losses) if all(has_loss(losses, who, name) for who in contestants)]


def finishers(losses: Losses) -> Losses:
    """The contestants that have a loss on every set that somebody has one on."""
    sets = sets_of(losses)
    return {who: losses[who] for who in losses if all(has_loss(losses, who, name) for name in sets)}


def shared(losses: Losses) -> Losses:
    """All contestants that have a loss, on the sets that all of these have one on."""
    contestants = [who for who in losses if any(has_loss(losses, who, name) for name in losses[who])]
    sets = complete_sets(losses, contestants)
    return {who: {name: losses[who][name] for name in sets} for who in contestants}


def is_partial(losses: Losses) -> bool:
    """Whether somebody lacks sets, and there are two or more that all have."""
    return len(finishers(losses)) < len(shared(losses)) and len(sets_of(shared(losses))) > 1


def average_ranks(losses: Losses) -> dict[str, float]:
    """Of the finishers. 1 is the best; equal losses share the mean of their ranks."""
    losses = finishers(losses)
    if not losses:
        return {}
    sets = sets_of(losses)
    ranks = stats.rankdata([[of_sets[name] for name in sets] for of_sets in losses.values()], axis=0)
    return dict(zip(losses, map(float, ranks.mean(axis=1)), strict=True))


# ---- all contestants at once ----


@dataclass(frozen=True)
class Friedman:
    """The test that all contestants are alike."""

    n_sets: int
    chi_square: float
    p_chi_square: float
    f: float  # Iman and Davenport's
    p: float


def friedman(losses: Losses) -> Friedman | None:
    """None with fewer than three finishers or fewer than two sets."""
    losses = finishers(losses)
    sets = sets_of(losses)
    n, k = len(sets), len(losses)
    if n < 2 or k < 3:
        return None
    columns = [[of_sets[name] for name in sets] for of_sets in losses.values()]
    if np.ptp(columns, axis=0).max() == 0:  # all are equal everywhere, which scipy's divides by
        return Friedman(n, 0.0, 1.0, 0.0, 1.0)
    chi_square, p_chi_square = map(float, stats.friedmanchisquare(*columns))
    room = n * (k - 1) - chi_square  # 0 where all sets have the same order
    f = (n - 1) * chi_square / room if room > 1e-9 else math.inf
    return Friedman(n, chi_square, p_chi_square, f, float(stats.f.sf(f, k - 1, (k - 1) * (n - 1))))


def critical_difference(n_contestants: int, n_sets: int) -> float:
    """Nemenyi's: average ranks that are nearer than this do not differ at the level of 0.05."""
    q = float(stats.studentized_range.isf(LEVEL, n_contestants, np.inf)) / math.sqrt(2)
    return q * math.sqrt(n_contestants * (n_contestants + 1) / (6 * n_sets))


def alike_groups(ranks: dict[str, float], difference: float) -> list[list[str]]:
    """The largest groups of two or more whose ranks lie within a critical difference, the best contestant first."""
    order = sorted(ranks, key=lambda who: ranks[who])
    reach = [[who for who in order[i:] if ranks[who] - ranks[order[i]] < difference] for i in range(len(order))]
    return [
        group
        for i, group in enumerate(reach)
        if len(group) > 1 and (i == 0 or group[-1] != reach[i - 1][-1])  # or it is a part of the one before
    ]


# ---- pairs ----


@dataclass(frozen=True)
class Pair:
    """Wilcoxon's signed-rank test of two contestants, the better one first."""

    better: str
    worse: str
    n_sets: int
    wins: int  # of the better one; the other's are `losses`, the rest are equal
    losses: int
    p_paper: float  # one-sided, by the normal approximation without a correction for continuity, as the paper tests
    p_exact: float  # two-sided, by the exact distribution
    li_paper: float = math.nan  # after Li's procedure over all pairs
    li_exact: float = math.nan


def wilcoxon(losses: Losses, first: str, second: str) -> Pair | None:
    """None with fewer than two sets that both finished. Sets with equal losses do not count, as Wilcoxon has it."""
    sets = complete_sets(losses, (first, second))
    if len(sets) < 2:
        return None
    differences = np.array([losses[first][name] - losses[second][name] for name in sets])
    differences = differences[differences != 0]
    ranks = stats.rankdata(np.abs(differences))
    if ranks[differences > 0].sum() > ranks[differences < 0].sum():
        first, second, differences = second, first, -differences
    wins, defeats = int((differences < 0).sum()), int((differences > 0).sum())
    if differences.size == 0:
        return Pair(first, second, len(sets), 0, 0, 0.5, 1.0)
    approximate = stats.wilcoxon(differences, alternative="less", correction=False, method="approx").pvalue
    # scipy's formula is for different ranks; among ties it asks every choice of signs.
    is_tied = len(set(ranks)) < len(ranks)
    method = stats.PermutationMethod(n_resamples=np.inf) if is_tied else "exact"
    exact = stats.wilcoxon(differences, method=method).pvalue
    return Pair(first, second, len(sets), wins, defeats, float(approximate), float(exact))


def li(p_values: list[float]) -> list[float]:
    """Li's procedure as adjusted p values: p / (p + 1 - the largest p)."""
    largest = max(p_values, default=0.0)
    return [p / (p + 1 - largest) if p > 0 else 0.0 for p in p_values]


def all_pairs(losses: Losses) -> list[Pair]:
    """Every pair with two sets or more in common, with Li's procedure over all of them."""
    found = [wilcoxon(losses, first, second) for first, second in combinations(losses, 2)]
    pairs = [pair for pair in found if pair is not None]
    papers, exacts = li([pair.p_paper for pair in pairs]), li([pair.p_exact for pair in pairs])
    of_pairs = zip(pairs, papers, exacts, strict=True)
    return [replace(pair, li_paper=paper, li_exact=exact) for pair, paper, exact in of_pairs]


# ---- in words ----


def p_text(p: float) -> str:
    return f"{p:.2g}" if p < 0.1 else f"{p:.2f}"


def report(losses: Losses) -> str:
    """The tests as Markdown: ranks, all contestants at once, each pair."""
    losses = {who: of_sets for who, of_sets in losses.items() if any(has_loss(losses, who, name) for name in of_sets)}
    if len(losses) < 2:
        return "Fewer than two contestants have losses: there is nothing to test.\n"
    return "\n".join([*rank_lines(losses), friedman_text(losses), pair_text(losses)])


def rank_lines(losses: Losses) -> list[str]:
    ranked, ranks, sets = finishers(losses), average_ranks(losses), sets_of(losses)
    lines = []
    for who in losses:
        missing = [name for name in sets if not has_loss(losses, who, name)]
        if missing:
            lines.append(f"{who} has no rank: it has no loss on {', '.join(missing)}.\n")
    if len(ranks) > 1:
        least = {name: min(of_sets[name] for of_sets in ranked.values()) for name in sets}
        firsts = {who: sum(ranked[who][name] == least[name] for name in sets) for who in ranked}
        rows = [[who, f"{ranks[who]:.2f}", str(firsts[who])] for who in sorted(ranks, key=lambda who: ranks[who])]
        lines.append(table(["contestant", "average rank", f"first, of {len(sets)} sets"], rows))
    return lines


def friedman_text(losses: Losses) -> str:
    test = friedman(losses)
    if test is None:
        return "The Friedman test needs three contestants with a loss on every set, and two sets.\n"
    k = len(finishers(losses))
    return (
        f"Friedman test of {k} contestants over {test.n_sets} sets: χ² = {test.chi_square:.2f},"
        f" p = {p_text(test.p_chi_square)}; with Iman"
        f" and Davenport's correction F({k - 1}, {(k - 1) * (test.n_sets - 1)}) = {test.f:.2f},"
        f" **p = {test.p:.3g}**. Nemenyi's critical difference of ranks at the level of {LEVEL:g} is"
        f" {critical_difference(k, test.n_sets):.2f}.\n"
    )


def pair_text(losses: Losses) -> str:
    pairs = all_pairs(losses)
    if not pairs:
        return "Wilcoxon's test needs two sets that both of a pair finished.\n"
    rows = [
        [
            f"{pair.better} < {pair.worse}",
            f"{pair.wins} : {pair.losses}",
            str(pair.n_sets),
            *map(p_text, (pair.p_paper, pair.li_paper, pair.p_exact, pair.li_exact)),
        ]
        for pair in pairs
    ]
    header = ["loss of", "wins", "sets", "p as the paper's", "with Li", "exact p", "with Li"]
    return table(header, rows) + (
        "\nWilcoxon's signed-rank test of each pair, on the sets that both finished. *As the paper's*: one-sided in the"
        " direction that the losses show, normal approximation without a correction for continuity. *Exact*: two-sided,"
        " the reading to trust. *With Li*: after Li's procedure over all pairs, p / (p + 1 - the largest p).\n"
    )
