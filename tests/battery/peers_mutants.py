"""Model files of a booster, changed at random: each is loaded, and rows predicted, in a process of its own.

    peers_mutants.py LIBRARY FORMAT EDITS [--count N] [--seed SEED]

EDITS is `bytes`, one to eight random ones, or `numbers`, one number of a file of text. The process is forked from one
that has imported the library and done nothing with it, has 4 GiB of addresses, and ten seconds; in such a one the
unchanged file must predict the same.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import resource
import signal
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from peers import BOOSTERS, NO_MEMORY, Booster, count_ends, in_a_child, must_succeed, rows

ADDRESSES, SECONDS = 4 << 30, 10
REFUSED, SAME, DIFFERENT, NO_ROOM = range(10, 14)  # exit codes
CODES = {REFUSED: "refused", SAME: "same", DIFFERENT: "different", NO_ROOM: "blow_ups"}
ENDS = [*CODES.values(), "crashes", "hangs"]


# ---- Edits ----


def edit_bytes(dice: random.Random, data: bytes) -> bytes:
    edited = bytearray(data)
    for _ in range(dice.randint(1, 8)):
        edited[dice.randrange(len(edited))] ^= dice.randint(1, 255)
    return bytes(edited)


EDGES = [0, 1, -1, 2, 255, 65536, 2**31 - 1, 2**31, -(2**31), 2**32, 2**63 - 1, 2**64, "1e308", "1e400", "nan", "0.5"]


def edit_number(dice: random.Random, data: bytes) -> bytes:
    places = list(re.finditer(rb"-?\d+(\.\d+)?([eE][-+]?\d+)?", data))
    place = dice.choice(places)
    return data[: place.start()] + str(dice.choice(EDGES)).encode() + data[place.end() :]


EDITS = {"bytes": edit_bytes, "numbers": edit_number}


# ---- Processes ----


def make_model(booster: Booster, path: str, expected: Path, messages: Path) -> None:
    def action() -> None:
        X, y = rows()
        booster.save(booster.fit(X, y), path)
        np.save(expected, booster.predict(booster.load(path), X))

    must_succeed(action, messages)


def load_and_predict(booster: Booster, path: str, expected: Any) -> int:
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESSES, ADDRESSES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.alarm(SECONDS)
    try:
        predicted = np.asarray(booster.predict(booster.load(path), rows()[0]))
    except MemoryError:
        return NO_ROOM
    except Exception as error:
        return NO_ROOM if NO_MEMORY.search(str(error)) else REFUSED
    return SAME if predicted.tobytes() == expected.tobytes() else DIFFERENT


def name_end(status: int, messages: Path) -> str:
    if os.WIFEXITED(status):
        return CODES.get(os.WEXITSTATUS(status), "crashes")
    if os.WTERMSIG(status) == signal.SIGALRM:
        return "hangs"
    return "blow_ups" if NO_MEMORY.search(messages.read_text(errors="replace")) else "crashes"


class Mutants:
    """Of the file of a model, which each of them replaces."""

    def __init__(self, booster: Booster, folder: Path, suffix: str) -> None:
        self.booster, self._messages = booster, folder / "messages"
        self._path, expected = str(folder / f"model.{suffix}"), folder / "expected.npy"
        make_model(booster, self._path, expected, self._messages)
        self._data, self._expected = Path(self._path).read_bytes(), np.load(expected)
        if (end := self._end_of(self._data)) != "same":
            sys.exit(f"the unchanged file: {end}\n{self._messages.read_text(errors='replace')}")

    def _end_of(self, data: bytes) -> str:
        Path(self._path).write_bytes(data)
        status = in_a_child(lambda: load_and_predict(self.booster, self._path, self._expected), self._messages)
        return name_end(status, self._messages)

    def ends(self, edits: str, seeds: range) -> Iterator[str]:
        for seed in seeds:
            edited = EDITS[edits](random.Random(seed), self._data)
            yield self._end_of(edited) if edited != self._data else "unchanged"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("library", choices=BOOSTERS)
    parser.add_argument("format")
    parser.add_argument("edits", choices=EDITS)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    booster = BOOSTERS[arguments.library]()
    with tempfile.TemporaryDirectory() as name:
        mutants = Mutants(booster, Path(name), arguments.format)
        seeds = range(arguments.seed, arguments.seed + arguments.count)
        ends = count_ends(mutants.ends(arguments.edits, seeds))
    print(f"{booster.version}: {ends.total()} tried, " + ", ".join(f"{ends[end]} {end}" for end in ENDS))


if __name__ == "__main__":
    main()
