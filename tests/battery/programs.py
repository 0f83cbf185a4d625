"""Test programs in C: building them, running them, and the numbers that they print."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

from battery import Counts
from tools.logs import BUILD, Failed, tail
from tools.toolchain import build_preset

ENVIRONMENT = {"ASAN_OPTIONS": "allocator_may_return_null=1", "TSAN_OPTIONS": "allocator_may_return_null=1"}


def build(preset: str, log: Path) -> Path:
    """Builds a preset; returns the folder of its test programs."""
    build_preset(preset, log)
    return BUILD / preset / "tests"


def run_program(command: list[object], log: Path, folder: Path, **variables: str) -> str:
    """What the program prints; it must succeed."""
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
    if ran.returncode != 0:
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
