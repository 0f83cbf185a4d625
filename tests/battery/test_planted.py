"""Planted bugs still fit the sources and name checks that there are."""

import shutil

import pytest


def is_known(check, sections, root, build):
    kind, name = sections("changed_sources").kind_and_name(check)
    if kind == "ctest":
        return name in sections("changed_sources").programs_of_tests(build)
    file, _, test = name.partition("::")
    return kind == "pytest" and (root / file).is_file() and f"def {test}" in (root / file).read_text()


def test_a_check_that_took_too_long_has_not_caught_a_bug(sections):
    planted = sections("planted")

    def missed(**last):
        counts = {bug.name: {"planted": 1, "caught": 1, "timed out": 0} for bug in planted.read_bugs()}
        counts[next(iter(counts))] |= last
        return [figure.title for figure in planted.figures(counts, False) if not figure.is_met]

    assert missed() == []
    assert len(missed(**{"caught": 0, "timed out": 1})) == 2


@pytest.mark.skipif(not shutil.which("git"), reason="git is not installed")
def test_every_planted_bug_fits_and_names_a_check(sections, root, build):
    planted, log = sections("planted"), sections("tools.logs").new_log("patches")
    bugs = planted.read_bugs()
    assert len(bugs) >= planted.LEAST
    known = {section.name for section in sections("run_battery").ALL}
    for bug in bugs:
        assert bug.promise.endswith(".") and bug.section in known
        assert is_known(bug.check, sections, root, build), bug.check
        planted.apply_patch(bug.patch, root, log, "--check")
