"""The golden models: none goes, none changes, and the reader that was written from docs/model-format.md and the program
predict from each what was predicted when it was added."""

import hashlib
import math
import re
import struct
import subprocess

import pytest
from contents import CONTENTS
from model_reader import crc64, raw_score, read_model

from golden.golden_files import FEATURES, FOLDER, SUMS, bits, models, path_of, predictions, rows, sums


def line_value(data, row):
    """The learner of the model `own`."""
    slope, intercept = struct.unpack("<dd", data)
    return intercept if math.isnan(row[0]) else slope * row[0] + intercept


LEARNERS = {b"line": line_value}


@pytest.fixture(scope="module")
def read():
    return {name: read_model(path_of(name).read_bytes()) for name in models()}


# ---- The folder only grows ----


def git(root, *arguments):
    answer = subprocess.run(["git", "-C", root, *arguments], capture_output=True, text=True)
    return answer.stdout if answer.returncode == 0 else ""


def removed_lines(patch):
    return re.findall(r"^-(?!--).*", patch, re.MULTILINE)


def test_the_list_and_the_folder_agree():
    data = {path.name for path in FOLDER.iterdir() if path.suffix in (".mxb", ".csv")}
    assert data == set(sums())
    found = {name: hashlib.sha256((FOLDER / name).read_bytes()).hexdigest() for name in sums()}
    assert found == sums()


def test_no_line_ever_left_the_list(root):
    """As far as there is a history to look at."""
    for command in (["log", "--format=", "--patch"], ["diff", "HEAD"]):
        assert removed_lines(git(root, *command, "--", SUMS)) == []


def test_lines_that_leave_are_noticed():
    patch = "--- a/SHA256SUMS\n+++ b/SHA256SUMS\n@@ -1,2 +1,2 @@\n f00  a.mxb\n-d00  b.mxb\n+e00  b.mxb\n"
    assert removed_lines(patch) == ["-d00  b.mxb"]


def test_every_model_says_what_it_predicts():
    assert len(models()) >= 21
    assert [name for name in models() if predictions(name) is None] == ["own_stranger"]


# ---- Contents ----


@pytest.mark.parametrize("content", CONTENTS)
def test_some_model_has(read, content):
    assert [name for name, model in read.items() if CONTENTS[content](model)] != []


@pytest.mark.parametrize("model", [name for name in models() if predictions(name)])
def test_the_reader_predicts_the_same_bits(read, model):
    n_features = len(read[model]["features"])
    table = [[x.encode() if isinstance(x, str) else x for x in row[:n_features]] for row in rows()]
    assert bits([raw_score(read[model], row, LEARNERS) for row in table]) == predictions(model)[0]


# ---- The program ----


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    """The rows as files without a header, of so many features."""
    folder, found = tmp_path_factory.mktemp("rows"), {}
    for n in range(1, FEATURES + 1):
        lines = [",".join("" if x is None else str(x) for x in row[:n]) for row in rows()]
        found[n] = folder / f"{n}.csv"
        found[n].write_text("\n".join(lines) + "\n", encoding="utf-8")
    return found


def run(program, *arguments):
    command = [program, *map(str, arguments), "--header", "no"]
    return subprocess.run(command, capture_output=True, text=True)


def predicted(program, path, table, *options):
    told = run(program, "predict", path, table, *options)
    assert told.returncode == 0, told.stderr
    return bits([float(line) for line in told.stdout.splitlines()[1:]])


def outputs(model):
    return ["--raw", "--proba"] if model["loss"] == 2 else ["--raw"]


def has_strangers(model):
    return any(term["kind"] == 3 for term in model["terms"])


@pytest.mark.parametrize("name", models())
def test_the_program_predicts_the_same_bits(program, read, tables, name):
    model, table = read[name], tables[len(read[name]["features"])]
    if has_strangers(model):
        told = run(program, "predict", path_of(name), table, "--raw")
        assert told.returncode == 2 and ", which is not here; load it by mxb_model_load_with" in told.stderr
    else:
        found = [predicted(program, path_of(name), table, option) for option in outputs(model)]
        assert found == list(predictions(name)[: len(found)])


# ---- Files of newer versions ----


def with_version(data, version):
    header = data[:8] + struct.pack("<I", version) + data[12:]
    return with_checksum(header)


def with_checksum(data):
    n_header = 32 + 32 * struct.unpack("<I", data[12:16])[0]
    return data[: n_header - 8] + struct.pack("<Q", crc64(data[: n_header - 8])) + data[n_header:]


NEW_SECTION = 8


def with_section(data, flags):
    """A section that this version does not know, of three bytes."""
    n_sections, length = struct.unpack("<IQ", data[12:24])
    table_end, content = 24 + 32 * n_sections, b"new"
    table = b""
    for i in range(24, table_end, 32):
        section, section_flags, offset, n_bytes, checksum = struct.unpack("<IIQQQ", data[i : i + 32])
        table += struct.pack("<IIQQQ", section, section_flags, offset + 32, n_bytes, checksum)
    table += struct.pack("<IIQQQ", NEW_SECTION, flags, length + 32, len(content), crc64(content))
    start = data[:12] + struct.pack("<IQ", n_sections + 1, length + 32 + len(content))
    return with_checksum(start + table + bytes(8) + data[table_end + 8 :] + content)


NEWER = {
    "another version": (
        lambda data: with_version(data, 2),
        "was written by a newer mixboost (format 2; this one reads up to 1)",
    ),
    "a section that is needed": (lambda data: with_section(data, 0), "needs a newer mixboost: section 8 is unknown"),
}


@pytest.mark.parametrize("newer", NEWER)
@pytest.mark.parametrize("name", models())
def test_a_file_of_a_newer_version_is_refused(program, tables, tmp_path, name, newer):
    edit, sentence = NEWER[newer]
    path = tmp_path / "m.mxb"
    path.write_bytes(edit(path_of(name).read_bytes()))
    told = run(program, "predict", path, tables[1])
    assert (told.returncode, told.stderr) == (1, f'mixboost: "{path}" {sentence}\n')


@pytest.mark.parametrize("name", models())
def test_a_section_that_can_be_done_without_is_skipped(program, read, tables, tmp_path, name):
    path, model = tmp_path / "m.mxb", read[name]
    path.write_bytes(with_section(path_of(name).read_bytes(), 1))
    assert repr(read_model(path.read_bytes())) == repr(model)
    if not has_strangers(model):
        assert predicted(program, path, tables[len(model["features"])], "--raw") == predictions(name)[0]
