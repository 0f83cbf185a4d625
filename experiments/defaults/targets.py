"""What the benchmark must show: ratios of loss against each peer, and the rest."""

from __future__ import annotations

from typing import NamedTuple

from sets import CLEAN, NOISY

SNAPML_SETTINGS = ["snapml", "snapml-ridge"]
BETTER_SNAPML = "better snapml"  # on each set the better of the two settings


class Target(NamedTuple):
    """The largest geometric mean of our loss over a peer's in a group of sets."""

    ours: str
    peer: str
    group: str
    largest: float


TARGETS = [
    Target("ours", "catboost", CLEAN, 0.80),
    Target("ours", "lightgbm", CLEAN, 0.78),
    Target("ours", "xgboost", CLEAN, 0.80),
    Target("ours", BETTER_SNAPML, CLEAN, 0.85),
    Target("ours", "catboost", NOISY, 0.985),
    Target("ours", "lightgbm", NOISY, 0.955),
    Target("ours", "xgboost", NOISY, 0.95),
    Target("ours", BETTER_SNAPML, NOISY, 0.96),
    Target("ours-4", "catboost", NOISY, 0.975),
    Target("ours-4", "lightgbm", NOISY, 0.945),
    Target("ours-4", "xgboost", NOISY, 0.94),
    Target("ours-4", BETTER_SNAPML, NOISY, 0.95),
    Target("ours", "ours-trees", CLEAN, 1.0),
    Target("ours", "ours-trees", NOISY, 1.0),
]
LEAST_SHARE_WON = 2 / 3  # of all sets, against each peer of TARGETS
LARGEST_TIME = 2.0  # our fit time over LightGBM's for the same rounds
