"""The Python package: its wheel, the virtual environments it is tested in, and its tests.

An environment is made afresh for every run and holds the wheel alone. The packages that the wheel and the tests need
lie in another one, which is kept from run to run and which the fresh one looks into.
"""

import os
import shutil
import subprocess
import sys

from tools.logs import BUILD, ROOT, must_run, run_logged
from tools.report import pytest, pytest_command
from tools.toolchain import make_venv

PACKAGE = ROOT / "python" / "mixboost"
TESTS = ROOT / "python" / "tests"
FOLDER = BUILD / "python"
BUILDER = FOLDER / "builder" / "bin" / "python"
DIST = FOLDER / "dist"


def requirements(path):
    lines = (ROOT / path).read_text().splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def make_packages(name):
    """The packages under the wheel, for a use of it: tests with the newest or the oldest ones, benchmarks."""
    wanted = {
        "newest": ["python/tests/requirements.txt"],
        "oldest": ["python/tests/requirements.txt", "python/tests/oldest.txt"],
        "bench": ["bench/requirements.txt"],
    }
    folder = FOLDER / f"{name}-packages"
    make_venv(folder, [line for path in wanted[name] for line in requirements(path)])
    return folder


def build_wheel(log):
    """Builds the sdist and the wheel into build/python/dist."""
    make_venv(BUILDER.parents[1], ["pip", "build", "scikit-build-core"])
    shutil.rmtree(DIST, ignore_errors=True)
    command = [BUILDER, "-m", "build", "--no-isolation", "--sdist", "--wheel", f"-Cbuild-dir={FOLDER / 'cmake'}"]
    must_run([*command, "--outdir", DIST, ROOT], log, "building the wheel")


def install_wheel(name, log, packages=None):
    """Makes a fresh environment of the wheel and the packages under it, its own or those of another use; returns its
    Python."""
    packages = make_packages(packages or name)
    folder = FOLDER / name
    python = folder / "bin" / "python"
    must_run([sys.executable, "-m", "venv", "--clear", "--without-pip", folder], log, "making a virtual environment")
    (site,) = folder.glob("lib/python*/site-packages")
    (site / "packages.pth").write_text(str(packages / site.relative_to(folder)) + "\n")
    (wheel,) = DIST.glob("*.whl")
    pip = [BUILDER, "-m", "pip", "--python", python]
    must_run([*pip, "install", "--quiet", "--no-deps", "--no-index", wheel], log, "installing the wheel")
    return python


def ready_for_tests(versions, log):
    """Installs the wheel and makes a folder to run its tests in, where the sources cannot be imported."""
    python = install_wheel(versions, log)
    folder = FOLDER / "scratch"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    env = dict(os.environ, MIXBOOST_DIST=str(DIST), MIXBOOST_BUILDER=str(BUILDER))
    return {"python": python, "env": env, "cwd": folder}


def test_wheel(versions, log):
    """Runs python/tests on the installed wheel."""
    return pytest(f"python-{versions}", [TESTS], log, **ready_for_tests(versions, log))


def run_tests(arguments, log):
    """Builds the wheel and runs python/tests on it with further arguments of pytest, its output on the terminal."""
    build_wheel(log)
    ready = ready_for_tests("newest", log)
    command = pytest_command(ready.pop("python"), TESTS, *arguments)
    return subprocess.run(command, **ready).returncode


def checker(name):
    """The command that starts ruff or mypy."""
    return [make_packages("newest") / "bin" / "python", "-m", name]


def check_sources(log):
    """ruff over all Python files of the repository, and mypy over the package, the benchmarks and the experiments."""
    commands = [[*checker("ruff"), "check"], [*checker("ruff"), "format", "--check"]]
    commands += [[*checker("mypy"), PACKAGE, ROOT / "bench", ROOT / "experiments"]]
    failed = sum(run_logged(command, log) != 0 for command in commands)
    return len(commands) - failed, failed, ""


def format_sources(log):
    must_run([*checker("ruff"), "format"], log, "formatting")
