"""Ctrl-C, SIGTERM and SIGHUP during a training: it stops, writes nothing, and dies of the signal."""

import pathlib
import re
import signal
import subprocess
import time

import pytest
from samples import make_rows, write_csv

ENDLESS = ["train", "numbers.csv", "--label", "y", "--model", "m.mxb", "--num_round", "100000"]


def start(program, tmp_path, *words, **options):
    process = subprocess.Popen(
        [program, *ENDLESS, *words],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        text=True,
        **options,
    )
    return process


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("before", [None, b"an older model"])
def test_stops_and_writes_nothing(program, numbers_csv, tmp_path, number, before):
    if before is not None:
        (tmp_path / "m.mxb").write_bytes(before)
    process = start(program, tmp_path)
    assert process.stderr.readline().startswith("round 1 of 100000: ")
    process.send_signal(number)
    rest = process.stderr.read()
    assert process.wait(30) == -number
    last = rest.splitlines()[-1]
    n_rounds = re.fullmatch(r"mixboost: stopped after (\d+) rounds?; nothing was written", last).group(1)
    assert any(line.startswith(f"round {n_rounds} of ") for line in [*rest.splitlines(), "round 1 of "])
    files = {path.name: path.read_bytes() for path in tmp_path.glob("m.mxb*")}
    assert files == ({} if before is None else {"m.mxb": before})


def catches(process, number):
    """Whether the process has a handler for the signal."""
    status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
    return int(re.search(r"SigCgt:\s*(\w+)", status).group(1), 16) >> (number - 1) & 1


@pytest.mark.skipif(not pathlib.Path("/proc/self/status").exists(), reason="needs Linux to see when to send the signal")
def test_a_second_one_kills_at_once(program, tmp_path):
    """Even in the midst of a round, here one of many seconds."""
    write_csv(tmp_path / "numbers.csv", "abcy", make_rows(20_000, seed=1))
    process = start(program, tmp_path, "--tree_probability", "0", "--n_components", "3000")
    while not catches(process, signal.SIGINT):
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    while catches(process, signal.SIGINT):
        time.sleep(0.01)
    assert process.poll() is None
    process.send_signal(signal.SIGINT)
    assert process.wait(5) == -signal.SIGINT
    assert process.stderr.read() == ""
    assert list(tmp_path.glob("m.mxb*")) == []


def test_an_ignored_signal_stays_ignored(program, numbers_csv, tmp_path):
    """As under nohup, or in the background of a script."""
    process = start(program, tmp_path, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN))
    process.stderr.readline()
    process.send_signal(signal.SIGINT)
    assert process.stderr.readline().startswith("round 10000 of ")
    process.send_signal(signal.SIGTERM)
    process.stderr.read()
    assert process.wait(30) == -signal.SIGTERM


def test_before_training_a_signal_just_kills(program, tmp_path):
    """While standard input is awaited there is nothing to tidy up."""
    process = subprocess.Popen(
        [program, "train", "-", "--label", "y", "--model", "m.mxb"],
        cwd=tmp_path,
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    process.stdin.write("a,y\n")
    process.stdin.flush()
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(0.3)
    process.send_signal(signal.SIGINT)
    assert process.wait(30) == -signal.SIGINT
    assert process.stderr.read() == ""
    process.stdin.close()
    process.stderr.close()
    assert list(tmp_path.iterdir()) == []
