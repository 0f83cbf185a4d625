"""The plain twin of any X: the same columns as float64 arrays and sorted texts, and the model that comes of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from mixboost import _native
from mixboost._columns import dataset_of

Plain = Mapping[str, Sequence[Any]]


def is_text(values: Sequence[Any]) -> bool:
    return any(isinstance(value, str) for value in values)


def plain_dataset(plain: Plain, named: bool = True) -> _native.Dataset:
    """`plain` has lists of numbers or of texts; None is missing."""
    dataset = _native.Dataset(len(next(iter(plain.values()))))
    for label, values in plain.items():
        name = label if named else None
        if is_text(values):
            texts = sorted({value for value in values if value is not None})
            codes = [-1 if value is None else texts.index(value) for value in values]
            dataset.add_text_column(name, np.array(codes, np.int64), texts)
        else:
            dataset.add_column(name, np.array([np.nan if value is None else float(value) for value in values]))
    return dataset


def train(dataset: _native.Dataset, seed: int = 0) -> _native.Model:
    """A small model of trees and ridge regressions, with labels that depend on the number of rows alone."""
    labels = np.random.default_rng(seed).normal(size=dataset.n_rows)
    dataset.set_label(labels)
    options = {"num_round": 8, "tree_probability": 0.5, "symmetric_probability": 0, "n_components": 3}
    options |= {"random_state": seed, "n_threads": 1}
    trainer = _native.Trainer(dataset, None, _native.Params(options))
    trainer.run(8)
    model = trainer.model()
    assert {name for name, _depth in model.rounds()} == {"tree", "fourier"}
    return model


def assert_same(X: Any, plain: Plain, named: bool = True) -> _native.Dataset:
    """X means what `plain` says: the same values, the same model, the same predictions. Gives the dataset of X."""
    ours, twin = dataset_of(X), plain_dataset(plain, named)
    assert (ours.n_rows, ours.n_features) == (twin.n_rows, twin.n_features)
    for i, values in enumerate(plain.values()):
        assert ours.is_text(i) == is_text(values)
        if not is_text(values):
            np.testing.assert_array_equal(values_of(ours, i), values_of(twin, i))
    model = train(twin)
    assert train(ours).to_bytes() == model.to_bytes()
    assert model.predict(ours, _native.RAW, 1).tobytes() == model.predict(twin, _native.RAW, 1).tobytes()
    return ours


def values_of(dataset: _native.Dataset, feature: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    return _native.Rows(dataset._handle).read(feature)
