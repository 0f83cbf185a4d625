"""mixboost: gradient boosting whose every round draws its base learner at random.

Estimators are imported when they are first named, since they bring scikit-learn with them; ``import mixboost`` alone,
and with it ``Predictor``, costs little more than numpy.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ._native import version as _version

if TYPE_CHECKING:
    from . import plot
    from ._estimators import MixBoostClassifier, MixBoostRegressor
    from ._heterogeneous import HeterogeneousBoostingClassifier, HeterogeneousBoostingRegressor
    from ._predictor import Predictor
    from ._progress import Progress
    from ._search import MixBoostSearchCV
    from ._tuning import NestedScore, nested_score, tune

__all__ = [
    "HeterogeneousBoostingClassifier",
    "HeterogeneousBoostingRegressor",
    "MixBoostClassifier",
    "MixBoostRegressor",
    "MixBoostSearchCV",
    "NestedScore",
    "Predictor",
    "Progress",
    "nested_score",
    "plot",
    "tune",
]

__version__ = _version()

_MODULES = {
    "HeterogeneousBoostingClassifier": "._heterogeneous",
    "HeterogeneousBoostingRegressor": "._heterogeneous",
    "MixBoostClassifier": "._estimators",
    "MixBoostRegressor": "._estimators",
    "MixBoostSearchCV": "._search",
    "NestedScore": "._tuning",
    "Predictor": "._predictor",
    "Progress": "._progress",
    "nested_score": "._tuning",
    "tune": "._tuning",
}


def __getattr__(name: str) -> Any:
    if name == "plot":
        return import_module(".plot", __name__)
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_MODULES[name], __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
