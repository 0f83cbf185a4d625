"""What is compared: cases, suites of them and the figures that are asked; and the suite of fits."""

from __future__ import annotations

from dataclasses import dataclass, field

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

    name: str  # no other case of any suite has it
    data: str  # ROWSxFEATURES of generated data, or the name of a real table
    contestants: list[str]
    rounds: int = 100  # of a fit 0: binning alone
    depth: int = 6
    is_quick: bool = False
    kind: str = "fit"  # which of the measure_*.py does it
    n_rows: int = 0  # of one call, where rows are predicted
    unit: str = "s"  # in which times are shown
    has_models: bool = False  # its contestants have a model each, trained before
    what: str = ""  # the work in words; of fits the others say it

    @property
    def description(self) -> str:
        if self.what:
            return self.what
        work = f"{self.rounds} rounds of depth {self.depth}, binning included" if self.rounds else "binning alone"
        return f"{self.data.replace('x', ' x ')}, {work}"

    @property
    def peers(self) -> tuple[str, ...]:
        """Whom ratios are about: everybody else who has trees alone."""
        return tuple(name for name in self.contestants if not name.startswith(OURS) and name != MIXED_PEER)


@dataclass(frozen=True)
class Figure:
    """The fastest of some peers over one of ours, and what it should come to."""

    title: str
    case: str
    must: float
    aim: str
    ours: str = OURS
    peers: tuple[str, ...] = ()  # none: all of the case


@dataclass(frozen=True)
class Limit:
    """The most that one of ours may take: a time or a number of bytes, in a unit of tables.py."""

    title: str
    case: str
    ours: str
    must: float
    aim: str
    unit: str


@dataclass(frozen=True)
class Suite:
    """The cases of one command and one page."""

    name: str  # `./dev bench NAME`; empty: that of fits
    title: str  # of the page
    cases: dict[str, Case]
    figures: list[Figure | Limit]
    notes: list[str] = field(default_factory=list)  # what the page says of all cases
    threads: tuple[int, ...] = (1, 2)
    repeats: int = 3
    repeats_of_short: int = 3  # where the fastest needs less than a second
    rivals: str = "peer"  # whom ratios are to


def by_name(*cases: Case) -> dict[str, Case]:
    return {case.name: case for case in cases}


CASES = by_name(
    Case("small", "10000x30", MIXED, is_quick=True),
    Case("medium", "1000000x28", MIXED),
    Case("wide", "50000x500", TREES),
    Case("deep", "1000000x28", TREES, rounds=50, depth=10),
    Case("binning", "1000000x28", BINNERS, rounds=0),
    Case("binning-small", "10000x30", BINNERS, rounds=0, is_quick=True),
    Case("donors", "donors", MIXED),
    Case("nycflights13", "nycflights13", MIXED),
)

FIGURES: list[Figure | Limit] = [
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

FITS = Suite("", "mixboost beside its peers", CASES, FIGURES, repeats_of_short=5, rivals="tree-only peer")
