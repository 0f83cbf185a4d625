"""Progress of a training: a bar on a terminal, a few lines elsewhere."""

import re

import pytest
from terminal import on_terminal

TRAIN = ["train", "numbers.csv", "--label", "y", "--model", "m.mxb"]


def test_bar(program, numbers_csv, tmp_path):
    seen, code = on_terminal(program, [*TRAIN, "--num_round", "50", "--valid-fraction", "0.2"], tmp_path)
    assert code == 0
    bar, trained, wrote, rest = seen.split("\n")
    assert rest == ""
    drawings = bar.split("\r")[1:]
    for drawing in drawings:
        assert re.fullmatch(
            r"\[=*>?\s*\] \d+/50  train \S+, validation \S+  (at most \S+ (s|min|h) left|in \S+ s)\x1b\[K", drawing
        ), drawing
    assert drawings[0].startswith("[>") and " 1/50 " in drawings[0]
    assert re.match(r"\[=+>? *\] \d+/50 ", drawings[-1]) and " in " in drawings[-1]
    assert trained.startswith("mixboost: trained ")
    assert wrote.startswith("mixboost: wrote m.mxb (")


def test_bar_is_full_at_the_end_without_validation(program, numbers_csv, tmp_path):
    seen, code = on_terminal(program, [*TRAIN, "--num_round", "50"], tmp_path)
    assert code == 0
    last = seen.split("\n")[0].split("\r")[-1]
    assert re.fullmatch(r"\[={30}\] 50/50  train \S+  in \S+ s\x1b\[K", last)


@pytest.mark.parametrize("columns", [1, 5, 20, 40, 60, 80, 300])
def test_bar_never_wraps(program, numbers_csv, tmp_path, columns):
    seen, code = on_terminal(program, [*TRAIN, "--num_round", "5"], tmp_path, columns=columns)
    assert code == 0
    for drawing in seen.split("\n")[0].split("\r")[1:]:
        assert len(drawing.removesuffix("\x1b[K")) < max(columns, 1)


def test_bar_is_redrawn_at_most_ten_times_a_second(program, numbers_csv, tmp_path):
    seen, code = on_terminal(program, [*TRAIN, "--num_round", "400"], tmp_path)
    assert code == 0
    bar = seen.split("\n")[0]
    seconds = float(re.search(r"in (\S+) s", bar.split("\r")[-1]).group(1))
    assert len(bar.split("\r")) - 1 <= 10 * (seconds + 0.1) + 2


def test_dumb_terminal_gets_lines(program, numbers_csv, tmp_path):
    seen, code = on_terminal(program, [*TRAIN, "--num_round", "5"], tmp_path, TERM="dumb")
    assert code == 0
    assert "\r" not in seen and "\x1b" not in seen
    assert seen.startswith("round 1 of 5: train ")


def test_quiet_terminal(program, numbers_csv, tmp_path):
    assert on_terminal(program, [*TRAIN, "--num_round", "5", "--quiet"], tmp_path) == ("", 0)


@pytest.mark.parametrize(
    ("n_rounds", "shown"),
    [
        (1, [1]),
        (2, [1, 2]),
        (10, list(range(1, 11))),
        (11, [1, 2, 4, 6, 8, 10, 11]),
        (100, [1, *range(10, 101, 10)]),
        (101, [1, *range(11, 100, 11), 101]),
    ],
)
def test_lines(run, numbers_csv, n_rounds, shown):
    done = run(*TRAIN, "--num_round", n_rounds)
    lines = [line for line in done.stderr.splitlines() if line.startswith("round ")]
    assert [int(line.split()[1]) for line in lines] == shown
    for line in lines[:-1]:
        assert re.fullmatch(rf"round \d+ of {n_rounds}: train \d\S*, \d\S* (s|min|h) left", line), line
    assert re.fullmatch(rf"round {n_rounds} of {n_rounds}: train \d\S*, in \S+ s", lines[-1])
    assert done.stderr.splitlines()[len(lines)].startswith("mixboost: trained ")


def test_lines_with_validation_end_with_the_last_round_trained(run, numbers_csv):
    done = run(*TRAIN, *["--valid-fraction", 0.2, "--num_round", 400, "--early_stopping_rounds", 3])
    lines = [line for line in done.stderr.splitlines() if line.startswith("round ")]
    trained = re.search(r"trained (\d+) rounds", done.stderr).group(1)
    assert int(trained) < 400
    assert lines[-1].startswith(f"round {trained} of 400: train ")
    for line in lines:
        assert ", validation " in line
    assert len(lines) <= 12
