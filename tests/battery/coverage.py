"""Lines and branches that the tests reach, as clang counts them in the source. In what reads and writes files, and in
the options, each end of each condition is reached or has a reason in unreached.txt."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from branches import Branch, count_branches, read_reasons
from programs import build, run_pytest

from battery import RESULTS, Counts, Figure, Part, Run, Section, total
from tools.logs import BUILD, ROOT, must_run
from tools.report import ctest
from tools.toolchain import make_venv
from tools.wheel import requirements

PRESET = "coverage"
FOLDER = BUILD / PRESET
REASONS = Path(__file__).with_name("unreached.txt")

COUNTED = {"include": "library", "src": "library", "cli": "program"}  # folders, and what is made of them

# What is to be complete: patterns of files.
COMPLETE = {
    "model file": [
        "src/base/bytes.[ch]",
        "src/base/sync.c",
        "src/io/file.c",
        "src/model/model_*.c",
        "src/model/own_term.c",
        "src/model/terms_decode.c",
        "src/model/utf8.c",
    ],
    "journal": ["src/tune/journal*.c"],
    "CSV reader": ["src/io/csv*.[ch]", "src/io/table*.c", "src/io/text_list.c"],
    "options": [
        "src/base/choice.c",
        "src/boost/*params.[ch]",
        "src/boost/schedule.c",
        "src/tune/settings.[ch]",
        "src/tune/space_text.c",
    ],
}

SECONDS = "1200"  # that a test may take: counting in loops takes time

# Stress tests that come to what no unit test does: failures of the system.
STRESS = "^stress/(failing_|torn_journals)"

# Tests of the program that kill it, take the files from it that it counts in, or time it.
LEFT_OUT = ["killed", "no_permission", "full_disk", "may_not_grow", "stopped_too"]


class Share(NamedTuple):
    """How many of something were reached."""

    reached: int
    of: int

    @property
    def percent(self) -> float:
        return 100 * self.reached / self.of if self.of else 100.0


def sum_of(shares: list[Share]) -> Share:
    return Share(sum(share.reached for share in shares), sum(share.of for share in shares))


# ---- What was counted ----


def lines_by_file(export: dict) -> dict[str, Share]:
    files = {Path(file["filename"]).relative_to(ROOT): file["summary"]["lines"] for file in export["data"][0]["files"]}
    return {
        str(path): Share(lines["covered"], lines["count"]) for path, lines in files.items() if path.parts[0] in COUNTED
    }


def branches_by_file(counted: Counter[Branch]) -> dict[str, Share]:
    of = Counter(str(branch.file) for branch in counted)
    reached = Counter(str(branch.file) for branch, count in counted.items() if count > 0)
    return {file: Share(reached[file], n) for file, n in of.items()}


def in_part(branch: Branch, part: str) -> bool:
    return any(map(branch.file.match, COMPLETE[part]))


def page(lines: dict[str, Share], branches: dict[str, Share], lists: dict[str, list[str]]) -> str:
    """The table of the files, and lists of what is wrong, if anything."""
    rows = ["# Lines and branches that the tests reach", ""]
    rows += ["| file | lines | reached | % | branches | reached | % |", "|---|--:|--:|--:|--:|--:|--:|"]
    for file in sorted(lines):
        shares = [lines[file], branches.get(file, Share(0, 0))]
        cells = [f"{share.of:,} | {share.reached:,} | {share.percent:.1f}" for share in shares]
        rows.append(f"| {file} | {' | '.join(cells)} |")
    for title, items in lists.items():
        if items:
            rows += ["", f"{title}:", "", *(f"- {item}" for item in items)]
    return "\n".join(rows) + "\n"


def evaluate(export: dict, reasons: dict[str, str]) -> tuple[Counts, str]:
    """What the figures are made of, and the page."""
    counted = count_branches(export, ROOT, COUNTED)
    lines, branches = lines_by_file(export), branches_by_file(counted)
    counts: Counts = {}
    for what, shares in (("lines", lines), ("branches", branches)):
        for made in set(COUNTED.values()):
            of = [share for file, share in shares.items() if COUNTED[Path(file).parts[0]] == made]
            counts[f"{what} of the {made}"] = sum_of(of).percent
    unexplained: list[str] = []
    needed: set[str] = set()
    for part in COMPLETE:
        of_part = [branch for branch in sorted(counted) if in_part(branch, part)]
        unreached = [branch for branch in of_part if counted[branch] == 0]
        missing = [f"line {branch.line}: `{branch.name}`" for branch in unreached if branch.name not in reasons]
        needed |= {branch.name for branch in unreached if branch.name in reasons}
        unexplained += missing
        counts |= {f"branches, {part}": len(of_part), f"unexplained, {part}": len(missing)}
    stale = sorted(f"`{name}`" for name in reasons.keys() - needed)
    counts |= {"reasons": len(needed), "stale reasons": len(stale)}
    lists = {"Without a test or a reason": unexplained, "Reasons that nothing needs": stale}
    return counts, page(lines, branches, lists)


# ---- Parts ----


def build_afresh(run: Run) -> Counts:
    build(PRESET, run.log)
    shutil.rmtree(FOLDER / "counts", ignore_errors=True)
    return {}


def tests(name: str, *chosen: str) -> Part:
    def test(run: Run) -> Counts:
        passed, failed, _ = ctest(PRESET, run.log, chosen=["--timeout", SECONDS, *chosen])
        return {"passed": passed, "failed": failed}

    return Part(name, test)


def tests_of_program(run: Run) -> Counts:
    make_venv(BUILD / "venv", requirements("tests/requirements.txt"))
    environment = dict(os.environ, MIXBOOST_BUILD=str(FOLDER), MIXBOOST_PROGRAM=str(FOLDER / "mixboost"))
    left_out = " or ".join(LEFT_OUT)
    arguments = ["tests/cli", "tests/format", "-k", f"not ({left_out})"]
    return run_pytest(PRESET, arguments, run.log, python=BUILD / "venv" / "bin" / "python", env=environment)


def export(run: Run) -> dict:
    """What llvm-cov says of the library, the program, and the sources that unit tests include."""
    merged = run.folder / "merged.profdata"
    must_run(["llvm-profdata", "merge", *(FOLDER / "counts").iterdir(), "-o", merged], run.log, "merging the counts")
    tests = [path for path in sorted((FOLDER / "tests").glob("test_*")) if path.is_file()]
    objects = [argument for path in (FOLDER / "mixboost", *tests) for argument in ("-object", path)]
    command = ["llvm-cov", "export", f"-instr-profile={merged}", FOLDER / "libmixboost.so", *objects]
    with open(run.log, "a") as log:
        return json.loads(subprocess.run(command, stdout=subprocess.PIPE, stderr=log, check=True).stdout)


def count(run: Run) -> Counts:
    counts, table = evaluate(export(run), read_reasons(REASONS.read_text()))
    RESULTS.mkdir(parents=True, exist_ok=True)
    (RESULTS / "coverage.md").write_text(table)
    print(f"\n{table}", flush=True)
    return counts


def parts(is_short: bool) -> list[Part]:
    """The unit tests are the short form."""
    if is_short:
        return []
    return [
        Part("build", build_afresh),
        tests("unit tests", "-LE", "stress"),
        tests("failures of the system", "-R", STRESS),
        Part("program", tests_of_program),
        Part("count", count),
    ]


def figures(counts: dict[str, Counts], _is_short: bool) -> list[Figure]:
    found = counts["count"]
    complete = [
        figure
        for part in COMPLETE
        for figure in (
            Figure(f"branches of the {part}", found[f"branches, {part}"]),
            Figure("of these without a test or a reason", found[f"unexplained, {part}"], "= 0"),
        )
    ]
    return [
        Figure("tests that counted", total(counts, "passed"), "≥ 1000"),
        Figure("of these that failed", total(counts, "failed"), "= 0"),
        Figure("lines of the library that they reach, in %", found["lines of the library"], "≥ 95"),
        Figure("branches of the library, in %", found["branches of the library"]),
        Figure("lines of the program, in %", found["lines of the program"]),
        Figure("branches of the program, in %", found["branches of the program"]),
        *complete,
        Figure("branches of these with a reason in place of a test", found["reasons"]),
        Figure("reasons that nothing needs", found["stale reasons"], "= 0"),
    ]


COVERAGE = Section("coverage", "Lines and branches that are tested", parts, figures, in_order=True)
