"""A run's results as a picture: a panel a case, a bar a contestant."""

from __future__ import annotations

from pathlib import Path

from cases import CASES
from measurements import Results

OUR_COLOUR, PEER_COLOUR = "#c44e52", "#8c9aad"


def draw(results: Results, path: Path) -> None:
    """Seconds of everybody in each case, with as many threads as it was measured with."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    threads = {case: max(n for name, n in results.parts() if name == case) for case, _ in results.parts()}
    figure, grid = pyplot.subplots(
        (len(threads) + 1) // 2, 2, figsize=(11, 3.2 * ((len(threads) + 1) // 2)), squeeze=False, layout="constrained"
    )
    for panel in grid.flat[len(threads) :]:
        panel.set_axis_off()
    for panel, (case, n) in zip(grid.flat, threads.items(), strict=False):
        best = [m for m in results.of(case, n).values() if m.error is None]
        best.sort(key=lambda m: -m.seconds)
        names = [m.key.contestant for m in best]
        colours = [OUR_COLOUR if name.startswith("mixboost") else PEER_COLOUR for name in names]
        bars = panel.barh(names, [m.seconds for m in best], color=colours)
        panel.bar_label(bars, fmt="%.3g", padding=3)
        panel.margins(x=0.12)
        panel.spines[["top", "right"]].set_visible(False)
        what = "fit" if CASES[case].rounds else "bins"
        panel.set_title(f"{case}: {what}, s, {n} thread{'s' if n > 1 else ''}", loc="left")
    figure.savefig(path, dpi=110)
