"""Numbers at their ends: labels, weights, columns and penalties as large, small and odd as doubles can be."""

from __future__ import annotations

from programs import build, failed_checks, run_checks

from battery import Counts, Figure, Part, Run, Section, largest, total


def part(name: str, preset: str, *arguments: str) -> Part:
    def train(run: Run) -> Counts:
        return run_checks(
            [build(preset, run.log) / "stress_numbers", *arguments],
            run,
            examples=r"(\d+) examples",
            trainings=r"(\d+) trainings",
            predictions=r"(\d+) predictions",
            bad=r"(\d+) not finite",
            repaired=r"(\d+) rounds repaired",
        )

    return Part(name, train)


def parts(is_short: bool) -> list[Part]:
    """The unit tests have all but the column of many values."""
    return [] if is_short else [part("with many values", "release", "full"), part("sanitized", "asan")]


def figures(counts: dict[str, Counts], _is_short: bool) -> list[Figure]:
    return [
        Figure("examples of extreme data, tried with each learner and objective", largest(counts, "examples"), "≥ 26"),
        Figure("trainings on them, whose metrics must be right", total(counts, "trainings"), "≥ 10000"),
        Figure("predictions", total(counts, "predictions")),
        Figure("of these not finite", total(counts, "bad"), "= 0"),
        Figure("rounds that were repaired, each counted", total(counts, "repaired"), "≥ 1"),
        failed_checks(counts),
    ]


NUMBERS = Section("numbers", "Numbers at their ends", parts, figures)
