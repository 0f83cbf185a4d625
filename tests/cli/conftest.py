"""The program under test, run as its users run it, and models and data for it."""

import os
import pathlib
import signal
import subprocess

import pytest
from samples import make_rows, train, write_csv

# A job in the background ignores Ctrl-C, and so would the programs that the tests interrupt.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGTERM, signal.SIG_DFL)
signal.signal(signal.SIGHUP, signal.SIG_DFL)


@pytest.fixture(scope="session")
def program():
    """The program's path, good in any folder."""
    built = pathlib.Path(__file__).resolve().parents[2] / "build" / "release" / "mixboost"
    path = pathlib.Path(os.environ.get("MIXBOOST_PROGRAM", built)).absolute()
    assert path.is_file(), f"{path} is not there: build it, or name another in MIXBOOST_PROGRAM"
    return str(path)


@pytest.fixture
def run(program, tmp_path):
    """Runs the program in the test's own folder; arguments are the words of its command line."""

    def run_program(*words, **options):
        settings = {"cwd": tmp_path, "text": True, "timeout": 120, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        if "input" not in options:
            settings["stdin"] = subprocess.DEVNULL
        return subprocess.run([program, *map(str, words)], check=False, **{**settings, **options})

    return run_program


@pytest.fixture
def numbers_csv(tmp_path):
    """300 rows with the header a,b,c,y; y is a number."""
    return write_csv(tmp_path / "numbers.csv", "abcy", make_rows(300, seed=1))


@pytest.fixture
def classes_csv(tmp_path):
    """300 rows with the header a,b,c,y; y is 0 or 1."""
    return write_csv(tmp_path / "classes.csv", "abcy", make_rows(300, seed=1, classes=True))


@pytest.fixture
def numbers_model(run, numbers_csv, tmp_path):
    """A model of numbers_csv: 20 rounds of trees and fourier."""
    return train(run, numbers_csv, tmp_path / "numbers.mxb", "--tree_probability", 0.7)


@pytest.fixture
def classes_model(run, classes_csv, tmp_path):
    """A model of classes_csv, objective logloss, 20 rounds of trees and fourier."""
    return train(run, classes_csv, tmp_path / "classes.mxb", "--objective", "logloss", "--tree_probability", 0.7)
