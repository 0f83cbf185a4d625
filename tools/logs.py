"""Where things lie, and commands whose output goes to a log."""

import os
import pathlib
import re
import signal
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build"
RELEASE = BUILD / "release"
LOGS = BUILD / "logs"


class Failed(Exception):
    """A step that did not work; the text is for the person at the terminal."""


def end_by_signals():
    """Where it makes nothing else of them, so that what was started ends, too."""
    numbers = [number for number in (signal.SIGTERM, signal.SIGHUP) if signal.getsignal(number) == signal.SIG_DFL]

    def end(number, _frame):
        for each in numbers:
            signal.signal(each, signal.SIG_IGN)  # a second one must not end what this one does
        sys.exit(128 + number)

    for number in numbers:
        signal.signal(number, end)


def run_logged(command, log, env=None, cwd=ROOT, seconds=None):
    """Runs a command, its output appended to a log; returns the exit code, or None where it took more seconds than it
    may."""
    LOGS.mkdir(parents=True, exist_ok=True)
    with open(log, "ab", buffering=0) as out:
        out.write(("$ " + " ".join(map(str, command)) + "\n").encode())
        return run_in_time(command, seconds, stdout=out, stderr=subprocess.STDOUT, env=env, cwd=cwd)


def run_in_time(command, seconds, **options):
    """The exit code; None where the command was ended after so many seconds. Whatever ends this, ends all that the
    command had started."""
    with subprocess.Popen(command, start_new_session=True, **options) as process:
        try:
            return process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None
        finally:
            if process.returncode is None:  # after an interrupt, too
                os.killpg(process.pid, signal.SIGKILL)


def must_run(command, log, what, env=None):
    if run_logged(command, log, env) != 0:
        raise Failed(f"{what} failed; the log is {log.relative_to(ROOT)}\n{tail(log)}")


def tail(log, n_lines=40):
    """The end of a log, without Ninja's lines about what went well."""
    lines = log.read_text(errors="replace").splitlines()
    lines = [line for line in lines if not re.match(r"\[\d+/\d+\] (Building|Linking|Creating)", line)]
    return "\n".join("    | " + line for line in lines[-n_lines:])


def new_log(name):
    LOGS.mkdir(parents=True, exist_ok=True)
    log = LOGS / f"{name}.log"
    log.write_bytes(b"")
    return log
