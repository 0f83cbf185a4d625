"""Ratios of losses: seeds first, then sets; clipped; intervals, ranks, and choosing on half of the sets."""

import numpy as np
import pytest


@pytest.fixture
def ratios(module):
    return module("ratios")


def test_seeds_are_averaged_first_and_only_common_ones(ratios):
    losses = {
        "ours": {"adult": {0: 1.0, 1: 4.0, 2: 99.0}},
        "peer": {"adult": {0: 2.0, 1: 2.0, 3: 1.0}, "pol": {0: 1.0}},
    }
    assert ratios.set_ratios(losses, "ours", "peer") == {"adult": pytest.approx(1.0)}


def test_outcomes_become_losses(ratios, make_outcome):
    found = [make_outcome("ours", "pol", 0.5), make_outcome("ours", "pol", 0.0, seed=1)]
    found += [make_outcome("ours", "adult", error="it broke"), make_outcome("ours", "adult", 0.7, protocol="plain")]
    assert ratios.losses_of(found, "stopping") == {"ours": {"pol": {0: 0.5, 1: ratios.LEAST_LOSS}}}


def test_a_mean_is_geometric_and_clipped(ratios):
    summary = ratios.summarise({"pol": 0.001, "adult": 0.8, "letter": 1.0})
    assert summary.mean == pytest.approx((0.5 * 0.8) ** (1 / 3))
    assert (summary.n_won, summary.n_sets) == (2, 3)
    assert ratios.summarise({"pol": 70.0}).mean == pytest.approx(2)
    assert ratios.summarise({}) is None


def test_an_interval_holds_the_mean_and_narrows_with_more_sets(ratios):
    random = np.random.default_rng(1)
    widths = []
    for n in (10, 1000):
        values = np.exp(random.normal(-0.05, 0.1, n))
        summary = ratios.summarise({str(i): value for i, value in enumerate(values)})
        assert summary.low < summary.mean < summary.high
        widths.append(np.log(summary.high / summary.low))
    error = 0.1 / np.sqrt(1000)
    assert widths[1] == pytest.approx(2 * 1.96 * error, rel=0.15) and widths[0] > 5 * widths[1]


def test_sets_apart_are_only_among_every_set(ratios):
    found = {"letter": 0.5, "adult": 0.9, "nursery": 7.0, "CreditCardSubset": 3.0}
    assert ratios.of_group(found, "clean") == {"letter": 0.5}
    assert ratios.of_group(found, "noisy") == {"adult": 0.9}
    assert ratios.of_group(found, "all") == {"letter": 0.5, "adult": 0.9}
    assert ratios.of_group(found, "every set") == found


def test_the_better_of_two_is_chosen_set_by_set(ratios):
    losses = {"a": {"pol": {0: 1.0, 1: 1.0}, "adult": {0: 3.0}}, "b": {"pol": {0: 0.5, 1: 3.0}, "adult": {0: 2.0}}}
    assert ratios.better_of(losses, ["a", "b", "nobody"]) == {"pol": {0: 1.0, 1: 1.0}, "adult": {0: 2.0}}


def test_losses_side_by_side_are_of_the_same_seeds(ratios):
    losses = {"a": {"pol": {0: 1.0, 1: 4.0}}, "b": {"pol": {0: 3.0, 2: 9.0}}, "c": {"pol": {5: 1.0}}, "d": {}}
    assert ratios.set_losses(losses, ["a", "b", "d"], "pol") == {"a": pytest.approx(1), "b": pytest.approx(3)}
    assert ratios.set_losses(losses, ["a", "c"], "pol") == {}


def test_ranks_share_places_and_need_everybody(ratios):
    losses = {
        "a": {"pol": {0: 1.0}, "letter": {0: 1.0}, "adult": {0: 1.0}},
        "b": {"pol": {0: 2.0}, "letter": {0: 1.0}, "adult": {0: 9.0}},
        "c": {"pol": {0: 3.0}, "letter": {0: 0.5}},
    }
    assert ratios.mean_ranks(losses, ["a", "b", "c"], "clean") == {"a": 1.75, "b": 2.25, "c": 2.0}
    assert ratios.mean_ranks(losses, ["a", "b", "c"], "noisy") == {}
    assert ratios.mean_ranks(losses, ["a", "b"], "noisy") == {"a": 1, "b": 2}


def noise_of_variants(module, n_variants, effect=0.0):
    """Variants that differ by chance alone, but for one that is better everywhere by `effect`."""
    random = np.random.default_rng(5)
    names = [name for name, source in module("sets").SOURCES.items() if source.group != "apart"]
    losses = {"ours": {name: {0: 1.0} for name in names}}
    for k in range(n_variants):
        shift = effect if k == 3 else 0.0
        losses[f"v{k}"] = {name: {0: float(np.exp(random.normal(-shift, 0.02)))} for name in names}
    return losses


def test_chance_looks_good_only_where_it_was_chosen(ratios, module):
    losses = noise_of_variants(module, 20)
    choice = ratios.choose_on_halves(losses, list(losses), "ours", n_splits=300)
    assert choice.here < 0.99 and choice.there > choice.here + 0.005
    assert sum(choice.shares.values()) == pytest.approx(1)


def test_a_true_gain_is_chosen_and_stays(ratios, module):
    losses = noise_of_variants(module, 6, effect=0.1)
    choice = ratios.choose_on_halves(losses, list(losses), "ours", n_splits=100)
    assert choice.shares == {"v3": 1.0} and choice.there == pytest.approx(np.exp(-0.1), rel=0.01)


def test_halves_take_both_groups_alike(ratios):
    random = np.random.default_rng(0)
    is_clean = np.array([True] * 4 + [False] * 7)
    for _ in range(50):
        half = ratios.random_half(is_clean, random)
        assert half[:4].sum() == 2 and half[4:].sum() in (3, 4)


def test_few_sets_cannot_be_halved(ratios):
    losses = {name: {"pol": {0: 1.0}, "adult": {0: 1.0}} for name in ("ours", "v")}
    assert ratios.choose_on_halves(losses, ["ours", "v"], "ours") is None
