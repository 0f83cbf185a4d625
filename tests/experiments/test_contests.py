"""From rows to records, on data and with a rival that are made up."""

import dataclasses
import io
import sys

import numpy as np
import pytest

RIVAL = """
import numpy as np
from rivals import Fitted

def fit(options, how, train, valid):
    if options["share"] > 0.9 and options["is_endless"]:
        while True:
            pass
    rounds = options["rounds"] if valid is None else min(options["rounds"], 20)
    noise = 0.01 * how.seed
    mean = np.average(train.y, weights=train.weights)
    return Fitted(lambda rows: np.clip(mean + options["share"] * (rows[:, 0] - 0.5) - noise, 0.01, 0.99), rounds)
"""


@pytest.fixture
def contests(module):
    return module("contests")


@pytest.fixture
def rival(module, tmp_path, monkeypatch):
    """Its loss is less with a larger share."""
    (tmp_path / "made_up_rival.py").write_text(RIVAL)
    monkeypatch.syspath_prepend(tmp_path)
    rivals = module("rivals")
    import made_up_rival

    space = {"share": rivals.Range(0, 1), "rounds": rivals.Range(1, 50, rivals.INTEGER)}
    yield rivals.Rival("somebody", "numpy", space, made_up_rival.fit, "rounds", {"is_endless": False})
    del sys.modules["made_up_rival"]


@pytest.fixture
def problem(module):
    problems = module("problems")
    y = (np.random.default_rng(2).random(300) < 0.2).astype(float)
    table = problems.Table(np.column_stack([y, y]), y, True)
    return problems.Problem("made up", table, problems.nested_folds(table, 2))


@pytest.fixture
def make_setting(contests, module, rival, tmp_path, monkeypatch):
    scales = module("scales")
    monkeypatch.setitem(scales.SCALES, "small", scales.Scale(64, 1, 3, 60, 100))

    def make(folder="scratch", **more):
        experiment = scales.Experiment("openml", "a title", {"somebody": rival}, 512, 1 / 4, **more)
        return contests.Setting(experiment, "small", 2, 8.0, tmp_path / folder)

    return make


@pytest.fixture
def run(contests, module, rival, problem, tmp_path):
    def run_all(setting, progress=None, name="records.jsonl", problem=problem, rival=rival):
        file = module("records").RecordFile(tmp_path / name)
        progress = progress or module("progress_line").Progress({"somebody": 1}, io.StringIO())
        contests.run_set(setting, problem, rival, file, progress)
        return list(module("records").RecordFile(tmp_path / name).known.values())

    return run_all


def without_times(records):
    return [dataclasses.replace(record, tuning_seconds=0.0, fit_seconds=0.0) for record in records]


def test_a_set_gives_a_record_for_each_fold_once(run, make_setting, contests, module, rival, problem, monkeypatch):
    records = run(make_setting())
    assert [record.key.fold for record in records] == [0, 1]
    for record, fold in zip(records, problem.folds, strict=True):
        drawn = module("rivals").draw(rival.space, 16, make_setting().seed("made up", record.key.fold))
        best = max(drawn, key=lambda options: options["share"])
        assert record.options == best and record.error is None
        assert record.n_failed == 0 and record.n_trials == 20
        assert record.tuning_seconds > 0 and record.fit_seconds > 0
        assert (record.n_configs, record.n_judges, record.n_rows, record.n_processors) == (16, 1, len(fold.train), 2)
        assert record.version == np.__version__ and record.machine and record.date
        # Probabilities of the two classes by the balanced mean of the labels, 1/2, and the share.
        p = 0.5 + 0.5 * best["share"]
        assert record.loss == pytest.approx(-np.log(p), rel=1e-6)
    monkeypatch.setattr(contests, "contest", None)
    assert run(make_setting()) == records


def test_trials_beyond_the_limit_fail_and_are_counted(run, make_setting, module, rival, problem, monkeypatch):
    scales = module("scales")
    monkeypatch.setitem(scales.SCALES, "small", scales.SCALES["small"]._replace(limit=2))
    endless = dataclasses.replace(rival, fixed={"is_endless": True})
    one_fold = dataclasses.replace(problem, folds=problem.folds[:1])
    (record,) = run(make_setting(), rival=endless, problem=one_fold)
    seed = make_setting().seed("made up", 0)
    drawn = [options["share"] for options in module("rivals").draw(rival.space, 16, seed)]
    n_slow = sum(share > 0.9 for share in drawn)
    assert record.n_failed == n_slow > 0 and record.tuning_seconds >= 2 * n_slow
    assert record.options["share"] == max(share for share in drawn if share <= 0.9)


class Interrupted(io.StringIO):
    """Progress that is interrupted after so much."""

    def __init__(self, n):
        super().__init__()
        self.n = n

    def begin(self, *_):
        pass

    def tell(self, _):
        pass

    def advance(self, *_):
        self.n -= 1
        if self.n == 0:
            raise KeyboardInterrupt


def test_a_run_that_was_stopped_comes_to_the_same_end(run, make_setting):
    """In the first stage of a fold, after the last training, whose record is not there yet, and in the second fold."""
    whole = without_times(run(make_setting("whole"), name="whole.jsonl"))
    for n_before in (3, 21, 33):
        with pytest.raises(KeyboardInterrupt):
            run(make_setting("again"), Interrupted(n_before))
    assert without_times(run(make_setting("again"))) == whole
    assert not list(make_setting("again").folder_of("made up").glob("*.study"))


def test_one_split_has_seeds_a_sample_and_early_stopping(run, make_setting, module, problem):
    problems = module("problems")
    single = dataclasses.replace(problem, folds=problems.split_twice(problem.table, 0.25, 0.3))
    records = run(make_setting(n_seeds=10, patience=10), problem=single)
    assert [(record.key.fold, record.key.seed) for record in records] == [(0, 0), (0, 1), (0, 2)]
    assert len({record.loss for record in records}) == 3  # a training each
    assert len({record.tuning_seconds for record in records}) == 1  # of one search
    assert {record.n_rows for record in records} == {100}
    (rounds,) = {record.options["rounds"] for record in records}
    share = records[0].options["share"]
    seed = make_setting().seed("made up", 0)
    drawn = next(o for o in module("rivals").draw(run_space(module), 16, seed) if o["share"] == share)
    # 70 rows of 100 were trained on, for min(rounds, 20) rounds.
    assert rounds == min(drawn["rounds"], round(min(drawn["rounds"], 20) * (100 / 70) ** 0.5))


def run_space(module):
    rivals = module("rivals")
    return {"share": rivals.Range(0, 1), "rounds": rivals.Range(1, 50, rivals.INTEGER)}


def test_who_takes_too_long_is_dropped_from_the_set(run, make_setting):
    setting = dataclasses.replace(make_setting(), hours=1e-9)
    records = run(setting)
    assert [(record.key.fold, record.loss, record.error) for record in records] == [(0, None, "over 1e-09 h")]
    assert run(setting) == records
    assert all(record.loss is not None for record in run(make_setting()))  # there is more time now


def test_the_last_trainings_take_time_too(run, make_setting, module, monkeypatch):
    halving, contests = module("halving"), module("contests")
    monkeypatch.setattr(
        contests, "run_search", lambda *_: halving.Tuned({"share": 0.5, "rounds": 9}, 0.1, 9, 4.0, 1, 0)
    )
    (record,) = run(dataclasses.replace(make_setting(), hours=4 / 2 / 3600))
    assert (record.loss, record.error) == (None, f"over {4 / 2 / 3600:g} h")


def test_searches_of_a_space_draw_the_same_and_others_for_each_set_and_fold(make_setting):
    setting = make_setting()
    seeds = [setting.seed(name, fold) for name in ("pol", "letter") for fold in range(3)]
    assert len(set(seeds)) == 6 and seeds == [
        setting.seed(name, fold) for name in ("pol", "letter") for fold in range(3)
    ]
    assert all(0 <= seed < 2**31 for seed in seeds)


def test_other_folds_have_other_draws(make_setting, module, monkeypatch):
    scales, seed = module("scales"), make_setting().seed("pol", 0)
    monkeypatch.setitem(scales.SCALES, "small", scales.SCALES["small"]._replace(deal=1))
    assert make_setting().deal == 1 and make_setting().seed("pol", 0) != seed


def test_one_that_stops_by_itself_has_the_rounds_that_it_found(run, make_setting, problem, rival):
    stopping = dataclasses.replace(rival, patience=10, first={"share": 1.0, "rounds": 50})
    for record, fold in zip(run(make_setting(), rival=stopping), problem.folds, strict=True):
        growth = (len(fold.train) / len(fold.inner[0][0])) ** 0.5
        assert record.options == {"share": 1.0, "rounds": round(20 * growth)}  # the made-up one stops after 20


def test_trials_of_other_rows_are_refused(run, make_setting, problem, tmp_path):
    with pytest.raises(KeyboardInterrupt):
        run(make_setting(), Interrupted(3))
    other = dataclasses.replace(problem.table, X=problem.table.X + 1)
    with pytest.raises(ValueError, match="trials of another search"):
        run(make_setting(), problem=dataclasses.replace(problem, table=other))


def test_versions_are_those_that_are_installed_or_asked_for(contests, module, rival):
    assert contests.version_of(rival) == np.__version__
    assert contests.version_of(module("rivals").APPENDIX["KTBoost"]) == "0.2.2"


def test_trials_are_forgotten(make_setting, contests):
    setting = make_setting()
    setting.folder_of("made up").mkdir(parents=True)
    for fold in range(2):
        setting.trials("made up", "somebody", fold).write_text("")
    contests.forget_trials(setting, "made up", "anybody")
    assert len(list(setting.folder_of("made up").iterdir())) == 2
    contests.forget_trials(setting, "made up", "somebody")
    assert not setting.folder_of("made up").exists()
