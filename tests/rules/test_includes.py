"""Who may include whom. The order of the table is the order data takes."""

import re

import pytest

HEADERS = ["mixboost/mixboost.h", "mixboost/tune.h"]

# Folder -> what its files may include besides the public headers and their own folder: folders end with a slash.
ALLOWED = {
    "src/base": [],
    "src/kernels": ["base/"],
    "src/data": ["base/", "kernels/"],
    "src/io": ["base/", "data/"],
    "src/loss": ["base/", "kernels/"],
    "src/model": [
        "base/",
        "kernels/",
        "data/dataset.h",
        "data/dictionary.h",
        "data/scaling.h",
        "data/sort.h",
        "data/text_coding.h",
        "io/file.h",
    ],
    "src/learner": ["base/", "kernels/", "data/", "model/"],
    "src/learner/tree": ["base/", "kernels/", "data/", "model/", "learner/learner.h"],
    "src/learner/fourier": ["base/", "kernels/", "data/", "model/", "learner/learner.h"],
    "src/learner/own": ["base/", "kernels/", "data/", "model/", "learner/learner.h"],
    "src/boost": ["base/", "kernels/", "data/", "io/", "loss/", "model/", "learner/"],
    "src/tune": ["base/"],
    "cli": [],
    "examples": [],
}


def rule_of(path):
    """The most exact folder of the table that holds a file."""
    folders = [folder for folder in ALLOWED if path.startswith(folder + "/")]
    return max(folders, key=len) if folders else None


def own_folder(folder):
    return folder.removeprefix("src/") + "/"


def forbidden_includes(root, path):
    folder = rule_of(path)
    assert folder is not None, f"{path} is in no folder of the include table"
    text = (root / path).read_text()
    for name in re.findall(r'^\s*#\s*include\s+"([^"]+)"', text, re.MULTILINE):
        beside = (root / path).parent / name
        if beside.exists():
            name = str(beside.resolve().relative_to(root)).removeprefix("src/")
        if name in HEADERS:
            continue
        if folder == "src/learner" and name.startswith("learner/") and name.count("/") > 1:
            yield name  # the interface knows no learner
        elif not any(
            name.startswith(entry) if entry.endswith("/") else name == entry
            for entry in [*ALLOWED[folder], own_folder(folder)]
        ):
            yield name


def source_files(root):
    folders = ["src", "cli", "examples"]
    return sorted(str(p.relative_to(root)) for folder in folders for p in (root / folder).rglob("*.[ch]"))


def test_every_file_keeps_to_the_include_table(root):
    files = source_files(root)
    assert len(files) > 20
    bad = [f"{path} includes {name}" for path in files for name in forbidden_includes(root, path)]
    assert bad == []


@pytest.mark.parametrize(
    "path, name, allowed",
    [
        ("src/base/x.c", "data/dataset.h", False),
        ("src/model/x.c", "data/bins.h", False),
        ("src/model/x.c", "data/scaling.h", True),
        ("src/learner/tree/x.c", "learner/tree/tree_grow.h", True),
        ("src/learner/tree/x.c", "learner/fourier/cholesky.h", False),
        ("src/learner/fourier/x.c", "loss/loss.h", False),
        ("src/learner/x.c", "learner/tree/tree_grow.h", False),
        ("src/boost/x.c", "learner/tree/tree_learner.h", True),
        ("cli/x.c", "base/status.h", False),
        ("src/tune/x.c", "base/random.h", True),
        ("src/tune/x.c", "boost/params.h", False),
        ("cli/x.c", "mixboost/mixboost.h", True),
    ],
)
def test_the_rule_itself(tmp_path, path, name, allowed):
    file = tmp_path / path
    file.parent.mkdir(parents=True)
    file.write_text(f'#include "{name}"\n')
    assert list(forbidden_includes(tmp_path, path)) == ([] if allowed else [name])


def test_the_public_headers_include_two_system_headers_only(root):
    texts = [(root / "include" / header).read_text() for header in HEADERS]
    includes = [re.findall(r"#\s*include\s+(\S+)", text) for text in texts]
    assert includes == [["<stddef.h>", "<stdint.h>"], ['"mixboost/mixboost.h"']]
