"""Files with text: columns that are coded by a dictionary in the model, and labels of two texts."""

import csv
import json
import random

import pytest

FRUITS = ["fig", "apple", "Zwetschge", "crème, brûlée", 'the "best" pear', "10", "9"]


def write_csv(path, header, rows):
    """With quotes where they are needed."""
    with open(path, "w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([*([] if header is None else [header]), *rows])


def make_table(n, seed, *, classes=False):
    """Rows of fruit, size, colour and y; some cells are missing."""
    dice = random.Random(seed)
    rows = []
    for _ in range(n):
        fruit, size, colour = dice.choice([*FRUITS, ""]), round(dice.gauss(0, 1), 3), dice.choice(["red", "green"])
        y = len(fruit) + size + (colour == "red") + dice.gauss(0, 0.1)
        rows.append([fruit, size, colour, ("good" if y > 6 else "bad, really") if classes else round(y, 4)])
    return rows


HEADER = ["fruit", "size", "colour", "y"]
OPTIONS = ["--num_round", 20, "--learning_rate", 0.3, "--tree_probability", 0.8]


@pytest.fixture
def table(tmp_path):
    rows = make_table(300, seed=1)
    write_csv(tmp_path / "d.csv", HEADER, rows)
    return rows


def train(run, *words):
    done = run("train", "d.csv", "--model", "m.mxb", *words, *OPTIONS)
    assert done.returncode == 0, done.stderr
    return done


def predicted(done):
    assert (done.returncode, done.stderr) == (0, "")
    lines = list(csv.reader(done.stdout.splitlines()))
    return [line[0] for line in lines[1:]]


def test_text_counts_as_its_rank(run, table, tmp_path):
    train(run, "--label", "y", "--quiet")
    of_text = predicted(run("predict", "m.mxb", "d.csv"))
    ranked = [list(row) for row in table]
    for k in (0, 2):
        texts = sorted({row[k] for row in table} - {""}, key=str.encode)
        for row in ranked:
            row[k] = texts.index(row[k]) if row[k] != "" else ""
    write_csv(tmp_path / "d.csv", HEADER, ranked)
    train(run, "--label", "y", "--quiet")
    assert predicted(run("predict", "m.mxb", "d.csv")) == of_text
    assert len(set(of_text)) > 50


def test_unknown_text_is_missing(run, table, tmp_path):
    train(run, "--label", "y", "--quiet")
    for name, fruit in (("unknown", "durian"), ("missing", "NA"), ("known", "fig")):
        write_csv(tmp_path / f"{name}.csv", HEADER[:3], [[fruit, 0.5, "red"], [fruit, -1, "green"]])
    unknown, missing, known = (predicted(run("predict", "m.mxb", f"{n}.csv")) for n in ("unknown", "missing", "known"))
    assert unknown == missing
    assert unknown != known


def test_a_few_rows_without_letters_are_still_text(run, table, tmp_path):
    """The model says which columns hold text, by name or, without a header, by place."""
    train(run, "--label", "y", "--quiet")
    write_csv(tmp_path / "all.csv", ["fruit", "size", "colour"], [["10", 1, "red"], ["9", 1, "red"], ["fig", 1, "red"]])
    expected = predicted(run("predict", "m.mxb", "all.csv"))
    assert len(set(expected)) == 3
    rows = [["red", 1, "10", "x"], ["red", 1, "9", "y"]]
    write_csv(tmp_path / "named.csv", ["colour", "size", "fruit", "extra"], rows)
    assert predicted(run("predict", "m.mxb", "named.csv")) == expected[:2]
    (tmp_path / "unnamed.csv").write_text("10,1,\n9,1,\n")  # taken for a file without header, which it is
    (tmp_path / "headed.csv").write_text("fruit,size,colour\n10,1,\n9,1,\n")
    by_place = predicted(run("predict", "m.mxb", "unnamed.csv"))
    assert by_place == predicted(run("predict", "m.mxb", "headed.csv"))
    assert by_place == predicted(run("predict", "m.mxb", "unnamed.csv", "--header", "no"))
    assert by_place == predicted(run("predict", "m.mxb", "-", "--header", "no", input="10,1,\n9,1,\n"))
    assert by_place == predicted(run("predict", "m.mxb", "-", input="fruit,size,colour\n10,1,\n9,1,\n"))
    assert len(set(by_place)) == 2
    done = run("predict", "m.mxb", "-", input="10,1,\n9,1,\n")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        'mixboost: standard input has no column "fruit"; it has no header, so its columns are known as 1 to 3\n'
    )


def test_files_without_header(run, table, tmp_path):
    lines = [[row[3], *row[:3]] for row in table]  # the label first
    write_csv(tmp_path / "d.csv", None, lines)
    write_csv(tmp_path / "v.csv", None, [line for line in lines if line[1] in ("9", "10", "")])
    train(run, "--label", 1, "--header", "no", "--valid", "v.csv", "--quiet")
    (tmp_path / "x.csv").write_text("10,1,red\n9,1,red\n")
    by_place = predicted(run("predict", "m.mxb", "x.csv", "--header", "no"))
    assert len(set(by_place)) == 2
    (tmp_path / "x.csv").write_text("p,q,r\n10,1,red\n9,1,red\n")
    assert predicted(run("predict", "m.mxb", "x.csv")) == by_place


def test_validation_files_are_read_as_the_training_file(run, table, tmp_path):
    write_csv(tmp_path / "v.csv", [*reversed(HEADER)], [row[::-1] for row in table if row[0] in ("9", "10", "")])
    train(run, "--label", "y", "--valid", "v.csv")
    write_csv(tmp_path / "v.csv", HEADER, [[1, "large", "red", 2]])
    done = run("train", "d.csv", "--label", "y", "--model", "m.mxb", "--valid", "v.csv")
    assert done.returncode == 1
    assert done.stderr == (
        'mixboost: feature "size" of the dataset holds text ("large" in row 1), '
        "that of the training data holds numbers\n"
    )


def test_show_lists_texts_and_says_what_is_mixed(run, table):
    done = train(run, "--label", "y")
    assert 'mixboost: column fruit of d.csv is text, since not all of it is numbers: "' in done.stderr
    assert "colour" not in done.stderr
    done = run("show", "m.mxb")
    assert "\nfeatures   3 (2 of text), of which trees split on 3\n" in done.stdout
    assert (
        "\nfeatures that hold text, and how many different ones\n"
        "       7  fruit: 10, 9, Zwetschge, apple, crème, brûlée, ... (mixed: 2 of the texts are numbers)\n"
        "       2  colour: green, red\n" in done.stdout
    )
    features = json.loads(run("show", "m.mxb", "--json").stdout)["features"]
    assert features[0]["texts"] == sorted(FRUITS, key=str.encode)
    assert "texts" not in features[1]
    assert features[2]["texts"] == ["green", "red"]


def test_texts_cannot_harm_a_terminal(run, tmp_path):
    (tmp_path / "d.csv").write_text('t,y\n"\x1b[2J\n",1\nb\u0085,2\n7,3\n')
    done = train(run, "--label", "y")
    shown = run("show", "m.mxb").stdout
    assert "\x1b" not in done.stderr + shown
    assert "       3  t: \\x1b[2J\\x0a, 7, b\\xc2\\x85 (mixed: 1 of the texts are numbers)\n" in shown


def test_labels_of_two_texts(run, tmp_path):
    rows = make_table(300, seed=2, classes=True)
    write_csv(tmp_path / "d.csv", HEADER, rows)
    train(run, "--label", "y", "--objective", "logloss", "--valid-fraction", 0.2)
    labels = predicted(run("predict", "m.mxb", "d.csv"))
    assert sum(a == row[3] for a, row in zip(labels, rows, strict=True)) > 270
    probabilities = predicted(run("predict", "m.mxb", "d.csv", "--proba"))
    assert all((float(p) > 0.5) == (a == "good") for a, p in zip(labels, probabilities, strict=True))
    assert run("predict", "m.mxb", "d.csv").stdout.startswith("prediction\n")
    assert "\nlabels     bad, really, good\n" in run("show", "m.mxb").stdout
    assert json.loads(run("show", "m.mxb", "--json").stdout)["labels"] == ["bad, really", "good"]
    numbered = [[*row[:3], int(row[3] == "good")] for row in rows]
    write_csv(tmp_path / "d.csv", HEADER, numbered)
    train(run, "--label", "y", "--objective", "logloss", "--valid-fraction", 0.2)
    assert predicted(run("predict", "m.mxb", "d.csv", "--proba")) == probabilities


def test_validation_labels_must_be_those_of_the_training(run, tmp_path):
    write_csv(tmp_path / "d.csv", HEADER, make_table(100, seed=2, classes=True))
    words = ["train", "d.csv", "--label", "y", "--model", "m.mxb", "--valid", "v.csv", "--objective", "logloss"]
    write_csv(tmp_path / "v.csv", HEADER, [["fig", 1, "red", "good"], ["fig", 1, "red", "ugly"]])
    assert run(*words).stderr == (
        'mixboost: the label of row 2 of the validation data is "ugly"; '
        'the training labels are "bad, really" and "good"\n'
    )
    write_csv(tmp_path / "v.csv", HEADER, [["fig", 1, "red", 0]])
    assert run(*words).stderr == (
        'mixboost: the label of row 1 of the validation data is "0"; the training labels are "bad, really" and "good"\n'
    )


def test_going_on_from_a_model(run, table, tmp_path):
    train(run, "--label", "y", "--quiet")
    at_once = (tmp_path / "m.mxb").read_bytes()
    options = ["--learning_rate", 0.3, "--tree_probability", 0.8, "--label", "y", "--quiet"]
    assert run("train", "d.csv", "--model", "a.mxb", "--num_round", 8, *options).returncode == 0
    done = run("train", "d.csv", "--model", "b.mxb", "--from", "a.mxb", "--num_round", 20, *options)
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "b.mxb").read_bytes() == at_once
    write_csv(tmp_path / "other.csv", HEADER, [*table, ["durian", 1, "red", 3]])
    done = run("train", "other.csv", "--model", "b.mxb", "--from", "a.mxb", "--num_round", 20, *options)
    assert (done.returncode, done.stderr) == (
        1,
        'mixboost: feature "fruit" does not have the texts that the model knows; '
        "to go on from it they must be the same\n",
    )


def test_cross_validation(run, tmp_path):
    write_csv(tmp_path / "d.csv", HEADER, make_table(200, seed=3, classes=True))
    words = ["--label", "y", "--objective", "logloss", "--folds", 3, "--quiet", "--json", *OPTIONS]
    done = run("cv", "d.csv", *words)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["mean"] < 0.5


@pytest.mark.parametrize("command", ["train", "cv"])
@pytest.mark.parametrize("place", [1, 20, 39])
def test_a_typing_error_is_reported_wherever_it_stands(run, tmp_path, command, place):
    rows = [[i % 7, i % 5] for i in range(40)]
    rows[place][0] = "12o"
    write_csv(tmp_path / "d.csv", ["a", "y"], rows)
    words = {"train": ["--valid-fraction", 0.3, "--model", "m.mxb"], "cv": ["--folds", 2]}[command]
    done = run(command, "d.csv", "--label", "y", "--num_round", 2, *words)
    assert done.returncode == 0
    assert 'mixboost: column a of d.csv is text, since not all of it is numbers: "12o"\n' in done.stderr
    assert "is text" not in run(command, "d.csv", "--label", "y", "--num_round", 2, "--quiet", *words).stderr


def test_data_taken_for_names_are_reported(run, tmp_path):
    write_csv(tmp_path / "d.csv", ["red", 1], [["blue", 2], ["red", 1], ["blue", 2]])
    notice = "mixboost: the first line of d.csv is taken for column names; --header no if it is data\n"
    assert notice in run("train", "d.csv", "--label", "2", "--model", "m.mxb").stderr
    assert notice not in run("train", "d.csv", "--label", "2", "--model", "m.mxb", "--header", "no").stderr
    assert notice not in run("train", "d.csv", "--label", "2", "--model", "m.mxb", "--header", "yes").stderr


def test_texts_that_are_all_numbers_are_not_called_mixed(run, tmp_path):
    write_csv(tmp_path / "d.csv", ["a", "w", "y"], [[1, 1, 1], [2, 1, 2], ["x", 0, 3]])
    assert run("train", "d.csv", "--label", "y", "--weight", "w", "--model", "m.mxb").returncode == 0
    assert "       2  a: 1, 2 (all are numbers)\n" in run("show", "m.mxb").stdout
