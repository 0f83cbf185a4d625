"""What is drawn for the other boosters."""

import numpy as np
import pytest


@pytest.fixture
def rivals(module):
    return module("rivals")


def test_draws_fill_their_ranges(rivals):
    space = {
        "whole": rivals.Range(1, 3, rivals.INTEGER),
        "even": rivals.Range(0.5, 1.0),
        "log": rivals.Range(-2.5, -1, rivals.LOG10),
    }
    drawn = rivals.draw(space, 3000, 0)
    wholes = [options["whole"] for options in drawn]
    assert {type(whole) for whole in wholes} == {int}
    assert np.bincount(wholes)[1:] / 3000 == pytest.approx(np.full(3, 1 / 3), abs=0.03)
    evens, logs = (np.array([options[name] for options in drawn]) for name in ("even", "log"))
    assert 0.5 <= evens.min() < 0.51 and 0.99 < evens.max() <= 1
    assert 10**-2.5 <= logs.min() < 10**-2.48 and 10**-1.02 < logs.max() <= 0.1
    assert np.log10(logs).mean() == pytest.approx(-1.75, abs=0.03)


def test_the_first_draws_do_not_depend_on_how_many_there_are(rivals):
    space = rivals.APPENDIX["XGBoost"].space
    assert rivals.draw(space, 20, 1)[:5] == rivals.draw(space, 5, 1) != rivals.draw(space, 5, 2)


@pytest.mark.parametrize("name, deepest", [("XGBoost", 19), ("LightGBM", 15), ("CatBoost", 16), ("KTBoost", 19)])
def test_ranges_are_those_of_the_appendix(rivals, name, deepest):
    rival = rivals.APPENDIX[name]
    assert rival.space["max_depth"] == (1, deepest, "integer")
    assert rival.space["n_estimators"] == (10, 1000, "integer")
    assert rival.space["learning_rate"] == (-2.5, -1, "log10")
    beside_node = rivals.BESIDE_NODE[name]
    assert beside_node.space["max_depth"] == (1, 8, "integer")
    assert beside_node.space["n_estimators"] == (64, 2048, "integer")
    assert beside_node.space["learning_rate"] == (-3, 0, "log10")


def test_snapml_has_the_space_of_snapboost(rivals):
    here, beside_node = (everybody["snapml"].space for everybody in (rivals.APPENDIX, rivals.BESIDE_NODE))
    assert here["min_max_depth"] == here["max_max_depth"] == (1, 19, "integer")
    assert beside_node["min_max_depth"] == beside_node["max_max_depth"] == (1, 8, "integer")
    assert (here["regularizer"], beside_node["regularizer"]) == ((-6, -3, "log10"), (-6, 3, "log10"))
    assert here["tree_select_probability"] == beside_node["tree_select_probability"] == (0.9, 1.0, "linear")


def test_rounds_are_an_option_of_every_space(rivals):
    for everybody in (rivals.APPENDIX, rivals.BESIDE_NODE):
        assert all(
            rival.rounds in rival.space and not set(rival.fixed) & set(rival.space) for rival in everybody.values()
        )
