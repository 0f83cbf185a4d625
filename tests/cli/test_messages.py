"""Bad input gets a sentence: which file, row and column or which option, the value, and what is allowed. Every one is
tested here letter by letter, with its exit code."""

import pytest
from samples import make_rows, predictions, train, write_csv

GOOD = "a,b,y\n1,2,3\n4,5,6\n7,8,9\n1,5,2\n"
TRAIN = "train d.csv --label y --model m.mxb"
LOGLOSS = f"{TRAIN} --objective logloss"

# What is typed, the text of d.csv, the exit code and the sentence. {size}, {less} and {more} stand for the bytes of
# good.mxb, one less and one more.
CASES = {
    "data: no such file": (
        "train none.csv --label y --model m.mxb",
        GOOD,
        1,
        'cannot read "none.csv": No such file or directory',
    ),
    "data: a folder": ("train . --label y --model m.mxb", GOOD, 1, 'cannot read ".": Is a directory'),
    "data: empty": (TRAIN, "", 1, "d.csv is empty"),
    "data: only blank lines": (TRAIN, "\n\n", 1, "d.csv is empty"),
    "data: header and no rows": (TRAIN, "a,y\n", 1, "d.csv has a header and no rows"),
    "data: only the label": (TRAIN, "y\n1\n2\n", 1, "d.csv has no feature columns: all are label or weight"),
    "data: only label and weight": (
        f"{TRAIN} --weight w",
        "y,w\n1,1\n2,1\n",
        1,
        "d.csv has no feature columns: all are label or weight",
    ),
    "data: short line": (TRAIN, "a,b,y\n1,2,3\n4,5\n", 1, "d.csv: line 3 has 2 fields, the first line has 3"),
    "data: long line": (TRAIN, "a,b,y\n1,2,3\n4,5,6,7\n", 1, "d.csv: line 3 has 4 fields, the first line has 3"),
    "data: text with a zero byte": (
        TRAIN,
        "a,b,y\n1,2,3\n4,fi\0ve,6\n",
        1,
        'd.csv: line 3, column "b": the text has a zero byte in it',
    ),
    "weight: text": (
        f"{TRAIN} --weight b",
        "a,b,y\n1,2,3\n4,five,6\n",
        1,
        'd.csv: line 3, column "b": "five" is not a number',
    ),
    "weight: text with control characters": (
        f"{TRAIN} --weight b",
        'a,b,y\n1,2,3\n4,"\x1b[2J\n",6\n',
        1,
        'd.csv: line 3, column "b": "\\x1b[2J\\x0a" is not a number',
    ),
    "weight: text without header": (
        "train d.csv --label 3 --model m.mxb --header no --weight 2",
        "1,2,3\n4,five,6\n",
        1,
        'd.csv: line 2, column 2: "five" is not a number',
    ),
    "data: quote never ends": (
        TRAIN,
        'a,b,y\n1,2,3\n4,"5,6\n',
        1,
        "d.csv: line 3, column 2: the quoted field never ends",
    ),
    "data: text after a quote": (
        TRAIN,
        'a,b,y\n1,2,3\n4,"5"x,6\n',
        1,
        "d.csv: line 3, column 2: text follows the closing quote",
    ),
    "data: same name twice": (TRAIN, "a,a,y\n1,2,3\n", 1, 'd.csv: columns 1 and 2 have the same name "a"'),
    "data: UTF-16": (TRAIN, "\udcff\udcfea\0,\0y\0", 1, "d.csv is UTF-16 text; it must be UTF-8"),
    "standard input: empty": ("train - --label y --model m.mxb", "", 1, "standard input is empty"),
    "label: no such column": (
        "train d.csv --label z --model m.mxb",
        GOOD,
        1,
        'd.csv has no column "z"; its columns are a, b, y',
    ),
    "label: no such number": (
        "train d.csv --label 4 --model m.mxb",
        GOOD,
        1,
        'd.csv has no column "4"; its columns are a, b, y',
    ),
    "label: number 0": (
        "train d.csv --label 0 --model m.mxb",
        GOOD,
        1,
        'd.csv has no column "0"; its columns are a, b, y',
    ),
    "label: name without header": (
        TRAIN,
        "1,2,3\n4,5,6\n",
        1,
        'd.csv has no column "y"; it has no header, so its columns are known as 1 to 3',
    ),
    "label: missing value": (TRAIN, "a,y\n1,2\n2,\n", 1, 'd.csv: row 2 has no label (column "y")'),
    "label: NaN": (TRAIN, "a,y\n1,2\n2,nan\n", 1, 'd.csv: row 2 has no label (column "y")'),
    "label: infinite": (
        TRAIN,
        "a,y\n1,2\n2,-inf\n",
        1,
        'd.csv: row 2, column "y": the label is -inf; it must be finite',
    ),
    "label: text": (
        TRAIN,
        "a,y\n1,7\n2,no\n",
        1,
        'the label of row 2 of the training data is the text "no"; labels must be numbers',
    ),
    "label: three texts": (
        LOGLOSS,
        "a,y\n1,yes\n2,no\n3,\x1b[2J\n",
        1,
        "the labels of the training data have more than two values "
        '("yes", "no", "\\x1b[2J", ...); logloss needs exactly two',
    ),
    "label: one text": (
        LOGLOSS,
        "a,y\n1,yes\n2,yes\n",
        1,
        'all labels of the training data are "yes"; logloss needs two different values',
    ),
    "label: missing text": (LOGLOSS, "a,y\n1,yes\n2,no\n3,NA\n", 1, 'd.csv: row 3 has no label (column "y")'),
    "label: three classes": (
        LOGLOSS,
        "a,y\n1,0\n2,1\n3,2\n",
        1,
        "the labels of the training data have more than two values (0, 1, 2, ...); logloss needs exactly two",
    ),
    "label: one class": (
        LOGLOSS,
        "a,y\n1,5\n2,5\n",
        1,
        "all labels of the training data are 5; logloss needs two different values",
    ),
    "weight: no such column": (f"{TRAIN} --weight w", GOOD, 1, 'd.csv has no column "w"; its columns are a, b, y'),
    "weight: is the label": (f"{TRAIN} --weight y", GOOD, 2, 'label and weight are the same column "y" of d.csv'),
    "weight: missing value": (
        f"{TRAIN} --weight w",
        "a,w,y\n1,1,2\n2,NA,3\n",
        1,
        'd.csv: row 2 has no weight (column "w")',
    ),
    "weight: infinite": (
        f"{TRAIN} --weight w",
        "a,w,y\n1,1,2\n2,inf,3\n",
        1,
        'd.csv: row 2, column "w": the weight is inf; it must be finite and not negative',
    ),
    "weight: negative": (
        f"{TRAIN} --weight w",
        "a,w,y\n1,1,2\n2,-0.5,3\n",
        1,
        'd.csv: row 2, column "w": the weight is -0.5; it must be finite and not negative',
    ),
    "weight: all zero": (
        f"{TRAIN} --weight w",
        "a,w,y\n1,0,2\n2,0,3\n",
        1,
        "all weights of the training data are zero; at least one row must count",
    ),
    "option: not a number": (
        f"{TRAIN} --learning_rate fast",
        GOOD,
        2,
        'learning_rate is "fast"; it must be over 0, up to 1, or auto',
    ),
    "option: too small": (
        f"{TRAIN} --learning_rate 0",
        GOOD,
        2,
        'learning_rate is "0"; it must be over 0, up to 1, or auto',
    ),
    "option: too large": (
        f"{TRAIN} --hist_nbins 257",
        GOOD,
        2,
        'hist_nbins is "257"; it must be a whole number, 2 to 256',
    ),
    "option: not whole": (
        f"{TRAIN} --num_round 2.5",
        GOOD,
        2,
        'num_round is "2.5"; it must be a whole number, 1 to 1000000, or auto',
    ),
    "option: no such choice": (f"{TRAIN} --objective mae", GOOD, 2, 'objective is "mae"; it must be mse | logloss'),
    "option: no such boolean": (f"{TRAIN} --fit_intercept 1", GOOD, 2, 'fit_intercept is "1"; it must be true | false'),
    "option: no value": (f"{TRAIN} --gamma=", GOOD, 2, 'gamma is ""; it must be over 0, up to 1e70, or auto'),
    "option: depths the wrong way round": (
        f"{TRAIN} --min_max_depth 5 --max_max_depth 3",
        GOOD,
        2,
        "min_max_depth is 5 and max_max_depth 3; the first must not be larger",
    ),
    "option: threads of predict": (
        "predict good.mxb d.csv --n_threads -1",
        GOOD,
        2,
        'n_threads is "-1"; it must be a whole number, 0 to 4096',
    ),
    "valid: no such file": (f"{TRAIN} --valid none.csv", GOOD, 1, 'cannot read "none.csv": No such file or directory'),
    "valid: column missing": (f"{TRAIN} --valid two.csv", GOOD, 1, 'two.csv has no column "b"; its columns are a, y'),
    "valid: label missing": (
        f"{TRAIN} --valid v.csv",
        "a,y\n1,2\n3,4\n",
        1,
        'v.csv has no column "y"; its columns are a, z',
    ),
    "valid: other classes": (
        f"{LOGLOSS} --valid two.csv",
        "a,y\n1,3\n2,4\n3,3\n",
        1,
        "the label of row 1 of the validation data is 0; the training labels are 3 and 4",
    ),
    "valid-fraction: one row": (
        f"{TRAIN} --valid-fraction 0.5",
        "a,y\n1,2\n",
        1,
        "a dataset of one row cannot be split",
    ),
    "predict: no such model": ("predict none.mxb d.csv", GOOD, 1, 'cannot read "none.mxb": No such file or directory'),
    "predict: no such data": (
        "predict good.mxb none.csv",
        GOOD,
        1,
        'cannot read "none.csv": No such file or directory',
    ),
    "predict: column missing": (
        "predict good.mxb d.csv",
        "a,c,y\n1,2,3\n",
        1,
        'd.csv has no column "b"; its columns are a, c, y',
    ),
    "predict: too few columns": ("predict good.mxb d.csv", "1\n2\n", 1, "d.csv has 1 feature column; 2 are needed"),
    "predict: too many columns": (
        "predict good.mxb d.csv",
        "1,2,3\n4,5,6\n",
        1,
        "d.csv has 3 feature columns; 2 are needed",
    ),
    "predict: text": (
        "predict good.mxb d.csv",
        "a,b\n1,2\n3,four\n",
        1,
        'feature "b" of the dataset holds text ("four" in row 2), that of the model holds numbers',
    ),
    "predict: probability of a number": (
        "predict good.mxb d.csv --proba",
        GOOD,
        2,
        "probabilities need a model of objective logloss; this one is of objective mse",
    ),
    "model: a folder": ("show .", GOOD, 1, 'cannot read ".": Is a directory'),
    "model: empty": ("show empty.mxb", GOOD, 1, '"empty.mxb" is not a mixboost model'),
    "model: data": ("show d.csv", GOOD, 1, '"d.csv" is not a mixboost model'),
    "model: truncated": ("show short.mxb", GOOD, 1, '"short.mxb" is truncated: {less} bytes of {size}'),
    "model: truncated in the header": (
        "show very_short.mxb",
        GOOD,
        1,
        '"very_short.mxb" is truncated: 20 bytes of a header of 32',
    ),
    "model: longer": ("show long.mxb", GOOD, 1, '"long.mxb" is damaged: {more} bytes where {size} belong'),
    "model: a byte changed": ("show changed.mxb", GOOD, 1, '"changed.mxb" is damaged: checksum of section curve'),
    "model: newer": (
        "show newer.mxb",
        GOOD,
        1,
        '"newer.mxb" was written by a newer mixboost (format 2; this one reads up to 1)',
    ),
}


@pytest.fixture
def files(run, tmp_path):
    """The files that the cases name, but for d.csv."""
    (tmp_path / "d.csv").write_text(GOOD)
    good = train(run, tmp_path / "d.csv", tmp_path / "good.mxb").read_bytes()
    newer = bytearray(good)
    newer[8] += 1
    changed = bytearray(good)
    changed[-20] ^= 1
    models = {"empty": b"", "short": good[:-1], "very_short": good[:20], "long": good + b"x"}
    for name, content in {**models, "newer": newer, "changed": changed}.items():
        (tmp_path / f"{name}.mxb").write_bytes(content)
    (tmp_path / "v.csv").write_text("a,z\n1,2\n")
    (tmp_path / "two.csv").write_text("a,y\n1,0\n2,1\n3,0\n4,1\n")
    return {"size": len(good), "less": len(good) - 1, "more": len(good) + 1}


@pytest.mark.parametrize(("typed", "data", "code", "sentence"), CASES.values(), ids=CASES)
def test_sentence(run, files, tmp_path, typed, data, code, sentence):
    (tmp_path / "d.csv").write_bytes(data.encode("utf-8", "surrogateescape"))
    before = sorted(tmp_path.iterdir())
    done = run(*typed.split())
    expected = sentence.replace("{size}", str(files["size"]))
    expected = expected.replace("{less}", str(files["less"])).replace("{more}", str(files["more"]))
    assert (done.returncode, done.stdout, done.stderr) == (code, "", f"mixboost: {expected}\n")
    assert sorted(tmp_path.iterdir()) == before


SEARCH = ["tune", "numbers.csv", "--label", "y", "--model", "m.mxb", "--configs", 4, "--min-resource", 1]

# What reads a file, and the kind of file that it reads.
READERS = {
    "train": ("csv", ["train", "{}", "--label", "y", "--model", "m.mxb"]),
    "valid": ("csv", ["train", "numbers.csv", "--label", "y", "--model", "m.mxb", "--valid", "{}"]),
    "cv": ("csv", ["cv", "{}", "--label", "y"]),
    "rows to predict": ("csv", ["predict", "numbers.mxb", "{}"]),
    "predict": ("mxb", ["predict", "{}", "numbers.csv"]),
    "show": ("mxb", ["show", "{}"]),
    "from": ("mxb", ["train", "numbers.csv", "--label", "y", "--model", "m.mxb", "--from", "{}", "--num_round", 30]),
    "space": ("space", [*SEARCH, "--space", "{}"]),
    "journal": ("mxj", [*SEARCH, "--journal", "{}", "--resume"]),
}


@pytest.mark.parametrize(("reads", "words"), READERS.values(), ids=READERS)
def test_every_kind_of_file_as_every_other(run, numbers_csv, numbers_model, tmp_path, reads, words):
    """Exactly one line, which names the file, whatever its bytes happen to say as another kind."""
    (tmp_path / "numbers.space").write_text("alpha 1 2 linear\n")
    searched = run(*SEARCH, "--num_round", 2, "--journal", "numbers.mxj", "--quiet")
    assert (searched.returncode, searched.stderr) == (0, "")
    (tmp_path / "m.mxb").unlink()
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    kinds = {"csv", "mxb", "space", "mxj"}
    for kind in sorted(kinds - {reads}):
        done = run(*[str(word).format(f"numbers.{kind}") for word in words])
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr.startswith("mixboost: ")
        assert done.stderr.count("\n") == 1
        assert f"numbers.{kind}" in done.stderr
        assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_extra_text_columns_do_no_harm(run, numbers_csv, numbers_model, tmp_path):
    """A column of text matters only to those who need it."""
    write_csv(tmp_path / "x.csv", ["a", "note", "b", "c"], [[a, "te\0xt", b, c] for a, b, c, _ in make_rows(9, seed=1)])
    done = run("predict", numbers_model, "x.csv")
    assert (done.returncode, len(predictions(done.stdout))) == (0, 9)
