"""The golden models, the rows, and what each model predicts of them, for whoever compares."""

from __future__ import annotations

import csv
from array import array
from collections.abc import Iterable
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
SUMS = FOLDER / "SHA256SUMS"
FEATURES = 4

Cell = float | str | None
Predictions = tuple[bytes, bytes]  # the bits of raw scores, and of the numbers or probabilities that follow from them


def sums() -> dict[str, str]:
    """The digest of each file."""
    lines = [line.split("  ") for line in SUMS.read_text().splitlines()]
    return {name: digest for digest, name in lines}


def models() -> list[str]:
    return [name.removesuffix(".mxb") for name in sums() if name.endswith(".mxb")]


def path_of(model: str) -> Path:
    return FOLDER / f"{model}.mxb"


def read_csv(path: Path) -> list[list[str]]:
    """Without the header."""
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.reader(file))[1:]


def cell(text: str, is_number: bool) -> Cell:
    return (float(text) if is_number else text) if text else None


def rows() -> list[list[Cell]]:
    """The features: numbers, the last one text; None where missing."""
    return [[cell(line[f], f < FEATURES - 1) for f in range(FEATURES)] for line in read_csv(FOLDER / "rows.csv")]


def bits(numbers: Iterable[float]) -> bytes:
    return array("d", numbers).tobytes()


def predictions(model: str) -> Predictions | None:
    """None of a model with a learner that nobody has."""
    path = FOLDER / f"{model}.csv"
    if not path.exists():
        return None
    raw, linked = zip(*(map(float, line) for line in read_csv(path)), strict=True)
    return bits(raw), bits(linked)
