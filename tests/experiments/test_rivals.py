"""What is drawn for the other boosters, and what they are asked."""

import sys
import types

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


HALF_TO_ALL = (0.5, 1.0, "linear")
DRAWN = {  # beside rounds and learning rate
    "XGBoost": {"max_depth": (1, 19, "integer"), "colsample_bytree": HALF_TO_ALL, "subsample": HALF_TO_ALL},
    "LightGBM": {"max_depth": (1, 15, "integer"), "feature_fraction": HALF_TO_ALL, "bagging_fraction": HALF_TO_ALL},
    "CatBoost": {"max_depth": (1, 16, "integer"), "subsample": HALF_TO_ALL},
    "KTBoost": {
        "max_depth": (1, 19, "integer"),
        "subsample": HALF_TO_ALL,
        "max_features": HALF_TO_ALL,
        "theta": (-1.5, 1.5, "log10"),
        "alphaReg": (-6, 3, "log10"),
        "n_components": (1, 100, "integer"),
    },
    "snapml": {  # SnapBoost's
        "min_max_depth": (1, 19, "integer"),
        "max_max_depth": (1, 19, "integer"),
        "subsample": HALF_TO_ALL,
        "colsample_bytree": HALF_TO_ALL,
        "tree_select_probability": (0.9, 1.0, "linear"),
        "fit_intercept": (0, 1, "integer"),
        "regularizer": (-6, -3, "log10"),
        "gamma": (-3, 3, "log10"),
        "n_components": (1, 100, "integer"),
    },
}
FIXED = {
    "XGBoost": {"reg_lambda": 0.01, "tree_method": "hist", "max_bin": 256},
    "LightGBM": {"lambda_l2": 0.01, "max_bin": 256},
    "CatBoost": {
        "l2_leaf_reg": 0.01,
        "max_bin": 256,
        "boosting_type": "Ordered",
        "bootstrap_type": "MVS",
        "sampling_frequency": "PerTree",
        "grow_policy": "SymmetricTree",
    },
    "KTBoost": {"update_step": "newton", "nystroem": True, "base_learner": "combined"},
    "snapml": {"lambda_l2": 0.01, "use_histograms": True, "hist_nbins": 256},
}


@pytest.mark.parametrize("name", DRAWN)
def test_ranges_are_those_of_the_appendix(rivals, name):
    rival = rivals.APPENDIX[name]
    everybodys = {rival.rounds: (10, 1000, "integer"), "learning_rate": (-2.5, -1, "log10")}
    assert rival.space == {**everybodys, **DRAWN[name]} and rival.fixed == FIXED[name]


@pytest.mark.parametrize("name", ["XGBoost", "LightGBM", "CatBoost"])
def test_beside_node_rounds_depths_and_rates_are_others(rivals, name):
    here, there = rivals.BESIDE_NODE[name], rivals.APPENDIX[name]
    changed = {"max_depth": (1, 8, "integer"), here.rounds: (64, 2048, "integer"), "learning_rate": (-3, 0, "log10")}
    assert here.space == {**there.space, **changed} and here.fixed == there.fixed


@pytest.mark.parametrize("name", ["XGBoost", "LightGBM"])
def test_one_that_stops_has_the_same_ranges_but_of_rounds_and_its_defaults_first(rivals, name):
    drawing, rival = rivals.APPENDIX[name], rivals.stopping(rivals.APPENDIX[name])
    found = rivals.configurations(rival, 16, 3)
    assert len(found) == 16 and {options[rival.rounds] for options in found} == {2000}
    assert found[0] == rival.first and found[0].keys() >= {*drawing.space, *drawing.fixed}
    assert rival.settings(found[0]) == found[0] and rival.settings(found[1]) == {**found[1], **drawing.fixed}
    assert rival.space == {**drawing.space, rival.rounds: (2000, 2000, "integer")}
    assert found[1:] == rivals.draw(rival.space, 15, 3)
    assert (rival.patience, rival.fixed, rival.fit, rival.package) == (50, drawing.fixed, drawing.fit, drawing.package)
    assert rivals.configurations(drawing, 16, 3) == rivals.draw(drawing.space, 16, 3) and drawing.patience is None


# ---- What each is asked --------------------------------------------------------------------------------------------


MODULES = {"XGBoost": "XGB", "LightGBM": "LGBM", "CatBoost": "CatBoost", "snapml": "BoostingMachine"}


@pytest.fixture
def asked(monkeypatch):
    """What a stand-in for each package was told; it predicts the labels' mean or a probability of 0.25."""
    found = {}

    class Model:
        best_iteration, best_iteration_, tree_count_ = 6, 7, 7

        def __init__(self, **options):
            found["options"] = options

        def fit(self, X, y, sample_weight, **judge):
            found.update(X=X, y=y, weights=sample_weight, judge=judge)

        def predict(self, X, output_margin=False, **_):
            return np.full(len(X), np.log(1 / 3) if output_margin else np.mean(found["y"]), dtype=np.float32)

        def predict_proba(self, X, **_):
            return np.full((len(X), 2), [0.75, 0.25])

    class Pool:
        def __init__(self, X, y, weight):
            self.X, self.y, self.weights = X, y, weight

    for name, prefix in MODULES.items():
        kinds = {f"{prefix}{kind}": type(kind, (Model,), {}) for kind in ("Classifier", "Regressor")}
        monkeypatch.setitem(sys.modules, name.lower(), types.SimpleNamespace(Pool=Pool, **kinds))
    return found


def parts(rivals):
    """Rows to train on and to judge by."""
    y = np.array([0.0, 1.0, 0.0, 3.0])
    return (rivals.Part(np.arange(4.0).reshape(-1, 1) + k, y + k, np.full(4, 2.0 + k)) for k in range(2))


@pytest.mark.parametrize("is_classification", [False, True])
@pytest.mark.parametrize("name", MODULES)
def test_everybody_gets_options_rows_weights_and_seed(rivals, asked, name, is_classification):
    rival, (train, _) = rivals.APPENDIX[name], parts(rivals)
    drawn = rivals.draw(rival.space, 1, 5)[0]
    fitted = rival.fit(rival.settings(drawn), rivals.How(is_classification, 11), train, None)
    options = asked["options"]
    assert asked["X"] is train.X and asked["weights"] is train.weights
    assert 11 in (options.get("random_state"), options.get("random_seed"))
    assert 1 in (options.get("n_jobs"), options.get("thread_count"))
    depths = ("min_max_depth", "max_max_depth", "fit_intercept")  # put in order, and made a boolean
    wanted = {key: value for key, value in rival.settings(drawn).items() if key not in depths}
    assert {key: options[key] for key in wanted} == wanted
    if name == "LightGBM":
        assert (options["num_leaves"], options["bagging_freq"]) == (2 ** drawn["max_depth"], 1)
    predicted = fitted.predict(train.X)
    assert predicted.dtype == np.float64
    assert predicted == pytest.approx(np.full(4, 0.25 if is_classification else train.y.mean()))


def test_lightgbm_has_its_own_leaves_where_these_are_said(rivals, asked):
    rival, (train, _) = rivals.stopping(rivals.APPENDIX["LightGBM"]), parts(rivals)
    rival.fit(rival.settings(rival.first), rivals.How(True, 0), train, None)
    assert {name: asked["options"][name] for name in rival.first} == rival.first


@pytest.mark.parametrize("name", ["XGBoost", "LightGBM", "CatBoost"])
def test_rows_that_judge_stop_early(rivals, asked, name):
    rival, (train, valid) = rivals.APPENDIX[name], parts(rivals)
    options = rival.settings(rivals.draw(rival.space, 1, 5)[0])
    fitted = rival.fit(options, rivals.How(True, 0, 10), train, valid)
    assert fitted.n_rounds == 7
    told, judge = asked["options"], asked["judge"]
    assert 10 in (told.get("early_stopping_rounds"), told.get("early_stopping_round"))
    if name == "CatBoost":
        pool = judge["eval_set"]
        seen, weights = (pool.X, pool.y), pool.weights
    else:
        (seen,) = judge["eval_set"]
        (weights,) = judge["sample_weight_eval_set" if name == "XGBoost" else "eval_sample_weight"]
    assert seen[0] is valid.X and np.array_equal(seen[1], valid.y) and weights is valid.weights


def test_xgboost_gets_standard_labels_and_predicts_in_their_unit(rivals, asked):
    train, valid = parts(rivals)
    rival = rivals.APPENDIX["XGBoost"]
    rival.fit(rival.settings(rivals.draw(rival.space, 1, 5)[0]), rivals.How(False, 0, 10), train, valid)
    assert (asked["y"].mean(), asked["y"].std()) == pytest.approx((0, 1))
    ((_, labels),) = asked["judge"]["eval_set"]
    assert labels * train.y.std() + train.y.mean() == pytest.approx(valid.y)


def test_snapml_gets_its_depths_in_order(rivals, asked):
    train, _ = parts(rivals)
    rival = rivals.APPENDIX["snapml"]
    for depths in ((3, 9), (9, 3)):
        drawn = {**rivals.draw(rival.space, 1, 5)[0], "min_max_depth": depths[0], "max_max_depth": depths[1]}
        rival.fit(rival.settings(drawn), rivals.How(False, 0), train, None)
        assert (asked["options"]["min_max_depth"], asked["options"]["max_max_depth"]) == (3, 9)
        assert asked["options"]["fit_intercept"] in (False, True)


def test_rounds_are_an_option_of_every_space(rivals):
    for everybody in (rivals.APPENDIX, rivals.BESIDE_NODE):
        assert all(
            rival.rounds in rival.space and not set(rival.fixed) & set(rival.space) for rival in everybody.values()
        )
