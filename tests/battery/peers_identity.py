"""Trains a booster again and again with 1 to 16 threads, and counts how many different models and predictions come out.

    peers_identity.py LIBRARY LOSS

Weights span 1e-6 to 1e6; LOSS is `squared`, with labels exp(6 z) of normal z, or `logistic`. Of a model only what says
how it was made, and when, is left out. The last one is also saved and loaded, and pickled twice.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import pickle
import tempfile
from typing import Any

import numpy as np
from peers import BOOSTERS, LOSSES, Booster

N_THREADS = 16
N_ROWS, N_FEATURES, N_ROUNDS = 20_000, 10, 50


def wide_rows(loss: str) -> tuple[Any, Any, Any]:
    """Features, labels and weights."""
    numbers = np.random.default_rng(0)
    X = numbers.normal(size=(N_ROWS, N_FEATURES))
    score = X[:, 0] * X[:, 1] + (X[:, 2] > 1) + 0.5 * X[:, 3]
    y = np.exp(6 * numbers.normal(size=N_ROWS)) + score
    if loss == "logistic":
        y = (score + numbers.normal(size=N_ROWS) > 0.4).astype(float)
    return X, y, 10.0 ** numbers.uniform(-6, 6, N_ROWS)


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def digests(booster: Booster, model: Any, X: Any, folder: str) -> tuple[str, str]:
    """Of the model and of what it predicts."""
    predicted = np.ascontiguousarray(booster.predict(model, X))
    return digest(booster.content(model, f"{folder}/content.{booster.suffix}")), digest(predicted.tobytes())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("library", choices=BOOSTERS)
    parser.add_argument("loss", choices=LOSSES)
    arguments = parser.parse_args()
    os.environ["OMP_WAIT_POLICY"] = "passive"  # there are more threads than processors
    X, y, weight = wide_rows(arguments.loss)
    with tempfile.TemporaryDirectory() as folder:
        made = []
        for n_threads in range(1, N_THREADS + 1):
            booster = BOOSTERS[arguments.library](arguments.loss, n_threads)
            model = booster.fit(X, y, weight, N_ROUNDS)
            made.append(digests(booster, model, X, folder))
        path = f"{folder}/model.{booster.suffix}"
        booster.save(model, path)
        loaded = digests(booster, booster.load(path), X, folder)
        twice = pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(model))))
        pickled = digests(booster, twice, X, folder)
    models, predictions = map(set, zip(*made, strict=True))
    print(f"{booster.version}: {len(made)} trainings, {len(models)} models, {len(predictions)} predictions,")
    print(f"{loaded != made[-1]:d} changed by a file, {pickled != made[-1]:d} by pickles")


if __name__ == "__main__":
    main()
