"""Branches of the source as llvm-cov counts them, and the reasons for those that no test takes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable
from functools import cache
from pathlib import Path
from typing import NamedTuple

Place = tuple[int, int]  # line and column, from 1

# Names of what llvm-cov's lists hold, in order.
FIRST_LINE, FIRST_COLUMN, LAST_LINE, LAST_COLUMN = range(4)
TRUE_COUNT, FALSE_COUNT, IN_FILE = 4, 5, 6  # of a branch
FROM_FILE, TO_FILE, KIND = 5, 6, 7  # of a region
IS_EXPANSION = 1  # of a macro


class Branch(NamedTuple):
    """An end of a condition: the text of a condition that a macro has is the line from the macro on."""

    file: Path
    function: str
    places: tuple[Place, ...]  # of the macro, where there is one, and of the condition
    condition: str
    end: str

    @property
    def line(self) -> int:
        return self.places[0][0]

    @property
    def name(self) -> str:
        """What a reason calls it, wherever it stands in the function."""
        return f"{self.file} {self.function} never {self.end}: {self.condition}"


@cache
def lines_of(path: Path) -> list[str]:
    return path.read_text().splitlines()


def text_at(path: Path, region: list[int]) -> str:
    first, last = region[FIRST_LINE], region[LAST_LINE]
    lines = lines_of(path)[first - 1 : last]
    lines[-1] = lines[-1][: region[LAST_COLUMN] - 1]
    lines[0] = lines[0][region[FIRST_COLUMN] - 1 :]
    return " ".join(line.strip() for line in lines)


def branches_of(function: dict, root: Path) -> Iterable[tuple[Branch, int]]:
    """Both ends of every condition of a function, and how often it came to them."""
    files = list(map(Path, function["filenames"]))
    expansions = {region[TO_FILE]: region for region in function["regions"] if region[KIND] == IS_EXPANSION}
    for branch in function["branches"]:
        condition = text_at(files[branch[IN_FILE]], branch)
        places, file = [(branch[FIRST_LINE], branch[FIRST_COLUMN])], branch[IN_FILE]
        while file in expansions:
            macro = expansions[file]
            file = macro[FROM_FILE]
            places.insert(0, (macro[FIRST_LINE], macro[FIRST_COLUMN]))
            condition = lines_of(files[file])[macro[FIRST_LINE] - 1][macro[FIRST_COLUMN] - 1 :]
        for end, count in (("true", branch[TRUE_COUNT]), ("false", branch[FALSE_COUNT])):
            name = function["name"].split(":")[-1]  # without the file of a static one
            yield Branch(files[file].relative_to(root), name, tuple(places), condition, end), count


def count_branches(export: dict, root: Path, folders: Collection[str]) -> Counter[Branch]:
    """How often each branch in some folders of `root` was taken; copies of a function count together."""
    counts: Counter[Branch] = Counter()
    for function in export["data"][0]["functions"]:
        if Path(function["filenames"][0]).relative_to(root).parts[0] in folders:
            for branch, count in branches_of(function, root):
                counts[branch] += count
    return counts


# ---- Reasons ----


def read_reasons(text: str) -> dict[str, str]:
    """Reasons by the names of branches: lines with names, and below them their reason, indented."""
    reasons: dict[str, str] = {}
    for paragraph in text.split("\n\n"):
        lines = [line for line in paragraph.splitlines() if not line.startswith("#")]
        names = [line for line in lines if re.match(r"\S+ \S+ never (true|false): ", line)]
        reason = [line.strip() for line in lines[len(names) :] if line.startswith("    ")]
        if len(names) + len(reason) < len(lines) or bool(names) != bool(reason):
            raise ValueError(f"these are no branches with a reason:\n{paragraph}")
        reasons.update(dict.fromkeys(names, " ".join(reason)))
    return reasons
