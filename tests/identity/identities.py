"""The program `identity`, its builds, and what it prints: digests that must be those in known.txt, in whatever way the
models were made."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path
from typing import NamedTuple

# The last one allows fused multiply-add instructions, which -ffp-contract=off must keep out of the arithmetic.
LEVELS = ["-O0", "-O1", "-O2", "-O3", "-O3 -march=native"]
KERNELS: dict[str, set[str]] = {  # and what each asks of a processor
    "portable": set(),
    "avx2": {"avx2", "fma"},
    "avx512": {"avx512f", "avx512bw", "avx512dq", "avx512vl"},
}


class Made(NamedTuple):
    """A line: the digests of the model of a case, and of what it predicts, made in some way."""

    case: str
    way: str  # a number of threads, or what else was done
    model: str
    predictions: str


def usable_kernels() -> list[str]:
    """The sets that this machine can run; of others the library would choose one of these."""
    processors = Path("/proc/cpuinfo")
    found = re.search(r"^flags\s*: (.*)", processors.read_text(), re.MULTILINE) if processors.exists() else None
    flags = set(found[1].split()) if found else set()
    return [name for name, needed in KERNELS.items() if needed <= flags]


def run(command: list[object], **variables: str) -> str:
    result = subprocess.run(
        list(map(str, command)), capture_output=True, text=True, env={**os.environ, **variables}, check=False
    )
    assert result.returncode == 0, f"{command}\n{result.stdout[-4000:]}\n{result.stderr[-4000:]}"
    return result.stdout


def build_with(root: Path, compiler: str, level: str) -> Path:
    """The program of a build of its own, made with warnings as errors."""
    folder = root / "build" / "identity" / (compiler + level.replace(" ", ""))
    options = [f"-DCMAKE_C_COMPILER={compiler}", "-DCMAKE_BUILD_TYPE=None", f"-DCMAKE_C_FLAGS={level}"]
    options += ["-DMIXBOOST_BUILD_CLI=OFF", "-DMIXBOOST_WERROR=ON"]
    run(["cmake", "-S", root, "-B", folder, "-G", "Ninja", *options])
    run(["cmake", "--build", folder, "--target", "identity"])
    return folder / "tests" / "identity"


def read_made(text: str) -> list[Made]:
    lines = [line.split() for line in text.splitlines() if " model " in line]
    return [Made(case, way, model, predictions) for case, way, _, model, _, predictions in lines]


def known(root: Path) -> dict[str, tuple[str, str]]:
    """The digests of each case."""
    made = read_made((root / "tests" / "identity" / "known.txt").read_text())
    return {each.case: (each.model, each.predictions) for each in made}
