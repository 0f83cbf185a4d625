"""What came of every search and training: a line of a file in results/, which is kept with the repository."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

RESULTS = Path(__file__).with_name("results")


class Key(NamedTuple):
    """What is known by this is not done again."""

    experiment: str
    scale: str
    set: str
    contestant: str
    fold: int  # the outer one
    seed: int  # of the training on all rows


@dataclass(frozen=True)
class Record:
    """The figures of one training with what a search found, or why there are none."""

    key: Key
    loss: float | None = None  # on the test rows
    error: str | None = None
    options: dict[str, Any] = field(default_factory=dict)  # chosen
    validation_loss: float | None = None
    tuning_seconds: float = 0.0  # of all trials together, on one processor each
    fit_seconds: float = 0.0  # of this training and its predictions, on one processor
    n_trials: int = 0
    n_failed: int = 0
    n_configs: int = 0
    n_judges: int = 0  # inner folds
    n_rows: int = 0  # trained on
    n_processors: int = 0
    hours: float = 0.0  # that a contestant might take for the set
    version: str = ""
    machine: str = ""
    date: str = ""

    def as_line(self) -> str:
        fields = {name: value for name, value in asdict(self).items() if name != "key" and value is not None}
        return json.dumps({**self.key._asdict(), **fields})


def from_line(line: str) -> Record:
    fields = json.loads(line)
    key = Key(**{name: fields.pop(name) for name in Key._fields})
    return Record(key, **fields)


def whole_lines(path: Path) -> list[str]:
    """A file's lines, but for a last one without its end: whoever wrote it was killed."""
    data = path.read_bytes()
    return data[: data.rfind(b"\n") + 1].decode().splitlines()


def append_lines(path: Path, text: str) -> None:
    """A last line without its end gives way."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "ab+") as file:
        size = file.tell()
        file.seek(max(0, size - 1))
        if file.read() not in (b"", b"\n"):
            file.seek(0)
            file.truncate(file.read().rfind(b"\n") + 1)
        file.write(text.encode())


class RecordFile:
    """The records of an experiment; of two with the same key the later one counts."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.known: dict[Key, Record] = {}
        if path.exists():
            for line in whole_lines(path):
                record = from_line(line)
                self.known[record.key] = record

    def add(self, records: list[Record]) -> None:
        append_lines(self.path, "".join(record.as_line() + "\n" for record in records))
        self.known.update((record.key, record) for record in records)

    def forget(self, scale: str, sets: list[str], contestants: list[str]) -> int:
        """Drops what is known of these; returns how many lines that is."""

        def is_one(key: Key) -> bool:
            return key.scale == scale and key.set in sets and key.contestant in contestants

        kept = {key: record for key, record in self.known.items() if not is_one(key)}
        n_dropped = len(self.known) - len(kept)
        if n_dropped > 0:
            unfinished = self.path.with_suffix(".unfinished")
            unfinished.write_text("".join(record.as_line() + "\n" for record in kept.values()))
            unfinished.replace(self.path)
            self.known = kept
        return n_dropped
