"""A long run whose memory must not grow, and many threads that predict with one model while another trains."""

from __future__ import annotations

from pathlib import Path

from programs import build, counts_in, failed_checks, run_checks, run_program, wheel_environment

from battery import Counts, Figure, Part, Run, Section, largest, total

N_PREDICTIONS, N_TRAININGS = 1_000_000, 1_000
N_THREADS = 64
LOADS = {"release": 300, "tsan": 20}  # trainings beside them
LEAST_SERVED = {"release": 100_000, "tsan": 1_000}
MOST_GROWTH = 2**20


def soak(run: Run) -> Counts:
    program = build("release", run.log) / "stress_soak"
    return run_checks(
        [program, N_PREDICTIONS, N_TRAININGS],
        run,
        predictions=r"(\d+) predictions",
        trainings=r"(\d+) trainings",
        wrong=r"predictions, (\d+) wrong",
        trained_wrong=r"trainings, (\d+) wrong",
        left=r"predictions, .* wrong, (\d+) left",
        left_by_trainings=r"trainings, .* wrong, (\d+) left",
        growth=r"predictions, .* behind, (\d+) bytes of growth",
        growth_of_trainings=r"trainings, .* behind, (\d+) bytes of growth",
    )


def soak_package(run: Run) -> Counts:
    script = Path(__file__).with_name("soak_in_python.py")
    program = [wheel_environment(run.log), script, N_PREDICTIONS, N_TRAININGS]
    # With more arenas what is resident hangs on which thread takes memory first.
    text = run_program(program, run.log, run.folder, MALLOC_ARENA_MAX="1")
    return counts_in(
        text,
        predictions=r"(\d+) predictions",
        fits=r"(\d+) fits",
        wrong=r"predictions, (\d+) wrong",
        trained_wrong=r"fits, (\d+) wrong",
        growth=r"predictions, .* wrong, (\d+) bytes of growth",
        growth_of_fits=r"fits, .* wrong, (\d+) bytes of growth",
    )


def load(preset: str, n_trainings: int) -> Part:
    def serve(run: Run) -> Counts:
        program = build(preset, run.log) / "stress_load"
        return run_checks(
            [program, n_trainings, N_THREADS],
            run,
            threads=r"(\d+) threads",
            wrong=r"predictions, (\d+) wrong",
            served=r"(\d+) beside trainings",
            beside=r"(\d+) trainings,",
            trained_wrong=r"trainings, (\d+) wrong",
        )

    return Part(load_name(preset), serve)


def load_name(preset: str) -> str:
    return f"load, {preset}"


def parts(is_short: bool) -> list[Part]:
    """The unit tests have some of it."""
    soaks = [Part("soak", soak), Part("package", soak_package)]
    return [] if is_short else [*soaks, *(load(preset, n) for preset, n in LOADS.items())]


def figures(counts: dict[str, Counts], _is_short: bool) -> list[Figure]:
    in_c, of_package = counts["soak"], counts["package"]
    growth, most = "bytes by which its memory grew", f"≤ {MOST_GROWTH}"
    return [
        Figure(
            "predictions of single rows and batches, and loads, in one process",
            in_c["predictions"],
            f"= {N_PREDICTIONS}",
        ),
        Figure(growth, in_c["growth"], most),
        Figure("trainings in it", in_c["trainings"], f"= {N_TRAININGS}"),
        Figure(growth, in_c["growth_of_trainings"], most),
        Figure(
            "predictions of a row or a few by the package, in one process",
            of_package["predictions"],
            f"= {N_PREDICTIONS}",
        ),
        Figure(growth, of_package["growth"], most),
        Figure("fits in it", of_package["fits"], f"= {N_TRAININGS}"),
        Figure(growth, of_package["growth_of_fits"], most),
        Figure(
            "predictions and trainings that left memory of the library behind",
            in_c["left"] + in_c["left_by_trainings"],
            "= 0",
        ),
        Figure(
            "threads that predicted with one model while another trained", largest(counts, "threads"), f"= {N_THREADS}"
        ),
        *(
            Figure(f"predictions that they began while it did, {preset}", counts[load_name(preset)]["served"], f"≥ {n}")
            for preset, n in LEAST_SERVED.items()
        ),
        Figure("trainings beside them", total(counts, "beside"), f"= {sum(LOADS.values())}"),
        Figure(
            "predictions or trainings that differed", total(counts, "wrong") + total(counts, "trained_wrong"), "= 0"
        ),
        failed_checks(counts),
    ]


SOAK = Section("soak", "Long runs and many threads", parts, figures)
