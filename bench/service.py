"""The example HTTP service under load, on this machine: how long requests take.

    ./dev bench service [--requests N]

Starts examples/serve.py with a model of 100 trees of depth 6 and 28 features, and sends it requests through connections
that stay open (http_load.c), the next one when the answer is there. Prints a Markdown table.
"""

from __future__ import annotations

import argparse
import itertools
import json
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from datasets import make_data
from machine import processor
from mixboost import Predictor
from python_package import DEPTH, ROUNDS, make_mixboost, print_table

ROOT = Path(__file__).resolve().parent.parent
CLIENT = ROOT / "build" / "release" / "bench" / "http_load"
FEATURES = 28
CONNECTIONS, ROWS = [1, 8, 32], [1, 32]
FIGURES = {"requests_a_second": "requests a second", "p50_us": "p50, µs", "p99_us": "p99, µs"}


def make_model(path: Path) -> list[list[float]]:
    """Trains and saves the model; gives rows to ask about."""
    x, y = make_data(20_000, FEATURES)
    make_mixboost(ROUNDS, threads=2).fit(x, y).save(path)
    rows: list[list[float]] = x[: max(ROWS)].round(4).tolist()
    return rows


@contextmanager
def running_service(model: Path) -> Iterator[int]:
    """The port of a service that ends with the block."""
    command = [sys.executable, str(ROOT / "examples" / "serve.py"), str(model), "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as service:
        assert service.stdout
        try:
            yield int(service.stdout.readline().rpartition(":")[2])
        finally:
            service.terminate()


def check_answers(port: int, model: Path, rows: list[list[float]]) -> None:
    url = f"http://127.0.0.1:{port}/predict"
    with urllib.request.urlopen(url, json.dumps(rows).encode()) as response:
        assert json.load(response) == Predictor.load(model)(rows).tolist()


def load(port: int, rows: list[list[float]], connections: int, requests: int) -> dict[str, float]:
    body = json.dumps(rows[0] if len(rows) == 1 else rows)
    command = [str(CLIENT), str(port), "/predict", body, str(connections), str(requests // connections)]
    figures: dict[str, float] = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    return figures


def rows_of_the_table(requests: int) -> Iterator[list[str]]:
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder) / "model.mxb"
        rows = make_model(model)
        with running_service(model) as port:
            check_answers(port, model, rows)
            for n_rows, connections in itertools.product(ROWS, CONNECTIONS):
                found = load(port, rows[:n_rows], connections, requests)
                yield [str(connections), str(n_rows), *(f"{found[name]:.0f}" for name in FIGURES)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], prog="./dev bench service")
    parser.add_argument("--requests", type=int, default=20_000, help="of each kind, all connections together")
    arguments = parser.parse_args()
    print(f"{processor()}; Python {sys.version.split()[0]}")
    title = f"examples/serve.py, a model of {ROUNDS} trees of depth {DEPTH} and {FEATURES} features:"
    header = ["connections", "rows a request", *FIGURES.values()]
    print_table(title, header, list(rows_of_the_table(arguments.requests)))


if __name__ == "__main__":
    main()
