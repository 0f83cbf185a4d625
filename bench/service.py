"""The example HTTP service under load, on this machine: how long requests take.

    ./dev bench service [--requests N]

Starts examples/serve.py with a model of 100 trees of depth 6 and 28 features, and sends it requests through connections
that stay open (http_load.c), the next one when the answer is there. Writes a page into bench/results and prints it.
"""

from __future__ import annotations

import argparse
import itertools
import json
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from datasets import load, make_files
from machine import describe, machine_name
from mixboost import Predictor
from models import Wanted, train_apart
from places import RELEASE, RESULTS, ROOT
from serving_cases import TRAINED_ON
from tables import table

CLIENT = RELEASE / "bench" / "http_load"
MODEL = Wanted("mixboost", rounds=100, depth=6)
CONNECTIONS, ROWS = [1, 8, 32], [1, 32]
FIGURES = {"requests_a_second": "requests a second", "p50_us": "p50, µs", "p99_us": "p99, µs"}


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


def send(port: int, rows: list[list[float]], connections: int, requests: int) -> dict[str, float]:
    body = json.dumps(rows[0] if len(rows) == 1 else rows)
    command = [str(CLIENT), str(port), "/predict", body, str(connections), str(max(1, requests // connections))]
    figures: dict[str, float] = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    return figures


def rows_of_the_table(requests: int) -> Iterator[list[str]]:
    error = train_apart(MODEL)
    if error is not None:
        sys.exit(error)
    x, _ = load(make_files(TRAINED_ON), "test")
    rows: list[list[float]] = x[: max(ROWS)].round(4).tolist()
    with running_service(MODEL.path()) as port:
        check_answers(port, MODEL.path(), rows)
        for n_rows, connections in itertools.product(ROWS, CONNECTIONS):
            found = send(port, rows[:n_rows], connections, requests)
            yield [str(connections), str(n_rows), *(f"{found[name]:.0f}" for name in FIGURES)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], prog="./dev bench service")
    parser.add_argument("--requests", type=int, default=20_000, help="of each kind, all connections together")
    arguments = parser.parse_args()
    header = ["connections", "rows a request", *FIGURES.values()]
    page = f"""# The example service under load

{describe()}; `./dev bench service --requests {arguments.requests}`, client and service on the same machine.
examples/serve.py, a model of {MODEL.rounds} trees of depth {MODEL.depth} and 28 features. Requests are JSON through
connections that stay open; a connection sends the next when the answer is there.

{table(header, list(rows_of_the_table(arguments.requests)))}
"""
    RESULTS.mkdir(parents=True, exist_ok=True)
    path = RESULTS / f"{machine_name()}-service.md"
    path.write_text(page)
    print(f"{page}\nWritten to bench/results/{path.name}.")


if __name__ == "__main__":
    main()
