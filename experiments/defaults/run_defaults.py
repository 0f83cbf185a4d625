"""Measures how well everybody predicts as it comes, on every set of the data folder.

    ./dev experiments defaults [--run peers|ours|ablation|all|sizes|times] [--sets SET ...] [--seeds N]
                               [--contestants NAME ...] [--quick] [--tables] [--data FOLDER]

Every fit runs in a process of its own and is kept once it is done; a run goes on where an earlier one stopped. Prints
tables; with all sets it also writes them, and pictures, into experiments/defaults/results. README.md beside this file
says more.
"""

from __future__ import annotations

import argparse
import os
from importlib import import_module
from pathlib import Path

import sets
from dots import draw
from entrants import ABLATIONS, BASELINES, CONTESTANTS, OTHER_VALUES, OURS, PEERS, PLAIN, SIZES, STOPPING, TIMES
from fits import fit_all, loss_tasks, size_tasks, tell, time_tasks
from machine import describe
from outcomes import Journal, Outcome
from ratios import losses_of
from result_pages import ablation_page, loss_page, named, size_page, time_page, with_better_snapml
from targets import BETTER_SNAPML

RESULTS = Path(__file__).with_name("results")
JOURNALS = ("peers", "ours", "sizes", TIMES)
RUNS = {
    "peers": [*PEERS],
    "ours": [*OURS],
    "ablation": ["ours", *ABLATIONS, *OTHER_VALUES],
    "all": [*CONTESTANTS],
    "sizes": [*BASELINES, "catboost", "lightgbm", "xgboost", "sklearn-hgb", "ours"],
    TIMES: [*PEERS, "ours", "ours-trees"],
}
QUICK_SETS = ["parkinsons", "bank8FM", "mammography", "pendigits", "elevators"]
TIMED_SETS = ["bank8FM", "elevators", "letter", "adult", "rossmann"]
DRAWN_PEERS = ["catboost", "lightgbm", "xgboost", "sklearn-hgb", BETTER_SNAPML]
MODULES = {"scikit-learn": "sklearn.ensemble", "mixboost": "mixboost._estimators"}  # what takes long to import


def run(arguments: argparse.Namespace, journals: dict[str, Journal]) -> None:
    contestants = arguments.contestants or RUNS[arguments.run]
    for package in {CONTESTANTS[name].package for name in contestants}:
        import_module(MODULES.get(package, package))  # once, for all the processes of fits
    if arguments.run == TIMES:
        tasks = time_tasks(those_here(arguments.sets or TIMED_SETS), contestants)
    else:
        make_tasks = size_tasks if arguments.run == "sizes" else loss_tasks
        tasks = make_tasks(those_here(arguments.sets or sets.NAMES), arguments.seeds, contestants)
    fit_all(tasks, journals, describe())


def those_here(names: list[str]) -> list[str]:
    for name in names:
        if not sets.is_here(name):
            tell(f"{name}: left out, since there is no {sets.path_of(name)}")
    return [name for name in names if sets.is_here(name)]


def make_pages(outcomes: list[Outcome]) -> dict[str, str]:
    """The text of every page that there are results for."""
    pages = {protocol: loss_page(outcomes, protocol) for protocol in (STOPPING, PLAIN) if losses_of(outcomes, protocol)}
    if named([*ABLATIONS, *OTHER_VALUES], losses_of(outcomes, STOPPING)):
        pages["ablation"] = ablation_page(outcomes)
    if any(outcome.key.protocol in SIZES for outcome in outcomes):
        pages["sizes"] = size_page(outcomes)
    machine = describe()
    if any(outcome.key.machine == machine for outcome in outcomes):
        pages["fit-times"] = time_page(outcomes, machine)
    return pages


def write_results(outcomes: list[Outcome], pages: dict[str, str]) -> None:
    RESULTS.mkdir(exist_ok=True)
    for name, text in pages.items():
        losses = with_better_snapml(losses_of(outcomes, name))
        peers = named(DRAWN_PEERS, losses)
        if "ours" in losses and peers:
            draw(losses, "ours", peers, RESULTS / f"{name}.png")
            text += f"\n![Ratios on every set]({name}.png)\n"
        (RESULTS / f"{name}.md").write_text(text)


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], prog="./dev experiments defaults")
    parser.add_argument("--run", choices=[*RUNS], default="all", help="whose losses, or on how many rows, or fit times")
    parser.add_argument("--sets", nargs="+", metavar="SET", choices=sets.NAMES, help=f"some of: {' '.join(sets.NAMES)}")
    parser.add_argument("--seeds", type=int, default=3, metavar="N", help="how many, from 0 on (default: 3)")
    parser.add_argument("--contestants", nargs="+", metavar="NAME", choices=[*CONTESTANTS], help="instead of --run's")
    parser.add_argument("--quick", action="store_true", help="a few small sets, one seed, peers and ours: ten minutes")
    parser.add_argument("--tables", action="store_true", help="only print and write what is known")
    parser.add_argument("--forget-old", action="store_true", help="first drop results that later ones replaced")
    parser.add_argument("--data", type=Path, help=f"the data folder (default: {sets.FOLDER_VARIABLE}, ../shared/data)")
    arguments = parser.parse_args()
    if arguments.quick:
        arguments.sets, arguments.seeds = arguments.sets or QUICK_SETS, 1
        arguments.contestants = arguments.contestants or [*PEERS, *OURS]
    return arguments


def main() -> None:
    arguments = parse_arguments()
    if arguments.data is not None:
        os.environ[sets.FOLDER_VARIABLE] = str(arguments.data)
    journals = {name: Journal(RESULTS / f"{name}.jsonl") for name in JOURNALS}
    if arguments.forget_old:
        for journal in journals.values():
            journal.forget_old()
    if not arguments.tables:
        run(arguments, journals)
    outcomes = [outcome for journal in journals.values() for outcome in journal.latest()]
    shown = arguments.sets or sets.NAMES
    outcomes = [o for o in outcomes if o.key.set in shown and o.key.seed < arguments.seeds]
    pages = make_pages(outcomes)
    print("\n".join(pages.values()))
    if arguments.sets is None:
        write_results(outcomes, pages)
        print(f"Written to {RESULTS.relative_to(sets.ROOT)}: {', '.join(f'{name}.md' for name in pages)}.")


if __name__ == "__main__":
    main()
