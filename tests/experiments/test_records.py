"""What is kept of each search."""

import pytest


@pytest.fixture
def records(module):
    return module("records")


def make_record(records, contestant="XGBoost", a_set="pol", fold=0, loss=0.5, **more):
    return records.Record(records.Key("openml", "small", a_set, contestant, fold, 0), loss, **more)


def test_a_record_survives_its_line(records):
    for record in (
        make_record(records, options={"max_depth": 3}, n_failed=2, tuning_seconds=1.5, version="1", date="2026-01-02"),
        make_record(records, loss=None, error="over 8 h"),
    ):
        assert records.from_line(record.as_line()) == record


def test_a_file_has_what_was_added_and_the_later_one_counts(records, tmp_path):
    path = tmp_path / "a" / "openml.jsonl"
    file = records.RecordFile(path)
    file.add([make_record(records), make_record(records, fold=1)])
    file.add([make_record(records, loss=0.25)])
    known = records.RecordFile(path).known
    assert [record.loss for record in known.values()] == [0.25, 0.5] and known == file.known


def test_a_line_that_was_not_finished_is_cut_off(records, tmp_path):
    path = tmp_path / "openml.jsonl"
    file = records.RecordFile(path)
    file.add([make_record(records), make_record(records, fold=1)])
    path.write_bytes(path.read_bytes()[:-5])
    torn = path.read_bytes()
    assert list(records.RecordFile(path).known) == [make_record(records).key]
    assert path.read_bytes() == torn  # by whoever goes on writing
    records.RecordFile(path).add([make_record(records, fold=2)])
    assert [key.fold for key in records.RecordFile(path).known] == [0, 2]


def test_some_are_forgotten(records, tmp_path):
    path = tmp_path / "openml.jsonl"
    file = records.RecordFile(path)
    file.add([make_record(records, who, name) for who in ("XGBoost", "snapml") for name in ("pol", "letter")])
    assert file.forget("full", ["pol"], ["XGBoost"]) == 0
    assert file.forget("small", ["pol"], ["XGBoost", "CatBoost"]) == 1
    known = records.RecordFile(path).known
    assert [(key.contestant, key.set) for key in known] == [
        ("XGBoost", "letter"),
        ("snapml", "pol"),
        ("snapml", "letter"),
    ]
