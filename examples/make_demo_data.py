"""Makes the data of `./dev demo`: train.csv and test.csv in the given folder.

The target is a smooth function of six features plus steps in two of them plus noise of standard deviation 0.3, so that
neither trees nor smooth functions alone can follow it well. Python's standard library only; always the same rows.
"""

import csv
import math
import pathlib
import random
import sys


def make_row(rng):
    x = [rng.gauss(0, 1) for _ in range(8)]
    smooth = 3 * math.sin(0.5 * (x[0] + x[1] - x[2] + x[3])) + 2 * math.cos(0.7 * (x[2] + x[4] - x[5]))
    steps = (1.5 if x[6] > 0.3 else 0.0) - (1.0 if x[7] < -0.5 and x[6] < 0.8 else 0.0)
    return x, smooth + steps + rng.gauss(0, 0.3)


def write_rows(path, n_rows, rng):
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([f"x{i}" for i in range(8)] + ["y"])
        for _ in range(n_rows):
            x, y = make_row(rng)
            writer.writerow([f"{value:.6f}" for value in [*x, y]])


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    folder.mkdir(parents=True, exist_ok=True)
    rng = random.Random(1)
    write_rows(folder / "train.csv", 20_000, rng)
    write_rows(folder / "test.csv", 5_000, rng)
    print(f"Wrote 20000 rows to {folder}/train.csv and 5000 to {folder}/test.csv.")


if __name__ == "__main__":
    main()
