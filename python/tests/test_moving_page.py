"""The page for those who come from other boosters names what is there."""

from __future__ import annotations

import inspect
import re
from ast import literal_eval
from pathlib import Path

import pytest
from mixboost import MixBoostClassifier, plot
from sklearn.datasets import load_breast_cancer

PAGE = Path(__file__).resolve().parents[2] / "docs/python/moving-from-other-boosters.md"
PARAMETERS = inspect.signature(MixBoostClassifier).parameters


def first_column(section: str) -> list[str]:
    """The first cells of the table in a section, without its head."""
    (text,) = re.findall(rf"^## {section}\n(.*?)(?=^## |\Z)", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    cells = [line.split("|")[1].strip() for line in text.splitlines() if line.startswith("|")]
    assert cells[0] == "mixboost"
    return cells[2:]


def names_in(cells: list[str]) -> set[str]:
    return {name for cell in cells for name in re.findall(r"`([\w.]+)", cell)}


def test_the_table_of_options_has_every_parameter() -> None:
    threads_of_a_part = {"tree_n_threads", "ridge_n_threads", "kernel_n_threads"}
    assert names_in(first_column("Options")) == set(PARAMETERS) - threads_of_a_part


def test_defaults_in_the_table_are_the_defaults() -> None:
    stated = [re.fullmatch(r"`(\w+)` \(([^:,]+)(?::.*)?\).*", cell) for cell in first_column("Options")]
    defaults = {found[1]: literal_eval(found[2]) for found in stated if found}
    assert len(defaults) > 12
    assert defaults == {name: PARAMETERS[name].default for name in defaults}


def test_arguments_of_fit_are_there() -> None:
    assert names_in(first_column("fit")) - {"Progress"} <= set(inspect.signature(MixBoostClassifier.fit).parameters)


@pytest.mark.parametrize("name", sorted(names_in(first_column("Fitted models"))))
def test_what_fitted_models_have_is_there(name: str) -> None:
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    model = MixBoostClassifier(num_round=2).fit(X, y)
    assert hasattr(plot if name.startswith("plot.") else model, name.removeprefix("plot."))
