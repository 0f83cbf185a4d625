"""How sets are split, and how texts become numbers."""

import dataclasses

import numpy as np
import pytest


@pytest.fixture
def sets(module):
    return module("sets")


def make_dataset(sets, task, n=1000, texts=()):
    random = np.random.default_rng(3)
    X = np.column_stack([np.arange(n, dtype=float), random.integers(0, 9, n)])
    y = (random.random(n) < 0.03).astype(float) if task == sets.CLASSES else random.normal(50, 7, n)
    return sets.Dataset("a set", sets.NOISY, task, X, y, texts)


@pytest.mark.parametrize("task", ["classes", "numbers"])
def test_every_row_is_in_one_part(sets, task):
    split = sets.split(make_dataset(sets, task), seed=1)
    assert [len(part.y) for part in split] == [600, 200, 200]
    assert sorted(np.concatenate([part.X[:, 0] for part in split])) == list(range(1000))
    assert all(part.X.flags.c_contiguous and part.X.dtype == np.float64 for part in split)


def test_classes_are_split_alike(sets):
    dataset = make_dataset(sets, sets.CLASSES)
    n_ones = dataset.y.sum()
    ones = [part.y.sum() for part in sets.split(dataset, seed=1)]
    assert ones == [round(0.6 * n_ones), round(0.8 * n_ones) - round(0.6 * n_ones), n_ones - round(0.8 * n_ones)]


def test_seeds_split_differently_and_again_alike(sets):
    dataset = make_dataset(sets, sets.CLASSES)
    first, again, other = (sets.split(dataset, seed).test.X[:, 0].tolist() for seed in (1, 1, 2))
    assert first == again != other


def test_without_a_validation_part_the_test_rows_are_the_same(sets):
    dataset = make_dataset(sets, sets.CLASSES)
    three, two = sets.split(dataset, 5), sets.split_in_two(dataset, 5)
    assert two.valid is None and len(two.train.y) == 800
    assert two.test.X[:, 0].tolist() == three.test.X[:, 0].tolist()


def test_few_rows_are_the_first_and_the_test_rows_stay(sets):
    dataset = make_dataset(sets, sets.NUMBERS)
    all_of_them = sets.split_in_two(dataset, 5)
    few = sets.split_in_two(dataset, 5, 50)
    assert few.train.X[:, 0].tolist() == all_of_them.train.X[:50, 0].tolist()
    assert few.test.X[:, 0].tolist() == all_of_them.test.X[:, 0].tolist()
    assert few.train.y.mean() == pytest.approx(0, abs=1e-12) and few.train.y.std() == pytest.approx(1)


def test_few_rows_have_classes_alike_and_two_of_each(sets):
    dataset = make_dataset(sets, sets.CLASSES)
    everything = sets.split_in_two(dataset, 5).train
    share, before = everything.y.mean(), set()
    for n_rows in (20, 50, 200, 500):
        train = sets.split_in_two(dataset, 5, n_rows).train
        assert len(train.y) == n_rows and train.y.sum() == max(2, round(n_rows * share))
        rows = train.X[:, 0].tolist()
        assert before <= set(rows) and rows == [row for row in everything.X[:, 0] if row in set(rows)]
        before = set(rows)


def test_texts_are_numbered_by_the_few_rows(sets):
    dataset = make_dataset(sets, sets.NUMBERS, texts=(1,))
    few = sets.split_in_two(dataset, 5, 6)
    known = np.unique(dataset.X[few.train.X[:, 0].astype(int), 1])
    wanted = [known.tolist().index(text) for text in dataset.X[few.train.X[:, 0].astype(int), 1]]
    assert few.train.X[:, 1].tolist() == wanted and np.isnan(few.test.X[:, 1]).any()


def test_of_a_large_table_a_sample_takes_part_and_all_rows_where_asked(sets):
    whole = make_dataset(sets, sets.CLASSES)
    dataset = dataclasses.replace(whole, sample=np.arange(1, 1000, 2))
    sampled, everything = sets.split_in_two(dataset, 5), sets.split_all(dataset, 5)
    rows = np.concatenate([sampled.train.X[:, 0], sampled.test.X[:, 0]])
    assert sorted(rows) == list(range(1, 1000, 2))
    assert everything.valid is None and everything.test.X[:, 0].tolist() == sampled.test.X[:, 0].tolist()
    rows = everything.train.X[:, 0].tolist()
    assert sorted([*rows, *everything.test.X[:, 0]]) == list(range(1000)) and rows != sorted(rows)


def test_numbers_are_scaled_by_the_training_part(sets):
    dataset = make_dataset(sets, sets.NUMBERS)
    split = sets.split(dataset, 1)
    assert split.train.y.mean() == pytest.approx(0, abs=1e-12) and split.train.y.std() == pytest.approx(1)
    rows = split.train.X[:, 0].astype(int)
    mean, deviation = dataset.y[rows].mean(), dataset.y[rows].std()
    wanted = (dataset.y[split.test.X[:, 0].astype(int)] - mean) / deviation
    assert split.test.y == pytest.approx(wanted)


def test_texts_that_training_does_not_have_are_missing(sets):
    nan = np.nan
    train = np.array([[7.0, 1.5], [3.0, 1.5], [nan, 0.5], [3.0, 0.0]])
    test = np.array([[3.0, 9.0], [5.0, 9.0], [8.0, nan], [7.0, 9.0], [nan, 9.0]])
    coded_train, coded_test = sets.recode_texts([train, test], (0,))
    assert np.array_equal(coded_train, [[1, 1.5], [0, 1.5], [nan, 0.5], [0, 0]], equal_nan=True)
    assert np.array_equal(coded_test, [[0, 9], [nan, 9], [nan, nan], [1, 9], [nan, 9]], equal_nan=True)
    assert train[0, 0] == 7 and test[1, 0] == 5  # what was given is as it was


def test_losses(sets):
    classes, numbers = make_dataset(sets, sets.CLASSES), make_dataset(sets, sets.NUMBERS)
    assert sets.loss(numbers, np.array([1.0, 2.0]), np.array([1.0, 4.0])) == pytest.approx(2**0.5)
    found = sets.loss(classes, np.array([1.0, 0.0]), np.array([0.25, 0.5]))
    assert found == pytest.approx((np.log(4) + np.log(2)) / 2)


def test_a_sure_mistake_costs_a_finite_loss(sets):
    classes = make_dataset(sets, sets.CLASSES)
    for y, p in ((0.0, 1.0), (1.0, 0.0)):
        found = sets.loss(classes, np.array([y]), np.array([p], dtype=np.float32))
        assert found == pytest.approx(-np.log(sets.LEAST_PROBABILITY))


def test_every_set_has_a_group_and_a_task(sets):
    assert len(sets.NAMES) >= 15
    assert {source.group for source in sets.SOURCES.values()} == {sets.CLEAN, sets.NOISY, sets.APART}
    clean = {name for name, source in sets.SOURCES.items() if source.group == sets.CLEAN}
    apart = {name for name, source in sets.SOURCES.items() if source.group == sets.APART}
    assert clean == {"letter", "pendigits", "pol", "navalT"} and apart == {"nursery", "CreditCardSubset", "donors"}
