"""The pages on other shuffles, seeds and members, on made-up tables and with a stand-in for the package."""

import json
import sys
import types

import numpy as np
import pytest

MADE = []


class Constant:
    """Its prediction, a probability or a number, is the option that it was given."""

    def __init__(self, constant, random_state, n_threads, n_members):
        self.constant = constant
        self.key = constant, random_state, n_members

    def fit(self, X, y, sample_weight):
        assert len(X) == len(y) == len(sample_weight) in (150, 200)  # a half or two thirds
        MADE.append((*self.key, tuple(X[:, 0])))
        return self

    def predict(self, X):
        return np.full(len(X), self.constant)

    def predict_proba(self, X):
        return np.full((len(X), 2), [1 - self.constant, self.constant])


@pytest.fixture
def spread(module, monkeypatch, tmp_path):
    package = types.SimpleNamespace(MixBoostClassifier=Constant, MixBoostRegressor=Constant)
    monkeypatch.setitem(sys.modules, "mixboost", package)
    spread, problems = module("run_spread"), module("problems")
    monkeypatch.setattr(spread, "RESULTS", tmp_path)
    monkeypatch.setattr(spread, "DOCUMENT", tmp_path / "document.md")
    begin, end = (getattr(module("places"), name) for name in ("BEGIN", "END"))
    parts = (f"{begin.format(f'./dev experiments spread {name}')}{end}" for name in ("openml", "node"))
    spread.DOCUMENT.write_text("".join(parts))
    monkeypatch.setattr(spread, "package_version", lambda package: f"{package} of this test")
    y = np.repeat([0.0, 1.0], 150)

    def load(experiment, name):
        table = problems.Table(np.arange(600.0).reshape(300, 2), y, experiment == "openml")
        return problems.Problem(name, table, problems.nested_folds(table, {"openml": 3, "node": 2}[experiment]))

    monkeypatch.setattr(problems, "load", load)
    MADE.clear()
    return spread


def write(folder, *folds, experiment="openml", scale="full", a_set="pol", contestant="ours (paper space)"):
    key = {"experiment": experiment, "scale": scale, "set": a_set, "contestant": contestant, "seed": 0}
    lines = [json.dumps({**key, "fold": k, "loss": 1.0, "options": {"constant": 0.5 + k / 10}}) for k in folds]
    with open(folder / f"{experiment}.jsonl", "a") as file:
        file.write("\n".join(lines) + "\n")


def run(spread, monkeypatch, *arguments):
    monkeypatch.setattr(sys, "argv", ["run_spread.py", *arguments])
    spread.main()


def rows_of(text, a_set):
    return [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith(f"| {a_set} ")]


def test_each_fold_has_its_options_in_every_shuffle_and_of_every_seed(spread, monkeypatch, tmp_path):
    write(tmp_path, 2, 0, 1)
    run(spread, monkeypatch, "openml")
    text = (tmp_path / "openml-spread.md").read_text()
    wanted = [(p, seed, 1) for seed in range(1, 21) for p in (0.5, 0.6, 0.7)]
    wanted += [(p, seed, n_members) for n_members in (1, 4) for seed in range(5) for p in (0.5, 0.6, 0.7)]
    assert [made[:3] for made in MADE] == wanted
    assert len({made[3] for made in MADE[:60]}) == 60
    problem = spread.problems.load("openml", "pol")
    assert {made[3] for made in MADE[60:]} == {tuple(problem.table.X[fold.train, 0]) for fold in problem.folds}
    shuffled, repeated = rows_of(text, "pol")
    by_hand = f"{np.mean([-(np.log(p) + np.log(1 - p)) / 2 for p in (0.5, 0.6, 0.7)]):.4g}"
    theirs = ["0.03632", "0 of 20", "0.03597", "0 of 20", "0.03451", "0 of 20"]
    assert shuffled == ["pol", by_hand, shuffled[2], by_hand, by_hand, *theirs]
    assert repeated == ["pol", by_hand, "0", by_hand, "0", *(cell.replace("20", "5") for cell in theirs)]
    assert float(shuffled[2]) < 1e-12 and "## ours (paper space)" in text and "default" not in text


def test_regressions_are_predicted_in_their_unit(spread, monkeypatch, tmp_path):
    write(tmp_path, 0, 1, experiment="node", a_set="bank8FM", contestant="ours (default space)")
    write(tmp_path, 0, 1, experiment="node", a_set="parkinsons", contestant="ours (default space)")
    run(spread, monkeypatch, "node")
    text = (tmp_path / "node-spread.md").read_text()
    (bank, again), (parkinsons, _) = rows_of(text, "bank8FM"), rows_of(text, "parkinsons")
    assert 0.5 < float(bank[1]) < 0.52  # 0.5 and 0.6 for labels 0 and 1
    assert bank[5:] == ["0.02872", "0 of 20", "0.0313", "0 of 20"]
    assert again[5:] == ["0.02872", "0 of 5", "0.0313", "0 of 5"]
    assert len(parkinsons) == 5  # whose published losses are another label's


def test_the_document_has_how_far_from_published_losses(spread, monkeypatch, module, tmp_path):
    for a_set in ("bank8FM", "parkinsons"):
        write(tmp_path, 0, 1, experiment="node", a_set=a_set)
    monkeypatch.setattr(spread, "losses", lambda _ours, problem, _options, way: made_up[way.name])
    made_up = {"shuffles": [0.028, 0.03, 0.031, 0.04], "seeds": [0.02, 0.021, 0.022, 0.05], "4 members": [0.02, 0.03]}
    kept = (tmp_path / "node.jsonl").read_text().replace('"loss": 1.0', '"loss": 0.03')
    (tmp_path / "node.jsonl").write_text(kept)
    run(spread, monkeypatch, "node")
    part = module("places").part_of_page(spread.DOCUMENT, "./dev experiments spread node")
    ((bank, *_), (parkinsons, *_)) = rows_of(part, "bank8FM"), rows_of(part, "parkinsons")
    deviation = np.std(made_up["shuffles"], ddof=1)
    distances = [f"{(0.03 - theirs) / deviation:+.1f}" for theirs in (0.028717, 0.031298)]
    figures = ["0.03", "0.02825", "0.025", f"{deviation:.4g}"]
    assert bank == ["bank8FM", *figures, distances[0], "1", "3", distances[1], "3", "3"]
    assert len([cell for cell in parkinsons if cell.strip()]) == 5
    below = "of 1: ours (paper space) {} in the table, {} by the mean of the seeds, 1 by that with 4 members."
    for who, counts in (("NODE", (0, 1)), ("SnapBoost", (1, 1))):
        assert f"Below {who}'s published losses, {below.format(*counts)}" in part
    assert "from NODE's" in part and "ours (paper space):" in part and "default" not in part


def test_what_is_known_is_not_done_again(spread, monkeypatch, tmp_path):
    per_set = 3 * (20 + 5 + 5)
    write(tmp_path, 0, 1, 2)
    write(tmp_path, 0, 1, 2, a_set="letter")
    run(spread, monkeypatch, "openml", "--sets", "letter")
    assert len(MADE) == per_set and not rows_of((tmp_path / "openml-spread.md").read_text(), "pol")
    run(spread, monkeypatch, "openml", "--tables")
    assert len(MADE) == per_set
    run(spread, monkeypatch, "openml")
    assert len(MADE) == 2 * per_set and len(rows_of((tmp_path / "openml-spread.md").read_text(), "pol")) == 2
    (tmp_path / "openml.jsonl").write_text((tmp_path / "openml.jsonl").read_text().replace("0.5", "0.4"))
    run(spread, monkeypatch, "openml", "--sets", "pol")  # chosen anew
    assert len(MADE) == 3 * per_set and not rows_of((tmp_path / "openml-spread.md").read_text(), "letter")


def test_a_set_that_there_is_not_is_refused(spread, monkeypatch, capsys):
    with pytest.raises(SystemExit):
        run(spread, monkeypatch, "openml", "--sets", "bank8FM")
    assert "there is no set 'bank8FM'; there are CreditCardSubset, " in capsys.readouterr().err
    with pytest.raises(SystemExit):
        run(spread, monkeypatch, "kaggle")  # whose folds are one split


def test_a_set_that_is_not_done_at_full_scale_is_left_out(spread, monkeypatch, tmp_path):
    write(tmp_path, 0, 1)
    write(tmp_path, 0, 1, 2, scale="small", a_set="letter")
    write(tmp_path, 0, 1, 2, contestant="XGBoost")
    run(spread, monkeypatch, "openml")
    assert "|" not in (tmp_path / "openml-spread.md").read_text() and not MADE
