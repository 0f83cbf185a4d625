"""Measures what the package costs: to import it, to load a model, and the bytes of files."""

from __future__ import annotations

import ctypes
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import Any

from cases import Case
from contestants import package_of
from datasets import load
from measure_rows import time_model
from measurements import Figures, Task
from models import wanted_by
from places import RELEASE, ROOT
from serving_cases import OURS_ESTIMATORS, OURS_FAST, OURS_IN_C, WHEEL

STATEMENTS = {  # of the others it is `import` and the name in small letters
    OURS_FAST: "from mixboost import Predictor",
    OURS_ESTIMATORS: "from mixboost import MixBoostRegressor",
    "scikit-learn": "from sklearn.ensemble import HistGradientBoostingRegressor",
}
N_LOADS = 10


def import_seconds(statement: str) -> float:
    """In a Python that has loaded numpy and nothing else."""
    code = f"""
import time, numpy
began = time.perf_counter()
{statement}
print(time.perf_counter() - began)"""
    return float(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout)


def installed_bytes(package: str) -> int:
    files = [Path(file.locate()) for file in metadata.files(package) or []]
    return sum(file.stat().st_size for file in files if file.exists())


def least(call: Callable[[], Any], n: int) -> float:
    times = []
    for _ in range(n):
        began = time.perf_counter()
        call()
        times.append(time.perf_counter() - began)
    return min(times)


def measure_import(contestant: str) -> Figures:
    package = package_of(contestant)
    statement = STATEMENTS.get(contestant, f"import {package}")
    return Figures(import_seconds(statement), size=installed_bytes(package))


def measure_file(contestant: str) -> Figures:
    """A library is opened; the wheel is just there."""
    if contestant == WHEEL:
        (path,) = (ROOT / "build" / "python" / "dist").glob("*.whl")
        return Figures(size=path.stat().st_size)
    path = RELEASE / contestant.split()[1]
    with tempfile.NamedTemporaryFile(suffix=".so") as stripped:
        subprocess.run(["strip", "-o", stripped.name, path], check=True, capture_output=True)
        size = Path(stripped.name).stat().st_size
    return Figures(least(lambda: ctypes.CDLL(str(path)), 1), size=size)


def measure_load(contestant: str, case: Case, folder: Path) -> Figures:
    """The best of several: the first loads whatever is loaded on first use."""
    wanted = wanted_by(contestant, case)
    size = wanted.path().stat().st_size
    if contestant == OURS_IN_C:
        return Figures(time_model(wanted.path(), load(folder, "test")[0][:1], 1)["load"], size=size)
    return Figures(least(wanted.load, N_LOADS), size=size)


def measure(task: Task, case: Case) -> Figures:
    if case.name == "import":
        return measure_import(task.contestant)
    if case.name == "files":
        return measure_file(task.contestant)
    return measure_load(task.contestant, case, Path(task.folder))
