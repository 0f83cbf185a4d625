"""Nested cross-validation, mixboost cv --tune: against tuning and predicting by hand, and that nothing leaks."""

import json
import math
import re
import signal
import subprocess
import time

import pytest
from samples import make_rows, predictions, write_csv
from terminal import on_terminal
from tuned import finalists, search

N_ROWS = 120
QUICK = ["--tune", "--configs", 8, "--num_round", 15]


@pytest.fixture
def data(tmp_path):
    return write_csv(tmp_path / "d.csv", "abcy", make_rows(N_ROWS, seed=1))


def results_of(run, *words):
    done = run("cv", *words, "--label", "y", "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout), done.stderr


def held_out_rows(run, tmp_path, *words):
    """The rows that each fold leaves out: a model that predicts 0 has the root of the mean square of their labels for
    its loss, and labels whose squares are powers of two tell whose they were."""
    chunk = 40
    folds = None
    for first in range(0, N_ROWS, chunk):
        labels = [math.sqrt(2.0 ** (i - first)) if 0 <= i - first < chunk else 0 for i in range(N_ROWS)]
        coded = write_csv(tmp_path / "coded.csv", "xy", list(enumerate(labels)))
        fixed = ["--num_round", 1, "--learning_rate", 1e-300, "--base_score", 0, "--quiet"]
        folded = results_of(run, coded, *fixed, *words)[0]["results"]
        folds = folds or [set() for _ in folded]
        for fold, result in zip(folds, folded, strict=True):
            bits = round(result["loss"] ** 2 * result["rows"])
            fold |= {first + bit for bit in range(chunk) if bits >> bit & 1}
    return folds


@pytest.mark.parametrize("inner", [["--inner-folds", 2], ["--valid-fraction", 0.3]])
def test_by_hand(run, data, tmp_path, inner):
    """Every fold is a search, as mixboost tune does it, on the rows of the others."""
    rows = make_rows(N_ROWS, seed=1)
    folds = held_out_rows(run, tmp_path, "--folds", 3, "--seed", 4)
    assert sorted(row for fold in folds for row in fold) == list(range(N_ROWS))
    result, _ = results_of(run, data, *QUICK, *inner, "--folds", 3, "--seed", 4, "--quiet")
    assert len({json.dumps(fold["settings"]) for fold in result["results"]}) > 1
    for fold, held_out in zip(result["results"], folds, strict=True):
        write_csv(tmp_path / "train.csv", "abcy", [row for i, row in enumerate(rows) if i not in held_out])
        test = [row for i, row in enumerate(rows) if i in held_out]
        write_csv(tmp_path / "test.csv", "abcy", test)
        tuned = ["--folds" if word == "--inner-folds" else word for word in inner]
        best = finalists(run(*search("train.csv", "m.mxb", *tuned)).stdout)[0]
        settings = {name: value for name, value in best.items() if name not in ("rank", "rmse", "rounds")}
        assert fold["settings"] == {**settings, "num_round": best["rounds"]}
        assert fold["rounds"] == int(best["rounds"])
        predicted = predictions(run("predict", "m.mxb", "test.csv").stdout)
        squares = [(value - row[3]) ** 2 for value, row in zip(predicted, test, strict=True)]
        assert math.isclose(fold["loss"], math.sqrt(sum(squares) / len(squares)), rel_tol=1e-12)


@pytest.mark.parametrize("poisoned", [0, 1, 2])
def test_nothing_leaks(run, data, tmp_path, poisoned):
    """Whatever the labels of the rows left out are, search and model are the same; what is measured is not."""
    folds = held_out_rows(run, tmp_path, "--folds", 3)
    rows = [[*row[:3], 1e6 * i if i in folds[poisoned] else row[3]] for i, row in enumerate(make_rows(N_ROWS, seed=1))]
    bad = write_csv(tmp_path / "bad.csv", "abcy", rows)
    outcomes = [results_of(run, path, *QUICK, "--folds", 3) for path in (data, bad)]
    clean, other = [result["results"][poisoned] for result, _ in outcomes]
    assert clean["settings"] == other["settings"] and clean["rounds"] == other["rounds"]
    assert other["loss"] > 1e6 > clean["loss"]
    told = [re.findall(r"^fold (\d) of 3: train (\S+), held out", err, re.M) for _, err in outcomes]
    assert told[0][poisoned] == told[1][poisoned]
    assert all(told[0][i] != told[1][i] for i in range(3) if i != poisoned)


def test_table(run, data):
    words = ["cv", data, "--label", "y", *QUICK, "--folds", 2, "--repeats", 3]
    done = run(*words, "--quiet")
    assert (done.returncode, done.stderr) == (0, "")
    result, _ = results_of(run, data, *QUICK, "--folds", 2, "--repeats", 3)
    table, means, found, first, second = done.stdout.split("\n\n")
    folds = result["results"]
    expected = ["  repeat  fold      rows  rmse"]
    expected += [f"{fold['repeat']:8}{fold['fold']:6}        60  {fold['loss']:.6g}" for fold in folds]
    assert table.splitlines() == expected
    mean = f"mean {result['mean']:.6g} ± {result['deviation']:.3g}"
    assert means.splitlines()[0] == f"{mean} (standard deviation over 6 folds)"
    assert means.splitlines()[1].endswith("(standard deviation over 3 repeats)")
    assert found == "found by tuning:"
    columns = [*zip(*map(str.split, first.splitlines()), strict=True)][1:]
    columns += [*zip(*map(str.split, second.splitlines()), strict=True)][1:]
    names = [line.split()[0] for line in first.splitlines()]
    assert len({fold["loss"] for fold in folds}) == 6
    assert names[:3] == ["repeat", "fold", "rounds"] and names == [line.split()[0] for line in second.splitlines()]
    assert len(columns) == 6
    for column, fold in zip(columns, folds, strict=True):
        settings = dict(zip(names, column, strict=True))
        assert (settings.pop("repeat"), settings.pop("fold")) == (str(fold["repeat"]), str(fold["fold"]))
        settings["num_round"] = settings.pop("rounds")
        assert settings == fold["settings"]


def test_table_without_repeats(run, data):
    done = run("cv", data, "--label", "y", *QUICK, "--folds", 2, "--quiet")
    assert done.stdout.startswith("  fold      rows  rmse\n")
    assert done.stdout.split("\n\n")[3].splitlines()[0].split() == ["fold", "1", "2"]


def test_threads_change_nothing(run, data):
    command = ["cv", data, "--label", "y", *QUICK, "--folds", 2, "--quiet", "--n_threads"]
    outputs = {run(*command, n).stdout for n in (1, 2, 8)}
    assert len(outputs) == 1 and outputs.pop()


def test_classes_are_stratified(run, classes_csv, tmp_path):
    (tmp_path / "s").write_text("objective logloss\nlearning_rate 0.05 0.5 log10\n")
    given, _ = results_of(run, classes_csv, *QUICK, "--folds", 2, "--objective", "logloss")
    named, _ = results_of(run, classes_csv, *QUICK, "--folds", 2, "--space", "s")
    for result in (given, named):
        assert (result["metric"], result["stratified"]) == ("logloss", True)


def test_rounds_are_those_of_the_models(run, tmp_path):
    """Also where a search leaves them to the last training, for want of rows of a class."""
    data = write_csv(tmp_path / "few.csv", "abcy", make_rows(N_ROWS, seed=2, classes=True))
    words = ["--objective", "logloss", "--tune", "--configs", 4, "--folds", 2, "--quiet"]
    result, _ = results_of(run, data, *words)
    assert all(isinstance(fold["rounds"], int) and fold["rounds"] > 0 for fold in result["results"])
    found = run("tune", data, "--label", "y", "--model", tmp_path / "m.mxb", *words[:2], "--configs", 4)
    assert finalists(found.stdout)[0]["rounds"] == "auto"


# ---- Journals ----


def test_journals_of_the_folds(run, program, data, tmp_path):
    """Killed in one fold, it goes on there."""
    words = ["cv", data, "--label", "y", *QUICK, "--folds", 3, "--quiet"]
    words[words.index("--num_round") + 1] = 500
    words += ["--early_stopping_rounds", 0, "--json"]
    expected = run(*words).stdout
    journal = ["--journal", "j"]
    process = subprocess.Popen([program, *map(str, [*words, *journal])], cwd=tmp_path, stdout=subprocess.DEVNULL)
    while process.poll() is None and not (tmp_path / "j.2").exists():
        time.sleep(0.001)
    process.kill()
    process.wait()
    before = (tmp_path / "j.1").read_bytes()
    assert not (tmp_path / "j.3").exists()
    refused = run(*words, *journal)
    sentence = 'mixboost: the journal "j.1" is there already; --resume goes on from it\n'
    assert (refused.returncode, refused.stdout, refused.stderr) == (1, "", sentence)
    done = run(*words, *journal, "--resume")
    assert (done.returncode, done.stdout) == (0, expected)
    assert (tmp_path / "j.1").read_bytes() == before
    assert sorted(path.name for path in tmp_path.glob("j*")) == ["j.1", "j.2", "j.3"]


def test_a_later_journal_is_seen_before_any_work(run, data, tmp_path):
    (tmp_path / "j.3").write_text("something")
    done = run("cv", data, "--label", "y", *QUICK, "--folds", 3, "--journal", "j")
    assert done.stderr == 'mixboost: the journal "j.3" is there already; --resume goes on from it\n'
    assert not (tmp_path / "j.1").exists()


# ---- Mistakes ----

MISTAKES = [
    ("--space paper", 2, "--space is for --tune"),
    ("--configs 8", 2, "--configs is for --tune"),
    ("--inner-folds 3", 2, "--inner-folds is for --tune"),
    ("--valid-fraction 0.2", 2, "--valid-fraction is for --tune"),
    ("--time-limit 3s", 2, "--time-limit is for --tune"),
    ("--journal j", 2, "--journal is for --tune"),
    ("--resume", 2, "--resume is for --tune"),
    ("--tune --resume", 2, "--resume needs --journal FILE"),
    ("--tune --inner-folds 3 --valid-fraction 0.2", 2, "--inner-folds and --valid-fraction exclude each other"),
    ("--tune --inner-folds 0", 2, '--inner-folds must be a whole number from 2 to 1000, not "0"'),
    ("--tune --inner-folds 1", 2, '--inner-folds must be a whole number from 2 to 1000, not "1"'),
    ("--tune --eta 1", 2, 'eta is "1"; it must be a whole number, 2 to 1000'),
    ("--tune --folds 1", 2, '--folds must be a whole number from 2 to 1000, not "1"'),
    (
        "--tune --space papr",
        1,
        'cannot read the space "papr": No such file or directory (default, paper and paper-node need no file)',
    ),
    ("--tune --time-limit soon", 2, '--time-limit must be a time such as 90s, 10m or 2h, not "soon"'),
    ("--tune --valid d.csv", 2, "unknown option --valid (mixboost cv --help lists all)"),
    ("--tune --folds 121", 1, "121 folds need at least as many rows; the data has 120"),
]


@pytest.mark.parametrize(("typed", "code", "sentence"), MISTAKES, ids=[typed for typed, _, _ in MISTAKES])
def test_mistake(run, data, tmp_path, typed, code, sentence):
    done = run("cv", data, "--label", "y", *typed.split())
    assert (done.returncode, done.stdout, done.stderr) == (code, "", f"mixboost: {sentence}\n")
    assert [path.name for path in tmp_path.iterdir()] == ["d.csv"]


def test_no_time(run, data):
    words = ["--num_round", 1000000, "--early_stopping_rounds", 0, "--time-limit", 0.05]
    done = run("cv", data, "--label", "y", "--tune", *words)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.splitlines()[-1] == "mixboost: fold 1: no configuration could be judged within 0.05"


def test_the_fold_is_named(run, tmp_path):
    """Of four rows of a class each fold has two to tune with, and a fifth of these is none."""
    rows = [[*row[:3], int(i < 4)] for i, row in enumerate(make_rows(40, seed=1))]
    write_csv(tmp_path / "rare.csv", "abcy", rows)
    done = run("cv", "rare.csv", "--label", "y", *QUICK, "--objective", "logloss", "--folds", 2)
    sentence = "mixboost: fold 1: the rows that judge: no row has label 1; of the 20 rows of the training data 2 do\n"
    assert (done.returncode, done.stdout, done.stderr) == (1, "", sentence)


@pytest.mark.parametrize("labels", [range(40), [f"t{i}" for i in range(40)], [3] * 40], ids=["many", "texts", "one"])
def test_labels_that_no_fold_can_do_with(run, tmp_path, labels):
    write_csv(tmp_path / "d.csv", "ay", [[i, label] for i, label in enumerate(labels)])
    done = run("cv", "d.csv", "--label", "y", *QUICK, "--objective", "logloss")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert re.match("mixboost: (the labels of|all labels of) the training data (have more|are 3; logloss)", done.stderr)


# ---- Progress and interruption ----


def test_lines(run, data):
    result, err = results_of(run, data, *QUICK, "--folds", 3)
    plan, *lines = err.splitlines()
    stages = "8 configurations on 1/4 of the rows, 2 on all rows"
    assert re.fullmatch(rf"mixboost: stages: {stages}; at most \d\S* [kMG]B of memory", plan)
    assert len(lines) == 3
    for i, (line, fold) in enumerate(zip(lines, result["results"], strict=True), 1):
        end = r"in \S+ s" if i == 3 else r"\S+ (s|min|h) left"
        assert re.fullmatch(rf"fold {i} of 3: train \S+, held out {fold['loss']:.6g}, {end}", line), line


def test_bar(program, data, tmp_path):
    words = ["cv", "d.csv", "--label", "y", "--folds", "3", *map(str, QUICK)]
    words[words.index("--num_round") + 1] = "500"
    seen, code = on_terminal(program, words, tmp_path, stdout=subprocess.DEVNULL)
    assert code == 0
    plan, bar, rest = seen.split("\n")
    assert plan.startswith("mixboost: stages: ") and rest == ""
    for drawing in bar.split("\r")[1:]:
        assert re.fullmatch(
            r"\[=*>? *\] \d/3  (train \S+, held out \S+  )?(\S+ (s|min|h) (left|so far)|in \S+ s)\x1b\[K", drawing
        ), drawing
    assert re.match(r"\[=+\] 3/3  train ", bar.split("\r")[-1])


@pytest.mark.parametrize("journal", [[], ["--journal", "j"]])
def test_stops(program, data, tmp_path, journal):
    words = ["cv", "d.csv", "--label", "y", *map(str, QUICK), "--folds", "100", "--repeats", "100", *journal]
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    process = subprocess.Popen([program, *words], cwd=tmp_path, text=True, **pipes)
    assert process.stderr.readline().startswith("mixboost: stages: ")
    assert process.stderr.readline().startswith("fold 1 of 10000: train ")
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (-signal.SIGINT, "")
    hint = "; --resume goes on from the journals" if journal else ""
    assert re.fullmatch(rf"mixboost: stopped after \d+ of 10000 folds{hint}", err.splitlines()[-1])
