"""Tests of the tests: mutants of what reads and writes files and options, the files whose branches are all tested and
what they read numbers and command lines with, and whether a test sees each.

A mutant that the compiler refuses, that makes the object code there was, or that equivalent_mutants.txt explains does
not count. Others are drawn when the sources have changed. Those that no test saw are in results/mutation.md.
"""

from __future__ import annotations

import contextlib
import functools
import json
import random
import re
import shlex
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from c_mutants import Mutant, mutants_of
from changed_sources import SECONDS, Copy
from coverage import COMPLETE

from battery import RESULTS, Counts, Figure, Part, Run, Section, digest_of_sources, total
from tools.logs import ROOT, Failed, tail

A_PART = 25
LEAST, LEAST_KILLED = 200, 90  # mutants, and percent of them
EQUIVALENT = Path(__file__).with_name("equivalent_mutants.txt")


class Area(NamedTuple):
    """Patterns of sources, and the tests that concern them, quick ones first."""

    name: str
    n_parts: int
    files: list[str]
    unit_tests: list[str]
    program_tests: tuple[str, ...] = ("bad_input",)

    @property
    def sources(self) -> list[str]:
        found = {path.relative_to(ROOT) for pattern in self.files for path in ROOT.glob(pattern)}
        return sorted(str(path) for path in found if path.suffix == ".c")

    @property
    def checks(self) -> list[str]:
        by_the_program = [f"pytest tests/cli/test_{test}.py" for test in self.program_tests]
        return [*(f"ctest {test}" for test in self.unit_tests), *by_the_program]

    def checks_of(self, path: str) -> list[str]:
        """The test of the file itself, then the others."""
        own = Path(path).stem
        return sorted(self.checks, key=lambda check: Path(check).name != own)


AREAS = [
    Area(
        "model file",
        3,
        COMPLETE["model file"],
        """base/bytes base/sync model/utf8 model/model_decode model/terms_decode model/model_encode model/model_json
        model/model_save model/golden model/golden_files model/own_term io/file stress/torn_saves stress/mutated_models
        model/model_load stress/failing_calls""".split(),
    ),
    Area(
        "journal",
        2,
        COMPLETE["journal"],
        """tune/journal tune/journal_file tune/journal_lock tune/tuner_start stress/torn_journals
        stress/failing_searches""".split(),
    ),
    Area(
        "CSV reader",
        3,
        [*COMPLETE["CSV reader"], "src/base/decimal.c", "src/base/number.c"],
        """base/decimal base/number base/number_lines io/csv io/csv_cell io/csv_pieces io/table io/table_rows
        io/table_texts io/table_view io/text_list boost/bad_calls stress/failing_calls""".split(),
    ),
    Area(
        "options",
        2,
        COMPLETE["options"],
        """base/choice boost/schedule boost/params boost/own_params boost/presets boost/auto_options boost/bad_calls
        boost/own_training tune/settings tune/space_text tune/space tune/built_in_spaces tune/bad_searches""".split(),
    ),
    Area("command lines", 1, ["cli/arguments.c"], [], ("usage", "messages", "bad_input")),
]


# ---- Mutants ----


@functools.cache
def equivalents() -> dict[tuple[str, str, str], str]:
    """Why no test can see it, by file and line before and after."""
    pattern = r"^(\w+/\S+\.c)\n- (.+)\n\+ ?(.*)\n((?:  .+\n)+)"
    return {
        (path, old, new): " ".join(why.split())
        for path, old, new, why in re.findall(pattern, EQUIVALENT.read_text(), re.MULTILINE)
    }


def drawn(area: Area, which: int) -> list[Mutant]:
    """All mutants there are for a part, in the order in which it tries them."""
    mutants = [mutant for path in area.sources for mutant in mutants_of(path, (ROOT / path).read_text())]
    random.Random(f"{digest_of_sources()} {area.name}").shuffle(mutants)
    return mutants[which :: area.n_parts]


# ---- A copy that is mutated ----


class MutatedCopy(Copy):
    def __init__(self, folder: Path, log: Path) -> None:
        super().__init__(
            folder, log, "debug", ("-DMIXBOOST_WERROR=OFF", "-DCMAKE_C_FLAGS_DEBUG=-O1", "-DMIXBOOST_SANITIZE=leak")
        )
        units = json.loads((self.built / "compile_commands.json").read_text())
        self._commands = {unit["file"]: shlex.split(unit["command"]) for unit in units}
        self._object_codes: dict[str, bytes | None] = {}
        self._limits: dict[str, int] = {}

    def time_without_mutants(self, checks: list[str]) -> None:
        """A test goes on for ever in some mutants, so all get a multiple of the time that they need."""
        for check in checks:
            if check not in self._limits:
                self.build_for(check)
                self.seconds = SECONDS
                began = time.monotonic()
                if self.outcome(check) != "passed":
                    raise Failed(f"{check} fails without a mutant; the log is {self.log}\n{tail(self.log)}")
                self._limits[check] = min(10 + 5 * round(time.monotonic() - began), SECONDS)

    def object_code(self, path: str) -> bytes | None:
        """What an optimising compiler makes of a file without assertions; None where it refuses."""
        compiler, *words = self._commands[str(self.folder / path)]
        kept = [word for word in words[: words.index("-o")] if not re.match("-O|-W", word)]
        made = self.folder / "build" / "mutant.o"
        options = ["-O2", "-DNDEBUG", "-w", "-o", str(made), "-c", str(self.folder / path)]
        ran = subprocess.run([compiler, *kept, *options], capture_output=True)
        return made.read_bytes() if ran.returncode == 0 else None

    @contextlib.contextmanager
    def mutated(self, mutant: Mutant) -> Iterator[bool]:
        """Whether the mutant is a program, and another than before."""
        file, source = self.folder / mutant.path, (ROOT / mutant.path).read_text()
        if mutant.path not in self._object_codes:
            self._object_codes[mutant.path] = self.object_code(mutant.path)
        file.write_text(mutant.change(source))
        try:
            yield self.object_code(mutant.path) not in (None, self._object_codes[mutant.path])
        finally:
            file.write_text(source)

    def outcome_in_time(self, check: str) -> str:
        self.build_for(check)
        self.seconds = self._limits[check]
        return self.outcome(check)

    def end_of_mutant(self, checks: list[str]) -> str:
        """What the first check that it does not pass comes to; "passed" where there is none."""
        outcomes = (self.outcome_in_time(check) for check in checks)
        return next((outcome for outcome in outcomes if outcome != "passed"), "passed")


@functools.cache
def copy_in(folder: Path, log: Path) -> MutatedCopy:
    return MutatedCopy(folder, log)


# ---- The section ----


def write_survivors(folder: Path) -> None:
    """Those of the parts so far."""
    lines = ["# Mutants that no test saw", "", "The last full run of `./dev battery mutation`.", ""]
    for path in (folder / f"{part.name}.survivors" for part in parts(False)):
        lines += path.read_text().splitlines() if path.exists() else []
    RESULTS.mkdir(parents=True, exist_ok=True)
    (RESULTS / "mutation.md").write_text("\n".join(lines) + "\n")


def part(area: Area, which: int) -> Part:
    name = f"{area.name}, {which + 1} of {area.n_parts}"

    def mutate(run: Run) -> Counts:
        copy = copy_in(run.folder, run.log)
        copy.time_without_mutants(area.checks)
        survivors: list[str] = []
        n_explained = 0
        ends: Counter[str] = Counter()
        for mutant in drawn(area, which):
            if ends.total() == A_PART:
                break
            old, new = mutant.lines((ROOT / mutant.path).read_text())
            if (mutant.path, old, new) in equivalents():
                n_explained += 1
                continue
            with copy.mutated(mutant) as is_another:
                if not is_another:
                    continue
                end = copy.end_of_mutant(area.checks_of(mutant.path))
            ends[end] += 1
            if end == "passed":
                survivors += [f"    {mutant.path}", f"    - {old}", f"    + {new}", ""]
        (run.folder / f"{name}.survivors").write_text("".join(f"{line}\n" for line in survivors))
        write_survivors(run.folder)
        counts: Counts = {"mutants": ends.total(), "survivors": ends["passed"], "timed out": ends["timed out"]}
        return {**counts, "explained": n_explained}

    return Part(name, mutate)


def parts(is_short: bool) -> list[Part]:
    """The unit tests see that mutants are made as they should."""
    return [] if is_short else [part(area, which) for area in AREAS for which in range(area.n_parts)]


def figures(counts: dict[str, Counts], _is_short: bool) -> list[Figure]:
    found = [Figure("mutants of what reads and writes files and options", total(counts, "mutants"), f"≥ {LEAST}")]
    for area in [None, *AREAS]:
        of_area = {name: each for name, each in counts.items() if area is None or name.startswith(area.name)}
        percent = 100 * (1 - total(of_area, "survivors") / total(of_area, "mutants"))
        title = "percent of these that a test sees" if area is None else f"of the {area.name}"
        found.append(Figure(title, percent, f"≥ {LEAST_KILLED}" if area is None else ""))
    found.append(
        Figure("of all these by a timeout alone, of over five times what a test needs", total(counts, "timed out"))
    )
    return [*found, Figure("passed over, since it is known why no test can see them", total(counts, "explained"))]


MUTATION = Section("mutation", "Mutation testing", parts, figures)
