"""Models of several members from the shell."""

import pytest
from samples import make_rows, predictions, train, write_csv
from test_show_command import field, learner_lines, read_rows, shown, term_value


@pytest.fixture
def data(tmp_path):
    return write_csv(tmp_path / "d.csv", "abcy", make_rows(200, seed=6))


def test_show_tells_members_and_counts_their_learners(run, data, tmp_path):
    words = ["--n_members", 4, "--tree_probability", 0.7, "--symmetric_probability", 0.4, "--n_components", 5]
    model = train(run, data, tmp_path / "m.mxb", *words)
    text = run("show", model).stdout
    assert field(text, "rounds") == "4 members of 20 rounds, all that were trained"
    content = shown(run, model)
    assert content["n_members"] == 4
    kinds = [term["learner"] for term in content["rounds"]]
    assert len(kinds) == 80
    curve = content["curve"]["train"]
    assert len(curve) == 21
    shares = dict.fromkeys(kinds, 0.0)
    for i in range(20):
        members = content["rounds"][4 * i : 4 * i + 4]
        gained = sum(term["gain"] for term in members)
        for term in members:
            part = term["gain"] / gained * (curve[i] - curve[i + 1])
            assert term["decrease"] == pytest.approx(part)
            shares[term["learner"]] += 100 * part / (curve[0] - curve[20])
    learners = learner_lines(text)
    assert set(learners) == {"tree", "symmetric", "fourier"}
    for name, share in shares.items():
        assert learners[name].startswith(f"{kinds.count(name)} rounds, {share:.1f}% of the decrease")


def test_show_tells_which_rounds_early_stopping_kept(run, data, tmp_path):
    words = ["--n_members", 3, "--valid-fraction", 0.3, "--early_stopping_rounds", 2]
    words += ["--learning_rate", 1, "--tree_probability", 1, "--lambda_l2", 0]  # is soon too much
    model = train(run, data, tmp_path / "m.mxb", *words)
    content = shown(run, model)
    n_rounds, n_trained = len(content["rounds"]) // 3, len(content["curve"]["valid"]) - 1
    assert n_trained == n_rounds + 2
    expected = f"3 members of {n_rounds} rounds used of {n_trained} trained: the best by rmse on the validation set"
    assert field(run("show", model).stdout, "rounds") == expected


def test_json_reproduces_predictions(run, data, tmp_path):
    words = ["--n_members", 3, "--tree_probability", 0.7, "--n_components", 5, "--fourier_scaling", "standard"]
    path = train(run, data, tmp_path / "m.mxb", *words)
    model = shown(run, path)
    values = predictions(run("predict", path, data, "--raw").stdout)
    for row, value in zip(read_rows(data, "abc"), values, strict=True):
        score = 3 * model["base_score"] + sum(term_value(model, term, row) for term in model["rounds"])
        assert score / 3 == pytest.approx(value, abs=1e-5)


def test_a_training_goes_on_with_as_many_members(run, data, tmp_path):
    words = ["--n_members", 3, "--subsample", 0.7]
    whole = train(run, data, tmp_path / "whole.mxb", *words)
    part = tmp_path / "part.mxb"
    done = run("train", data, "--label", "y", "--model", part, "--num_round", 7, *words)
    assert done.returncode == 0
    longer = train(run, data, tmp_path / "longer.mxb", *words, "--from", part)
    assert longer.read_bytes() == whole.read_bytes()
    done = run("train", data, "--label", "y", "--model", tmp_path / "no.mxb", "--from", part, "--n_members", 2)
    assert done.returncode != 0
    assert "n_members is 2; to go on from a model it must be as there, 3" in done.stderr


def test_cross_validation_judges_the_mean(run, data):
    words = ["cv", data, "--label", "y", "--num_round", 20, "--folds", 3, "--tree_probability", 1, "--quiet"]
    losses = {n: run(*words, "--n_members", n).stdout for n in (1, 4)}
    assert losses[1] != losses[4]
    assert "rmse" in losses[4]
