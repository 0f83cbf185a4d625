"""Bad input: files, command lines and calls that cannot be, each with its exact sentence."""

from __future__ import annotations

import sys
from functools import partial

from bad_runs import ROOMS, mistakes_of_room
from programs import build, run_checks, run_peer, run_pytest

from battery import Counts, Figure, Part, Run, Section, total
from tools.logs import RELEASE
from tools.wheel import TESTS, build_wheel, ready_for_tests

LEAST = 400
LIBRARIES = ("mixboost", "XGBoost", "LightGBM", "CatBoost")
OF_C = ["test_bad_calls", "test_bad_searches"]
TITLES = {
    "csv": "CSV files",
    "models": "model files",
    "options": "options",
    "spaces": "search spaces",
    "journals": "journals",
    "program": "command lines",
    "python": "calls in Python",
    "c": "calls in C",
}


def program_room(name: str, run: Run) -> Counts:
    build("release", run.log)
    n_cases, mistakes = mistakes_of_room(RELEASE / "mixboost", name, run.folder / name)
    for mistake in mistakes:
        print(mistake, file=sys.stderr)
    return {name: n_cases, "wrong": len(mistakes)}


def calls_in_c(run: Run) -> Counts:
    """A check fails where a sentence is not as it should be."""
    folder = build("asan", run.log)
    counts = [run_checks([folder / program], run, calls=r"(\d+) bad calls") for program in OF_C]
    return {"c": sum(each["calls"] for each in counts), "wrong": sum(each["failed"] for each in counts)}


def calls_in_python(run: Run) -> Counts:
    build_wheel(run.log)
    ready = ready_for_tests("newest", run.log)
    found = run_pytest("bad-calls", [TESTS / "test_bad_calls.py"], run.log, **ready)
    return {"python": sum(found.values()), "wrong": found["failed"]}


def labels_of(library: str) -> Part:
    """Labels and weights that are no numbers, and labels of 1e300."""

    def train(run: Run) -> Counts:
        ends = {name: rf"(\d+) {name}" for name in ("finite", "not_finite", "crashes")}
        return run_peer(run, "peers_labels.py", library, **ends, large=r"(\d+) predicted")

    return Part(f"labels of {library}", train)


def parts(is_short: bool) -> list[Part]:
    """The tests of the program, of the package and the unit tests do the same."""
    if is_short:
        return []
    rooms = [Part(name, partial(program_room, name)) for name in ROOMS]
    return [*rooms, Part("python", calls_in_python), Part("c", calls_in_c), *map(labels_of, LIBRARIES)]


def figures(counts: dict[str, Counts], _is_short: bool) -> list[Figure]:
    n_cases = {name: total(counts, name) for name in TITLES}
    found = [
        Figure("bad files and calls, each with its exact sentence", sum(n_cases.values()), f"≥ {LEAST}"),
        *(Figure(f"of these {TITLES[name]}", n) for name, n in n_cases.items()),
        Figure("sentences, exit codes or exceptions that are not as expected", total(counts, "wrong"), "= 0"),
    ]
    for library in LIBRARIES:
        ends, is_ours = counts[f"labels of {library}"], library == "mixboost"
        taken = ends["finite"] + ends["not_finite"] + ends["crashes"]
        of, must = "of 6 labels and weights that are NaN or infinite:", "= 0" if is_ours else ""
        whose = (library, ends["version"])
        found += [
            Figure(f"{of} not refused", taken, must, *whose),
            Figure(f"{of} a model that predicts no numbers", ends["not_finite"], must, *whose),
            Figure("a label of 1e300: predictions are finite", ends["large"], "= 1" if is_ours else "", *whose),
        ]
    return found


BAD_INPUT = Section("bad-input", "Bad input", parts, figures)
