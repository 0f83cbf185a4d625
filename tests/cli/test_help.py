"""Help and version: on standard output, made from the option table, at most 100 characters wide."""

import re

import pytest

OPTIONS = """
    num_round objective learning_rate random_state colsample subsample lambda_l2 early_stopping_rounds base_score
    tree_probability min_max_depth max_max_depth use_histograms hist_nbins tree_n_threads alpha fit_intercept
    ridge_n_threads gamma n_components kernel_n_threads n_threads min_child_weight fourier_scaling
    depth_probabilities preset n_members symmetric_probability symmetric_depth split_noise split_prior leaf_rows
    n_projections fourier_metric fourier_linear
""".split()

TUNING = "space configs eta min-resource resource valid-fraction time-limit journal resume".split()

FLAGS = {
    "train": "label weight valid valid-fraction from checkpoint-every header quiet model help".split(),
    "tune": ["label", "model", "weight", "folds", "valid", *TUNING, "header", "quiet", "help"],
    "cv": "label folds repeats seed weight tune inner-folds header json quiet help".split() + TUNING,
    "predict": ["proba", "raw", "out", "header", "n_threads", "quiet", "help"],
    "show": ["json", "help"],
}


def help_of(run, *words):
    done = run(*words)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_program_help_names_the_commands(run):
    text = help_of(run, "--help")
    for command in FLAGS:
        assert re.search(rf"^  {command} ", text, re.M)
    assert help_of(run) == help_of(run, "help") == help_of(run, "-h") == text


@pytest.mark.parametrize("command", FLAGS)
def test_command_help_names_every_flag(run, command):
    text = help_of(run, command, "--help")
    assert text.startswith(f"mixboost {command}: ")
    assert f"usage: mixboost {command} " in text
    for flag in FLAGS[command]:
        assert re.search(rf"^  --{flag}\b", text, re.M), flag
    assert help_of(run, "help", command) == help_of(run, command, "-h") == text


def test_help_of_tune_says_what_stops_trainings(run):
    text = help_of(run, "tune", "--help")
    assert "The rows that judge a trial also stop it early." in text
    assert "comes after it and is not limited." in re.sub(r"\s+", " ", text)


@pytest.mark.parametrize("command", ["train", "tune", "cv"])
def test_help_has_a_row_for_every_option(run, command):
    text = help_of(run, command, "--help")
    table = text[text.index("  option ") :].splitlines()
    starts = [table[0].index(title) for title in ("default", "allowed", "meaning")]
    rows = [line for line in table[1:] if line.startswith("  --")]
    assert sorted(row.split()[0] for row in rows) == sorted(f"--{name}" for name in OPTIONS)
    for row in rows:
        for start in starts:
            assert row[start - 1] == " " and row[start] != " ", row


@pytest.mark.parametrize("words", [[], *([command, "--help"] for command in FLAGS)])
def test_help_fits_100_columns_and_has_no_trailing_blanks(run, words):
    for line in help_of(run, *words).splitlines():
        assert len(line) <= 100
        assert line == line.rstrip()


def test_help_wins_over_mistakes(run):
    assert help_of(run, "train", "--nonsense", "--help") == help_of(run, "help", "train")


def test_version(run):
    assert re.fullmatch(r"mixboost \d+\.\d+\.\d+\n", help_of(run, "--version"))


@pytest.mark.parametrize("words", [["--help"], ["--version"], ["train", "--help"]])
def test_help_on_a_full_disk_is_an_error(run, words):
    with open("/dev/full", "w") as full:
        done = run(*words, stdout=full)
    assert done.returncode == 1
    assert done.stderr == "mixboost: cannot write to standard output: No space left on device\n"
