"""docs/model-format.md, held against the golden files and today's program by a reader that was written from it."""

import re
import subprocess

import pytest
from model_reader import crc64, raw_score, read_model

from golden.golden_files import rows


@pytest.fixture(scope="module")
def golden(root):
    return root / "tests" / "golden"


def test_the_checksum():
    assert crc64(b"123456789") == 0x995DC9BBDF1939FA


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
def test_what_the_program_writes_today(golden, program, tmp_path, options):
    """The golden rows without their other labels."""
    data, path = tmp_path / "rows.csv", tmp_path / "m.mxb"
    lines = (golden / "rows.csv").read_text(encoding="utf-8").splitlines()
    data.write_text("\n".join(line.rsplit(",", 2)[0] for line in lines), encoding="utf-8")
    command = [program, "train", data, "--label", "number", "--weight", "weight", "--model", path, "--num_round", "20"]
    subprocess.run([*command, *options, "--quiet"], check=True)
    told = subprocess.run([program, "predict", path, data, "--raw"], check=True, capture_output=True, text=True)
    model = read_model(path.read_bytes())
    table = [[x.encode() if isinstance(x, str) else x for x in row] for row in rows()]
    assert [raw_score(model, row) for row in table] == [float(line) for line in told.stdout.splitlines()[1:]]
