"""Times our own training against rows, features, depth, bins, components and threads: one varied, the others fixed.

    ./dev bench growth [--quick] [--repeats N]

Writes bench/results/growth.json, a picture beside it, and the table of docs/growth.md. README.md beside this file says
more.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any

from contestants import Work, mixboost_options, version_of
from datasets import make_data
from growth_fits import SERIES_NAMES, Point, Times, as_markdown, draw
from machine import describe
from places import RESULTS, ROOT, write_part_of_page

PAGE = ROOT / "docs" / "growth.md"
COMMAND = "./dev bench growth"


@dataclass(frozen=True)
class Setting:
    """The data, and the training on them."""

    rows: int
    features: int = 30
    depth: int = 6
    bins: int = 256
    components: int = 100
    threads: int = 1
    tree_probability: float = 1.0

    def options(self) -> dict[str, Any]:
        work = Work(1000, self.depth, self.threads, classify=True)
        more = {"hist_nbins": self.bins, "n_components": self.components, "objective": "logloss"}
        return {**mixboost_options(work, self.tree_probability), **more}

    def n_rounds(self) -> int:
        """Enough for the clock, and no more."""
        if self.tree_probability == 0.0:
            return 3
        return min(200, max(8, 2**24 // (self.rows * self.features)))


def powers(first: int, last: int) -> list[int]:
    return [2**k for k in range(first, last + 1)]


def settings_of(name: str, is_quick: bool) -> Iterator[Setting]:
    """The settings of one series: the base case, and what is varied."""
    trees = Setting(2**15 if is_quick else 2**18)
    fourier = Setting(2**13 if is_quick else 2**17, tree_probability=0.0)
    n_processors = len(os.sched_getaffinity(0))
    values = {
        "rows": powers(11, 16) if is_quick else powers(12, 20),
        # No powers of two: with rows of so many bytes the values of a column share a few lines of the caches.
        "features": [8, 15, 30, 60, 125] if is_quick else [8, 15, 30, 60, 125, 250, 500],
        "depth": [2, 4, 6, 8, 10, 12, 14],
        "bins": [16, 32, 64, 96, 128, 192, 256],
        "components": [16, 32, 64, 100, 200, 400],
        "threads": sorted({*(n for n in powers(0, 10) if n < n_processors), n_processors}),
    }
    base = fourier if name == "components" else trees
    for value in values[name]:
        yield replace(base, **{name: value})


def mean_leaves(trainer: Any, setting: Setting) -> float:
    """A tree has one more than it has splits."""
    from mixboost import _native

    model = trainer.model()
    count = _native._library.mxb_model_feature_splits
    return float(1 + sum(count(model._handle, f) for f in range(setting.features)) / model.n_rounds)


def measure(setting: Setting) -> tuple[float, Times]:
    """Leaves of a tree, and times: binning, which is all that comes before the rounds; the first round; a later one."""
    from mixboost import _native

    x, y = make_data(setting.rows, setting.features)
    data = _native.Dataset(len(y))
    data.add_matrix(x)
    data.set_label(y)
    n_rounds, times = setting.n_rounds(), [time.perf_counter()]
    trainer = _native.Trainer(data, None, _native.Params(setting.options()))
    times.append(time.perf_counter())
    for until in (1, 1 + n_rounds):
        trainer.run(until)
        times.append(time.perf_counter())
    leaves = mean_leaves(trainer, setting)
    return leaves, Times(times[1] - times[0], times[2] - times[1], (times[3] - times[2]) / n_rounds)


def run(arguments: argparse.Namespace) -> list[Point]:
    """All points in turn, again and again; the best of each counts."""
    settings = [(name, setting) for name in SERIES_NAMES for setting in settings_of(name, arguments.quick)]
    best: dict[tuple[str, Setting], tuple[float, Times]] = {}
    measure(Setting(1000))  # loads whatever is loaded on first use
    for repeat in range(arguments.repeats):
        for name, setting in settings:
            leaves, times = measure(setting)
            _, least = best.get((name, setting), (leaves, times))
            best[name, setting] = leaves, times.least(least)
            value = getattr(setting, name)
            print(f"{name} {value}, repeat {repeat + 1}: {1e3 * times.round:.2f} ms a round", file=sys.stderr)
    return [Point(name, asdict(setting), *measured) for (name, setting), measured in best.items()]


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], prog=COMMAND)
    parser.add_argument("--quick", action="store_true", help="fewer rows, in less than a minute")
    parser.add_argument("--repeats", type=int, default=5, help="(default: 5)")
    return parser.parse_args()


def main() -> None:
    arguments = parse_arguments()
    points = run(arguments)
    conditions = f"{describe()}; mixboost {version_of('mixboost')}; best of {arguments.repeats}"
    text = as_markdown(points, conditions)
    print(text)
    RESULTS.mkdir(parents=True, exist_ok=True)
    name = "growth-part" if arguments.quick else "growth"
    lines = ",\n".join(json.dumps(point.as_record()) for point in points)
    (RESULTS / f"{name}.json").write_text(f'{{"conditions": {json.dumps(conditions)}, "points": [\n{lines}\n]}}\n')
    draw(points, RESULTS / f"{name}.svg")
    if not arguments.quick:
        write_part_of_page(PAGE, COMMAND, text)
    print(f"Written to bench/results/{name}.json and .svg{'' if arguments.quick else ', and docs/growth.md'}.")


if __name__ == "__main__":
    main()
