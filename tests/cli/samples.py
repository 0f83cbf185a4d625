"""Small data sets, and the two commands that most tests need."""

import random


def write_csv(path, header, rows):
    lines = [] if header is None else [",".join(header)]
    lines += [",".join(str(cell) for cell in row) for row in rows]
    path.write_text("\n".join(lines) + "\n")
    return path


def make_rows(n_rows, seed, classes=False):
    """Rows a, b, c, y: y follows a and b; c is noise with a missing value here and there."""
    draw = random.Random(seed)
    rows = []
    for i in range(n_rows):
        a, b, c = draw.uniform(-2, 2), draw.gauss(0, 1), draw.gauss(0, 1)
        y = 3 * (a > 0) + b * b + 0.1 * draw.gauss(0, 1)
        rows.append([a, b, "" if i % 7 == 0 else c, int(y > 2) if classes else y])
    return rows


def train(run, data, model, *words):
    done = run("train", data, "--label", "y", "--model", model, "--num_round", 20, "--quiet", *words)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    return model


def predictions(text):
    """The numbers of a predict output, its first line left out."""
    return [float(line) for line in text.splitlines()[1:]]
