"""Command lines that cannot be: one exact sentence on standard error and exit code 2, before any file is touched."""

import pytest

SAYS_WHAT = "says what it takes)"
FULL = "train DATA --label y --model OUT"

# What is typed, and the sentence. DATA and MODEL are files that exist, OUT is one that does not.
MISTAKES = [
    ("trian", 'unknown command "trian"; did you mean train? (mixboost --help lists all)'),
    ("shwo x", 'unknown command "shwo"; did you mean show? (mixboost --help lists all)'),
    ("frobnicate", 'unknown command "frobnicate" (mixboost --help lists all)'),
    ("--quiet", 'unknown command "--quiet" (mixboost --help lists all)'),
    ("help predicct", 'unknown command "predicct"; did you mean predict? (mixboost --help lists all)'),
    ("train", f"train needs DATA.csv (mixboost train --help {SAYS_WHAT}"),
    ("tune", f"tune needs DATA.csv (mixboost tune --help {SAYS_WHAT}"),
    ("tune DATA --label y", f"tune needs --model OUT.mxb (mixboost tune --help {SAYS_WHAT}"),
    ("tune DATA --label y --model -", "a model cannot go to standard output; give --model the name of a file"),
    ("tune DATA --label y --model DATA", '--model "DATA" would overwrite the data'),
    ("tune - --valid - --label y --model OUT", "standard input can be DATA.csv or --valid, not both"),
    ("tune DATA --label y --model OUT --resume=1", '--resume takes no value, but is given "1"'),
    ("predict", f"predict needs MODEL (mixboost predict --help {SAYS_WHAT}"),
    ("predict MODEL", f"predict needs DATA.csv (mixboost predict --help {SAYS_WHAT}"),
    ("show", f"show needs MODEL (mixboost show --help {SAYS_WHAT}"),
    ("train DATA --model OUT", f"train needs --label COLUMN (mixboost train --help {SAYS_WHAT}"),
    ("train DATA --label y", f"train needs --model OUT.mxb (mixboost train --help {SAYS_WHAT}"),
    (f"{FULL} more.csv", f'train does not know what to do with "more.csv" (mixboost train --help {SAYS_WHAT}'),
    ("predict MODEL DATA DATA", f'predict does not know what to do with "DATA" (mixboost predict --help {SAYS_WHAT}'),
    ("show MODEL DATA", f'show does not know what to do with "DATA" (mixboost show --help {SAYS_WHAT}'),
    (
        f"{FULL} --lerning_rate 1",
        "unknown option --lerning_rate; did you mean --learning_rate? (mixboost train --help lists all)",
    ),
    (
        f"{FULL} --lerning-rate=1",
        "unknown option --lerning-rate; did you mean --learning_rate? (mixboost train --help lists all)",
    ),
    (
        f"{FULL} --valid_fractoin 0.2",
        "unknown option --valid_fractoin; did you mean --valid-fraction? (mixboost train --help lists all)",
    ),
    (f"{FULL} --hlep", "unknown option --hlep; did you mean --help? (mixboost train --help lists all)"),
    (f"{FULL} --zebra 1", "unknown option --zebra (mixboost train --help lists all)"),
    (f"{FULL} -q", "unknown option -q (mixboost train --help lists all)"),
    (f"{FULL} -label y", "unknown option -label; did you mean --label? (mixboost train --help lists all)"),
    ("predict MODEL DATA --num_round 3", "unknown option --num_round (mixboost predict --help lists all)"),
    ("predict MODEL DATA --probs", "unknown option --probs; did you mean --proba? (mixboost predict --help lists all)"),
    ("show MODEL --jsn", "unknown option --jsn; did you mean --json? (mixboost show --help lists all)"),
    (f"{FULL} --label z", "--label is given twice"),
    (f"{FULL} --gamma 1 --gamma=1", "--gamma is given twice"),
    (f"{FULL} --num_round 1 --num-round 2", "--num_round is given twice"),
    (f"{FULL} --quiet --quiet", "--quiet is given twice"),
    ("train DATA --label --model OUT", "--label needs a value: --label COLUMN"),
    (f"{FULL} --weight", "--weight needs a value: --weight COLUMN"),
    (f"{FULL} --alpha", "--alpha needs a value: --alpha VALUE"),
    (f"{FULL} --quiet=yes", '--quiet takes no value, but is given "yes"'),
    ("show MODEL --json=1", '--json takes no value, but is given "1"'),
    (f"{FULL} --valid DATA --valid-fraction 0.2", "--valid and --valid-fraction exclude each other"),
    (f"{FULL} --valid-fraction 0", '--valid-fraction must be a number over 0 and below 1, not "0"'),
    (f"{FULL} --valid-fraction=1", '--valid-fraction must be a number over 0 and below 1, not "1"'),
    (f"{FULL} --valid-fraction nan", '--valid-fraction must be a number over 0 and below 1, not "nan"'),
    (f"{FULL} --valid-fraction 0,2", '--valid-fraction must be a number over 0 and below 1, not "0,2"'),
    (f"{FULL} --valid-fraction=", '--valid-fraction must be a number over 0 and below 1, not ""'),
    (f"{FULL} --header maybe", '--header must be auto, yes or no, not "maybe"'),
    ("predict MODEL DATA --header=", '--header must be auto, yes or no, not ""'),
    ("predict MODEL DATA --proba --raw", "--proba and --raw exclude each other"),
    ("train - --valid - --label y --model OUT", "standard input can be DATA.csv or --valid, not both"),
    ("train DATA --label y --model -", "a model cannot go to standard output; give --model the name of a file"),
    ("train DATA --label y --model DATA", '--model "DATA" would overwrite the data'),
    ("train - --valid DATA --label y --model DATA", '--model "DATA" would overwrite the data'),
    ("predict MODEL DATA --out DATA", '--out "DATA" would overwrite the data'),
    ("predict MODEL DATA --out MODEL", '--out "MODEL" would overwrite the model'),
    ("predict - DATA", "a model cannot be read from standard input; name its file"),
    ("show -", "a model cannot be read from standard input; name its file"),
]


@pytest.mark.parametrize(("typed", "sentence"), MISTAKES, ids=[typed for typed, _ in MISTAKES])
def test_mistake(run, tmp_path, typed, sentence):
    (tmp_path / "DATA").write_text("x,y\n1,2\n")
    (tmp_path / "MODEL").write_text("not read")
    done = run(*typed.split())
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"mixboost: {sentence}\n")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["DATA", "MODEL"]
    assert (tmp_path / "DATA").read_text() == "x,y\n1,2\n"


def test_what_is_typed_cannot_harm_the_terminal(run):
    done = run("a\x1b[2Jb\nc\x7f")
    assert done.stderr == 'mixboost: unknown command "a\\x1b[2Jb\\x0ac\\x7f" (mixboost --help lists all)\n'
    done = run("größe")
    assert done.stderr == 'mixboost: unknown command "größe" (mixboost --help lists all)\n'


def test_a_very_long_word_is_cut(run):
    done = run("x" * 100_000)
    assert done.returncode == 2
    assert len(done.stderr) < 5000


def test_after_two_dashes_everything_is_a_file(run):
    done = run("show", "--", "--json")
    assert done.returncode == 1
    assert '"--json"' in done.stderr
