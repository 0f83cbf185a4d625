"""Test programs: building them, running them, and the numbers that they print."""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from battery import Counts, Figure, Run, total
from tools.logs import BUILD, Failed, run_logged, tail
from tools.report import pytest
from tools.toolchain import build_preset
from tools.wheel import build_wheel, install_wheel

SECONDS = 3000  # that a program may take, or a run of pytest
ENVIRONMENT = {"ASAN_OPTIONS": "allocator_may_return_null=1", "TSAN_OPTIONS": "allocator_may_return_null=1"}


def build(preset: str, log: Path) -> Path:
    """Builds a preset; returns the folder of its test programs."""
    build_preset(preset, log)
    return BUILD / preset / "tests"


@functools.cache
def wheel_environment(log: Path) -> Path:
    """The Python of a fresh environment with the wheel and its peers."""
    build_wheel(log)
    return install_wheel("battery", log, packages="bench")


def ended(command: list[object], log: Path, folder: Path, variables: dict[str, str]) -> tuple[int | None, str]:
    """The exit code, None after a timeout, and what was printed."""
    begin = log.stat().st_size if log.exists() else 0
    code = run_logged(list(map(str, command)), log, {**os.environ, **ENVIRONMENT, **variables}, folder, SECONDS)
    with open(log, "rb") as file:
        file.seek(begin)
        file.readline()  # the command
        return code, file.read().decode(errors="replace")


def failure(command: list[object], code: int | None, log: Path) -> Failed:
    what = f"had not ended after {SECONDS} s" if code is None else f"failed with {code}"
    return Failed(f"{command[0]} {what}; the log is {log}\n{tail(log)}")


def run_program(command: list[object], log: Path, folder: Path, codes: tuple[int, ...] = (0,), **variables: str) -> str:
    """What the program prints; it must end with one of the exit codes."""
    code, text = ended(command, log, folder, variables)
    if code not in codes:
        raise failure(command, code, log)
    return text


def run_peer(run: Run, script: str, *arguments: object, **patterns: str) -> Counts:
    """Of a program that tries a booster: the number that each pattern has in its group, and the booster's `version`."""
    program = [wheel_environment(run.log), Path(__file__).with_name(script), *arguments]
    text = run_program(program, run.log, run.folder)
    counts = counts_in(text, **patterns)
    version = re.search(r"(?m)^(\S+): \d", text)
    if version is None:
        raise Failed(f"{script} prints no version:\n{text[-2000:]}")
    return {**counts, "version": version.group(1)}


def run_checks(command: list[object], run: Run, kernels: str = "", **patterns: str) -> Counts:
    """Of a program with tests/check.h: the number that each pattern has in its group, and how many checks `failed`, for
    which it ends with 1, and for nothing else."""
    code, text = ended(command, run.log, run.folder, {"MIXBOOST_KERNELS": kernels} if kernels else {})
    if code not in (0, 1):
        raise failure(command, code, run.log)
    counts = counts_in(text, **patterns, failed=r"(?m)^\d+ tests, (\d+) failed checks$")
    if code != (counts["failed"] > 0):
        raise failure(command, code, run.log)
    return counts


def failed_checks(counts: dict[str, Counts]) -> Figure:
    return Figure("checks of all these that failed", total(counts, "failed"), "= 0")


def run_pytest(name: str, tests: Sequence[object], log: Path, **ready: Any) -> Counts:
    """How many tests `passed` and `failed`; an error is a failure, too."""
    passed, failed, _ = pytest(name, tests, log, seconds=SECONDS, **ready)
    return {"passed": passed, "failed": failed}


def counts_in(text: str, **patterns: str) -> Counts:
    """The number that each pattern has in its group; a pattern that the text does not have is a mistake."""
    found = {}
    for name, pattern in patterns.items():
        match = re.search(pattern, text)
        if match is None:
            raise Failed(f"the program prints nothing like {pattern!r}:\n{text[-2000:]}")
        found[name] = float(match.group(1))
    return found
