"""What the Python tests share: where the repository is and what `./dev test` built."""

import os
import pathlib

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def root():
    return ROOT


@pytest.fixture(scope="session")
def build():
    """The release build: holds libmixboost.so, libmixboost.a and the program mixboost."""
    return pathlib.Path(os.environ.get("MIXBOOST_BUILD", ROOT / "build" / "release"))


@pytest.fixture(scope="session")
def program(build):
    return pathlib.Path(os.environ.get("MIXBOOST_PROGRAM", build / "mixboost"))
