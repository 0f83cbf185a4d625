"""What runs the programs of the battery: none without an end, and failed checks are counted."""

import os
import sys
import time
import types

import pytest


@pytest.fixture
def programs(sections):
    return sections("programs")


@pytest.fixture
def run(tmp_path):
    return types.SimpleNamespace(log=tmp_path / "log", folder=tmp_path)


def shell(script):
    return ["sh", "-c", script]


def test_a_program_gives_what_it_printed_last(programs, run):
    for text in ("first", "second"):
        assert (
            programs.run_program(shell(f"echo {text}; echo $WORD >&2"), run.log, run.folder, WORD="on")
            == f"{text}\non\n"
        )
    assert "first" in run.log.read_text()


def test_a_program_that_does_not_end_has_failed_with_all_its_children(programs, sections, run, monkeypatch):
    monkeypatch.setattr(programs, "SECONDS", 1)
    began = time.monotonic()
    with pytest.raises(sections("tools.logs").Failed, match="had not ended after 1 s"):
        programs.run_program(shell("(sleep 3; touch left) & sleep 60"), run.log, run.folder)
    assert time.monotonic() - began < 30
    time.sleep(3)
    assert not (run.folder / "left").exists()


def test_checks_that_fail_are_counted(programs, run):
    def counts(n_failed, code):
        return programs.run_checks(
            shell(f"echo 7 runs; echo 2 tests, {n_failed} failed checks; exit {code}"), run, runs=r"(\d+) runs"
        )

    assert counts(0, 0) == {"runs": 7, "failed": 0}
    assert counts(3, 1) == {"runs": 7, "failed": 3}
    assert not programs.failed_checks({"a": counts(3, 1), "b": counts(0, 0)}).is_met


@pytest.mark.parametrize(
    "script", ["exit 1", "echo 2 tests, 0 failed checks; exit 1", "echo 2 tests, 1 failed checks; exit 23"]
)
def test_a_program_that_ends_otherwise_has_failed(programs, sections, run, script):
    with pytest.raises(sections("tools.logs").Failed):
        programs.run_checks(shell(script), run)


def test_errors_of_pytest_are_failures(programs, sections, run, monkeypatch):
    monkeypatch.setattr(sections("tools.report"), "BUILD", run.folder)
    test = run.folder / "test_it.py"
    test.write_text("def test_fine(): pass\ndef test_wrong(): assert 0\ndef test_error(no_such_fixture): pass\n")
    ready = {"python": sys.executable, "env": dict(os.environ), "cwd": run.folder}
    assert programs.run_pytest("it", [test], run.log, **ready) == {"passed": 1, "failed": 2}


def test_what_is_counted_of_a_library_is_of_a_version(programs, sections, run, monkeypatch):
    python = run.folder / "python"
    python.write_text("#!/bin/sh\necho a warning: 3 of them\n$SAY\necho 20 more\n")
    python.chmod(0o755)
    monkeypatch.setattr(programs, "wheel_environment", lambda _log: python)
    monkeypatch.setenv("SAY", "echo 4.6.0rc1: 7 lost")
    counts = programs.run_peer(run, "peers_saves.py", "LightGBM", lost=r"(\d+) lost", more=r"(\d+) more")
    assert counts == {"lost": 7, "more": 20, "version": "4.6.0rc1"}
    monkeypatch.setenv("SAY", "echo 7 lost")
    with pytest.raises(sections("tools.logs").Failed, match="prints no version"):
        programs.run_peer(run, "peers_saves.py", "LightGBM", lost=r"(\d+) lost")
