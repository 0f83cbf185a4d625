"""Processes that save two models of a booster over the same file in turn, and are killed at random moments.

    peers_saves.py LIBRARY [--count N] [--seed SEED]

Afterwards a process that has done nothing else loads the file: it must be one of the two models.
"""

from __future__ import annotations

import argparse
import collections
import itertools
import os
import random
import shutil
import signal
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from peers import BOOSTERS, Booster, in_a_child, must_succeed, rows, start_child

ROUNDS = (100, 400)
WHOLE, LOST, DIFFERENT = range(10, 13)  # exit codes
ENDS = {WHOLE: "whole", LOST: "lost", DIFFERENT: "different"}
SAVES = 10  # after so many begun, at most, a process is killed
SECONDS = 10  # that loading may take


class Saves:
    """Two models of a booster and what they predict, and a file that is one of them."""

    def __init__(self, booster: Booster, folder: Path) -> None:
        self.booster, self.folder = booster, folder
        self.messages, self.path = folder / "messages", str(folder / f"model.{booster.suffix}")
        self.models = [str(folder / f"{rounds}.{booster.suffix}") for rounds in ROUNDS]
        for rounds, path in zip(ROUNDS, self.models, strict=True):
            must_succeed(lambda rounds=rounds, path=path: self._make(rounds, path), self.messages)
        self.expected = [np.load(f"{path}.npy") for path in self.models]
        must_succeed(self._time, self.messages)
        self.seconds = float(np.load(f"{self.path}.npy"))

    def _make(self, rounds: int, path: str) -> None:
        X, y = rows()
        self.booster.save(self.booster.fit(X, y, rounds=rounds), path)
        np.save(f"{path}.npy", self.booster.predict(self.booster.load(path), X))

    def _time(self) -> None:
        models = [self.booster.load(path) for path in self.models]
        began = time.monotonic()
        for model in models * SAVES:
            self.booster.save(model, self.path)
        np.save(f"{self.path}.npy", (time.monotonic() - began) / (len(models) * SAVES))

    def _save_for_ever(self, ready: int) -> int:
        models = [self.booster.load(path) for path in self.models]
        os.write(ready, b"!")
        for model in itertools.cycle(models):
            self.booster.save(model, self.path)
        return 0

    def _load(self) -> int:
        signal.alarm(SECONDS)
        try:
            predicted: Any = np.asarray(self.booster.predict(self.booster.load(self.path), rows()[0]))
        except Exception:
            return LOST
        return WHOLE if any(predicted.tobytes() == one.tobytes() for one in self.expected) else DIFFERENT

    def kill_one(self, dice: random.Random) -> str:
        shutil.copy(self.models[0], self.path)
        reader, writer = os.pipe()
        child = start_child(lambda: self._save_for_ever(writer), self.messages)
        os.close(writer)
        is_saving = os.read(reader, 1) == b"!"
        os.close(reader)
        time.sleep(self.seconds * SAVES * dice.random())
        os.kill(child, signal.SIGKILL)
        killed = os.waitpid(child, 0)[1]
        if not is_saving or not os.WIFSIGNALED(killed):
            raise SystemExit(self.messages.read_text(errors="replace"))
        for path in self.folder.glob("*.tmp*"):
            path.unlink()
        status = in_a_child(self._load, self.messages)
        return ENDS.get(os.WEXITSTATUS(status), "lost") if os.WIFEXITED(status) else "lost"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("library", choices=BOOSTERS)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    booster, dice = BOOSTERS[arguments.library](), random.Random(arguments.seed)
    with tempfile.TemporaryDirectory() as name:
        saves = Saves(booster, Path(name))
        ends = collections.Counter(saves.kill_one(dice) for _ in range(arguments.count))
    print(f"{booster.version}: " + ", ".join(f"{ends[end]} {end}" for end in ENDS.values()))


if __name__ == "__main__":
    main()
