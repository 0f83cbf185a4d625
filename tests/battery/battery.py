"""The reliability battery: sections of parts, what came of each part, and the figures that must hold.

A part is a piece of work of some minutes. What it counted is kept, so that a run that was stopped goes on with the
parts that are left, as long as the sources are the same. A part that fails is tried again by the next run; the others
go on. The short form, a few minutes in all, keeps nothing.
"""

from __future__ import annotations

import hashlib
import json
import operator
import subprocess
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from machine import describe
from places import write_part_of_page
from tables import table

from tools.logs import BUILD, ROOT, Failed, new_log

RESULTS = ROOT / "tests" / "battery" / "results"
DOCUMENT = ROOT / "docs" / "reliability.md"
KEPT = BUILD / "battery"

# What results are of, and what lies among it without a part in them.
SOURCES = [
    "CMakeLists.txt",
    "CMakePresets.json",
    "bench/requirements.txt",
    "cli",
    "cmake",
    "examples",
    "include",
    "pyproject.toml",
    "python",
    "src",
    "tests",
    "tools",
]
NO_SOURCES = ["tests/battery/results", "tests/experiments"]

Counts = dict[str, Any]  # numbers, and the "version" of a library that they are of


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
    version: str = ""  # of the booster

    @property
    def full_title(self) -> str:
        return ": ".join(filter(None, [f"{self.booster} {self.version}".strip(), self.title]))

    @property
    def is_met(self) -> bool:
        sign, _, wanted = self.must.partition(" ")
        return not self.must or SIGNS[sign](self.measured, float(wanted))


SIGNS = {"=": operator.eq, "≥": operator.ge, "≤": operator.le}


@dataclass(frozen=True)
class Section:
    """`parts` is told whether the run is short: none for what the unit tests do anyway. `figures` gets the counts part
    by part, of all parts, and is told so, too. `in_order`: each part goes on from what those before it have made."""

    name: str
    title: str
    parts: Callable[[bool], list[Part]]
    figures: Callable[[dict[str, Counts], bool], list[Figure]]
    in_order: bool = False


def total(counts: dict[str, Counts], name: str) -> float:
    return sum(of_part.get(name, 0) for of_part in counts.values())


def largest(counts: dict[str, Counts], name: str) -> float:
    return max((of_part[name] for of_part in counts.values() if name in of_part), default=0)


# ---- Parts that are done ----


def git(*words: str) -> str | None:
    """What git says of the repository; None where it cannot."""
    ran = subprocess.run(["git", "-C", str(ROOT), *words], capture_output=True, text=True)
    return ran.stdout if ran.returncode == 0 else None


def files_under(folder: Path, names: list[str]) -> list[Path]:
    """Files of these names, and of folders of these names, relative to `folder`."""
    found = [path for name in names for path in [folder / name, *(folder / name).rglob("*")] if path.is_file()]
    return sorted(path.relative_to(folder) for path in found if "__pycache__" not in path.parts)


def files_in_git(names: list[str]) -> list[Path]:
    """The same of the repository, without what git ignores; all that there are where it is no checkout."""
    listed = git("ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *names)
    if listed is None:
        return files_under(ROOT, names)
    return sorted({Path(name) for name in listed.split("\0") if (ROOT / name).is_file()})


def is_source(path: Path) -> bool:
    return not any(path.is_relative_to(name) for name in NO_SOURCES)


def digest_of_sources() -> str:
    """Results are of these sources and no others."""
    digest = hashlib.sha256()
    for path in filter(is_source, files_in_git(SOURCES)):
        content = (ROOT / path).read_bytes()
        digest.update(f"{path}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()[:12]


class Origin(NamedTuple):
    """What a result is of, as it was when the run began."""

    commit: str
    sources: str


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


def attempt(part: Part, run: Run) -> Counts | None:
    """What the part counted; None where it failed, which is told."""
    try:
        return part.action(run)
    except Failed as failure:
        print(f"{part.name} FAILED: {failure}", flush=True)
    except Exception:  # a mistake of the battery's own must not end it either
        print(f"{part.name} FAILED:\n{traceback.format_exc()}", flush=True)
    return None


def figures_of(section: Section, counts: dict[str, Counts], is_short: bool) -> list[Figure]:
    """Where a part failed nothing else is told: a total without it says too little, and a count of 0 too much."""
    names = [part.name for part in section.parts(is_short)]
    n_failed = sum(name not in counts for name in names)
    if n_failed > 0:
        return [Figure(f"parts that failed, of {len(names)}", n_failed, "= 0")]
    return section.figures({name: counts[name] for name in names}, is_short) if names else []


def run_short(section: Section) -> list[Figure]:
    run = Run(True, new_log(f"battery-{section.name}"), BUILD / "battery" / "short")
    run.folder.mkdir(parents=True, exist_ok=True)
    tried = {part.name: attempt(part, run) for part in section.parts(True)}
    return figures_of(section, {name: counts for name, counts in tried.items() if counts is not None}, True)


def of_the_same_sources(part: Part, sources: str) -> Part:
    """The part, which builds and reads the sources that are there, and fails where they are others or become so."""

    def check() -> None:
        if digest_of_sources() != sources:
            raise Failed("the sources have changed since the section began, so this is not kept")

    def action(run: Run) -> Counts:
        check()
        counts = part.action(run)
        check()
        return counts

    return Part(part.name, action)


def run_full(section: Section) -> list[Figure]:
    """Goes on where a run before was stopped; writes the figures into results/."""
    run = Run(False, new_log(f"battery-{section.name}"), KEPT / section.name)
    run.folder.mkdir(parents=True, exist_ok=True)
    origin = Origin(commit(), digest_of_sources())
    kept = Kept(KEPT / f"{section.name}.jsonl", origin.sources)
    parts = section.parts(False)
    for i, part in enumerate(parts):
        if part.name in kept.counts:
            continue
        print(f"{section.name}, part {i + 1} of {len(parts)}: {part.name} ... ", end="", flush=True)
        began = time.monotonic()
        counts = attempt(of_the_same_sources(part, origin.sources), run)
        if counts is not None:
            kept.add(part.name, counts, time.monotonic() - began)
            print(", ".join(f"{name} {told(value)}" for name, value in counts.items()), flush=True)
        elif section.in_order:
            break
    figures = figures_of(section, kept.counts, False)
    write_result(section, figures, kept.seconds, origin)
    return figures


def write_result(section: Section, figures: list[Figure], seconds: float, origin: Origin) -> None:
    RESULTS.mkdir(parents=True, exist_ok=True)
    result = {
        "title": section.title,
        "command": f"./dev battery {section.name}",
        "date": time.strftime("%Y-%m-%d"),
        "machine": describe(),
        "commit": origin.commit,
        "sources": origin.sources,
        "seconds": round(seconds),
        "figures": [figure._asdict() for figure in figures],
    }
    (RESULTS / f"{section.name}.json").write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n")


def commit() -> str:
    """The commit, "-dirty" where the sources are not its."""
    found = (git("describe", "--always") or "").strip()
    changed = git("status", "--porcelain", "--", *SOURCES, *(f":!{name}" for name in NO_SOURCES))
    return f"{found}-dirty" if changed else found


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


def told(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:g}"


def summary(results: list[Result]) -> str:
    """All figures, as a page."""
    sources = digest_of_sources()
    rows, runs = [], []
    for result in results:
        for i, figure in enumerate(result.figures):
            met = "" if not figure.must else "yes" if figure.is_met else "**no**"
            title = result.title if i == 0 else ""
            rows.append([title, figure.full_title, number(figure.measured), figure.must, met])
        age = "of these sources" if result.sources == sources else "of **older sources**"
        minutes = f"{result.seconds / 60:.0f} min"
        runs.append(f"- `{result.command}`: {result.date}, {minutes}, {result.commit}, {age}; {result.machine}\n")
    text = (
        "# The reliability battery\n\nThe last full run of each section (`./dev battery`). When this page was written, "
    )
    text += f"the sources were {sources}.\n\n"
    return f"{text}{table(['section', 'figure', 'measured', 'must be', 'met'], rows)}\n{''.join(runs)}"


def overview(results: list[Result]) -> str:
    """How many figures of each section are met, those of ours that must be something, and those of all boosters side
    by side."""
    rows, figures = [], []
    for result in results:
        wanted = [figure for figure in result.figures if figure.must]
        n_met = sum(figure.is_met for figure in wanted)
        met, minutes = f"{n_met} of {len(wanted)}", f"{result.seconds / 60:.0f}"
        rows.append([result.title, f"`{result.command}`", met, minutes, result.date, result.commit])
        ours = [figure for figure in wanted if not figure.booster]
        for i, figure in enumerate(ours):
            figures.append([result.title if i == 0 else "", figure.title, number(figure.measured), figure.must])
    header = ["section", "command", "figures met", "minutes", "date", "commit"]
    counted = table(["section", "figure", "measured", "must be"], figures)
    return f"\n{table(header, rows)}\n{counted}\n{table_of_boosters(results)}\n"


def table_of_boosters(results: list[Result]) -> str:
    cells: dict[str, dict[str, list[str]]] = {}  # by title and booster
    versions: dict[str, dict[str, None]] = {}  # by booster
    for figure in (figure for result in results for figure in result.figures if figure.booster):
        booster, _, kind = figure.booster.partition(" ")
        versions.setdefault(booster, {})[figure.version] = None
        text = number(figure.measured) + (f" ({kind})" if kind else "")
        cells.setdefault(figure.title, {}).setdefault(booster, []).append(text)
    rows = [[title, *(", ".join(of.get(booster, [])) for booster in versions)] for title, of in cells.items()]
    header = [f"{booster} {', '.join(of_booster)}".strip() for booster, of_booster in versions.items()]
    return table(["counted of all boosters", *header], rows) if rows else "None that counts others' yet.\n"


def write_pages() -> None:
    results = known_results()
    RESULTS.mkdir(parents=True, exist_ok=True)
    (RESULTS / "README.md").write_text(summary(results))
    write_part_of_page(DOCUMENT, "./dev battery", overview(results))
