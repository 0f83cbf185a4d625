"""The benchmark's tables: what is compared with what, and what is kept of a run. Nothing is measured here."""

import importlib
import json
import re
import subprocess
from array import array

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


def all_suites(bench):
    return list(bench("suites").SUITES.values())


def test_every_contestant_of_a_fit_can_do_it(bench):
    contestants = bench("contestants")
    for case in bench("cases").CASES.values():
        assert set(case.contestants) <= set(contestants.FITS if case.rounds else contestants.BINS)


def test_every_contestant_of_a_prediction_has_a_call_and_a_model(bench):
    models, rows = bench("models"), bench("measure_rows")
    for suite in all_suites(bench)[1:3]:
        for case in suite.cases.values():
            for contestant in case.contestants:
                known = {**models.CALLS, **rows.FAST_CALLS, bench("serving_cases").OURS_IN_C: None}
                assert contestant.removesuffix(" AVX2") in known
                assert models.model_of(contestant) in models.MODELS
            assert len(models.models_of(case)) == len({models.model_of(c) for c in case.contestants})


def test_a_contestant_predicts_with_the_model_that_its_name_begins_with(bench):
    model_of = bench("models").model_of
    for contestant, model in (
        ("mixboost C", "mixboost"),
        ("mixboost symmetric AVX2", "mixboost symmetric"),
        ("CatBoost by polars", "CatBoost"),
        ("CatBoost depth-wise", "CatBoost depth-wise"),
        ("XGBoost DMatrix", "XGBoost"),
    ):
        assert model_of(contestant) == model


def test_every_contestant_of_csv_files_reads_and_writes(bench):
    csv = bench("measure_csv")
    for case in bench("serving_cases").CSV.cases.values():
        for contestant in case.contestants:
            peer, _, reader = contestant.partition(" by ")
            assert contestant == "mixboost" or {reader or peer} <= set(csv.READ) & set(csv.WRITE)


def test_a_model_is_timed_from_c(build, program, tmp_path):
    data, model, rows = tmp_path / "data.csv", tmp_path / "model.mxb", tmp_path / "rows"
    data.write_text("\n".join(["a,b,y", *(f"{i % 7},{i % 5},{i % 7 - i % 5}" for i in range(100))]) + "\n")
    train = [program, "train", data, "--label", "y", "--num_round", "3", "--model", model, "--quiet"]
    subprocess.run(train, check=True, capture_output=True)
    rows.write_bytes(array("d", [float(i % 7) for i in range(2 * 10)]).tobytes())
    timer = [build / "bench/time_model", model, rows]
    seconds = json.loads(subprocess.run([*timer, "3"], check=True, capture_output=True).stdout)
    assert 0 < seconds["rows"] < 1 and 0 < seconds["load"] < 1
    assert subprocess.run([*timer, "3", "5"], check=True, capture_output=True).stdout == b""  # just the calls
    too_many = subprocess.run([*timer, "11"], capture_output=True, text=True)
    assert too_many.returncode == 1 and too_many.stderr == "time_model: there are not enough rows\n"


def test_predictions_are_written_as_the_program_does(build, tmp_path):
    numbers, doubles, out = [0.1, -2.5e-300, 3.0], tmp_path / "doubles", tmp_path / "out.csv"
    doubles.write_bytes(array("d", numbers).tobytes())
    answer = subprocess.run([build / "bench/time_write", doubles, out, "2"], check=True, capture_output=True, text=True)
    assert 0 < float(answer.stdout) < 10
    title, *lines = out.read_text().splitlines()
    assert title == "prediction" and [float(line) for line in lines] == numbers


def test_no_two_cases_have_a_name_in_common(bench):
    names = [name for suite in all_suites(bench) for name in suite.cases]
    assert len(names) == len(set(names)) == len(bench("suites").ALL_CASES)


def test_figures_are_of_contestants_of_their_cases(bench):
    cases = bench("cases")
    for suite in all_suites(bench):
        for figure in suite.figures:
            case = suite.cases[figure.case]
            assert figure.ours in case.contestants
            assert isinstance(figure, cases.Limit) or set(figure.peers or case.peers) <= set(case.contestants)
            assert cases.FIGURE_THREADS in suite.threads
    assert cases.MEMORY_CASE in cases.CASES and cases.SCALING_CASE in cases.CASES


def test_the_page_names_every_case(root, bench):
    named = re.findall(r"^\| (`.*?`) \|", (root / "bench/README.md").read_text(), re.MULTILINE)
    assert re.findall(r"`([\w-]+)`", " ".join(named)) == list(bench("suites").ALL_CASES)


NO_SUITE = ("-part", "-service", "-tune")  # pages without measurements of cases


def test_results_are_shown_on_their_pages(root, bench):
    """The tables of a page are what its measurements come to."""
    measurements, tables = bench("measurements"), bench("tables")
    pages = [path for path in (root / "bench/results").glob("*.md") if not path.stem.endswith(NO_SUITE)]
    assert pages
    for page in pages:
        records = json.loads(page.with_suffix(".json").read_text())
        found = measurements.Results([measurements.Measurement.from_record(record) for record in records], 0)
        (suite,) = [suite for suite in all_suites(bench) if found.measurements[0].key.case in suite.cases]
        assert page.read_text().startswith(f"# {suite.title}\n")
        assert tables.all_tables(found, suite) in page.read_text()
        assert page.with_suffix(".png").exists()


def test_a_ratio_is_the_fastest_peer_over_the_best_of_ours(bench):
    found = [make(bench, "mixboost", 3.0), make(bench, "mixboost", 2.0, repeat=1), make(bench, "XGBoost", 7.0)]
    found += [make(bench, "LightGBM", 5.0), make(bench, "LightGBM", 9.0, repeat=1)]
    found += [make(bench, "snapml mixed", 0.1)]  # no peer of trees alone
    found += [make(bench, "CatBoost", float("inf"), error="it broke")]
    results = bench("measurements").Results(found, 0)
    fits = bench("cases").FITS
    row = rows_of(bench("tables").figures_table(results, fits))["fit small"]
    assert row[0] == "2.50" and "yes" in row and "LightGBM 5 s / 2 s" in row[-1]
    page = rows_of(bench("tables").case_table(results, fits, "small", 2))
    assert page["CatBoost"][0] == "failed: it broke"
    assert page["mixboost"] == ["2.000", "2.50", "90 |"]


def test_a_missed_figure_says_so(bench):
    results = bench("measurements").Results([make(bench, "mixboost", 4.0), make(bench, "LightGBM", 5.0)], 0)
    assert "**no**" in rows_of(bench("tables").figures_table(results, bench("cases").FITS))["fit small"]


def test_a_limit_is_held_to_its_unit(bench):
    suite, results = bench("serving_cases").PACKAGE, bench("measurements").Results
    for size, met in ((1.9e5, "yes"), (2.1e5, "**no**")):
        found = [make(bench, "mixboost libmixboost-predict.so", 1.0, case="files", size=size)]
        rows = rows_of(bench("tables").figures_table(results(found, 0), suite))
        row = rows["the library that only predicts, stripped, KB"]
        assert row[0] == f"{size / 1e3:.3g}" and row[3] == met
    found = [make(bench, "mixboost Predictor", 0.049, case="import")]
    assert (
        rows_of(bench("tables").figures_table(results(found, 0), suite))[
            "import of what a service needs, over numpy's, ms"
        ][0]
        == "49"
    )


def test_a_column_that_nobody_has_is_left_out(bench):
    suite, results = bench("serving_cases").PACKAGE, bench("measurements").Results
    infinite = float("inf")
    found = [make(bench, "mixboost wheel", infinite, case="files", size=5e5, bytes_a_row=infinite)]
    table = bench("tables").case_table(results(found, 0), suite, "files", 2)
    assert "|  | MB on disk |" in table and "| mixboost wheel | 0.500 |" in table


def test_times_are_in_the_unit_of_their_case(bench):
    suite, results = bench("serving_cases").ROWS, bench("measurements").Results
    found = [make(bench, "mixboost C", 5e-7, case="rows-1"), make(bench, "LightGBM", 2e-5, case="rows-1")]
    found += [make(bench, "scikit-learn", 0.0123, case="rows-1")]
    table = rows_of(bench("tables").case_table(results(found, 0), suite, "rows-1", 2))
    assert table["mixboost C"][:2] == ["0.5", "40.00"] and table["LightGBM"][:2] == ["20", "1.00"]
    assert table["scikit-learn"][0] == "12300"


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


def test_names_in_a_picture_do_not_lie_on_each_other(bench):
    assert bench("picture").spread([3.0, 1.0, 1.1, 9.0], least=2) == [4.0, 1.0, 2.0, 9.0]


def test_a_run_goes_on_where_it_stopped(bench, tmp_path):
    journal = bench("measurements").Journal
    small, wide = make(bench, "mixboost", 1.5, metric=0.5), make(bench, "snapml", 2.5, case="wide")
    first = journal(tmp_path / "journal", forgotten=set())
    first.add(small)
    first.add(wide)
    assert journal(tmp_path / "journal", forgotten=set()).known == {small.key: small, wide.key: wide}
    assert journal(tmp_path / "journal", forgotten={"small"}).known == {wide.key: wide}
    assert journal(tmp_path / "journal", forgotten=set()).known == {wide.key: wide}


def test_a_record_holds_a_measurement(bench):
    measurement = bench("measurements").Measurement
    for found in (
        make(bench, "mixboost", 1.5, metric=0.5, size=7.0),
        make(bench, "mixboost", float("inf"), bytes_a_row=float("inf"), error="it broke"),
    ):
        assert measurement.from_record(json.loads(json.dumps(found.as_record()))) == found
