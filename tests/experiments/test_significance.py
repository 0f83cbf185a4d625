"""The tests of significance: the paper's figures, brute force, and what is missing or tied."""

import itertools
import math

import pytest


@pytest.fixture
def significance(module):
    return module("significance")


@pytest.fixture
def published(module):
    return module("published").OPENML_LOSSES


def of(*rows):
    """Losses of contestants a, b, ... on sets 0, 1, ..."""
    return {who: dict(zip("0123456789", row, strict=False)) for who, row in zip("abcdef", rows, strict=False)}


# ---- the paper's ----


def test_ranks_are_the_published_ones(significance, module, published):
    assert significance.average_ranks(published) == pytest.approx(module("published").OPENML_RANKS)


def test_friedman_gives_the_papers_p(significance, published):
    test = significance.friedman(published)
    assert test.chi_square == pytest.approx(10.4) and test.f == pytest.approx(9.75)
    assert test.p == pytest.approx(0.00135, abs=5e-6)


@pytest.mark.parametrize(
    "better, worse, paper, exact, exact_alone",
    [
        ("SnapBoost", "XGBoost", 0.0039, 0.0084, 2 / 1024),
        ("SnapBoost", "LightGBM", 0.0168, 0.078, 20 / 1024),
        ("XGBoost", "LightGBM", 0.36, 0.77, 788 / 1024),
    ],
)
def test_wilcoxon_with_li_gives_the_papers_p(significance, published, better, worse, paper, exact, exact_alone):
    (pair,) = [pair for pair in significance.all_pairs(published) if (pair.better, pair.worse) == (better, worse)]
    assert pair.li_paper == pytest.approx(paper, rel=0.012) and pair.li_exact == pytest.approx(exact, rel=0.012)
    assert pair.p_exact == pytest.approx(exact_alone)


def test_the_report_of_the_published_losses(significance, published):
    text = significance.report(published)
    assert "| SnapBoost | 1.20 | 8 |" in text and "**p = 0.00135**" in text and "no rank" not in text
    assert "| SnapBoost < XGBoost | 10 : 0 | 10 | 0.0025 | 0.0039 | 0.002 | 0.0084 |" in text


# ---- from the definitions ----


def exact_by_hand(differences):
    """Two-sided: how many choices of signs lie as far out as the one that is there, or further."""
    ordered = sorted(abs(d) for d in differences)
    ranks = [(ordered.index(abs(d)) + 1 + len(ordered) - ordered[::-1].index(abs(d))) / 2 for d in differences]
    middle = sum(ranks) / 2
    found = abs(sum(rank for rank, d in zip(ranks, differences, strict=True) if d > 0) - middle)
    sums = [sum(itertools.compress(ranks, signs)) for signs in itertools.product((0, 1), repeat=len(ranks))]
    return sum(abs(s - middle) >= found - 1e-9 for s in sums) / len(sums)


@pytest.mark.parametrize("differences", [[1, 2, -3, 4, 5], [1, 1, -1, 2, 2, 3], [-2, -2, -2], [1, -1]])
def test_the_exact_p_counts_choices_of_signs(significance, differences):
    losses = of([10.0 + d for d in differences], [10.0] * len(differences))
    assert significance.wilcoxon(losses, "a", "b").p_exact == pytest.approx(exact_by_hand(differences))


def test_equal_losses_do_not_count(significance):
    without, beside = of([1.0, 3.0, 7.0], [2.0, 5.0, 4.0]), of([1.0, 3.0, 7.0, 9.0], [2.0, 5.0, 4.0, 9.0])
    one, other = (significance.wilcoxon(losses, "a", "b") for losses in (without, beside))
    assert one.p_exact == other.p_exact and one.p_paper == other.p_paper and (one.n_sets, other.n_sets) == (3, 4)
    nothing = significance.wilcoxon(of([1.0, 2.0], [1.0, 2.0]), "a", "b")
    assert nothing.p_exact == 1 and nothing.p_paper == 0.5 and nothing.wins == nothing.losses == 0


def test_the_better_one_comes_first(significance):
    losses = of([2.0, 2.0, 1.0], [1.0, 1.5, 1.1])
    for order in (("a", "b"), ("b", "a")):
        pair = significance.wilcoxon(losses, *order)
        assert (pair.better, pair.worse, pair.wins, pair.losses) == ("b", "a", 2, 1)


def test_li_leaves_the_largest_and_raises_the_others(significance):
    assert significance.li([0.01, 0.5, 0.2]) == pytest.approx([0.01 / 0.51, 0.5, 0.2 / 0.7])
    assert significance.li([0.0, 1.0]) == [0.0, 1.0] and significance.li([]) == []


def test_tied_losses_share_ranks(significance):
    assert significance.average_ranks(of([1.0, 1.0], [1.0, 2.0], [3.0, 2.0])) == {"a": 1.25, "b": 2.0, "c": 2.75}
    assert significance.friedman(of([1.0, 2.0], [1.0, 2.0], [1.0, 2.0])).p == 1


def test_the_same_order_everywhere_is_the_surest(significance):
    test = significance.friedman(of([1.0] * 4, [2.0] * 4, [3.0] * 4))
    assert test.chi_square == pytest.approx(8) and math.isinf(test.f) and test.p == 0


def test_the_critical_difference_is_demsars(significance):
    """Table 5 of his paper has q = 2.343, 2.728, 3.164 for 3, 5 and 10 contestants at the level of 0.05."""
    for k, q in ((3, 2.343), (5, 2.728), (10, 3.164)):
        assert significance.critical_difference(k, 14) == pytest.approx(q * math.sqrt(k * (k + 1) / 84), abs=5e-4)


def test_groups_are_the_largest_that_do_not_differ(significance):
    ranks = {"d": 4.0, "a": 1.0, "b": 1.5, "c": 2.2}
    assert significance.alike_groups(ranks, 1.0) == [["a", "b"], ["b", "c"]]
    assert significance.alike_groups(ranks, 1.3) == [["a", "b", "c"]]
    assert significance.alike_groups(ranks, 0.5) == []


# ---- what is missing ----


def test_who_did_not_finish_has_no_rank(significance):
    losses = of([1.0, 2.0, 3.0, 4.0], [2.0, 3.0, math.nan, 5.0], [3.0, 1.0, 1.0, 6.0])
    del losses["c"]["3"]
    assert significance.average_ranks(losses) == {"a": 1.0}  # who has a loss on all four sets
    assert {(pair.better, pair.worse): pair.n_sets for pair in significance.all_pairs(losses)} == {
        ("a", "b"): 3,
        ("c", "a"): 3,
        ("c", "b"): 2,
    }
    losses["d"], losses["e"] = dict.fromkeys("0123", 5.0), dict.fromkeys("0123", 0.5)
    assert significance.average_ranks(losses) == {"a": 2.0, "d": 3.0, "e": 1.0}
    assert significance.friedman(losses).n_sets == 4
    text = significance.report(losses)
    assert "b has no rank: it has no loss on 2." in text and "c has no rank: it has no loss on 3." in text
    assert "first, of 4 sets" in text and "Friedman test of 3 contestants over 4 sets" in text


def test_too_little_is_said_not_tested(significance):
    assert "nothing to test" in significance.report({}) and "nothing to test" in significance.report(of([1.0]))
    assert "nothing to test" in significance.report({"a": {"x": 1.0}, "b": {}})
    two = significance.report(of([1.0, 2.0], [2.0, 3.0]))
    assert "Friedman test needs" in two and "| a < b | 2 : 0 | 2 |" in two
    apart = significance.report({"a": {"x": 1.0}, "b": {"y": 1.0}})
    assert "Wilcoxon's test needs" in apart and "average rank" not in apart
