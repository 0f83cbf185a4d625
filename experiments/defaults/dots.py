"""Ratios of loss as a picture: a column a peer, a dot a set, clean and noisy sets apart."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ratios import LARGEST_RATIO, LEAST_RATIO, Losses, of_group, set_ratios, summarise
from sets import CLEAN, NOISY

COLOURS = {CLEAN: "#4c72b0", NOISY: "#c44e52"}
TICKS = [0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1, 1.05, 1.1, 1.2, 1.4, 1.7, 2]


def draw(losses: Losses, ours: str, peers: list[str], path: Path) -> None:
    """Our loss over each peer's; the line is the geometric mean of a group, the band its bootstrap interval."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    ratios = {peer: set_ratios(losses, ours, peer) for peer in peers}
    measured = {name: ratio for found in ratios.values() for name, ratio in found.items()}
    names = {group: sorted(of_group(measured, group), reverse=True) for group in (CLEAN, NOISY)}
    names = {group: found for group, found in names.items() if found}
    heights = [len(found) + 1.5 for found in names.values()]
    figure, panels = pyplot.subplots(
        len(names),
        len(peers),
        figsize=(2 + 2.4 * len(peers), 0.24 * sum(heights) + 1),
        height_ratios=heights,
        sharex="row",
        sharey="row",
        squeeze=False,
        layout="constrained",
    )
    for row, (group, sets) in zip(panels, names.items(), strict=True):
        for panel, peer in zip(row, peers, strict=True):
            draw_panel(panel, of_group(ratios[peer], group), sets, COLOURS[group])
            panel.set_title(f"{ours} ÷ {peer}", loc="left", fontsize=10)
        row[0].set_yticks(range(len(sets)), sets)
        row[0].set_ylim(-0.7, len(sets) - 0.3)
        row[0].set_ylabel(group)
        set_ticks(row[0])
    figure.savefig(path, dpi=110)
    pyplot.close(figure)


def draw_panel(panel: Any, ratios: dict[str, float], sets: list[str], colour: str) -> None:
    clipped = [min(max(ratio, LEAST_RATIO), LARGEST_RATIO) for ratio in ratios.values()]
    panel.axvline(1, color="#555555", linewidth=0.8)
    panel.plot(clipped, [sets.index(name) for name in ratios], "o", color=colour, markersize=5)
    summary = summarise(ratios)
    if summary is not None:
        panel.axvline(summary.mean, color=colour, linewidth=1.5)
        panel.axvspan(summary.low, summary.high, color=colour, alpha=0.15, linewidth=0)
    panel.spines[["top", "right"]].set_visible(False)


def set_ticks(panel: Any) -> None:
    """A logarithmic axis with numbers that are easy to read, for all panels that share it."""
    low, high = panel.get_xlim()
    panel.set_xscale("log")
    shown = [tick for tick in TICKS if low <= tick <= high]
    while len(shown) > 5:  # more would run into each other; 1 stays
        shown = [tick for tick in shown if (shown.index(tick) - shown.index(1)) % 2 == 0]
    panel.set_xticks(shown, [f"{tick:g}" for tick in shown])
    panel.minorticks_off()
    panel.set_xlim(low, high)
