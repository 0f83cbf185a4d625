"""Where the benchmark's things lie, and the parts of pages that it writes."""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SCRATCH = ROOT / "build" / "bench"
RESULTS = ROOT / "bench" / "results"
RELEASE = ROOT / "build" / "release"
TIME_MODEL, TIME_WRITE = (RELEASE / "bench" / name for name in ("time_model", "time_write"))
# Folders of real tables, if they are there.
REAL_FOLDER = Path(os.environ.get("MIXBOOST_BENCH_DATA", ROOT.parent / "shared" / "data"))

BEGIN, END = "<!-- Written by `{}`. -->\n", "<!-- Up to here. -->\n"


def part_of_page(page: Path, command: str) -> str:
    """What a page holds between the lines that say a command writes it."""
    _, _, rest = page.read_text().partition(BEGIN.format(command))
    part, end, _ = rest.partition(END)
    assert end, f"{page.name} has no part that {command} writes"
    return part


def write_part_of_page(page: Path, command: str, text: str) -> None:
    begin = BEGIN.format(command)
    old = f"{begin}{part_of_page(page, command)}{END}"
    page.write_text(page.read_text().replace(old, f"{begin}{text}{END}"))
