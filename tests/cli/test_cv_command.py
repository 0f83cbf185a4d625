"""Cross-validation from the command line: the table, the JSON, and what they must agree with."""

import json
import math
import pathlib
import re
import signal
import statistics
import subprocess

import pytest
from samples import make_rows, write_csv
from terminal import on_terminal

CV = ["cv", "numbers.csv", "--label", "y", "--num_round", 20]


def results_of(run, *words, **options):
    done = run(*words, "--json", "--quiet", **options)
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


def losses_of(result):
    return [fold["loss"] for fold in result["results"]]


def test_json(run, numbers_csv):
    result = results_of(run, *CV, "--folds", 7, "--repeats", 3, "--seed", 12)
    losses = losses_of(result)
    repeats = [statistics.mean(losses[i : i + 7]) for i in (0, 7, 14)]
    assert {key: result[key] for key in ("metric", "rows", "folds", "repeats", "seed", "stratified")} == {
        "metric": "rmse",
        "rows": 300,
        "folds": 7,
        "repeats": 3,
        "seed": 12,
        "stratified": False,
    }
    assert [(fold["repeat"], fold["fold"], fold["rows"]) for fold in result["results"]] == [
        (repeat, fold, 43 if fold <= 6 else 42) for repeat in (1, 2, 3) for fold in range(1, 8)
    ]
    assert math.isclose(result["mean"], statistics.mean(losses), rel_tol=1e-12)
    assert math.isclose(result["deviation"], statistics.stdev(losses), rel_tol=1e-12)
    assert math.isclose(result["deviation_of_repeats"], statistics.stdev(repeats), rel_tol=1e-9)
    assert len(set(losses)) == 21


def test_table(run, numbers_csv):
    result = results_of(run, *CV)
    done = run(*CV, "--quiet")
    assert (done.returncode, done.stderr) == (0, "")
    lines = ["  fold      rows  rmse"]
    lines += [f"{i:6}        60  {loss:.6g}" for i, loss in enumerate(losses_of(result), 1)]
    lines += ["", f"mean {result['mean']:.6g} ± {result['deviation']:.3g} (standard deviation over 5 folds)"]
    assert done.stdout.splitlines() == lines
    assert result["deviation_of_repeats"] is None


def test_table_with_repeats(run, numbers_csv):
    words = [*CV, "--folds", 2, "--repeats", 2]
    result = results_of(run, *words)
    lines = ["  repeat  fold      rows  rmse"]
    for fold, loss in zip(result["results"], losses_of(result), strict=True):
        lines.append(f"{fold['repeat']:8}{fold['fold']:6}       150  {loss:.6g}")
    lines += ["", f"mean {result['mean']:.6g} ± {result['deviation']:.3g} (standard deviation over 4 folds)"]
    lines += [f"mean {result['mean']:.6g} ± {result['deviation_of_repeats']:.3g} (standard deviation over 2 repeats)"]
    assert run(*words, "--quiet").stdout.splitlines() == lines


def test_classes_are_stratified(run, tmp_path):
    """Five rows of one class: each of five folds has one, whatever the seed."""
    rows = make_rows(100, seed=3, classes=True)
    for i, row in enumerate(rows):
        row[-1] = int(i % 20 == 0)
    write_csv(tmp_path / "few.csv", "abcy", rows)
    words = ["cv", "few.csv", "--label", "y", "--objective", "logloss", "--num_round", 3]
    for seed in range(5):
        result = results_of(run, *words, "--seed", seed)
        assert result["stratified"] is True and result["metric"] == "logloss"
    done = run(*words, "--folds", 6)
    assert done.returncode == 1
    assert done.stderr == "mixboost: label 1 has 5 rows; 6 stratified folds need at least 6 of each label\n"


@pytest.mark.parametrize("words", [["--objective", "logloss"], []])
def test_threads_change_nothing(run, classes_csv, words):
    command = ["cv", classes_csv, "--label", "y", "--num_round", 10, "--tree_probability", 0.5, *words]
    outputs = {run(*command, "--quiet", "--json", "--n_threads", n).stdout for n in (1, 3)}
    assert len(outputs) == 1 and json.loads(outputs.pop())


def test_seed_deals_the_rows_and_random_state_trains(run, numbers_csv):
    def losses(*words):
        return losses_of(results_of(run, *CV, *words))

    assert losses() == losses("--seed", 0) == losses("--seed", 0, "--random_state", 0)
    assert losses("--random_state", 7) == losses("--random_state", 7, "--seed", 7)
    assert losses("--random_state", 7) != losses("--random_state", 7, "--seed", 0) != losses("--seed", 0)


def test_standard_input_and_no_header(run, numbers_csv):
    text = numbers_csv.read_text()
    expected = results_of(run, *CV)
    assert results_of(run, "cv", "-", *CV[2:], input=text) == expected
    without = text.split("\n", 1)[1]
    assert results_of(run, "cv", "-", "--label", 4, "--num_round", 20, "--header", "no", input=without) == expected


def test_weights(run, tmp_path):
    """Rows of weight 0 count neither in the training nor in the result."""
    rows = [[*row, i % 3] for i, row in enumerate(make_rows(300, seed=1))]
    write_csv(tmp_path / "all.csv", "abcyw", rows)
    write_csv(tmp_path / "some.csv", "abcyw", [row for row in rows if row[-1] > 0])
    words = ["--label", "y", "--weight", "w", "--num_round", 20]
    weighted = losses_of(results_of(run, "cv", "all.csv", *words))
    assert weighted == pytest.approx(losses_of(results_of(run, "cv", "some.csv", *words)), rel=1e-9)
    assert weighted != losses_of(results_of(run, "cv", "some.csv", "--label", "y", "--num_round", 20))


def test_leaving_one_out_by_hand(run, numbers_csv):
    """Without steps the model is the mean of the other labels."""
    labels = [float(line.rsplit(",", 1)[1]) for line in numbers_csv.read_text().splitlines()[1:]]
    words = ["--label", "y", "--num_round", 1, "--learning_rate", 1e-300, "--folds", len(labels)]
    losses = losses_of(results_of(run, "cv", numbers_csv, *words))
    by_hand = [abs(label - (sum(labels) - label) / (len(labels) - 1)) for label in labels]
    for loss, expected in zip(sorted(losses), sorted(by_hand), strict=True):
        assert math.isclose(loss, expected, rel_tol=1e-9)


MISTAKES = [
    ("--folds 1", 2, '--folds must be a whole number from 2 to 1000, not "1"'),
    ("--folds 1001", 2, '--folds must be a whole number from 2 to 1000, not "1001"'),
    ("--folds 2.5", 2, '--folds must be a whole number from 2 to 1000, not "2.5"'),
    ("--folds=", 2, '--folds must be a whole number from 2 to 1000, not ""'),
    ("--folds=-3", 2, '--folds must be a whole number from 2 to 1000, not "-3"'),
    ("--folds 99999999999999999999", 2, '--folds must be a whole number from 2 to 1000, not "99999999999999999999"'),
    ("--repeats 0", 2, '--repeats must be a whole number from 1 to 1000, not "0"'),
    ("--seed x", 2, '--seed must be a whole number from 0 to 4294967295, not "x"'),
    ("--seed 4294967296", 2, '--seed must be a whole number from 0 to 4294967295, not "4294967296"'),
    ("--header maybe", 2, '--header must be auto, yes or no, not "maybe"'),
    ("--fold 3", 2, "unknown option --fold; did you mean --folds? (mixboost cv --help lists all)"),
    ("--model m.mxb", 2, "unknown option --model (mixboost cv --help lists all)"),
    ("--num_round 0", 2, 'num_round is "0"; it must be a whole number, 1 to 1000000, or auto'),
    ("--min_max_depth 9 --max_max_depth 8", 2, "min_max_depth is 9 and max_max_depth 8; the first must not be larger"),
    ("--folds 301", 1, "301 folds need at least as many rows; the data has 300"),
    ("--weight q", 1, None),
    (
        "--objective logloss",
        1,
        "the labels of the dataset have more than two values ({0}, {1}, {2}, ...); logloss needs exactly two",
    ),
]


@pytest.mark.parametrize(("words", "code", "sentence"), MISTAKES, ids=[words for words, _, _ in MISTAKES])
def test_mistake(run, numbers_csv, words, code, sentence):
    done = run("cv", numbers_csv.name, "--label", "y", *words.split())
    labels = [line.rsplit(",", 1)[1] for line in numbers_csv.read_text().splitlines()[1:4]]
    assert (done.returncode, done.stdout) == (code, "")
    if sentence is None:
        assert re.fullmatch(r"mixboost: .*\"q\".*\n", done.stderr)
    else:
        assert done.stderr == f"mixboost: {sentence.format(*labels)}\n"


def test_label_is_needed(run, numbers_csv):
    done = run("cv", numbers_csv)
    assert done.stderr == "mixboost: cv needs --label COLUMN (mixboost cv --help says what it takes)\n"
    assert done.returncode == 2


def test_full_disk(run, numbers_csv):
    with open("/dev/full", "w") as full:
        done = run(*CV, "--quiet", stdout=full)
    assert done.returncode == 1
    assert done.stderr == "mixboost: cannot write to standard output: No space left on device\n"


def test_writes_no_file(run, numbers_csv, tmp_path):
    assert run(*CV).returncode == 0
    assert [path.name for path in tmp_path.iterdir()] == ["numbers.csv"]


# ---- Progress and interruption ----


def test_lines(run, numbers_csv):
    done = run(*CV, "--folds", 3)
    result = results_of(run, *CV, "--folds", 3)
    lines = done.stderr.splitlines()
    assert len(lines) == 3
    for i, (line, loss) in enumerate(zip(lines, losses_of(result), strict=True), 1):
        end = r"in \S+ s" if i == 3 else r"\S+ (s|min|h) left"
        assert re.fullmatch(rf"fold {i} of 3: train \S+, held out {loss:.6g}, {end}", line), line


def test_many_folds_have_few_lines(run, numbers_csv):
    lines = run(*CV, "--folds", 10, "--repeats", 10).stderr.splitlines()
    assert [int(line.split()[1]) for line in lines] == [1, *range(10, 101, 10)]


def test_bar(program, numbers_csv, tmp_path):
    words = ["cv", "numbers.csv", "--label", "y", "--num_round", "1500", "--json"]
    seen, code = on_terminal(program, words, tmp_path, stdout=subprocess.DEVNULL)
    assert code == 0
    bar, rest = seen.split("\n")
    assert rest == ""
    drawings = bar.split("\r")[1:]
    for drawing in drawings:
        assert re.fullmatch(
            r"\[=*>?\s*\] \d/5  (train \S+, held out \S+  )?(\S+ (s|min|h) left|in \S+ s)\x1b\[K", drawing
        ), drawing
    assert drawings[0].startswith("[>") and " 0/5  " in drawings[0] and "train" not in drawings[0]
    assert re.match(r"\[=+\] 5/5  train ", drawings[-1])


def test_auto_counts_folds_only(program, run, numbers_csv, tmp_path):
    """How many rounds a fold will have, nobody knows; what the choice of them reports is not the fold's result."""
    words = ["cv", "numbers.csv", "--label", "y", "--folds", "3"]
    seen, code = on_terminal(program, words, tmp_path, stdout=subprocess.DEVNULL)
    assert code == 0
    drawings = seen.split("\n")[0].split("\r")[1:]
    assert re.fullmatch(r"\[> *\] 0/3  \S+ s so far\x1b\[K", drawings[0]), drawings[0]
    done = run(*words)
    lines = done.stderr.splitlines()
    assert len(lines) == 3
    for i, (line, loss) in enumerate(zip(lines, losses_of(results_of(run, *words)), strict=True), 1):
        assert line.startswith(f"fold {i} of 3: train ") and f", held out {loss:.6g}, " in line


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("n_rounds", ["200", "1000000", "auto"])
def test_stops(program, numbers_csv, tmp_path, number, n_rounds):
    """Between folds or in the midst of one; nothing on standard output, and dead of the signal."""
    process = subprocess.Popen(
        [program, "cv", "numbers.csv", "--label", "y", "--folds", "300", "--repeats", "1000", "--num_round", n_rounds],
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    if n_rounds == "200":
        assert process.stderr.readline().startswith("fold 1 of 300000: train ")
    else:
        status = pathlib.Path(f"/proc/{process.pid}/status")
        while not int(re.search(r"SigCgt:\s*(\w+)", status.read_text()).group(1), 16) >> (number - 1) & 1:
            assert process.poll() is None
    process.send_signal(number)
    out, err = process.communicate(timeout=30)
    assert process.returncode == -number
    assert out == ""
    assert re.fullmatch(r"mixboost: stopped after \d+ of 300000 folds", err.splitlines()[-1])
