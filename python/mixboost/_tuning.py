"""Tuning in one call, and an honest number for what it gives."""

from __future__ import annotations

import os
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn import get_config
from sklearn.base import clone, is_classifier
from sklearn.model_selection import check_cv
from sklearn.utils import _safe_indexing, indexable
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import _check_method_params, _check_sample_weight

from ._base import thread_count
from ._estimators import MixBoost, MixBoostClassifier, MixBoostRegressor
from ._search import MixBoostSearchCV
from ._targets import check_target
from ._trials import rows_of


def tune(X: Any, y: Any, *, sample_weight: Any = None, groups: Any = None, **settings: Any) -> MixBoostSearchCV:
    """Tune a classifier or a regressor, whichever y calls for.

    Parameters
    ----------
    X : array-like or data frame of shape (n_samples, n_features)
        The features.
    y : array-like of shape (n_samples,)
        What is to be predicted: texts and two different whole numbers are classes, other numbers are numbers.
    sample_weight : array-like of shape (n_samples,), optional
        How much each row counts.
    groups : array-like of shape (n_samples,), optional
        For the splitter of ``cv``.
    **settings : dict
        Arguments of :class:`MixBoostSearchCV`.

    Returns
    -------
    MixBoostSearchCV
        The search, fitted: it predicts, and ``best_estimator_`` is the estimator that does.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from mixboost import tune
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> search = tune(X[::2], y[::2], n_configs=4, eta=2, min_resource="1/2", resource="rounds")
    >>> type(search.best_estimator_).__name__
    'MixBoostClassifier'
    >>> bool(search.score(X[1::2], y[1::2]) > 0.9)
    True
    """
    values = check_target(y, numeric=False)
    is_text = values.dtype.kind in "OSU"
    estimator = MixBoostClassifier() if is_text or type_of_target(values) == "binary" else MixBoostRegressor()
    if sample_weight is not None and get_config()["enable_metadata_routing"]:
        estimator.set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
    params = {"sample_weight": sample_weight, "groups": groups}
    return MixBoostSearchCV(estimator, **settings).fit(X, y, **_given(params))


class NestedScore(NamedTuple):
    """What tuning gave on rows that it had not seen, a value for each outer fold.

    Examples
    --------
    >>> import numpy as np
    >>> from mixboost import NestedScore
    >>> nested = NestedScore(np.array([-0.4, -0.5]), np.array([-0.3, -0.4]), [{"gamma": 1.0}, {"gamma": 2.0}])
    >>> float(nested.scores.mean())
    -0.45
    """

    scores: NDArray[np.float64]
    """Of the tuned estimator on the rows held out: an estimate of what tuning will give."""
    inner_scores: NDArray[np.float64]
    """``best_score_`` of the search, which chose by it and so flatters itself."""
    params: list[dict[str, Any]]
    """``best_params_`` of the search."""


def nested_score(
    search: MixBoostSearchCV | MixBoost, X: Any, y: Any, *, cv: Any = 5, sample_weight: Any = None, groups: Any = None
) -> NestedScore:
    """Estimate what tuning will give: tune on all folds but one, and score on that one.

    Parameters
    ----------
    search : MixBoostSearchCV, MixBoostRegressor or MixBoostClassifier
        How it is tuned, on inner folds of the rows of all outer folds but one; of an estimator, with the defaults of a
        search. A journal gets the number of the outer fold, from 1, behind its name.
    X : array-like or data frame of shape (n_samples, n_features)
        The features.
    y : array-like of shape (n_samples,)
        What is to be predicted.
    cv : int, splitter or iterable, default=5
        The outer folds.
    sample_weight : array-like of shape (n_samples,), optional
        How much each row counts.
    groups : array-like of shape (n_samples,), optional
        For the splitters of both the outer and the inner folds.

    Returns
    -------
    NestedScore
        Scores by the ``scoring`` of the search.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from mixboost import MixBoostRegressor, MixBoostSearchCV, nested_score
    >>> X, y = load_diabetes(return_X_y=True)
    >>> space = {"max_max_depth": (1, 6, "integer")}
    >>> search = MixBoostSearchCV(MixBoostRegressor(num_round=50), space, n_configs=4, min_resource=1)
    >>> nested = nested_score(search, X, y, cv=2)
    >>> len(nested.scores), len(nested.params)
    (2, 2)
    """
    if isinstance(search, MixBoost):
        search = MixBoostSearchCV(search)
    if not isinstance(search, MixBoostSearchCV):
        kind = type(search).__name__
        raise TypeError(f"search must be a MixBoostSearchCV or an estimator that it can tune, not a {kind}")
    X, y = indexable(X, y)
    splitter = check_cv(cv, y, classifier=is_classifier(search.estimator))
    params = _given({"sample_weight": sample_weight, "groups": groups})
    folds = splitter.split(X, y, groups) if groups is not None else splitter.split(X, y)
    found = [_outer_fold(search, i, X, y, params, train, held_out) for i, (train, held_out) in enumerate(folds, 1)]
    if not found:
        raise ValueError("cv gives no folds")
    scores, inner_scores, chosen = zip(*found, strict=True)
    return NestedScore(np.array(scores), np.array(inner_scores), list(chosen))


def _given(params: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in params.items() if value is not None}


def _outer_fold(
    search: MixBoostSearchCV, number: int, X: Any, y: Any, params: dict[str, Any], train: Any, held_out: Any
) -> tuple[float, float, dict[str, Any]]:
    rows = np.arange(len(y))
    train, held_out = rows[train], rows[held_out]
    tuned = clone(search).set_params(refit=True)
    if search.journal is not None:
        tuned.set_params(journal=f"{os.fspath(search.journal)}.{number}")
    inner_params = _check_method_params(X, params, indices=train)
    tuned.fit(rows_of(X, train), _safe_indexing(y, train), **inner_params)
    score = _score(tuned, X, y, params, train, held_out)
    return score, tuned.best_score_, tuned.best_params_


def _score(
    tuned: MixBoostSearchCV, X: Any, y: Any, params: dict[str, Any], train: NDArray[np.intp], held_out: NDArray[np.intp]
) -> float:
    """As the trials were scored."""
    routed = tuned._route(X, params)
    X_held_out, y_held_out = rows_of(X, held_out), _safe_indexing(y, held_out)
    if tuned.scoring is not None:
        score_params = _check_method_params(X, routed.score_params, indices=held_out)
        return float(tuned.scorer_(tuned.best_estimator_, X_held_out, y_held_out, **score_params))
    estimator: MixBoost = tuned.best_estimator_
    weight = None if routed.weight is None else _check_sample_weight(routed.weight, X, dtype=np.float64)
    weights = [None if weight is None else weight[rows] for rows in (train, held_out)]
    targets = clone(estimator)._learn_target(estimator._check_target(_safe_indexing(y, train)), weights[0])
    dataset, _ = estimator._rows(X_held_out, y_held_out, weights[1], estimator._model, targets)
    return -estimator._model.evaluate(dataset, thread_count(estimator.n_threads))
