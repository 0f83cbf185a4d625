"""Every suite and every case, by name."""

from __future__ import annotations

from cases import FITS, Case, Suite
from serving_cases import CSV, PACKAGE, PREDICT, ROWS

SUITES: dict[str, Suite] = {suite.name: suite for suite in (FITS, PREDICT, ROWS, CSV, PACKAGE)}
ALL_CASES: dict[str, Case] = {name: case for suite in SUITES.values() for name, case in suite.cases.items()}
