"""Algorithm 2 for the rivals: stages, rows, ranks, what is kept, budgets."""

import dataclasses
import json
import math

import numpy as np
import pytest


@pytest.fixture
def halving(module):
    return module("halving")


# ---- Stages and rows ----


@pytest.mark.parametrize(
    "n_configs, min_resource, expected",
    [
        (512, 1 / 4, [(512, 1 / 4), (128, 1)]),
        (256, 1 / 16, [(256, 1 / 16), (64, 1 / 4), (16, 1)]),
        (1000, 1 / 20, [(1000, 1 / 16), (250, 1 / 4), (62, 1)]),
        (16, 1 / 20, [(16, 1 / 16), (4, 1 / 4), (1, 1)]),
        (5, 1, [(5, 1)]),
    ],
)
def test_stages_are_those_of_the_paper_and_of_our_tuner(halving, n_configs, min_resource, expected):
    assert halving.plan_stages(n_configs, min_resource) == expected


def test_too_few_configurations_are_refused(halving):
    with pytest.raises(ValueError, match="15 configurations are too few for 3 stages of eta 4"):
        halving.plan_stages(15, 1 / 16)


def test_fractions_are_nested_and_keep_the_classes(halving):
    y = np.array([0.0] * 800 + [1.0] * 80 + [0.0] * 20)
    rows = np.arange(10, 890)  # not those at the ends
    stages = halving.plan_stages(16, 1 / 16)
    parts = halving.nested_parts(rows, y, stages, True, seed=3)
    assert [len(part) for part in parts] == [round(800 / 16) + 5, 220, 880]
    assert [int(y[part].sum()) for part in parts] == [5, 20, 80]
    assert set(parts[0]) < set(parts[1]) < set(parts[2]) == set(rows)
    again, other = (halving.nested_parts(rows, y, stages, True, seed) for seed in (3, 4))
    assert np.array_equal(parts[0], again[0]) and not np.array_equal(parts[0], other[0])


def test_a_class_of_few_rows_is_in_every_fraction(halving):
    y = np.array([1.0, 1.0] + [0.0] * 62)
    parts = halving.nested_parts(np.arange(64), y, halving.plan_stages(16, 1 / 16), True, seed=0)
    assert [int(y[part].sum()) for part in parts] == [1, 1, 2]


@pytest.fixture
def problem(module):
    problems = module("problems")
    random = np.random.default_rng(1)
    y = (random.random(240) < 0.25).astype(float)
    table = problems.Table(np.column_stack([y, np.arange(240.0)]), y, True)
    return problems.Problem("made up", table, problems.nested_folds(table, 3))


def test_a_study_has_balanced_weights_of_the_outer_part_and_no_test_labels(halving, problem):
    fold, stages = problem.folds[1], halving.plan_stages(16, 1 / 4)
    study = halving.make_study(problem, fold, stages, None)
    ones = study.train.y == 1
    assert study.train.weights[ones].sum() == pytest.approx(study.train.weights[~ones].sum())
    assert np.array_equal(study.X_test, problem.table.X[fold.test])
    assert len(study.parts) == len(study.judges) == 3
    for parts, judge, (train, valid) in zip(study.parts, study.judges, fold.inner, strict=True):
        assert np.array_equal(parts[-1], np.sort(train)) and np.array_equal(judge, valid)
    one = halving.make_study(problem, fold, stages, 1)
    assert len(one.judges) == 1 and np.array_equal(one.judges[0], fold.inner[0][1])


# ---- Trials, with a rival that is made up ----


@pytest.fixture
def study_path(halving, problem, tmp_path):
    import pickle

    study = halving.make_study(problem, problem.folds[0], halving.plan_stages(16, 1 / 4), None)
    path = tmp_path / "a.study"
    path.write_bytes(pickle.dumps(study))
    return path


@pytest.fixture
def make_rival(module):
    rivals = module("rivals")
    space = {"share": rivals.Range(0, 1), "rounds": rivals.Range(1, 50, rivals.INTEGER)}

    def make(fit, **more):
        return rivals.Rival("somebody", "json", space, fit, "rounds", {"fixed": 1}, **more)

    return make


@pytest.mark.parametrize("patience, stops_early", [(None, True), (10, True), (10, False)])
def test_a_trial_trains_on_its_fraction_and_is_judged_with_weights(
    halving, module, study_path, make_rival, patience, stops_early
):
    rivals, seen = module("rivals"), []

    def fit(options, how, train, valid):
        seen.append((options, how, train, valid))
        return rivals.Fitted(lambda rows: np.where(rows[:, 0] == 1, 0.8, 0.4), 7)

    rival = make_rival(fit, stops_early=stops_early)
    judged = halving.run_trial(study_path, rival, {"share": 0.5}, 0, 2, patience)
    study = halving.load_study(study_path)
    ((options, how, train, valid),) = seen
    assert options == {"share": 0.5, "fixed": 1} and len(train.y) == len(study.parts[2][0])
    assert np.array_equal(train.weights, study.train.weights[study.parts[2][0]])
    stops = patience is not None and stops_early
    assert how.patience == (patience if stops else None) and (valid is not None) == stops
    judge = study.rows(study.judges[2])
    each = -np.where(judge.y == 1, np.log(0.8), np.log(0.6))
    assert judged == (pytest.approx(np.average(each, weights=judge.weights)), 7)


def test_the_last_training_has_all_rows_and_its_seed(halving, module, study_path, make_rival):
    rivals, seen = module("rivals"), []

    def fit(options, how, train, valid):
        seen.append((how.seed, how.patience, len(train.y), valid))
        return rivals.Fitted(lambda rows: rows[:, 1], None)

    predicted = halving.predict_test(study_path, make_rival(fit), {}, 5)
    study = halving.load_study(study_path)
    assert seen == [(5, None, len(study.train.y), None)] and np.array_equal(predicted, study.X_test[:, 1])


class Here:
    """Instead of workers: calls are made here, the last first, up to a number of them."""

    def __init__(self, answer, most=math.inf):
        self.answer, self.most, self.asked = answer, most, []

    def answers(self, calls, limit):
        for number in reversed(range(len(calls))):
            if len(self.asked) == self.most:
                raise KeyboardInterrupt
            _, _, options, stage, fold, _ = calls[number].arguments
            self.asked.append((stage, options["share"], fold))
            yield number, self.answer(options, stage, fold)


def by_share(module, halving):
    """A rival whose loss is its share, but where stage 0 cannot tell."""
    answer = module("workers").Answer

    def judge(options, stage, fold):
        found = round(options["share"], 1) if stage == 0 else options["share"]
        return answer(halving.Judged(found + 0.01 * fold, 10 * (fold + 1)), None, 2.0)

    return judge


@pytest.fixture
def search(halving, make_rival, tmp_path):
    stages = halving.plan_stages(16, 1 / 4)
    return halving.Search(make_rival(None), tmp_path / "a.study", stages, 2, None, 60, 1e9, 0)


def drawn_shares(module, search):
    options = module("rivals").draw(search.rival.space, 16, search.seed)
    return [each["share"] for each in options]


def no_ear(_trial, _is_new):
    pass


def test_the_best_go_on_and_equal_ones_by_their_number(halving, module, search, tmp_path):
    here, file = Here(by_share(module, halving)), halving.TrialFile(tmp_path / "trials", {})
    told = []
    tuned = halving.run_search(search, here, file, lambda trial, is_new: told.append((trial, is_new)))
    shares = drawn_shares(module, search)
    best_four = sorted(range(16), key=lambda i: (round(shares[i], 1), i))[:4]
    assert {share for stage, share, _ in here.asked if stage == 1} == {shares[i] for i in best_four}
    winner = min(shares[i] for i in best_four)
    assert tuned.options["share"] == winner and tuned.loss == pytest.approx(winner + 0.005)
    assert (tuned.seconds, tuned.n_trials, tuned.n_failed, tuned.n_rounds) == (80.0, 40, 0, None)
    assert len(told) == 40 and all(is_new for _, is_new in told)


@pytest.mark.parametrize("first, goes_on", [(0.9, True), (0.9, False), (0.0, True)])
def test_a_first_configuration_has_a_place_in_the_last_stage(halving, module, search, tmp_path, first, goes_on):
    """But not where one alone goes on."""
    stages = search.stages if goes_on else [halving.Stage(16, 0.25), halving.Stage(1, 1.0)]
    rival = dataclasses.replace(search.rival, first={"share": first, "rounds": 7})
    search = dataclasses.replace(search, rival=rival, stages=stages)
    here = Here(by_share(module, halving))
    tuned = halving.run_search(search, here, halving.TrialFile(tmp_path / "trials", {}), no_ear)
    drawn = module("rivals").configurations(rival, 16, search.seed)
    others = sorted(drawn[1:], key=lambda options: round(options["share"], 1))
    last = {share for stage, share, _ in here.asked if stage == 1}
    assert len(last) == stages[1].n_configs and (first in last) == (goes_on or first == 0.0)
    assert len(last - {first} - {options["share"] for options in others[:6]}) == 0
    assert (tuned.options == rival.first) == (first == 0.0)


def test_early_stopping_gives_the_mean_of_the_rounds(halving, module, search, tmp_path):
    file = halving.TrialFile(tmp_path / "trials", {})
    stopping = dataclasses.replace(search, patience=10)
    assert halving.run_search(stopping, Here(by_share(module, halving)), file, no_ear).n_rounds == 15


@pytest.mark.parametrize("n_before", [0, 7, 31, 32, 39, 40])
def test_a_search_that_was_stopped_comes_to_the_same_end(halving, module, search, tmp_path, n_before):
    judge, path = by_share(module, halving), tmp_path / "trials"
    whole = halving.run_search(search, Here(judge), halving.TrialFile(tmp_path / "whole", {"a": 1}), no_ear)
    first = Here(judge, n_before)
    if n_before < 40:
        with pytest.raises(KeyboardInterrupt):
            halving.run_search(search, first, halving.TrialFile(path, {"a": 1}), no_ear)
        with open(path, "a") as file:
            file.write('{"stage": 0, "con')  # killed while it wrote
    else:
        halving.run_search(search, first, halving.TrialFile(path, {"a": 1}), no_ear)
    second, told = Here(judge), []
    found = halving.run_search(
        search, second, halving.TrialFile(path, {"a": 1}), lambda _trial, is_new: told.append(is_new)
    )
    assert found == whole
    assert len(second.asked) == 40 - n_before and sum(told) == 40 - n_before and len(told) == 40
    assert not set(first.asked) & set(second.asked)
    assert all(json.loads(line) for line in path.read_text().splitlines())


def test_trials_of_another_search_are_refused(halving, tmp_path):
    halving.TrialFile(tmp_path / "trials", {"stages": [[16, 0.25]]})
    halving.TrialFile(tmp_path / "trials", {"stages": [(16, 0.25)]})
    with pytest.raises(ValueError, match="another search"):
        halving.TrialFile(tmp_path / "trials", {"stages": [[64, 0.25]]})


def test_trials_that_fail_are_last_and_counted(halving, module, search, tmp_path):
    answer, judge = module("workers").Answer, by_share(module, halving)
    shares = drawn_shares(module, search)
    failing = set(sorted(shares)[:5])

    def judge_some(options, stage, fold):
        if options["share"] in failing and fold == 1:
            return answer(None, "over 60 s", 60.0)
        return judge(options, stage, fold)

    path = tmp_path / "trials"
    tuned = halving.run_search(search, Here(judge_some), halving.TrialFile(path, {}), no_ear)
    assert tuned.n_failed == 5 and tuned.seconds == 35 * 2 + 5 * 60 and tuned.options["share"] not in failing
    assert halving.run_search(search, Here(None), halving.TrialFile(path, {}), no_ear) == tuned


@pytest.mark.parametrize("n_failed_stages, loss_is_known", [(1, True), (2, False)])
def test_where_all_of_the_last_stage_fail_the_stage_before_decides(
    halving, module, search, tmp_path, n_failed_stages, loss_is_known
):
    answer, judge = module("workers").Answer, by_share(module, halving)

    def judge_some(options, stage, fold):
        return answer(None, "died", 1.0) if stage >= 2 - n_failed_stages else judge(options, stage, fold)

    tuned = halving.run_search(search, Here(judge_some), halving.TrialFile(tmp_path / "trials", {}), no_ear)
    assert math.isfinite(tuned.loss) == loss_is_known
    if loss_is_known:
        shares = drawn_shares(module, search)
        assert tuned.options["share"] == min(shares, key=lambda share: (round(share, 1), shares.index(share)))


@pytest.mark.parametrize("loss", [math.nan, math.inf])
def test_a_loss_that_is_no_number_is_a_failure(halving, module, loss):
    answer = module("workers").Answer(halving.Judged(loss, 3), None, 1.0)
    result = halving.result_of(answer)
    assert result.loss == math.inf and result.error == "the loss is not a finite number"


def test_a_search_ends_when_its_budget_is_spent(halving, module, search, tmp_path):
    here, path = Here(by_share(module, halving)), tmp_path / "trials"
    limited = dataclasses.replace(search, budget=21.0)
    with pytest.raises(halving.OverBudget):
        halving.run_search(limited, here, halving.TrialFile(path, {}), no_ear)
    assert len(here.asked) == 11
    with pytest.raises(halving.OverBudget):
        halving.run_search(limited, here, halving.TrialFile(path, {}), no_ear)
    assert len(here.asked) == 11
