"""The same model bytes from every compiler, at every level of optimisation, for every number of threads and every set
of kernels."""

import os
import subprocess

import pytest

from compilers import find_compilers

# The last one allows fused multiply-add instructions, which -ffp-contract=off must keep out of the arithmetic.
LEVELS = ["-O0", "-O1", "-O2", "-O3", "-O3 -march=native"]


def run(command, **variables):
    result = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **variables})
    assert result.returncode == 0, f"{command}\n{result.stdout[-4000:]}\n{result.stderr[-4000:]}"
    return result.stdout


def output_of(root, compiler, level):
    """Builds the library and the program identity with warnings as errors, and runs it."""
    folder = root / "build" / "identity" / (compiler + level.replace(" ", ""))
    options = [f"-DCMAKE_C_COMPILER={compiler}", "-DCMAKE_BUILD_TYPE=None", f"-DCMAKE_C_FLAGS={level}"]
    options += ["-DMIXBOOST_BUILD_CLI=OFF", "-DMIXBOOST_WERROR=ON"]
    run(["cmake", "-S", root, "-B", folder, "-G", "Ninja", *options])
    run(["cmake", "--build", folder, "--target", "identity"])
    return run([folder / "tests" / "identity"])


@pytest.fixture(scope="module")
def reference(build):
    """What the release build prints."""
    return run([build / "tests" / "identity"])


def test_the_bits_are_those_that_are_known(root, reference):
    """A change of arithmetic or format shows here. Where it is meant, known.txt is what build/release/tests/identity
    prints, and CHANGELOG.md says that models change."""
    assert reference == (root / "tests" / "identity" / "known.txt").read_text()


def test_every_number_of_threads_gives_the_same_model(reference):
    lines = [line.split(" ", 2) for line in reference.splitlines() if " model " in line]
    names = {name for name, _, _ in lines}
    assert len(names) == 17
    for name in names:
        runs = [(threads, rest) for other, threads, rest in lines if other == name]
        assert [threads for threads, _ in runs] == ["1", "2", "3", "8"]
        assert len({rest for _, rest in runs}) == 1, runs


@pytest.mark.parametrize("kernels", ["portable", "avx2", "avx512"])
def test_every_set_of_kernels_gives_the_same_model(build, reference, kernels):
    assert run([build / "tests" / "identity"], MIXBOOST_KERNELS=kernels) == reference


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("compiler", find_compilers())
def test_every_build_gives_the_same_model(root, reference, compiler, level):
    assert output_of(root, compiler, level) == reference
