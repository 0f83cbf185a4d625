"""The command: which work there is, and what its arguments do."""

import dataclasses
import functools

import pytest


@pytest.fixture
def run_paper(module):
    return module("run_paper")


@pytest.fixture
def run(run_paper, module, tmp_path, monkeypatch, capsys):
    """The command with some arguments, on a problem where everybody has a loss at once; who was asked, what is told."""
    records, problems = module("records"), module("problems")
    monkeypatch.setattr(run_paper, "RESULTS", tmp_path / "results")
    places = module("places")
    document = tmp_path / "experiments.md"
    document.write_text(
        f"words\n{places.BEGIN.format('./dev experiments node')}an older table\n{places.END}more words\n"
    )
    monkeypatch.setattr(run_paper, "DOCUMENT", document)
    monkeypatch.setattr(
        run_paper, "Setting", functools.partial(module("contests").Setting, folder=tmp_path / "scratch")
    )
    table = problems.Table(None, [0.0] * 12, False)
    problem = problems.Problem("", table, problems.single_split(*[list(range(4))] * 3))
    monkeypatch.setattr(problems, "load", lambda _experiment, name, _deal: dataclasses.replace(problem, name=name))
    asked = []

    def run_set(setting, a_problem, contestant, file, progress):
        asked.append((setting.scale, a_problem.name, contestant.name))
        for fold in range(2):
            (key,) = setting.keys(a_problem.name, contestant.name, fold)
            file.add([records.Record(key, 0.5, n_processors=1, machine="a machine", date="2026-01-02")])

    monkeypatch.setattr(run_paper, "run_set", run_set)

    def run_command(*arguments):
        asked.clear()
        monkeypatch.setattr("sys.argv", ["run_paper.py", *arguments])
        run_paper.main()
        return list(asked), capsys.readouterr()

    return run_command


def test_the_chosen_ones_are_asked_and_the_page_is_written(run, tmp_path):
    arguments = ["node", "--sets", "bank8FM", "puma32H", "--contestants", "XGBoost", "ours (paper space)"]
    asked, told = run(*arguments)
    assert asked == [
        ("small", name, who) for name in ("bank8FM", "puma32H") for who in ("XGBoost", "ours (paper space)")
    ]
    page = (tmp_path / "results" / "node.md").read_text()
    row = "| puma32H | 0.006424 | 0.007629 | **0.5** | **0.5** |"
    assert page in told.out and row in page
    document = (tmp_path / "experiments.md").read_text()
    assert row in document and "](../experiments/paper/results/node-small-time.svg)" in document
    assert document.startswith("words\n") and document.endswith("more words\n") and "an older table" not in document


def test_tables_alone_ask_nobody(run):
    first = run("node", "--sets", "bank8FM")[1]
    asked, told = run("node", "--tables")
    assert asked == [] and told.out == first.out


def test_what_is_forgotten_is_gone_from_the_page(run, tmp_path):
    run("node", "--sets", "bank8FM")
    trials = tmp_path / "scratch" / "node" / "small" / "bank8FM" / "XGBoost.1.trials"
    trials.parent.mkdir(parents=True)
    trials.write_text("")
    asked, told = run("node", "--forget", "--contestants", "XGBoost")
    assert asked == [] and "2 results" in told.out and not trials.exists()
    assert "Not run: XGBoost, " in told.out


@pytest.mark.parametrize("arguments", [["--sets", "pol"], ["--contestants", "snapml"], ["--scale", "tiny"]])
def test_what_there_is_not_is_refused(run, arguments):
    with pytest.raises(SystemExit):
        run("node", *arguments)


def test_a_single_split_is_not_confirmed(run):
    assert run("node", "--scale", "confirm", "--sets", "bank8FM", "--contestants", "XGBoost")[0]
    with pytest.raises(SystemExit):
        run("kaggle", "--scale", "confirm")


def test_a_rival_without_its_environment_is_left_out(run_paper, module, tmp_path, capsys):
    rival = module("rivals").APPENDIX["KTBoost"]
    absent, here = (dataclasses.replace(rival, python=path) for path in (tmp_path / "no", tmp_path))
    assert run_paper.those_that_can([absent, here]) == [here]
    assert "KTBoost is left out" in capsys.readouterr().err


def test_work_is_what_is_not_known(run_paper, module, tmp_path, monkeypatch):
    problems, records = module("problems"), module("records")
    inner = [([0], [1])] * 2
    folds = [problems.Fold([0, 1], [2], inner)] * 2
    problem = problems.Problem("", problems.Table(None, None, False), folds)
    monkeypatch.setattr(problems, "load", lambda _experiment, _name, _deal: problem)
    experiment = module("scales").EXPERIMENTS["node"]
    file = records.RecordFile(tmp_path / "records")
    contestants = [experiment.contestants[name] for name in ("XGBoost", "CatBoost")]
    setting = module("contests").Setting(experiment, "medium", 2, 8.0)
    file.add([records.Record(key, 0.5) for key in setting.keys("bank8FM", "XGBoost", 1)])
    # 250 on 1/16, 62 on 1/4, 15 on all; two inner folds; a training at the end.
    one = 2 * (250 / 16 + 62 / 4 + 15) + 1
    left = run_paper.work_left(setting, ["bank8FM", "puma32H"], contestants, file)
    assert left == {"XGBoost": pytest.approx(3 * one), "CatBoost": pytest.approx(4 * one)}
