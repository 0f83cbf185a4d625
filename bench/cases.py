"""What is compared: the cases, who takes part in each, and the figures that are asked of a run."""

from __future__ import annotations

from dataclasses import dataclass

OURS, OURS_MIXED = "mixboost", "mixboost mixed"
AVX2_OF = {OURS: "mixboost AVX2", OURS_MIXED: "mixboost mixed AVX2"}  # the same without AVX-512
TREE_PEERS = [
    "LightGBM",
    "LightGBM quantised",
    "XGBoost",
    "CatBoost",
    "CatBoost depth-wise",
    "snapml",
    "scikit-learn",
]
MIXED_PEER = "snapml mixed"  # the one peer that has ridge rounds
TREES = [OURS, AVX2_OF[OURS], *TREE_PEERS]
MIXED = [OURS, OURS_MIXED, *AVX2_OF.values(), *TREE_PEERS, MIXED_PEER]
BINNERS = [OURS, AVX2_OF[OURS], "LightGBM", "XGBoost", "CatBoost"]  # those that can be asked to bin and no more


@dataclass(frozen=True)
class Case:
    """The same work for all its contestants."""

    name: str
    data: str  # ROWSxFEATURES of generated data, or the name of a real table
    contestants: list[str]
    rounds: int = 100  # 0: binning alone
    depth: int = 6
    is_quick: bool = False


CASES = {
    case.name: case
    for case in (
        Case("small", "10000x30", MIXED, is_quick=True),
        Case("medium", "1000000x28", MIXED),
        Case("wide", "50000x500", TREES),
        Case("deep", "1000000x28", TREES, rounds=50, depth=10),
        Case("binning", "1000000x28", BINNERS, rounds=0),
        Case("binning-small", "10000x30", BINNERS, rounds=0, is_quick=True),
        Case("donors", "donors", MIXED),
        Case("nycflights13", "nycflights13", MIXED),
    )
}


@dataclass(frozen=True)
class Figure:
    """The fastest of some peers over one of ours, with two threads, and what it should come to."""

    title: str
    case: str
    must: float
    aim: str
    ours: str = OURS
    peers: tuple[str, ...] = tuple(TREE_PEERS)


FIGURES = [
    Figure("fit small", "small", 2, "3"),
    Figure("fit medium", "medium", 1.5, "1.8 AMD, 2.4 Intel"),
    Figure("fit wide", "wide", 2, "2.6"),
    Figure("fit deep", "deep", 1.5, "2"),
    Figure("mixed ensemble, medium, against tree-only peers", "medium", 0.8, "1.2", OURS_MIXED),
    Figure("mixed ensemble, medium, against snapml's", "medium", 3, "6", OURS_MIXED, (MIXED_PEER,)),
    Figure("binning medium", "binning", 6, "10"),
]
FIGURE_THREADS = 2

MEMORY_CASE, MEMORY_MUST, MEMORY_AIM = "medium", 100.0, "85"  # bytes a row over the input, trees only
AVX2_CASES, AVX2_MUST = ["small", "medium", "wide", "deep", "binning"], 0.7  # our time over that with AVX2 alone
SCALING_CASE, SCALING_MUST, SCALING_AIM = "medium", 1.8, "1.9"  # one thread's time over that of two
