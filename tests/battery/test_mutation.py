"""Mutants of C: changed where it is C, each in its line, and known by their lines."""

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
    (area,) = (area for area in mutation.AREAS if area.name == "journals")
    monkeypatch.setattr(mutation, "digest_of_sources", lambda: "these")
    dealt = [mutant for which in range(area.n_parts) for mutant in mutation.drawn(area, which)]
    assert len(set(dealt)) == len(dealt) > area.n_parts * mutation.A_PART
    assert {mutant.path for mutant in dealt} == {"src/tune/journal.c", "src/tune/journal_file.c"}
    monkeypatch.setattr(mutation, "digest_of_sources", lambda: "others")
    assert mutation.drawn(area, 0)[:10] != dealt[:10]


def test_the_tests_of_an_area_are_there(sections, build):
    mutation, changed_sources = sections("mutation"), sections("changed_sources")
    tests = {test for area in mutation.AREAS for test in area.tests}
    assert tests <= changed_sources.programs_of_tests(build).keys()


def test_mutants_that_are_explained_can_still_be_made(sections, root):
    mutation, c_mutants = sections("mutation"), sections("c_mutants")
    known = mutation.equivalents()
    entries = [line for line in mutation.EQUIVALENT.read_text().splitlines() if line.startswith("src/")]
    assert len(known) == len(entries)
    for path in {path for path, _, _ in known}:
        source = (root / path).read_text()
        made = {(path, *mutant.lines(source)) for mutant in c_mutants.mutants_of(path, source)}
        assert {each for each in known if each[0] == path} <= made
