"""Where things lie, and commands whose output goes to a log."""

import os
import pathlib
import re
import signal
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build"
RELEASE = BUILD / "release"
LOGS = BUILD / "logs"


class Failed(Exception):
    """A step that did not work; the text is for the person at the terminal."""


def run_logged(command, log, env=None, cwd=ROOT, seconds=None):
    """Runs a command, its output appended to a log; returns the exit code, or None where it took more seconds than it
    may."""
    LOGS.mkdir(parents=True, exist_ok=True)
    with open(log, "ab") as out:
        out.write(("$ " + " ".join(map(str, command)) + "\n").encode())
        out.flush()
        options = {"stdout": out, "stderr": subprocess.STDOUT, "env": env, "cwd": cwd}
        if seconds is None:
            return subprocess.run(command, **options).returncode
        return run_in_time(command, seconds, **options)


def run_in_time(command, seconds, **options):
    """The exit code; None where the command, with all that it had started, was ended after so many seconds."""
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
