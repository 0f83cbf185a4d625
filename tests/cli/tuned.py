"""What the tests of tuning share: a quick search, and what it prints."""

import re


def search(data, model, *words):
    """The command line of a search: eight configurations, of which two go on, and 15 rounds each, unless told."""
    usual = {"--configs": 8, "--num_round": 15}
    added = [word for name, value in usual.items() if name not in words for word in (name, value)]
    return ["tune", data, "--label", "y", "--model", model, *added, *words]


def tune(run, data, model, *words):
    """Runs a quick search and returns what it printed on standard output."""
    done = run(*search(data, model, *words))
    assert done.returncode == 0, done.stderr
    return done.stdout


def finalists(text):
    """The columns of the table: for each finalist its rows as a dictionary, the best first."""
    rows = [line.split() for line in text.split("\n\n")[1].splitlines()]
    assert len({len(row) for row in rows}) == 1
    return [{row[0]: row[i] for row in rows} for i in range(1, len(rows[0]))]


def options(finalist):
    """A finalist's settings as words of a command line, its rounds with them."""
    settings = {name: value for name, value in finalist.items() if name not in ("rank", "rmse", "logloss", "rounds")}
    settings["num_round"] = finalist["rounds"]
    return [word for name, value in settings.items() for word in (f"--{name}", value)]


def importances(text):
    """What mattered: the options and their percentages, in the order they are printed."""
    lines = text[text.index("what mattered") :].splitlines()[2:]
    found = [re.fullmatch(r" +(\S+) %  (\w+)", line).groups() for line in lines]
    return [(name, float(percent)) for percent, name in found]
