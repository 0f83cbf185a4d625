"""Draws the pictures of docs/python/plots.md.

    python examples/plots.py [FOLDER]

Needs mixboost with the extra "plot".
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from mixboost import MixBoostRegressor, MixBoostSearchCV, plot
from numpy.typing import NDArray

IMAGES = Path(__file__).resolve().parent.parent / "docs" / "python" / "images"


def make_data() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    random = np.random.default_rng(0)
    X = random.normal(size=(3000, 8))
    smooth = 2 * np.sin(X[:, 0] + X[:, 1]) + np.cos(X[:, 1] - X[:, 2]) + 0.5 * X[:, 3]
    steps = 1.5 * (X[:, 4] > 0.5) + (X[:, 5] > 0) * (X[:, 4] < 0)
    return X, smooth + steps + random.normal(scale=0.5, size=len(X))


def save(figure: Figure, path: Path) -> None:
    figure.savefig(path, dpi=110, metadata={"Software": None})
    print(path)


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else IMAGES
    X, y = make_data()
    model = MixBoostRegressor(num_round=400, tree_probability=0.8, validation_fraction=0.25).fit(X, y)
    for name in ("learning_curve", "importance", "ensemble"):
        figure = Figure(figsize=(6.4, 4.2), layout="constrained")
        getattr(plot, name)(model, ax=figure.subplots())
        save(figure, folder / f"{name}.png")
    space = {
        "learning_rate": (0.02, 0.5, "log10"),
        "max_max_depth": (1, 10, "integer"),
        "tree_probability": (0.0, 1.0, "linear"),
        "fourier_scaling": ["rank", "standard"],
    }
    search = MixBoostSearchCV(MixBoostRegressor(num_round=60), space, n_configs=64, min_resource="1/16").fit(X, y)
    figure = Figure(figsize=(6.4, 4.2), layout="constrained")
    plot.halving(search, ax=figure.subplots())
    save(figure, folder / "halving.png")
    figure = Figure(figsize=(9, 3), layout="constrained")
    plot.slices(search, axes=figure.subplots(1, 4, sharey=True))
    save(figure, folder / "slices.png")


if __name__ == "__main__":
    main()
