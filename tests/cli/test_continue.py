"""Going on from a model, and checkpoints that survive a kill."""

import os
import signal
import subprocess
import time

import pytest

OPTIONS = ["--label", "y", "--num_round", 40, "--tree_probability", 0.6, "--subsample", 0.8, "--quiet"]
OPTIONS += ["--n_projections", 2, "--fourier_metric", "learned", "--gamma", "auto"]


@pytest.fixture
def whole(run, numbers_csv, tmp_path):
    """The bytes of one long training."""
    assert run("train", numbers_csv, *OPTIONS, "--model", "whole.mxb").returncode == 0
    return (tmp_path / "whole.mxb").read_bytes()


@pytest.mark.parametrize("rounds", [1, 17, 39, 40])
def test_two_halves_make_the_whole(run, numbers_csv, tmp_path, whole, rounds):
    first = run("train", numbers_csv, *OPTIONS[:2], "--num_round", rounds, *OPTIONS[4:], "--model", "part.mxb")
    assert first.returncode == 0
    second = run("train", numbers_csv, *OPTIONS, "--from", "part.mxb", "--model", "out.mxb")
    assert (second.returncode, second.stderr) == (0, "")
    assert (tmp_path / "out.mxb").read_bytes() == whole


def test_checkpoints_change_nothing(run, numbers_csv, tmp_path, whole):
    assert run("train", numbers_csv, *OPTIONS, "--checkpoint-every", 7, "--model", "out.mxb").returncode == 0
    assert (tmp_path / "out.mxb").read_bytes() == whole


def test_columns_are_matched_to_the_model(run, numbers_csv, tmp_path, whole):
    lines = numbers_csv.read_text().splitlines()
    mixed = tmp_path / "mixed.csv"
    order = [3, 2, 0, 1]
    mixed.write_text("".join(",".join(line.split(",")[i] for i in order) + ",x\n" for line in lines))
    first = run("train", numbers_csv, *OPTIONS[:2], "--num_round", 20, *OPTIONS[4:], "--model", "part.mxb")
    assert first.returncode == 0
    assert run("train", mixed, *OPTIONS, "--from", "part.mxb", "--model", "out.mxb").returncode == 0
    assert (tmp_path / "out.mxb").read_bytes() == whole


def test_a_killed_training_goes_on_from_its_checkpoint(program, run, numbers_csv, tmp_path):
    """Kill it at several moments; whatever the file holds, going on ends in the same bytes."""
    options = ["--label", "y", "--num_round", "3000", "--tree_probability", "0.8", "--quiet"]
    assert run("train", numbers_csv, *options, "--model", "whole.mxb").returncode == 0
    whole = (tmp_path / "whole.mxb").read_bytes()
    n_resumed = 0
    for tries in range(6):
        model = tmp_path / f"killed{tries}.mxb"
        command = [program, "train", numbers_csv, *options, "--checkpoint-every", "5", "--model", model]
        process = subprocess.Popen(command)
        while not model.exists() and process.poll() is None:
            time.sleep(0.001)
        time.sleep(0.02 * tries)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        n_resumed += run("show", model).returncode == 0
        again = run("train", numbers_csv, *options, "--from", model, "--model", model)
        assert (again.returncode, again.stderr) == (0, "")
        assert model.read_bytes() == whole
    assert n_resumed == 6


def test_an_interrupt_leaves_the_checkpoint(program, numbers_csv, tmp_path, run):
    model = tmp_path / "out.mxb"
    command = [program, "train", numbers_csv, "--label", "y", "--num_round", "1000000", "--checkpoint-every", "5"]
    process = subprocess.Popen([*command, "--quiet", "--model", model], stderr=subprocess.PIPE, text=True)
    while not model.exists():
        time.sleep(0.001)
    process.send_signal(signal.SIGINT)
    _, message = process.communicate(timeout=60)
    assert process.returncode == -signal.SIGINT
    assert message.startswith("mixboost: stopped after ") and f" rounds; {model} has the first " in message
    assert run("show", model).returncode == 0


@pytest.mark.parametrize(
    ("words", "sentence", "code"),
    [
        (["--checkpoint-every", "0"], '--checkpoint-every must be a whole number from 1 to 1000000, not "0"', 2),
        (["--checkpoint-every", "x"], '--checkpoint-every must be a whole number from 1 to 1000000, not "x"', 2),
        (["--from", "no.mxb"], 'cannot read "no.mxb": No such file or directory', 1),
        (["--from", "part.mxb", "--num_round", "3"], "num_round is 3; the model already has 20 rounds", 2),
        (
            ["--from", "part.mxb", "--gamma", "2"],
            "gamma is 2; to go on from a model it must be as in its training",
            2,
        ),
    ],
)
def test_what_cannot_be_gone_on_with(run, numbers_csv, words, sentence, code):
    options = ["--label", "y", "--num_round", 20, "--tree_probability", 0.5, "--quiet"]
    assert run("train", numbers_csv, *options, "--model", "part.mxb").returncode == 0
    options = [word for word in options if "--num_round" not in words or word not in ("--num_round", 20)]
    result = run("train", numbers_csv, *options, *words, "--model", "out.mxb")
    assert result.returncode == code
    assert result.stderr.startswith(f"mixboost: {sentence}")
