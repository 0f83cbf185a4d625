"""The benchmark's tables: what is compared with what, and what is kept of a run. Nothing is measured here."""

import importlib
import re

import pytest


@pytest.fixture
def bench(root, monkeypatch):
    """The modules of bench/, which import each other by name."""
    monkeypatch.syspath_prepend(root / "bench")
    return importlib.import_module


def make(bench, contestant, seconds, threads=2, case="small", repeat=0, **more):
    measurements = bench("measurements")
    key = measurements.Key("a machine", 0, case, threads, contestant, "1.0", repeat)
    return measurements.Measurement(key, seconds, **{"bytes_a_row": 90.0, **more})


def rows_of(text):
    return {line.split(" | ")[0].removeprefix("| "): line.split(" | ")[1:] for line in text.splitlines() if "|" in line}


def test_every_contestant_of_a_case_can_do_it(bench):
    contestants = bench("contestants")
    for case in bench("cases").CASES.values():
        assert set(case.contestants) <= set(contestants.FITS if case.rounds else contestants.BINS)


def test_figures_are_of_contestants_of_their_cases(bench):
    cases = bench("cases")
    for figure in cases.FIGURES:
        there = cases.CASES[figure.case].contestants
        assert figure.ours in there and set(figure.peers) & set(there)
    assert cases.MEMORY_CASE in cases.CASES and cases.SCALING_CASE in cases.CASES


def test_the_page_names_every_case(root, bench):
    named = re.findall(r"^\| (`.*?`) \|", (root / "bench/README.md").read_text(), re.MULTILINE)
    assert re.findall(r"`([\w-]+)`", " ".join(named)) == list(bench("cases").CASES)


def test_a_ratio_is_the_fastest_peer_over_the_best_of_ours(bench):
    found = [make(bench, "mixboost", 3.0), make(bench, "mixboost", 2.0, repeat=1), make(bench, "XGBoost", 7.0)]
    found += [make(bench, "LightGBM", 5.0), make(bench, "LightGBM", 9.0, repeat=1)]
    found += [make(bench, "snapml mixed", 0.1)]  # no peer of trees alone
    found += [make(bench, "CatBoost", float("inf"), error="it broke")]
    results = bench("measurements").Results(found, 0)
    row = rows_of(bench("tables").figures_table(results))["fit small"]
    assert row[0] == "2.50" and "yes" in row and "LightGBM 5 s / 2 s" in row[-1]
    page = rows_of(bench("tables").case_table(results, "small", 2))
    assert page["CatBoost"][0] == "failed: it broke"
    assert page["mixboost"][:3] == ["2.000", "2.50", "90"]


def test_a_missed_figure_says_so(bench):
    results = bench("measurements").Results([make(bench, "mixboost", 4.0), make(bench, "LightGBM", 5.0)], 0)
    assert "**no**" in rows_of(bench("tables").figures_table(results))["fit small"]


def test_memory_must_be_below_every_peer(bench):
    tables, results = bench("tables"), bench("measurements").Results
    ours = make(bench, "mixboost", 1.0, case="medium", bytes_a_row=95.0)
    for peer, met in ((96.0, "yes"), (94.0, "**no**")):
        found = [ours, make(bench, "LightGBM", 2.0, case="medium", bytes_a_row=peer)]
        assert tables.memory_row(results(found, 0))[4] == met


def test_threads_are_compared_with_one(bench):
    found = [make(bench, "mixboost", 1.9, threads=1, case="medium"), make(bench, "mixboost", 1.0, case="medium")]
    row = bench("tables").scaling_row(bench("measurements").Results(found, 0))
    assert row[1] == "1.90" and row[4] == "yes"


def test_a_run_goes_on_where_it_stopped(bench, tmp_path):
    journal = bench("measurements").Journal
    small, wide = make(bench, "mixboost", 1.5, metric=0.5), make(bench, "snapml", 2.5, case="wide")
    first = journal(tmp_path / "journal", forgotten=set())
    first.add(small)
    first.add(wide)
    assert journal(tmp_path / "journal", forgotten=set()).known == {small.key: small, wide.key: wide}
    assert journal(tmp_path / "journal", forgotten={"small"}).known == {wide.key: wide}
    assert journal(tmp_path / "journal", forgotten=set()).known == {wide.key: wide}
