"""Tuning from the command line: what it finds, against training and cross-validating by hand."""

import json
import pathlib
import re
import subprocess

import pytest
from samples import make_rows, write_csv
from tuned import finalists, importances, options, search, tune

SPACE = "learning_rate 0.05 0.5 log10\nmax_max_depth 2 6 integer\nleaf_rows sample all choice\nsubsample 0.7 # fixed\n"


@pytest.fixture
def space(tmp_path):
    path = tmp_path / "small.space"
    path.write_text(SPACE)
    return path


def shown(run, model):
    done = run("show", model, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def train_by_hand(run, data, *words):
    done = run("train", data, "--label", "y", "--quiet", "--model", "by_hand.mxb", *words)
    assert (done.returncode, done.stderr) == (0, "")
    return (data.parent / "by_hand.mxb").read_bytes()


# ---- The model and the ranking ----


@pytest.mark.parametrize("objective", ["mse", "logloss"])
def test_the_model_is_that_of_the_winner_on_all_rows(run, tmp_path, objective, space):
    data = write_csv(tmp_path / "d.csv", "abcy", make_rows(150, seed=1, classes=objective == "logloss"))
    words = ["--objective", objective]
    metric = "rmse" if objective == "mse" else "logloss"
    text = tune(run, data, tmp_path / "m.mxb", "--folds", 2, "--space", space, *words)
    best, second = finalists(text)
    assert text.startswith(f"2 finalists, by mean {metric} on all rows:\n\n")
    assert (best["rank"], second["rank"]) == ("1", "2")
    assert set(best) == {"rank", metric, "rounds", "learning_rate", "max_max_depth", "leaf_rows"}
    by_hand = train_by_hand(run, data, *options(best), "--subsample", 0.7, *words)
    assert (tmp_path / "m.mxb").read_bytes() == by_hand
    assert train_by_hand(run, data, *options(second), "--subsample", 0.7, *words) != by_hand


def test_losses_are_those_of_cross_validation(run, numbers_csv, tmp_path):
    """The last stage has all rows, in the folds of mixboost cv."""
    words = ["--early_stopping_rounds", 0, "--random_state", 5]
    ranked = finalists(tune(run, numbers_csv, tmp_path / "m.mxb", "--folds", 3, *words))
    losses = [float(finalist["rmse"]) for finalist in ranked]
    assert losses == sorted(losses) and len(losses) == 2
    for finalist in ranked:
        command = ["cv", numbers_csv, "--label", "y", "--folds", 3, "--json", "--quiet", *words]
        done = run(*command, *options(finalist))
        assert f"{json.loads(done.stdout)['mean']:.6g}" == finalist["rmse"]


@pytest.mark.parametrize("resource", ["rows", "rounds"])
def test_validation_rows_judge_and_stop_the_training(run, numbers_csv, tmp_path, resource):
    rows = [[y, b, c, a] for a, b, c, y in make_rows(80, seed=2)]
    valid = write_csv(tmp_path / "valid.csv", "ybca", rows)
    words = ["--valid", valid, "--early_stopping_rounds", 3, "--learning_rate", 0.5, "--num_round", 100]
    text = tune(run, numbers_csv, tmp_path / "m.mxb", "--resource", resource, *words)
    model = shown(run, "m.mxb")
    curve = model["curve"]["valid"]
    assert model["stopped_early"] is True
    assert f"{curve[len(model['rounds'])]:.6g}" == f"{min(curve):.6g}" == finalists(text)[0]["rmse"]
    assert text.startswith(f"2 finalists, by rmse {'on all rows' if resource == 'rows' else 'with all rounds'}:\n")


def test_a_fraction_of_the_rows_judges(run, numbers_csv, tmp_path):
    """By itself, and as large as told."""
    texts = {words: tune(run, numbers_csv, tmp_path / "m.mxb", *words) for words in ((), ("--valid-fraction", 0.2))}
    assert len(set(texts.values())) == 1
    other = tune(run, numbers_csv, tmp_path / "m.mxb", "--valid-fraction", 0.4)
    assert finalists(other)[0]["rmse"] != finalists(texts[()])[0]["rmse"]


def test_weights(run, tmp_path):
    """In judging as in training."""
    rows = [[*row, 1 + i % 3] for i, row in enumerate(make_rows(120, seed=4))]
    data = write_csv(tmp_path / "d.csv", "abcyw", rows)
    words = ["--early_stopping_rounds", 0, "--weight", "w"]
    best = finalists(tune(run, data, tmp_path / "m.mxb", "--folds", 2, *words))[0]
    done = run("cv", data, "--label", "y", "--folds", 2, "--json", "--quiet", *words, *options(best))
    assert f"{json.loads(done.stdout)['mean']:.6g}" == best["rmse"]
    assert [feature["name"] for feature in shown(run, "m.mxb")["features"]] == ["a", "b", "c"]
    assert (tmp_path / "m.mxb").read_bytes() == train_by_hand(run, data, *words, *options(best))


def test_text_labels_standard_input_and_no_header(run, tmp_path):
    rows = [[a, b, "left" if c == "" else "right", "yes" if y else "no"] for a, b, c, y in make_rows(120, 1, True)]
    data = write_csv(tmp_path / "d.csv", "abcy", rows)
    features = write_csv(tmp_path / "features.csv", "abc", [row[:3] for row in rows])
    words = ["--objective", "logloss", "--folds", 2]
    tune(run, data, tmp_path / "file.mxb", *words)
    without = data.read_text().split("\n", 1)[1]
    command = search("-", "stdin.mxb", *words, "--header", "no")
    command[command.index("y")] = 4
    assert run(*command, input=without).returncode == 0
    predicted = [run("predict", model, features).stdout.splitlines()[1:] for model in ("file.mxb", "stdin.mxb")]
    assert predicted[0] == predicted[1] and set(predicted[0]) == {"yes", "no"}


# ---- Spaces ----


def test_a_given_option_is_fixed(run, numbers_csv, tmp_path, space):
    words = ["--space", space, "--learning_rate", 0.25, "--alpha", 3, "--folds", 2]
    text = tune(run, numbers_csv, tmp_path / "m.mxb", *words)
    assert set(finalists(text)[0]) == {"rank", "rmse", "rounds", "max_max_depth", "leaf_rows"}
    assert {name for name, _ in importances(text)} == {"max_max_depth", "leaf_rows"}
    kept = shown(run, "m.mxb")["options"]
    assert (kept["learning_rate"], kept["alpha"], kept["subsample"]) == ("0.25", "3", "0.7")


def test_what_is_drawn_stays_in_its_range(run, numbers_csv, tmp_path, space):
    text = tune(run, numbers_csv, tmp_path / "m.mxb", "--space", space, "--min-resource", 1, "--num_round", 2)
    assert text.startswith("the best 5 of 8 finalists, by rmse on all rows:\n\n")
    ranked = finalists(text)
    assert len(ranked) == 5  # as many as have room
    for finalist in ranked:
        assert 0.05 <= float(finalist["learning_rate"]) <= 0.5
        assert finalist["max_max_depth"] in "23456"
        assert finalist["leaf_rows"] in ("sample", "all")
    assert len({tuple(options(finalist)) for finalist in ranked}) == 5


def test_rounds_that_are_drawn_are_named_once(run, numbers_csv, tmp_path):
    (tmp_path / "s").write_text("num_round 5 40 integer\nlearning_rate 0.05 0.5 log10\n")
    words = ["--space", "s", "--configs", 8, "--early_stopping_rounds", 0]
    done = run("tune", numbers_csv, "--label", "y", "--model", "m.mxb", *words)
    best, second = finalists(done.stdout)
    assert list(best) == ["rank", "rmse", "rounds", "learning_rate"]
    assert 5 <= int(best["rounds"]) <= 40 and best["rounds"] != second["rounds"]
    assert len(shown(run, "m.mxb")["rounds"]) == int(best["rounds"])


@pytest.mark.parametrize(("name", "preset"), [(None, "default"), ("default", "default"), ("paper", "paper")])
def test_built_in_spaces(run, numbers_csv, tmp_path, name, preset):
    words = [] if name is None else ["--space", name]
    tune(run, numbers_csv, tmp_path / "m.mxb", *words)
    kept = shown(run, "m.mxb")["options"]
    assert kept["preset"] == preset
    assert (kept["lambda_l2"] == "0.01") == (preset == "paper")


def test_a_file_with_the_name_of_a_space_needs_its_folder(run, numbers_csv, tmp_path):
    (tmp_path / "paper").write_text("learning_rate 0.1 0.3 linear\n")
    text = tune(run, numbers_csv, tmp_path / "m.mxb", "--space", "./paper")
    assert set(finalists(text)[0]) == {"rank", "rmse", "rounds", "learning_rate"}
    assert "gamma" in finalists(tune(run, numbers_csv, tmp_path / "m.mxb", "--space", "paper"))[0]


def test_a_space_may_name_the_objective(run, classes_csv, tmp_path):
    (tmp_path / "s").write_text("objective logloss\nlearning_rate 0.05 0.5 log10\n")
    text = tune(run, classes_csv, tmp_path / "m.mxb", "--space", "s", "--folds", 2)
    assert text.startswith("2 finalists, by mean logloss on all rows:\n")


# ---- What mattered ----


def test_what_decides_matters_most(run, numbers_csv, tmp_path):
    """With few rounds and rates from a thousandth to a half, little else can."""
    (tmp_path / "s").write_text("alpha 0.1 1 log10\nlearning_rate 0.001 0.5 log10\nmin_child_weight 0.1 0.2 linear\n")
    words = ["--space", "s", "--min-resource", 1, "--num_round", 5, "--configs", 64]
    found = importances(tune(run, numbers_csv, tmp_path / "m.mxb", *words))
    assert found[0][0] == "learning_rate"
    assert found[0][1] > 80 > 50 > found[1][1] >= found[2][1]


def test_few_configurations_tell_nothing(run, numbers_csv, tmp_path):
    """One fewer where the first has auto, which is no number."""
    four, eight = [tune(run, numbers_csv, tmp_path / "m.mxb", "--configs", n, "--num_round", 2) for n in (4, 8)]
    assert four.endswith("\n\nwhat mattered cannot be told of so few configurations\n") and "%" not in four
    lines = eight[eight.index("what mattered") :].splitlines()[2:]
    untold = [f"        -  {name} (too few configurations)" for name in ("alpha", "fourier_linear", "learning_rate")]
    assert set(lines[-4:]) == {*untold, "        -  tree_probability (too few configurations)"}
    assert all("%" in line for line in lines[:-4])


def test_trials_that_fail_are_last(run, numbers_csv, tmp_path):
    """max_max_depth is drawn, depth_probabilities given, and some pairs contradict each other."""
    (tmp_path / "s").write_text("max_max_depth 2 3 integer\nlearning_rate 0.05 0.5 log10\n")
    given = ["--min_max_depth", 1, "--depth_probabilities", "0.5,0.3,0.2"]
    words = ["--space", "s", "--min-resource", 1, "--configs", 5, *given, "--random_state", 2]
    done = run(*search(numbers_csv, tmp_path / "m.mxb", *words))
    assert done.returncode == 0, done.stderr
    ranked = finalists(done.stdout)
    failed = [finalist for finalist in ranked if int(finalist["max_max_depth"]) < 3]
    assert failed and failed == [finalist for finalist in ranked if finalist["rmse"] == "failed"]
    assert ranked[-len(failed) :] == failed
    assert " failed; the first: depth_probabilities has 3 numbers" in done.stderr


# ---- The same everywhere ----


@pytest.mark.parametrize("words", [["--folds", 3], ["--resource", "rounds", "--eta", 2]])
def test_threads_change_nothing(run, classes_csv, tmp_path, words):
    outputs = []
    for n_threads in (1, 2, 8):
        model = tmp_path / f"{n_threads}.mxb"
        text = tune(run, classes_csv, model, "--objective", "logloss", "--n_threads", n_threads, *words)
        outputs.append((text, model.read_bytes()))
    assert outputs[0] == outputs[1] == outputs[2]


def test_random_state_draws(run, numbers_csv, tmp_path):
    texts = [tune(run, numbers_csv, tmp_path / "m.mxb", "--random_state", seed) for seed in (0, 0, 1)]
    assert texts[0] == texts[1] != texts[2]


def test_settings_make_the_stages(run, numbers_csv, tmp_path):
    words = ["--configs", 9, "--eta", 3, "--min-resource", "1/9", "--num_round", 2]
    done = run(*search(numbers_csv, "m.mxb", *words, "--folds", 2))
    assert done.returncode == 0
    expected = "9 configurations on 1/9 of the rows, 3 on 1/3 of the rows, 1 on all rows; 2 folds each; at most "
    assert done.stderr.startswith(f"mixboost: stages: {expected}")
    assert done.stdout.startswith("1 finalist, by mean rmse on all rows:\n")
    done = run(*search(numbers_csv, "m.mxb", *words, "--resource", "rounds"))
    expected = "9 configurations with 1/9 of the rounds, 3 with 1/3 of the rounds, 1 with all rounds; at most "
    assert done.stderr.startswith(f"mixboost: stages: {expected}")


# ---- Where things go ----


def test_quiet_says_nothing(run, numbers_csv, tmp_path):
    done = run(*search(numbers_csv, tmp_path / "quiet.mxb", "--quiet"))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    tune(run, numbers_csv, tmp_path / "told.mxb")
    assert (tmp_path / "quiet.mxb").read_bytes() == (tmp_path / "told.mxb").read_bytes()


def test_the_model_is_saved_where_standard_output_is_full(run, numbers_csv, tmp_path):
    with open("/dev/full", "w") as full:
        done = run(*search(numbers_csv, tmp_path / "m.mxb"), stdout=full)
    assert done.returncode == 1
    assert "mixboost: cannot write to standard output: No space left on device\n" in done.stderr
    assert run("show", "m.mxb").returncode == 0


def test_messages_never_land_in_the_model_or_the_journal(program, run, numbers_csv, tmp_path):
    words = " ".join(map(str, search("numbers.csv", "closed.mxb", "--journal", "closed.mxj")))
    command = f'"{program}" {words} 2>&- >&- <&-'
    subprocess.run(["sh", "-c", command], cwd=tmp_path, check=False)
    tune(run, numbers_csv, tmp_path / "open.mxb")
    assert (tmp_path / "closed.mxb").read_bytes() == (tmp_path / "open.mxb").read_bytes()
    assert run(*search("numbers.csv", "m.mxb", "--journal", "closed.mxj", "--resume", "--quiet")).stderr == ""


def test_the_lines_of_the_page_work(program, tmp_path):
    page = pathlib.Path(__file__).resolve().parents[2] / "docs" / "tuning.md"
    (block,) = re.findall(r"^## From the shell\n\n```sh\n(.*?)^```", page.read_text(), re.M | re.S)
    lines = block.splitlines()
    assert len(lines) == 4
    write_csv(tmp_path / "train.csv", "abcy", make_rows(40, seed=1))
    write_csv(tmp_path / "valid.csv", "abcy", make_rows(20, seed=2))
    for line in lines:
        name, *words = line.replace("--configs 64", "--configs 8").split()  # to save time
        assert name == "mixboost" and "8" in words
        subprocess.run([program, *words], cwd=tmp_path, check=True, capture_output=True)
