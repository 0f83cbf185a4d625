"""What is kept of fits, and what is fitted again."""

import pytest


def test_a_run_goes_on_where_it_stopped(module, make_outcome, tmp_path):
    journal = module("outcomes").Journal
    kept = [make_outcome("ours", "pol", 0.25, n_rounds=7, seconds=1.5, settings={"n_members": 4})]
    kept += [make_outcome("snapml", "pol", error="its process died")]
    first = journal(tmp_path / "some folder" / "ours.jsonl")
    for outcome in kept:
        first.add(outcome)
    assert journal(first.path).known == {outcome.key: outcome for outcome in kept}


def test_the_latest_setting_or_build_counts(module, make_outcome, tmp_path):
    journal = module("outcomes").Journal(tmp_path / "ours.jsonl")
    old, other_seed, new = (
        make_outcome("ours", "pol", 0.3),
        make_outcome("ours", "pol", 0.4, seed=1),
        make_outcome("ours", "pol", 0.2, digest="b", version="2"),
    )
    for outcome in (old, other_seed, new):
        journal.add(outcome)
    assert set(journal.known.values()) == {old, other_seed, new}
    assert set(journal.latest()) == {other_seed, new}
    journal.add(old)  # back to the old setting
    assert set(journal.latest()) == {other_seed, old}
    journal.forget_old()
    assert set(module("outcomes").Journal(journal.path).known.values()) == {other_seed, old}


def test_nothing_to_forget_makes_no_file(module, tmp_path):
    journal = module("outcomes").Journal(tmp_path / "ours.jsonl")
    journal.forget_old()
    assert not journal.path.exists()


@pytest.fixture
def fits(module, monkeypatch):
    """Nothing is fitted: a fit's loss is the seed, and one contestant fails."""
    fits = module("fits")

    def measure_apart(task):
        return "it broke" if task.contestant == "xgboost" else fits.Figures(task.seed + 1.0, 10, 0.5)

    monkeypatch.setattr(fits, "measure_apart", measure_apart)
    monkeypatch.setattr(fits, "version_of", lambda contestant: "1.0")
    return fits


def test_what_is_known_is_not_fitted_again(fits, module, tmp_path, capsys):
    def run(names):
        journals = {name: module("outcomes").Journal(tmp_path / name) for name in ("peers", "ours", "times")}
        fits.fit_all(fits.loss_tasks(["pol"], 2, names), journals, "a machine")
        return journals, capsys.readouterr().err.splitlines()

    journals, said = run(["xgboost", "ours"])
    assert len(said) == 8 and sum("failed: it broke" in line for line in said) == 4
    assert len(journals["peers"].known) == 4 and len(journals["ours"].known) == 4
    assert run(["xgboost", "ours"])[1] == []
    assert len(run(["xgboost", "ours", "ours-own-rate"])[1]) == 2  # it is itself in one protocol alone


def test_stopping_comes_first_and_small_sets(fits):
    tasks = list(fits.loss_tasks(["pol", "adult"], 2, ["catboost"]))
    assert [(task.protocol, task.set) for task in tasks[::2]] == [
        (protocol, a_set) for protocol in ("stopping", "plain") for a_set in ("pol", "adult")
    ]


def test_sizes_have_all_rows_of_large_tables_and_a_journal_of_their_own(fits):
    tasks = list(fits.size_tasks(["pol", "donors"], 2, ["ridge", "ours", "ours-own-rate"]))
    assert {task.journal for task in tasks} == {"sizes"}
    few = [(f"{n} rows", name, seed) for n in (50, 200, 1000) for name in ("pol", "donors") for seed in (0, 1)]
    assert [task[2:4] for task in tasks[:2]] == [("50 rows", "ridge"), ("50 rows", "ours")]
    assert [(task.protocol, task.set, task.seed) for task in tasks[::2]] == [*few, ("all rows", "donors", 0)]
    assert list(fits.loss_tasks(["pol"], 1, ["ridge"])) == []


def test_times_are_taken_in_turn_and_belong_to_a_machine(fits):
    tasks = list(fits.time_tasks(["pol"], ["ours", "lightgbm"]))
    assert [task.contestant for task in tasks] == ["ours", "lightgbm"] * fits.N_REPEATS
    assert {fits.key_of(task, "a machine").machine for task in tasks} == {"a machine"}
    assert len({fits.key_of(task, "a machine") for task in tasks}) == len(tasks)
    loss_task = next(fits.loss_tasks(["pol"], 1, ["ours"]))
    assert fits.key_of(loss_task, "a machine").machine == ""
