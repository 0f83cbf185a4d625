"""How far a run is and how long it will take: a line that is redrawn on a terminal, plain lines elsewhere."""

from __future__ import annotations

import time
from typing import TextIO

SECONDS_A_REDRAW = 0.5


def duration(seconds: float) -> str:
    minutes = round(seconds / 60)
    return f"{minutes // 60} h {minutes % 60} min" if minutes >= 60 else f"{minutes} min"


class Progress:
    """Work is counted in trainings on all rows; each contestant has its own pace."""

    def __init__(self, left: dict[str, float], stream: TextIO) -> None:
        self._left, self._stream = dict(left), stream
        self._done: dict[str, float] = {}  # in this run
        self._seconds: dict[str, float] = {}
        self._is_terminal = stream.isatty()
        self._where, self._contestant = "", ""
        self._told_at = self._drawn_at = time.monotonic()

    def begin(self, where: str, contestant: str) -> None:
        self._where, self._contestant = where, contestant
        self._told_at = time.monotonic()
        self._draw()

    def advance(self, work: float, is_new: bool = True) -> None:
        """Some work is there; it is not new where an earlier run did it."""
        name, now = self._contestant, time.monotonic()
        self._left[name] = max(0.0, self._left.get(name, 0.0) - work)
        if is_new:
            self._done[name] = self._done.get(name, 0.0) + work
            self._seconds[name] = self._seconds.get(name, 0.0) + now - self._told_at
        self._told_at = now
        self._draw()

    def seconds_left(self) -> float | None:
        """Unknown as long as nobody has done anything."""
        n_done = sum(self._done.values())
        if n_done == 0:
            return None
        usual = sum(self._seconds.values()) / n_done
        paces = {name: self._seconds[name] / self._done[name] for name in self._done if self._done[name] > 0}
        return sum(work * paces.get(name, usual) for name, work in self._left.items())

    def tell(self, text: str) -> None:
        """A line that stays."""
        self._stream.write(f"\r\033[K{text}\n" if self._is_terminal else f"{text}{self._time_left()}\n")
        self._stream.flush()
        self._draw()

    def _time_left(self) -> str:
        left = self.seconds_left()
        return "" if left is None else f"; about {duration(left)} left"

    def _draw(self) -> None:
        now = time.monotonic()
        if self._is_terminal and now - self._drawn_at >= SECONDS_A_REDRAW:
            self._drawn_at = now
            n_left = sum(self._left.values())
            share = 1 - n_left / max(n_left + sum(self._done.values()), 1e-9)
            self._stream.write(f"\r\033[K{share:4.0%} {self._where}, {self._contestant}{self._time_left()}")
            self._stream.flush()

    def end(self) -> None:
        if self._is_terminal:
            self._stream.write("\r\033[K")
            self._stream.flush()
