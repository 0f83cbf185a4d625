"""How far our losses of the OpenML and NODE sets move when the folds are dealt anew.

    ./dev experiments spread openml
    ./dev experiments spread node --sets bank8FM puma32H

What our searches at full scale chose for the outer folds is trained and judged on the folds of other shuffles. Nothing
is tuned again, and rows that judge here had a part in the choice, so this is about what a difference from a published
loss weighs, not about which is better. Losses are kept in results/spread.jsonl, so a run that was stopped goes on where
it was. Writes results/openml-spread.md or node-spread.md.
"""

from __future__ import annotations

import argparse
import json
from datetime import date
from statistics import mean, stdev
from typing import Any

import numpy as np
import problems
from entrants import package_version
from machine import describe
from our_search import Ours, estimator
from problems import NODE, OPENML, Table, balanced_weights, fold_rows, loss
from published import NODE_LOSSES, NODE_NOT_COMPARABLE, OPENML_LOSSES
from records import RESULTS, RecordFile, append_lines, whole_lines
from rivals import Options
from scales import EXPERIMENTS
from sets import Rows
from tables import table
from workers import n_processors

SCALE = "full"
SHUFFLES = range(1, 21)  # 0 is that of the experiments
N_FOLDS = {OPENML: 3, NODE: 2}
PUBLISHED = {OPENML: OPENML_LOSSES, NODE: NODE_LOSSES}

Kept = dict[str, Any]  # a line of the file: whose losses, by which options, and what they are


def chosen(experiment: str, contestant: str, a_set: str) -> list[Options]:
    """The options of each outer fold; none where a fold is not done."""
    known = RecordFile(RESULTS / f"{experiment}.jsonl").known.values()
    records = [one for one in known if one.key[1:4] == (SCALE, a_set, contestant) and one.loss is not None]
    by_fold = {one.key.fold: one.options for one in records}
    return [by_fold[fold] for fold in sorted(by_fold)] if len(by_fold) == N_FOLDS[experiment] else []


# ---- Losses -----------------------------------------------------------------------------------------------------


def loss_of(ours: Ours, data: Table, train: Rows, test: Rows, options: Options, seed: int) -> float:
    settings = {**ours.options, **options, "random_state": seed, "n_threads": n_processors()}
    model = estimator(data.is_classification, settings)
    model.fit(data.X[train], data.y[train], sample_weight=balanced_weights(data, train))
    X = data.X[test]
    predicted = model.predict_proba(X)[:, 1] if data.is_classification else model.predict(X)
    return loss(data.y[test], predicted, balanced_weights(data, test), data.is_classification, data.is_log)


def losses(ours: Ours, data: Table, options: list[Options]) -> list[float]:
    """The mean of the folds, for each shuffle."""
    found = []
    for seed in SHUFFLES:
        folds = fold_rows(data, np.arange(len(data.y)), len(options), seed)
        pairs = zip(folds, options, strict=True)
        found.append(mean(loss_of(ours, data, train, test, one, seed) for (train, test), one in pairs))
    return found


def read_kept() -> list[Kept]:
    path = RESULTS / "spread.jsonl"
    return [json.loads(line) for line in whole_lines(path)] if path.exists() else []


def kept_of(known: list[Kept], experiment: str, contestant: str, a_set: str, options: list[Options]) -> Kept | None:
    """Of whatever version: its page says of which."""
    wanted = (experiment, contestant, a_set, options)
    found = [one for one in known if (one["experiment"], one["contestant"], one["set"], one["options"]) == wanted]
    return found[-1] if found else None


def measure(experiment: str, ours: Ours, a_set: str, options: list[Options]) -> None:
    """Keeps the losses of a set by what was chosen for it."""
    found = losses(ours, problems.load(experiment, a_set).table, options)
    line = {
        "experiment": experiment,
        "contestant": ours.name,
        "set": a_set,
        "options": options,
        "losses": found,
        "version": package_version(ours.package),
        "machine": describe(),
        "date": date.today().isoformat(),
    }
    append_lines(RESULTS / "spread.jsonl", json.dumps(line) + "\n")
    print(f"{a_set}: {ours.name} {mean(found):.4g} ± {stdev(found):.2g}", flush=True)


# ---- The page ---------------------------------------------------------------------------------------------------


def row_of(experiment: str, one: Kept) -> list[str]:
    """Losses that were published of another label are compared with none."""
    published = [of[one["set"]] for of in PUBLISHED[experiment].values()]
    found = one["losses"]
    n_below = [f"{sum(each < theirs for each in found)} of {len(found)}" for theirs in published]
    if experiment == NODE and one["set"] in NODE_NOT_COMPARABLE:
        published, n_below = [], [""] * len(n_below)
    figures = [f"{figure:.4g}" for figure in (mean(found), stdev(found), min(found), max(found))]
    theirs = [f"{figure:.4g}" for figure in published] or [""] * len(n_below)
    return [one["set"], *figures, *(cell for pair in zip(theirs, n_below, strict=True) for cell in pair)]


def page(experiment: str) -> str:
    known = read_kept()
    n_folds = {2: "two", 3: "three"}[N_FOLDS[experiment]]
    text = (
        f"# {EXPERIMENTS[experiment].title}: other shuffles\n\nThe losses of what the searches at scale {SCALE} chose,"
        f" trained and judged on the {n_folds} folds of {len(SHUFFLES)} other shuffles"
        f" (`./dev experiments spread {experiment}`). Rows that judge here had a part in the choice.\n"
    )
    whose = [column for who in PUBLISHED[experiment] for column in (f"{who}, published", "below it")]
    columns = ["", "mean", "standard deviation", "least", "most", *whose]
    for ours in ours_of(experiment):
        options = {a_set: chosen(experiment, ours.name, a_set) for a_set in EXPERIMENTS[experiment].sets}
        found = [kept_of(known, experiment, ours.name, a_set, each) for a_set, each in options.items() if each]
        rows = [one for one in found if one is not None]
        if rows:
            made = sorted({f"{one['version']}; {one['machine']}; {one['date']}" for one in rows})
            text += f"\n## {ours.name}\n\n" + "".join(f"- {each}\n" for each in made)
            text += f"\n{table(columns, [row_of(experiment, one) for one in rows])}"
    return text


def ours_of(experiment: str) -> list[Ours]:
    return [one for one in EXPERIMENTS[experiment].contestants.values() if isinstance(one, Ours)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], prog="./dev experiments spread")
    parser.add_argument("experiment", choices=list(N_FOLDS))
    parser.add_argument("--sets", nargs="+", metavar="SET", help="only these")
    parser.add_argument("--tables", action="store_true", help="fit nothing: print and write what is known")
    arguments = parser.parse_args()
    experiment = arguments.experiment
    for unknown in set(arguments.sets or []) - set(EXPERIMENTS[experiment].sets):
        parser.error(f"there is no set {unknown!r}; there are {', '.join(EXPERIMENTS[experiment].sets)}")
    for ours in [] if arguments.tables else ours_of(experiment):
        for a_set in arguments.sets or EXPERIMENTS[experiment].sets:
            options = chosen(experiment, ours.name, a_set)
            if options and kept_of(read_kept(), experiment, ours.name, a_set, options) is None:
                measure(experiment, ours, a_set, options)
    text = page(experiment)
    (RESULTS / f"{experiment}-spread.md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
