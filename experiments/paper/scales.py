"""The three experiments, and how much of each is done at each scale."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from halving import ETA, Stage, plan_stages
from our_search import Ours
from problems import KAGGLE, MAKERS, NODE, OPENML
from rivals import APPENDIX, BESIDE_NODE, Rival, stopping

Contestant = Rival | Ours


@dataclass(frozen=True)
class Experiment:
    """What the paper did, and who takes part."""

    name: str
    title: str
    contestants: dict[str, Contestant]
    n_configs: int
    min_resource: float
    n_seeds: int = 1  # trainings on all rows with what was found
    patience: int | None = None  # of early stopping
    times_limit: int = 1  # a trial may take so many times the scale's limit, where tables are larger

    @property
    def sets(self) -> list[str]:
        return list(MAKERS[self.name])


class Scale(NamedTuple):
    """How much is done."""

    divisor: int  # of the configurations
    n_judges: int | None  # inner folds that judge; None: all
    max_seeds: int
    limit: float  # seconds of a trial of a rival's
    max_rows: int | None  # training and validation rows of a Kaggle-style set
    deal: int = 0  # the seed of the folds


LEAST_CONFIGS = 16
SCALES = {
    "full": Scale(1, None, 10, 600, None),
    "medium": Scale(4, None, 10, 300, None),
    "small": Scale(64, 1, 3, 6, 50_000),
    "confirm": Scale(64, 1, 3, 6, 50_000, deal=1),  # small, on folds and draws that nothing was settled by
}


def by_name(*contestants: Contestant) -> dict[str, Contestant]:
    return {contestant.name: contestant for contestant in contestants}


OUR_DEFAULT = Ours("ours (default space)", "default", is_drawn_rounds=False)
TREES = ("XGBoost", "LightGBM", "CatBoost")
STOPPING = ("XGBoost", "LightGBM")
EXPERIMENTS = {
    OPENML: Experiment(
        OPENML,
        "OpenML: the paper's Table 1",
        by_name(
            *(APPENDIX[name] for name in (*TREES, "snapml")),
            *(stopping(APPENDIX[name]) for name in STOPPING),
            Ours("ours (paper space)", "paper"),
            OUR_DEFAULT,
        ),
        512,
        1 / 4,
    ),
    NODE: Experiment(
        NODE,
        "The comparison with NODE",
        by_name(
            *(BESIDE_NODE[name] for name in TREES),
            *(stopping(BESIDE_NODE[name]) for name in STOPPING),
            Ours("ours (paper space)", "paper-node"),
            OUR_DEFAULT,
        ),
        1000,
        1 / 20,
    ),
    KAGGLE: Experiment(
        KAGGLE,
        "Kaggle-style sets",
        by_name(
            *(APPENDIX[name] for name in (*TREES, "KTBoost")),
            Ours("SB-T", "paper", {"tree_probability": 1.0}),
            Ours("SB", "paper"),
            OUR_DEFAULT,
        ),
        256,
        1 / 16,
        n_seeds=10,
        patience=10,
        times_limit=3,
    ),
}


def stages_of(experiment: Experiment, scale: Scale) -> list[Stage]:
    least = len(plan_stages(experiment.n_configs, experiment.min_resource)) - 1
    n_configs = max(experiment.n_configs // scale.divisor, ETA**least, LEAST_CONFIGS)
    return plan_stages(n_configs, experiment.min_resource)
