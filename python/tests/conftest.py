"""The tests run on an installed wheel, never on the sources beside them."""

from __future__ import annotations

import os
import shutil
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import mixboost
import pytest

ROOT = Path(__file__).resolve().parents[2]

if "site-packages" not in Path(mixboost.__file__).parts:
    raise pytest.UsageError(f"{mixboost.__file__} is not an installed package: run ./dev python")

signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background would ignore Ctrl-C

os.environ["SCIPY_ARRAY_API"] = "1"  # before SciPy is imported: one of scikit-learn's checks would be skipped


@pytest.fixture(scope="session")
def root() -> Path:
    """The sources."""
    return ROOT


@pytest.fixture(scope="session")
def program() -> Path:
    """The program that was installed with the package."""
    found = shutil.which("mixboost", path=str(Path(sys.executable).parent))
    assert found, "no program mixboost beside this Python"
    return Path(found)


@pytest.fixture
def _close_figures() -> Iterator[None]:
    """Those of this test, and of examples that ran before it."""
    from matplotlib import pyplot

    pyplot.close("all")
    yield
    pyplot.close("all")


def pytest_sessionfinish(session: pytest.Session) -> None:
    """A run with a test that was skipped, or that is expected to fail, has failed."""
    results = session.config.pluginmanager.get_plugin("terminalreporter").stats
    if results.get("skipped") or results.get("xfailed"):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
