"""The tables of bad input in tests/battery/bad_input: what the program says, letter by letter, and that it leaves all
files as they are."""

import pathlib
import sys

import pytest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "battery"))

from bad_cases import read_room
from bad_runs import ROOMS, mistake_of, prepare

TABLES = {name: read_room(name) for name in ROOMS}
CASES = [case for room in TABLES.values() for case in room.cases]


@pytest.fixture(scope="session")
def given(program, tmp_path_factory):
    """The files of all cases of a room, made when the first is run."""
    made = {}

    def files_of(name):
        if name not in made:
            made[name] = prepare(program, TABLES[name], tmp_path_factory.mktemp(name) / "given")
        return made[name]

    return files_of


@pytest.mark.parametrize("case", CASES, ids=str)
def test_sentence(program, given, tmp_path, case):
    mistake = mistake_of(program, case, TABLES[case.room], given(case.room), tmp_path / "case")
    assert not mistake, mistake


def test_every_case_is_there_once():
    calls = [(case.room, case.call, tuple(case.files.items())) for case in CASES]
    assert len(set(calls)) == len(calls)
