"""The modules of the experiments, which import each other by name."""

import importlib

import pytest


@pytest.fixture
def module(root, monkeypatch):
    """A module of the experiments or bench, by its name."""
    for folder in ("bench", "experiments/defaults", "experiments/paper"):
        monkeypatch.syspath_prepend(root / folder)
    return importlib.import_module


@pytest.fixture
def make_outcome(module):
    """An outcome with a loss, or another figure."""

    def make(contestant, a_set, loss=None, seed=0, protocol="stopping", **more):
        outcomes = module("outcomes")
        names = ("digest", "version", "repeat", "machine")
        key = {"digest": "a", "version": "1", **{name: more.pop(name) for name in names if name in more}}
        return outcomes.Outcome(outcomes.Key(a_set, seed, protocol, contestant, **key), loss, **more)

    return make
