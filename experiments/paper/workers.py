"""Calls that each run in a process of their own, as many at once as there are processors, and are killed in time.

Time is that of the processor, so that other work on the machine does not count.

The processes are children of a nursery, a process that has imported and read what all calls need and computes nothing
itself. So a child starts at once, finds everything there, and takes nobody with it when it is killed.
"""

from __future__ import annotations

import os
import signal
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage
from typing import Any, NamedTuple

WAITS = 30  # a call that computes nothing is killed after so many times its limit by the clock


class Call(NamedTuple):
    """A function of a module, which a process finds by its name, and its arguments."""

    function: Callable[..., Any]
    arguments: tuple[Any, ...]

    def __call__(self) -> Any:
        return self.function(*self.arguments)


class Answer(NamedTuple):
    """What a call returned, or why it did not; the seconds that it and what it started computed either way."""

    value: Any
    error: str | None
    seconds: float


# ---- In a child -------------------------------------------------------------------------------------------------


def answer_call(pipe: Connection, call: Call) -> None:
    os.setpgid(0, 0)  # so that it can be killed together with what it starts
    try:
        value, error = call(), None
    except Exception as problem:
        value, error = None, f"{type(problem).__name__}: {problem}"[:200]
    pipe.send(Answer(value, error, seconds_so_far()))


def seconds_so_far() -> float:
    """Of the processor, with those of what this process started and has waited for."""
    return sum(sum(getrusage(who)[:2]) for who in (RUSAGE_SELF, RUSAGE_CHILDREN))


# ---- In the nursery ---------------------------------------------------------------------------------------------


class Child:
    """A process that works on a call."""

    def __init__(self, number: int, call: Call, limit: float) -> None:
        context = get_context("fork")
        self.number, self._limit = number, limit
        self.pipe, other_end = context.Pipe(duplex=False)
        self._process = context.Process(target=answer_call, args=(other_end, call))
        self._process.start()
        other_end.close()
        self._began, self._seconds = time.perf_counter(), 0.0

    @property
    def seconds(self) -> float:
        """Of the processor, with those of what it started and has waited for; once it is gone, those seen last."""
        with suppress(FileNotFoundError, ProcessLookupError), open(f"/proc/{self._process.pid}/stat") as file:
            fields = file.read().rpartition(")")[2].split()
            self._seconds = sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
        return self._seconds

    @property
    def seconds_left(self) -> float:
        """It cannot be overdue any sooner."""
        by_the_clock = self._began + WAITS * self._limit - time.perf_counter()
        return max(0.0, min(self._limit - self.seconds, by_the_clock))

    def take_answer(self) -> Answer:
        """When there is one, or the process is gone or overdue."""
        try:
            answer: Answer = self.pipe.recv() if self.pipe.poll() else self._no_answer(f"over {self._limit:g} s")
        except EOFError:
            answer = self._no_answer("its process died")
        self.kill()
        return answer

    def _no_answer(self, why: str) -> Answer:
        return Answer(None, why, self.seconds)

    def kill(self) -> None:
        pid = self._process.pid
        assert pid is not None
        for kill in (os.killpg, os.kill):  # the group is not there before the child has made it
            with suppress(ProcessLookupError):
                kill(pid, signal.SIGKILL)
        self._process.join()
        self.pipe.close()


def run_nursery(pipe: Connection, n: int, prepare: Call) -> None:
    """Works until the parent closes its end of the pipe, or dies."""
    os.setsid()  # ^C is for the parent
    prepare()
    children: list[Child] = []
    waiting: deque[tuple[int, Call, float]] = deque()
    try:
        while True:
            while waiting and len(children) < n:
                children.append(Child(*waiting.popleft()))
            timeout = min((child.seconds_left for child in children), default=None)
            ready = wait([pipe, *(child.pipe for child in children)], timeout)
            if pipe in ready:
                waiting.extend(pipe.recv())
            for child in [child for child in children if child.pipe in ready or child.seconds_left == 0]:
                children.remove(child)
                pipe.send((child.number, child.take_answer()))
    except (EOFError, ConnectionError):
        pass
    finally:
        for child in children:
            child.kill()


# ---- In the parent ----------------------------------------------------------------------------------------------


class Workers:
    """Makes calls in `n` processes at once, after `prepare` was called once for all of them."""

    def __init__(self, n: int, prepare: Call) -> None:
        context = get_context("spawn")
        self._pipe, other_end = context.Pipe()
        self._nursery = context.Process(target=run_nursery, args=(other_end, n, prepare))
        self._nursery.start()
        other_end.close()

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *_: object) -> None:
        self._pipe.close()
        self._nursery.join()

    def answers(self, calls: list[Call], limit: float) -> Iterator[tuple[int, Answer]]:
        """The calls' numbers and answers, as they come; one that computes for more than `limit` seconds is killed."""
        self._pipe.send([(number, call, limit) for number, call in enumerate(calls)])
        for _ in calls:
            yield self._pipe.recv()


def n_processors() -> int:
    """Those that this process may use."""
    return len(os.sched_getaffinity(0))
