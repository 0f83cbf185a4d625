"""A copy of the sources that is changed, built and checked, in quarantine, while the working tree is only read.

A check is "ctest NAME", or "pytest FILE::NAME" with a file of tests or python/tests.
"""

from __future__ import annotations

import filecmp
import functools
import os
import re
import shutil
import xml.etree.ElementTree
from pathlib import Path

from quarantine import quarantined

from battery import SOURCES, files_in_git, files_under
from tools.logs import BUILD, ROOT, Failed, run_logged, tail
from tools.report import pytest_command
from tools.toolchain import build_targets, configure, make_venv
from tools.wheel import make_packages, requirements

COPIED = [*SOURCES, "bench"]
LIBRARIES = ["libmixboost.so", "libmixboost.a", "libmixboost-predict.so", "libmixboost-predict.a"]
FOR_PYTEST = [*LIBRARIES, "mixboost", "identity"]  # files: a target has the name of the program, too
SECONDS = 800  # that a check may take, fewer than CTest gives it
NO_TESTS = 5  # pytest's exit code for that
OUTCOMES = {  # of exit codes; others say that no test could be run
    "ctest": {0: "passed", 8: "failed", None: "timed out"},
    "pytest": {0: "passed", 1: "failed", None: "timed out"},
}


def programs_of_tests(build: Path) -> dict[str, str]:
    """The target that each test of CTest runs, in a build that is configured."""
    text = (build / "tests" / "CTestTestfile.cmake").read_text()
    found = re.findall(r'^add_test\((?:\[=\[)?(.+?)(?:\]=\])? "([^"]+)"', text, re.MULTILINE)
    return {name: Path(program).name for name, program in found}


def kind_and_name(check: str) -> tuple[str, str]:
    kind, _, name = check.partition(" ")
    return kind, name


def n_skipped(results: Path) -> int:
    """By the file of results that pytest writes."""
    return sum(int(suite.get("skipped", 0)) for suite in xml.etree.ElementTree.parse(results).iter("testsuite"))


class Copy:
    """The copy lies in a folder, and its one build in that."""

    def __init__(self, folder: Path, log: Path, preset: str, options: tuple[str, ...] = ()) -> None:
        self.folder, self.log, self.seconds = folder, log, SECONDS
        self.built = folder / "build" / preset
        self.renew()
        configure(self.built, log, ["--preset", preset, *options], folder)

    def renew(self) -> None:
        """What was changed is as in the working tree again. Other files are left alone, so that only this is built."""
        wanted, there = set(files_in_git(COPIED)), set(files_under(self.folder, COPIED))
        for path in wanted:
            if path not in there or not filecmp.cmp(ROOT / path, self.folder / path, shallow=False):
                (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / path, self.folder / path)
        for path in there - wanted:
            (self.folder / path).unlink()

    @functools.cached_property
    def _programs(self) -> dict[str, str]:
        return programs_of_tests(self.built)

    def build_for(self, check: str) -> None:
        """Builds what a check needs; raises Failed where the compiler does not like the change."""
        kind, name = kind_and_name(check)
        targets = [self._programs[name]] if kind == "ctest" else FOR_PYTEST
        build_targets(self.built, self.log, targets)

    def outcome(self, check: str) -> str:
        """The check "passed", "failed" or, which may be the machine's fault, "timed out"."""
        kind, name = kind_and_name(check)
        code = self._run_ctest(name) if kind == "ctest" else self._run_pytest(name)
        if code not in OUTCOMES[kind]:
            raise Failed(f"{check} could not be run; the log is {self.log}\n{tail(self.log)}")
        return OUTCOMES[kind][code]

    def _run(self, command: list[object], environment: dict[str, str] | None = None) -> int | None:
        return run_logged(quarantined(self.folder, command), self.log, environment, seconds=self.seconds)

    def _run_ctest(self, name: str) -> int | None:
        """Without what the test says, which is much in some loops that do not end."""
        command = ["ctest", "--test-dir", self.built, "--tests-regex", f"^{re.escape(name)}$", "--no-tests=error"]
        return self._run(command)

    def _run_pytest(self, name: str) -> int | None:
        """Up to the first test that fails; where one was skipped, as where there was none."""
        python = self._python_of_the_package() if name.startswith("python/") else self._python()
        environment = {
            **os.environ,
            "MIXBOOST_BUILD": str(self.built),
            "MIXBOOST_PROGRAM": str(self.built / "mixboost"),
            "PYTHONPATH": str(self._package.parent),
        }
        results = self.built / "pytest.xml"
        options = ["--exitfirst", f"--junitxml={results}"]
        code = self._run(pytest_command(python, *options, self.folder / name), environment)
        return NO_TESTS if code == 0 and n_skipped(results) > 0 else code

    def _python(self) -> Path:
        make_venv(BUILD / "venv", requirements("tests/requirements.txt"))
        return BUILD / "venv" / "bin" / "python"

    @property
    def _package(self) -> Path:
        return self.folder / "build" / "site-packages" / "mixboost"

    def _python_of_the_package(self) -> Path:
        """What a wheel would install, as links."""
        shutil.rmtree(self._package, ignore_errors=True)
        self._package.mkdir(parents=True)
        for file in [*(self.folder / "python" / "mixboost").iterdir(), self.built / "libmixboost.so"]:
            (self._package / file.name).symlink_to(file)
        return make_packages("newest") / "bin" / "python"
