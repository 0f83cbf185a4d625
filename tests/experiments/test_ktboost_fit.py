"""What KTBoost is told, and what comes back; KTBoost itself is not here."""

import json
import subprocess
import sys
import types

import numpy as np
import pytest

ROWS, WEIGHTS = np.arange(12.0).reshape(6, 2), np.linspace(1, 2, 6)
OPTIONS = {"n_estimators": 7, "update_step": "newton", "nystroem": True, "random_state": 3}


@pytest.fixture
def told(monkeypatch):
    """What the stand-in for KTBoost was told."""
    found = {}

    class Booster:
        def __init__(self, **options):
            found.update(options, kind=type(self).__name__, drawn=np.random.random())  # noqa: NPY002

        def fit(self, X, y, sample_weight):
            found.update(X=X, y=y, weight=sample_weight)
            return self

        def predict(self, X):
            return 10 * X[:, 0]

        def predict_proba(self, X):
            return np.column_stack([1 - X[:, 0], X[:, 0]])

    boosters = {f"Boosting{kind}": type(f"Boosting{kind}", (Booster,), {}) for kind in ("Classifier", "Regressor")}
    stand_in = types.SimpleNamespace(**boosters)
    monkeypatch.setitem(sys.modules, "KTBoost", types.SimpleNamespace(KTBoost=stand_in))
    monkeypatch.setitem(sys.modules, "KTBoost.KTBoost", stand_in)
    return found


@pytest.fixture
def fit(module, tmp_path, monkeypatch):
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        monkeypatch.setenv(variable, "1")  # so that it is as before afterwards

    def run(**options):
        asked, answer = tmp_path / "in.npz", tmp_path / "out.npy"
        as_text = np.array(json.dumps({**OPTIONS, **options}))
        y = np.array([0.0, 1.0] * 3)
        np.savez(asked, X=ROWS, y=y, weight=WEIGHTS, X_test=np.array([[0.25, 0.0], [0.5, 0.0]]), options=as_text)
        module("ktboost_fit").main(str(asked), str(answer))
        return np.load(answer)

    return run


def test_a_classification_gives_the_probability_of_class_1(fit, told):
    assert fit(is_classification=True).tolist() == [0.25, 0.5]
    assert told["kind"] == "BoostingClassifier" and told["loss"] == "deviance" and told["update_step"] == "newton"
    assert np.array_equal(told["X"], ROWS) and np.array_equal(told["weight"], WEIGHTS)
    assert told["n_estimators"] == 7 and told["nystroem"] is True and "is_classification" not in told


def test_a_regression_takes_gradient_steps(fit, told):
    assert fit(is_classification=False).tolist() == [2.5, 5.0]
    assert told["kind"] == "BoostingRegressor" and told["loss"] == "ls" and told["update_step"] == "gradient"


def test_the_seed_decides_numpys_draws_too(fit, told):
    draws = []
    for seed in (3, 3, 4):
        fit(is_classification=True, random_state=seed)
        draws.append(told["drawn"])
    assert draws[0] == draws[1] != draws[2]


def test_it_ends_when_who_asked_is_gone(root):
    child = "import ktboost_fit, time; ktboost_fit.end_with_parent(); print('begins', flush=True); time.sleep(30)"
    child += "; print('goes on')"
    parent = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {child!r}])"
    folder = root / "experiments" / "paper"
    with subprocess.Popen([sys.executable, "-c", parent], cwd=folder, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "begins\n"
        process.kill()
        assert process.stdout.read() == ""  # up to the child's end
