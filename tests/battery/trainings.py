"""Random trainings: data, options and seed drawn at random, under the address and undefined behaviour sanitizers."""

from __future__ import annotations

from programs import build, failed_checks, run_checks

from battery import Counts, Figure, Part, Run, Section, total

N_TRAININGS, A_PART = 20_000, 1_000
FIRST_SEED = 100_001  # those of the unit tests are smaller


def part(first: int) -> Part:
    def train(run: Run) -> Counts:
        program = build("asan", run.log) / "stress_trainings"
        return run_checks(
            [program, A_PART, first],
            run,
            trainings=r"(\d+) trainings",
            large=r"(\d+) of over",
            rounds=r"(\d+) rounds",
            refused=r"(\d+) refused",
            never_risen=r"(\d+) whose loss may not rise",
            same_leaves=r"(\d+) validated on themselves",
            same_scores=r"(\d+) with scores to predict",
        )

    return Part(f"seeds from {first}", train)


def parts(is_short: bool) -> list[Part]:
    """The unit tests have some of them."""
    return [] if is_short else [part(first) for first in range(FIRST_SEED, FIRST_SEED + N_TRAININGS, A_PART)]


def figures(counts: dict[str, Counts], _is_short: bool) -> list[Figure]:
    return [
        Figure("random trainings, in which every invariant must hold", total(counts, "trainings"), f"= {N_TRAININGS}"),
        Figure("of these with more than 2^16 rows", total(counts, "large")),
        Figure("rounds", total(counts, "rounds"), f"≥ {10 * N_TRAININGS}"),
        Figure(
            "refused with a sentence, since values were out of range",
            total(counts, "refused"),
            f"≤ {N_TRAININGS // 10}",
        ),
        Figure("squared losses, which may rise in no round", total(counts, "never_risen"), f"≥ {N_TRAININGS // 5}"),
        Figure(
            "trainings whose rows are scored alike by place and by leaf",
            total(counts, "same_leaves"),
            f"≥ {N_TRAININGS // 5}",
        ),
        Figure(
            "trainings whose every row has the score that is predicted for it",
            total(counts, "same_scores"),
            f"≥ {N_TRAININGS // 4}",
        ),
        failed_checks(counts),
    ]


TRAININGS = Section("trainings", "Random trainings", parts, figures)
