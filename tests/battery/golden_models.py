"""The golden models: a folder that only grows, whose models are read and predict as when they were added."""

from __future__ import annotations

import os
import re

from programs import build, run_checks, run_pytest

from battery import Counts, Figure, Part, Run, Section, total
from tests.format.contents import CONTENTS
from tests.golden.golden_files import models, path_of
from tests.identity.identities import usable_kernels
from tools.logs import BUILD, RELEASE, ROOT
from tools.toolchain import make_venv
from tools.wheel import TESTS, build_wheel, ready_for_tests, requirements

PRESETS = ["release", "asan"]
PREDICTING = ["test_golden", "test_golden_predict"]  # on the library, and on the one that only predicts
STRANGERS = 2  # models with a learner that these do not bring


def library_part(preset: str) -> Part:
    """A check fails where a model is not read, or a bit or byte is another."""

    def predict(run: Run) -> Counts:
        folder = build(preset, run.log)

        def count(program: str, said: str) -> Counts:
            each = {
                kernels: run_checks([folder / program], run, kernels, n=rf"(\d+) models {said}")
                for kernels in usable_kernels()
            }
            return {said: total(each, "n"), "failed": total(each, "failed")}

        counts = {program: count(program, "predicted") for program in PREDICTING}
        counts["test_golden_files"] = count("test_golden_files", "saved again")
        return {name: total(counts, name) for name in ("predicted", "saved again", "failed")}

    return Part(f"library, {preset}", predict)


def by_the_document(run: Run) -> Counts:
    """By the reader that was written from it, and by the program."""
    build("release", run.log)
    make_venv(BUILD / "venv", requirements("tests/requirements.txt"))
    environment = dict(os.environ, MIXBOOST_BUILD=str(RELEASE), MIXBOOST_PROGRAM=str(RELEASE / "mixboost"))
    python = BUILD / "venv" / "bin" / "python"
    return run_pytest("golden", ["tests/format"], run.log, python=python, env=environment)


def by_the_package(run: Run) -> Counts:
    build_wheel(run.log)
    ready = ready_for_tests("newest", run.log)
    return run_pytest("golden-package", [TESTS / "test_golden_models.py"], run.log, **ready)


def parts(is_short: bool) -> list[Part]:
    """The unit tests do the same."""
    if is_short:
        return []
    return [*map(library_part, PRESETS), Part("document", by_the_document), Part("package", by_the_package)]


def newest_version() -> int:
    """Of the format, as the library writes it."""
    found = re.search(r"MXB__FORMAT_VERSION = (\d+)", (ROOT / "src" / "model" / "model_format.h").read_text())
    assert found is not None
    return int(found.group(1))


def figures(counts: dict[str, Counts], _is_short: bool) -> list[Figure]:
    n_models, n_ways = len(models()), len(PRESETS) * len(usable_kernels())
    of_files = {int.from_bytes(path_of(model).read_bytes()[8:12], "little") for model in models()}
    n_predicted = (n_models - STRANGERS) * len(PREDICTING) * n_ways
    return [
        Figure("golden models", n_models, "≥ 22"),
        Figure("versions of the format", newest_version()),
        Figure("of these without a golden model", len(set(range(1, newest_version() + 1)) - of_files), "= 0"),
        Figure("sorts of things that a file can hold, each in one of them", len(CONTENTS), "≥ 50"),
        Figure(
            "their predictions, bit for bit: kernels, sanitizers, both libraries",
            total(counts, "predicted"),
            f"= {n_predicted}",
        ),
        Figure("saved again, byte for byte", total(counts, "saved again"), f"= {n_models * n_ways}"),
        Figure(
            "tests of them by the document's reader, the program, the package and files of newer versions",
            total(counts, "passed"),
            "≥ 200",
        ),
        Figure("of these, and checks of the above, that failed", total(counts, "failed"), "= 0"),
    ]


GOLDEN = Section("golden", "Golden models", parts, figures)
