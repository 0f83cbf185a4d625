"""Fits KTBoost and predicts with it, in the environment that has its old packages.

    build/python/ktboost/bin/python experiments/paper/ktboost_fit.py in.npz out.npy

in.npz has X, y, weight, X_test and options: a text of JSON with KTBoost's arguments, random_state among them, and
is_classification. out.npy gets a prediction for each row of X_test, of a classification the probability of class 1.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):  # read when numpy is imported
    os.environ[variable] = "1"

import numpy as np  # noqa: E402


def end_with_parent() -> None:
    """Nobody waits for the answer of a trial that was killed for its time."""
    parent = os.getppid()

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def main(asked: str, answer: str) -> None:
    from KTBoost.KTBoost import BoostingClassifier, BoostingRegressor

    with np.load(asked) as given:
        X, y, weight, X_test = (given[name] for name in ("X", "y", "weight", "X_test"))
        options = json.loads(str(given["options"]))
    np.random.seed(options["random_state"])  # noqa: NPY002 (the rows of its Nyström kernel come from there)
    if options.pop("is_classification"):
        model = BoostingClassifier(loss="deviance", **options).fit(X, y, sample_weight=weight)
        predicted = model.predict_proba(X_test)[:, 1]
    else:
        options["update_step"] = "gradient"  # of the squared loss the same as Newton's, which KTBoost refuses for it
        predicted = BoostingRegressor(loss="ls", **options).fit(X, y, sample_weight=weight).predict(X_test)
    np.save(answer, predicted)


if __name__ == "__main__":
    end_with_parent()
    main(*sys.argv[1:])
