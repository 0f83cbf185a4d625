"""How far our losses of the OpenML sets move when the folds are dealt anew.

    ./dev experiments spread

What our searches at full scale chose for the three outer folds is trained and judged on the folds of other shuffles.
Nothing is tuned again, and rows that judge here had a part in the choice, so this is about what a difference from a
published loss weighs, not about which is better. Writes results/spread.md.
"""

from __future__ import annotations

import time
from statistics import mean, stdev

import numpy as np
import problems
from machine import describe
from our_search import Ours, estimator
from problems import OPENML, Table, balanced_weights, fold_rows, loss
from published import OPENML_LOSSES, SNAPBOOST
from records import RESULTS, RecordFile
from rivals import Options
from scales import EXPERIMENTS
from sets import Rows
from tables import table
from workers import n_processors

SCALE = "full"
SHUFFLES = range(1, 21)  # 0 is that of the experiments


def chosen(contestant: str, name: str) -> list[Options]:
    """The options of each outer fold; none where a fold is not done."""
    known = RecordFile(RESULTS / f"{OPENML}.jsonl").known.values()
    records = [one for one in known if one.key[1:4] == (SCALE, name, contestant) and one.loss is not None]
    by_fold = {one.key.fold: one.options for one in records}
    return [by_fold[fold] for fold in sorted(by_fold)] if len(by_fold) == 3 else []


def loss_of(ours: Ours, data: Table, train: Rows, test: Rows, options: Options, seed: int) -> float:
    settings = {**ours.options, **options, "random_state": seed, "n_threads": n_processors()}
    model = estimator(data.is_classification, settings)
    model.fit(data.X[train], data.y[train], sample_weight=balanced_weights(data, train))
    predicted = model.predict_proba(data.X[test])[:, 1]
    return loss(data.y[test], predicted, balanced_weights(data, test), data.is_classification, data.is_log)


def losses(ours: Ours, data: Table, options: list[Options]) -> list[float]:
    """The mean of the folds, for each shuffle."""
    found = []
    for seed in SHUFFLES:
        folds = fold_rows(data, np.arange(len(data.y)), len(options), seed)
        pairs = zip(folds, options, strict=True)
        found.append(mean(loss_of(ours, data, train, test, one, seed) for (train, test), one in pairs))
    return found


def row_of(ours: Ours, name: str, options: list[Options]) -> list[str]:
    found, published = losses(ours, problems.load(OPENML, name).table, options), OPENML_LOSSES[SNAPBOOST][name]
    n_below = sum(one < published for one in found)
    figures = [published, mean(found), stdev(found), min(found), max(found)]
    return [name, *(f"{figure:.4g}" for figure in figures), f"{n_below} of {len(found)}"]


def page() -> str:
    experiment = EXPERIMENTS[OPENML]
    text = (
        f"# OpenML: other shuffles\n\n`./dev experiments spread`, {time.strftime('%Y-%m-%d')}, {describe()}.\n\n"
        f"The losses of what the searches at scale {SCALE} chose, trained and judged on the three folds of"
        f" {len(SHUFFLES)} other shuffles. Rows that judge here had a part in the choice.\n"
    )
    columns = ["", "SnapBoost, published", "mean", "standard deviation", "least", "most", "below the published"]
    for contestant in experiment.contestants.values():
        if isinstance(contestant, Ours):
            known = {name: chosen(contestant.name, name) for name in experiment.sets}
            rows = [row_of(contestant, name, options) for name, options in known.items() if options]
            if rows:
                text += f"\n## {contestant.name}\n\n{table(columns, rows)}"
    return text


def main() -> None:
    text = page()
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "spread.md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
