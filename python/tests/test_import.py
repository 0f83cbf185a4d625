"""What importing the package brings with it."""

from __future__ import annotations

import importlib.metadata
import json
import pathlib
import shutil
import subprocess
import sys
from typing import Any

import mixboost
from estimator_cases import data_for
from mixboost import MixBoostClassifier

HEAVY = ["sklearn", "scipy", "joblib", "pandas", "polars", "pyarrow", "matplotlib", "tqdm"]
OPTIONAL = ["pandas", "polars", "pyarrow", "matplotlib", "tqdm"]


def run(code: str, *arguments: str, **options: Any) -> str:
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, **options).stdout


def test_importing_mixboost_imports_nothing_heavy() -> None:
    modules = json.loads(run("import json, sys, mixboost; print(json.dumps(sorted(sys.modules)))"))
    assert "mixboost" in modules
    assert [name for name in HEAVY if name in modules] == []


def test_a_service_needs_nothing_heavy(tmp_path: pathlib.Path) -> None:
    X, y = data_for(MixBoostClassifier)
    model = MixBoostClassifier(num_round=5).fit(X, y)
    model.save(tmp_path / "model.mxb")
    code = f"""
import json, sys
sys.modules.update(dict.fromkeys({HEAVY}))  # importing them now fails
from mixboost import Predictor
predict = Predictor.load("model.mxb")
rows = json.loads(sys.argv[1])
print(json.dumps([predict(rows[0]), predict(rows).tolist(), predict([None] * 4)]))
"""
    one, some, _ = json.loads(run(code, json.dumps(X[:3].tolist()), cwd=tmp_path))
    assert some == model.predict_proba(X)[:3, 1].tolist()
    assert one == some[0]


def test_every_module_can_be_imported_without_the_optional_packages() -> None:
    code = f"""
import importlib, pathlib, sys
sys.modules.update(dict.fromkeys({OPTIONAL}))  # importing them now fails
import mixboost
for path in pathlib.Path(mixboost.__file__).parent.glob("*.py"):
    print(importlib.import_module("mixboost." + path.stem).__name__)
"""
    assert "mixboost._native" in run(code).split()


def test_a_library_that_cannot_be_loaded_is_an_import_error(tmp_path: pathlib.Path) -> None:
    package = pathlib.Path(mixboost.__file__).parent
    shutil.copytree(package, tmp_path / "mixboost", ignore=shutil.ignore_patterns("libmixboost.so", "__pycache__"))
    code = """
try:
    import mixboost
except ImportError as error:
    print(error)
"""
    said = run(code, cwd=tmp_path)
    assert said.startswith(
        f"mixboost cannot load its library, which a wheel brings: {tmp_path}/mixboost/libmixboost.so"
    )


def test_the_library_the_package_and_the_wheel_have_one_version() -> None:
    assert mixboost.__version__ == importlib.metadata.version("mixboost")
