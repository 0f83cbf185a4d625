"""Searches of the tuner that are killed at random moments and gone on with from their journals."""

from __future__ import annotations

from programs import build, failed_checks, run_checks

from battery import Counts, Figure, Part, Run, Section, total

N_KILLS, A_PART = 400, 100


def part(seed: int) -> Part:
    def kill(run: Run) -> Counts:
        program = build("asan", run.log) / "stress_killed_searches"
        return run_checks(
            [program, A_PART, seed], run, kills=r"(\d+) kills", searches=r"in (\d+) searches", torn=r"(\d+) torn"
        )

    return Part(f"seed {seed}", kill)


def parts(is_short: bool) -> list[Part]:
    """The unit tests have some of them."""
    return [] if is_short else [part(1001 + i) for i in range(N_KILLS // A_PART)]


def figures(counts: dict[str, Counts], _is_short: bool) -> list[Figure]:
    return [
        Figure("searches killed with SIGKILL and gone on with", total(counts, "kills"), f"≥ {N_KILLS}"),
        Figure("journals whose last bytes were lost, too", total(counts, "torn"), f"≥ {N_KILLS // 10}"),
        Figure("searches, which must end with the bytes of one left alone", total(counts, "searches"), "≥ 20"),
        failed_checks(counts),
    ]


SEARCHES = Section("searches", "Killed searches", parts, figures)
