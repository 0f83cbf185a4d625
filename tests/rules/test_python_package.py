"""What the sources of the Python package must keep to."""

import ast
import sys

import pytest

# The only files that may know of C: the library's functions, and the structures in which other packages hand over data.
CALLS_THE_LIBRARY = "_native.py"
READS_C_STRUCTURES = "_arrow.py"
LONG_FILES = ["python/mixboost/_native.py"]  # all declarations and the classes on them, in one place


def package_files(root):
    return sorted((root / "python/mixboost").glob("*.py"))


def python_files(root):
    folders = ["tools", "bench", "experiments", "tests", "examples", "python"]
    return [root / "dev", *sorted(path for folder in folders for path in (root / folder).rglob("*.py"))]


def imported_modules(text):
    """The top-level packages that a file imports, anywhere in it."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield node.module.partition(".")[0]


def names_of_the_library(text):
    """Library functions that the code itself names; strings and comments may."""
    for node in ast.walk(ast.parse(text)):
        name = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
        if name.startswith("mxb_") or name in ("CDLL", "PyDLL", "LoadLibrary", "cdll"):
            yield name


def docstring_lines(node):
    """How long the docstring of a module, class or function is; it may be a page of the manual."""
    if not node.body or ast.get_docstring(node) is None:
        return 0
    return node.body[0].end_lineno - node.body[0].lineno + 1


def long_python_functions(text, limit=60):
    """Names of functions that have more lines than the limit; those of signature and docstring do not count."""
    for node in ast.walk(ast.parse(text)):
        is_function = isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        if is_function and node.end_lineno - node.body[0].lineno + 1 - docstring_lines(node) > limit:
            yield node.name


def n_code_lines(text):
    """Lines of a file, docstrings not counted."""
    documented = [
        node for node in ast.walk(ast.parse(text)) if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef))
    ]
    return len(text.splitlines()) - sum(map(docstring_lines, documented))


def test_one_file_calls_the_library(root):
    others = [path for path in package_files(root) if path.name != CALLS_THE_LIBRARY]
    assert others
    users = [path.name for path in others if "ctypes" in imported_modules(path.read_text())]
    assert users in ([], [READS_C_STRUCTURES])
    assert [path.name for path in others if list(names_of_the_library(path.read_text()))] == []


@pytest.mark.parametrize(
    "text, imports, names",
    [
        ("def f():\n    import ctypes.util\n", ["ctypes"], []),
        ("from ctypes import CDLL\nCDLL('x')", ["ctypes"], ["CDLL"]),
        ("from mixboost._native import library\nlibrary.mxb_train()", ["mixboost"], ["mxb_train"]),
        ("from . import _native\n'see mxb_train'", [], []),
    ],
)
def test_the_rule_itself(text, imports, names):
    assert list(imported_modules(text)) == imports
    assert list(names_of_the_library(text)) == names


def test_hard_dependencies_and_the_standard_library_are_all_that_is_imported_first(root):
    """Packages that may be missing are imported inside the functions that need them."""
    allowed = {*sys.stdlib_module_names, "numpy", "sklearn", "joblib", "mixboost"}  # joblib comes with scikit-learn
    for path in package_files(root):
        top = [node for node in ast.parse(path.read_text()).body if isinstance(node, (ast.Import, ast.ImportFrom))]
        imported = set(imported_modules("\n".join(map(ast.unparse, top))))
        assert imported <= allowed, f"{path.name} imports {imported - allowed}"


def test_python_functions_fit_a_screen(root):
    texts = {path.relative_to(root): path.read_text() for path in python_files(root)}
    assert len(texts) > 30
    assert [f"{path}: {name}" for path, text in texts.items() for name in long_python_functions(text)] == []


def test_python_files_fit_a_sitting(root):
    long = [path for path in python_files(root) if n_code_lines(path.read_text()) > 500]
    assert [str(path.relative_to(root)) for path in long] == LONG_FILES


def test_long_python_files_and_functions_are_found():
    body = "    work()\n" * 61
    assert list(long_python_functions(f"def f():\n{body}\ndef g():\n    pass\n")) == ["f"]
    assert list(long_python_functions('def f():\n    """' + "text\n" * 60 + '    """\n    return 1\n')) == []
    assert n_code_lines('"""Title.\n\nText."""\n\ndef f():\n    """Text."""\n    return 1\n') == 3
