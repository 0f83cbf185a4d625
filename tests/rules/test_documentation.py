"""The documents say what the program does."""

import os
import re
import subprocess
import sys

import pytest

from compilers import find_compilers


def generated_page(root):
    return subprocess.run(
        [sys.executable, root / "dev", "docs", "--print"], check=True, capture_output=True, text=True
    ).stdout


def names_of(part):
    return re.findall(r"^\| `(\w+)` \|", part, re.MULTILINE)


def options_of(page):
    return names_of(page.partition("## Settings")[0])


PAPER = """num_round objective learning_rate random_state colsample subsample lambda_l2 early_stopping_rounds
base_score tree_probability min_max_depth max_max_depth use_histograms hist_nbins tree_n_threads alpha fit_intercept
ridge_n_threads gamma n_components kernel_n_threads""".split()
OURS = """n_threads min_child_weight fourier_scaling depth_probabilities n_members symmetric_probability symmetric_depth
split_noise split_prior leaf_rows n_projections fourier_metric fourier_linear preset""".split()


def test_the_parameter_page_is_the_option_table(root):
    assert (root / "docs/parameters.md").read_text() == generated_page(root), "run ./dev docs"


def test_the_options_are_the_papers_and_ours(root):
    assert sorted(options_of(generated_page(root))) == sorted(PAPER + OURS)


def test_help_names_every_option(root, program):
    text = subprocess.run([program, "train", "--help"], check=True, capture_output=True, text=True).stdout
    assert [name for name in options_of(generated_page(root)) if f"--{name}" not in text] == []


def test_the_settings_are_known_to_program_and_python(root, program):
    """By their names, but for some that are shorter in the program and of scikit-learn's in Python."""
    settings = names_of(generated_page(root).partition("## Settings")[2])
    assert len(settings) > 9
    text = subprocess.run([program, "tune", "--help"], check=True, capture_output=True, text=True).stdout
    arguments = [f"--{name.removeprefix('n_').replace('_', '-')}" for name in settings]
    own = {"--stratify", "--threads", "--memory", "--random-state", "--scoring"}  # of the library alone, or options too
    assert [name for name in arguments if name not in text and name not in own] == []
    search = (root / "python/mixboost/_search.py").read_text()
    own = {"n_folds", "valid_fraction", "stratify", "n_threads", "memory"}  # cv and n_jobs
    assert [name for name in settings if f"{name}:" not in search and name not in own] == []


def test_commands_in_the_readme_exist(root):
    usage = subprocess.run([sys.executable, root / "dev", "--help"], capture_output=True, text=True).stdout
    for page in ("README.md", "CONTRIBUTING.md"):
        commands = set(re.findall(r"\./dev (\w+)", (root / page).read_text()))
        assert commands and all(f"./dev {command}" in usage for command in commands)


def test_links_in_the_documents_lead_somewhere(root):
    pages = [*root.glob("*.md"), *(root / "docs").rglob("*.md")]
    links = [(page, link) for page in pages for link in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text())]
    assert [f"{page.name}: {link}" for page, link in links if not (page.parent / link).exists()] == []


def test_names_in_the_algorithm_page_exist(root):
    """Functions, options and files that stand beside the paper's equations."""
    names = set(re.findall(r"`([\w/.]+)`", (root / "docs/algorithm.md").read_text()))
    sources = {
        path for folder in ("src", "tests") for path in (root / folder).rglob("*") if path.suffix in (".c", ".h")
    }
    words = set(re.findall(r"\w+", "".join(path.read_text() for path in sources)))
    files = [name for name in names if re.search(r"[/.]", name)]
    assert len(files) > 8 and len(names) > 40
    missing = [name for name in names - set(files) if name not in words]
    missing += [name for name in files if not ((root / name).exists() or (root / "tests/theory" / name).exists())]
    assert sorted(missing) == []


def rows_of(page):
    """Of its tables: where they stand, their number, and their text."""
    parts = re.split(r"^## (.+)$", page, flags=re.MULTILINE)
    return [
        (title, int(number), row)
        for title, part in zip(parts[1::2], parts[2::2], strict=True)
        for number, row in re.findall(r"^\| (\d+) \| (.+)$", part, re.MULTILINE)
    ]


def missing_tests(root, row):
    """Files and tests that a row names, and that are not there; its text, if it names none."""
    found = re.findall(r"\[([^\]]+)\]\(\.\./([^)]+)\) (`\w+`(?:, `\w+`)*)", row)
    missing = [] if found else [row]
    for name, path, tests in found:
        text = (root / path).read_text() if (root / path).is_file() else ""
        for test in re.findall(r"\w+", tests):
            definition = rf"^(def {test}\(|(static )?(int|void) {test}\()"
            if not re.search(definition, text, re.MULTILINE) or not path.endswith(f"/{name}"):
                missing.append(f"{path}: {test}")
    return missing


def test_tests_against_bugs_of_others_exist(root):
    rows = rows_of((root / "docs/peers-bugs.md").read_text())
    assert [number for _, number, _ in rows] == [*range(1, 39), *range(1, 13)]
    assert [missing for _, _, row in rows for missing in missing_tests(root, row)] == []


def test_a_test_that_is_missing_is_noticed(root):
    here = "[test_documentation.py](../tests/rules/test_documentation.py)"
    (row,) = rows_of(f"## Bugs\n\n| no. |\n| --- |\n| 7 | A bug | {here} `missing_tests`, `PAPER`, `nothing` |\n")
    assert row[:2] == ("Bugs", 7)
    assert missing_tests(root, row[2]) == [
        f"tests/rules/test_documentation.py: {name}" for name in ("PAPER", "nothing")
    ]
    assert missing_tests(root, "A bug | [x.c](../tests/x.c) `f` |") == ["tests/x.c: f"]
    assert missing_tests(root, "A bug | no test |") == ["A bug | no test |"]


def code_block(root, language, containing):
    blocks = re.findall(rf"^```{language}\n(.*?)^```", (root / "README.md").read_text(), re.MULTILINE | re.DOTALL)
    (block,) = [block for block in blocks if containing in block]
    return block


PROGRAM = """#include <stdio.h>
#include "mixboost/mixboost.h"
enum {{ n_rows = 200, n_features = 3 }};
static double x[n_rows][n_features], y[n_rows], out[n_rows];
int main(void) {{
    for (int i = 0; i < n_rows; i++) {{
        for (int j = 0; j < n_features; j++) {{
            x[i][j] = (i * 31 + j * 17) % 97;
        }}
        y[i] = x[i][0] > 40;
    }}
{snippet}
    mxb_model_free(model);
    mxb_params_free(params);
    mxb_dataset_free(data);
    return out[0] < 0.5 && x[0][0] <= 40 ? 0 : 1;
}}
"""


@pytest.mark.parametrize("compiler", find_compilers())
def test_the_c_lines_of_the_readme_work(root, build, tmp_path, compiler):
    snippet = code_block(root, "c", "mxb_train")
    assert len(snippet.splitlines()) == 10
    (tmp_path / "snippet.c").write_text(PROGRAM.format(snippet=snippet))
    command = [compiler, "-std=c11", "-Wall", "-Werror", f"-I{root}/include", "snippet.c", build / "libmixboost.a"]
    subprocess.run([*command, "-lm", "-pthread", "-o", "snippet"], cwd=tmp_path, check=True)
    subprocess.run([tmp_path / "snippet"], cwd=tmp_path, check=True)
    assert (tmp_path / "model.mxb").stat().st_size > 0


def test_the_shell_lines_of_the_readme_work(root, program, tmp_path):
    lines = code_block(root, "sh", "mixboost train").splitlines()
    assert len(lines) == 5
    rows = "".join(f"{i % 13},{i % 7},{i % 13 + 0.5 * (i % 7)}\n" for i in range(300))
    for name in ("train.csv", "test.csv"):
        (tmp_path / name).write_text("a,b,y\n" + rows)
    env = dict(os.environ, PATH=f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    for line in lines:
        line = line.replace("--configs 64", "--configs 8")
        subprocess.run(line.split(), cwd=tmp_path, env=env, check=True, capture_output=True)
    assert len((tmp_path / "predictions.csv").read_text().splitlines()) in (300, 301)


@pytest.mark.parametrize("page, example", [("own-learners", "own_learner"), ("own-losses", "own_loss")])
def test_the_c_lines_of_a_page_are_those_of_its_example(root, page, example):
    blocks = re.findall(r"^```c\n(.*?)^```", (root / f"docs/{page}.md").read_text(), re.MULTILINE | re.DOTALL)
    code = (root / f"examples/{example}.c").read_text()
    assert len(blocks) > 2 and [block for block in blocks if block not in code] == []
