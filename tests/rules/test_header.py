"""The public headers stand alone in every language version they promise."""

import re
import shutil
import subprocess

import pytest

WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]
CASES = [(compiler, "c", std) for compiler in ("gcc", "clang") for std in ("c11", "c17")]
HEADERS = ["mixboost/mixboost.h", "mixboost/tune.h"]
CASES += [(compiler, "c++", std) for compiler in ("g++", "clang++") for std in ("c++11", "c++17")]


@pytest.mark.parametrize("header", HEADERS)
@pytest.mark.parametrize("compiler, language, standard", CASES)
def test_compiles(root, tmp_path, header, compiler, language, standard):
    if not shutil.which(compiler):
        pytest.skip(f"{compiler} is not installed")
    source = tmp_path / ("use.c" if language == "c" else "use.cpp")
    source.write_text(
        f'#include "{header}"\n#include "{header}"\n'
        "const char *use(void);\nconst char *use(void) { return mxb_version(); }\n"
    )
    command = [compiler, f"-std={standard}", *WARNINGS, f"-I{root}/include", "-c", source, "-o", tmp_path / "use.o"]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize("header", HEADERS)
def test_every_declaration_has_a_comment_or_follows_one(root, header):
    """A /** comment may serve the lines right below it."""
    blocks = re.split(r"\n\s*\n", (root / "include" / header).read_text())
    # A name that says everything needs no sentence: sizes and free.
    plain = re.compile(r"mxb_\w+_(free|n_rows|n_columns|n_features|n_rounds)\(")
    bare = [block for block in blocks if "MXB_API mxb" in block.replace("MXB_NODISCARD ", "") and "/**" not in block]
    assert [block for block in bare if not plain.search(block)] == []


@pytest.mark.parametrize("header", HEADERS)
def test_is_under_500_lines(root, header):
    assert len((root / "include" / header).read_text().splitlines()) < 500
