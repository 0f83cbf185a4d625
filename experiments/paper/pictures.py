"""The paper's kinds of figure: ranks with their critical difference, losses over seeds, times, convergence.

Each function writes an svg file, the same bytes from the same figures, and says whether there was anything to draw.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from significance import Losses, alike_groups, average_ranks, critical_difference, sets_of

if TYPE_CHECKING:
    from convergence import Course

OUR_COLOUR, PEER_COLOUR, DARK = "#c44e52", "#8c9aad", "#444444"
BOUND_COLOUR = "#4c72b0"
LEAST_EXCESS = 1e-5  # below it curves are not drawn; rounding begins at 1e-15
LOG_FROM = 20.0  # a logarithmic axis where the largest is so many times the least


def colour_of(contestant: str) -> str:
    return OUR_COLOUR if contestant.startswith("ours") or contestant in ("SB", "SB-T") else PEER_COLOUR


def pyplot() -> Any:
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams["svg.fonttype"] = "none"  # letters, not outlines: a small file
    matplotlib.rcParams["svg.hashsalt"] = "paper"  # the same bytes from the same figures
    from matplotlib import pyplot

    return pyplot


def save(figure: Any, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, metadata={"Date": None})
    pyplot().close(figure)


# ---- ranks ----


def critical_differences(path: Path, losses: Losses) -> bool:
    """Demšar's diagram: contestants at their average ranks, and a bar over those that do not differ (Nemenyi)."""
    sets, ranks = sets_of(losses), average_ranks(losses)
    if len(ranks) < 2 or len(sets) < 2:
        return False
    order = sorted(ranks, key=lambda who: ranks[who])
    n, difference = len(order), critical_difference(len(order), len(sets))
    groups = alike_groups(ranks, difference)
    n_left = (n + 1) // 2
    first_name = 0.7 + 0.28 * len(groups)  # below the bars
    bottom = first_name + 0.5 * n_left
    figure, panel = pyplot().subplots(figsize=(8, 0.5 + 0.42 * (bottom + 1.2)), layout="constrained")
    panel.set(xlim=(1 - 0.38 * (n - 1), n + 0.38 * (n - 1)), ylim=(bottom, -1.6))
    panel.set_axis_off()
    draw_rank_axis(panel, n, difference, len(sets))
    for i, who in enumerate(order):
        is_left = i < n_left
        y = first_name + 0.5 * (i if is_left else n - 1 - i)
        edge, side, sign = (1 - 0.08 * (n - 1), "right", -1) if is_left else (n + 0.08 * (n - 1), "left", 1)
        panel.plot([ranks[who], ranks[who], edge], [0, y, y], color=colour_of(who), linewidth=1.2)
        text = f"{who}  {ranks[who]:.2f}" if is_left else f"{ranks[who]:.2f}  {who}"
        panel.text(edge + sign * 0.02 * (n - 1), y, text, ha=side, va="center", fontsize=10)
    for i, group in enumerate(groups):
        ends = [ranks[group[0]] - 0.012 * n, ranks[group[-1]] + 0.012 * n]
        panel.plot(ends, [0.35 + 0.28 * i] * 2, color=DARK, linewidth=4, solid_capstyle="butt")
    save(figure, path)
    return True


def draw_rank_axis(panel: Any, n: int, difference: float, n_sets: int) -> None:
    panel.plot([1, n], [0, 0], color=DARK, linewidth=1)
    for rank in range(1, n + 1):
        panel.plot([rank, rank], [0, -0.15], color=DARK, linewidth=1)
        panel.text(rank, -0.25, str(rank), ha="center", va="bottom", fontsize=9)
    shown = min(difference, n - 1.0)  # a longer one says that nobody differs
    panel.plot([1, 1 + shown], [-1.05, -1.05], color=DARK, linewidth=1.5, marker="|", markersize=8)
    text = f"critical difference {difference:.2f}; average ranks over {n_sets} sets, 1 is the best"
    panel.text(1, -1.25, text, va="bottom", fontsize=9)


# ---- losses and times ----


def side_by_side(n: int, height: float) -> tuple[Any, list[Any]]:
    """A figure with a panel for each of n sets, at most three in a row."""
    n_columns = min(n, 3)
    n_rows = -(-n // n_columns)
    size = (1.2 + 3.6 * n_columns, height * n_rows)
    figure, grid = pyplot().subplots(n_rows, n_columns, figsize=size, squeeze=False, layout="constrained")
    for panel in grid.flat[n:]:
        panel.set_axis_off()
    for panel in grid.flat[:n]:
        panel.spines[["top", "right"]].set_visible(False)
    return figure, list(grid.flat[:n])


def boxes(path: Path, losses: dict[str, dict[str, list[float]]]) -> bool:
    """losses[set][contestant] has a test loss for each seed: a panel a set, a box and its losses a contestant."""
    shown = {name: {who: found for who, found in of_set.items() if found} for name, of_set in losses.items()}
    shown = {name: of_set for name, of_set in shown.items() if of_set}
    if not shown:
        return False
    figure, panels = side_by_side(len(shown), height=3.6)
    for panel, (name, of_set) in zip(panels, shown.items(), strict=True):
        parts = panel.boxplot(list(of_set.values()), widths=0.55, showfliers=False, patch_artist=True)
        for i, (who, found) in enumerate(of_set.items()):
            parts["boxes"][i].set(facecolor=colour_of(who), alpha=0.45, edgecolor=DARK)
            parts["medians"][i].set(color=DARK, linewidth=1.5)
            panel.plot([i + 1] * len(found), found, "o", color=colour_of(who), markersize=3)
        panel.set_xticks(range(1, len(of_set) + 1), list(of_set), rotation=35, ha="right", rotation_mode="anchor")
        panel.set_title(name, loc="left")
        panel.set_ylabel("test loss")
        panel.ticklabel_format(axis="y", useOffset=False)
    save(figure, path)
    return True


def time_text(seconds: float) -> str:
    for unit, of_unit in (("h", 3600.0), ("min", 60.0)):
        if seconds >= of_unit:
            return f"{seconds / of_unit:.3g} {unit}"
    return f"{seconds:.2g} s"


def bars(path: Path, seconds: dict[str, dict[str, float]]) -> bool:
    """seconds[set][contestant]: a panel a set, a bar a contestant; logarithmic where they differ much."""
    shown = {name: of_set for name, of_set in seconds.items() if of_set}
    if not shown:
        return False
    n_bars = max(map(len, shown.values()))
    figure, panels = side_by_side(len(shown), height=0.9 + 0.34 * n_bars)
    for panel, (name, of_set) in zip(panels, shown.items(), strict=True):
        names, times = list(of_set)[::-1], list(of_set.values())[::-1]  # the first on top
        drawn = panel.barh(names, times, height=0.65, color=[colour_of(who) for who in names])
        panel.bar_label(drawn, [time_text(of_one) for of_one in times], padding=3, fontsize=9)
        if max(times) > LOG_FROM * min(times) > 0:
            panel.set_xscale("log")
            low, high = min(times) / 2, max(times)
            panel.set_xlim(low, high * (high / low) ** 0.3)  # room for the texts
            panel.set_xlabel("seconds, logarithmic")
        else:
            panel.margins(x=0.3)
            panel.set_xlabel("seconds")
        panel.set_title(name, loc="left")
    save(figure, path)
    return True


# ---- convergence ----


def curves(path: Path, courses: list[Course]) -> bool:
    """A row of panels a loss, a panel a mass function: the mean excess loss with a band, and the bound."""
    if not courses:
        return False
    rows, columns = (list(dict.fromkeys(names)) for names in zip(*((c.loss, c.phi_name) for c in courses), strict=True))
    size = (1 + 3 * len(columns), 0.8 + 2.4 * len(rows))
    figure, grid = pyplot().subplots(
        len(rows), len(columns), figsize=size, sharex=True, sharey=True, squeeze=False, layout="constrained"
    )
    for course in courses:
        panel = grid[rows.index(course.loss), columns.index(course.phi_name)]
        rounds = range(len(course.mean))
        panel.fill_between(rounds, course.low, course.high, color=OUR_COLOUR, alpha=0.2, linewidth=0)
        panel.plot(rounds, course.mean, color=OUR_COLOUR, label="mean, and 90% of the trainings")
        panel.plot(rounds, course.bound, color=BOUND_COLOUR, linestyle="--", label="bound of Theorem 1")
        panel.set(yscale="log", ylim=(LEAST_EXCESS, 2))
        panel.minorticks_off()
        panel.set_title(f"{course.loss}, {course.phi_name}: Θ = {course.theta:.2g}", loc="left", fontsize=9)
        panel.spines[["top", "right"]].set_visible(False)
    grid[-1, -1].legend(frameon=False, fontsize=8)
    figure.supxlabel("rounds", fontsize=10)
    figure.supylabel("excess loss over that at the start", fontsize=10)
    save(figure, path)
    return True
