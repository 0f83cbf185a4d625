"""What came of each fit: a line of a file once it is done, so that a run can go on where it stopped."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple


class Key(NamedTuple):
    """What an outcome depends on. With any of it changed, the fit is made again."""

    set: str
    seed: int
    protocol: str
    contestant: str
    digest: str  # of the settings
    version: str
    repeat: int = 0
    machine: str = ""  # of timings alone: losses are the same everywhere


@dataclass(frozen=True)
class Outcome:
    """The figures of one fit, or why there are none."""

    key: Key
    loss: float | None = None
    n_rounds: int | None = None
    seconds: float | None = None
    error: str | None = None
    settings: dict[str, Any] | None = None  # what the contestant was told

    def as_line(self) -> str:
        fields = {name: value for name, value in asdict(self).items() if name != "key" and value is not None}
        return json.dumps({**self.key._asdict(), **fields})


def from_line(line: str) -> Outcome:
    fields = json.loads(line)
    key = Key(**{name: fields.pop(name) for name in Key._fields})
    return Outcome(key, **fields)


class Journal:
    """A file of outcomes. Later lines count where two are of the same contestant on the same rows."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.known: dict[Key, Outcome] = {}
        if path.exists():
            for line in path.read_text().splitlines():
                self._keep(from_line(line))

    def _keep(self, outcome: Outcome) -> None:
        self.known.pop(outcome.key, None)  # the newest stand last
        self.known[outcome.key] = outcome

    def add(self, outcome: Outcome) -> None:
        self._keep(outcome)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with open(self.path, "a") as file:
            file.write(outcome.as_line() + "\n")

    def latest(self) -> list[Outcome]:
        """Without those that were made again with other settings or another version."""
        newest: dict[Key, Outcome] = {}
        for outcome in self.known.values():
            newest[outcome.key._replace(digest="", version="")] = outcome
        return list(newest.values())

    def forget_old(self) -> None:
        """Leaves the latest outcomes in the file, and no others."""
        if self.path.exists():
            latest = self.latest()
            unfinished = self.path.with_suffix(".unfinished")
            unfinished.write_text("".join(outcome.as_line() + "\n" for outcome in latest))
            unfinished.replace(self.path)
            self.known = {outcome.key: outcome for outcome in latest}
