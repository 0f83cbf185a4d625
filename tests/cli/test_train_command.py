"""mixboost train: from a CSV file to a model file."""

import itertools
import json
import math
import os
import re
import stat
import subprocess

import pytest
from samples import make_rows, predictions, train, write_csv


def shown(run, model):
    done = run("show", model, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


def test_summary_says_what_was_done(run, numbers_csv, tmp_path):
    done = run("train", numbers_csv, "--label", "y", "--model", "m.mxb", "--num_round", 3)
    assert (done.returncode, done.stdout) == (0, "")
    trained, wrote = done.stderr.splitlines()[-2:]
    assert re.fullmatch(r"mixboost: trained 3 rounds in \d+\.\d+ s: train rmse \d+\.\d+", trained)
    assert re.fullmatch(r"mixboost: wrote m\.mxb \(\d+(\.\d)? (bytes|kB)\)", wrote)
    assert [path.name for path in tmp_path.glob("m.mxb*")] == ["m.mxb"]


def test_quiet_prints_nothing(run, numbers_csv, tmp_path):
    train(run, numbers_csv, tmp_path / "m.mxb", "--valid-fraction", 0.2)


def test_option_spellings_are_equal(run, numbers_csv, tmp_path):
    spellings = [["--learning_rate", "0.25"], ["--learning-rate", "0.25"], ["--learning_rate=0.25"]]
    models = [train(run, numbers_csv, tmp_path / f"{i}.mxb", *words) for i, words in enumerate(spellings)]
    assert models[0].read_bytes() == models[1].read_bytes() == models[2].read_bytes()
    assert shown(run, models[0])["options"]["learning_rate"] == "0.25"


def test_a_preset_is_its_options_and_what_is_given_wins(run, numbers_csv, tmp_path):
    words = ["--tree_probability", 0.6]
    paper = ["--base_score", 0, "--fourier_scaling", "none", "--min_child_weight", 0, "--gamma", 0.05, "--alpha", 1e-3]
    paper += ["--subsample", 1, "--colsample", 1, "--symmetric_probability", 0, "--split_noise", 0, "--n_members", 1]
    paper += [
        "--leaf_rows",
        "sample",
        "--n_components",
        100,
        "--n_projections",
        1,
        "--fourier_metric",
        "isotropic",
        "--fourier_linear",
        "false",
    ]
    preset = shown(run, train(run, numbers_csv, tmp_path / "a.mxb", *words, "--preset", "paper"))
    options = shown(run, train(run, numbers_csv, tmp_path / "b.mxb", *words, *paper))
    assert (preset["options"].pop("preset"), options["options"].pop("preset")) == ("paper", "default")
    assert preset == options
    given = ["--fourier_scaling", "rank", "--base_score", "auto"]  # as without a preset
    before = train(run, numbers_csv, tmp_path / "c.mxb", *given, "--preset", "paper")
    after = train(run, numbers_csv, tmp_path / "d.mxb", "--preset", "paper", *given)
    assert before.read_bytes() == after.read_bytes()
    assert shown(run, before)["options"]["fourier_scaling"] == "rank"
    assert shown(run, before)["options"]["min_child_weight"] == "0"
    assert "  * preset                 paper (default default)\n" in run("show", before).stdout


def test_leaf_values_from_all_rows_never_make_the_loss_rise(run, numbers_csv, tmp_path):
    words = ["--subsample", 0.1, "--learning_rate", 1, "--tree_probability", 1, "--lambda_l2", 0]
    rises = {}
    for rows in ("sample", "all"):
        model = train(run, numbers_csv, tmp_path / "m.mxb", *words, "--leaf_rows", rows, "--split_noise", 1)
        curve = shown(run, model)["curve"]["train"]
        rises[rows] = sum(after > before + 1e-12 for before, after in itertools.pairwise(curve))
    assert rises["all"] == 0 < rises["sample"]


def test_exact_trees_have_a_threshold_between_any_two_values(run, tmp_path):
    rows = [[i / 8, int(i == 700)] for i in range(1000)]
    write_csv(tmp_path / "d.csv", "xy", rows)
    words = ["--learning_rate", 1, "--tree_probability", 1, "--lambda_l2", 0, "--subsample", 1]
    words += ["--symmetric_probability", 0, "--min_max_depth", 2]
    model = train(run, tmp_path / "d.csv", tmp_path / "m.mxb", *words, "--use_histograms", "false")
    assert shown(run, model)["options"]["use_histograms"] == "false"
    nodes = shown(run, model)["rounds"][0]["nodes"]
    thresholds = sorted(node["threshold"] for node in nodes if "threshold" in node)
    assert thresholds == [699.5 / 8, 700.5 / 8]
    exact = predictions(run("predict", model, "d.csv").stdout)
    assert max(abs(value - y) for value, (_, y) in zip(exact, rows, strict=True)) < 1e-12


def test_negative_numbers_are_values(run, numbers_csv, tmp_path):
    model = train(run, numbers_csv, tmp_path / "m.mxb", "--base_score", "-1.5")
    assert shown(run, model)["base_score"] == -1.5


def test_label_and_weight_by_name_or_number(run, tmp_path):
    rows = [[*row, 1 + i % 3] for i, row in enumerate(make_rows(200, seed=3))]
    write_csv(tmp_path / "d.csv", ["a", "b", "c", "y", "w"], rows)
    words = ["train", "d.csv", "--num_round", 5, "--quiet"]
    assert run(*words, "--label", "y", "--weight", "w", "--model", "name.mxb").returncode == 0
    assert run(*words, "--label", "4", "--weight", "5", "--model", "number.mxb").returncode == 0
    assert run(*words, "--label", "y", "--model", "no_weight.mxb").returncode == 0
    assert (tmp_path / "name.mxb").read_bytes() == (tmp_path / "number.mxb").read_bytes()
    assert [feature["name"] for feature in shown(run, "name.mxb")["features"]] == ["a", "b", "c"]
    assert [feature["name"] for feature in shown(run, "no_weight.mxb")["features"]] == ["a", "b", "c", "w"]


def test_standard_input_is_data(run, numbers_csv, tmp_path):
    train(run, numbers_csv, tmp_path / "file.mxb")
    words = ["train", "-", "--label", "y", "--model", "stdin.mxb", "--num_round", 20, "--quiet"]
    assert run(*words, input=numbers_csv.read_text()).returncode == 0
    assert (tmp_path / "file.mxb").read_bytes() == (tmp_path / "stdin.mxb").read_bytes()


def test_standard_input_is_validation(run, numbers_csv, tmp_path):
    valid = write_csv(tmp_path / "valid.csv", "abcy", make_rows(100, seed=2))
    words = ["train", numbers_csv, "--label", "y", "--quiet", "--num_round", 10]
    assert run(*words, "--model", "file.mxb", "--valid", valid).returncode == 0
    assert run(*words, "--model", "stdin.mxb", "--valid", "-", input=valid.read_text()).returncode == 0
    assert (tmp_path / "file.mxb").read_bytes() == (tmp_path / "stdin.mxb").read_bytes()


@pytest.mark.parametrize("label", ["y", "4"])
def test_validation_columns_are_found_by_name(run, numbers_csv, tmp_path, label):
    rows = make_rows(100, seed=2)
    write_csv(tmp_path / "same.csv", "abcy", rows)
    write_csv(tmp_path / "other.csv", ["y", "note", "c", "b", "a"], [[y, "text", c, b, a] for a, b, c, y in rows])
    for name in ("same", "other"):
        words = ["--label", label, "--model", f"{name}.mxb", "--valid", f"{name}.csv"]
        assert run("train", numbers_csv, *words, "--num_round", 15, "--quiet").returncode == 0
    assert (tmp_path / "same.mxb").read_bytes() == (tmp_path / "other.mxb").read_bytes()


def test_early_stopping_keeps_the_best_round(run, numbers_csv, tmp_path):
    valid = write_csv(tmp_path / "valid.csv", "abcy", make_rows(60, seed=2))
    done = run(
        *["train", numbers_csv, "--label", "y", "--valid", valid, "--model", "m.mxb"],
        *["--learning_rate", 0.5, "--num_round", 300, "--early_stopping_rounds", 5],
    )
    assert done.returncode == 0
    model = shown(run, "m.mxb")
    curve = model["curve"]["valid"]
    best = min(range(len(curve)), key=curve.__getitem__)
    assert model["stopped_early"] is True
    assert len(model["rounds"]) == best < len(curve) - 1 < 300
    summary = done.stderr.splitlines()[-2]
    assert f"trained {len(curve) - 1} rounds in " in summary
    assert summary.endswith(
        f"; round {best} is the best: train rmse {model['curve']['train'][best]:.6g}, validation rmse {curve[best]:.6g}"
    )


def test_valid_fraction_is_drawn_by_the_seed(run, numbers_csv, tmp_path):
    words = ["--valid-fraction", "0.3", "--random_state"]
    one = train(run, numbers_csv, tmp_path / "1.mxb", *words, 1)
    again = train(run, numbers_csv, tmp_path / "2.mxb", *words, 1)
    other = train(run, numbers_csv, tmp_path / "3.mxb", *words, 2)
    assert one.read_bytes() == again.read_bytes()
    assert shown(run, one)["curve"]["valid"][0] != shown(run, other)["curve"]["valid"][0]


def test_valid_fraction_keeps_classes_in_proportion(run, tmp_path):
    # 4 of 40 rows are of class 1; a quarter of the rows must get exactly one of them, whatever the seed.
    rows = [[i, int(i % 10 == 0)] for i in range(40)]
    data = write_csv(tmp_path / "d.csv", "xy", rows)
    starts = set()
    for seed in range(5):
        words = ["--objective", "logloss", "--valid-fraction", 0.25, "--random_state", seed]
        curve = shown(run, train(run, data, tmp_path / "m.mxb", *words))["curve"]
        starts.add((round(curve["train"][0], 9), round(curve["valid"][0], 9)))
    assert len(starts) == 1


def test_without_header_columns_have_numbers(run, tmp_path):
    data = write_csv(tmp_path / "d.csv", None, make_rows(200, seed=1))
    done = run("train", data, "--label", 4, "--model", "m.mxb", "--num_round", 20, "--quiet")
    assert (done.returncode, done.stderr) == (0, "")
    assert [feature["name"] for feature in shown(run, "m.mxb")["features"]] == [None, None, None]


def test_header_flag_decides(run, tmp_path):
    write_csv(tmp_path / "d.csv", ["1", "2", "3", "4"], make_rows(50, seed=1))
    words = ["train", "d.csv", "--label", "4", "--num_round", 2, "--quiet"]
    for header, names in (("auto", [None] * 3), ("no", [None] * 3), ("yes", ["1", "2", "3"])):
        assert run(*words, "--header", header, "--model", f"{header}.mxb").returncode == 0
        assert [feature["name"] for feature in shown(run, f"{header}.mxb")["features"]] == names
    assert (tmp_path / "auto.mxb").read_bytes() == (tmp_path / "no.mxb").read_bytes()


def test_quoted_names(run, tmp_path):
    rows = make_rows(100, seed=1)
    names = ['"two\nlines"', '"say ""hi"""', '"a,b"', '"größe"']
    write_csv(tmp_path / "d.csv", names, rows)
    done = run("train", "d.csv", "--label", "größe", "--model", "m.mxb", "--num_round", 5, "--quiet")
    assert (done.returncode, done.stderr) == (0, "")
    assert [feature["name"] for feature in shown(run, "m.mxb")["features"]] == ["two\nlines", 'say "hi"', "a,b"]
    write_csv(tmp_path / "turned.csv", [names[2], names[1], names[0]], [[c, b, a] for a, b, c, _ in rows])
    same = run("predict", "m.mxb", "d.csv")
    assert same.returncode == 0
    assert run("predict", "m.mxb", "turned.csv").stdout == same.stdout
    assert "  two\\x0alines\n" in run("show", "m.mxb").stdout


def test_saving_replaces_and_keeps_links(run, numbers_csv, tmp_path):
    (tmp_path / "real.mxb").write_text("old")
    (tmp_path / "link.mxb").symlink_to("real.mxb")
    train(run, numbers_csv, tmp_path / "link.mxb")
    assert (tmp_path / "link.mxb").is_symlink()
    assert len(predictions(run("predict", "real.mxb", numbers_csv).stdout)) == 300


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("folder", "it is a folder"),
        ("none/m.mxb", 'there is no folder "none"'),
        ("/none/at/all/m.mxb", 'there is no folder "/none/at/all"'),
        ("file/m.mxb", '"file" is not a folder'),
        ("new/", "it is not the name of a file"),
        ("", "it is not the name of a file"),
        ("/dev/null", "it is a device or a pipe, not a file"),
    ],
)
def test_a_place_that_cannot_be_written_is_seen_before_reading(run, tmp_path, path, reason):
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("")
    done = run("train", "no_such_data.csv", "--label", "y", "--model", path)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", f'mixboost: cannot write "{path}": {reason}\n')


def test_no_permission_is_seen_before_reading(run, program, tmp_path):
    closed = tmp_path / "closed"
    closed.mkdir()
    closed.chmod(0o555)
    as_user = {}
    if os.geteuid() == 0:
        # The superuser may write anywhere: be nobody, where nobody can reach the program and the folder.
        as_user = {"user": 65534, "group": 65534, "extra_groups": []}
        for folder in [tmp_path, *tmp_path.parents][:3]:
            folder.chmod(0o755)
        try:
            subprocess.run([program, "--version"], check=True, capture_output=True, cwd="/", **as_user)
        except (OSError, subprocess.CalledProcessError):
            pytest.skip("another user cannot run the program here")
    path = closed / "m.mxb"
    done = run("train", "no_such_data.csv", "--label", "y", "--model", path, **{"cwd": "/", **as_user})
    assert done.returncode == 1
    assert done.stderr == f'mixboost: cannot write "{path}": folder "{closed}": Permission denied\n'


def test_new_files_have_ordinary_permissions(run, numbers_csv, tmp_path):
    mask = os.umask(0o022)
    try:
        model = train(run, numbers_csv, tmp_path / "m.mxb")
        run("predict", model, numbers_csv, "--out", "p.csv")
    finally:
        os.umask(mask)
    for name in ("m.mxb", "p.csv"):
        assert stat.S_IMODE((tmp_path / name).stat().st_mode) == 0o644


def test_messages_never_land_in_the_model(program, run, numbers_csv, tmp_path):
    """With standard error closed, the model file must not take its place."""
    command = f'"{program}" train numbers.csv --label y --num_round 20 --model closed.mxb 2>&- >&- <&-'
    assert subprocess.run(["sh", "-c", command], cwd=tmp_path, check=False).returncode == 0
    train(run, numbers_csv, tmp_path / "open.mxb")
    assert (tmp_path / "closed.mxb").read_bytes() == (tmp_path / "open.mxb").read_bytes()


@pytest.mark.parametrize("threads", [2, 3, 8])
@pytest.mark.parametrize("objective", ["mse", "logloss"])
def test_same_bytes_for_any_number_of_threads(run, tmp_path, threads, objective):
    data = write_csv(tmp_path / "d.csv", "abcy", make_rows(3000, seed=5, classes=objective == "logloss"))
    words = ["--objective", objective, "--tree_probability", 0.6, "--valid-fraction", 0.2, "--subsample", 0.8]
    one = train(run, data, tmp_path / "one.mxb", *words, "--n_threads", 1)
    many = train(run, data, tmp_path / "many.mxb", *words, "--n_threads", threads)
    assert one.read_bytes() == many.read_bytes()


def bounds():
    """Every option at both ends of its range."""
    ends = {
        "num_round": ["1"],
        "learning_rate": ["5e-324", "1"],
        "random_state": ["0", "4294967295"],
        "colsample": ["5e-324", "1"],
        "subsample": ["5e-324", "1"],
        "lambda_l2": ["0", "1e300"],
        "min_child_weight": ["0", "1e300"],
        "early_stopping_rounds": ["0", "1000000"],
        "base_score": ["-1e300", "1e300"],
        "tree_probability": ["0", "1"],
        "max_max_depth": ["1", "30"],
        "hist_nbins": ["2", "256"],
        "alpha": ["0", "1e300"],
        "gamma": ["5e-324", "1e70"],
        "n_components": ["1", "1000"],
    }
    return [(name, value) for name, values in ends.items() for value in values]


@pytest.mark.parametrize(("name", "value"), bounds())
def test_a_model_at_the_end_of_a_range_loads_and_predicts(run, numbers_csv, tmp_path, name, value):
    model = tmp_path / "m.mxb"
    options = {"num_round": 6, "tree_probability": 0.5, "min_max_depth": 1, "n_components": 20, name: value}
    words = [word for option in options.items() for word in (f"--{option[0]}", option[1])]
    done = run("train", numbers_csv, "--label", "y", "--valid-fraction", 0.2, *words, "--quiet", "--model", model)
    assert (done.returncode, done.stderr) == (0, "")
    assert run("show", model).returncode == 0
    predicted = predictions(run("predict", model, numbers_csv).stdout)
    assert len(predicted) == 300 and all(map(math.isfinite, predicted))


def test_validation_rows_of_weight_0_do_not_count(run, numbers_csv, tmp_path):
    rows = [line.split(",") for line in numbers_csv.read_text().splitlines()[1:]]
    weighted = write_csv(tmp_path / "weighted.csv", "abcyw", [[*row, 1] for row in rows])
    curves = []
    for name, extra in {"plain": [], "huge": [["0", "0", "0", "1e200", 0]], "none": [["0", "0", "0", "7", 0]]}.items():
        valid = write_csv(tmp_path / f"{name}.csv", "abcyw", [*([*row, 1] for row in rows[:100]), *extra])
        model = tmp_path / f"{name}.mxb"
        train(run, weighted, model, "--weight", "w", "--valid", valid)
        curves.append(shown(run, model)["curve"]["valid"])
    assert curves[0] == curves[1] == curves[2]


def test_tiny_labels_have_a_loss(run, tmp_path):
    rows = [[a, b, c, f"{y}e-200"] for a, b, c, y in make_rows(100, seed=2)]
    model = train(run, write_csv(tmp_path / "tiny.csv", "abcy", rows), tmp_path / "m.mxb", "--valid-fraction", 0.2)
    curve = shown(run, model)["curve"]["train"]
    assert 0 < curve[-1] < curve[0]


def test_labels_are_judged_before_the_split(run, numbers_csv):
    done = run("train", numbers_csv, "--label", "y", "--objective", "logloss", "--valid-fraction", 0.2, "--model", "m")
    assert done.returncode == 1
    assert re.search(r"have more than two values \(.*\); logloss needs exactly two\n$", done.stderr)


def test_a_row_of_weight_0_needs_no_label(run, tmp_path):
    rows = [[a, b, y, 1] for a, b, _, y in make_rows(60, seed=3)]
    models = []
    for name, extra in {"without": [], "with": [[1, 1, "", 0], ["", "", "inf", 0]]}.items():
        data = write_csv(tmp_path / f"{name}.csv", "abyw", [*rows, *extra])
        models.append(train(run, data, tmp_path / f"{name}.mxb", "--weight", "w").read_bytes())
    assert models[0] == models[1]
