"""The reliability battery: sections of parts, what came of each part, and the figures that must hold.

A part is a piece of work of some minutes. What it counted is kept, so that a run that was stopped goes on with the
parts that are left, as long as the sources are the same. The short form, a few minutes in all, keeps nothing.
"""

from __future__ import annotations

import hashlib
import json
import operator
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from machine import describe
from places import write_part_of_page
from tables import table

from tools.logs import BUILD, ROOT, new_log

RESULTS = ROOT / "tests" / "battery" / "results"
DOCUMENT = ROOT / "docs" / "reliability.md"
KEPT = BUILD / "battery"
SOURCES = ["CMakeLists.txt", "cli", "cmake", "examples", "include", "pyproject.toml", "python", "src", "tests", "tools"]

Counts = dict[str, float]


@dataclass(frozen=True)
class Run:
    """What a part is told: how much it is to do, and where it may write."""

    is_short: bool
    log: Path
    folder: Path

    def size(self, full: int, short: int) -> int:
        return short if self.is_short else full


class Part(NamedTuple):
    name: str
    action: Callable[[Run], Counts]


class Figure(NamedTuple):
    """Something counted, and what it must be: a sign of `SIGNS` and a number, or nothing. `booster` says whose figure
    it is where the same is counted of several; a word after its name, which of its files."""

    title: str
    measured: float
    must: str = ""
    booster: str = ""

    @property
    def full_title(self) -> str:
        return f"{self.booster}: {self.title}" if self.booster else self.title

    @property
    def is_met(self) -> bool:
        sign, _, wanted = self.must.partition(" ")
        return not self.must or SIGNS[sign](self.measured, float(wanted))


SIGNS = {"=": operator.eq, "≥": operator.ge, "≤": operator.le}


@dataclass(frozen=True)
class Section:
    """`parts` is told whether the run is short: none for what the unit tests do anyway. `figures` gets the counts part
    by part, and is told so, too."""

    name: str
    title: str
    parts: Callable[[bool], list[Part]]
    figures: Callable[[dict[str, Counts], bool], list[Figure]]


def total(counts: dict[str, Counts], name: str) -> float:
    return sum(of_part.get(name, 0) for of_part in counts.values())


def largest(counts: dict[str, Counts], name: str) -> float:
    return max((of_part[name] for of_part in counts.values() if name in of_part), default=0)


# ---- Parts that are done ----


def source_files(root: Path, sources: list[str]) -> Iterator[Path]:
    for source in sources:
        files = [root / source] if (root / source).is_file() else sorted((root / source).rglob("*"))
        yield from (file for file in files if file.is_file() and "__pycache__" not in file.parts)


def digest_of_sources() -> str:
    """Results are of these sources and no others. What the battery itself writes is not among them."""
    digest = hashlib.sha256()
    for file in source_files(ROOT, SOURCES):
        if RESULTS not in file.parents:
            digest.update(f"{file.relative_to(ROOT)}\0{file.stat().st_size}\0".encode())
            digest.update(file.read_bytes())
    return digest.hexdigest()[:12]


class Kept:
    """Counts of the parts that are done, a line each in a file of the section."""

    def __init__(self, path: Path, sources: str) -> None:
        self._path, self._sources = path, sources
        self.counts: dict[str, Counts] = {}
        self.seconds = 0.0
        if path.exists():
            text = path.read_text()
            for line in text[: text.rfind("\n") + 1].splitlines():
                self._take(json.loads(line))

    def _take(self, done: dict) -> None:
        if done["sources"] == self._sources:
            self.counts[done["part"]] = done["counts"]
            self.seconds += done["seconds"]

    def add(self, part: str, counts: Counts, seconds: float) -> None:
        done = {"part": part, "sources": self._sources, "seconds": round(seconds, 1), "counts": counts}
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with open(self._path, "a") as file:
            file.write(json.dumps(done) + "\n")
        self._take(done)


# ---- Running a section ----


def run_short(section: Section) -> list[Figure]:
    run = Run(True, new_log(f"battery-{section.name}"), BUILD / "battery" / "short")
    run.folder.mkdir(parents=True, exist_ok=True)
    counts = {part.name: part.action(run) for part in section.parts(True)}
    return section.figures(counts, True) if counts else []


def run_full(section: Section) -> list[Figure]:
    """Goes on where a run before was stopped; writes the figures into results/ when all parts are done."""
    run = Run(False, new_log(f"battery-{section.name}"), KEPT / section.name)
    run.folder.mkdir(parents=True, exist_ok=True)
    sources = digest_of_sources()
    kept = Kept(KEPT / f"{section.name}.jsonl", sources)
    parts = section.parts(False)
    for i, part in enumerate(parts):
        if part.name in kept.counts:
            continue
        print(f"{section.name}, part {i + 1} of {len(parts)}: {part.name} ... ", end="", flush=True)
        began = time.monotonic()
        counts = part.action(run)
        kept.add(part.name, counts, time.monotonic() - began)
        print(", ".join(f"{name} {value:g}" for name, value in counts.items()), flush=True)
    figures = section.figures({part.name: kept.counts[part.name] for part in parts}, False)
    write_result(section, figures, kept.seconds, sources)
    return figures


def write_result(section: Section, figures: list[Figure], seconds: float, sources: str) -> None:
    RESULTS.mkdir(parents=True, exist_ok=True)
    result = {
        "title": section.title,
        "command": f"./dev battery {section.name}",
        "date": time.strftime("%Y-%m-%d"),
        "machine": describe(),
        "commit": commit(),
        "sources": sources,
        "seconds": round(seconds),
        "figures": [figure._asdict() for figure in figures],
    }
    (RESULTS / f"{section.name}.json").write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n")


def commit() -> str:
    command = ["git", "-C", str(ROOT), "describe", "--always", "--dirty"]
    found = subprocess.run(command, capture_output=True, text=True)
    return found.stdout.strip() if found.returncode == 0 else ""


# ---- The tables ----


class Result(NamedTuple):
    """The last full run of a section."""

    title: str
    command: str
    date: str
    machine: str
    commit: str
    sources: str
    seconds: float
    figures: list[Figure]


def known_results() -> list[Result]:
    found = [json.loads(path.read_text()) for path in sorted(RESULTS.glob("*.json"))]
    return [Result(**{**result, "figures": [Figure(**figure) for figure in result["figures"]]}) for result in found]


def number(value: float) -> str:
    return f"{value:,.0f}" if value == round(value) else f"{value:.3g}"


def summary(results: list[Result]) -> str:
    """All figures, as a page."""
    rows = []
    for result in results:
        for i, figure in enumerate(result.figures):
            met = "" if not figure.must else "yes" if figure.is_met else "**no**"
            title = result.title if i == 0 else ""
            rows.append([title, figure.full_title, number(figure.measured), figure.must, met])
    runs = [
        f"- `{result.command}`: {result.date}, {result.seconds / 60:.0f} min, {result.commit}; {result.machine}\n"
        for result in results
    ]
    text = "# The reliability battery\n\nThe last full run of each section (`./dev battery`).\n\n"
    return f"{text}{table(['section', 'figure', 'measured', 'must be', 'met'], rows)}\n{''.join(runs)}"


def overview(results: list[Result]) -> str:
    """How many figures of each section are met, and the figures of all boosters side by side."""
    rows = []
    for result in results:
        wanted = [figure for figure in result.figures if figure.must]
        n_met = sum(figure.is_met for figure in wanted)
        minutes = f"{result.seconds / 60:.0f}"
        rows.append([result.title, f"`{result.command}`", f"{n_met} of {len(wanted)}", minutes, result.date])
    return f"\n{table(['section', 'command', 'figures met', 'minutes', 'date'], rows)}\n{table_of_boosters(results)}\n"


def table_of_boosters(results: list[Result]) -> str:
    cells: dict[str, dict[str, list[str]]] = {}  # by title and booster
    boosters: dict[str, None] = {}
    for figure in (figure for result in results for figure in result.figures if figure.booster):
        booster, _, kind = figure.booster.partition(" ")
        boosters[booster] = None
        text = number(figure.measured) + (f" ({kind})" if kind else "")
        cells.setdefault(figure.title, {}).setdefault(booster, []).append(text)
    rows = [[title, *(", ".join(of.get(booster, [])) for booster in boosters)] for title, of in cells.items()]
    return table(["counted of all boosters", *boosters], rows) if rows else "None that counts others' yet.\n"


def write_pages() -> None:
    results = known_results()
    RESULTS.mkdir(parents=True, exist_ok=True)
    (RESULTS / "README.md").write_text(summary(results))
    write_part_of_page(DOCUMENT, "./dev battery", overview(results))
