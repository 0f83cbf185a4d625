"""How times grow: exponents and terms fitted to the points that growth.py measures, as a table and as a picture."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from tables import table

Numbers = NDArray[np.float64]


class Times(NamedTuple):
    """Seconds."""

    binning: float
    first_round: float
    round: float  # one of those after the first

    def least(self, other: Times) -> Times:
        return Times(*map(min, self, other))


@dataclass(frozen=True)
class Point:
    """A training with one thing varied."""

    series: str
    setting: dict[str, Any]
    leaves: float  # of a tree, in the mean
    times: Times

    def as_record(self) -> dict[str, Any]:
        times = {f"{name}_s": seconds for name, seconds in self.times._asdict().items()}
        return {"series": self.series, **self.setting, "leaves": self.leaves, **times}


@dataclass(frozen=True)
class Curve:
    """What is timed in a series, and the exponent that the paper's complexity allows it."""

    series: str
    name: str
    seconds: Callable[[Times], float]
    bound: float | None  # None: no term of the paper's
    term: str


def binning(times: Times) -> float:
    return times.binning


def later_round(times: Times) -> float:
    return times.round


def projection(times: Times) -> float:
    """What the first fourier round does beyond the others."""
    return max(times.first_round - times.round, 1e-9)


CURVES = [
    Curve("rows", "binning", binning, 1.0, "d n log n"),
    Curve("rows", "tree round", later_round, 1.0, "d n D + d h 2^D"),
    Curve("features", "binning", binning, 1.0, "d n log n"),
    Curve("features", "tree round", later_round, 1.0, "d n D + d h 2^D"),
    Curve("depth", "tree round", later_round, None, "d n D + d h 2^D"),
    Curve("bins", "binning", binning, 1.0, "d n log n"),
    Curve("bins", "tree round", later_round, 1.0, "d n D + d h 2^D"),
    Curve("components", "projection, once", projection, 1.0, "n d c"),
    Curve("components", "fourier round", later_round, 2.0, "n c²"),
    Curve("threads", "binning", binning, None, ""),
    Curve("threads", "tree round", later_round, None, ""),
]
SERIES_NAMES = list(dict.fromkeys(curve.series for curve in CURVES))


def values_of(points: list[Point], curve: Curve) -> tuple[Numbers, Numbers]:
    """What is varied, and the seconds."""
    own = [point for point in points if point.series == curve.series]
    x = [float(point.setting[curve.series]) for point in own]
    return np.array(x), np.array([curve.seconds(point.times) for point in own])


def leaves_of(points: list[Point], curve: Curve) -> Numbers:
    return np.array([point.leaves for point in points if point.series == curve.series])


# ---- Fits -------------------------------------------------------------------------------------------------------


def upper_half(x: Numbers) -> NDArray[np.bool_]:
    """The values above the middle of the range, on a logarithmic scale; all where these are fewer than two."""
    above = x > np.sqrt(x[0] * x[-1]) * 1.001
    return above if above.sum() > 1 else np.ones(len(x), np.bool_)


def fit_power(x: Numbers, seconds: Numbers) -> tuple[float, float]:
    """The exponent and the factor of the power of x that fits the upper half best."""
    upper = upper_half(x)
    exponent, constant = np.polyfit(np.log(x[upper]), np.log(seconds[upper]), 1)
    return float(exponent), float(np.exp(constant))


class DepthTerms(NamedTuple):
    """Seconds of a tree round in the paper's terms: a part that does not grow, one a level, and one a leaf."""

    fixed: float
    level: float
    leaf: float

    def at(self, depth: Numbers, leaves: Numbers) -> Numbers:
        return self.fixed + self.level * depth + self.leaf * leaves


def fit_depth(depth: Numbers, leaves: Numbers, seconds: Numbers) -> DepthTerms:
    """Least squares of the relative errors with no term below 0: the best of all choices of terms to leave out."""
    columns = np.column_stack([np.ones(len(depth)), depth, leaves]) / seconds[:, None]
    best, least = DepthTerms(0.0, 0.0, 0.0), float(len(depth))
    for chosen in itertools.chain.from_iterable(itertools.combinations(range(3), n) for n in (1, 2, 3)):
        solution, *_ = np.linalg.lstsq(columns[:, chosen], np.ones(len(depth)), rcond=None)
        squares = float(np.sum((columns[:, chosen] @ solution - 1) ** 2))
        if solution.min() >= 0 and squares < least:
            factors = np.zeros(3)
            factors[list(chosen)] = solution
            best, least = DepthTerms(*map(float, factors)), squares
    return best


# ---- Table ------------------------------------------------------------------------------------------------------


def milliseconds(seconds: float) -> str:
    """Three digits, or as many as there are before the point."""
    return f"{1e3 * seconds:.3g}" if seconds < 0.1 else f"{1e3 * seconds:,.0f}"


def row_of(points: list[Point], curve: Curve) -> list[str]:
    x, seconds = values_of(points, curve)
    ends = f"{milliseconds(seconds[0])} to {milliseconds(seconds[-1])}"
    cells = [curve.series, f"{x[0]:,.0f} to {x[-1]:,.0f}", curve.name, ends]
    if curve.series == "depth":
        leaves = leaves_of(points, curve)
        terms = fit_depth(x, leaves, seconds)
        off = np.max(np.abs(terms.at(x, leaves) / seconds - 1))
        fitted = f"{1e3 * terms.fixed:.3g} ms + {1e3 * terms.level:.3g} ms a level + {1e6 * terms.leaf:.3g} µs a leaf"
        fitted += f", {100 * off:.0f} % off at most"
        return [*cells, fitted, curve.term, ""]
    if curve.series == "threads":
        return [*cells, f"{seconds[0] / seconds[-1]:.2f} times as fast", "", ""]
    exponent, _ = fit_power(x, seconds)
    return [*cells, f"{exponent:.2f}", curve.term, "" if curve.bound is None else f"{curve.bound:g}"]


def base_case(points: list[Point], series: str) -> str:
    """What the other things were in a series of points."""
    one = next(point for point in points if point.series == series).setting
    names = ["rows", "features", "threads"]
    names += ["components"] if series == "components" else ["depth", "bins"]
    return ", ".join(f"{name} {one[name]:,}" for name in names if name != series)


def as_markdown(points: list[Point], conditions: str) -> str:
    header = ["varied", "from, to", "time of", "ms", "fitted exponent", "the paper's terms", "its exponent"]
    rows = [row_of(points, curve) for curve in CURVES]
    fixed = "\n".join(f"- {name}: {base_case(points, name)}" for name in SERIES_NAMES)
    return f"\n{conditions}.\n\n{table(header, rows)}\nWhat is fixed while one thing is varied:\n\n{fixed}\n\n"


def from_json(text: str) -> tuple[list[Point], str]:
    """The points and the conditions of a results file."""
    found = json.loads(text)
    points = []
    for record in found["points"]:
        times = Times(*(record.pop(f"{name}_s") for name in Times._fields))
        points.append(Point(record.pop("series"), record, record.pop("leaves"), times))
    return points, found["conditions"]


# ---- Picture ----------------------------------------------------------------------------------------------------


def fitted_line(points: list[Point], curve: Curve) -> tuple[Numbers, Numbers, str]:
    """Where the fit is drawn, its values, and its label."""
    x, seconds = values_of(points, curve)
    if curve.series == "depth":
        leaves = leaves_of(points, curve)
        return x, fit_depth(x, leaves, seconds).at(x, leaves), "levels and leaves"
    exponent, factor = fit_power(x, seconds)
    upper = x[upper_half(x)]
    return upper, factor * upper**exponent, f"exponent {exponent:.2f}"


def draw(points: list[Point], path: Path) -> None:
    """A panel for each thing varied: points, and lines with the fitted exponents."""
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams["svg.fonttype"] = "none"  # letters, not outlines: a small file
    matplotlib.rcParams["svg.hashsalt"] = "growth"  # the same bytes from the same points
    from matplotlib import pyplot
    from matplotlib.ticker import FormatStrFormatter, LogLocator, NullFormatter

    figure, grid = pyplot.subplots(2, 3, figsize=(11, 6.4), layout="constrained")
    for panel, series in zip(grid.flat, SERIES_NAMES, strict=True):
        for curve, colour in zip([c for c in CURVES if c.series == series], ("#4c72b0", "#c44e52"), strict=False):
            x, seconds = values_of(points, curve)
            at, fitted, label = fitted_line(points, curve)
            panel.plot(x, 1e3 * seconds, "o", color=colour, markersize=4)
            panel.plot(at, 1e3 * fitted, "-", color=colour, label=f"{curve.name}: {label}")
        if series != "depth":
            panel.set_xscale("log", base=2)
        if series not in ("depth", "rows"):  # rows read best as powers of two
            panel.xaxis.set_major_formatter(FormatStrFormatter("%d"))
        panel.set_yscale("log")
        panel.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        panel.yaxis.set_major_formatter(FormatStrFormatter("%g"))
        panel.yaxis.set_minor_formatter(NullFormatter())
        panel.set(title=series, ylabel="ms")
        panel.spines[["top", "right"]].set_visible(False)
        panel.legend(frameon=False, fontsize=8)
    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)
