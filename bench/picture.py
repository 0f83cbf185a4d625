"""A run's results as a picture: a panel a case and a bar a contestant; or lines, where cases differ in rows alone."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

from cases import Suite
from measurements import Measurement, Results
from tables import UNITS

OUR_COLOUR, PEER_COLOUR = "#c44e52", "#8c9aad"


def colour_of(contestant: str) -> str:
    return OUR_COLOUR if contestant.startswith("mixboost") else PEER_COLOUR


def timed(best: dict[str, Measurement]) -> list[Measurement]:
    return [m for m in best.values() if m.seconds < float("inf")]


def draw(results: Results, suite: Suite, path: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure = draw_lines(results, suite, pyplot) if suite.name == "rows" else draw_bars(results, suite, pyplot)
    figure.savefig(path, dpi=110)
    pyplot.close(figure)


def draw_bars(results: Results, suite: Suite, pyplot: Any) -> Any:
    """Times of everybody in each case, with as many threads as it was measured with."""
    threads = {case: max(n for name, n in results.parts() if name == case) for case, _ in results.parts()}
    shown = {case: timed(results.of(case, n)) for case, n in threads.items()}
    shown = {case: best for case, best in shown.items() if best}
    n_rows = (len(shown) + 1) // 2
    figure, grid = pyplot.subplots(n_rows, 2, figsize=(11, 3.2 * n_rows), squeeze=False, layout="constrained")
    for panel in grid.flat[len(shown) :]:
        panel.set_axis_off()
    for panel, (name, best) in zip(grid.flat, shown.items(), strict=False):
        case, n = suite.cases[name], threads[name]
        best.sort(key=lambda m: -m.seconds)
        names = [m.key.contestant for m in best]
        heights = [m.seconds / UNITS[case.unit] for m in best]
        bars = panel.barh(names, heights, color=[colour_of(name) for name in names])
        panel.bar_label(bars, fmt="%.3g", padding=3)
        panel.margins(x=0.12)
        panel.spines[["top", "right"]].set_visible(False)
        panel.set_title(f"{name}, {case.unit}, {n} thread{'s' if n > 1 else ''}", loc="left")
    return figure


def draw_lines(results: Results, suite: Suite, pyplot: Any) -> Any:
    """Microseconds against rows, of each contestant the better number of threads; its name stands at its last point."""
    lines: dict[str, dict[int, float]] = {}
    for name, threads in results.parts():
        for m in timed(results.of(name, threads)):
            line, n_rows = lines.setdefault(m.key.contestant, {}), suite.cases[name].n_rows
            line[n_rows] = min(m.seconds / UNITS["µs"], line.get(n_rows, float("inf")))
    figure, panel = pyplot.subplots(figsize=(9, 6.5), layout="constrained")
    for contestant, line in lines.items():
        panel.plot(*zip(*sorted(line.items()), strict=True), "o-", markersize=4, color=colour_of(contestant))
    for n_rows in {max(line) for line in lines.values()}:
        ends = {contestant: line[n_rows] for contestant, line in lines.items() if max(line) == n_rows}
        x, side = (n_rows / 1.1, "right") if n_rows == 1 else (1.1 * n_rows, "left")
        for contestant, height in zip(ends, spread(list(ends.values())), strict=True):
            panel.text(x, height, contestant, fontsize=8, ha=side, va="center", color=colour_of(contestant))
    panel.set(xscale="log", yscale="log", xlabel="rows of a call", ylabel="µs of a call")
    panel.set_title("100 trees of depth 6", loc="left")
    panel.margins(x=0.3)
    panel.spines[["top", "right"]].set_visible(False)
    return figure


def spread(heights: list[float], least: float = 1.2) -> list[float]:
    """Heights for names beside points: in the same order, each at least so many times the one below it."""
    placed = dict(enumerate(heights))
    order = sorted(placed, key=lambda i: placed[i])
    for below, above in pairwise(order):
        placed[above] = max(placed[above], least * placed[below])
    return list(placed.values())
