"""Model files of a booster, changed at random: each is loaded, and rows predicted, in a process of its own.

    peers_mutants.py LIBRARY FORMAT EDITS [--count N] [--seed SEED]

EDITS is `bytes`, one to eight random ones, or `numbers`, one number of a file of text. The process is forked from one
that has imported the library and done nothing with it, has 4 GiB of addresses, and ten seconds.
"""

from __future__ import annotations

import argparse
import collections
import os
import random
import re
import resource
import signal
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from peers import BOOSTERS, NO_MEMORY, Booster, in_a_child, must_succeed, rows

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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("library", choices=BOOSTERS)
    parser.add_argument("format")
    parser.add_argument("edits", choices=EDITS)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    booster = BOOSTERS[arguments.library]()
    ends: collections.Counter[str] = collections.Counter()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path, messages = str(folder / f"model.{arguments.format}"), folder / "messages"
        make_model(booster, path, folder / "expected.npy", messages)
        data, expected = Path(path).read_bytes(), np.load(folder / "expected.npy")
        for seed in range(arguments.seed, arguments.seed + arguments.count):
            edited = EDITS[arguments.edits](random.Random(seed), data)
            Path(path).write_bytes(edited)
            status = in_a_child(lambda: load_and_predict(booster, path, expected), messages)
            ends[name_end(status, messages)] += edited != data
    print(f"{booster.version}: " + ", ".join(f"{ends[end]} {end}" for end in ENDS))


if __name__ == "__main__":
    main()
