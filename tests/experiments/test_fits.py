"""One fit: which rows a contestant is given, and what is made of its answer."""

import os

import numpy as np
import pytest


@pytest.fixture
def fits(module, monkeypatch):
    """With a sample of one set and one contestant, which remembers what it was given and predicts 0.5."""
    fits, sets, entrants = module("fits"), module("sets"), module("entrants")
    X, y = np.arange(6000.0).reshape(3000, 2), np.tile([0.0, 1.0], 1500)
    dataset = sets.Dataset("pol", sets.CLEAN, sets.CLASSES, X, y, sample=np.arange(2000))
    fits.given = []

    def fit(settings, work, data):
        fits.given.append((settings, work.protocol, len(data.train.y), data.valid and len(data.valid.y)))
        return entrants.Fitted(lambda rows: np.full(len(rows), 0.5), 7)

    contestant = entrants.Contestant("somebody", "a package", entrants.told("rounds", "patience"), fit)
    monkeypatch.setattr(sets, "load", lambda name: dataset)
    monkeypatch.setitem(entrants.CONTESTANTS, "somebody", contestant)
    return fits


@pytest.mark.parametrize(
    "protocol, settings, rows",
    [
        ("stopping", {"rounds": 2000, "learning_rate": 0.05, "patience": 50}, [(1200, 400)]),
        ("plain", {}, [(1600, None)]),
        ("50 rows", {}, [(50, None)]),
        ("200 rows", {}, [(200, None)]),
        ("1000 rows", {}, [(1000, None)]),
        ("all rows", {}, [(2600, None)]),
        ("times", {"rounds": 300, "learning_rate": 0.05}, [(500, None), (1600, None)]),
    ],
)
def test_a_protocol_decides_what_is_given(fits, protocol, settings, rows):
    figures = fits.measure(fits.Task("pol", 0, protocol, "somebody"))
    assert fits.given == [(settings, protocol, *n_rows) for n_rows in rows]
    assert figures.loss == pytest.approx(np.log(2)) and figures.n_rounds == 7 and figures.seconds >= 0


def test_a_fit_that_takes_its_process_down_is_told(fits, module, monkeypatch):
    entrants = module("entrants")

    def fit(settings, work, data):
        os._exit(3)

    def mistake(settings, work, data):
        raise ValueError("no such option")

    for name, action, told in (("dies", fit, "its process died"), ("errs", mistake, "ValueError: no such option")):
        contestant = entrants.Contestant(name, "a package", entrants.told("rounds", "patience"), action)
        monkeypatch.setitem(entrants.CONTESTANTS, name, contestant)
        assert fits.measure_apart(fits.Task("pol", 0, "plain", name)) == told
