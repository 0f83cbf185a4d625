"""Draws the pictures of docs/python/plots.md.

    python examples/plots.py [FOLDER]

Needs mixboost with the extra "plot".
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from mixboost import MixBoostRegressor, plot

IMAGES = Path(__file__).resolve().parent.parent / "docs" / "python" / "images"


def make_model() -> MixBoostRegressor:
    random = np.random.default_rng(0)
    X = random.normal(size=(3000, 8))
    smooth = 2 * np.sin(X[:, 0] + X[:, 1]) + np.cos(X[:, 1] - X[:, 2]) + 0.5 * X[:, 3]
    steps = 1.5 * (X[:, 4] > 0.5) + (X[:, 5] > 0) * (X[:, 4] < 0)
    y = smooth + steps + random.normal(scale=0.5, size=len(X))
    model = MixBoostRegressor(num_round=400, tree_probability=0.8, validation_fraction=0.25)
    return model.fit(X, y)


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else IMAGES
    model = make_model()
    for name in ("learning_curve", "importance", "ensemble"):
        figure = Figure(figsize=(6.4, 4.2), layout="constrained")
        getattr(plot, name)(model, ax=figure.subplots())
        figure.savefig(folder / f"{name}.png", dpi=110, metadata={"Software": None})
        print(folder / f"{name}.png")


if __name__ == "__main__":
    main()
