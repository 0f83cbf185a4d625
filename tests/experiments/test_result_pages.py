"""The tables: what stands beside what was asked for."""

import pytest


@pytest.fixture
def pages(module):
    return module("result_pages")


def rows_of(text):
    return {line.split(" | ")[0].removeprefix("| "): line.split(" | ")[1:] for line in text.splitlines() if "|" in line}


@pytest.fixture
def outcomes(make_outcome):
    """On two clean and two noisy sets; ours is better than CatBoost on three of them."""
    losses = {
        "catboost": {"letter": 1.0, "pol": 1.0, "adult": 1.0, "elevators": 1.0, "nursery": 1.0},
        "snapml": {"letter": 2.0, "pol": 1.0, "adult": 1.0, "elevators": 1.0},
        "snapml-ridge": {"letter": 1.0, "pol": 2.0, "adult": 1.0, "elevators": 1.0},
        "ours": {"letter": 0.5, "pol": 0.8, "adult": 0.9, "elevators": 1.1, "nursery": 0.1},
        "no-fourier": {"letter": 0.5, "pol": 0.8, "adult": 0.99, "elevators": 1.21},
        "slow": {"letter": 0.5, "pol": 0.8, "adult": 0.45, "elevators": 0.55},
    }
    return [make_outcome(c, a_set, loss) for c, of_sets in losses.items() for a_set, loss in of_sets.items()]


def test_measured_stands_beside_asked(pages, outcomes):
    rows = rows_of(pages.loss_page(outcomes, "stopping"))
    assert rows["ours ÷ catboost, clean"][0] == "0.632" and rows["ours ÷ catboost, clean"][2:4] == ["≤ 0.8", "yes"]
    assert rows["ours ÷ catboost, noisy"][0] == "0.995" and rows["ours ÷ catboost, noisy"][3] == "**no**"
    assert rows["ours ÷ better snapml, clean"][0] == "0.632"
    assert rows["sets won against catboost"][:4] == ["0.80", "", "≥ 0.67", "yes"]  # nursery among them
    assert not any(row.startswith("ours-4") for row in rows)  # nobody measured it


def test_losses_of_every_set_are_shown_and_the_least_stands_out(pages, outcomes):
    rows = rows_of(pages.loss_page(outcomes, "stopping"))
    assert rows["elevators"] == ["noisy", "**1**", "**1**", "**1**", "1.1 |"]
    assert rows["nursery"] == ["apart", "1", "", "", "**0.1** |"]


def test_the_best_peer_is_who_leaves_least(pages, make_outcome):
    losses = {"catboost": 0.5, "xgboost": 1.0, "ours": 0.6}
    found = [make_outcome(name, a_set, loss, protocol="plain") for name, loss in losses.items() for a_set in ("pol",)]
    row = rows_of(pages.loss_page(found, "plain"))["ours ÷ catboost, the best peer, all"]
    assert row[0] == "1.200" and "**no**" in row


def test_ablations_are_over_ours(pages, outcomes):
    text = pages.ablation_page(outcomes)
    off, other = text.split("## Other values, ÷ ours")
    row = rows_of(off)["no-fourier"]
    assert row[0] == "1.000" and row[3] == "1.100" and row[5] == "0 of 2"
    assert rows_of(other)["slow"][3] == "0.500" and "slow" not in rows_of(off)
    assert "Chosen: slow 100%" in other


def test_sizes_are_over_everybody_and_say_where_ours_is_worst(pages, make_outcome):
    losses = {
        "constant": {"letter": 1.0, "adult": 1.0, "nursery": 1.0},
        "ridge": {"letter": 0.1, "adult": 1.0, "nursery": 1.0},
        "ours": {"letter": 0.5, "adult": 0.8, "nursery": 9.0},
    }
    few = [
        make_outcome(c, a_set, loss, protocol="200 rows")
        for c, found in losses.items()
        for a_set, loss in found.items()
    ]
    whole = [
        make_outcome(c, "donors", loss, protocol="all rows", seconds=10 * loss)
        for c, loss in {"constant": 0.5, "ours": 0.25}.items()
    ]
    text = pages.size_page(few + whole)
    assert "## 50 rows" not in text
    of_few, of_all = text.split("## 200 rows")[1].split("## All rows")
    assert "scikit-learn 1, mixboost 1." in of_few and "3 sets, seeds 0." in of_few
    assert rows_of(of_few)["constant"][6] == "0.632" and rows_of(of_few)["ridge"][8] == "1 of 2"
    assert "Worst against constant: adult, 0.800.\nWorst against ridge: letter, 5.000." in of_few
    of_losses, of_seconds = of_all.split("Seconds")
    assert rows_of(of_losses)["donors"] == ["apart", "0.5", "**0.25** |"]
    assert rows_of(of_seconds)["donors"] == ["5.00", "2.50 |"]


def test_a_page_says_what_is_mixed_and_what_failed(pages, make_outcome):
    found = [make_outcome("ours", "pol", 1.0), make_outcome("ours", "adult", 1.0, version="2")]
    found += [make_outcome("snapml", "adult", error="its process died")]
    text = pages.loss_page(found, "stopping")
    assert "mixed: ours." in text and "mixboost 1 and 2" in text
    assert "Failed: snapml on adult, seed 0 (its process died)." in text


def test_the_best_of_the_repeats_counts(pages, make_outcome):
    times = [("ours", 3.0), ("ours", 2.0), ("lightgbm", 4.0), ("lightgbm", 5.0)]
    found = [
        make_outcome(name, "pol", seconds=seconds, protocol="times", repeat=i, machine="a machine")
        for i, (name, seconds) in enumerate(times)
    ]
    found += [make_outcome("ours", "pol", seconds=0.1, protocol="times", machine="another")]
    rows = rows_of(pages.time_page(found, "a machine"))
    assert rows["ours"] == ["2.00", "0.50", "yes |"] and rows["lightgbm"][:2] == ["4.00", "1.00"]
