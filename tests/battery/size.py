"""More than fits in 32 bits: cells, bytes of files, and rounds by the ten thousand."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from programs import build, failed_checks, run_checks

from battery import Counts, Figure, Part, Run, Section, total
from tools.logs import Failed

MOST_ROWS = 2**32 - 1  # of a dataset
TRAINED_ROWS, TRAINED_COLUMNS = 5_000_000, 900
FILE_BYTES = 4_500_000_000
N_ROUNDS = 10_000
GIB = 2**30


def check_room(memory: int, disk: int, folder: Path) -> None:
    """In GiB. A run that has too little memory would only be killed."""
    available = re.search(r"MemAvailable: +(\d+) kB", Path("/proc/meminfo").read_text())
    if (
        available is None
        or int(available.group(1)) * 1024 < memory * GIB
        or shutil.disk_usage(folder).free < disk * GIB
    ):
        raise Failed(f"this part needs {memory} GiB of memory that is free, and {disk} GiB in {folder}")


def cells(command: str, n_rows: int, n_columns: int, memory: int, **patterns: str) -> Part:
    def work(run: Run) -> Counts:
        check_room(memory, 0, run.folder)
        program = build("release", run.log) / "stress_many_cells"
        return run_checks(
            [program, command, n_rows, n_columns], run, cells=r"(\d+) cells", rows=r"(\d+) rows,", **patterns
        )

    return Part(f"cells, {command}", work)


def file_of(kind: str, memory: int, disk: int) -> Part:
    def work(run: Run) -> Counts:
        check_room(memory, disk, run.folder)
        program = build("release", run.log) / "stress_large_files"
        return run_checks([program, kind, FILE_BYTES, run.folder], run, bytes=r"(\d+) bytes of")

    return Part(f"file, {kind}", work)


def rounds(preset: str) -> Part:
    def work(run: Run) -> Counts:
        return run_checks([build(preset, run.log) / "stress_many_rounds", N_ROUNDS], run, rounds=r"(\d+) rounds")

    return Part(f"rounds, {preset}", work)


def parts(is_short: bool) -> list[Part]:
    """The unit tests have rounds, cells that are predicted, and smaller files."""
    if is_short:
        return []
    predicted = cells("predict", MOST_ROWS, 5, memory=1)
    trained = cells("train", TRAINED_ROWS, TRAINED_COLUMNS, memory=11, mebibytes=r"(\d+) MiB taken")
    files = [file_of("model", memory=11, disk=10), file_of("csv", memory=6, disk=5)]
    return [rounds("release"), rounds("asan"), predicted, trained, *files]


def figures(counts: dict[str, Counts], _is_short: bool) -> list[Figure]:
    predicted, trained = counts["cells, predict"], counts["cells, train"]
    model, csv = counts["file, model"], counts["file, csv"]
    both = {name: counts[name] for name in ("rounds, release", "rounds, asan")}
    return [
        Figure("rows predicted at once, as the same rows alone", predicted["rows"], f"= {MOST_ROWS}"),
        Figure("their cells", predicted["cells"], f"≥ {2**32}"),
        Figure("cells of a training, whose model is that of few weighted rows", trained["cells"], f"≥ {2**32}"),
        Figure("MiB of memory that it took", trained["mebibytes"]),
        Figure("bytes of a model saved, loaded and saved again, and refused when cut", model["bytes"], f"≥ {2**32}"),
        Figure("bytes of a CSV file, read as what was written", csv["bytes"], f"≥ {2**32}"),
        Figure(
            "rounds trained, also in parts, stopped at the best, saved, loaded and predicted one by one as a plain sum",
            total(both, "rounds"),
            f"= {2 * N_ROUNDS}",
        ),
        failed_checks(counts),
    ]


SIZE = Section("size", "More than fits in 32 bits", parts, figures)
