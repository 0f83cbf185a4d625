"""What the built library gives to and takes from the outside."""

import re
import shutil
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads ELF files")


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def symbols(path, *options):
    if not shutil.which("nm"):
        pytest.skip("nm is not installed")
    lines = run("nm", "-P", *options, path).splitlines()
    return {line.split()[0].split("@")[0] for line in lines if line.strip() and not line.rstrip().endswith(":")}


def public_functions(root, mark=""):
    """The functions of the headers' sections whose titles have the mark."""
    text = "".join(path.read_text() for path in sorted((root / "include/mixboost").glob("*.h")))
    _, *parts = re.split(r"^/\* ---- (.*?) -+ \*/$", text, flags=re.MULTILINE)
    sections = zip(parts[::2], parts[1::2], strict=True)
    marked = "".join(body for title, body in sections if mark in title)
    return set(re.findall(r"^MXB_API\b[^;(]*?\b(mxb_\w+)\(", marked, re.MULTILINE))


@pytest.mark.parametrize(
    "library, mark", [("libmixboost.so", ""), ("libmixboost-predict.so", "in mixboost-predict too")]
)
def test_a_shared_library_exports_its_sections_of_the_header_and_nothing_else(root, build, library, mark):
    declared = public_functions(root, mark)
    assert len(declared) > 30
    assert symbols(build / library, "-D", "--defined-only") == declared


@pytest.mark.parametrize("library", ["libmixboost.a", "libmixboost-predict.a"])
def test_every_global_symbol_of_a_static_library_has_our_prefix(build, library):
    names = symbols(build / library, "-g", "--defined-only")
    assert len(names) > 50
    assert [name for name in sorted(names) if not name.startswith("mxb_")] == []


def test_the_predicting_library_has_nothing_of_training(build):
    """All that the full library has, less the folders and hot loops of training."""
    names = symbols(build / "libmixboost-predict.a", "-g", "--defined-only")
    assert names < symbols(build / "libmixboost.a", "-g", "--defined-only")
    words = "train|histogram|gram$|quanta|logistic|best_cut|learner_ops|prepared|params|json|csv|section_encode"
    assert [name for name in sorted(names) if re.search(words, name)] == []


@pytest.mark.skipif(not shutil.which("strip"), reason="strip is not installed")
def test_the_predicting_library_is_small(build, tmp_path):
    stripped = tmp_path / "stripped.so"
    run("strip", "-o", stripped, build / "libmixboost-predict.so")
    assert 10_000 < stripped.stat().st_size < 200_000


# Their last bits differ from one libm to the next.
LIBM = "exp exp2 expm1 log log2 log10 log1p pow sin cos tan asin acos atan atan2 sinh cosh tanh erf erfc cbrt hypot fma"
PRINT_OR_EXIT = "printf fprintf vprintf vfprintf puts fputs putchar perror exit _exit abort stdout stderr signal"
LOCALE = "strtod strtof atof setlocale strcoll"
GLOBAL_STATE = "rand srand random srandom drand48 setenv putenv strtok"


@pytest.mark.parametrize(
    "names", [LIBM, PRINT_OR_EXIT, LOCALE, GLOBAL_STATE], ids=["libm", "print or exit", "locale", "global state"]
)
def test_the_library_does_not_call(build, names):
    used = symbols(build / "libmixboost.a", "-u")
    forbidden = {form for name in names.split() for form in (name, name + "f", f"__{name}_chk")}
    assert sorted(used & forbidden) == []


def test_only_the_choice_of_kernels_looks_at_the_environment(root):
    users = [path.name for path in (root / "src").rglob("*.c") if "getenv" in path.read_text()]
    assert users == ["kernels.c"]


def test_the_library_has_no_writable_global_variable_but_the_tests_allocation_counter(build):
    lines = run("nm", "-P", build / "libmixboost.a").splitlines()
    writable = {line.split()[0] for line in lines if len(line.split()) > 1 and line.split()[1] in "bBdDC"}
    # Static tables of pointers need relocation and count as read-only data (.data.rel.ro); nm writes them as d.
    named = run("objdump", "-t", build / "libmixboost.a").splitlines()
    read_only = {line.split()[-1] for line in named if ".data.rel.ro" in line}
    assert sorted(name for name in writable - read_only if "fail" not in name) == []


@pytest.mark.parametrize("file", ["libmixboost.so", "libmixboost-predict.so", "mixboost"])
def test_needs_libc_libm_and_pthread_only(build, file):
    if not shutil.which("ldd"):
        pytest.skip("ldd is not installed")
    libraries = {line.split()[0].rsplit("/", 1)[-1] for line in run("ldd", build / file).splitlines()}
    assert any(re.match(r"libc\.|ld-musl", name) for name in libraries)
    known = r"(libc|libm|libpthread)\.so|linux-vdso|linux-gate|ld-linux|ld-musl|libc\.musl|statically"
    assert [name for name in sorted(libraries) if not re.match(known, name)] == []


def test_the_program_holds_the_library_inside(build):
    assert "libmixboost" not in run("ldd", build / "mixboost")
