"""Every example that a reader can see runs: those in docstrings, and the Python blocks of the pages."""

from __future__ import annotations

import doctest
import importlib
import inspect
import re
from pathlib import Path

import mixboost
import pytest

ROOT = Path(__file__).resolve().parents[2]
MODULES = sorted(path.stem for path in Path(mixboost.__file__).parent.glob("*.py"))
PAGES = [ROOT / "README.md", ROOT / "docs/tuning.md", *sorted((ROOT / "docs/python").glob("*.md"))]


def python_blocks(text: str) -> list[tuple[int, str]]:
    """The fenced Python blocks of a page, each with the number of its first line."""
    found = re.finditer(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [(text.count("\n", 0, match.start(1)) + 1, match[1]) for match in found]


def run_blocks(page: Path) -> dict[str, object]:
    """Runs the blocks of a page in order, in one namespace; errors name the page and its line."""
    names: dict[str, object] = {"__name__": "__main__"}
    for line, block in python_blocks(page.read_text()):
        exec(compile("\n" * (line - 1) + block, page, "exec"), names)
    return names


@pytest.mark.filterwarnings("error::UserWarning", "error::FutureWarning")
@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    options = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    assert doctest.testmod(importlib.import_module(f"mixboost.{name}"), optionflags=options).failed == 0


@pytest.mark.filterwarnings("error::UserWarning", "error::FutureWarning")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_pages(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run_blocks(page)


def test_blocks_share_a_namespace_and_errors_name_their_line(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("```python\na = 1\n```\ntext\n```sh\nfalse\n```\n```python\nb = a + 1\n```\n")
    assert run_blocks(page)["b"] == 2
    page.write_text("text\n\n```python\nx = 1\nassert x == 2\n```\n")
    with pytest.raises(AssertionError) as failure:
        run_blocks(page)
    assert (str(failure.traceback[-1].path), failure.traceback[-1].lineno) == (str(page), 4)


@pytest.mark.parametrize("name", mixboost.__all__)
def test_public_names_have_examples(name: str) -> None:
    thing = getattr(mixboost, name)
    functions = [value for key, value in vars(thing).items() if inspect.isfunction(value) and not key.startswith("_")]
    public = [f for f in functions if f.__module__ == thing.__name__] if inspect.ismodule(thing) else [thing]
    assert public
    assert [one.__name__ for one in public if ">>>" not in (one.__doc__ or "")] == []
