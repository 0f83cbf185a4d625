"""The tests run on an installed wheel, never on the sources beside them."""

from __future__ import annotations

from pathlib import Path

import mixboost
import pytest

ROOT = Path(__file__).resolve().parents[2]

if "site-packages" not in Path(mixboost.__file__).parts:
    raise pytest.UsageError(f"{mixboost.__file__} is not an installed package: run ./dev python")


@pytest.fixture(scope="session")
def root() -> Path:
    """The sources."""
    return ROOT


def pytest_sessionfinish(session: pytest.Session) -> None:
    """A run with a test that was skipped, or that is expected to fail, has failed."""
    results = session.config.pluginmanager.get_plugin("terminalreporter").stats
    if results.get("skipped") or results.get("xfailed"):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
