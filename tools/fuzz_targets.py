"""The fuzz targets of tests/fuzz: building them, running them, and keeping the inputs that they find."""

import shutil
import tempfile
from pathlib import Path

from tools.logs import BUILD, ROOT, must_run
from tools.toolchain import configure_and_build, find_compiler, probe

FUZZ_TARGETS = ["csv", "journal", "json", "model", "options", "space"]
CORPUS = ROOT / "tests" / "fuzz" / "corpus"
FOUND = BUILD / "fuzz-corpus"  # grows from run to run

MOST_BYTES = 65536  # of an input
SMALL, MOST_KEPT = 400, 50  # bytes of an input that tests/fuzz/corpus keeps, and how many of a target
SMALL_MODEL = 4096  # most models are larger than the first


def build_fuzz_targets(log):
    """Builds the fuzz targets the best way there is; returns how: libfuzzer or standalone."""
    source = "#include <stddef.h>\n#include <stdint.h>\n"
    source += "int LLVMFuzzerTestOneInput(const uint8_t *d, size_t n) { (void)d; (void)n; return 0; }\n"
    both = "address,undefined"
    if shutil.which("clang") and probe("clang", [f"-fsanitize=fuzzer,{both}"], source):
        kind, compiler, sanitize = "libfuzzer", "clang", both
    else:
        kind, compiler = "standalone", find_compiler()
        sanitize = both if probe(compiler, [f"-fsanitize={both}"]) else ""
    options = ["-G", "Ninja", f"-DCMAKE_C_COMPILER={compiler}", "-DCMAKE_BUILD_TYPE=Debug"]
    options += ["-DCMAKE_C_FLAGS_DEBUG=-O1 -g", f"-DMIXBOOST_SANITIZE={sanitize}", f"-DMIXBOOST_FUZZ={kind}"]
    options += ["-DMIXBOOST_BUILD_TESTS=OFF", "-DMIXBOOST_BUILD_CLI=OFF"]
    configure_and_build(BUILD / f"fuzz-{kind}", log, options)
    return kind


def fuzz_program(kind, target):
    return BUILD / f"fuzz-{kind}" / "tests" / f"fuzz_{target}"


def corpora_of(target):
    """The folders of the repository whose files a target begins with."""
    others = {
        "json": [CORPUS / "model"],  # which have it, too
        "model": [ROOT / "tests" / "golden"],  # those that were trained
    }
    return [CORPUS / target, *others.get(target, [])]


def fuzz_command(kind, target, seconds):
    corpora = corpora_of(target)
    if kind == "standalone":
        return [fuzz_program(kind, target), str(400 * seconds), *corpora]
    found = FOUND / target
    found.mkdir(parents=True, exist_ok=True)
    limits = [f"-max_total_time={seconds}", "-timeout=10", "-rss_limit_mb=2048", f"-max_len={MOST_BYTES}"]
    options = [f"-artifact_prefix={FOUND}/{target}-", "-print_final_stats=1"]
    return [fuzz_program(kind, target), *limits, *options, found, *corpora]


def minimise_found(target, log):
    """Leaves of the inputs that libFuzzer has found the fewest and smallest that reach as much of the code."""
    found, fewer = FOUND / target, FOUND / f"{target}.fewer"
    shutil.rmtree(fewer, ignore_errors=True)
    fewer.mkdir(parents=True)
    merge(target, fewer, [CORPUS / target, found], [], log)
    shutil.rmtree(found)
    fewer.rename(found)


def keep_found(target, log):
    """Adds to tests/fuzz/corpus what the inputs found reach of the code and those there do not, if they are small, the
    smallest first; returns how many."""
    most_bytes = SMALL_MODEL if target == "model" else SMALL
    with tempfile.TemporaryDirectory() as folder:
        small, new = Path(folder) / "small", Path(folder) / "new"
        small.mkdir()
        for corpus in corpora_of(target):
            shutil.copytree(corpus, new, dirs_exist_ok=True)
        there = set(new.iterdir())
        for path in (FOUND / target).iterdir():
            if path.stat().st_size <= most_bytes:
                shutil.copy(path, small)
        merge(target, new, [small], ["-use_counters=0"], log)
        added = sorted(set(new.iterdir()) - there, key=lambda path: (path.stat().st_size, path.name))
        n_kept = len(list((CORPUS / target).glob("found-*")))
        kept = added[: max(0, MOST_KEPT - n_kept)]
        for path in kept:
            shutil.copy(path, CORPUS / target / f"found-{path.name[:8]}")
    return len(kept)


def merge(target, into, folders, options, log):
    command = [fuzz_program("libfuzzer", target), "-merge=1", f"-max_len={MOST_BYTES}", *options]
    must_run([*command, into, *folders], log, "merging a corpus")
