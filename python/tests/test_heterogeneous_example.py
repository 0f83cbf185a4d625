"""The example of the generic boosters keeps its promise."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest
from threadpoolctl import threadpool_limits

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "heterogeneous_boosting.py"


def test_three_kinds_beat_each_alone(capsys: pytest.CaptureFixture[str]) -> None:
    with threadpool_limits(1):  # the matrices are small
        errors = runpy.run_path(str(EXAMPLE))["main"]()
    table = capsys.readouterr().out.splitlines()
    assert [line[:14].strip() for line in table] == [
        "learners",
        "trees alone",
        "kernel alone",
        "linear alone",
        "all three",
    ]
    assert [f"{error:.3f}" for error in errors.values()] == [line.split()[-1] for line in table[1:]]
    best_alone = min(error for name, error in errors.items() if name != "all three")
    assert errors["all three"] < 0.9 * best_alone
