"""examples/serve.py: a service that answers every request, with the predictions of the model or with what is wrong."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from mixboost import MixBoostClassifier, MixBoostRegressor, Predictor

ROWS = [["left", 1.5, 3], ["right", None, 4], [None, -2.0, 1], ["unknown", 0.0, 0]]


@pytest.fixture(scope="module", params=[MixBoostRegressor, MixBoostClassifier])
def model(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    random = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "side": random.choice(["left", "right"], 200),
            "wave": random.normal(size=200),
            "count": random.integers(0, 9, 200),
        }
    )
    path = tmp_path_factory.mktemp("service") / "model.mxb"
    request.param(num_round=20).fit(frame, (frame["wave"] > 0) ^ (frame["side"] == "left")).save(path)
    return path


@pytest.fixture(scope="module")
def port(model: Path, root: Path) -> Iterator[int]:
    command = [sys.executable, root / "examples" / "serve.py", model, "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as service:
        assert service.stdout and service.stderr
        yield int(service.stdout.readline().rpartition(":")[2])
        service.terminate()
        assert service.stderr.read() == ""


@pytest.fixture
def connection(port: int) -> Iterator[HTTPConnection]:
    connection = HTTPConnection("127.0.0.1", port, timeout=20)
    yield connection
    connection.close()


def ask(connection: HTTPConnection, body: Any, path: str = "/predict") -> tuple[int, Any]:
    connection.request("POST", path, body if isinstance(body, bytes) else json.dumps(body))
    response = connection.getresponse()
    return response.status, json.loads(response.read())


def test_answers_are_those_of_the_predictor(model: Path, connection: HTTPConnection) -> None:
    predict = Predictor.load(model)
    connection.connect()
    first = connection.sock
    for _ in range(3):
        assert ask(connection, ROWS) == (200, predict(ROWS).tolist())
        assert [ask(connection, row) for row in ROWS] == [(200, predict(row)) for row in ROWS]
    assert connection.sock is first  # which stayed open


def test_the_model_is_described(model: Path, connection: HTTPConnection) -> None:
    connection.request("GET", "/model")
    answer = json.loads(connection.getresponse().read())
    assert (answer["n_features"], answer["feature_names"]) == (3, ["side", "wave", "count"])
    assert answer["classes"] == Predictor.load(model).classes
    connection.request("GET", "/elsewhere")
    assert connection.getresponse().status == 404


NO_JSON = [b"", b"[1, 2", b"\xff", b"[" * 100_000]
NO_ROWS: list[Any] = [None, 3, "left", {}, [], [[]], ["left", 1.0], [["left", 1.0, 2], ["left"]], [[["left", 1.0, 2]]]]
NO_CELLS: list[Any] = [[1.0, 1.0, 1.0], ["left", "left", 1.0], ["left", 10**400, 1], ["left", [1], 1], ["left", {}, 1]]


@pytest.mark.parametrize("body", NO_JSON + NO_ROWS + NO_CELLS, ids=lambda body: repr(body)[:30])
def test_what_cannot_be_predicted_is_a_bad_request_and_the_connection_stays(
    body: Any, model: Path, connection: HTTPConnection
) -> None:
    connection.connect()
    first = connection.sock
    status, answer = ask(connection, body)
    assert status == 400
    assert answer["error"]
    assert connection.sock is first
    assert ask(connection, ROWS[0]) == (200, Predictor.load(model)(ROWS[0]))


def test_requests_that_are_not_read(connection: HTTPConnection) -> None:
    assert ask(connection, ROWS, "/elsewhere")[0] == 404
    for length, status in (("20000000", 413), ("9" * 5000, 413), ("-1", 411), ("many", 411)):
        connection.putrequest("POST", "/predict")
        connection.putheader("Content-Length", length)
        connection.endheaders()
        response = connection.getresponse()
        assert (response.status, response.will_close) == (status, True)
        assert "error" in json.loads(response.read())


def test_the_body_of_a_get_is_no_request(connection: HTTPConnection) -> None:
    connection.request("GET", "/model", body="GET /model HTTP/1.1\r\n\r\n")
    response = connection.getresponse()
    assert (response.status, response.will_close) == (200, True)


def test_many_connections_at_once(model: Path, port: int) -> None:
    expected = [Predictor.load(model)(row) for row in ROWS]

    def work(index: int) -> bool:
        connection = HTTPConnection("127.0.0.1", port, timeout=60)
        rows = [(index + i) % len(ROWS) for i in range(50)]
        answers = [ask(connection, ROWS[row]) for row in rows]
        connection.close()
        return answers == [(200, expected[row]) for row in rows]

    with ThreadPoolExecutor(16) as pool:
        assert all(pool.map(work, range(16)))
