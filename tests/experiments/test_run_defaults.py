"""Who takes part in a run, and which pages come of it."""

import pytest


@pytest.fixture
def run_defaults(module):
    return module("run_defaults")


def test_runs_have_those_that_they_are_about(run_defaults, module):
    entrants = module("entrants")
    assert {"ours", *entrants.ABLATIONS, *entrants.OTHER_VALUES} == set(run_defaults.RUNS["ablation"])
    sizes = run_defaults.RUNS["sizes"]
    assert sizes == ["constant", "ridge", "catboost", "lightgbm", "xgboost", "sklearn-hgb", "ours"]
    assert all(set(names) <= set(entrants.CONTESTANTS) for names in run_defaults.RUNS.values())


@pytest.mark.parametrize(
    "contestant, protocol, page",
    [("ours", "plain", "plain"), ("slow", "stopping", "ablation"), ("ridge", "50 rows", "sizes")],
)
def test_a_page_is_made_of_what_is_known(run_defaults, make_outcome, contestant, protocol, page):
    assert page in run_defaults.make_pages([make_outcome(contestant, "pol", 1.0, protocol=protocol)])
    assert run_defaults.make_pages([]) == {}
