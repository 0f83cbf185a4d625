"""Allocations and system calls that fail, each in turn, under the address and undefined behaviour sanitizers."""

from __future__ import annotations

from programs import build, failed_checks, run_checks

from battery import Counts, Figure, Part, Run, Section

PROGRAMS = {  # the fewest runs that each must make, and what they are
    "failing_memory": (13_000, "an allocation failed: data, every learner, predictions, saves"),
    "failing_calls": (1_000, "a system call failed: saves, loads, CSV files, threads"),
    "failing_output": (350, "a call failed with which the program writes its results"),
    "failing_checkpoints": (3_000, "two calls or all from one on failed: checkpoints and resumes"),
    "failing_searches": (7_000, "an allocation or a system call failed: searches with a journal"),
}


def part(name: str) -> Part:
    def fail(run: Run) -> Counts:
        program = build("asan", run.log) / f"stress_{name}"
        return run_checks([program], run, runs=r"(?m)^(\d+) runs$")  # every call, where the unit tests leave some out

    return Part(name, fail)


def parts(is_short: bool) -> list[Part]:
    """The unit tests have some of them."""
    return [] if is_short else [part(name) for name in PROGRAMS]


def figures(counts: dict[str, Counts], _is_short: bool) -> list[Figure]:
    runs = [
        Figure(f"runs in which {what}", counts[name]["runs"], f"≥ {least}") for name, (least, what) in PROGRAMS.items()
    ]
    return [*runs, failed_checks(counts)]  # a wrong status, a leak, or a file that is neither


FAULTS = Section("faults", "Failing allocations and system calls", parts, figures)
