"""What everybody is told, and those that do not boost. No peer is needed here, and none is fitted."""

import numpy as np
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


@pytest.mark.parametrize("protocol", ["plain", "50 rows", "200 rows", "1000 rows", "all rows"])
def test_plain_and_sizes_are_with_nothing_set(entrants, protocol):
    for name in ("catboost", "lightgbm", "xgboost", "sklearn-hgb", "snapml", "ours"):
        assert settings_of(entrants, name, protocol) == {}
        assert protocol in entrants.CONTESTANTS[name].protocols
    assert settings_of(entrants, "ours-4", protocol) == {"n_members": 4}


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


def test_another_value_may_be_of_what_the_protocol_says(entrants):
    ours = settings_of(entrants, "ours", "stopping")
    assert settings_of(entrants, "slow", "stopping") == {**ours, "learning_rate": 0.03}
    assert settings_of(entrants, "deep", "stopping") == {**ours, "min_max_depth": 4, "max_max_depth": 12}


def test_a_variant_is_not_the_default(entrants, root):
    """A default that changed to a variant's value would make that one say nothing."""
    lines = (root / "docs/parameters.md").read_text().splitlines()
    defaults = {line.split(" | ")[0]: line.split(" | ")[2] for line in lines if line.startswith("| `")}
    ours = settings_of(entrants, "ours", "stopping").items()
    for name in [*entrants.ABLATIONS, *entrants.OTHER_VALUES]:
        changed = dict(settings_of(entrants, name, "stopping").items() - ours)
        texts = {option: value if isinstance(value, str) else f"{value:g}" for option, value in changed.items()}
        assert texts and all(defaults[f"| `{option}`"] != text for option, text in texts.items())


def test_those_that_do_not_boost_take_part_in_sizes_alone(entrants):
    for name in ("constant", "ridge"):
        contestant = entrants.CONTESTANTS[name]
        assert contestant.package == "scikit-learn" and contestant.protocols == entrants.SIZES


def fit_and_predict(module, name, X, y, classify):
    """Fits the first 50 rows; returns what is predicted for the others, and their labels."""
    entrants, part = module("entrants"), module("sets").Part
    work, contestant = entrants.Work("50 rows", classify, seed=0), entrants.CONTESTANTS[name]
    data = module("sets").Split(part(X[:50], y[:50]), None, part(X[50:], y[50:]))
    return contestant.fit(contestant.settings(work), work, data).predict(X[50:]), y[50:]


def numbers_with_gaps():
    """A label that is linear in two columns of other scales, of which values are missing, beside an empty column."""
    X = np.random.default_rng(0).normal(size=(1050, 3)) * [1.0, 1000.0, np.nan]
    y = 3 + X[:, 0] + X[:, 1] / 500
    X[::10, 1] = np.nan
    return X, y


def test_the_constant_is_the_mean_or_the_share(module):
    X, y = numbers_with_gaps()
    assert fit_and_predict(module, "constant", X, y, False)[0] == pytest.approx(np.full(1000, y[:50].mean()))
    is_large = (y > 4).astype(float)
    found, _ = fit_and_predict(module, "constant", X, is_large, True)
    assert found == pytest.approx(np.full(1000, is_large[:50].mean()))


@pytest.mark.filterwarnings("ignore")
def test_ridge_learns_what_is_linear(module):
    X, y = numbers_with_gaps()
    found, wanted = fit_and_predict(module, "ridge", X, y, False)
    assert np.corrcoef(found, wanted)[0, 1] > 0.9
    in_other_units, _ = fit_and_predict(module, "ridge", X * [1e-3, 1e3, 1], y, False)
    assert in_other_units == pytest.approx(found)


@pytest.mark.filterwarnings("ignore", "error:The least populated class")
@pytest.mark.parametrize("n_ones", [2, 25])
def test_ridge_learns_classes_of_which_one_may_be_rare(module, n_ones):
    X, y = numbers_with_gaps()
    is_large = (y > np.sort(y[:50])[-n_ones - 1]).astype(float)
    found, wanted = fit_and_predict(module, "ridge", X, is_large, True)
    assert found[wanted == 1].mean() > 2 * found[wanted == 0].mean()


def test_other_settings_have_another_digest(entrants):
    assert entrants.digest({"a": 1, "b": 2}) == entrants.digest({"b": 2, "a": 1}) != entrants.digest({"a": 1, "b": 3})


def test_ours_are_options_of_the_library(entrants, root):
    options = (root / "docs/parameters.md").read_text()
    for name in [*entrants.OURS, *entrants.ABLATIONS, *entrants.OTHER_VALUES]:
        for option in settings_of(entrants, name, "stopping"):
            assert f"| `{option}` |" in options
