"""Times mixboost beside its peers: fits, or what another suite compares.

    ./dev bench [predict | rows | csv | package] [CASE ...] [--quick] [--resume] [--threads N ...] [--repeats N]
                [--neighbours N]

Every measurement runs in a process of its own, contestants in turn, and the best of the repeats counts. Writes tables
and a picture into bench/results, and prints the tables. README.md beside this file says more.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from cases import Case, Suite
from contestants import environment_of, version_of
from datasets import is_here, make_csv, make_files, real_path
from machine import busy_neighbours, describe, machine_name
from measurements import Journal, Key, Measurement, Results, Task
from models import models_of, train_apart
from picture import draw
from places import RESULTS, SCRATCH
from suites import SUITES
from tables import as_markdown

MEASURE = Path(__file__).with_name("measure.py")
JOURNAL = SCRATCH / "measurements.jsonl"
THREAD_VARIABLES = ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "POLARS_MAX_THREADS"]


class Run:
    """What one call of this program measures."""

    def __init__(self, arguments: argparse.Namespace, suite: Suite, cases: list[Case]) -> None:
        self.arguments = arguments
        self.suite = suite
        self.journal = Journal(JOURNAL, forgotten=set() if arguments.resume else {case.name for case in cases})
        self.machine = describe()
        self.measurements: list[Measurement] = []
        self.n_reused = 0
        names = {name for case in cases for name in case.contestants}
        self.versions = {name: version_of(name) for name in names}

    def measure(self, case: Case, contestant: str, threads: int, repeat: int, folder: Path) -> Measurement:
        """One measurement, or the one that an earlier run made."""
        version, neighbours = self.versions[contestant], self.arguments.neighbours
        key = Key(self.machine, neighbours, case.name, threads, contestant, version, repeat)
        known = self.journal.known.get(key)
        if known is not None:
            self.n_reused += 1
            return known
        measurement = run_process(key, Task(case.name, contestant, threads, str(folder)))
        if measurement.error is None:
            self.journal.add(measurement)
        return measurement

    def run_part(self, case: Case, threads: int) -> None:
        """A case with one number of threads: everybody in turn, again and again. Who fails is not asked again."""
        folder = make_ready(case)
        taking_part, repeat, fastest = list(case.contestants), 0, float("inf")
        while repeat < self.n_repeats(fastest):
            for contestant in list(taking_part):
                measurement = self.measure(case, contestant, threads, repeat, folder)
                self.measurements.append(measurement)
                fastest = min(fastest, measurement.seconds)
                if measurement.error is not None:
                    taking_part.remove(contestant)
                tell(f"{case.name}, threads {threads}, repeat {repeat + 1}: {contestant} {outcome(measurement)}")
            repeat += 1

    def n_repeats(self, fastest: float) -> int:
        """Short cases may need more repeats."""
        is_short = fastest < 1 and not self.arguments.quick
        return self.arguments.repeats or (self.suite.repeats_of_short if is_short else self.suite.repeats)

    def results(self) -> Results:
        return Results(self.measurements, self.n_reused)


def tell(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def outcome(measurement: Measurement) -> str:
    return f"failed: {measurement.error}" if measurement.error is not None else f"{measurement.seconds:.4g} s"


def make_ready(case: Case) -> Path:
    """Makes what the case needs and is not there: data, text of them, models. Returns the folder of the data."""
    folder = make_files(case.data) if case.data else SCRATCH
    if case.kind == "csv":
        make_csv(folder)
    for wanted in models_of(case):
        if not wanted.path().exists():
            tell(f"training {wanted.name}, {wanted.rounds} rounds, for {case.name} and later runs")
            error = train_apart(wanted)
            if error is not None:
                tell(f"{wanted.name} failed: {error}")
    return folder


def run_process(key: Key, task: Task) -> Measurement:
    threads = {name: str(task.threads) for name in THREAD_VARIABLES}
    env = {**os.environ, **threads, **environment_of(task.contestant)}
    command = [sys.executable, str(MEASURE), json.dumps(asdict(task))]
    answer = subprocess.run(command, env=env, capture_output=True, text=True)
    if answer.returncode != 0:
        said = answer.stderr.strip().splitlines() or [f"exit code {answer.returncode}"]
        return Measurement(key, error=said[-1][:200])
    return Measurement(key, **json.loads(answer.stdout.splitlines()[-1]))


def chosen_cases(arguments: argparse.Namespace, suite: Suite) -> Iterator[Case]:
    for case in suite.cases.values():
        wanted = case.name in arguments.cases if arguments.cases else case.is_quick or not arguments.quick
        if wanted and is_here(case.data):
            yield case
        elif wanted:
            tell(f"{case.name}: left out, since {real_path(case.data).name} is not beside the repository")


def name_of_results(arguments: argparse.Namespace, suite: Suite) -> str:
    """The machine's, and what is special; a part of the cases goes into a file that git ignores."""
    parts = [machine_name()]
    parts += [suite.name] if suite.name else []
    parts += [os.environ["MIXBOOST_KERNELS"]] if "MIXBOOST_KERNELS" in os.environ else []
    parts += [f"neighbours-{arguments.neighbours}"] if arguments.neighbours else []
    parts += ["part"] if arguments.cases or arguments.quick else []
    return "-".join(parts)


def write_results(run: Run, name: str) -> str:
    """Markdown, JSON and a picture; returns the Markdown."""
    RESULTS.mkdir(parents=True, exist_ok=True)
    results, neighbours = run.results(), run.arguments.neighbours
    notes = [*run.suite.notes, *([f"{neighbours} busy neighbours."] if neighbours else [])]
    page = as_markdown(results, run.suite, run.machine, notes)
    (RESULTS / f"{name}.md").write_text(f"{page}\n![Times of everybody]({name}.png)\n")
    lines = ",\n".join(json.dumps(m.as_record()) for m in results.measurements)
    (RESULTS / f"{name}.json").write_text(f"[\n{lines}\n]\n")
    draw(results, run.suite, RESULTS / f"{name}.png")
    return page


def parse_arguments(suite: Suite, words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], prog=f"./dev bench {suite.name}".strip())
    parser.add_argument("cases", nargs="*", metavar="CASE", help=f"some of: {' '.join(suite.cases)}; all without")
    parser.add_argument("--quick", action="store_true", help="the small cases, two threads")
    parser.add_argument("--resume", action="store_true", help="keep the measurements of earlier runs that still hold")
    threads = " ".join(map(str, suite.threads))
    parser.add_argument("--threads", type=int, nargs="+", help=f"numbers of threads (default: {threads})")
    short = f", or {suite.repeats_of_short} where the fastest needs less than a second"
    more = short if suite.repeats_of_short != suite.repeats else ""
    parser.add_argument("--repeats", type=int, help=f"(default: {suite.repeats}{more})")
    parser.add_argument("--neighbours", type=int, default=0, help="processes that keep the machine busy")
    arguments = parser.parse_args(words)
    unknown = [name for name in arguments.cases if name not in suite.cases]
    if unknown:
        parser.error(f"there is no case {unknown[0]}; there are {', '.join(suite.cases)}")
    arguments.threads = arguments.threads or ([2] if arguments.quick else list(suite.threads))
    return arguments


def main() -> None:
    words = sys.argv[1:]
    is_named = bool(words) and words[0] in SUITES
    suite = SUITES[words[0] if is_named else ""]
    arguments = parse_arguments(suite, words[is_named:])
    cases = list(chosen_cases(arguments, suite))
    if not cases:
        sys.exit("No case is left to measure.")
    run = Run(arguments, suite, cases)
    with busy_neighbours(arguments.neighbours):
        for case in cases:
            for threads in arguments.threads:
                run.run_part(case, threads)
    name = name_of_results(arguments, suite)
    print(write_results(run, name))
    print(f"Written to bench/results/{name}.md, .json and .png.")


if __name__ == "__main__":
    main()
