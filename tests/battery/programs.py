"""Test programs: building them, running them, and the numbers that they print."""

from __future__ import annotations

import functools
import os
import re
import subprocess
from pathlib import Path

from battery import Counts
from tools.logs import BUILD, Failed, tail
from tools.toolchain import build_preset
from tools.wheel import build_wheel, install_wheel

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


def run_program(command: list[object], log: Path, folder: Path, codes: tuple[int, ...] = (0,), **variables: str) -> str:
    """What the program prints; it must end with one of the exit codes."""
    environment = {**os.environ, **ENVIRONMENT, **variables}
    ran = subprocess.run(
        list(map(str, command)),
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    with open(log, "a") as file:
        file.write(f"$ {' '.join(map(str, command))}\n{ran.stdout}")
    if ran.returncode not in codes:
        raise Failed(f"{command[0]} failed with {ran.returncode}; the log is {log}\n{tail(log)}")
    return ran.stdout


def counts_in(text: str, **patterns: str) -> Counts:
    """The number that each pattern has in its group; a pattern that the text does not have is a mistake."""
    found = {}
    for name, pattern in patterns.items():
        match = re.search(pattern, text)
        if match is None:
            raise Failed(f"the program prints nothing like {pattern!r}:\n{text[-2000:]}")
        found[name] = float(match.group(1))
    return found
