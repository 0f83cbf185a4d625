"""An HTTP service for a model file, of the standard library alone.

    python examples/serve.py model.mxb [--port 8000]

Send a row as JSON for a number, or rows for a list of numbers; null is a missing value:

    curl -d '[5.1, null, "left"]' localhost:8000/predict
    curl -d '[[5.1, null, "left"], [4.9, 3.0, "right"]]' localhost:8000/predict
    curl localhost:8000/model

Classifiers answer with the probability of their second class.
"""

import argparse
import contextlib
import json
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from mixboost import Predictor

MAX_BYTES = 10_000_000  # of a request


class Service(ThreadingHTTPServer):
    """Has a thread for each connection, and one predictor for all of them."""

    request_queue_size = 128
    daemon_threads = True  # end with the process

    def __init__(self, port, predict):
        super().__init__(("127.0.0.1", port), Connection)
        self.predict = predict


class Connection(BaseHTTPRequestHandler):
    """Answers one request after the other."""

    protocol_version = "HTTP/1.1"  # the connection stays open
    timeout = 60  # seconds, unless nothing comes
    disable_nagle_algorithm = True  # an answer goes out at once

    def do_GET(self):
        self.close_connection |= "Content-Length" in self.headers or "Transfer-Encoding" in self.headers  # is not read
        if self.path != "/model":
            return self.fail(HTTPStatus.NOT_FOUND, "there are GET /model and POST /predict")
        predict = self.server.predict
        self.answer({name: getattr(predict, name) for name in ("n_features", "feature_names", "classes")})

    def do_POST(self):
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal():
            return self.fail(HTTPStatus.LENGTH_REQUIRED, "a request needs a Content-Length")
        if len(length) > 9 or int(length) > MAX_BYTES:
            return self.fail(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"a request may have {MAX_BYTES} bytes")
        body = self.rfile.read(int(length))
        if self.path != "/predict":
            return self.fail(HTTPStatus.NOT_FOUND, "there are GET /model and POST /predict")
        try:
            prediction = self.server.predict(json.loads(body))
        except (ValueError, TypeError, RecursionError) as error:
            return self.fail(HTTPStatus.BAD_REQUEST, str(error))
        self.answer(prediction if isinstance(prediction, float) else prediction.tolist())

    def fail(self, status, message):
        """Says what is wrong, and closes the connection where the rest of the request was not read."""
        if status in (HTTPStatus.LENGTH_REQUIRED, HTTPStatus.REQUEST_ENTITY_TOO_LARGE):
            self.close_connection = True
        self.answer({"error": message}, status)

    def answer(self, value, status=HTTPStatus.OK):
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format, *args):
        """Writes no line for every request."""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", help="a file of save(), of the program or of the C library")
    parser.add_argument("--port", type=int, default=8000, help="0: any that is free")
    arguments = parser.parse_args()
    with Service(arguments.port, Predictor.load(arguments.model)) as service:
        print(f"http://127.0.0.1:{service.server_port}", flush=True)
        with contextlib.suppress(KeyboardInterrupt):
            service.serve_forever()


if __name__ == "__main__":
    main()
