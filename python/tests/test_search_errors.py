"""What a search says to wrong arguments."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from estimator_cases import classification_data, regression_data
from mixboost import HeterogeneousBoostingRegressor, MixBoostClassifier, MixBoostRegressor, MixBoostSearchCV
from search_cases import small_search
from sklearn.linear_model import Ridge
from sklearn.model_selection import KFold

SPACES: list[tuple[Any, type[Exception], str]] = [
    ("papers", ValueError, "^space is 'papers', and there is no built-in space of that name; it must be the name of a"),
    ("", ValueError, "^space is '', and there is no built-in space"),
    (
        None,
        TypeError,
        "^space is a NoneType; it must be the name of a built-in space, the text of one, the pathlib.Path",
    ),
    ({}, ValueError, "^the search space has no option$"),
    ({"depth": [1, 2]}, ValueError, 'there is no option "depth"'),
    (
        {"gamma": (0.1, 1)},
        ValueError,
        r"^the space has \(0.1, 1\) for gamma; a range is \(lowest, highest, scale\), the",
    ),
    (
        {"gamma": (0.1, 1, "log")},
        ValueError,
        r"for gamma; a range is \(lowest, highest, scale\), the scale one of linear",
    ),
    ({"gamma": (1, 0.1, "linear")}, ValueError, "the lowest gamma, 1, is above the highest, 0.1$"),
    ({"lambda_l2": (0, 1, "log10")}, ValueError, "the lowest lambda_l2 is 0; on a log10 scale it must be over 0$"),
    ({"gamma": ("a", 1, "log10")}, ValueError, '"a" is no number$'),
    ({"gamma": "1 2 linear"}, ValueError, "^the space has the value '1 2 linear' for gamma, which no option takes$"),
    ({"gamma": "1#2"}, ValueError, "^the space has the value '1#2' for gamma"),
    ({"gamma # x": 1}, ValueError, "^the space has the value 'gamma # x' for an option"),
    ({"subsample": [0.5, 7]}, ValueError, "subsample"),
    ({"subsample": []}, ValueError, "subsample"),
    ({"objective": ["mse", "logloss"]}, ValueError, "objective cannot be tuned"),
    ({"defaults": 1, "gamma": 1}, ValueError, 'line 1 of the search space: .*"?defaults'),
    ("gamma 1 2 linear\ngamma 3", ValueError, "gamma"),
]


@pytest.mark.parametrize(("space", "kind", "sentence"), SPACES, ids=lambda value: str(value)[:30])
def test_a_wrong_space(space: Any, kind: type[Exception], sentence: str) -> None:
    with pytest.raises(kind, match=sentence):
        small_search().set_params(space=space).fit(*regression_data())


def test_a_wrong_space_in_a_file_is_told_with_its_name(tmp_path: Path) -> None:
    path = tmp_path / "my.space"
    with pytest.raises(FileNotFoundError, match="my.space"):
        small_search(space=path).fit(*regression_data())
    path.write_bytes(b"gamma \xff")
    with pytest.raises(ValueError, match=r"my.space: 'utf-8' codec can't decode byte 0xff in position 6"):
        small_search(space=path).fit(*regression_data())
    path.write_text("# ours\ngamma 1 0.5 linear\n")
    with pytest.raises(ValueError, match=r"my.space: line 2 of the search space: the lowest gamma, 1, is above the"):
        small_search(space=path).fit(*regression_data())


@pytest.mark.parametrize(
    ("settings", "kind", "sentence"),
    [
        (
            {"estimator": Ridge()},
            TypeError,
            "^estimator must be a MixBoostRegressor or a MixBoostClassifier, not a Ridge$",
        ),
        ({"estimator": HeterogeneousBoostingRegressor()}, TypeError, "not a HeterogeneousBoostingRegressor$"),
        ({"estimator": MixBoostRegressor(validation_fraction=0.2)}, ValueError, "^the estimator has a validation_frac"),
        ({"estimator": MixBoostRegressor(subsample=3)}, ValueError, "subsample"),
        ({"estimator": MixBoostRegressor(objective="logloss")}, ValueError, "^objective is 'logloss'"),
        ({"n_configs": 0}, ValueError, '^n_configs is "0"; it must be a whole number, 1 to 1000000$'),
        ({"n_configs": 3}, ValueError, "^3 configurations cannot go through 2 stages"),
        ({"eta": 1}, ValueError, '^eta is "1"; it must be a whole number, 2 to 1000$'),
        (
            {"min_resource": 0},
            ValueError,
            '^min_resource is "0"; it must be a number or a fraction a/b over 0, up to 1$',
        ),
        ({"min_resource": "5/4"}, ValueError, '^min_resource is "5/4"'),
        ({"resource": "columns"}, ValueError, r'^resource is "columns"; it must be rows \| rounds$'),
        ({"random_state": -1}, ValueError, '^random_state is "-1"'),
        ({"n_jobs": 1.5}, ValueError, "^n_jobs is 1.5; it must be a whole number or None$"),
        ({"time_limit": 0}, ValueError, "^time_limit is 0; it must be a number of seconds over 0, or None$"),
        ({"time_limit": "10m"}, ValueError, "^time_limit is '10m'"),
        ({"refit": "r2"}, ValueError, "^refit is 'r2'; it must be True or False$"),
        (
            {"scoring": ["r2", "max_error"]},
            ValueError,
            r"^scoring is \['r2', 'max_error'\]; it must be one scorer, its name",
        ),
        ({"scoring": "r3"}, ValueError, "r3"),
        ({"error_score": "ignore"}, ValueError, "^error_score is 'ignore'; it must be a number or 'raise'$"),
        ({"executor": 4}, TypeError, "^executor must be an Executor as of concurrent.futures, not a int$"),
        ({"resume": True}, ValueError, "^resume is True, but there is no journal to go on from$"),
        ({"journal": "no/such/folder/search.mxj"}, OSError, "no/such/folder/search.mxj"),
        ({"journal": "nul\0"}, ValueError, "NUL"),
        ({"cv": 1}, ValueError, "k-fold cross-validation requires at least one train/test split"),
        ({"cv": []}, ValueError, "^cv gives no folds$"),
        ({"cv": [([0, 1], [500])]}, IndexError, "500"),
        ({"cv": [(list(range(100)), [])]}, ValueError, "row"),
        ({"cv": "three"}, ValueError, "cv"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_a_wrong_argument(settings: Any, kind: type[Exception], sentence: str) -> None:
    search = small_search().set_params(**settings)
    with pytest.raises(kind, match=sentence):
        search.fit(*regression_data())
    assert not hasattr(search, "cv_results_")


def test_wrong_arguments_of_fit() -> None:
    X, y = regression_data()
    with pytest.raises(TypeError, match="^fit got eval_set; of the estimator's arguments it takes sample_weight only$"):
        small_search().fit(X, y, eval_set=(X, y))
    small_search(n_configs=1, min_resource=1).fit(X, y, eval_set=None, groups=None, sample_weight=None)
    with pytest.raises(ValueError, match=r"^groups are given, but with cv=None folds do not look at them; try cv="):
        small_search().fit(X, y, groups=y)
    with pytest.raises(ValueError, match="^fit requires y to be passed"):
        small_search().fit(X)
    with pytest.raises(ValueError, match="^X has 200 rows and y 199$"):
        small_search().fit(X, y[1:])
    with pytest.raises(ValueError, match="^[sS]ample weights must"):
        small_search().fit(X, y, sample_weight=np.zeros(200))


def test_too_few_rows() -> None:
    X, y = regression_data()
    with pytest.raises(ValueError, match="^cv=None makes 3 folds, for which n_samples=2 is too few$"):
        small_search().fit(X[:2], y[:2])
    with pytest.raises(ValueError, match="^the first stage has 1/256 of 4 rows, which are fewer than 2; min_resource"):
        small_search(n_configs=256, min_resource="1/256").fit(X[:6], y[:6])


def test_a_class_that_is_missing_in_a_fold() -> None:
    X, y = classification_data()
    order = np.argsort(y, kind="stable")
    with pytest.raises(ValueError, match="first stage, fold 1: all labels"):
        small_search(MixBoostClassifier, cv=KFold(2)).fit(X[order], y[order])


def test_a_class_that_is_missing_among_rows_that_judge() -> None:
    X, y = classification_data()
    folds = [(np.arange(len(y)), np.flatnonzero(y == y.min()))]
    n_ones = sum(y == y.max())
    sentence = f"^the rows that judge: no row has label 1; of the {len(y)} rows of the training data {n_ones}"
    with pytest.warns(RuntimeWarning, match=sentence):
        small_search(MixBoostClassifier, cv=folds).fit(X, y)


def test_the_estimator_and_the_search_stay_as_they_were() -> None:
    estimator = MixBoostRegressor(num_round=8)
    search = MixBoostSearchCV(estimator, {"gamma": (0.1, 1, "log10")}, n_configs=2, min_resource=1)
    before = repr(search), repr(estimator)
    search.fit(*regression_data())
    assert (repr(search), repr(estimator)) == before
    assert not hasattr(estimator, "n_features_in_")
