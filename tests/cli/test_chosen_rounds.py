"""num_round auto: how many rounds a training without a validation set has."""

import re
import signal
import subprocess

import pytest
from samples import make_rows, write_csv
from terminal import on_terminal

TRAIN = ["train", "numbers.csv", "--label", "y", "--model", "m.mxb"]


def chosen(stderr):
    """How many rounds the program says it has chosen."""
    return int(re.search(r"^mixboost: num_round auto: (\d+) rounds? ", stderr, re.M).group(1))


def test_lines_tell_the_choice_and_then_the_training(run, numbers_csv):
    done = run(*TRAIN, "--early_stopping_rounds", 30)
    assert (done.returncode, done.stdout) == (0, "")
    lines = done.stderr.splitlines()
    n_rounds = chosen(done.stderr)
    told = next(i for i, line in enumerate(lines) if line.startswith("mixboost: "))
    choice = r"choosing num_round: round \d+: train \S+, kept aside \S+, (\S+ (s|min|h) so far|in \S+ (s|min|h))"
    for line in lines[:told]:
        assert re.fullmatch(choice, line), line
    searched = [int(re.search(r"round (\d+):", line).group(1)) for line in lines[:told]]
    assert searched == [1, *range(100, searched[-1], 100), searched[-1]]
    assert searched[-1] == n_rounds + 30
    pattern = r"mixboost: num_round auto: \d+ rounds are best for rows kept aside, in \S+ (s|min|h)"
    assert re.fullmatch(pattern, lines[told])
    assert lines[told + 1].startswith(f"round 1 of {n_rounds}: train ")
    assert lines[-2].startswith(f"mixboost: trained {n_rounds} rounds in ")


def test_it_is_the_training_with_that_number(run, numbers_csv, tmp_path):
    n_rounds = chosen(run(*TRAIN).stderr)
    model = (tmp_path / "m.mxb").read_bytes()
    assert run(*TRAIN, "--num_round", n_rounds, "--quiet").returncode == 0
    assert (tmp_path / "m.mxb").read_bytes() == model
    assert run(*TRAIN, "--num_round", "auto", "--quiet", "--n_threads", 1).stderr == ""
    assert (tmp_path / "m.mxb").read_bytes() == model


def test_with_validation_rows_nothing_is_chosen(run, numbers_csv):
    done = run(*TRAIN, "--valid-fraction", 0.2)
    assert done.stderr.startswith("round 1 of 2000: train ")
    assert "num_round" not in done.stderr


def test_too_few_rows(run, tmp_path):
    write_csv(tmp_path / "numbers.csv", "abcy", make_rows(9, seed=1))
    done = run(*TRAIN)
    assert done.returncode == 0
    first = "mixboost: num_round auto: 30 rounds; the rows, or those of a class, are too few to keep some aside"
    assert done.stderr.splitlines()[0] == first


def test_going_on_from_a_checkpoint_comes_to_the_same_model(run, numbers_csv, tmp_path):
    n_rounds = chosen(run(*TRAIN).stderr)
    model = (tmp_path / "m.mxb").read_bytes()
    words = ["--num_round", n_rounds // 2, "--quiet"]
    assert run(*TRAIN[:-1], "part.mxb", *words).returncode == 0
    assert chosen(run(*TRAIN, "--from", "part.mxb").stderr) == n_rounds
    assert (tmp_path / "m.mxb").read_bytes() == model


def test_terminal(program, numbers_csv, tmp_path):
    seen, code = on_terminal(program, TRAIN, tmp_path)
    assert code == 0
    choice, told, bar, trained, wrote, rest = seen.split("\n")
    for drawing in choice.split("\r")[1:]:
        pattern = r"choosing num_round: round \d+  train \S+, kept aside \S+  (\S+ s so far|in \S+ s)\x1b\[K"
        assert re.fullmatch(pattern, drawing), drawing
    assert told.startswith("mixboost: num_round auto: ")
    assert bar.startswith("\r[>")
    assert trained.startswith("mixboost: trained ") and wrote.startswith("mixboost: wrote ") and rest == ""


@pytest.mark.parametrize("columns", [1, 5, 20, 40, 80, 300])
def test_terminal_never_wraps(program, numbers_csv, tmp_path, columns):
    seen, code = on_terminal(program, TRAIN, tmp_path, columns=columns)
    assert code == 0
    for drawing in seen.split("\n")[0].split("\r")[1:]:
        assert len(drawing.removesuffix("\x1b[K")) < max(columns, 1)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_while_choosing(program, tmp_path, number):
    write_csv(tmp_path / "numbers.csv", "abcy", make_rows(20_000, seed=1))
    command = [program, *TRAIN, "--early_stopping_rounds", "0"]
    process = subprocess.Popen(command, cwd=tmp_path, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    assert process.stderr.readline().startswith("choosing num_round: round 1: train ")
    process.send_signal(number)
    rest = process.stderr.read()
    assert process.wait(30) == -number
    assert rest.splitlines()[-1] == "mixboost: stopped while num_round was chosen; nothing was written"
    assert list(tmp_path.glob("m.mxb*")) == []


def test_a_training_that_goes_on_keeps_the_rate_of_its_model(run, tmp_path):
    write_csv(tmp_path / "numbers.csv", "abcy", make_rows(200, seed=1))
    assert run(*TRAIN, "--num_round", 3, "--learning_rate", 0.3).returncode == 0
    (tmp_path / "m.mxb").rename(tmp_path / "first.mxb")
    done = run(*TRAIN, "--from", "first.mxb")
    assert done.returncode == 0
    assert "~ learning_rate          0.3 (default auto)" in run("show", "m.mxb").stdout
    (tmp_path / "m.mxb").rename(tmp_path / "first.mxb")
    assert run(*TRAIN, "--from", "first.mxb", "--num_round", 500).returncode == 0
    (tmp_path / "m.mxb").rename(tmp_path / "first.mxb")
    done = run(*TRAIN, "--from", "first.mxb")
    assert done.returncode == 1
    assert re.search(
        r"rounds are best for rows kept aside; the model to go on from already has 500$", done.stderr, re.M
    )
