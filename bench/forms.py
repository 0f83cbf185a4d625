"""What packed histograms do to accuracy: trains with wide and with packed ones on every real table that is there.

    ./dev bench forms [TABLE ...] [--resume]

Each training is done for several seeds, which choose the rows that are held out and the rounding of packed gradients.
Writes bench/results/forms.json and the table of docs/histogram-forms.md. README.md beside this file says more.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import hashlib
import json
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from statistics import mean, stdev
from typing import NamedTuple

from places import REAL_FOLDER, RESULTS, ROOT, SCRATCH, write_part_of_page
from tables import table

PROGRAM = ROOT / "build" / "release" / "bench" / "histogram_forms"
JOURNAL = SCRATCH / "forms.jsonl"
PAGE = ROOT / "docs" / "histogram-forms.md"
COMMAND = "./dev bench forms"
SEEDS = range(1, 6)
MAX_ROWS = 200_000
MAX_WIDE_ROWS = 2**16  # where the library itself changes from wide to packed
N_ROUNDS = 100  # of histogram_forms.c
MISSING = {"", "NA", "nan"}


class Table(NamedTuple):
    """A gzipped CSV file with a header, and what is done with it."""

    path: str
    objective: str = "logloss"
    label: str = "target"
    dropped: tuple[str, ...] = ()  # what nobody knows before the label

    @property
    def file(self) -> Path:
        return REAL_FOLDER / f"{self.path}.csv.gz"


TABLES = [
    Table("kaggle/rossmann_train", "mse", "Sales", ("Customers",)),
    Table("openml/1019_pendigits"),
    Table("openml/1046_mozilla4"),
    Table("openml/1471_eeg-eye-state"),
    Table("openml/310_mammography"),
    Table("openml/4154_CreditCardSubset"),
    Table("openml/4534_PhishingWebsites"),
    Table("openml/722_pol"),
    Table("openml/734_ailerons"),
    Table("openml/959_nursery"),
    Table("openml/977_letter"),
    Table("regression/ailerons", "mse"),
    Table("regression/bank8FM", "mse"),
    Table("regression/elevators", "mse"),
    Table("regression/navalT", "mse"),
    Table("regression/parkinsons", "mse"),
    Table("regression/puma32H", "mse"),
    Table("tabular/adult"),
    Table("tabular/bank_marketing"),
    Table("tabular/donors"),
    Table("tabular/nycflights13", "mse", "arr_delay", ("dep_delay",)),
]


class Outcome(NamedTuple):
    """What one seed came to, as histogram_forms.c says it."""

    n_rows: int  # of the training
    n_features: int
    wide: float  # held-out losses
    packed: float
    packed_rounds: int  # others had gradients for which packed words are too coarse, and were wide


class Summary(NamedTuple):
    """The seeds of one table together."""

    n_rows: int
    n_features: int
    packed_rounds: float
    wide: float
    packed: float
    noise: float  # standard deviation of the wide loss over seeds
    error: float  # standard error of the mean difference

    @property
    def difference(self) -> float:
        return self.packed - self.wide

    @property
    def is_within_noise(self) -> bool:
        return self.difference <= self.noise


def summarise(outcomes: list[Outcome]) -> Summary:
    differences = [o.packed - o.wide for o in outcomes]
    return Summary(
        outcomes[0].n_rows,
        outcomes[0].n_features,
        mean(o.packed_rounds for o in outcomes),
        mean(o.wide for o in outcomes),
        mean(o.packed for o in outcomes),
        stdev(o.wide for o in outcomes),
        stdev(differences) / len(differences) ** 0.5,
    )


# ---- Trainings --------------------------------------------------------------------------------------------------


def write_rows(table: Table, to: Path) -> None:
    """The rows that have a label, MAX_ROWS of them at most, drawn once for all seeds and kept in order."""
    with gzip.open(table.file, "rt", newline="") as source:
        lines = csv.reader(source)
        header = next(lines)
        label = header.index(table.label)
        kept = [i for i, name in enumerate(header) if name not in table.dropped]
        rows = [[line[i] for i in kept] for line in lines if line[label] not in MISSING]
    if len(rows) > MAX_ROWS:
        rows = [rows[i] for i in sorted(random.Random(7).sample(range(len(rows)), MAX_ROWS))]
    to.parent.mkdir(parents=True, exist_ok=True)
    with open(to, "w", newline="") as file:
        csv.writer(file).writerows([[header[i] for i in kept], *rows])


def train(table: Table, rows: Path, seed: int) -> Outcome:
    command = [str(PROGRAM), str(rows), table.label, table.objective, str(seed)]
    answer = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return Outcome(**json.loads(answer.stdout))


class Journal:
    """What is known already, on disk; that of some tables may be forgotten first. An outcome holds for one build of the
    program, and so of the library inside.
    """

    def __init__(self, path: Path, build: str, forgotten: set[str]) -> None:
        self.path = path
        self.build = build
        self.known: dict[tuple[str, str, int], Outcome] = {}
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = path.read_text().splitlines() if path.exists() else []
        path.write_text("")
        for line in lines:
            of_build, table, seed, outcome = json.loads(line)
            if table not in forgotten:
                self._keep((of_build, table, seed), Outcome(*outcome))

    def find(self, table: Table, seed: int) -> Outcome | None:
        return self.known.get((self.build, table.path, seed))

    def add(self, table: Table, seed: int, outcome: Outcome) -> None:
        self._keep((self.build, table.path, seed), outcome)

    def _keep(self, key: tuple[str, str, int], outcome: Outcome) -> None:
        self.known[key] = outcome
        with open(self.path, "a") as file:
            file.write(json.dumps([*key, outcome]) + "\n")


def outcomes_of(table: Table, journal: Journal) -> Iterator[Outcome]:
    rows = SCRATCH / "forms" / f"{table.path}.csv"
    if not rows.exists():
        write_rows(table, rows)
    for seed in SEEDS:
        outcome = journal.find(table, seed)
        if outcome is None:
            outcome = train(table, rows, seed)
            journal.add(table, seed, outcome)
        print(f"{table.path}, seed {seed}: wide {outcome.wide:.6g}, packed {outcome.packed:.6g}", file=sys.stderr)
        yield outcome


# ---- Results ----------------------------------------------------------------------------------------------------


def row_of(path: str, summary: Summary) -> list[str]:
    return [
        path,
        f"{summary.n_rows:,}",
        str(summary.n_features),
        "packed" if summary.n_rows > MAX_WIDE_ROWS else "wide",
        f"{summary.packed_rounds / N_ROUNDS:.0%}".replace("%", " %"),
        f"{summary.wide:.5g}",
        f"{summary.packed:.5g}",
        *(f"{figure:.1e}" if figure else "0" for figure in (summary.difference, summary.error, summary.noise)),
        "yes" if summary.is_within_noise else "**no**",
    ]


def as_markdown(results: dict[str, list[Outcome]]) -> str:
    """The table, and all of it in one number: how much worse packed histograms are in the mean over tables."""
    header = ["table", "rows of training", "features", "default", "packed rounds", "loss, wide", "loss, packed"]
    header += ["difference", "its standard error", "seed noise", "within it"]
    summaries = {path: summarise(outcomes) for path, outcomes in results.items()}
    relative = [100 * s.difference / s.wide for s in summaries.values()]
    within = sum(s.is_within_noise for s in summaries.values())
    text = f"Within seed noise: {within} of {len(summaries)}.\n"
    if len(relative) > 1:
        error = stdev(relative) / len(relative) ** 0.5
        text += f"Relative difference, mean over the tables: {mean(relative):+.3f} %, standard error {error:.3f} %.\n"
    return f"\n{table(header, [row_of(path, s) for path, s in summaries.items()])}\n{text}\n"


def as_json(results: dict[str, list[Outcome]]) -> str:
    lines = [
        json.dumps({"table": path, "seed": seed, **outcome._asdict()})
        for path, outcomes in results.items()
        for seed, outcome in zip(SEEDS, outcomes, strict=True)
    ]
    return "[\n" + ",\n".join(lines) + "\n]\n"


def from_json(text: str) -> dict[str, list[Outcome]]:
    results: dict[str, list[Outcome]] = {}
    for record in json.loads(text):
        path, _ = record.pop("table"), record.pop("seed")
        results.setdefault(path, []).append(Outcome(**record))
    return results


def chosen_tables(names: list[str]) -> Iterator[Table]:
    for one in TABLES:
        if names and one.path not in names:
            continue
        if one.file.exists():
            yield one
        else:
            print(f"{one.path}: left out, since it is not beside the repository", file=sys.stderr)


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], prog=COMMAND)
    parser.add_argument("tables", nargs="*", metavar="TABLE", help="some of them, as kaggle/rossmann_train")
    parser.add_argument("--resume", action="store_true", help="keep what earlier runs of this build measured")
    arguments = parser.parse_args()
    unknown = [name for name in arguments.tables if name not in {one.path for one in TABLES}]
    if unknown:
        parser.error(f"there is no table {unknown[0]}; there are {', '.join(one.path for one in TABLES)}")
    return arguments


def main() -> None:
    arguments = parse_arguments()
    tables = list(chosen_tables(arguments.tables))
    if not tables:
        sys.exit("No table is left to train on.")
    build = hashlib.sha256(PROGRAM.read_bytes()).hexdigest()[:16]
    journal = Journal(JOURNAL, build, forgotten=set() if arguments.resume else {one.path for one in tables})
    results = {one.path: list(outcomes_of(one, journal)) for one in tables}
    print(as_markdown(results))
    if len(results) < len(TABLES):
        print("Some tables only: nothing is written.")
        return
    RESULTS.mkdir(parents=True, exist_ok=True)
    (RESULTS / "forms.json").write_text(as_json(results))
    write_part_of_page(PAGE, COMMAND, as_markdown(results))
    print("Written to bench/results/forms.json and docs/histogram-forms.md.")


if __name__ == "__main__":
    main()
