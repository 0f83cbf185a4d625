"""The benchmark's pages on growth and on forms of histograms: fits, statistics, and that the pages show the results."""

import importlib
import json
import subprocess

import numpy as np
import pytest


@pytest.fixture
def bench(root, monkeypatch):
    """The modules of bench/, which import each other by name."""
    monkeypatch.syspath_prepend(root / "bench")
    return importlib.import_module


# ---- Growth ------------------------------------------------------------------------------------------------------


def test_an_exponent_is_that_of_the_upper_half(bench):
    x = 2.0 ** np.arange(8, 17)
    seconds = np.where(x > 2**12, 3e-9 * x**1.5, 1.0)
    exponent, factor = bench("growth_fits").fit_power(x, seconds)
    assert exponent == pytest.approx(1.5) and factor == pytest.approx(3e-9)


def test_two_points_have_an_exponent(bench):
    exponent, _ = bench("growth_fits").fit_power(np.array([1.0, 2.0]), np.array([3.0, 1.5]))
    assert exponent == pytest.approx(-1)


@pytest.mark.parametrize("terms", [(5e-3, 2e-3, 7e-5), (0.0, 2e-3, 7e-5), (0.0, 0.0, 7e-5), (5e-3, 2e-3, 0.0)])
def test_levels_and_leaves_are_told_apart(bench, terms):
    fits = bench("growth_fits")
    depth = np.arange(2.0, 15, 2)
    leaves = np.minimum(2**depth, 3000 + depth)
    found = fits.fit_depth(depth, leaves, fits.DepthTerms(*terms).at(depth, leaves))
    assert found == pytest.approx(terms, rel=1e-6, abs=1e-12)


def test_no_term_of_a_depth_is_negative(bench):
    depth = np.arange(2.0, 15, 2)
    found = bench("growth_fits").fit_depth(depth, 2**depth, 20 - depth)
    assert min(found) >= 0 and found.fixed > 0


def test_the_best_times_count(bench):
    times = bench("growth_fits").Times
    assert times(3.0, 1.0, 5.0).least(times(2.0, 4.0, 6.0)) == times(2.0, 1.0, 5.0)


def test_the_growth_page_shows_the_results(root, bench):
    fits, part = bench("growth_fits"), bench("places").part_of_page
    points, conditions = fits.from_json((root / "bench/results/growth.json").read_text())
    assert part(root / "docs/growth.md", "./dev bench growth") == fits.as_markdown(points, conditions)
    records = [json.dumps(point.as_record()) for point in points]
    assert all(record in (root / "bench/results/growth.json").read_text() for record in records)


# ---- Forms of histograms -----------------------------------------------------------------------------------------


def test_a_difference_is_judged_by_the_noise_of_seeds(bench):
    forms = bench("forms")
    wide = [1.0, 1.1, 1.2]
    for worse, is_within in ((0.05, True), (-5.0, True), (0.2, False)):
        found = forms.summarise([forms.Outcome(900, 7, loss, loss + worse, 100) for loss in wide])
        assert found.difference == pytest.approx(worse) and found.noise == pytest.approx(0.1)
        assert found.error == pytest.approx(0, abs=1e-12) and found.is_within_noise == is_within
        assert forms.row_of("a table", found)[-1] == ("yes" if is_within else "**no**")


def test_the_error_is_that_of_paired_differences(bench):
    forms = bench("forms")
    found = forms.summarise([forms.Outcome(900, 7, wide, wide + d, 100) for wide, d in ((1.0, 0.1), (9.0, 0.3))])
    assert found.difference == pytest.approx(0.2) and found.error == pytest.approx(0.1)


def test_outcomes_are_kept_for_one_build(bench, tmp_path):
    forms = bench("forms")
    table, outcome = forms.TABLES[0], forms.Outcome(900, 7, 1.0, 1.5, 99)

    def journal(build, forgotten):
        return forms.Journal(tmp_path / "journal", build, forgotten)

    journal("a build", set()).add(table, 3, outcome)
    kept = journal("a build", {forms.TABLES[1].path})
    assert kept.find(table, 3) == outcome and kept.find(table, 4) is None
    assert journal("another", set()).find(table, 3) is None
    assert journal("a build", {table.path}).find(table, 3) is None
    assert journal("a build", set()).find(table, 3) is None


def test_both_forms_are_trained(bench, build, tmp_path):
    """Also for as few rows as the library itself never packs."""
    forms = bench("forms")
    lines = [f"{i % 97},{'abc'[i % 3]},{(i * 31) % 89},{(i % 97 + (i * 31) % 89) % 50}" for i in range(1000)]
    (tmp_path / "rows.csv").write_text("\n".join(["a,b,c,y", *lines]) + "\n")
    command = [build / "bench/histogram_forms", tmp_path / "rows.csv", "y", "mse", "1"]
    answer = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    found = forms.Outcome(**json.loads(answer))
    assert (found.n_rows, found.n_features, found.packed_rounds) == (800, 3, forms.N_ROUNDS)
    assert 0 < found.wide < 10 and found.packed == pytest.approx(found.wide, rel=0.1)


def test_the_page_of_forms_shows_the_results(root, bench):
    forms, part = bench("forms"), bench("places").part_of_page
    text = (root / "bench/results/forms.json").read_text()
    results = forms.from_json(text)
    assert part(root / "docs/histogram-forms.md", "./dev bench forms") == forms.as_markdown(results)
    assert forms.as_json(results) == text and list(results) == [table.path for table in forms.TABLES]


# ---- Pages -------------------------------------------------------------------------------------------------------


def test_a_part_of_a_page_is_written_and_nothing_else(bench, tmp_path):
    places, page = bench("places"), tmp_path / "page.md"
    begin = places.BEGIN.format("a command")
    page.write_text(f"before\n{begin}old\n{places.END}after\n")
    places.write_part_of_page(page, "a command", "new\n")
    assert page.read_text() == f"before\n{begin}new\n{places.END}after\n"
    assert places.part_of_page(page, "a command") == "new\n"
