"""docs/model-format.md, held against the golden files and today's program by a reader that was written from it."""

import csv
import math
import re
import struct
import subprocess

import pytest
from model_reader import crc64, raw_score, read_model

FEATURES = 4


@pytest.fixture(scope="module")
def golden(root):
    return root / "tests" / "golden"


@pytest.fixture(scope="module")
def rows(golden):
    """The features of the golden rows: numbers, the last one bytes, None where missing."""
    with open(golden / "rows.csv", encoding="utf-8", newline="") as file:
        _, *lines = csv.reader(file)
    return [[float(x) if x else None for x in line[: FEATURES - 1]] + [line[FEATURES - 1].encode()] for line in lines]


@pytest.fixture(scope="module")
def raw(golden):
    """The raw predictions of each golden model."""
    with open(golden / "raw.csv", encoding="utf-8", newline="") as file:
        names, *lines = csv.reader(file)
    return {name: [float(line[k]) for line in lines] for k, name in enumerate(names)}


def line_value(data, row):
    """The learner of the golden model `own`."""
    slope, intercept = struct.unpack("<dd", data)
    return intercept if math.isnan(row[0]) else slope * row[0] + intercept


LEARNERS = {b"line": line_value}
NAMES = ["trees", "symmetric", "exact", "rank", "standard", "none", "logloss", "words", "members", "own"]


def test_the_checksum():
    assert crc64(b"123456789") == 0x995DC9BBDF1939FA


@pytest.mark.parametrize("name", NAMES)
def test_the_golden_predictions_to_the_last_bit(golden, rows, raw, name):
    model = read_model((golden / f"{name}.mxb").read_bytes())
    assert [raw_score(model, row, LEARNERS) for row in rows] == raw[name]


def test_the_golden_models_have_one_of_everything(golden):
    models = [read_model((golden / f"{name}.mxb").read_bytes()) for name in NAMES]
    terms = [term for model in models for term in model["terms"]]
    splits = [node for term in terms for node in term.get("nodes", []) + term.get("levels", []) if "share" in node]
    assert {term["kind"] for term in terms} == {1, 2, 3, 4}
    assert {split["missing_left"] for split in splits} == {False, True}
    assert {split["feature"] for split in splits} == set(range(FEATURES))
    assert {model["loss"] for model in models} == {1, 2, 3}
    assert {type(label) for model in models for label in model.get("labels", [])} == {float, bytes}
    assert {model["scaling"]["kind"] for model in models if model["projections"]} == {0, 1, 2}
    assert {model["n_members"] for model in models} == {1, 3}
    assert {model["features"][0]["name"] for model in models} == {None, b"height"}
    assert {model["curve"]["stopped_early"] for model in models} == {False, True}
    assert {len(model["projections"]) > 1 for model in models} == {False, True}
    assert any(math.isinf(split["threshold"]) for split in splits)


def test_the_example_of_the_page(root, golden):
    page = (root / "docs" / "model-format.md").read_text()
    (block,) = re.findall(r"^## An example\n.*?^```\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    lines = [re.fullmatch(r" *(\d+)  ((?:[0-9a-f]{2} )*[0-9a-f]{2})  .*", line) for line in block.splitlines()]
    data = b""
    for line in lines:
        assert int(line[1]) == len(data)
        data += bytes.fromhex(line[2])
    assert data == (golden / "example.mxb").read_bytes()
    model = read_model(data)
    assert [raw_score(model, [x]) for x in (1.5, None, 1.6)] == [-1.5, -1.5, 3.5]
    assert "1.5 for x up to 1.5 or missing, else 3.5" in page


@pytest.mark.parametrize("options", [[], ["--n_members", "2"], ["--preset", "paper"]])
def test_what_the_program_writes_today(golden, rows, program, tmp_path, options):
    """The golden rows without their other labels."""
    data, path = tmp_path / "rows.csv", tmp_path / "m.mxb"
    lines = (golden / "rows.csv").read_text(encoding="utf-8").splitlines()
    data.write_text("\n".join(line.rsplit(",", 2)[0] for line in lines), encoding="utf-8")
    command = [program, "train", data, "--label", "number", "--weight", "weight", "--model", path, "--num_round", "20"]
    subprocess.run([*command, *options, "--quiet"], check=True)
    told = subprocess.run([program, "predict", path, data, "--raw"], check=True, capture_output=True, text=True)
    model = read_model(path.read_bytes())
    assert [raw_score(model, row) for row in rows] == [float(line) for line in told.stdout.splitlines()[1:]]
