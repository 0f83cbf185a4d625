"""Mutants of C: changed where it is C, each in its line, and known by their lines; and what tests
of a changed copy come to."""

import shutil
import sys

import pytest

SOURCE = """\
/* a < b */
#define LESS(a, b) ((a) < \\
                    (b))
static mxb_status f(const char *text, int n) {
    MXB_TRY(check(text,
                  7, "n + 1"));
    if (n <= 10 && *text != '<') { // never
        clear(text,
              n);
    }
    return !n ? MXB_OK : -1;
}
static const int mode = 0640;
"""


def changed_lines(sections):
    mutants = sections("c_mutants").mutants_of("f.c", SOURCE)
    return [mutant.lines(SOURCE) for mutant in mutants]


def test_every_kind_of_change_is_made_once(sections):
    condition = "if (n <= 10 && *text != '<') { // never"
    assert changed_lines(sections) == [
        ('MXB_TRY(check(text, 7, "n + 1"));', '(void)(check(text, 7, "n + 1"));'),
        ('7, "n + 1"));', '8, "n + 1"));'),
        ('7, "n + 1"));', '6, "n + 1"));'),
        (condition, "if (!(n <= 10 && *text != '<')) { // never"),
        (condition, "if (n < 10 && *text != '<') { // never"),
        (condition, "if (n > 10 && *text != '<') { // never"),
        (condition, "if (n <= 11 && *text != '<') { // never"),
        (condition, "if (n <= 9 && *text != '<') { // never"),
        (condition, "if (n <= 10 || *text != '<') { // never"),
        (condition, "if (n <= 10 && *text == '<') { // never"),
        ("clear(text, n);", ";"),
        ("return !n ? MXB_OK : -1;", "return n ? MXB_OK : -1;"),
        ("return !n ? MXB_OK : -1;", "return !n ? MXB_ERROR_MEMORY : -1;"),
        ("return !n ? MXB_OK : -1;", "return !n ? MXB_OK : -2;"),
        ("return !n ? MXB_OK : -1;", "return !n ? MXB_OK : -0;"),
    ]


def test_no_change_moves_a_line(sections):
    for mutant in sections("c_mutants").mutants_of("f.c", SOURCE):
        changed = mutant.change(SOURCE)
        assert changed != SOURCE and changed.count("\n") == SOURCE.count("\n")


def test_mutants_are_dealt_to_parts_and_others_are_drawn_for_other_sources(sections, monkeypatch):
    mutation = sections("mutation")
    (area,) = (area for area in mutation.AREAS if area.name == "journal")
    monkeypatch.setattr(mutation, "digest_of_sources", lambda: "these")
    dealt = [mutant for which in range(area.n_parts) for mutant in mutation.drawn(area, which)]
    assert len(set(dealt)) == len(dealt) > area.n_parts * mutation.A_PART
    assert {mutant.path for mutant in dealt} == {"src/tune/journal.c", "src/tune/journal_file.c"}
    monkeypatch.setattr(mutation, "digest_of_sources", lambda: "others")
    assert mutation.drawn(area, 0)[:10] != dealt[:10]


def test_a_mutant_ends_with_the_first_check_that_it_does_not_pass(sections, monkeypatch):
    mutation = sections("mutation")
    copy = object.__new__(mutation.MutatedCopy)
    outcomes = {"quick": "passed", "slow": "timed out", "last": "failed"}
    monkeypatch.setattr(copy, "outcome_in_time", outcomes.get, raising=False)
    assert copy.end_of_mutant(["quick"]) == "passed"
    assert copy.end_of_mutant(["quick", "slow", "last"]) == "timed out"
    assert copy.end_of_mutant(["last", "slow"]) == "failed"


def test_timeouts_are_told_apart(sections):
    mutation = sections("mutation")
    counts = {
        part.name: {"mutants": 25, "survivors": 0, "timed out": 2, "explained": 0} for part in mutation.parts(False)
    }
    (told,) = (figure for figure in mutation.figures(counts, False) if "by a timeout" in figure.title)
    assert told.measured == 2 * len(counts)


@pytest.fixture
def copy(sections, monkeypatch, tmp_path):
    """A copy whose build is a list of tests for CTest."""
    changed_sources = sections("changed_sources")
    monkeypatch.setattr(changed_sources, "quarantined", lambda _folder, command: command)
    copy = object.__new__(changed_sources.Copy)
    copy.folder, copy.built, copy.log, copy.seconds = tmp_path, tmp_path / "build", tmp_path / "log", 3
    monkeypatch.setattr(changed_sources.Copy, "_python", lambda _self: sys.executable)
    copy.built.mkdir()
    tests = {"fine": "true", "wrong": "false", "endless": "sleep"}
    text = "".join(f'add_test({name} "{shutil.which(program)}" "60")\n' for name, program in tests.items())
    (copy.built / "CTestTestfile.cmake").write_text(text)
    return copy


@pytest.mark.skipif(not shutil.which("ctest"), reason="ctest is not installed")
def test_a_test_that_does_not_end_has_timed_out(copy):
    assert [copy.outcome(f"ctest {name}") for name in ("fine", "wrong", "endless")] == ["passed", "failed", "timed out"]


def test_pytest_stops_at_the_first_failure(copy, sections):
    (copy.folder / "test_both.py").write_text(
        "import time\ndef test_first():\n    assert False\ndef test_then():\n    time.sleep(60)\n"
    )
    (copy.folder / "test_skipped.py").write_text("import pytest\ndef test_it():\n    pytest.skip()\n")
    copy.seconds = 30
    assert copy.outcome("pytest test_both.py") == "failed"
    copy.seconds = 3
    assert copy.outcome("pytest test_both.py::test_then") == "timed out"
    for check in ("test_neither.py", "test_skipped.py"):
        with pytest.raises(sections("tools.logs").Failed, match="could not be run"):
            copy.outcome(f"pytest {check}")


def test_the_tests_of_an_area_are_there(sections, root, build):
    mutation, changed_sources = sections("mutation"), sections("changed_sources")
    tests = {test for area in mutation.AREAS for test in area.unit_tests}
    assert tests <= changed_sources.programs_of_tests(build).keys()
    files = {check.removeprefix("pytest ") for area in mutation.AREAS for check in area.checks if "pytest" in check}
    assert len(files) == 3 and all((root / file).is_file() for file in files)


def test_what_is_to_be_complete_has_mutants(sections, root):
    mutation, complete = sections("mutation"), sections("coverage").COMPLETE
    mutated = {root / source for area in mutation.AREAS for source in area.sources}
    wanted = {path for patterns in complete.values() for pattern in patterns for path in root.glob(pattern)}
    assert {path for path in wanted if path.suffix == ".c"} < mutated
    assert 250 <= sum(area.n_parts for area in mutation.AREAS) * mutation.A_PART <= 300


def test_survivors_are_those_of_the_parts_there_are(sections, monkeypatch, tmp_path):
    mutation = sections("mutation")
    monkeypatch.setattr(mutation, "RESULTS", tmp_path / "results")
    for name, line in ((mutation.parts(False)[1].name, "    new"), ("models, 1 of 9", "    old")):
        (tmp_path / f"{name}.survivors").write_text(f"{line}\n")
    mutation.write_survivors(tmp_path)
    page = (mutation.RESULTS / "mutation.md").read_text()
    assert "    new\n" in page and "old" not in page


def test_mutants_that_are_explained_can_still_be_made(sections, root):
    mutation, c_mutants = sections("mutation"), sections("c_mutants")
    known = mutation.equivalents()
    entries = [line for line in mutation.EQUIVALENT.read_text().splitlines() if line.startswith(("cli/", "src/"))]
    assert len(known) == len(entries)
    for path in {path for path, _, _ in known}:
        source = (root / path).read_text()
        made = {(path, *mutant.lines(source)) for mutant in c_mutants.mutants_of(path, source)}
        assert {each for each in known if each[0] == path} <= made
