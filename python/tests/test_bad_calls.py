"""The table of bad calls in tests/battery/bad_input/python.txt: each exception, and what it says letter by letter."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from bad_calls import is_as_told, names, said_of

sys.path.append(str(Path(__file__).resolve().parents[2] / "tests" / "battery"))

from bad_cases import Case, read_room

CASES = read_room("python").cases


@pytest.fixture(scope="module")
def known() -> dict[str, Any]:
    return names()


@pytest.mark.parametrize("case", CASES, ids=str)
@pytest.mark.filterwarnings("ignore")
def test_exception(case: Case, known: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    kind, said = said_of(case.call, known)
    assert kind == case.result
    assert is_as_told(said, case.sentence), said
