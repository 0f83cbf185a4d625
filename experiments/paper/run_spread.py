"""How far our losses of the OpenML and NODE sets move: with the deal of the folds, with the seed, with more members.

    ./dev experiments spread openml
    ./dev experiments spread node --sets bank8FM puma32H

What our searches at full scale chose for the outer folds is trained again. On the folds of other shuffles rows that
judge had a part in the choice, so those losses are about what a difference from a published one weighs, not about which
is better; those of other seeds and of several members are on the folds of the experiment, where they had none. Losses
are kept in results/spread.jsonl, so a run that was stopped goes on where it was. Writes results/openml-spread.md or
node-spread.md, and a digest into docs/experiments.md.
"""

from __future__ import annotations

import argparse
import json
from datetime import date
from statistics import mean, stdev
from typing import Any, NamedTuple

import numpy as np
import problems
from entrants import package_version
from halving import Study
from machine import describe
from our_search import Ours, predict_test
from places import ROOT, write_part_of_page
from problems import N_FOLDS, NODE, OPENML, Problem, Table, balanced_weights, fold_rows, loss
from published import LOSSES, SNAPBOOST, is_comparable
from records import RESULTS, Record, RecordFile, append_lines, whole_lines
from rivals import Options, Part
from scales import EXPERIMENTS
from sets import Rows
from tables import table
from workers import n_processors

SCALE = "full"
DOCUMENT = ROOT / "docs" / "experiments.md"
BESIDE = {OPENML: [SNAPBOOST], NODE: ["NODE", SNAPBOOST]}  # whose published losses the digest has


class Way(NamedTuple):
    """What is other than in the experiment."""

    name: str
    seeds: range
    deals_folds: bool = False
    n_members: int = 1


MEMBERS = 4
SHUFFLES = Way("shuffles", range(1, 21), deals_folds=True)  # 0 is that of the experiments
ALONE = Way("seeds", range(5))  # 0 is that of the experiments
TOGETHER = Way(f"{MEMBERS} members", range(5), n_members=MEMBERS)

Kept = dict[str, Any]  # a line of the file: whose losses, by which options, and what they are


def results_of(experiment: str, contestant: str, a_set: str) -> list[Record]:
    """Of each outer fold; none where a fold is not done."""
    known = RecordFile(RESULTS / f"{experiment}.jsonl").known.values()
    records = [one for one in known if one.key[1:4] == (SCALE, a_set, contestant) and one.loss is not None]
    return sorted(records, key=lambda one: one.key.fold) if len(records) == N_FOLDS[experiment] else []


def chosen(experiment: str, contestant: str, a_set: str) -> list[Options]:
    return [record.options for record in results_of(experiment, contestant, a_set)]


# ---- Losses -----------------------------------------------------------------------------------------------------


def loss_of(ours: Ours, data: Table, train: Rows, test: Rows, options: Options, seed: int) -> float:
    part = Part(data.X[train], data.y[train], balanced_weights(data, train))
    study = Study(part, data.X[test], data.is_classification, data.is_log, parts=[], judges=[])
    predicted = predict_test(ours, study, options, seed, n_processors())
    return loss(data.y[test], predicted, balanced_weights(data, test), data.is_classification, data.is_log)


def folds_of(problem: Problem, seed: int, way: Way) -> list[tuple[Rows, Rows]]:
    if way.deals_folds:
        return fold_rows(problem.table, np.arange(len(problem.table.y)), len(problem.folds), seed)
    return [(fold.train, fold.test) for fold in problem.folds]


def losses(ours: Ours, problem: Problem, options: list[Options], way: Way) -> list[float]:
    """The mean of the folds, for each seed."""
    found = []
    for seed in way.seeds:
        pairs = zip(folds_of(problem, seed, way), options, strict=True)
        settings = [(rows, {**one, "n_members": way.n_members}) for rows, one in pairs]
        found.append(mean(loss_of(ours, problem.table, *rows, one, seed) for rows, one in settings))
    return found


def read_kept() -> list[Kept]:
    path = RESULTS / "spread.jsonl"
    return [json.loads(line) for line in whole_lines(path)] if path.exists() else []


class Replay(NamedTuple):
    """What was chosen for a set, to be trained again in some way."""

    experiment: str
    contestant: str
    set: str
    way: str
    options: list[Options]


def kept_of(known: list[Kept], replay: Replay) -> Kept | None:
    """Of whatever version: its page says of which."""
    found = [one for one in known if Replay(*(one[name] for name in Replay._fields)) == replay]
    return found[-1] if found else None


def measure(ours: Ours, way: Way, replay: Replay) -> None:
    """Keeps the losses."""
    found = losses(ours, problems.load(replay.experiment, replay.set), replay.options, way)
    line = {
        **replay._asdict(),
        "losses": found,
        "version": package_version(ours.package),
        "machine": describe(),
        "date": date.today().isoformat(),
    }
    append_lines(RESULTS / "spread.jsonl", json.dumps(line) + "\n")
    print(f"{replay.set}, {way.name}: {ours.name} {mean(found):.4g} ± {stdev(found):.2g}", flush=True)


# ---- The page ---------------------------------------------------------------------------------------------------


def beside_published(experiment: str, one: Kept) -> list[str]:
    """Each published loss, and how many are below it; nothing where it was published of another label."""
    if not is_comparable(experiment, one["set"]):
        return [""] * (2 * len(LOSSES[experiment]))
    published = [of[one["set"]] for of in LOSSES[experiment].values()]
    n_below = [sum(each < theirs for each in one["losses"]) for theirs in published]
    n_losses = len(one["losses"])
    return [
        cell for theirs, n in zip(published, n_below, strict=True) for cell in (f"{theirs:.4g}", f"{n} of {n_losses}")
    ]


def figures(*numbers: float) -> list[str]:
    return [f"{number:.4g}" for number in numbers]


def row_of_shuffles(experiment: str, one: Kept) -> list[str]:
    found = one["losses"]
    of_all = figures(mean(found), stdev(found), min(found), max(found))
    return [one["set"], *of_all, *beside_published(experiment, one)]


def row_of_members(experiment: str, alone: Kept, together: Kept) -> list[str]:
    of_both = figures(*(f(one["losses"]) for one in (alone, together) for f in (mean, stdev)))
    return [alone["set"], *of_both, *beside_published(experiment, together)]


def table_of_shuffles(experiment: str, found: list[Kept], whose: list[str]) -> str:
    columns = ["", "mean", "standard deviation", "least", "most", *whose]
    return (
        f"\nOn the {N_FOLDS[experiment]} folds of {len(SHUFFLES.seeds)} other shuffles. Rows that judge here had a part"
        f" in the choice.\n\n{table(columns, [row_of_shuffles(experiment, one) for one in found])}"
    )


def table_of_members(experiment: str, found: list[tuple[Kept, Kept]], whose: list[str]) -> str:
    columns = ["", "one: mean", "standard deviation", f"{MEMBERS}: mean", "standard deviation", *whose]
    return (
        f"\nOn the folds of the experiment, with {len(ALONE.seeds)} seeds: one ensemble, and"
        f" `n_members={MEMBERS}`.\n\n{table(columns, [row_of_members(experiment, *pair) for pair in found])}"
    )


def part_of_page(experiment: str, ours: Ours, known: list[Kept]) -> str:
    whose = [column for who in LOSSES[experiment] for column in (f"{who}, published", "below it")]
    shuffled, alone, together = (kept_by_set(known, experiment, ours, way) for way in (SHUFFLES, ALONE, TOGETHER))
    pairs = [(one, together[a_set]) for a_set, one in alone.items() if a_set in together]
    shown = [*shuffled.values(), *(one for pair in pairs for one in pair)]
    if not shown:
        return ""
    made = sorted({f"- {one['version']}; {one['machine']}; {one['date']}\n" for one in shown})
    text = f"\n## {ours.name}\n\n{''.join(made)}"
    text += table_of_shuffles(experiment, list(shuffled.values()), whose) if shuffled else ""
    text += table_of_members(experiment, pairs, whose) if pairs else ""
    return text


def page(experiment: str) -> str:
    known = read_kept()
    text = (
        f"# {EXPERIMENTS[experiment].title}: what moves a loss\n\nThe losses of what the searches at scale {SCALE}"
        f" chose, trained again (`./dev experiments spread {experiment}`).\n"
    )
    return text + "".join(part_of_page(experiment, ours, known) for ours in ours_of(experiment))


# ---- The digest for docs/experiments.md -------------------------------------------------------------------------


class Moved(NamedTuple):
    """A set's loss in the experiment, and how it moves."""

    set: str
    loss: float
    shuffled: list[float]
    alone: list[float]
    together: list[float]


def row_of_digest(experiment: str, moved: Moved) -> list[str]:
    """How far the loss is from what was published, in deviations of shuffles."""
    deviation = stdev(moved.shuffled)
    row = [moved.set, *figures(moved.loss, mean(moved.alone), mean(moved.together), deviation)]
    for who in BESIDE[experiment]:
        if is_comparable(experiment, moved.set):
            theirs = LOSSES[experiment][who][moved.set]
            row.append(f"{(moved.loss - theirs) / deviation:+.1f}" if deviation > 0 else "")
            row += [f"{sum(each < theirs for each in losses)}" for losses in (moved.shuffled, moved.alone)]
        else:
            row += [""] * 3
    return row


def counts_below(experiment: str, ours: Ours, found: list[Moved]) -> str:
    """Of the sets that can be compared."""
    text = ""
    for who in BESIDE[experiment]:
        theirs = {moved.set: LOSSES[experiment][who][moved.set] for moved in found}
        compared = [moved for moved in found if is_comparable(experiment, moved.set)]
        above = sum(moved.loss < theirs[moved.set] for moved in compared)
        alone = sum(mean(moved.alone) < theirs[moved.set] for moved in compared)
        together = sum(mean(moved.together) < theirs[moved.set] for moved in compared)
        text += (
            f"\nBelow {who}'s published losses, of {len(compared)}: {ours.name} {above} in the table, {alone} by the"
            f" mean of the seeds, {together} by that with {MEMBERS} members.\n"
        )
    return text


def digest(experiment: str) -> str:
    """Of the sets that are done in every way."""
    known = read_kept()
    seeds = f"{len(ALONE.seeds)} seeds"
    columns = ["", "loss above", f"mean of {seeds}", f"with {MEMBERS} members", "deviation of shuffles"]
    for who in BESIDE[experiment]:
        columns += [f"from {who}'s", f"shuffles below, of {len(SHUFFLES.seeds)}", f"seeds below, of {len(ALONE.seeds)}"]
    text = ""
    for ours in ours_of(experiment):
        ways = [kept_by_set(known, experiment, ours, way) for way in (SHUFFLES, ALONE, TOGETHER)]
        found = [
            Moved(a_set, loss_above(experiment, ours, a_set), *(of_way[a_set]["losses"] for of_way in ways))
            for a_set in ways[0]
            if all(a_set in of_way for of_way in ways)
        ]
        if found:
            rows = [row_of_digest(experiment, moved) for moved in found]
            text += f"\n{ours.name}:\n\n{table(columns, rows)}{counts_below(experiment, ours, found)}"
    return f"{text}\n" if text else ""


def loss_above(experiment: str, ours: Ours, a_set: str) -> float:
    """That of the table."""
    return mean(record.loss for record in results_of(experiment, ours.name, a_set) if record.loss is not None)


# ---- What is known ----------------------------------------------------------------------------------------------


def kept_by_set(known: list[Kept], experiment: str, ours: Ours, way: Way) -> dict[str, Kept]:
    found = {}
    for replay in replays(experiment, ours, way, EXPERIMENTS[experiment].sets):
        one = kept_of(known, replay)
        if one is not None:
            found[replay.set] = one
    return found


def replays(experiment: str, ours: Ours, way: Way, sets: list[str]) -> list[Replay]:
    """Of the sets that are done."""
    options = {a_set: chosen(experiment, ours.name, a_set) for a_set in sets}
    return [Replay(experiment, ours.name, a_set, way.name, each) for a_set, each in options.items() if each]


def ours_of(experiment: str) -> list[Ours]:
    return [one for one in EXPERIMENTS[experiment].contestants.values() if isinstance(one, Ours)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], prog="./dev experiments spread")
    parser.add_argument("experiment", choices=list(BESIDE))
    parser.add_argument("--sets", nargs="+", metavar="SET", help="only these")
    parser.add_argument("--tables", action="store_true", help="fit nothing: print and write what is known")
    arguments = parser.parse_args()
    experiment = arguments.experiment
    names = arguments.sets or EXPERIMENTS[experiment].sets
    for unknown in set(names) - set(EXPERIMENTS[experiment].sets):
        parser.error(f"there is no set {unknown!r}; there are {', '.join(EXPERIMENTS[experiment].sets)}")
    for ours in [] if arguments.tables else ours_of(experiment):
        for way in (SHUFFLES, ALONE, TOGETHER):
            for replay in replays(experiment, ours, way, names):
                if kept_of(read_kept(), replay) is None:
                    measure(ours, way, replay)
    text = page(experiment)
    (RESULTS / f"{experiment}-spread.md").write_text(text)
    write_part_of_page(DOCUMENT, f"./dev experiments spread {experiment}", digest(experiment))
    print(text)


if __name__ == "__main__":
    main()
