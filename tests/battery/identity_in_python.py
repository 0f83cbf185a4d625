"""Goes on with what `identity --keep FOLDER` kept: each model is loaded, saved and pickled by the package and predicts
the rows it was trained on, and those that had no validation rows are trained again. Prints lines as identity does.

    identity_in_python.py FOLDER THREADS
"""

from __future__ import annotations

import hashlib
import pickle
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import mixboost
import numpy as np


def load(path: Path) -> Any:
    try:
        return mixboost.MixBoostRegressor.load(path)
    except ValueError:
        return mixboost.MixBoostClassifier.load(path)


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def digests(model: Any, X: Any) -> str:
    """Of the saved file, and of the raw predictions with the values or probabilities behind them."""
    if isinstance(model, mixboost.MixBoostClassifier):
        outputs = [model.decision_function(X), model.predict_proba(X)[:, 1]]
    else:
        outputs = [model.predict(X)] * 2
    with tempfile.NamedTemporaryFile() as file:
        model.save(file.name)
        saved = Path(file.name).read_bytes()
    return f"model {digest(saved)} predictions {digest(np.concatenate(outputs).tobytes())}"


def twice_pickled(model: Any) -> Any:
    once = pickle.loads(pickle.dumps(model))
    return pickle.loads(pickle.dumps(once))


def had_validation_rows(model: Any) -> bool:
    return "validation" in model.evals_result_


def ways(path: Path, n_threads: int) -> Iterator[tuple[str, str]]:
    table = np.fromfile(path.with_suffix(".rows")).reshape(-1, load(path).n_features_in_ + 2)
    X, y, weight = table[:, :-2], table[:, -2], table[:, -1]
    model = load(path).set_params(n_threads=n_threads)
    yield "saved", digests(model, X)
    yield "pickled", digests(twice_pickled(model), X)
    if not had_validation_rows(model):
        yield "trained", digests(model.fit(X, y, sample_weight=weight), X)


def main() -> None:
    folder, n_threads = Path(sys.argv[1]), int(sys.argv[2])
    for path in sorted(folder.glob("*.mxb")):
        for way, found in ways(path, n_threads):
            print(path.stem, way, found)


if __name__ == "__main__":
    main()
