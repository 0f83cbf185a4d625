"""The steps of a test run, what came of each, and the table at the end."""

import re
import time
import xml.etree.ElementTree

from tools.logs import BUILD, ROOT, Failed, new_log, run_logged, tail
from tools.toolchain import N_CORES

BESIDE_EACH_OTHER = ["--numprocesses", str(N_CORES), "--dist", "loadfile"]


class Report:
    """Runs steps one at a time and keeps what came of them."""

    def __init__(self, n_steps):
        self.n_steps = n_steps
        self.rows = []
        self.not_run = []

    def step(self, name, action):
        """action(log) returns (passed, failed, note), or raises Failed. Returns whether nothing failed."""
        print(f"[{len(self.rows) + 1:2}/{self.n_steps}] {name} ... ", end="", flush=True)
        log = new_log(re.sub(r"\W+", "-", name))
        start = time.monotonic()
        try:
            passed, failed, note = action(log)
            problem = f"the log is {log.relative_to(ROOT)}\n{tail(log)}" if failed else ""
        except Failed as failure:
            passed, failed, note, problem = 0, 1, "", str(failure)
        seconds = time.monotonic() - start
        self.rows.append((name, passed, failed, seconds, note))
        result = f"FAILED ({failed})" if failed else f"ok, {passed} passed" if passed else "ok"
        print(f"{result}, {seconds:.1f} s", *([problem] if failed else []), sep="\n", flush=True)
        return failed == 0

    def skip(self, name, reason):
        print(f"[{len(self.rows) + 1:2}/{self.n_steps}] {name} ... NOT RUN: {reason}", flush=True)
        self.rows.append((name, 0, 0, 0.0, "NOT RUN"))
        self.not_run.append(f"NOT RUN: {name}: {reason}")

    def finish(self):
        """Prints the table and the one-line result; returns the exit code."""
        width = max(len(row[0]) for row in self.rows)
        print(f"\n{'step':{width}}  passed  failed  seconds")
        for name, passed, failed, seconds, note in self.rows:
            print(f"{name:{width}}  {passed:6}  {failed:6}  {seconds:7.1f}  {note}".rstrip())
        passed, failed, seconds = (sum(row[i] for row in self.rows) for i in (1, 2, 3))
        print(f"{'all':{width}}  {passed:6}  {failed:6}  {seconds:7.1f}\n")
        for line in self.not_run:
            print(line)
        print(f"{passed} passed, {failed} failed")
        return 1 if failed else 0


def ctest(preset, log, wrapper=(), chosen=()):
    """Runs the CTest tests of a build, all or those that arguments of ctest choose. A unit test program counts as many
    tests as it says it has."""
    junit = BUILD / preset / "ctest.xml"
    junit.unlink(missing_ok=True)
    command = [*wrapper, "ctest", "--test-dir", BUILD / preset, "--parallel", str(N_CORES), "--timeout", "300"]
    command += ["--output-on-failure", "--test-output-size-passed", "1000000", "--output-junit", junit, *chosen]
    code = run_logged(command, log)
    if not junit.exists():
        raise Failed(f"ctest did not run; the log is {log.relative_to(ROOT)}\n{tail(log)}")
    passed = failed = 0
    broken = []
    for case in xml.etree.ElementTree.parse(junit).getroot().iter("testcase"):
        output = case.findtext("system-out") or ""
        stated = re.search(r"^(\d+) tests, 0 failed checks", output, re.MULTILINE)
        if case.get("status") == "run":
            passed += int(stated.group(1)) if stated else 1
        else:
            failed += 1
            broken.append("\n".join([f"---- {case.get('name')}", *output.splitlines()[-12:]]))
    with open(log, "a") as out:  # last, where the tail of the log shows it
        out.write("\n".join(broken))
    return passed, failed + (1 if code != 0 and failed == 0 else 0), ""


def pytest_command(python, *arguments):
    return [python, "-B", "-m", "pytest", "-q", "-rfEsx", "-p", "no:cacheprovider", *arguments]


def pytest(name, tests, log, python, env, cwd=ROOT, seconds=None):
    """Runs tests with some Python, files of them side by side, for no longer than so many seconds."""
    junit = BUILD / f"pytest-{name}.xml"
    junit.unlink(missing_ok=True)
    code = run_logged(pytest_command(python, *BESIDE_EACH_OTHER, f"--junitxml={junit}", *tests), log, env, cwd, seconds)
    if not junit.exists():
        raise Failed(f"pytest did not run; the log is {log.relative_to(ROOT)}\n{tail(log)}")
    suite = xml.etree.ElementTree.parse(junit).getroot().find("testsuite")
    total, skipped = int(suite.get("tests")), int(suite.get("skipped"))
    failed = int(suite.get("failures")) + int(suite.get("errors"))
    passed = max(0, total - skipped - failed)
    return passed, failed or (1 if code != 0 else 0), f"{skipped} skipped" if skipped else ""
