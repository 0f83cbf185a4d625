"""How the files of the repository look: names, sizes, flags."""

import collections
import re
import subprocess

# Names that tools prescribe, and data, whose names say what is inside.
TOOLS_NAMES = {"CMakeLists.txt", "README.md", "requirements.txt", "conftest.py", "__init__.py"}
DATA_FOLDERS = ("tests/fuzz/corpus/", "tests/golden/")

# A hot loop may be longer where splitting it would hide it: "file: function".
LONG_FUNCTIONS = []
LONG_FILES = []


def all_files(root):
    """Files of the repository, without what git ignores."""
    command = ["git", "-C", root, "ls-files", "--cached", "--others", "--exclude-standard"]
    answer = subprocess.run(command, capture_output=True, text=True)
    if answer.returncode == 0:
        names = answer.stdout.splitlines()
    else:
        names = [str(p.relative_to(root)) for p in root.rglob("*") if p.is_file()]
    return sorted(n for n in names if (root / n).is_file() and not n.startswith((".git/", "build/")))


def c_files(root):
    return [name for name in all_files(root) if name.endswith((".c", ".h"))]


def long_functions(text, limit=60):
    """Names of functions longer than the limit. clang-format puts the first and the last line of a body at column 0."""
    start = name = None
    for number, line in enumerate(text.splitlines(), 1):
        if start is None and re.match(r"[A-Za-z_].*\(", line) and not line.rstrip().endswith((";", "}")):
            start, name = number, re.search(r"(\w+)\s*\(", line).group(1)
        elif start is not None and line.startswith("}"):
            if number - start + 1 > limit:
                yield name
            start = None
        elif start is not None and not line.startswith((" ", "\t", "#")) and line.rstrip().endswith((";", "}")):
            start = None


def test_file_names_are_unique(root):
    places = collections.defaultdict(list)
    for path in all_files(root):
        if not path.startswith(DATA_FOLDERS):
            places[path.rsplit("/", 1)[-1]].append(path)
    assert [p for name, p in places.items() if len(p) > 1 and name not in TOOLS_NAMES] == []


def test_functions_fit_a_screen(root):
    found = [f"{path}: {name}" for path in c_files(root) for name in long_functions((root / path).read_text())]
    assert sorted(found) == sorted(LONG_FUNCTIONS)


def test_long_functions_are_found():
    body = "    work();\n" * 70
    long = f"int x;\nstatic void f(int a,\n         int b) {{\n{body}}}\nint g(void) {{ return 1; }}\n"
    assert list(long_functions(long)) == ["f"]
    assert list(long_functions("void f(int a);\n" + "int y;\n" * 70 + "void g(void) {\n    work();\n}\n")) == []


def test_files_fit_a_sitting(root):
    found = [path for path in c_files(root) if len((root / path).read_text().splitlines()) > 500]
    assert sorted(found) == sorted(LONG_FILES)


def test_no_fast_math(root):
    unsafe = r"^[^#]*(-f(fast|unsafe|associative)-math|-ffinite-math-only|-Ofast)|FP_CONTRACT +ON|float_control"
    builders = ["CMakeLists.txt", "CMakePresets.json", "tests/CMakeLists.txt"]
    texts = {path: (root / path).read_text() for path in [*builders, *c_files(root)]}
    assert [path for path, text in texts.items() if re.search(unsafe, text, re.MULTILINE)] == []
    assert "-ffp-contract=off" in texts["CMakeLists.txt"]


def test_every_source_file_is_built_and_every_unit_test_runs(root):
    sources = (root / "CMakeLists.txt").read_text()
    missing = [p for p in c_files(root) if p.startswith(("src/", "cli/")) and p.endswith(".c") and p not in sources]
    lines = (root / "tests/CMakeLists.txt").read_text()
    listed = {
        f"tests/unit/{folder}/test_{module}.c"
        for folder, modules in re.findall(r"^ *mixboost_(?:unit|kernel)_tests\((\w+) ([^)$]*)\)", lines, re.MULTILINE)
        for module in modules.split()
    }
    (parts,) = re.findall(r"^ *mixboost_theory_tests\(([^)]+)\)", lines, re.MULTILINE)
    listed |= {f"tests/theory/test_{part}.c" for part in parts.split()}
    there = {
        path for path in c_files(root) if path.startswith(("tests/unit/", "tests/theory/")) and path.endswith(".c")
    }
    assert missing == []
    assert there == listed


def test_every_source_file_has_a_unit_test(root):
    """src/data/bins.c has tests/unit/data/test_bins.c; kernels and learners are tested in one folder each, and tests of
    kernels run with every set of them."""
    sources = [path for path in c_files(root) if path.startswith("src/") and path.endswith(".c")]
    assert len(sources) > 30
    names = [(path.split("/")[1], path.rsplit("/", 1)[1].removeprefix("vector_")) for path in sources]
    wanted = [f"tests/unit/{folder}/test_{name}" for folder, name in names]
    assert [path for path in wanted if not (root / path).exists()] == []


def test_no_file_names_a_place_on_somebodys_machine(root):
    places = re.compile(rb"(?<![\w.$}])/(home|root|work|opt|Users|mnt|srv)/\w")
    files = [path for path in all_files(root) if not path.startswith(DATA_FOLDERS)]
    assert [path for path in files if places.search((root / path).read_bytes())] == []
