"""What everybody is told. No peer is needed here, and none is fitted."""

import pytest


@pytest.fixture
def entrants(module):
    return module("entrants")


def settings_of(entrants, name, protocol):
    return entrants.CONTESTANTS[name].settings(entrants.Work(protocol, classify=True, seed=0))


def test_everybody_has_the_same_rate_rounds_and_patience(entrants):
    for name in [*entrants.PEERS, "ours", "ours-4", *entrants.ABLATIONS]:
        told = settings_of(entrants, name, "stopping")
        assert told["learning_rate"] == 0.05
        assert 2000 in told.values() and 50 in told.values()


def test_plain_is_with_nothing_set(entrants):
    for name in ("catboost", "lightgbm", "xgboost", "sklearn-hgb", "snapml", "ours"):
        assert settings_of(entrants, name, "plain") == {}
    assert settings_of(entrants, "ours-4", "plain") == {"n_members": 4}


def test_timed_fits_have_the_same_rounds_and_do_not_stop(entrants):
    for name in ("catboost", "lightgbm", "xgboost", "sklearn-hgb", "snapml", "ours"):
        told = settings_of(entrants, name, "times")
        assert 300 in told.values() and 50 not in told.values() and told["learning_rate"] == 0.05


def test_the_own_rate_is_the_librarys(entrants):
    told = settings_of(entrants, "ours-own-rate", "stopping")
    assert "learning_rate" not in told and told["num_round"] == 2000


def test_an_ablation_changes_one_thing(entrants):
    ours = settings_of(entrants, "ours", "stopping")
    for name in entrants.ABLATIONS:
        told = settings_of(entrants, name, "stopping")
        assert told != ours and {option: told[option] for option in ours} == ours


def test_other_settings_have_another_digest(entrants):
    assert entrants.digest({"a": 1, "b": 2}) == entrants.digest({"b": 2, "a": 1}) != entrants.digest({"a": 1, "b": 3})


def test_ours_are_options_of_the_library(entrants, root):
    options = (root / "docs/parameters.md").read_text()
    for name in [*entrants.OURS, *entrants.ABLATIONS]:
        for option in settings_of(entrants, name, "stopping"):
            assert f"| `{option}` |" in options
