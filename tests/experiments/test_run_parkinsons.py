"""The page on the label of parkinsons, on a made-up table and with a stand-in for the package."""

import re
import sys
import types

import numpy as np
import pytest


class Mean:
    def __init__(self, num_round):
        assert num_round > 0

    def fit(self, X, y):
        self.n_features, self.mean = X.shape[1], y.mean()
        return self

    def predict(self, X):
        assert X.shape[1] == self.n_features
        return np.full(len(X), self.mean)


def test_every_column_is_a_label_once(module, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "mixboost", types.SimpleNamespace(MixBoostRegressor=Mean))
    values = np.random.default_rng(0).normal(size=(2000, 22)) * np.arange(1, 23)
    frame = types.SimpleNamespace(columns=[f"c{i + 1}" for i in range(22)], to_numpy=lambda _type: values)
    monkeypatch.setitem(sys.modules, "pandas", types.SimpleNamespace(read_csv=lambda _path: frame))
    text = module("run_parkinsons").page()
    rows = [line.strip("| ").split(" | ") for line in text.splitlines() if " | c" in line]
    assert [row[:2] for row in rows] == [[str(i), f"c{i}"] for i in range(1, 23)]
    for row, deviation in zip(rows, values.std(axis=0), strict=True):  # the mean errs by the deviation
        assert float(row[2]) == float(f"{deviation:.3g}") and abs(float(row[3]) / deviation - 1) < 0.01
    scores = re.search(r"of each score: c5 ([\d.]+), c6 ([\d.]+)\. ", text)
    assert [float(error) for error in scores.groups()] == pytest.approx(values[:, 4:6].std(axis=0), rel=0.02)
    assert "NODE 0.001718, SnapBoost 0.000868" in text and "the 20th column as the label, c20" in text
