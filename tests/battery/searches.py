"""Searches of the tuner that are killed at random moments and gone on with from their journals."""

from __future__ import annotations

from programs import build, counts_in, run_program

from battery import Counts, Figure, Part, Run, Section, total

N_KILLS, A_PART = 400, 100


def part(seed: int) -> Part:
    def kill(run: Run) -> Counts:
        program = build("asan", run.log) / "stress_killed_searches"
        text = run_program([program, A_PART, seed], run.log, run.folder)
        return counts_in(text, kills=r"(\d+) kills", searches=r"in (\d+) searches", torn=r"(\d+) torn")

    return Part(f"seed {seed}", kill)


def parts(is_short: bool) -> list[Part]:
    """The unit tests have some of them."""
    return [] if is_short else [part(1001 + i) for i in range(N_KILLS // A_PART)]


def figures(counts: dict[str, Counts], _is_short: bool) -> list[Figure]:
    return [
        Figure("searches killed with SIGKILL and gone on with", total(counts, "kills"), f"≥ {N_KILLS}"),
        Figure("journals whose last bytes were lost, too", total(counts, "torn")),
        Figure("searches that ended with the bytes of one left alone", total(counts, "searches")),
    ]


SEARCHES = Section("searches", "Killed searches", parts, figures)
