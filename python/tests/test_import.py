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

HEAVY = ["sklearn", "scipy", "joblib", "pandas", "polars", "pyarrow", "matplotlib", "tqdm"]
OPTIONAL = ["pandas", "polars", "pyarrow", "matplotlib", "tqdm"]


def run(code: str, **options: Any) -> str:
    command = [sys.executable, "-c", code]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, **options).stdout


def test_importing_mixboost_imports_nothing_heavy() -> None:
    modules = json.loads(run("import json, sys, mixboost; print(json.dumps(sorted(sys.modules)))"))
    assert "mixboost" in modules
    assert [name for name in HEAVY if name in modules] == []


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
