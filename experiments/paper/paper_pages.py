"""The results of an experiment as Markdown, a section for each scale that was run, and its pictures."""

from __future__ import annotations

from pathlib import Path
from statistics import mean, stdev
from typing import NamedTuple

from our_search import Ours
from pictures import bars, boxes, critical_differences
from problems import KAGGLE, N_FOLDS, NODE, OPENML
from published import (
    HOURS,
    LOSSES,
    NODE_NOT_COMPARABLE,
    OPENML_LOSSES,
    OPENML_RANKS,
    SNAPBOOST,
    is_comparable,
)
from records import Record
from rivals import MOST_ROUNDS, PATIENCE, Rival
from scales import SCALES, Experiment, stages_of
from significance import (
    average_ranks,
    friedman,
    friedman_text,
    is_partial,
    pair_text,
    report,
    sets_of,
    shared,
)
from tables import table

LEAST = "The least loss of those run here is bold."
OF_OUR_DEFAULT_SPACE = (
    "Its first configuration is the defaults themselves, which go on to the last stage unless one alone does. They were"
    " chosen on these sets among others, with other splits. Three changes followed from losses on these sets:"
    " `split_prior` (puma32H), standardised inputs that end at six deviations (elevators), and rounds left to the last"
    " training where few rows of a class judge (CreditCardSubset)."
)
OF_STOPPING = (
    "The default space of ours stops early on the rows that judge, as its users do, and so do the rivals called"
    f" stopping ({MOST_ROUNDS:,} rounds at the most, patience {PATIENCE}, the library's own defaults as the first"
    f" configuration); the others draw the number of rounds. {OF_OUR_DEFAULT_SPACE}"
)
NOTES = {
    OPENML: "Sample-weighted log-loss, the mean of the outer folds. CreditCardSubset lacks `Time`, one of its 30 "
    f"features. snapml has no published space: it has SnapBoost's. {LEAST} {OF_STOPPING}",
    NODE: "Root mean squared error, the mean of the outer folds. The published figures of "
    f"{', '.join(NODE_NOT_COMPARABLE)} cannot belong to the stated label, whose standard deviation is 0.101: they are "
    "shown, and not counted. Rivals have the rounds, depths and learning rates that the paper gives SnapBoost here; "
    "XGBoost gets labels of mean 0 and deviation 1, since it takes no split that gains less than 1e-6. "
    f"{LEAST} {OF_STOPPING}",
    KAGGLE: "Mean and standard deviation over seeds. rossmann: root mean squared error of the sales. credit card: the "
    "14,240 rows of CreditCardSubset in place of the whole set, which cannot be had; sample-weighted log-loss. "
    "nycflights13 in place of Mercari: root mean squared error of `arr_delay` in minutes; times of departure and "
    "arrival are among the features, for everybody. The published time of SB is less than half an hour. KTBoost fits "
    f"regressions by gradient steps, which for squared errors are Newton's. {LEAST} SB and SB-T draw from the paper's "
    f"space. The default space of ours is its own. {OF_OUR_DEFAULT_SPACE}",
}
STAND_INS = {"credit card": "credit card, a sample", "nycflights13": "nycflights13, for Mercari"}  # as tables call them
SHOWN_DIGITS = 4

Losses = dict[str, dict[str, float]]  # by contestant and set


class Cell(NamedTuple):
    """A contestant on a set at a scale."""

    losses: list[float]  # of the outer folds or seeds, if all of them are there
    error: str | None
    tuning_seconds: float  # of all trials, on one processor
    fit_seconds: float
    n_trials: int
    n_failed: int
    n_processors: int


Cells = dict[str, dict[str, Cell]]  # by contestant and set


# ---- Gathering --------------------------------------------------------------------------------------------------


def n_expected(experiment: Experiment, scale: str) -> int:
    """Records of a contestant on a set: outer folds, or seeds."""
    return N_FOLDS[experiment.name] * min(experiment.n_seeds, SCALES[scale].max_seeds)


def cell_of(records: list[Record], expected: int) -> Cell:
    """Kaggle-style records of one fold share a search."""
    errors = [record.error for record in records if record.error is not None]
    found = [record.loss for record in records if record.loss is not None]
    searches = {record.key.fold: record for record in records}.values()
    return Cell(
        found if len(found) == expected else [],
        errors[0] if errors else None if len(found) == expected else f"{len(found)} of {expected}",
        sum(record.tuning_seconds for record in searches),
        sum(record.fit_seconds for record in records),
        sum(record.n_trials for record in searches),
        sum(record.n_failed for record in searches),
        max(record.n_processors for record in records),
    )


def cells_of(experiment: Experiment, records: list[Record], scale: str) -> Cells:
    cells: Cells = {}
    for contestant in experiment.contestants:
        for a_set in experiment.sets:
            here = [r for r in records if (r.key.scale, r.key.contestant, r.key.set) == (scale, contestant, a_set)]
            if here:
                cells.setdefault(contestant, {})[a_set] = cell_of(here, n_expected(experiment, scale))
    return cells


def losses_of(cells: Cells) -> Losses:
    found = {who: {a_set: mean(cell.losses) for a_set, cell in of.items() if cell.losses} for who, of in cells.items()}
    return {who: of_sets for who, of_sets in found.items() if of_sets}


def scales_in(records: list[Record]) -> list[str]:
    return [scale for scale in SCALES if any(record.key.scale == scale for record in records)]


def sets_in(experiment: Experiment, cells: Cells) -> list[str]:
    return [a_set for a_set in experiment.sets if any(a_set in of_sets for of_sets in cells.values())]


# ---- Tables -----------------------------------------------------------------------------------------------------


def digits(value: float) -> str:
    return f"{value:.{SHOWN_DIGITS}g}"


def loss_cell(cell: Cell | None, is_least: bool, with_deviation: bool) -> str:
    if cell is None:
        return ""
    if not cell.losses:
        return cell.error or ""
    text = digits(mean(cell.losses))
    text = f"**{text}**" if is_least else text
    return f"{text} ± {stdev(cell.losses):.2g}" if with_deviation and len(cell.losses) > 1 else text


def loss_table(experiment: Experiment, cells: Cells) -> str:
    """The published losses, then everybody's; the least of those that were run here stands out."""
    published, losses, names = LOSSES[experiment.name], losses_of(cells), list(cells)
    rows = []
    for a_set in sets_in(experiment, cells):
        found = [of_sets[a_set] for of_sets in losses.values() if a_set in of_sets]
        least = min(found) if len(found) > 1 else None
        row = [digits(of[a_set]) if a_set in of else "" for of in published.values()]
        for who in names:
            is_least = least is not None and losses.get(who, {}).get(a_set) == least
            row.append(loss_cell(cells[who].get(a_set), is_least, experiment.n_seeds > 1))
        rows.append([title_of(a_set), *row])
    columns = [*((who, "theirs") for who in published), *((who, "here") for who in names)]

    def rank_row(title: str, ranks: dict[str, float], whose: str) -> None:
        """None of a single contestant."""
        if len(ranks) > 1:
            cells_of_row = (ranks.get(who) if of == whose else None for who, of in columns)
            rows.append([title, *("" if rank is None else f"{rank:.2f}" for rank in cells_of_row)])

    rank_row("average rank of those published", OPENML_RANKS if experiment.name == OPENML else {}, "theirs")
    rank_row("average rank", average_ranks(losses), "here")
    if is_partial(losses):
        title = f"average rank, the {len(sets_of(shared(losses)))} sets that all have"
        rank_row(title, average_ranks(shared(losses)), "here")
    return table(["", *(f"{who}, published" for who in published), *names], rows)


def title_of(a_set: str) -> str:
    return STAND_INS.get(a_set, a_set)


def below_table(experiment: Experiment, cells: Cells) -> str:
    """How often each is below what was published."""
    published, losses = LOSSES[experiment.name], losses_of(cells)
    rows = []
    for who, of_sets in losses.items():
        row = [who]
        for theirs in published.values():
            both = [a_set for a_set in of_sets if a_set in theirs and is_comparable(experiment.name, a_set)]
            row.append(f"{sum(of_sets[a_set] < theirs[a_set] for a_set in both)} of {len(both)}" if both else "")
        rows.append(row)
    return table(["sets below the published loss of", *published], rows)


def time_table(experiment: Experiment, cells: Cells) -> str:
    """Hours of tuning on one processor, and in all on those of the machine; published ones are of other machines."""
    hours, sets, rows = HOURS[experiment.name], sets_in(experiment, cells), []
    for a_set in sets:
        row = [digits(of[a_set]) if a_set in of else "" for of in hours.values()]
        here = [cells[who].get(a_set) for who in cells]
        rows.append([title_of(a_set), *row, *(time_text([cell]) if cell is not None else "" for cell in here)])
    totals, failed = [], []
    for of_sets in cells.values():
        is_done = all(is_complete(of_sets.get(a_set)) for a_set in sets)
        totals.append(time_text([*of_sets.values()]) if is_done else "")
        n_failed, n_trials = (
            sum(getattr(cell, name) for cell in of_sets.values()) for name in ("n_failed", "n_trials")
        )
        failed.append(f"{n_failed} of {n_trials}")
    rows.append([f"all {len(sets)} sets", *[""] * len(hours), *totals])
    rows.append(["trials that failed", *[""] * len(hours), *failed])
    return (
        "\nProcessor hours of tuning, and in brackets those of tuning and the last trainings divided by the number of "
        + (f"processors:\n\n{table(['hours', *(f'{who}, published' for who in hours), *cells], rows)}")
    )


def is_complete(cell: Cell | None) -> bool:
    return cell is not None and len(cell.losses) > 0


def wall_hours(cell: Cell) -> float:
    return (cell.tuning_seconds + cell.fit_seconds) / cell.n_processors / 3600


def time_text(cells: list[Cell]) -> str:
    at_least = "" if all(cell.losses for cell in cells) else "≥ "
    tuning = sum(cell.tuning_seconds for cell in cells) / 3600
    return f"{at_least}{tuning:.3g} ({sum(map(wall_hours, cells)):.3g})"


# ---- Sections ---------------------------------------------------------------------------------------------------


def scale_text(experiment: Experiment, scale: str) -> str:
    how, stages = SCALES[scale], stages_of(experiment, SCALES[scale])
    sizes = ", ".join(f"{stage.n_configs} on {stage.resource:.4g} of the rows" for stage in stages)
    n_folds = N_FOLDS[experiment.name]
    folds, judge = f"{n_folds} outer folds", f"{n_folds} inner folds judge"
    if experiment.name == KAGGLE:
        folds, judge = "One split", "the validation rows judge"
    elif how.n_judges == 1:
        judge = "the first inner fold judges"
    limit = how.limit * experiment.times_limit
    folds += ", dealt by another seed than at the other scales, and so are the draws" if how.deal > 0 else ""
    text = f"{folds}; {judge}. Configurations: {sizes}. A trial of a rival's may take {limit:g} s."
    if experiment.name == KAGGLE:
        n_seeds = min(experiment.n_seeds, how.max_seeds)
        text += f" {n_seeds} seeds. Early stopping after {experiment.patience} rounds; of our default space after"
        text += f" {PATIENCE}, of KTBoost never."
        if how.max_rows is not None:
            text += f" Of training and validation rows together {how.max_rows:,} at most take part."
    return text


def conditions(records: list[Record]) -> str:
    """The machines, versions and days of the results."""
    of_machines: dict[str, dict[str, None]] = {}
    for record in records:
        of_machines.setdefault(record.machine, {})[record.key.contestant] = None
    versions: dict[str, set[str]] = {}
    for record in records:
        versions.setdefault(record.key.contestant, set()).add(record.version)
    mixed = [who for who, found in versions.items() if len(found) > 1]
    dates = sorted({record.date for record in records})
    days = dates[0] if len(dates) == 1 else f"{dates[0]} to {dates[-1]}"
    lines = [f"{days}. " + ", ".join(f"{who} {' and '.join(sorted(v))}" for who, v in versions.items()) + "."]
    lines += [f"Results of several versions are mixed: {', '.join(mixed)}."] if mixed else []
    if len(of_machines) == 1:
        return "\n".join([*lines, *(f"{machine}." for machine in of_machines)]) + "\n"
    runs = (f"- {', '.join(who)}: {machine}" for machine, who in sorted(of_machines.items()))
    return "\n".join([*lines, "Hours of several machines are not to be compared:", "", *runs]) + "\n"


def draw_pictures(experiment: Experiment, cells: Cells, scale: str, folder: Path) -> list[str]:
    """Draws what can be drawn; the names of the files."""
    seconds = {
        a_set: {who: 3600 * wall_hours(cells[who][a_set]) for who in cells if is_complete(cells[who].get(a_set))}
        for a_set in sets_in(experiment, cells)
    }
    name = f"{experiment.name}-{scale}"
    drawn = {f"{name}-time.svg": bars(folder / f"{name}-time.svg", seconds)}
    if experiment.n_seeds > 1:
        losses = {a_set: {who: cells[who][a_set].losses for who in cells if a_set in cells[who]} for a_set in seconds}
        drawn[f"{name}-losses.svg"] = boxes(folder / f"{name}-losses.svg", losses)
    else:
        compared = comparable(cells) if any(isinstance(experiment.contestants[who], Rival) for who in cells) else {}
        drawn[f"{name}-ranks.svg"] = critical_differences(folder / f"{name}-ranks.svg", compared)
    for file, is_there in drawn.items():
        if not is_there:
            (folder / file).unlink(missing_ok=True)  # of other results
    return [file for file, is_there in drawn.items() if is_there]


def comparable(cells: Cells) -> Losses:
    """Of all contestants on the sets that all have, if there are any; else of those who have all sets."""
    losses = losses_of(cells)
    return shared(losses) if is_partial(losses) else losses


def show_pictures(files: list[str], folder: str) -> str:
    titles = {
        "time": "Processor time of tuning and training, divided by the processors",
        "losses": "Test losses",
        "ranks": "Average ranks",
    }
    return "".join(f"\n![{titles[file.removesuffix('.svg').rsplit('-', 1)[1]]}]({folder}{file})\n" for file in files)


def defaults_text(experiment: Experiment, records: list[Record]) -> str:
    """How often tuning in our default space came to what nobody needs to tune."""
    chosen = {(r.key.set, r.key.contestant, r.key.fold): r.options for r in records if has_defaults(experiment, r)}
    n_left = sum(options.get("learning_rate") == "auto" for options in chosen.values())  # a number in all the others
    return f"The untuned defaults won {n_left} of our default space's {len(chosen)} searches.\n" if chosen else ""


def has_defaults(experiment: Experiment, record: Record) -> bool:
    contestant = experiment.contestants[record.key.contestant]
    return isinstance(contestant, Ours) and contestant.space == "default" and record.loss is not None


def opening(experiment: Experiment, records: list[Record], cells: Cells, scale: str) -> str:
    """What was run, where and how much; who is not there."""
    absent = [who for who in experiment.contestants if who not in cells]
    absent += [a_set for a_set in experiment.sets if a_set not in sets_in(experiment, cells)]
    text = f"`./dev experiments {experiment.name} --scale {scale}`\n\n{conditions(records)}"
    text += f"\n{scale_text(experiment, scale)}\n{defaults_text(experiment, records)}"
    return text + (f"Not run: {', '.join(absent)}.\n" if absent else "")


def section(experiment: Experiment, records: list[Record], scale: str, significance: str, pictures: str) -> str:
    here, cells = [record for record in records if record.key.scale == scale], cells_of(experiment, records, scale)
    text = f"{opening(experiment, here, cells, scale)}\n{loss_table(experiment, cells)}"
    if SNAPBOOST in LOSSES[experiment.name]:
        text += f"\n{below_table(experiment, cells)}"
    return text + time_table(experiment, cells) + significance + pictures


def section_of_page(experiment: Experiment, records: list[Record], scale: str, folder: Path) -> str:
    cells, significance = cells_of(experiment, records, scale), ""
    if experiment.n_seeds == 1:
        significance = f"\n### Significance\n\n{report(losses_of(cells))}"
        if is_partial(losses_of(cells)) and friedman(comparable(cells)) is not None:
            significance += f"\nOver the sets that all have: {friedman_text(comparable(cells))}"
    pictures = show_pictures(draw_pictures(experiment, cells, scale, folder), "")
    return f"\n## Scale {scale}\n\n{section(experiment, records, scale, significance, pictures)}"


def make_page(experiment: Experiment, records: list[Record], folder: Path) -> str:
    """The whole page; pictures are drawn into the folder."""
    sections = [section_of_page(experiment, records, scale, folder) for scale in scales_in(records)]
    text = f"# {experiment.title}\n\n{NOTES[experiment.name]}\n" + "".join(sections)
    if experiment.name == OPENML:
        text += f"\n## The published losses\n\n{published_text()}"
    return text


def published_text() -> str:
    return f"What the paper published, tested in the same way.\n\n{report(OPENML_LOSSES)}"


# ---- The digest for docs/experiments.md -------------------------------------------------------------------------


def section_of_digest(experiment: Experiment, records: list[Record], scale: str, folder: Path, link: str) -> str:
    cells, significance = cells_of(experiment, records, scale), ""
    if experiment.n_seeds == 1 and len(losses_of(cells)) > 1:
        significance = f"\n{friedman_text(comparable(cells))}" if friedman(comparable(cells)) is not None else ""
        significance += f"\n{pair_text(losses_of(cells))}"
    pictures = sorted(path.name for path in folder.glob(f"{experiment.name}-{scale}-*.svg"))
    shown = section(experiment, records, scale, significance, show_pictures(pictures, link))
    return f"\n### Scale {scale}\n\n{shown}"


def make_digest(experiment: Experiment, records: list[Record], folder: Path, link: str) -> str:
    """What matters most of the page, whose pictures are in the folder, to which the link leads."""
    text = f"\n{NOTES[experiment.name]}\n"
    text += "".join(section_of_digest(experiment, records, scale, folder, link) for scale in scales_in(records))
    if experiment.name == OPENML:
        text += f"\n### The published losses\n\n{published_text()}"
    return f"{text}\n"
