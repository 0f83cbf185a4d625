"""mixboost show: what is in a model file, for people and for other programs."""

import csv
import json
import math
import os
import pty
import re
import subprocess
from itertools import pairwise

import pytest
from samples import make_rows, predictions, train, write_csv


def read_rows(path, names):
    with open(path) as file:
        return [[float(row[name] or "nan") for name in names] for row in csv.DictReader(file)]


def shown(run, model):
    done = run("show", model, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


def number(value):
    """A number of the JSON; infinities are texts there."""
    return float(value)


def tree_value(nodes, row):
    node = nodes[0]
    while "feature" in node:
        x = row[node["feature"]]
        goes_left = node["missing"] == "left" if math.isnan(x) else x <= number(node["threshold"])
        node = nodes[node["left"] if goes_left else node["right"]]
    return node["value"]


def symmetric_value(term, row):
    leaf = 0
    for level in term["levels"]:
        x = row[level["feature"]]
        goes_left = level["missing"] == "left" if math.isnan(x) else x <= number(level["threshold"])
        leaf = 2 * leaf + (0 if goes_left else 1)
    return term["values"][leaf]


def factor(x):
    """Rounded to 12 binary digits, as inputs are."""
    mantissa, exponent = math.frexp(x)
    return math.ldexp(round(mantissa * 2**12), exponent - 12)


def fourier_value(model, term, row):
    """Only for fourier_scaling none and standard."""
    inputs = []
    for x, feature in zip(row, model["scaling"]["features"], strict=True):
        inputs.append(factor(feature["missing"] if math.isnan(x) else (x - feature["center"]) * feature["factor"]))
    projection = model["projections"][term["projection"]]
    total = term["intercept"]
    for j, phase in enumerate(projection["phases"]):
        turns = phase + sum(x * weights[j] for x, weights in zip(inputs, projection["weights"], strict=True))
        total += term["weights"][j] * math.sqrt(2 / projection["n_components"]) * math.cos(2 * math.pi * turns)
    return total


def term_value(model, term, row):
    if term["learner"] == "fourier":
        return fourier_value(model, term, row)
    return tree_value(term["nodes"], row) if term["learner"] == "tree" else symmetric_value(term, row)


@pytest.mark.parametrize("objective", ["mse", "logloss"])
def test_json_reproduces_tree_predictions_exactly(run, tmp_path, objective):
    data = write_csv(tmp_path / "d.csv", "abcy", make_rows(400, seed=4, classes=objective == "logloss"))
    words = ["--tree_probability", 1, "--symmetric_probability", 0, "--objective", objective]
    model_path = train(run, data, tmp_path / "m.mxb", *words)
    model = shown(run, model_path)
    assert [term["learner"] for term in model["rounds"]] == ["tree"] * 20
    rows = read_rows(data, [feature["name"] for feature in model["features"]])
    values = predictions(run("predict", model_path, data, "--raw").stdout)
    for row, value in zip(rows, values, strict=True):
        score = model["base_score"]
        for term in model["rounds"]:
            score += tree_value(term["nodes"], row)
        assert score == value


@pytest.mark.parametrize("objective", ["mse", "logloss"])
def test_json_reproduces_symmetric_trees(run, tmp_path, objective):
    data = write_csv(tmp_path / "d.csv", "abcy", make_rows(400, seed=4, classes=objective == "logloss"))
    words = ["--tree_probability", 1, "--symmetric_probability", 0.6, "--symmetric_depth", 4, "--objective", objective]
    model_path = train(run, data, tmp_path / "m.mxb", *words)
    model = shown(run, model_path)
    names = [term["learner"] for term in model["rounds"]]
    assert set(names) == {"tree", "symmetric"}
    rows = read_rows(data, [feature["name"] for feature in model["features"]])
    values = predictions(run("predict", model_path, data, "--raw").stdout)
    for row, value in zip(rows, values, strict=True):
        score = model["base_score"]
        for term in model["rounds"]:
            score += term_value(model, term, row)
        assert score == value
    symmetric = [term for term in model["rounds"] if term["learner"] == "symmetric"]
    for term in symmetric:
        assert term["max_depth"] == 4
        assert len(term["values"]) == 2 ** len(term["levels"])
        assert sum(level["gain"] for level in term["levels"]) == pytest.approx(term["gain"], rel=1e-6)
    learners = learner_lines(run("show", model_path).stdout)
    assert list(learners) == ["tree", "symmetric"]
    assert learners["symmetric"].startswith(f"{len(symmetric)} rounds, ")
    assert learners["symmetric"].endswith(f"% of the decrease (depth 4: {len(symmetric)})")


@pytest.mark.parametrize("scaling", ["none", "standard"])
def test_json_reproduces_mixed_predictions(run, tmp_path, scaling):
    data = write_csv(tmp_path / "d.csv", "abcy", make_rows(100, seed=4))
    words = ["--tree_probability", 0.6, "--symmetric_probability", 0.5, "--n_components", 20]
    words += ["--fourier_scaling", scaling]
    model_path = train(run, data, tmp_path / "m.mxb", *words)
    model = shown(run, model_path)
    assert {term["learner"] for term in model["rounds"]} == {"tree", "symmetric", "fourier"}
    rows = read_rows(data, [feature["name"] for feature in model["features"]])
    values = predictions(run("predict", model_path, data, "--raw").stdout)
    for row, value in zip(rows, values, strict=True):
        score = model["base_score"] + sum(term_value(model, term, row) for term in model["rounds"])
        assert score == pytest.approx(value, abs=1e-5)


def section(text, title):
    """The lines under a heading, up to the next empty line."""
    lines = text.split(f"\n{title}\n", 1)[1].splitlines()
    return lines[: lines.index("")] if "" in lines else lines


GAINS = "features that matter most, by their share of what rounds gained"


def gain_rows(text):
    """What stands under the heading of gains: total and parts of the classes in percent, splits, name."""
    header, *lines = section(text, GAINS)
    assert header.split() == ["gain", "tree", "symmetric", "fourier", "splits"]
    rows = [line.split(maxsplit=5) for line in lines]
    assert all(share.endswith("%") for row in rows for share in row[:4])
    return [[*(float(share[:-1]) for share in row[:4]), int(row[4]), row[5]] for row in rows]


def splits_of(term):
    """The splits of a tree or of a symmetric one; fourier rounds have none."""
    return [node for node in term.get("nodes", term.get("levels", [])) if "feature" in node]


def field(text, name):
    return re.search(rf"^{name} +(.*)$", text, re.M).group(1)


def learner_lines(text):
    """What is said of each learner class, by its name."""
    lines = re.search(r"^learners (.*\n(?: {11}.*\n)*)", text, re.M).group(1).splitlines()
    return dict(line.strip().split(": ", 1) for line in lines)


def decrease_shares(model):
    """The share of each class in the decrease of the training curve, in percent."""
    n_rounds, curve = len(model["rounds"]) // model["n_members"], model["curve"]["train"]
    shares = {}
    for term in model["rounds"]:
        part = 100 * term["decrease"] / (curve[0] - curve[n_rounds])
        shares[term["learner"]] = shares.get(term["learner"], 0) + part
    return shares


def test_every_repair_is_shown(run, tmp_path):
    """Few different rows and no penalty: equations without a single solution, in every round that solves them."""
    rows = [[i % 3, i % 3, i % 7] for i in range(60)]
    data = write_csv(tmp_path / "d.csv", "aby", rows)
    words = ["--tree_probability", 0.5, "--n_components", 12, "--alpha", 0]
    model_path = train(run, data, tmp_path / "m.mxb", *words)
    model = shown(run, model_path)
    n_fourier = sum(term["learner"] == "fourier" for term in model["rounds"])
    n_repaired = sum(term["repaired"] for term in model["rounds"])
    assert 0 < n_repaired == n_fourier == model["n_repairs"] < 20
    shown_repairs = field(run("show", model_path).stdout, "repairs")
    assert shown_repairs == f"{n_repaired} (rounds that needed numerical help)"


def test_text_agrees_with_json(run, numbers_model, tmp_path):
    text = run("show", "numbers.mxb").stdout
    model = shown(run, numbers_model)
    assert text.splitlines()[0] == "numbers.mxb"
    assert re.fullmatch(r"\d+(\.\d)? (bytes|kB)", field(text, "size"))
    assert field(text, "objective") == "mse, judged by rmse"
    assert field(text, "rounds") == "20, all that were trained"
    assert field(text, "repairs").startswith(f"{model['n_repairs']} ")

    trees = [term for term in model["rounds"] if term["learner"] == "tree"]
    learners, shares = learner_lines(text), decrease_shares(model)
    assert list(learners) == ["tree", "symmetric", "fourier"]
    for name, share in shares.items():
        n_rounds = sum(term["learner"] == name for term in model["rounds"])
        assert learners[name].startswith(f"{n_rounds} rounds, {share:.1f}% of the decrease")
    for depth in {term["max_depth"] for term in trees}:
        assert f"depth {depth}: {sum(term['max_depth'] == depth for term in trees)}" in learners["tree"]

    splits = dict.fromkeys("abc", 0)
    for term in model["rounds"]:
        for split in splits_of(term):
            splits["abc"[split["feature"]]] += 1
    assert splits == {feature["name"]: feature["splits"] for feature in model["features"]}
    n_used = sum(count > 0 for count in splits.values())
    assert field(text, "features") == f"3, of which trees split on {n_used}"
    features = model["features"]
    parts = ("tree_gain", "symmetric_gain", "fourier_gain")
    total = sum(feature[part] for feature in features for part in parts)
    ranked = sorted(features, key=lambda feature: -sum(feature[part] for part in parts))
    rows = gain_rows(text)
    assert [row[5] for row in rows] == [feature["name"] for feature in ranked]
    for row, feature in zip(rows, ranked, strict=True):
        shares = [100 * feature[part] / total for part in parts]
        assert row[:5] == pytest.approx([sum(shares), *shares, feature["splits"]], abs=0.0501)

    options = section(text, "options (* not the default, ~ given or what auto came to)")
    assert {line[4:].split()[0]: line[4:].split()[1] for line in options} == model["options"]
    changed = {mark: {line.split()[1] for line in options if line[2] == mark} for mark in "*~"}
    found = {
        "num_round",
        "learning_rate",
        "tree_probability",
        "min_max_depth",
        "symmetric_depth",
        "alpha",
        "fourier_linear",
    }
    assert changed == {"*": set(), "~": found}

    header, *curve = section(text, "training curve (rmse)")
    assert header.split() == ["round", "train"]
    assert [int(line.split()[0]) for line in curve] == [0, 2, 5, 7, 10, 12, 15, 17, 20]
    for line in curve:
        r, loss = line.split()
        assert loss == f"{model['curve']['train'][int(r)]:.6g}"
    assert "\n\n\n" not in text and " \n" not in text


def test_each_round_has_what_the_curve_fell_in_it(run, tmp_path):
    """Also where it rose, and early stopping left rounds out: shares may be negative, and sum to 100 percent."""
    data = write_csv(tmp_path / "d.csv", "abcy", make_rows(200, seed=6))
    words = ["--valid-fraction", 0.3, "--early_stopping_rounds", 1, "--subsample", 0.2, "--learning_rate", 0.9]
    words += ["--tree_probability", 0.6, "--symmetric_probability", 0.5, "--min_max_depth", 1, "--max_max_depth", 8]
    path = train(run, data, tmp_path / "m.mxb", *words)
    model = shown(run, path)
    curve = model["curve"]["train"]
    assert 0 < len(model["rounds"]) < len(curve) - 1
    falls = [before - after for before, after in pairwise(curve)]
    assert [term["decrease"] for term in model["rounds"]] == falls[: len(model["rounds"])]
    shares = decrease_shares(model)
    assert sum(shares.values()) == pytest.approx(100)
    learners = learner_lines(run("show", path).stdout)
    assert set(learners) == set(shares)
    for name, share in shares.items():
        n_rounds = sum(term["learner"] == name for term in model["rounds"])
        assert learners[name].startswith(
            f"{n_rounds} round{'s' if n_rounds != 1 else ''}, {share:.1f}% of the decrease"
        )


def test_gains_add_up(run, numbers_model):
    """A feature's gain is that of the splits on it, and all features together have what the fourier rounds gained."""
    model = shown(run, numbers_model)
    by_splits = {"tree": [0.0] * 3, "symmetric": [0.0] * 3}
    for term in model["rounds"]:
        splits = splits_of(term)
        assert term["gain"] >= 0
        assert not splits or sum(split["gain"] for split in splits) == pytest.approx(term["gain"], rel=1e-6)
        for split in splits:
            by_splits[term["learner"]][split["feature"]] += split["gain"]
    for name, gains in by_splits.items():
        assert sum(gains) > 0
        assert [feature[f"{name}_gain"] for feature in model["features"]] == pytest.approx(gains)
    fourier = sum(term["gain"] for term in model["rounds"] if term["learner"] == "fourier")
    assert fourier > 0
    assert sum(feature["fourier_gain"] for feature in model["features"]) == pytest.approx(fourier)


def test_early_stopping_is_told(run, numbers_csv, tmp_path):
    valid = write_csv(tmp_path / "valid.csv", "abcy", make_rows(60, seed=2))
    words = ["--valid", valid, "--learning_rate", 0.5, "--early_stopping_rounds", 5]
    done = run("train", numbers_csv, "--label", "y", "--model", "m.mxb", "--num_round", 300, "--quiet", *words)
    assert done.returncode == 0
    model = shown(run, "m.mxb")
    n_rounds, n_trained = len(model["rounds"]), len(model["curve"]["valid"]) - 1
    assert n_rounds < n_trained
    text = run("show", "m.mxb").stdout
    expected = f"{n_rounds} used of {n_trained} trained: the best by rmse on the validation set"
    assert field(text, "rounds") == expected
    header, *curve = section(text, "training curve (rmse)")
    assert header.split() == ["round", "train", "validation"]
    assert [line.split()[0] for line in curve if line.endswith("<- used")] == [str(n_rounds)]
    shown_rounds = [int(line.split()[0]) for line in curve]
    assert shown_rounds == sorted(set(shown_rounds))
    assert shown_rounds[0] == 0 and shown_rounds[-1] == n_trained


def test_logloss(run, classes_model):
    text = run("show", classes_model).stdout
    assert field(text, "objective") == "logloss, judged by logloss"
    assert "\ntraining curve (logloss)\n" in text


def test_columns_without_names(run, tmp_path):
    data = write_csv(tmp_path / "d.csv", None, make_rows(100, seed=1))
    words = ["--num_round", 5, "--tree_probability", 1, "--quiet"]
    assert run("train", data, "--label", 4, "--model", "m.mxb", *words).returncode == 0
    names = [row[5] for row in gain_rows(run("show", "m.mxb").stdout)]
    assert set(names) <= {"column 1", "column 2", "column 3"} and "column 1" in names


def test_only_fourier(run, numbers_csv, tmp_path):
    model = train(run, numbers_csv, tmp_path / "m.mxb", "--tree_probability", 0)
    text = run("show", model).stdout
    assert learner_lines(text) == {"fourier": "20 rounds, 100.0% of the decrease"}
    assert field(text, "features") == "3, of which trees split on 0"
    rows = gain_rows(text)
    assert len(rows) == 3
    assert all((trees, symmetric, splits) == (0, 0, 0) for _, trees, symmetric, _, splits, _ in rows)
    assert sum(row[0] for row in rows) == pytest.approx(100, abs=0.2)


def test_nothing_gained(run, tmp_path):
    data = write_csv(tmp_path / "d.csv", "xy", [[i, 1] for i in range(50)])
    model = train(run, data, tmp_path / "m.mxb", "--tree_probability", 1)
    text = run("show", model).stdout
    assert GAINS not in text
    assert list(learner_lines(text)) == ["tree", "symmetric"]
    assert "of the decrease" not in text


def test_no_rounds(run, root):
    text = run("show", root / "tests/fuzz/corpus/model/constant.mxb").stdout
    assert field(text, "rounds").startswith("0")
    assert field(text, "learners") == "none"


def test_gains_out_of_range(run, tmp_path):
    """Labels so large that gains are bounded, each to the largest double there is."""
    rows = [[i % 7, (i * 31) % 11, 1e298 * ((i % 7) + (i * 31) % 11)] for i in range(100)]
    data = write_csv(tmp_path / "d.csv", "aby", rows)
    model = train(run, data, tmp_path / "m.mxb", "--tree_probability", 0.5)
    assert sum(row[0] for row in gain_rows(run("show", model).stdout)) == pytest.approx(100, abs=0.2)


def test_ten_features_at_most(run, tmp_path):
    rows = [[*(((i + 1) * (j + 3) * 7919) % 101 for j in range(15)), i % 13] for i in range(300)]
    data = write_csv(tmp_path / "d.csv", [*(f"x{j}" for j in range(15)), "y"], rows)
    model = train(run, data, tmp_path / "m.mxb", "--tree_probability", 1)
    shares = [row[0] for row in gain_rows(run("show", model).stdout)]
    assert len(shares) == 10
    assert shares == sorted(shares, reverse=True)


def on_terminal(program, model, cwd, **environment):
    leader, follower = pty.openpty()
    settings = {key: value for key, value in os.environ.items() if not key.startswith("LC_")}
    process = subprocess.Popen([program, "show", model], cwd=cwd, stdout=follower, env={**settings, **environment})
    os.close(follower)
    seen = b""
    while True:
        try:
            piece = os.read(leader, 65536)
        except OSError:
            break
        if not piece:
            break
        seen += piece
    os.close(leader)
    assert process.wait(30) == 0
    return seen.decode().replace("\r\n", "\n")


def test_sparkline_on_a_terminal_that_can_draw_it(program, run, numbers_model, tmp_path):
    text = run("show", "numbers.mxb").stdout
    assert "█" not in text
    assert on_terminal(program, "numbers.mxb", tmp_path, LANG="C") == text
    drawn = on_terminal(program, "numbers.mxb", tmp_path, LANG="en_US.UTF-8")
    lines = [line for line in drawn.splitlines() if "█" in line]
    assert len(lines) == 1
    assert re.fullmatch(r"  train      █[▁▂▃▄▅▆▇█]{20}", lines[0])
    assert drawn.replace(lines[0] + "\n", "") == text


def test_full_disk(run, numbers_model):
    for words in ([], ["--json"]):
        with open("/dev/full", "w") as full:
            done = run("show", numbers_model, *words, stdout=full)
        assert done.returncode == 1
        assert done.stderr == "mixboost: cannot write to standard output: No space left on device\n"


def test_parts_of_a_caller_are_named(run, root, tmp_path):
    """A model whose learner and loss only its maker has can be shown, and says why it cannot predict."""
    model = root / "tests/fuzz/corpus/model/own_mixed.mxb"
    text = run("show", model).stdout
    learners = learner_lines(text)
    assert list(learners) == ["tree", "fourier", "line"]
    assert learners["fourier"].startswith("3 rounds") and learners["line"].startswith("2 rounds")
    assert field(text, "objective").endswith("judged by mean huber")
    content = shown(run, model)
    curve = content["curve"]["train"]
    assert content["rounds"][-2:] == [
        {"learner": "line", "decrease": curve[7] - curve[8], "repaired": False, "rate": 0.5, "bytes": "01fe7a"},
        {"learner": "line", "decrease": curve[8] - curve[9], "repaired": False, "rate": 0.5, "bytes": ""},
    ]
    names = [feature["name"] for feature in shown(run, model)["features"]]
    data = write_csv(tmp_path / "d.csv", names, [[1.0] * len(names)] * 3)
    for option, missed in ([], 'the loss "huber"'), (["--raw"], 'the learner "line"'):
        done = run("predict", model, data, *option)
        assert done.returncode != 0 and missed in done.stderr
