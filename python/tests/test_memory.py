"""X is read where it lies and let go afterwards: a fit needs no more memory than the library itself does."""

from __future__ import annotations

import gc
import json
import os
import pickle
import subprocess
import sys
import weakref
from typing import Any

import numpy as np
import pytest
from estimator_cases import classification_data, data_for
from mixboost import MixBoostClassifier, MixBoostRegressor, _native

N_ROWS, N_FEATURES = 100_000, 20

LAYOUTS = {
    "float64 by rows": lambda X: X,
    "float64 by columns": np.asfortranarray,
    "float32 by rows": lambda X: X.astype(np.float32),
    "float32 by columns": lambda X: np.asfortranarray(X.astype(np.float32)),
    "int32": lambda X: (X * 1e6).astype(np.int32),
    "read-only": lambda X: as_read_only(X.copy()),
    "every other column": lambda X: np.repeat(X, 2, axis=1)[:, ::2],
    "rows backwards": lambda X: X.copy()[::-1],
    "part of a larger array": lambda X: np.pad(X, 3)[3:-3, 3:-3],
}


def as_read_only(X: Any) -> Any:
    X.flags.writeable = False
    return X


def peak_of(work: Any) -> int:
    """How much more memory than before, in bytes, the process had at its worst during the work."""
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")  # the peak begins anew
    before = memory("VmRSS")
    work()
    return memory("VmHWM") - before


def memory(name: str) -> int:
    with open("/proc/self/status") as file:
        return next(1024 * int(line.split()[1]) for line in file if line.startswith(name + ":"))


def measure(layout: str) -> dict[str, int]:
    """The peaks of fit and predict, and those of the library's own calls on the same array."""
    X = LAYOUTS[layout](np.random.default_rng(0).normal(size=(N_ROWS, N_FEATURES)))
    y = np.ascontiguousarray(X[:, 0], dtype=np.float64)
    options = {"tree_probability": 1.0, "symmetric_probability": 0.0, "min_max_depth": 1, "max_max_depth": 1}
    model = MixBoostRegressor(num_round=1, n_threads=1, **options)
    model.fit(X[:100], y[:100])

    def dataset() -> Any:
        made = _native.Dataset(N_ROWS)
        made.add_matrix(X)
        made.set_label(y)
        return made

    params = model._params()
    return {
        "size": X.size * X.itemsize,
        "library fit": peak_of(lambda: _native.Trainer(dataset(), None, params).run(1)),
        "fit": peak_of(lambda: model.fit(X, y)),
        "library predict": peak_of(lambda: model._model.predict(dataset(), _native.VALUE, 1)),
        "predict": peak_of(lambda: model.predict(X)),
        "fit a copy": peak_of(lambda: model.fit(X.copy(), y)),
    }


@pytest.fixture(scope="module")
def measured() -> dict[str, dict[str, int]]:
    """All measurements, made in a process that gives large pieces of memory back when it frees them."""
    environment = {**os.environ, "MALLOC_MMAP_THRESHOLD_": "65536"}
    run = subprocess.run([sys.executable, __file__], check=True, stdout=subprocess.PIPE, env=environment)
    found: dict[str, dict[str, int]] = json.loads(run.stdout)
    return found


@pytest.mark.parametrize("layout", LAYOUTS)
def test_x_is_not_copied(layout: str, measured: dict[str, dict[str, int]]) -> None:
    found = measured[layout]
    room = found["size"] // 3
    assert found["fit"] < found["library fit"] + room
    assert found["predict"] < found["library predict"] + room
    assert found["fit a copy"] > found["library fit"] + 2 * room  # so a copy would be seen


@pytest.mark.parametrize("kind", [MixBoostRegressor, MixBoostClassifier])
def test_data_is_let_go(kind: Any) -> None:
    X, y = data_for(kind)
    weight = np.ones(len(y))
    model = kind(num_round=3, validation_fraction=0.2)
    predict = model.fit(X, y, sample_weight=weight).predictor()
    for rows in (X, X[:1]):
        model.predict(rows)
        predict(rows[0])
        predict(rows)
        list(model.staged_predict(rows))
    kept = [weakref.ref(array) for array in (X, y, weight)]
    del X, y, weight, rows
    gc.collect()
    assert [reference() for reference in kept] == [None, None, None]


def test_nothing_is_left_of_estimators_that_are_gone() -> None:
    X, y = classification_data(2000)

    def live_and_die() -> None:
        model = MixBoostClassifier(num_round=20, n_threads=1, validation_fraction=0.2).fit(X, y)
        model = pickle.loads(pickle.dumps(model))
        model.predict(X)
        predict = pickle.loads(pickle.dumps(model.predictor()))
        predict(X[0])
        predict(X[:5])
        with pytest.raises(ValueError, match="features"):
            predict(X[0, :2])
        list(model.staged_predict_proba(X))
        with pytest.raises(ValueError, match="label"):
            model.set_params(validation_fraction=None).fit(X, y, eval_set=(X, y + 5))

    for _ in range(20):
        live_and_die()
    before = memory("VmRSS")
    for _ in range(300):
        live_and_die()
    assert memory("VmRSS") - before < 7_000_000  # a model here has 60,000 bytes; pages may come 2 MiB at a time


if __name__ == "__main__":
    print(json.dumps({layout: measure(layout) for layout in LAYOUTS}))


def test_garbage_in_circles_is_freed_in_any_order() -> None:
    code = """
import gc
import numpy as np
from mixboost import HeterogeneousBoostingRegressor, MixBoostRegressor

def stop(progress):
    raise RuntimeError

X = np.linspace(0, 1, 60).reshape(20, 3)
for i in range(60):
    for kind in (MixBoostRegressor, HeterogeneousBoostingRegressor):
        model = kind(num_round=3, validation_fraction=0.3).fit(X, X[:, 0])
        model.circle, model.stages = model, model.staged_predict(X)
        next(model.stages)
        try:
            kind().fit(X, X[:, 0], callbacks=[stop])
        except RuntimeError as error:
            error.circle = error  # with all that the frames of the training hold
    gc.collect()
"""
    overwriting_what_is_freed = {**os.environ, "MALLOC_PERTURB_": "165"}
    subprocess.run([sys.executable, "-c", code], check=True, env=overwriting_what_is_freed)
