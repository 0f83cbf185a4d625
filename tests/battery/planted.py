"""Tests of the tests: bugs that each break one promise, and the check that must see it.

Each is a patch in planted/, which says above its changes what is promised, which section of the battery it belongs to,
and which check must fail.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import NamedTuple

from changed_sources import Copy

from battery import Counts, Figure, Part, Run, Section, total
from tools.logs import Failed, must_run, tail

FOLDER = Path(__file__).with_name("planted")
LEAST, LEAST_SECTIONS = 20, 14


class Bug(NamedTuple):
    patch: Path
    promise: str
    section: str
    check: str

    @property
    def name(self) -> str:
        return self.patch.stem.replace("_", " ")


def read_bug(patch: Path) -> Bug:
    head, _, _ = patch.read_text().partition("\ndiff --git ")
    said = dict(re.findall(r"^(\w+): (.+)$", head, re.MULTILINE))
    return Bug(patch, said["Promise"], said["Section"], said["Check"])


def read_bugs() -> list[Bug]:
    return [read_bug(patch) for patch in sorted(FOLDER.glob("*.patch"))]


def apply_patch(patch: Path, folder: Path, log: Path, *options: str) -> None:
    """As in a folder of its own, even where it lies in a repository."""
    environment = {**os.environ, "GIT_CEILING_DIRECTORIES": str(folder.parent)}
    must_run(["git", "-C", folder, "apply", *options, patch], log, f"applying {patch.name}", environment)


def outcome_with(bug: Bug, run: Run) -> str:
    """What comes of its check."""
    copy = Copy(run.folder, run.log, "release")
    copy.build_for(bug.check)
    if copy.outcome(bug.check) != "passed":
        raise Failed(f"{bug.check} fails without {bug.patch.name}, too; the log is {run.log}\n{tail(run.log)}")
    apply_patch(bug.patch, copy.folder, run.log)
    copy.build_for(bug.check)
    return copy.outcome(bug.check)


def part(bug: Bug) -> Part:
    def plant(run: Run) -> Counts:
        outcome = outcome_with(bug, run)
        if outcome != "failed":
            print(f"{bug.check} {outcome} with {bug.patch.name}", file=sys.stderr)
        return {"planted": 1, "caught": outcome == "failed", "timed out": outcome == "timed out"}

    return Part(bug.name, plant)


def parts(is_short: bool) -> list[Part]:
    """The unit tests see that every patch still fits."""
    return [] if is_short else [part(bug) for bug in read_bugs()]


def figures(counts: dict[str, Counts], _is_short: bool) -> list[Figure]:
    n_planted, n_sections = total(counts, "planted"), len({bug.section for bug in read_bugs()})
    return [
        Figure("planted bugs, each of which breaks a promise", n_planted, f"≥ {LEAST}"),
        Figure("sections of the battery that they are in", n_sections, f"≥ {LEAST_SECTIONS}"),
        Figure("caught by the check that must", total(counts, "caught"), f"= {n_planted:g}"),
        Figure("with which the check took too long, which does not count as caught", total(counts, "timed out"), "= 0"),
    ]


PLANTED = Section("planted", "Planted bugs", parts, figures)
