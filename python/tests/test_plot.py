"""The pictures: what is drawn is what the model says, in the axes it was asked for."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import matplotlib
import numpy as np
import pytest
from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.colors import to_hex, to_rgb
from mixboost import HeterogeneousBoostingRegressor, MixBoostClassifier, MixBoostRegressor, plot
from sklearn.datasets import load_breast_cancer, make_friedman1
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.tree import DecisionTreeRegressor

matplotlib.use("Agg")
ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.usefixtures("_close_figures")
PLOTS = [plot.learning_curve, plot.importance, plot.ensemble]


@pytest.fixture(scope="module")
def stopped() -> MixBoostRegressor:
    """A model that early stopping cut."""
    X, y = make_friedman1(300, 8, noise=1.0, random_state=0)
    model = MixBoostRegressor(
        num_round=400, learning_rate=0.3, early_stopping_rounds=5, tree_probability=0.7, validation_fraction=0.3
    )
    model.fit(X, y)
    assert 0 < model.best_iteration_ < len(model.evals_result_["validation"]["rmse"]) < 400
    return model


@pytest.fixture(scope="module")
def classifier() -> MixBoostClassifier:
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    return MixBoostClassifier(num_round=60, subsample=0.2, leaf_rows="sample", learning_rate=0.5).fit(X, y)


@pytest.fixture(scope="module")
def heterogeneous() -> HeterogeneousBoostingRegressor:
    X, y = make_friedman1(200, 5, random_state=0)
    learners = [(0.6, DecisionTreeRegressor(max_depth=3)), (0.4, Ridge())]
    return HeterogeneousBoostingRegressor(learners=learners, num_round=20).fit(X, y)


def legend_of(ax: Axes) -> list[str]:
    legend = ax.get_legend()
    assert legend is not None
    return [text.get_text() for text in legend.get_texts()]


def render(ax: Axes) -> None:
    """A picture that cannot be drawn fails here."""
    ax.figure.canvas.draw()


# ---- All of them -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("draw", PLOTS)
def test_a_new_figure_is_made_once_and_returned(draw: Any, classifier: MixBoostClassifier) -> None:
    ax = draw(classifier)
    render(ax)
    assert pyplot.get_fignums() == [ax.figure.number]
    assert ax.figure.axes == [ax]


@pytest.mark.parametrize("draw", PLOTS)
def test_axes_of_ones_own_are_drawn_into(draw: Any, classifier: MixBoostClassifier) -> None:
    figure = matplotlib.figure.Figure()  # not one of pyplot's
    left, right = figure.subplots(1, 2)
    assert draw(classifier, ax=left) is left
    figure.canvas.draw()
    assert left.has_data()
    assert not right.has_data()
    assert figure.axes == [left, right]
    assert pyplot.get_fignums() == []


@pytest.mark.parametrize("draw", PLOTS)
def test_settings_of_matplotlib_stay_as_they_are(draw: Any, classifier: MixBoostClassifier) -> None:
    before = dict(matplotlib.rcParams)
    draw(classifier)
    assert dict(matplotlib.rcParams) == before


@pytest.mark.parametrize("draw", PLOTS)
def test_what_cannot_be_drawn_leaves_no_figure(draw: Any) -> None:
    with pytest.raises(NotFittedError, match="MixBoostRegressor"):
        draw(MixBoostRegressor())
    with pytest.raises(TypeError, match="an estimator of mixboost, not a LinearRegression"):
        draw(LinearRegression())
    assert pyplot.get_fignums() == []


@pytest.mark.parametrize("draw", PLOTS)
def test_the_extra_is_named_where_matplotlib_is_missing(
    draw: Any, classifier: MixBoostClassifier, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r"needs matplotlib, .*mixboost\[plot\]"):
        draw(classifier)


def test_importing_the_module_does_not_import_matplotlib() -> None:
    code = "import sys, mixboost; mixboost.plot.ensemble; print('matplotlib' in sys.modules)"
    assert subprocess.check_output([sys.executable, "-c", code], text=True) == "False\n"


# ---- Learning curve ----------------------------------------------------------------------------------------------


def test_the_learning_curve_is_the_record_of_the_training(stopped: MixBoostRegressor) -> None:
    ax = plot.learning_curve(stopped)
    render(ax)
    lines = {str(line.get_label()): line for line in ax.get_lines()}
    for name in ("training", "validation"):
        losses = stopped.evals_result_[name]["rmse"]
        assert lines[name].get_xdata().tolist() == list(range(len(losses) + 1))
        assert lines[name].get_ydata()[1:].tolist() == losses
    n, loss = stopped.best_iteration_, min(stopped.evals_result_["validation"]["rmse"])
    mark = lines[f"model: {n} rounds, {loss:.4g}"]
    assert (list(mark.get_xdata()), list(mark.get_ydata())) == ([n], [loss])
    assert legend_of(ax) == ["training", "validation", f"model: {n} rounds, {loss:.4g}"]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("round", "RMSE")


def test_the_learning_curve_starts_at_the_start_value() -> None:
    X, y = make_friedman1(100, 5, random_state=0)
    ax = plot.learning_curve(MixBoostRegressor(num_round=3).fit(X, y))
    (training,) = ax.get_lines()
    assert training.get_ydata()[0] == pytest.approx(np.std(y))


def test_without_validation_rows_there_is_one_curve(classifier: MixBoostClassifier) -> None:
    ax = plot.learning_curve(classifier)
    assert legend_of(ax) == ["training"]
    assert len(ax.get_lines()) == 1
    assert ax.get_ylabel() == "log loss"


# ---- Importances -------------------------------------------------------------------------------------------------


def bars_of(ax: Axes) -> tuple[list[Any], list[Any], list[Any]]:
    tree, symmetric, fourier = ax.containers
    return list(tree), list(symmetric), list(fourier)


def test_bars_are_as_long_as_the_importances(stopped: MixBoostRegressor) -> None:
    ax = plot.importance(stopped)
    render(ax)
    order = np.argsort(-stopped.feature_importances_, kind="stable")
    tree, symmetric, fourier = bars_of(ax)
    assert [bar.get_width() for bar in tree] == pytest.approx(stopped.tree_importances_[order])
    assert [bar.get_width() for bar in symmetric] == pytest.approx(stopped.symmetric_importances_[order])
    assert [bar.get_width() for bar in fourier] == pytest.approx(stopped.fourier_importances_[order])
    assert all(bar.get_x() == 0 for bar in tree)
    for bars, behind in ((tree, symmetric), (symmetric, fourier)):
        assert [bar.get_x() for bar in behind] == pytest.approx([bar.get_x() + bar.get_width() for bar in bars])
    assert [label.get_text() for label in ax.get_yticklabels()] == [f"feature {i}" for i in order]
    assert legend_of(ax) == ["tree rounds", "symmetric rounds", "fourier rounds"]
    assert ax.get_xlabel() == "share of the gain"
    assert ax.get_title() == ""
    assert ax.yaxis_inverted()  # so the first bar is on top


def test_the_largest_importances_are_drawn_with_their_names(classifier: MixBoostClassifier) -> None:
    for given, n in (({}, 20), ({"max_features": 3}, 3), ({"max_features": 1000}, 30)):
        ax = plot.importance(classifier, **given)
        order = np.argsort(-classifier.feature_importances_, kind="stable")[:n]
        assert [label.get_text() for label in ax.get_yticklabels()] == classifier.feature_names_in_[order].tolist()
        lengths = [sum(bar.get_width() for bar in bars) for bars in zip(*bars_of(ax), strict=True)]
        assert lengths == pytest.approx(np.sort(classifier.feature_importances_)[::-1][:n])
        assert ax.get_title() == ("" if n == 30 else f"the {n} most important of 30 features")


def test_at_least_one_feature_must_be_drawn(classifier: MixBoostClassifier) -> None:
    with pytest.raises(ValueError, match="max_features is 0; it must be at least 1"):
        plot.importance(classifier, max_features=0)


def test_importances_of_other_learners_are_refused(heterogeneous: HeterogeneousBoostingRegressor) -> None:
    with pytest.raises(TypeError, match=r"HeterogeneousBoostingRegressor has no importances .*permutation_importance"):
        plot.importance(heterogeneous)
    assert pyplot.get_fignums() == []


# ---- Ensemble ----------------------------------------------------------------------------------------------------


class Mark(NamedTuple):
    height: float
    color: str
    filled: bool


def marks_of(ax: Axes) -> dict[int, Mark]:
    """The mark of each round."""
    marks = {}
    for points in ax.collections:
        for x, y in points.get_offsets():
            marks[int(x)] = Mark(float(y), to_hex(points.get_edgecolor()[0]), len(points.get_facecolor()) > 0)
    return marks


def looks_of(ax: Axes, model: Any) -> dict[tuple[str, int], str]:
    """The colour of each learner's marks, which all its rounds must have."""
    kinds = model._model.rounds()
    pairs = {(kind, marks_of(ax)[i].color) for i, kind in enumerate(kinds, start=1)}
    assert len(pairs) == len(set(kinds))
    return dict(sorted(pairs))


def test_each_round_has_a_mark_of_its_learner_at_the_height_of_its_step(stopped: MixBoostRegressor) -> None:
    ax = plot.ensemble(stopped)
    render(ax)
    marks, colors = marks_of(ax), looks_of(ax, stopped)
    assert sorted(marks) == list(range(1, stopped.best_iteration_ + 1))
    assert len(set(colors.values())) == len(colors)
    losses = stopped.evals_result_["training"]["rmse"]
    for i in range(2, stopped.best_iteration_ + 1):
        assert marks[i].height == pytest.approx(losses[i - 2] - losses[i - 1])
        assert marks[i].filled
    assert ax.get_yscale() == "log"
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("round", "step: fall of the training RMSE")


def test_the_legend_tells_rounds_and_share_of_each_class(stopped: MixBoostRegressor) -> None:
    kinds, shares = stopped._model.rounds(), stopped.learner_shares_
    depths = [depth for name, depth in kinds if name == "tree"]
    titles = {"tree": f"tree, depth {min(depths)} (light) to {max(depths)} (dark)"}
    expected = [
        f"{titles.get(name, name)}: {[each for each, _ in kinds].count(name)} rounds, "
        + f"{100 * shares[name]:.0f} % of the decrease"
        for name in ("tree", "fourier", "symmetric")
    ]
    assert legend_of(plot.ensemble(stopped)) == expected


def test_rounds_that_take_nothing_off_lie_hollow_on_the_lower_edge() -> None:
    """A fifth of the rows in each round: some steps go up."""
    X, y = load_breast_cancer(return_X_y=True)
    options: dict[str, Any] = {"subsample": 0.2, "leaf_rows": "sample", "symmetric_probability": 0.0}
    classifier = MixBoostClassifier(num_round=60, max_max_depth=8, learning_rate=0.5, **options).fit(X, y)
    losses = np.array(classifier.evals_result_["training"]["logloss"])
    rises = [i for i in range(2, 61) if losses[i - 1] >= losses[i - 2]]
    assert rises
    ax = plot.ensemble(classifier)
    render(ax)
    marks = marks_of(ax)
    assert sorted(marks) == list(range(1, 61))
    assert sorted(i for i in marks if not marks[i].filled) == rises
    assert all(marks[i].height == 0 for i in rises)
    hollow = [points for points in ax.collections if not len(points.get_facecolor()) and len(points.get_offsets())]
    assert all(points.get_offset_transform() == ax.get_xaxis_transform() for points in hollow)
    assert legend_of(ax)[-1] == "no fall"


def test_deeper_trees_are_darker() -> None:
    X, y = make_friedman1(200, 5, random_state=0)
    options: dict[str, Any] = {"tree_probability": 0.9, "symmetric_probability": 0.0}
    model = MixBoostRegressor(num_round=300, min_max_depth=1, max_max_depth=25, **options).fit(X, y)
    ax = plot.ensemble(model)
    assert legend_of(ax)[0].startswith("tree, depth 1 (light) to 25 (dark): ")
    colors = [color for (name, _), color in looks_of(ax, model).items() if name == "tree"]
    brightness = [sum(to_rgb(color)) for color in colors]
    assert brightness == sorted(brightness, reverse=True)
    assert len(set(brightness)) == 25
    labelled = next(points for points in ax.collections if points.get_label() == legend_of(ax)[0])
    assert to_hex(labelled.get_edgecolor()[0]) == colors[-1]


def test_trees_of_one_depth_are_not_said_to_differ() -> None:
    X, y = make_friedman1(200, 5, random_state=0)
    depths = {"min_max_depth": 2, "max_max_depth": 2}
    model = MixBoostRegressor(num_round=1, tree_probability=1.0, symmetric_probability=0.0, **depths).fit(X, y)
    assert legend_of(plot.ensemble(model)) == ["tree, depth 2: 1 round, 100 % of the decrease"]


def test_symmetric_trees_have_a_mark_of_their_own() -> None:
    X, y = make_friedman1(200, 5, random_state=0)
    options: dict[str, Any] = {"min_max_depth": 1, "max_max_depth": 2, "symmetric_depth": 6}
    model = MixBoostRegressor(num_round=60, tree_probability=0.8, symmetric_probability=0.5, **options).fit(X, y)
    ax = plot.ensemble(model)
    render(ax)
    colors = looks_of(ax, model)
    assert list(colors) == [("fourier", 0), ("symmetric", 6), ("tree", 1), ("tree", 2)]
    assert len(set(colors.values())) == 4
    names = [label.split(",")[0].split(":")[0] for label in legend_of(ax)]
    assert names == ["tree", "fourier", "symmetric"]


def test_learners_of_ones_own_have_a_mark_each(heterogeneous: HeterogeneousBoostingRegressor) -> None:
    ax = plot.ensemble(heterogeneous)
    render(ax)
    assert len(set(looks_of(ax, heterogeneous).values())) == 2
    counts, shares = np.bincount(heterogeneous.learner_indices_), heterogeneous.learner_shares_
    assert legend_of(ax) == [
        f"{name}: {n_rounds} rounds, {100 * shares[name]:.0f} % of the decrease"
        for name, n_rounds in zip(["DecisionTreeRegressor 1", "Ridge 2"], counts, strict=True)
    ]
    shapes = {points.get_paths()[0].vertices.tobytes() for points in ax.collections if points.get_label()[0] != "_"}
    assert len(shapes) == 2


def test_a_loss_that_does_not_fall_has_no_shares_in_the_legend() -> None:
    X, _ = make_friedman1(100, 5, random_state=0)
    model = MixBoostRegressor(num_round=3, tree_probability=0.0).fit(X, np.zeros(100))
    assert legend_of(plot.ensemble(model)) == ["fourier: 3 rounds", "no fall"]


def test_a_model_of_no_rounds_can_be_drawn() -> None:
    """Noise: no round is better than the start value on the validation rows."""
    random = np.random.default_rng(0)
    X, y = random.normal(size=(200, 3)), random.normal(size=200)
    model = MixBoostRegressor(early_stopping_rounds=3, tree_probability=1.0).fit(X, y, eval_set=(X, -y))
    assert model.best_iteration_ == 0
    for draw in PLOTS:
        render(draw(model))
    assert plot.ensemble(model).get_legend() is None
    assert legend_of(plot.learning_curve(model))[-1].startswith("model: 0 rounds")


def test_the_example_draws_the_pictures_of_the_page(tmp_path: Path) -> None:
    subprocess.run([sys.executable, ROOT / "examples/plots.py", tmp_path], check=True)
    drawn = {path.name for path in tmp_path.iterdir()}
    assert drawn == {"learning_curve.png", "importance.png", "ensemble.png", "halving.png", "slices.png"}
    page = ROOT / "docs/python/plots.md"
    shown = re.findall(r"^!\[.+\]\((.+)\)$", page.read_text(), re.MULTILINE)
    assert {Path(picture).name for picture in shown} == drawn
    assert all(0 < (page.parent / picture).stat().st_size < 100_000 for picture in shown)
