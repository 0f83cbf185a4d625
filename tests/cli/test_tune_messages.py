"""Searches that cannot be: one exact sentence on standard error, an exit code, and nothing written."""

import pytest
from samples import make_rows, write_csv
from tuned import search

# What is typed after a search that would do, the exit code, and the sentence.
MISTAKES = [
    ("--eta 1", 2, 'eta is "1"; it must be a whole number, 2 to 1000'),
    ("--eta 2.5", 2, 'eta is "2.5"; it must be a whole number, 2 to 1000'),
    ("--min-resource 0", 2, 'min_resource is "0"; it must be a number or a fraction a/b over 0, up to 1'),
    ("--min-resource 1.5", 2, 'min_resource is "1.5"; it must be a number or a fraction a/b over 0, up to 1'),
    ("--min-resource 3/2", 2, 'min_resource is "3/2"; it must be a number or a fraction a/b over 0, up to 1'),
    ("--resource time", 2, 'resource is "time"; it must be rows | rounds'),
    ("--min-resource -1/-4", 2, 'min_resource is "-1/-4"; it must be a number or a fraction a/b over 0, up to 1'),
    ("--folds 0", 2, '--folds must be a whole number from 2 to 1000, not "0"'),
    ("--folds 1", 2, '--folds must be a whole number from 2 to 1000, not "1"'),
    ("--valid-fraction 1", 2, 'valid_fraction is "1"; it must be 0.001 to 0.999'),
    (
        "--min-resource 1/16",
        2,
        "8 configurations cannot go through 3 stages, each with one in 4 of the stage before: there must be at least "
        "16, or min_resource must be larger",
    ),
    ("--time-limit 0", 2, '--time-limit must be a time such as 90s, 10m or 2h, not "0"'),
    ("--time-limit 10d", 2, '--time-limit must be a time such as 90s, 10m or 2h, not "10d"'),
    ("--time-limit=-5", 2, '--time-limit must be a time such as 90s, 10m or 2h, not "-5"'),
    ("--time-limit 1e3", 2, '--time-limit must be a time such as 90s, 10m or 2h, not "1e3"'),
    ("--time-limit=", 2, '--time-limit must be a time such as 90s, 10m or 2h, not ""'),
    ("--time-limit .", 2, '--time-limit must be a time such as 90s, 10m or 2h, not "."'),
    ("--time-limit 1000000001s", 2, '--time-limit must be a time such as 90s, 10m or 2h, not "1000000001s"'),
    ("--time-limit 16666667m", 2, '--time-limit must be a time such as 90s, 10m or 2h, not "16666667m"'),
    ("--time-limit 277778h", 2, '--time-limit must be a time such as 90s, 10m or 2h, not "277778h"'),
    ("--resume", 2, "--resume needs --journal FILE"),
    ("--folds 3 --valid-fraction 0.2", 2, "--folds and --valid-fraction exclude each other"),
    ("--valid d.csv --folds 3", 2, "--folds and --valid exclude each other"),
    ("--valid d.csv --valid-fraction 0.2", 2, "--valid and --valid-fraction exclude each other"),
    ("--journal m.mxb", 2, '--journal and --model name the same file, "m.mxb"'),
    ("--journal none/j", 1, 'cannot write "none/j": there is no folder "none"'),
    ("--learning_rate 2", 2, 'learning_rate is "2"; it must be over 0, up to 1, or auto'),
    ("--header maybe", 2, '--header must be auto, yes or no, not "maybe"'),
    ("--fold 3", 2, "unknown option --fold; did you mean --folds? (mixboost tune --help lists all)"),
    (
        "--space papr",
        1,
        'cannot read the space "papr": No such file or directory (default, paper and paper-node need no file)',
    ),
    ("--space .", 1, 'cannot read the space ".": Is a directory (default, paper and paper-node need no file)'),
    ("--weight q", 1, 'd.csv has no column "q"; its columns are a, b, c, y'),
    ("--folds 101", 1, "101 folds need at least as many rows; the data has 100"),
]


@pytest.mark.parametrize(("typed", "code", "sentence"), MISTAKES, ids=[typed for typed, _, _ in MISTAKES])
def test_mistake(run, tmp_path, typed, code, sentence):
    write_csv(tmp_path / "d.csv", "abcy", make_rows(100, seed=1))
    done = run(*search("d.csv", "m.mxb", *typed.split()))
    assert (done.returncode, done.stdout, done.stderr) == (code, "", f"mixboost: {sentence}\n")
    assert [path.name for path in tmp_path.iterdir()] == ["d.csv"]


# Mistakes in settings and options, whatever the data are.
WITHOUT_DATA = [
    ("--eta 1", 'eta is "1"; it must be a whole number, 2 to 1000'),
    ("--min-resource 0", 'min_resource is "0"; it must be a number or a fraction a/b over 0, up to 1'),
    ("--folds 0", '--folds must be a whole number from 2 to 1000, not "0"'),
    (
        "--configs 3",
        "3 configurations cannot go through 2 stages, each with one in 4 of the stage before: there must be at least "
        "4, or min_resource must be larger",
    ),
    ("--min_max_depth 9 --max_max_depth 4", "min_max_depth is 9 and max_max_depth 4; the first must not be larger"),
    (
        "--max_max_depth 5 --depth_probabilities 1",
        "depth_probabilities has 1 number; min_max_depth 2 to max_max_depth 5 are 4 depths",
    ),
]


@pytest.mark.parametrize(("typed", "sentence"), WITHOUT_DATA, ids=[typed for typed, _ in WITHOUT_DATA])
def test_found_before_the_data_is_read(run, typed, sentence):
    done = run("tune", "none.csv", "--label", "y", "--model", "m.mxb", *typed.split())
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"mixboost: {sentence}\n")


@pytest.mark.parametrize("given", ["0", "2.5", "many", "1000001"])
def test_configurations(run, tmp_path, given):
    write_csv(tmp_path / "d.csv", "abcy", make_rows(100, seed=1))
    done = run("tune", "d.csv", "--label", "y", "--model", "m.mxb", "--configs", given)
    sentence = f'mixboost: --configs: n_configs is "{given}"; it must be a whole number, 1 to 1000000\n'
    assert (done.returncode, done.stdout, done.stderr) == (2, "", sentence)


# Spaces, and what is wrong with their last line.
SPACES = [
    ("lerning_rate 0.1 0.2 linear\n", 'there is no option "lerning_rate"'),
    ("# all\nlearning_rate 0.2 0.1 log10\n", "the lowest learning_rate, 0.2, is above the highest, 0.1"),
    ("lambda_l2 0 1 log10", "the lowest lambda_l2 is 0; on a log10 scale it must be over 0"),
    ("base_score -1 1 log10", "the lowest base_score is -1; on a log10 scale it must be over 0"),
    ("objective mse logloss choice", "objective cannot be tuned: its losses cannot be compared"),
    ("n_threads 1 2 integer", "n_threads cannot be tuned: threads are shared out by the tuner"),
    ("learning_rate 0.1 0.2 cubic", None),
    ("learning_rate 0.1 2 linear", None),
    ("max_max_depth 1 2.5 integer", None),
    ("alpha 1 2 linear\nalpha 1 3 linear\n", None),
    ("fourier_scaling rank round choice", None),
]


@pytest.mark.parametrize(("text", "reason"), SPACES, ids=[text for text, _ in SPACES])
def test_space(run, tmp_path, text, reason):
    write_csv(tmp_path / "d.csv", "abcy", make_rows(100, seed=1))
    (tmp_path / "my space").write_text(text)
    done = run(*search("d.csv", "m.mxb", "--space", "my space"))
    assert (done.returncode, done.stdout) == (1, "")
    place = f'mixboost: "my space": line {len(text.splitlines())} of the search space: '
    assert done.stderr.startswith(place) and done.stderr.count("\n") == 1
    assert reason is None or done.stderr == f"{place}{reason}\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["d.csv", "my space"]


def test_an_empty_space(run, tmp_path):
    (tmp_path / "s").write_text("# nothing\n")
    done = run(*search("d.csv", "m.mxb", "--space", "s"))
    assert (done.returncode, done.stderr) == (1, 'mixboost: "s": the search space has no option\n')


@pytest.mark.parametrize(
    ("content", "reason"),
    [(b"alpha 1\n\0", "it is not a text"), (b"#" * (2**20 + 1), "it is larger than a megabyte")],
)
def test_a_file_that_is_no_space(run, tmp_path, content, reason):
    (tmp_path / "s").write_bytes(content)
    done = run(*search("d.csv", "m.mxb", "--space", "s"))
    told = "(default, paper and paper-node need no file)"
    assert (done.returncode, done.stderr) == (1, f'mixboost: cannot read the space "s": {reason} {told}\n')


def test_the_model_does_not_overwrite_the_space(run, tmp_path):
    (tmp_path / "s").write_text("alpha 1 2 linear\n")
    done = run(*search("d.csv", "s", "--space", "s"))
    assert (done.returncode, done.stderr) == (2, 'mixboost: --model "s" would overwrite the space\n')


def test_too_few_rows(run, tmp_path):
    write_csv(tmp_path / "d.csv", "abcy", make_rows(8, seed=1))
    done = run(*search("d.csv", "m.mxb"))
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        "mixboost: the first stage has 1/4 of 6 rows, which are fewer than 2; min_resource must be larger\n"
    )


@pytest.mark.parametrize("min_resource", [1, "1/4"])
def test_a_row_to_train_on(run, tmp_path, min_resource):
    """No part of the rows would do."""
    write_csv(tmp_path / "d.csv", "abcy", make_rows(2, seed=1))
    done = run(*search("d.csv", "m.mxb", "--folds", 2, "--min-resource", min_resource))
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "mixboost: the rows to train on are too few, 1; the first stage needs at least 2\n"


# Labels that no search can do with, and what is said of them whatever judges.
LABELS = {
    "numbers": ("logloss", range(40), "the labels of the training data have more than two values (0, 1, 2, ...); "),
    "texts": ("mse", [f"t{i}" for i in range(40)], 'the label of row 1 of the training data is the text "t0"; '),
    "one": ("logloss", [3] * 40, "all labels of the training data are 3; logloss needs two different values"),
}


@pytest.mark.parametrize("words", [["tune", "--model", "m.mxb", "--folds", 3], ["tune", "--model", "m.mxb"]])
@pytest.mark.parametrize("kind", LABELS)
def test_labels(run, tmp_path, kind, words):
    objective, labels, sentence = LABELS[kind]
    write_csv(tmp_path / "d.csv", "ay", [[i, label] for i, label in enumerate(labels)])
    done = run(*words, "d.csv", "--label", "y", "--objective", objective)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert done.stderr.startswith(f"mixboost: {sentence}")


def test_rows_to_judge_by_of_one_class(run, tmp_path):
    """Those that are dealt must have both classes, those that are given need not."""
    rows = [[*row[:3], "yes" if i in (3, 9) else "no"] for i, row in enumerate(make_rows(40, seed=1))]
    write_csv(tmp_path / "d.csv", "abcy", rows)
    done = run(*search("d.csv", "m.mxb", "--objective", "logloss"))
    sentence = 'no row has label "yes"; of the 40 rows of the training data 2 do'
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"mixboost: the rows that judge: {sentence}\n"
    write_csv(tmp_path / "valid.csv", "abcy", [[*row[:3], "no"] for row in rows[20:]])
    done = run(*search("d.csv", "m.mxb", "--objective", "logloss", "--valid", "valid.csv", "--min-resource", 1))
    assert done.returncode == 0
    assert done.stderr.startswith(f"mixboost: warning: the rows that judge: {sentence}\nmixboost: stages: ")


@pytest.mark.parametrize("words", [["--folds", 3], ["--valid-fraction", 0.5], []])
def test_a_class_of_too_few_rows(run, tmp_path, words):
    """One row of a class cannot be on both sides."""
    rows = [[*row[:3], int(i == 5)] for i, row in enumerate(make_rows(40, seed=1))]
    write_csv(tmp_path / "d.csv", "abcy", rows)
    done = run(*search("d.csv", "m.mxb", "--objective", "logloss", *words))
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.count("\n") == 1
    if words[:1] == ["--folds"]:
        assert done.stderr == "mixboost: label 1 has 1 row; 3 stratified folds need at least 3 of each label\n"
    assert not (tmp_path / "m.mxb").exists()


def test_rows_to_judge_by_that_do_not_go_with_the_others(run, classes_csv, tmp_path):
    write_csv(tmp_path / "valid.csv", "abcy", [[1, 2, 3, 0], [1, 2, 3, 7]])
    words = ["--objective", "logloss", "--valid", "valid.csv", "--journal", "j.mxj"]
    done = run(*search(classes_csv, "m.mxb", *words))
    assert (done.returncode, done.stdout) == (1, "")
    reason = "the label of row 2 of the validation data is 7; the training labels are 0 and 1"
    assert done.stderr.splitlines() == [f"mixboost: {reason}"]
    assert not (tmp_path / "j.mxj").exists()
