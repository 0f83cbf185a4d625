import importlib

import pytest


@pytest.fixture
def sections(root, monkeypatch):
    """The modules of the battery, which import each other by name."""
    for folder in (".", "bench", "tests/battery"):
        monkeypatch.syspath_prepend(root / folder)
    return importlib.import_module
