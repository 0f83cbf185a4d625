"""Saves and trainings that are killed at random moments, and power cuts at every call of a save and of a journal."""

from __future__ import annotations

from programs import build, failed_checks, run_checks, run_peer

from battery import Counts, Figure, Part, Run, Section, total

N_KILLS, A_PART = 300, 100
N_OF_A_LIBRARY = 200
LIBRARIES = ("mixboost", "XGBoost", "LightGBM", "CatBoost")


def killed_saves(seed: int) -> Part:
    def kill(run: Run) -> Counts:
        program = build("release", run.log) / "stress_killed_saves"
        return run_checks([program, A_PART, seed], run, saves=r"(\d+) kills", torn=r"(\d+) temporary files")

    return Part(f"saves, seed {seed}", kill)


def killed_trainings(seed: int) -> Part:
    def kill(run: Run) -> Counts:
        tests = build("asan", run.log)
        command = [tests / "stress_killed_trainings", tests.parent / "mixboost", A_PART, seed]
        return run_checks(command, run, trainings=r"(\d+) kills", resumed=r"(\d+) with a checkpoint")

    return Part(f"trainings, seed {seed}", kill)


def power_cuts(name: str) -> Part:
    def cut(run: Run) -> Counts:
        program = build("asan", run.log) / f"stress_torn_{name}"
        return run_checks([program], run, states=r"(\d+) states, \d+ broken", broken=r"(\d+) broken")

    return Part(f"power cuts, {name}", cut)


def saves_of(library: str) -> Part:
    def kill(run: Run) -> Counts:
        patterns = {name: rf"(\d+) {name}" for name in ("whole", "lost", "different")}
        return run_peer(run, "peers_saves.py", library, "--count", N_OF_A_LIBRARY, **patterns)

    return Part(f"saves of {library}", kill)


def parts(is_short: bool) -> list[Part]:
    """The unit tests have some of them."""
    seeds = range(1001, 1001 + N_KILLS // A_PART)
    kills = [*map(killed_saves, seeds), *map(killed_trainings, seeds)]
    return [] if is_short else [*kills, power_cuts("saves"), power_cuts("journals"), *map(saves_of, LIBRARIES)]


def figures(counts: dict[str, Counts], _is_short: bool) -> list[Figure]:
    found = [
        Figure(
            "saves over a model killed with SIGKILL, none of which may be lost", total(counts, "saves"), f"≥ {N_KILLS}"
        ),
        Figure("of these in the middle of writing", total(counts, "torn"), f"≥ {N_KILLS // 10}"),
        Figure(
            "trainings killed, which must end with the bytes of one left alone",
            total(counts, "trainings"),
            f"≥ {N_KILLS}",
        ),
        Figure("of these gone on with from a checkpoint", total(counts, "resumed"), f"≥ {N_KILLS // 2}"),
        Figure("states that a power cut leaves of a model or a journal", total(counts, "states"), "≥ 10000"),
        Figure("of these neither the old file nor the new one", total(counts, "broken"), "= 0"),
        failed_checks(counts),
    ]
    for library in LIBRARIES:
        ends, must = counts[f"saves of {library}"], "= 0" if library == "mixboost" else ""
        of, whose = f"of {N_OF_A_LIBRARY} saves that were killed:", (library, ends["version"])
        found.append(Figure(f"{of} files that cannot be loaded", ends["lost"], must, *whose))
        found.append(Figure(f"{of} files that load and predict as neither model", ends["different"], must, *whose))
    return found


KILLS = Section("kills", "Killed saves and trainings, power cuts", parts, figures)
