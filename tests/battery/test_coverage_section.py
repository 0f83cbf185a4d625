"""The section of coverage: branches as llvm-cov lists them, and reasons for those that nothing takes."""

import json
from pathlib import Path

import pytest

SOURCE = """\
static int sign(int x) {
    return x < 0 ? -1 : x > 0;
}

int check(int x) {
    TRY(sign(x), 1);
    return x;
}
"""
HEADER = """\
#define TRY(value, other) \\
    if ((value) > (other)) return 1
"""


@pytest.fixture
def made_up(tmp_path):
    """A program, and what llvm-cov could say of it."""
    for path, text in (("src/io/csv.c", SOURCE), ("src/base/try.h", HEADER)):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    source, header = str(tmp_path / "src/io/csv.c"), str(tmp_path / "src/base/try.h")
    sign = {"name": "csv.c:sign", "filenames": [source], "regions": [], "branches": [[2, 12, 2, 17, 3, 4, 0, 0, 4]]}
    check = {
        "name": "check",
        "filenames": [source, header],
        "regions": [[5, 18, 8, 2, 7, 0, 0, 0], [6, 5, 6, 8, 7, 0, 1, 1]],
        "branches": [[2, 9, 2, 26, 0, 7, 1, 0, 4]],
    }
    test = {"name": "main", "filenames": [str(tmp_path / "tests/main.c")], "regions": [], "branches": []}
    in_a_test = {**sign, "name": "test_csv.c:sign", "branches": [[2, 12, 2, 17, 1, 0, 0, 0, 4]]}
    lines = {"filename": source, "summary": {"lines": {"count": 6, "covered": 5}}}
    of_a_test = {"filename": str(tmp_path / "tests/main.c"), "summary": {"lines": {"count": 100, "covered": 1}}}
    return {"data": [{"functions": [sign, check, in_a_test, test], "files": [lines, of_a_test]}]}


NEVER = "src/io/csv.c check never true: TRY(sign(x), 1);"


def test_both_ends_of_a_condition_are_counted_where_the_source_has_it(sections, made_up, tmp_path):
    counted = sections("branches").count_branches(made_up, tmp_path, ["src"])
    found = {(branch.name, branch.places): n for branch, n in counted.items()}
    assert found == {
        ("src/io/csv.c sign never true: x < 0", ((2, 12),)): 4,
        ("src/io/csv.c sign never false: x < 0", ((2, 12),)): 4,
        (NEVER, ((6, 5), (2, 9))): 0,
        (NEVER.replace("true", "false"), ((6, 5), (2, 9))): 7,
    }


def evaluate(sections, monkeypatch, root, made_up, reasons):
    coverage = sections("coverage")
    monkeypatch.setattr(coverage, "ROOT", root)
    return coverage.evaluate(made_up, reasons)


def test_what_is_neither_tested_nor_explained_is_told(sections, monkeypatch, made_up, tmp_path):
    counts, page = evaluate(sections, monkeypatch, tmp_path, made_up, {})
    assert counts["unexplained, CSV reader"] == 1 and counts["unexplained, journal"] == 0
    assert counts["branches, CSV reader"] == 4 and counts["reasons"] == counts["stale reasons"] == 0
    assert counts["lines of the library"] == pytest.approx(100 * 5 / 6) and counts["branches of the library"] == 75
    assert "| src/io/csv.c | 6 | 5 | 83.3 | 4 | 3 | 75.0 |" in page and "tests/main.c" not in page
    assert f"- line 6: `{NEVER}`" in page


def test_a_reason_explains_until_it_is_stale(sections, monkeypatch, made_up, tmp_path):
    stale = "src/io/csv.c sign never true: x < 0"
    counts, page = evaluate(sections, monkeypatch, tmp_path, made_up, {NEVER: "so", stale: "so"})
    assert counts["unexplained, CSV reader"] == 0 and counts["reasons"] == counts["stale reasons"] == 1
    assert NEVER not in page and f"- `{stale}`" in page


def test_reasons_are_read_for_one_branch_or_more(sections):
    read = sections("branches").read_reasons
    text = f"# Two of them.\n\n{NEVER}\na.c f never false: a || b\n    It is\n    so.\n"
    text += "\n# One.\nb.c g never true: c\n    So.\n"
    assert read(text) == {NEVER: "It is so.", "a.c f never false: a || b": "It is so.", "b.c g never true: c": "So."}
    for bad in (NEVER, "    So.", f"{NEVER}\nSo.", f"{NEVER}\n    So.\nb.c g never true: c", "a.c f: a\n    So."):
        with pytest.raises(ValueError, match="these are no branches with a reason"):
            read(bad)


def test_the_reasons_that_there_are_name_files_that_are_to_be_complete(sections, root):
    coverage, branches = sections("coverage"), sections("branches")
    patterns = [pattern for of in coverage.COMPLETE.values() for pattern in of]
    for pattern in patterns:
        assert list(root.glob(pattern)), pattern
    for name in branches.read_reasons(coverage.REASONS.read_text()):
        assert any(Path(name.split()[0]).match(pattern) for pattern in patterns), name


def test_the_build_counts(root):
    presets = json.loads((root / "CMakePresets.json").read_text())["configurePresets"]
    (flags,) = (each["cacheVariables"]["CMAKE_C_FLAGS"] for each in presets if each["name"] == "coverage")
    assert "counts/%2m.profraw" in flags and "-fprofile-update=atomic" in flags
