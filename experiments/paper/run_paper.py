"""Does the paper's experiments again: everybody tuned alike by successive halving, and judged on rows left out.

    ./dev experiments openml|node|kaggle [--scale full|medium|small|confirm] [--contestants NAME ...] [--sets SET ...]
                                         [--hours N] [--tables] [--forget] [--data FOLDER]

A run that was stopped goes on where it stopped. Prints tables, and writes them and pictures into
experiments/paper/results, and a digest into docs/experiments.md. README.md beside this file says more.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

import problems
import sets
from contests import Setting, fold_of, forget_trials, is_done, run_set
from paper_pages import make_digest, make_page
from places import ROOT, write_part_of_page
from problems import KAGGLE
from progress_line import Progress
from records import RESULTS, Record, RecordFile
from rivals import Rival
from scales import EXPERIMENTS, SCALES, Contestant, Experiment
from workers import n_processors

DOCUMENT = ROOT / "docs" / "experiments.md"
LINK = "../experiments/paper/results/"  # from there to the results


def those_that_can(contestants: list[Contestant]) -> list[Contestant]:
    """Without those whose environment was not made."""
    able = []
    for contestant in contestants:
        if isinstance(contestant, Rival) and contestant.python is not None and not contestant.python.exists():
            print(f"{contestant.name} is left out, since there is no {contestant.python}", file=sys.stderr)
        else:
            able.append(contestant)
    return able


def run(setting: Setting, names: list[str], contestants: list[Contestant], file: RecordFile) -> None:
    """Set by set, everybody in turn."""
    progress = Progress(work_left(setting, names, contestants, file), sys.stderr)
    try:
        for name in names:
            for contestant in contestants:
                problem = problems.load(setting.experiment.name, name, setting.deal)
                run_set(setting, problem, contestant, file, progress)
    finally:
        progress.end()


def work_left(setting: Setting, names: list[str], contestants: list[Contestant], file: RecordFile) -> dict[str, float]:
    left = dict.fromkeys((contestant.name for contestant in contestants), 0.0)
    n_folds, fold = None, None
    for name in names:
        if n_folds is None or fold is None:  # they are alike for all sets of an experiment
            problem = problems.load(setting.experiment.name, name, setting.deal)
            n_folds, fold = len(problem.folds), fold_of(setting, problem, 0)
        for contestant in contestants:
            for number in range(n_folds):
                keys = setting.keys(name, contestant.name, number)
                if not is_done([file.known[key] for key in keys if key in file.known], keys, setting.hours):
                    left[contestant.name] += setting.work(fold)
    return left


def forget(setting: Setting, names: list[str], contestants: list[Contestant], file: RecordFile) -> None:
    who = [contestant.name for contestant in contestants]
    n_dropped = file.forget(setting.scale, names, who)
    for name in names:
        for contestant in who:
            forget_trials(setting, name, contestant)
    print(f"{n_dropped} results and the trials of their searches are forgotten.")


def write_pages(experiment: Experiment, records: list[Record]) -> None:
    page = make_page(experiment, records, RESULTS)
    (RESULTS / f"{experiment.name}.md").write_text(page)
    write_part_of_page(
        DOCUMENT, f"./dev experiments {experiment.name}", make_digest(experiment, records, RESULTS, LINK)
    )
    print(page)


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], prog="./dev experiments")
    parser.add_argument("experiment", choices=[*EXPERIMENTS])
    parser.add_argument("--scale", choices=[*SCALES], default="small", help="how much is done (default: small)")
    parser.add_argument("--contestants", nargs="+", metavar="NAME", help="some of them")
    parser.add_argument("--sets", nargs="+", metavar="SET", help="some of them")
    parser.add_argument("--hours", type=float, default=8, help="after which a contestant is dropped from a set")
    parser.add_argument("--tables", action="store_true", help="only print and write what is known")
    parser.add_argument("--forget", action="store_true", help="drop what is known of these, and do nothing else")
    parser.add_argument("--data", type=Path, help=f"the data folder (default: {sets.FOLDER_VARIABLE}, ../shared/data)")
    arguments = parser.parse_args()
    experiment = EXPERIMENTS[arguments.experiment]
    for what, known in (("contestants", [*experiment.contestants]), ("sets", experiment.sets)):
        unknown = [name for name in getattr(arguments, what) or [] if name not in known]
        if unknown:
            parser.error(f"no such {what}: {', '.join(unknown)}; there are: {', '.join(known)}")
    if arguments.scale == "confirm" and experiment.name == KAGGLE:
        parser.error("the Kaggle-style sets have one split, so there are no other folds to confirm by")
    return arguments


def main() -> None:
    arguments = parse_arguments()
    if arguments.data is not None:
        os.environ[sets.FOLDER_VARIABLE] = str(arguments.data)
    experiment = EXPERIMENTS[arguments.experiment]
    setting = Setting(experiment, arguments.scale, n_processors(), arguments.hours)
    names = arguments.sets or experiment.sets
    contestants = [experiment.contestants[name] for name in arguments.contestants or experiment.contestants]
    file = RecordFile(RESULTS / f"{experiment.name}.jsonl")
    if arguments.forget:
        forget(setting, names, contestants, file)
    elif not arguments.tables:
        run(setting, names, those_that_can(contestants), file)
    write_pages(experiment, list(file.known.values()))


if __name__ == "__main__":
    main()
