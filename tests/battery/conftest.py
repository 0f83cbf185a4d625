import importlib

import pytest


@pytest.fixture
def sections(root, monkeypatch):
    """The modules of the battery, which import each other by name."""
    monkeypatch.syspath_prepend(root)
    monkeypatch.syspath_prepend(root / "tests" / "battery")
    return importlib.import_module
