"""Calls in processes: answers, mistakes, deaths, limits."""

import os
import pathlib
import subprocess
import sys
import time

import pytest

CALLS = """
import os, subprocess, sys, time

prepared = []

def prepare(*what):
    prepared.extend(what)

def add(a, b):
    return a + b, prepared, os.getpid()

def err():
    raise ValueError("no such thing")

def die():
    os._exit(3)

def compute():
    while True:
        pass

def start_and_wait(path):
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    with open(path, "w") as file:
        file.write(f"{os.getpid()} {child.pid}")
    time.sleep(60)
"""


@pytest.fixture
def workers(module):
    return module("workers")


@pytest.fixture
def calls(tmp_path, monkeypatch):
    """A module that both sides can import."""
    (tmp_path / "made_up_calls.py").write_text(CALLS)
    monkeypatch.syspath_prepend(tmp_path)
    import made_up_calls

    yield made_up_calls
    del sys.modules["made_up_calls"]


def is_running(pid):
    """Neither gone nor a child that nobody asked after."""
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


def wait_until(condition):
    until = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.02)


def pids_in(path):
    wait_until(lambda: path.exists() and len(path.read_text().split()) == 2)
    return [int(pid) for pid in path.read_text().split()]


def test_answers_come_of_prepared_processes(workers, calls):
    with workers.Workers(2, workers.Call(calls.prepare, ("data", 7))) as pool:
        for _ in range(2):
            answers = dict(pool.answers([workers.Call(calls.add, (i, 10)) for i in range(5)], 20))
            assert sorted(answers) == list(range(5))
            for i, answer in answers.items():
                total, prepared, pid = answer.value
                assert total == i + 10 and prepared == ["data", 7] and pid != os.getpid()
                assert answer.error is None and answer.seconds >= 0
    assert len({answer.value[2] for answer in answers.values()}) == 5  # each in a process of its own


def test_a_mistake_and_a_death_are_told_and_the_others_go_on(workers, calls):
    asked = [workers.Call(calls.err, ()), workers.Call(calls.die, ()), workers.Call(calls.add, (1, 2))]
    with workers.Workers(1, workers.Call(calls.prepare, ())) as pool:
        answers = dict(pool.answers(asked, 20))
    assert answers[0].error == "ValueError: no such thing" and answers[1].error == "its process died"
    assert answers[2].value[0] == 3


def test_a_call_that_computes_beyond_the_limit_is_killed(workers, calls):
    asked = [workers.Call(calls.compute, ()), workers.Call(calls.add, (1, 2))]
    with workers.Workers(2, workers.Call(calls.prepare, ())) as pool:
        answers = dict(pool.answers(asked, 0.5))
    assert answers[0].error == "over 0.5 s" and 0.5 <= answers[0].seconds < 1 and answers[1].value[0] == 3


def test_a_call_that_waits_far_beyond_the_limit_is_killed_with_what_it_started(workers, calls, tmp_path):
    path = tmp_path / "pids"
    asked = [workers.Call(calls.start_and_wait, (str(path),)), workers.Call(calls.add, (1, 2))]
    with workers.Workers(1, workers.Call(calls.prepare, ())) as pool:
        answers = dict(pool.answers(asked, 0.3))
        pids = pids_in(path)
        wait_until(lambda: not any(map(is_running, pids)))
    assert answers[0].error == "over 0.3 s" and answers[0].value is None and answers[0].seconds < 0.3
    assert answers[1].value[0] == 3


def test_nothing_is_left_when_the_parent_gives_up(workers, calls, tmp_path):
    path = tmp_path / "pids"
    asked = [workers.Call(calls.start_and_wait, (str(path),)), workers.Call(calls.add, (1, 2))]
    with workers.Workers(2, workers.Call(calls.prepare, ())) as pool:
        for number, _ in pool.answers(asked, 60):
            assert number == 1
            pids = pids_in(path)
            break
    assert not is_running(pids[0])
    wait_until(lambda: not is_running(pids[1]))


PARENT = """
import made_up_calls, workers

if __name__ == "__main__":
    with workers.Workers(1, workers.Call(made_up_calls.prepare, ())) as pool:
        list(pool.answers([workers.Call(made_up_calls.start_and_wait, (PATH,))], 60))
"""


def test_nothing_is_left_when_the_parent_is_killed(root, calls, tmp_path):
    path, script = tmp_path / "pids", tmp_path / "parent.py"
    script.write_text(PARENT.replace("PATH", repr(str(path))))
    env = dict(os.environ, PYTHONPATH=str(root / "experiments" / "paper"))
    with subprocess.Popen([sys.executable, script], env=env) as parent:
        pids = pids_in(path)
        parent.kill()
    wait_until(lambda: not any(map(is_running, pids)))
