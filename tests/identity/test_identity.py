"""The same model bytes from every compiler, at every level of optimisation, for every number of threads and every set
of kernels."""

import pytest
from identities import LEVELS, build_with, known, read_made, run, usable_kernels

from compilers import find_compilers


@pytest.fixture(scope="module")
def reference(build):
    """What the release build prints."""
    return run([build / "tests" / "identity"])


def test_the_bits_are_those_that_are_known(root, reference):
    """A change of arithmetic or format shows here. Where it is meant, known.txt is what build/release/tests/identity
    prints, and CHANGELOG.md says that models change."""
    assert reference == (root / "tests" / "identity" / "known.txt").read_text()


def test_every_number_of_threads_gives_the_same_model(root, reference):
    made = read_made(reference)
    digests = known(root)
    assert len(digests) == 18
    assert [(each.case, each.way) for each in made] == [(case, n) for case in digests for n in "1238"]
    assert [each for each in made if (each.model, each.predictions) != digests[each.case]] == []


@pytest.mark.parametrize("kernels", usable_kernels())
def test_every_set_of_kernels_gives_the_same_model(build, reference, kernels):
    assert run([build / "tests" / "identity"], MIXBOOST_KERNELS=kernels) == reference


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("compiler", find_compilers())
def test_every_build_gives_the_same_model(root, reference, compiler, level):
    assert run([build_with(root, compiler, level)]) == reference
