"""Which column of the parkinsons table the published errors can be of.

    ./dev experiments parkinsons

The paper states the 20th column as the label, with 19 features; NODE's error is 0.0017 there and SnapBoost's 0.0009.
Here every column of the table in turn is predicted from all others, as the paper judges: two shuffled folds. A table of
19 features and a label may also be the one that others make of it: without the subject, and one of the two scores as
the label. Writes results/parkinsons.md.
"""

from __future__ import annotations

import time

import numpy as np
import sets
from machine import describe
from problems import SEED
from published import NODE_LOSSES
from records import RESULTS
from sklearn.model_selection import KFold
from tables import table

N_ROUNDS = 300
STATED = 20  # the label's place, from 1
SUBJECT, SCORES = 1, (5, 6)  # places of what is no feature where a score is the label


def error_of(X: sets.Array, y: sets.Array) -> float:
    """The mean over the folds of the root mean squared error, by ours at its defaults."""
    from mixboost import MixBoostRegressor

    errors = []
    for train, test in KFold(2, shuffle=True, random_state=SEED).split(X):
        model = MixBoostRegressor(num_round=N_ROUNDS).fit(X[train], y[train])
        errors.append(np.sqrt(np.mean((model.predict(X[test]) - y[test]) ** 2)))
    return float(np.mean(errors))


def page() -> str:
    import pandas

    frame = pandas.read_csv(sets.data_folder() / "regression" / "parkinsons_raw22.csv.gz")
    values = frame.to_numpy(np.float64)
    rows = []
    for i, name in enumerate(frame.columns):
        error = error_of(np.delete(values, i, axis=1), values[:, i])
        rows.append([str(i + 1), name, f"{values[:, i].std():.3g}", f"{error:.3g}"])
    stated = STATED - 1
    from_those_before = error_of(values[:, :stated], values[:, stated])
    features = np.delete(values, [place - 1 for place in (SUBJECT, *SCORES)], axis=1)
    scores = [f"{frame.columns[i - 1]} {error_of(features, values[:, i - 1]):.3g}" for i in SCORES]
    theirs = ", ".join(f"{who} {losses['parkinsons']:g}" for who, losses in NODE_LOSSES.items())
    return (
        f"# parkinsons: which label?\n\n`./dev experiments parkinsons`, {time.strftime('%Y-%m-%d')}, {describe()}.\n\n"
        f"Published root mean squared errors: {theirs}. The paper states the {STATED}th column as the label,"
        f" {frame.columns[stated]}; from the {stated} columns before it, ours at its defaults with {N_ROUNDS} rounds"
        f" has {from_those_before:.3g}. The other 19 features that one could mean are those without the subject and the"
        f" two scores; from them it has, of each score: {', '.join(scores)}. Every column in turn, predicted from all"
        " others in the same way:\n\n" + table(["column", "name", "standard deviation", "error"], rows)
    )


def main() -> None:
    text = page()
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "parkinsons.md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
