"""The process that the library lives in: its forks, its share of the processors, what other libraries and callers have
set; and the same forks under other boosters."""

from __future__ import annotations

import contextlib
import math
import os
from collections.abc import Iterator
from pathlib import Path

from programs import build, counts_in, failed_checks, run_checks, run_peer, run_program, wheel_environment

from battery import Counts, Figure, Part, Run, Section, total

N_FORKS, N_OF_A_PEER = 200, 20
SITUATIONS = {"trained": "train", "loaded": "predict", "pool": "train in a pool"}
LIBRARIES = {"mixboost": N_FORKS, "XGBoost": N_OF_A_PEER, "LightGBM": N_OF_A_PEER, "CatBoost": N_OF_A_PEER}
OPENMP_USERS = ["scikit-learn", "LightGBM", "XGBoost"]
BAD_ENDS = ("different", "hangs", "crashes")
HERE = Path(__file__).parent

# By version: where a control group is made, and what limits it to the time of one processor.
CONTROL_GROUPS = {
    1: (Path("/sys/fs/cgroup/cpu"), {"cpu.cfs_period_us": "100000", "cpu.cfs_quota_us": "100000"}),
    2: (Path("/sys/fs/cgroup"), {"cpu.max": "100000 100000"}),
}


def forks(preset: str) -> Part:
    def fork(run: Run) -> Counts:
        return run_checks([build(preset, run.log) / "stress_forks", N_FORKS], run, in_c=r"(\d+) repeats")

    return Part(f"forks, {preset}", fork)


def name_of(library: str, situation: str) -> str:
    return f"forks, {library}, {situation}"


def forks_in_python(library: str, situation: str, count: int) -> Part:
    def fork(run: Run) -> Counts:
        patterns = {name: rf"(\d+) {name}" for name in ("repeats", *BAD_ENDS)}
        return run_peer(run, "peers_forks.py", library, situation, "--count", count, **patterns)

    return Part(name_of(library, situation), fork)


def beside(library: str, order: str) -> Part:
    def train(run: Run) -> Counts:
        program = [wheel_environment(run.log), HERE / "beside_openmp.py", library, order]
        text = run_program(program, run.log, run.folder)
        patterns = {name: rf"(\d+) {name}" for name in ("bad forks", "modes changed", "OpenMP runtimes")}
        return counts_in(text, beside=r"(\d+) trainings", beside_different=r"(\d+) different", **patterns)

    return Part(f"beside {library}, imported {order}", train)


@contextlib.contextmanager
def control_group(version: int) -> Iterator[Path | None]:
    """A group that has the time of one processor; None where the system or its user has no such groups."""
    parent, limits = CONTROL_GROUPS[version]
    group = parent / f"mixboost-battery-{os.getpid()}"
    try:
        group.mkdir()
    except OSError:
        yield None
        return
    try:
        if all((group / name).exists() for name in limits):
            for name, limit in limits.items():
                (group / name).write_text(limit)
            yield group
        else:
            yield None
    finally:
        group.rmdir()


def processors_of_group(folder: Path) -> float:
    """How many it has the time of, by either version's files."""
    with contextlib.suppress(OSError, ValueError):  # "max" is no limit
        quota, period = map(int, (folder / "cpu.max").read_text().split())
        return -(-quota // period)
    with contextlib.suppress(OSError, ValueError):
        quota, period = (int((folder / f"cpu.cfs_{name}_us").read_text()) for name in ("quota", "period"))
        return -(-quota // period) if quota > 0 else math.inf
    return math.inf


def n_processors(root: Path = Path("/")) -> float:
    """What affinity and control groups leave to this process, counted without the library."""
    n = float(len(os.sched_getaffinity(0)))
    for line in (root / "proc" / "self" / "cgroup").read_text().splitlines():
        _, controllers, group = line.split(":", 2)
        if controllers and "cpu" not in controllers.split(","):
            continue
        for mount in {controllers, "cpu"} if controllers else {""}:
            top = root / "sys" / "fs" / "cgroup" / mount
            folder = top / group.lstrip("/")
            n = min([n, *(processors_of_group(each) for each in (folder, *folder.parents) if each.is_relative_to(top))])
    return n


def default_threads(run: Run) -> Counts:
    """The program counts the threads itself, before and after it keeps to one processor."""
    program = build("release", run.log) / "stress_default_threads"
    patterns = {"threads": r"(\d+) threads by default", "threads on one": r"(\d+) on one processor"}
    counts = run_checks([program], run, **patterns) | {"processors": n_processors()}
    for version in CONTROL_GROUPS:
        with control_group(version) as group:
            counts[f"groups of version {version}"] = float(group is not None)
            if group is not None:
                join = ["sh", "-c", 'echo $$ > "$0/cgroup.procs" && exec "$1"', group, program]
                found = run_checks(join, run, limited=r"(\d+) threads by default")
                counts["beyond a limit"] = counts.get("beyond a limit", 0) + found["limited"] - 1
                counts["failed"] += found["failed"]
    return counts


def float_modes(run: Run) -> Counts:
    return run_checks(
        [build("release", run.log) / "stress_float_modes"],
        run,
        modes_same=r"(\d+) trainings with the same bytes",
        modes_finite=r"(\d+) of denormal numbers",
        modes_left=r"(\d+) calls that left another mode",
    )


def parts(is_short: bool) -> list[Part]:
    """The unit tests have it in C, and those of Python the forks."""
    if is_short:
        return []
    forked = [forks_in_python(library, situation, n) for library, n in LIBRARIES.items() for situation in SITUATIONS]
    users = [beside(user, order) for user in OPENMP_USERS for order in ("first", "last")]
    processor = [Part("default threads", default_threads), Part("float modes", float_modes)]
    return [forks("release"), forks("asan"), *processor, *users, *forked]


def of_python(counts: dict[str, Counts]) -> list[Figure]:
    ours = [counts[name_of("mixboost", situation)]["repeats"] for situation in SITUATIONS]
    of = "forks from Python, whose children train, predict or are a pool"
    found = [Figure(of, sum(ours), f"= {len(SITUATIONS) * N_FORKS}")]
    for library, count in LIBRARIES.items():
        must = "= 0" if library == "mixboost" else ""
        for situation, title in SITUATIONS.items():
            ends = counts[name_of(library, situation)]
            bad = 100 * sum(ends[end] for end in BAD_ENDS) / ends["repeats"]
            of = f"of forks whose children {title}, in %: hung for ten seconds, crashed or gave other bits"
            of += "" if ends["repeats"] == count else f" (after {ends['repeats']:g}, too many had hung to go on)"
            found.append(Figure(of, bad, must, library, ends["version"]))
    return found


def figures(counts: dict[str, Counts], _is_short: bool) -> list[Figure]:
    threads = counts["default threads"]
    groups = sum(threads[f"groups of version {version}"] for version in CONTROL_GROUPS)
    runtimes = [of_part["OpenMP runtimes"] for of_part in counts.values() if "OpenMP runtimes" in of_part]
    return [
        Figure("forks in C, both sides of which train, load and predict", total(counts, "in_c"), f"= {2 * N_FORKS}"),
        *of_python(counts),
        Figure(
            "threads by default, with all processors of the process", threads["threads"], f"= {threads['processors']:g}"
        ),
        Figure(
            "threads by default, kept to one processor after the library was loaded", threads["threads on one"], "= 1"
        ),
        Figure("real control groups that could be made", groups, "≥ 1"),
        Figure("threads by default beyond their limit of one processor", threads.get("beyond a limit", 0), "= 0"),
        Figure(
            "trainings in turns with users of OpenMP, imported first or last",
            total(counts, "beside"),
            f"= {4 * 2 * len(OPENMP_USERS)}",
        ),
        Figure("OpenMP runtimes beside each, at the least", min(runtimes), "≥ 1"),
        Figure(
            "of these, and of forks after them, different or hung",
            total(counts, "beside_different") + total(counts, "bad forks"),
            "= 0",
        ),
        Figure(
            "trainings where denormal numbers count as 0 or the x87 rounds shorter, with the same bytes",
            total(counts, "modes_same"),
            "≥ 700",
        ),
        Figure(
            "calls, and imports, that left the processor in another mode",
            total(counts, "modes_left") + total(counts, "modes changed"),
            "= 0",
        ),
        failed_checks(counts),
    ]


PROCESSES = Section("processes", "Forks, threads, containers", parts, figures)
