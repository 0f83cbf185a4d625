"""The paper's preprocessing and splits, on small tables made up here."""

import datetime

import numpy as np
import pytest
from sklearn.preprocessing import LabelEncoder


@pytest.fixture
def problems(module):
    return module("problems")


def make_table(problems, n=300, share=0.1, is_classification=True):
    random = np.random.default_rng(5)
    y = (random.random(n) < share).astype(float) if is_classification else random.normal(size=n)
    return problems.Table(random.normal(size=(n, 3)), y, is_classification)


# ---- Weights and losses ----


def test_both_classes_weigh_alike_by_the_rows_that_are_named(problems):
    table = make_table(problems)
    rows = np.arange(100)
    weights = problems.balanced_weights(table, rows)
    ones = table.y[rows] == 1
    assert weights[ones].sum() == pytest.approx(50) and weights[~ones].sum() == pytest.approx(50)
    assert problems.balanced_weights(make_table(problems, is_classification=False), rows).tolist() == [1.0] * 100


def test_the_log_loss_counts_weights(problems):
    y, p, weights = np.array([1.0, 0.0]), np.array([0.8, 0.5]), np.array([3.0, 1.0])
    expected = -(3 * np.log(0.8) + np.log(0.5)) / 4
    assert problems.loss(y, p, weights, True, False) == pytest.approx(expected)


def test_the_log_loss_of_tiny_errors_is_not_cut_off(problems):
    assert problems.loss(np.ones(2), np.full(2, 1 - 1e-10), np.ones(2), True, False) == pytest.approx(1e-10, rel=1e-5)


def test_errors_of_logarithms_are_measured_in_the_original_domain(problems):
    y, predicted = np.log1p([100.0, 200.0]), np.log1p([103.0, 196.0])
    assert problems.loss(y, predicted, np.ones(2), False, True) == pytest.approx(np.sqrt(12.5))
    assert problems.loss(y, y + 0.5, np.ones(2), False, False) == pytest.approx(0.5)


# ---- Folds ----


@pytest.mark.parametrize("is_classification", [True, False])
def test_nested_folds_have_every_row_once_and_are_shuffled(problems, is_classification):
    table = make_table(problems, is_classification=is_classification)
    folds = problems.nested_folds(table, 3)
    assert sorted(np.concatenate([fold.test for fold in folds])) == list(range(300))
    for fold in folds:
        assert not set(fold.train) & set(fold.test) and len(fold.inner) == 3
        assert sorted(np.concatenate([valid for _, valid in fold.inner])) == list(range(len(fold.train)))
        assert all(not set(train) & set(valid) for train, valid in fold.inner)
    assert np.ptp(folds[0].test) > 200
    again, other = problems.nested_folds(table, 3), problems.nested_folds(table, 3, 1)
    assert all(np.array_equal(a.test, b.test) for a, b in zip(folds, again, strict=True))
    assert not any(np.array_equal(a.test, b.test) for a, b in zip(folds, other, strict=True))


def test_the_folds_of_a_problem_are_dealt_by_a_seed(problems, monkeypatch):
    table = make_table(problems)
    makers = {"openml": {"made up": lambda name: problems.Problem(name, table, problems.nested_folds(table, 3))}}
    monkeypatch.setattr(problems, "MAKERS", makers)
    for deal in (0, 1):
        folds, wanted = problems.load("openml", "made up", deal).folds, problems.nested_folds(table, 3, deal)
        for found, one in zip(folds, wanted, strict=True):
            pairs = [(found.test, one.test), *zip(found.inner[0], one.inner[0], strict=True)]
            assert all(np.array_equal(*pair) for pair in pairs)


def test_folds_of_classes_have_the_same_share_of_each(problems):
    table = make_table(problems)
    ones = [table.y[fold.test].sum() for fold in problems.nested_folds(table, 3)]
    assert max(ones) - min(ones) <= 1
    inner = problems.nested_folds(table, 3)[0]
    in_inner = [table.y[inner.train][valid].sum() for _, valid in inner.inner]
    assert max(in_inner) - min(in_inner) <= 1


def test_a_single_split_is_one_fold_with_one_inner_fold(problems):
    table = make_table(problems, n=1000)
    (fold,) = problems.split_twice(table, 0.25, 0.3)
    ((train, valid),) = fold.inner
    assert (len(train), len(valid), len(fold.test)) == (525, 225, 250)
    assert sorted([*fold.train, *fold.test]) == list(range(1000)) and not set(train) & set(valid)
    shares = [table.y[rows].mean() for rows in (fold.train[train], fold.train[valid], fold.test)]
    assert np.ptp(shares) < 0.005


def test_a_sample_keeps_the_parts_apart_and_the_test_rows(problems):
    table = make_table(problems, n=1000)
    (fold,) = problems.split_twice(table, 0.25, 0.3)
    few = problems.sampled(fold, 100)
    ((train, valid),), ((all_train, all_valid),) = few.inner, fold.inner
    assert (len(train), len(valid)) == (70, 30) and few.test is fold.test
    assert set(few.train[train]) <= set(fold.train[all_train]) and set(few.train[valid]) <= set(fold.train[all_valid])
    assert problems.sampled(fold, 750) is fold


# ---- Rossmann ----


def rossmann_files():
    """Seven days of three stores; the files' columns of numbers and texts."""
    train = {
        "Store": np.array([2, 1, 1, 2, 3, 1, 2]),
        "DayOfWeek": np.array([5, 5, 4, 3, 2, 1, 1]),
        "Date": np.array(
            ["2015-07-31", "2015-07-31", "2015-01-01", "2013-12-30", "2013-05-07", "2014-09-01", "2014-09-02"],
            dtype=object,
        ),
        "Sales": np.array([10, 20, 0, 40, 50, 60, 70]),
        "Customers": np.array([1, 2, 3, 4, 5, 6, 7]),
        "Open": np.array([1, 1, 1, 1, 1, 1, 0]),
        "Promo": np.array([1, 0, 1, 0, 1, 0, 1]),
        "StateHoliday": np.array(["0", "a", "0", "0", "b", "0", "0"], dtype=object),
        "SchoolHoliday": np.array([0, 1, 0, 1, 0, 1, 0]),
    }
    stores = {
        "Store": np.array([3, 1, 2]),
        "StoreType": np.array(["c", "a", "b"], dtype=object),
        "Assortment": np.array(["a", "c", "a"], dtype=object),
        "CompetitionDistance": np.array([30.0, 10.0, 20.0]),
        "CompetitionOpenSinceMonth": np.array([3.0, 11.0, 0.0]),
        "CompetitionOpenSinceYear": np.array([2012.0, 2013.0, 0.0]),
        "Promo2": np.array([0, 1, 1]),
        "Promo2SinceWeek": np.array([0.0, 27.0, 40.0]),
        "Promo2SinceYear": np.array([0.0, 2014.0, 2015.0]),
        "PromoInterval": np.array(["0", "Mar,Jun,Sept,Dec", "Jan,Apr,Jul,Oct"], dtype=object),
    }
    return train, stores


def test_rossmann_has_the_papers_20_features_of_open_days_in_their_order(problems):
    features, sales = problems.rossmann_columns(*rossmann_files())
    assert len(features) == 20 and not {"Sales", "Customers", "Open", "Date"} & set(features)
    assert sales.tolist() == [50, 40, 60, 10, 20]  # by day, then as in the file; closed or without sales: left out
    assert features["Store"].tolist() == [3, 2, 1, 2, 1]
    assert features["CompetitionDistance"].tolist() == [30, 20, 10, 20, 10]
    assert features["StoreType"].tolist() == [2, 1, 0, 1, 0] and features["StateHoliday"].tolist() == [2, 0, 0, 0, 1]
    assert features["year"].tolist() == [2013, 2013, 2014, 2015, 2015]
    assert features["month"].tolist() == [5, 12, 9, 7, 7] and features["day"].tolist() == [7, 30, 1, 31, 31]
    assert features["week"].tolist() == [19, 1, 36, 31, 31]


def test_rossmann_counts_months_of_competition_and_promotion(problems):
    features, _ = problems.rossmann_columns(*rossmann_files())
    assert features["months of competition"].tolist() == [14, 12 * 2013 + 12, 10, 12 * 2015 + 7, 20]
    # No second promotion; before it began; 9 weeks after; before it began in that year; a year and 4 weeks.
    assert features["months of promotion"].tolist() == [0, 0, 2.25, 0, 13]
    assert features["is promotion month"].tolist() == [0, 0, 1, 1, 0]


def test_weeks_are_those_of_the_iso_calendar(problems):
    days = np.arange("2012-12-20", "2016-01-15", dtype="datetime64[D]")
    expected = [datetime.date.fromisoformat(str(day)).isocalendar()[1] for day in days]
    assert problems.iso_week(days).tolist() == expected


def test_texts_are_numbered_as_the_label_encoder_does(problems):
    texts = np.array(["b", "a", "0", "b", "c"], dtype=object)
    assert problems.codes(texts).tolist() == LabelEncoder().fit_transform(texts.astype(str)).tolist()


def test_julys_rows_validate_and_test_half_and_half(problems):
    month = np.array([7, 1] * 50)
    (fold,) = problems.rossmann_folds(month)
    ((train, valid),) = fold.inner
    assert len(valid) == len(fold.test) == 25 and set(month[fold.train[train]]) == {1}
    assert set(month[fold.train[valid]]) == set(month[fold.test]) == {7}


def test_credit_card_rows_have_absolute_values_that_sum_to_1(problems):
    table = problems.credit_card(make_table(problems))
    assert np.abs(table.X).sum(axis=1) == pytest.approx(np.ones(300))
    standard = make_table(problems).X
    standard = (standard - standard.mean(axis=0)) / standard.std(axis=0)
    np.testing.assert_allclose(table.X, standard / np.abs(standard).sum(axis=1, keepdims=True))
