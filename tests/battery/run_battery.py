"""Runs sections of the reliability battery.

    ./dev battery [SECTION ...] [--short] [--tables] [--forget]

Without a name all sections run, each within an hour on two processors. A run that was stopped goes on where it was, and
tries parts that failed again; other parts do not wait for these.
Figures go to tests/battery/results, the table of all of them to README.md there, and a digest to docs/reliability.md.
"""

from __future__ import annotations

import argparse
import sys

from bad_input import BAD_INPUT
from bit_identity import IDENTITY
from coverage import COVERAGE
from faults import FAULTS
from fuzzing import FUZZING
from golden_models import GOLDEN
from kills import KILLS
from mutants import MUTANTS
from mutation import MUTATION
from numbers_at_ends import NUMBERS
from planted import PLANTED
from processes import PROCESSES
from searches import SEARCHES
from security import SECURITY
from size import SIZE
from soak import SOAK
from trainings import TRAININGS

from battery import KEPT, Figure, Section, known_results, number, run_full, run_short, summary, write_pages
from tools.logs import end_by_signals

ALL = (
    FUZZING,
    MUTANTS,
    BAD_INPUT,
    FAULTS,
    KILLS,
    SEARCHES,
    NUMBERS,
    TRAININGS,
    IDENTITY,
    GOLDEN,
    SOAK,
    PROCESSES,
    SIZE,
    SECURITY,
    COVERAGE,
    PLANTED,
    MUTATION,
)
SECTIONS = {section.name: section for section in ALL}


def tell(section: Section, figures: list[Figure]) -> None:
    for figure in figures:
        verdict = "" if not figure.must else f" (must be {figure.must})" if figure.is_met else f" NOT {figure.must}"
        print(f"{section.name}: {figure.full_title}: {number(figure.measured)}{verdict}", flush=True)


def run(section: Section, is_short: bool, is_anew: bool) -> list[Figure]:
    if is_anew:
        (KEPT / f"{section.name}.jsonl").unlink(missing_ok=True)
    figures = (run_short if is_short else run_full)(section)
    if is_short and not figures:
        print(f"{section.name}: ./dev test has its short form among the other tests", flush=True)
    tell(section, figures)
    if not is_short:
        write_pages()
    return figures


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], prog="./dev battery")
    parser.add_argument("sections", nargs="*", choices=[[], *SECTIONS], metavar="SECTION", help=", ".join(SECTIONS))
    parser.add_argument("--short", action="store_true", help="the form that ./dev test runs; it keeps nothing")
    parser.add_argument("--tables", action="store_true", help="only print and write the table of what is known")
    parser.add_argument("--forget", action="store_true", help="do the parts that are done anew")
    arguments = parser.parse_args()
    figures: list[Figure] = []
    if arguments.tables:
        write_pages()
    else:
        for section in (SECTIONS[name] for name in arguments.sections or SECTIONS):
            figures += run(section, arguments.short, arguments.forget)
    if not arguments.short:
        print(summary(known_results()))
    n_missed = sum(not figure.is_met for figure in figures)
    print(f"{len(figures) - n_missed} figures are met, {n_missed} are not")
    return 1 if n_missed else 0


if __name__ == "__main__":
    end_by_signals()
    sys.exit(main())
