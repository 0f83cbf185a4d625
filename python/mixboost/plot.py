"""Pictures of a fitted model: how its training went, what its features brought, what it is made of; and of a search.

Each function draws into the axes it is given, or into a new figure, and returns the axes. matplotlib is imported only
when something is drawn; the extra ``mixboost[plot]`` brings it.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from ._base import Booster
from ._estimators import MixBoost
from ._native import Model
from ._search import MixBoostSearchCV
from ._search_results import is_number

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["ensemble", "halving", "importance", "learning_curve", "slices"]

# Colours of Okabe and Ito, which stay apart for all kinds of sight; markers say the same once more.
_BLUE, _ORANGE, _GREEN = "#0072B2", "#E69F00", "#009E73"
_COLORS = ["#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#0072B2"]
_MARKERS = ["^", "s", "D", "v", "P", "X"]  # one more than colours, so that pairs of them repeat late
_METRICS = {"rmse": "RMSE", "logloss": "log loss"}
_LEGEND_CHARACTERS = 70  # of its labels in a line, in axes of the usual width
_AREA = 22  # of a mark, in square points


def _axes(ax: Axes | None) -> Axes:
    if ax is not None:
        return ax
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError("mixboost.plot needs matplotlib, which the extra mixboost[plot] brings.") from error
    return pyplot.subplots(layout="constrained")[1]


def _fitted(model: Any) -> Model:
    if not isinstance(model, Booster):
        raise TypeError(f"model must be an estimator of mixboost, not a {type(model).__name__}.")
    return model._fitted()


def _finish(ax: Axes) -> Axes:
    ax.spines[["top", "right"]].set_visible(False)
    ax.set_axisbelow(True)
    return ax


# ---- Learning curve ----------------------------------------------------------------------------------------------


def learning_curve(model: Any, ax: Axes | None = None) -> Axes:
    """Draw the loss after each round on the training rows, and on the validation rows where there are any.

    Parameters
    ----------
    model : estimator
        A fitted estimator of this package.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure if not given.

    Returns
    -------
    matplotlib.axes.Axes
        Round 0 is the start value. With validation rows a line marks the round that the model ends with.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from mixboost import MixBoostRegressor, plot
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = MixBoostRegressor(validation_fraction=0.2).fit(X, y)
    >>> ax = plot.learning_curve(model)
    >>> ax.get_ylabel()
    'RMSE'
    """
    fitted, ax = _fitted(model), _axes(ax)
    training, validation = fitted.curve(valid=False), fitted.curve(valid=True)
    rounds = np.arange(len(training))
    ax.plot(rounds, training, color=_BLUE, label="training")
    if not np.isnan(validation).any():
        kept, loss = fitted.n_rounds, validation[fitted.n_rounds]
        ax.plot(rounds, validation, color=_ORANGE, label="validation")
        ax.axvline(kept, color="0.6", linewidth=1, zorder=0)
        ax.plot([kept], [loss], "o", color=_ORANGE, markeredgecolor="black", label=f"model: {kept} rounds, {loss:.4g}")
    ax.set_xlabel("round")
    ax.set_ylabel(_METRICS.get(fitted.metric, fitted.metric))
    ax.grid(axis="y", color="0.9")
    ax.legend(frameon=False)
    return _finish(ax)


# ---- Importances -------------------------------------------------------------------------------------------------


def importance(model: Any, ax: Axes | None = None, max_features: int = 20) -> Axes:
    """Draw what each feature brought to the fit, the largest on top, the parts of the learner classes side by side.

    Parameters
    ----------
    model : MixBoostRegressor or MixBoostClassifier
        A fitted estimator.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure if not given.
    max_features : int, default=20
        How many features are drawn at most.

    Returns
    -------
    matplotlib.axes.Axes
        A bar for each feature, as long as its ``feature_importances_``.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from mixboost import MixBoostClassifier, plot
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> ax = plot.importance(MixBoostClassifier().fit(X, y), max_features=5)
    >>> len(ax.get_yticklabels())
    5
    """
    _fitted(model)
    if not isinstance(model, MixBoost):
        raise TypeError(
            f"A {type(model).__name__} has no importances of its own; "
            + "sklearn.inspection.permutation_importance finds those of any estimator."
        )
    if max_features < 1:
        raise ValueError(f"max_features is {max_features}; it must be at least 1.")
    ax = _axes(ax)
    largest = np.argsort(-model.feature_importances_, kind="stable")[:max_features]
    names = getattr(model, "feature_names_in_", [f"feature {i}" for i in range(model.n_features_in_)])
    places = np.arange(len(largest))
    ends = np.zeros(len(largest))
    for name, parts, color, hatch in (
        ("tree", model.tree_importances_, _BLUE, None),
        ("symmetric", model.symmetric_importances_, _GREEN, "...."),
        ("fourier", model.fourier_importances_, _ORANGE, "////"),
    ):
        looks: dict[str, Any] = {"color": color, "hatch": hatch, "edgecolor": "white", "linewidth": 0}
        ax.barh(places, parts[largest], left=ends, label=f"{name} rounds", **looks)
        ends = ends + parts[largest]
    ax.set_yticks(places, labels=[names[i] for i in largest])
    ax.invert_yaxis()
    ax.set_xlabel("share of the gain")
    if len(largest) < model.n_features_in_:
        ax.set_title(f"the {len(largest)} most important of {model.n_features_in_} features", fontsize="medium")
    ax.grid(axis="x", color="0.9")
    ax.legend(frameon=False, loc="lower right")
    return _finish(ax)


# ---- Ensemble ----------------------------------------------------------------------------------------------------


def ensemble(model: Any, ax: Axes | None = None) -> Axes:
    """Draw which learner each round drew, how deep a tree, and how much it took off the loss of the training rows.

    Parameters
    ----------
    model : estimator
        A fitted estimator of this package.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure if not given.

    Returns
    -------
    matplotlib.axes.Axes
        A mark for each round of the model, at the height of its step: the loss before the round less the loss after it.
        Rounds that took nothing off the loss are hollow and lie on the lower edge. With several members a round has a
        mark for each, side by side: their step is that of the mean. The legend has the ``learner_shares_``.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from mixboost import MixBoostRegressor, plot
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = MixBoostRegressor(num_round=100, tree_probability=0.7, min_max_depth=1, max_max_depth=3).fit(X, y)
    >>> ax = plot.ensemble(model)
    >>> [text.get_text().split(":")[0] for text in ax.get_legend().get_texts()]
    ['tree, depth 1 (light) to 3 (dark)', 'fourier', 'symmetric']
    """
    fitted, ax = _fitted(model), _axes(ax)
    kinds = fitted.rounds()
    beside = (np.arange(fitted.n_members) - (fitted.n_members - 1) / 2) / fitted.n_members
    rounds = np.add.outer(np.arange(1, fitted.n_rounds + 1), beside).ravel()
    steps = np.repeat(-np.diff(fitted.curve(valid=False))[: fitted.n_rounds], fitted.n_members)
    ax.set_yscale("log")
    for kind, style in _styles(kinds, fitted.learner_shares()).items():
        chosen = np.array([each == kind for each in kinds])
        _draw_steps(ax, rounds[chosen], steps[chosen], style)
    if np.any(steps <= 0):
        ax.scatter([], [], s=_AREA, facecolors="none", edgecolors="black", label="no fall")
    ax.set_xlabel("round")
    ax.set_ylabel(f"step: fall of the training {_METRICS.get(fitted.metric, fitted.metric)}")
    ax.grid(axis="y", color="0.9")
    _put_legend_above(ax)
    return _finish(ax)


def _put_legend_above(ax: Axes) -> None:
    """Where it hides no round."""
    _, labels = ax.get_legend_handles_labels()
    if labels:
        n_columns = max(1, _LEGEND_CHARACTERS // max(map(len, labels)))
        ax.legend(
            fontsize="small",
            ncol=n_columns,
            loc="lower left",
            bbox_to_anchor=(0, 1),
            frameon=False,
            columnspacing=1,
            handlelength=1,
        )


class _Style(NamedTuple):
    color: Any
    marker: str
    label: str | None


def _styles(kinds: list[tuple[str, int]], shares: dict[str, float]) -> dict[tuple[str, int], _Style]:
    """How the marks of each learner look: deeper trees darker, every other class a colour and shape of its own."""
    import matplotlib

    styles, n_others = {}, 0
    for name in sorted(shares, key=lambda name: (name != "tree", name)):
        depths = sorted({depth for each, depth in kinds if each == name})
        if name == "tree":
            marker, colors = "o", list(matplotlib.colormaps["Blues"](np.linspace(0.4, 1.0, len(depths))))
        else:
            marker, colors = _MARKERS[n_others % len(_MARKERS)], [_COLORS[n_others % len(_COLORS)]] * len(depths)
            n_others += 1
        n_rounds = sum(each == name for each, _ in kinds)
        label = _learner_label(name, depths, n_rounds, shares[name])
        for depth, color in zip(depths, colors, strict=True):
            styles[name, depth] = _Style(color, marker, label if depth == depths[-1] else None)
    return styles


def _learner_label(name: str, depths: list[int], n_rounds: int, share: float) -> str:
    """'tree, depth 2 (light) to 10 (dark): 61 rounds, 55 % of the decrease'."""
    if name == "tree":
        name += f", depth {depths[0]}" + (f" (light) to {depths[-1]} (dark)" if len(depths) > 1 else "")
    label = f"{name}: {n_rounds} round{'' if n_rounds == 1 else 's'}"
    return label if np.isnan(share) else f"{label}, {100 * share:.0f} % of the decrease"


def _draw_steps(ax: Axes, rounds: NDArray[np.float64], steps: NDArray[np.float64], style: _Style) -> None:
    falls = steps > 0
    marks: dict[str, Any] = {"s": _AREA, "marker": style.marker, "edgecolors": [style.color]}
    ax.scatter(rounds[falls], steps[falls], facecolors=[style.color], label=style.label, **marks)
    others, edge = rounds[~falls], ax.get_xaxis_transform()
    ax.scatter(others, np.zeros(len(others)), facecolors="none", transform=edge, clip_on=False, **marks)


# ---- Searches ----------------------------------------------------------------------------------------------------


def halving(search: Any, ax: Axes | None = None) -> Axes:
    """Draw the stages of a search: how each configuration did against the resource it had, and the winner's path.

    Parameters
    ----------
    search : MixBoostSearchCV
        A fitted search.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure if not given.

    Returns
    -------
    matplotlib.axes.Axes
        A line for each configuration, over the fractions of rows or rounds that it was trained with, at its mean loss
        over the folds; with a ``scoring``, at its mean score. Those that failed are not drawn, unless ``error_score``
        is a number.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from mixboost import MixBoostRegressor, MixBoostSearchCV, plot
    >>> X, y = load_diabetes(return_X_y=True)
    >>> search = MixBoostSearchCV(MixBoostRegressor(num_round=30), n_configs=8).fit(X, y)
    >>> ax = plot.halving(search)
    >>> len(ax.get_lines())
    8
    """
    table = _search_table(search)
    ax = _axes(ax)
    results, winner = table.results, table.results["config"][search.best_index_]
    for config in np.unique(results["config"]):
        rows = (results["config"] == config) & np.isfinite(table.values)
        if config != winner:
            ax.plot(results["n_resources"][rows], table.values[rows], ".-", color=_BLUE, alpha=0.35, linewidth=0.8)
    rows = results["config"] == winner
    label = f"best: configuration {winner}, {table.values[search.best_index_]:.4g}"
    path: dict[str, Any] = {"color": _ORANGE, "markeredgecolor": "black", "zorder": 3}
    ax.plot(results["n_resources"][rows], table.values[rows], "o-", label=label, **path)
    fractions = np.array(search.n_resources_)
    ax.set_xscale("log", base=search.eta)
    ax.set_xticks(fractions, labels=[str(Fraction(each).limit_denominator(10**6)) for each in fractions])
    ax.minorticks_off()
    ax.set_xlabel(f"part of the {search.resource}")
    ax.set_ylabel(table.label)
    ax.grid(axis="y", color="0.9")
    ax.legend(frameon=False)
    return _finish(ax)


def slices(search: Any, axes: Any = None) -> NDArray[Any]:
    """Draw how configurations did against each option that was drawn.

    Parameters
    ----------
    search : MixBoostSearchCV
        A fitted search.
    axes : array of matplotlib.axes.Axes, optional
        Where to draw, one for each such option; a new figure if not given.

    Returns
    -------
    ndarray of matplotlib.axes.Axes
        In each a mark for every configuration, at its mean loss over the folds in the last stage that it came to, or at
        its mean score where there is a ``scoring``: the darker, the later the stage. Those that failed are not drawn,
        unless ``error_score`` is a number. ``num_round`` is that of ``cv_results_``, the rounds that the trials kept.
        Where a number is "auto", a line stands for the mark. A ``preset``, of which ``cv_results_`` has the options
        instead, is left out.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from mixboost import MixBoostRegressor, MixBoostSearchCV, plot
    >>> X, y = load_diabetes(return_X_y=True)
    >>> space = {"learning_rate": (0.02, 0.2, "log10"), "max_max_depth": (1, 6, "integer"), "subsample": 0.9}
    >>> search = MixBoostSearchCV(MixBoostRegressor(num_round=30), space, n_configs=8).fit(X, y)
    >>> [ax.get_xlabel() for ax in plot.slices(search)]
    ['learning_rate', 'max_max_depth']
    """
    table = _search_table(search)
    options = [option for option in search.option_importances_ if f"param_{option}" in table.results]
    if not options:
        raise ValueError("The space of this search has no option that is drawn.")
    axes = _many_axes(len(options)) if axes is None else np.ravel(axes)
    if len(axes) != len(options):
        raise ValueError(f"There are {len(axes)} axes for {len(options)} options.")
    _, last_rows = np.unique(table.results["config"][::-1], return_index=True)
    rows = np.sort(len(table.values) - 1 - last_rows)
    rows = rows[np.isfinite(table.values[rows])]
    for ax, option in zip(axes, options, strict=True):
        _draw_slice(ax, search, table, option, rows)
    return np.asarray(axes)


class _SearchTable(NamedTuple):
    results: dict[str, Any]
    values: NDArray[np.float64]  # losses, or scores
    label: str


def _search_table(search: Any) -> _SearchTable:
    if not isinstance(search, MixBoostSearchCV):
        raise TypeError(f"search must be a MixBoostSearchCV, not a {type(search).__name__}.")
    check_is_fitted(search)
    means = search.cv_results_["mean_test_score"]
    if search.scoring is None:
        metric = {"mse": "RMSE", "logloss": "log loss"}[search.estimator.objective]
        return _SearchTable(search.cv_results_, -means, f"{metric}, mean over the folds")
    name = search.scoring if isinstance(search.scoring, str) else "score"
    return _SearchTable(search.cv_results_, means, f"{name}, mean over the folds")


def _many_axes(n: int) -> NDArray[Any]:
    """The axes of a new figure, up to four in a row."""
    n_columns = min(n, 4)
    n_rows = -(-n // n_columns)
    first = _axes(None)
    figure: Any = first.figure
    first.remove()
    figure.set_size_inches(3.2 * n_columns, 2.8 * n_rows)
    axes = np.ravel(figure.subplots(n_rows, n_columns, sharey=True, squeeze=False))
    for ax in axes[n:]:
        ax.remove()
    return axes[:n]


def _draw_slice(ax: Axes, search: Any, table: _SearchTable, option: str, rows: NDArray[np.intp]) -> None:
    places = _places(table.results[f"param_{option}"].data, ax, search.space_[option])
    has_place, best = np.isfinite(places), search.best_index_
    placed = rows[has_place[rows]]
    shades = (table.results["iter"][placed] + 1) / len(search.n_resources_)
    ax.scatter(places[placed], table.values[placed], s=_AREA, c=shades, cmap="Blues", vmin=-0.3, vmax=1.0)
    for row in rows[~has_place[rows]]:
        ax.axhline(table.values[row], color=_ORANGE if row == best else _BLUE, linestyle=":", zorder=1)
    if has_place[best]:
        mark: dict[str, Any] = {"color": _ORANGE, "markeredgecolor": "black", "zorder": 3}
        ax.plot([places[best]], [table.values[best]], "o", **mark)
    ax.set_xlabel(option)
    place = ax.get_subplotspec()
    if place is None or place.is_first_col():
        ax.set_ylabel(table.label)
    ax.grid(axis="y", color="0.9")
    _finish(ax)


def _places(values: NDArray[Any], ax: Axes, scale: str) -> NDArray[np.float64]:
    """Where values stand on the axis: numbers at themselves, choices side by side; NaN for "auto" among numbers."""
    if scale != "choice":
        numbers = np.array([value if is_number(value) else np.nan for value in values.tolist()], dtype=np.float64)
        if scale == "log10" and not np.isnan(numbers).all():
            _set_log_axis(ax, numbers)
        elif scale == "integer":
            ax.locator_params(axis="x", integer=True)
        return numbers
    choices = {str(value): value for value in values.tolist()}
    names = sorted(choices, key=lambda text: (choices[text] if is_number(choices[text]) else np.inf, text))
    ax.set_xticks(range(len(names)), labels=names)
    ax.set_xlim(-0.5, len(names) - 0.5)
    return np.array([names.index(str(value)) for value in values.tolist()], dtype=np.float64)


def _set_log_axis(ax: Axes, numbers: NDArray[np.float64]) -> None:
    """Plain numbers at a few ticks; matplotlib's own run into each other in a small picture."""
    from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

    is_narrow = np.nanmax(numbers) < 100 * np.nanmin(numbers)
    ax.set_xscale("log")
    ax.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if is_narrow else (1,), numticks=6))
    ax.xaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
    ax.xaxis.set_minor_formatter(NullFormatter())
