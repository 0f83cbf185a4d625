"""The measurements of a run: each is a line of a file once it is done, so that a run can go on where it stopped."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple


@dataclass(frozen=True)
class Task:
    """What is measured."""

    case: str
    contestant: str
    threads: int
    folder: str  # of the data


@dataclass(frozen=True)
class Figures:
    """What was measured; infinite or None where there is nothing to measure."""

    seconds: float = math.inf
    bytes_a_row: float = math.inf  # peak of resident memory over what was there before, the data included
    metric: float | None = None  # held-out log loss or RMSE
    size: float | None = None  # bytes on disk of what was read, written, loaded or imported


class Key(NamedTuple):
    """What a measurement depends on. With any of it changed, it is made again."""

    machine: str
    neighbours: int
    case: str
    threads: int
    contestant: str
    version: str
    repeat: int


@dataclass(frozen=True)
class Measurement:
    """One process of one contestant: its figures, or the last line of its error."""

    key: Key
    seconds: float = math.inf
    bytes_a_row: float = math.inf
    metric: float | None = None
    size: float | None = None
    error: str | None = None

    def as_record(self) -> dict[str, object]:
        """For people and other programs: what there is of it, in one level."""
        there = {name: value for name, value in asdict(self).items() if name != "key" and value not in (None, math.inf)}
        return {**self.key._asdict(), **there}

    @classmethod
    def from_record(cls, record: dict[str, Any]) -> Measurement:
        """The reverse of as_record."""
        rest = dict(record)
        return cls(Key(*(rest.pop(name) for name in Key._fields)), **rest)


class Journal:
    """The measurements of all runs, on disk; those of some cases may be forgotten first."""

    def __init__(self, path: Path, forgotten: set[str]) -> None:
        self.path = path
        self.known: dict[Key, Measurement] = {}
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = path.read_text().splitlines() if path.exists() else []
        path.write_text("")
        for line in lines:
            measurement = Measurement.from_record(json.loads(line))
            if measurement.key.case not in forgotten:
                self.add(measurement)

    def add(self, measurement: Measurement) -> None:
        self.known[measurement.key] = measurement
        with open(self.path, "a") as file:
            file.write(json.dumps(measurement.as_record()) + "\n")


class Results:
    """The measurements of one run and the best of each contestant."""

    def __init__(self, measurements: list[Measurement], n_reused: int) -> None:
        self.measurements = measurements
        self.n_reused = n_reused

    def parts(self) -> list[tuple[str, int]]:
        """Cases and numbers of threads, in the order in which they ran."""
        return list(dict.fromkeys((m.key.case, m.key.threads) for m in self.measurements))

    def of(self, case: str, threads: int) -> dict[str, Measurement]:
        """The least time and the least memory of each contestant; its error where it has no figures."""
        best: dict[str, Measurement] = {}
        for m in self.measurements:
            if (m.key.case, m.key.threads) == (case, threads):
                known = best.setdefault(m.key.contestant, m)
                seconds, memory = min(known.seconds, m.seconds), min(known.bytes_a_row, m.bytes_a_row)
                best[m.key.contestant] = replace(known, seconds=seconds, bytes_a_row=memory)
        return best

    def n_repeats(self, case: str, threads: int) -> int:
        return 1 + max(m.key.repeat for m in self.measurements if (m.key.case, m.key.threads) == (case, threads))

    def versions(self) -> dict[str, str]:
        """Of each package; of ours with the kernels that it chooses itself."""
        versions: dict[str, str] = {}
        for m in self.measurements:
            versions.setdefault(m.key.contestant.split()[0], m.key.version)
        return versions
