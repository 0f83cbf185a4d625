"""Where things lie, and commands whose output goes to a log."""

import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build"
RELEASE = BUILD / "release"
LOGS = BUILD / "logs"


class Failed(Exception):
    """A step that did not work; the text is for the person at the terminal."""


def run_logged(command, log, env=None, cwd=ROOT):
    """Runs a command, its output appended to a log; returns the exit code."""
    LOGS.mkdir(parents=True, exist_ok=True)
    with open(log, "ab") as out:
        out.write(("$ " + " ".join(map(str, command)) + "\n").encode())
        out.flush()
        return subprocess.run(command, stdout=out, stderr=subprocess.STDOUT, env=env, cwd=cwd).returncode


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
