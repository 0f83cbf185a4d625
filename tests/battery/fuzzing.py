"""Fuzzing: everything that reads text or files, and the states of Python's estimators, for some minutes each."""

from __future__ import annotations

import functools
import os
import re
import subprocess
from pathlib import Path

from programs import SECONDS as LONGEST
from programs import counts_in, wheel_environment

from battery import Counts, Figure, Part, Run, Section, total
from tools.fuzz_targets import FOUND, FUZZ_TARGETS, build_fuzz_targets, fuzz_command, minimise_found
from tools.logs import ROOT
from tools.toolchain import N_CORES

SECONDS = 400  # a target, on every processor
FAILURES = ("crashes", "leaks", "hangs", "blow_ups")
TITLES = {
    "csv": "CSV files",
    "journal": "journals of searches",
    "json": "models and names as JSON",
    "model": "model files, and everything done with the models",
    "options": "options, and trainings with them",
    "space": "search spaces",
}
LEAST = {  # executions, near a tenth of what two processors come to in that time
    "csv": 60_000,
    "journal": 50_000,
    "json": 8_000,
    "model": 20_000,
    "options": 8_000,
    "space": 25_000,
    "states": 8_000,
}
STATES = "states of Python's estimators"

# What libFuzzer, the sanitizers and tests/fuzz/limits.c say, and whatever else ends a program is a crash.
SENTENCES = {
    "leaks": r"^LEAK: |LeakSanitizer: detected memory leaks",
    "hangs": r"^HANG: |ERROR: libFuzzer: timeout",
    "blow_ups": r"^BLOW-UP: |ERROR: libFuzzer: out-of-memory|SUMMARY: AddressSanitizer: (allocation-size|out-of)",
}


def failure_of(text: str) -> str:
    """What ended a program that failed."""
    found = [name for name, pattern in SENTENCES.items() if re.search(pattern, text, re.MULTILINE)]
    return found[0] if found else "crashes"


def run_beside(commands: list[list[object]], run: Run, name: str) -> list[tuple[int, str]]:
    """Exit codes and outputs of programs that run at the same time, in a time that is enough."""
    paths = [run.folder / f"{name}-{i}.log" for i in range(len(commands))]
    processes = []
    for command, path in zip(commands, paths, strict=True):
        with open(path, "w") as file:
            words = list(map(str, command))
            processes.append(subprocess.Popen(words, stdout=file, stderr=subprocess.STDOUT, cwd=run.folder))
    try:
        codes = [process.wait(LONGEST) for process in processes]
    finally:
        for process in processes:
            process.kill()  # one that has not ended
    with open(run.log, "a") as log:
        log.writelines(f"{path}: exit code {code}\n" for code, path in zip(codes, paths, strict=True))
    return [(code, path.read_text(errors="replace")) for code, path in zip(codes, paths, strict=True)]


@functools.cache
def built(log: Path) -> str:
    return build_fuzz_targets(log)


def count_executions(kind: str, ran: list[tuple[int, str]]) -> Counts:
    stated = {"libfuzzer": r"^stat::number_of_executed_units: *(\d+)", "standalone": r"and (\d+) mutations"}[kind]
    found = [match for _, text in ran for match in re.findall(stated, text, re.MULTILINE)]
    counts: Counts = {"executions": sum(map(int, found)), **dict.fromkeys(FAILURES, 0)}
    for code, text in ran:
        if code != 0:
            counts[failure_of(text)] += 1
    return counts


def fuzz(target: str) -> Part:
    def action(run: Run) -> Counts:
        kind = built(run.log)
        command = fuzz_command(kind, target, SECONDS)
        if kind == "standalone":  # whose mutations are the same in every run
            return count_executions(kind, run_beside([command], run, target))
        counts = count_executions(kind, run_beside([command] * N_CORES, run, target))
        minimise_found(target, run.log)
        return {**counts, "inputs": len(os.listdir(FOUND / target))}

    return Part(target, action)


def fuzz_states(run: Run) -> Counts:
    program = [wheel_environment(run.log), ROOT / "tests" / "fuzz" / "fuzz_states.py", "--seconds", SECONDS]
    ran = run_beside([[*program, "--seed", 1 + 10**7 * i] for i in range(N_CORES)], run, "states")
    patterns = {
        "executions": r"(\d+) states",
        "crashes": r"(\d+) crashes",
        "hangs": r"(\d+) hangs",
        "blow_ups": r"(\d+) too large",
        "wrong": r"(\d+) wrong errors",
        "different": r"(\d+) other predictions",
    }
    each = [counts_in(text, **patterns) for _, text in ran]
    return {name: sum(counts[name] for counts in each) for name in patterns}


def parts(is_short: bool) -> list[Part]:
    """`./dev test` has a step of its own for a short form, and python/tests one for the states."""
    return [] if is_short else [*map(fuzz, FUZZ_TARGETS), Part("states", fuzz_states)]


def figures(counts: dict[str, Counts], _is_short: bool) -> list[Figure]:
    states = counts["states"]
    return [
        *(
            Figure(f"executions: {TITLES[target]}", counts[target]["executions"], f"≥ {LEAST[target]}")
            for target in FUZZ_TARGETS
        ),
        Figure(f"executions: {STATES}", states["executions"], f"≥ {LEAST['states']}"),
        Figure("crashes, or promises broken", total(counts, "crashes"), "= 0"),
        Figure("leaks", total(counts, "leaks"), "= 0"),
        Figure("inputs that took over a second", total(counts, "hangs"), "= 0"),
        Figure("inputs that took over 4 times their size + 64 MB", total(counts, "blow_ups"), "= 0"),
        Figure("states with an error that is no ValueError or TypeError", states["wrong"], "= 0"),
        Figure("states with damaged models and other predictions", states["different"], "= 0"),
        Figure("inputs kept, as few as reach all the code", total(counts, "inputs")),
    ]


FUZZING = Section("fuzzing", "Fuzzing", parts, figures)
