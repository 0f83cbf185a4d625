"""Pictures of a search: what is drawn is what the search found."""

from __future__ import annotations

from typing import Any

import matplotlib
import numpy as np
import pytest
from estimator_cases import classification_data, regression_data
from matplotlib import pyplot
from matplotlib.colors import to_hex
from mixboost import MixBoostClassifier, MixBoostRegressor, MixBoostSearchCV, plot
from search_cases import SPACE, small_search
from sklearn.exceptions import NotFittedError
from sklearn.metrics import mean_squared_error

matplotlib.use("Agg")
pytestmark = pytest.mark.usefixtures("_close_figures")
ORANGE = "#e69f00"


@pytest.fixture(scope="module")
def search() -> MixBoostSearchCV:
    """Three stages: 32, 8 and 2 configurations."""
    return small_search(n_configs=32, min_resource="1/16").fit(*regression_data(400))


def paths(search: MixBoostSearchCV) -> dict[int, list[tuple[float, float]]]:
    """Resource and loss of each configuration, stage by stage."""
    results = search.cv_results_
    return {
        config: [
            (float(results["n_resources"][i]), -float(results["mean_test_score"][i]))
            for i in np.flatnonzero(results["config"] == config)
        ]
        for config in range(32)
    }


def test_halving_draws_a_line_for_each_configuration(search: MixBoostSearchCV) -> None:
    ax = plot.halving(search)
    ax.figure.canvas.draw()
    drawn = [[tuple(map(float, point)) for point in line.get_xydata()] for line in ax.get_lines()]
    assert sorted(drawn) == sorted(paths(search).values())
    assert [label.get_text() for label in ax.get_xticklabels()] == ["1/16", "1/4", "1"]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("part of the rows", "RMSE, mean over the folds")
    assert ax.get_xscale() == "log"
    (best,) = [line for line in ax.get_lines() if to_hex(line.get_color()) == ORANGE]
    winner = int(search.cv_results_["config"][search.best_index_])
    assert [tuple(map(float, point)) for point in best.get_xydata()] == paths(search)[winner]
    assert len(paths(search)[winner]) == 3
    legend = ax.get_legend()
    assert legend is not None
    assert legend.get_texts()[0].get_text() == f"best: configuration {winner}, {-search.best_score_:.4g}"


def test_slices_draw_a_mark_for_each_configuration(search: MixBoostSearchCV) -> None:
    axes = plot.slices(search)
    axes[0].figure.canvas.draw()
    assert [ax.get_xlabel() for ax in axes] == list(SPACE)
    assert [ax.get_xscale() for ax in axes] == ["log", "linear", "linear", "linear"]
    last = {config: path[-1][1] for config, path in paths(search).items()}
    params = {int(config): search.cv_results_["params"][i] for i, config in enumerate(search.cv_results_["config"])}
    for ax, option in zip(axes, SPACE, strict=True):
        marks = sorted(tuple(map(float, point)) for point in ax.collections[0].get_offsets())
        assert marks == sorted((float(params[config][option]), loss) for config, loss in last.items())
        (best,) = ax.get_lines()
        assert best.get_xydata().tolist() == [[float(search.best_params_[option]), -search.best_score_]]
        assert to_hex(best.get_color()) == ORANGE
    assert [label.get_text() for label in axes[3].get_xticklabels()] == ["False", "True"]
    assert [ax.get_ylabel() for ax in axes] == ["RMSE, mean over the folds", "", "", ""]
    shades = axes[0].collections[0].get_array()
    assert len(np.unique(shades)) == 3


def test_what_is_auto_is_a_line() -> None:
    """The first configuration of the default space is the estimator as it is."""
    search = MixBoostSearchCV(MixBoostRegressor(num_round=10), n_configs=4, min_resource=1).fit(*regression_data())
    assert search.cv_results_["params"][0]["learning_rate"] == "auto"
    axes = dict(zip(search.option_importances_, plot.slices(search), strict=True))
    axes["subsample"].figure.canvas.draw()
    assert len(axes["learning_rate"].collections[0].get_offsets()) == 3
    (line,) = [line for line in axes["learning_rate"].get_lines() if line.get_linestyle() == ":"]
    assert line.get_ydata()[0] == -search.cv_results_["mean_test_score"][0]
    assert len(axes["subsample"].collections[0].get_offsets()) == 4
    assert axes["fourier_linear"].get_xticklabels()[0].get_text() == "False"


@pytest.mark.filterwarnings("error")
def test_a_space_of_which_only_the_defaults_were_tried_is_drawn() -> None:
    search = MixBoostSearchCV(MixBoostRegressor(num_round=4), n_configs=1, min_resource=1).fit(*regression_data())
    axes = dict(zip(search.option_importances_, plot.slices(search), strict=True))
    assert search.space_["learning_rate"] == "log10"
    assert axes["learning_rate"].get_lines()[0].get_linestyle() == ":"


def test_a_preset_has_no_slice() -> None:
    """The options that it stands for have columns instead."""
    space = {"preset": ["default", "paper"], "gamma": (0.1, 1, "log10")}
    search = small_search(space=space, n_configs=4, min_resource=1).fit(*regression_data())
    assert list(search.option_importances_) == ["preset", "gamma"]
    assert [ax.get_xlabel() for ax in plot.slices(search)] == ["gamma"]


def test_with_a_scorer_the_scores_are_drawn() -> None:
    search = small_search(MixBoostClassifier, scoring="accuracy").fit(*classification_data())
    ax = plot.halving(search)
    assert ax.get_ylabel() == "accuracy, mean over the folds"
    assert max(line.get_ydata().max() for line in ax.get_lines()) == search.cv_results_["mean_test_score"].max()
    own = small_search(n_configs=4, scoring=lambda model, X, y: -mean_squared_error(y, model.predict(X)))
    assert plot.halving(own.fit(*regression_data())).get_ylabel() == "score, mean over the folds"
    ours = small_search(MixBoostClassifier, n_configs=4).fit(*classification_data())
    assert plot.halving(ours).get_ylabel() == "log loss, mean over the folds"


@pytest.mark.filterwarnings("ignore:.*trials failed")
def test_what_failed_is_not_drawn() -> None:
    def scorer(estimator: Any, X: Any, y: Any) -> float:
        if estimator.options_["max_max_depth"] > 4:
            raise LookupError
        return -mean_squared_error(y, estimator.predict(X))

    search = small_search(scoring=scorer).fit(*regression_data())
    n_good = int(np.isfinite(search.cv_results_["mean_test_score"][:16]).sum())
    assert n_good < 16
    drawn = [line for line in plot.halving(search).get_lines() if len(line.get_xdata()) > 0]
    assert len(drawn) == n_good
    assert len(plot.slices(search)[0].collections[0].get_offsets()) == n_good


def test_axes_of_ones_own(search: MixBoostSearchCV) -> None:
    figure = matplotlib.figure.Figure()
    axes = figure.subplots(2, 3)
    assert plot.halving(search, ax=axes[1, 2]) is axes[1, 2]
    assert plot.slices(search, axes=axes.ravel()[:4]).tolist() == axes.ravel()[:4].tolist()
    figure.canvas.draw()
    assert not axes[1, 1].has_data()
    assert pyplot.get_fignums() == []
    with pytest.raises(ValueError, match=r"^There are 6 axes for 4 options\.$"):
        plot.slices(search, axes=axes)


def test_a_new_figure_has_no_other_axes(search: MixBoostSearchCV) -> None:
    axes = plot.slices(search)
    assert pyplot.get_fignums() == [axes[0].figure.number]
    assert axes[0].figure.axes == axes.tolist()
    many = MixBoostSearchCV(MixBoostRegressor(num_round=4), n_configs=2, min_resource=1).fit(*regression_data())
    axes = plot.slices(many)
    assert axes[0].figure.axes == axes.tolist()
    assert len(axes) == len(many.option_importances_) > 4


def test_a_search_from_a_pickle_can_be_drawn(search: MixBoostSearchCV) -> None:
    import pickle

    copy = pickle.loads(pickle.dumps(search))
    assert len(plot.halving(copy).get_lines()) == 32


@pytest.mark.parametrize("draw", [plot.halving, plot.slices])
def test_what_cannot_be_drawn_leaves_no_figure(draw: Any) -> None:
    with pytest.raises(NotFittedError, match="MixBoostSearchCV"):
        draw(small_search())
    with pytest.raises(TypeError, match=r"^search must be a MixBoostSearchCV, not a MixBoostRegressor\.$"):
        draw(MixBoostRegressor())
    assert pyplot.get_fignums() == []


def test_a_space_without_anything_drawn_has_no_slices() -> None:
    search = small_search(space={"num_round": 4}, n_configs=1, min_resource=1).fit(*regression_data())
    with pytest.raises(ValueError, match=r"^The space of this search has no option that is drawn\.$"):
        plot.slices(search)
    assert len(plot.halving(search).get_lines()) == 1
