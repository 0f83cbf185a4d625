"""The client of `./dev bench service` sends what it is asked to and sees when an answer is wrong."""

import json
import subprocess
import threading
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest


class Echo(BaseHTTPRequestHandler):
    """Answers with the request's body, as the path says; notes connections and requests."""

    protocol_version = "HTTP/1.1"

    def setup(self):
        super().setup()
        self.server.seen.append("connection")

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.seen.append(body)
        self.send_response(400 if self.path == "/refuse" else 200)
        if self.path != "/unmeasured":
            self.send_header("content-length", str(len(body) + (self.path == "/cut")))
        self.end_headers()
        for byte in body:  # in pieces
            self.wfile.write(bytes([byte]))
        self.close_connection = self.path == "/cut"

    def log_message(self, format, *args):
        pass


@pytest.fixture
def server():
    with ThreadingHTTPServer(("127.0.0.1", 0), Echo) as server:
        server.seen = []
        server.handle_error = lambda *_: None  # the client is gone
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def run(build, server, path, connections=3, requests=20):
    arguments = [str(server.server_port), path, "[1, 2]", str(connections), str(requests)]
    return subprocess.run([build / "bench" / "http_load", *arguments], capture_output=True, text=True, timeout=60)


def test_every_request_is_sent_and_timed(build, server):
    done = run(build, server, "/echo")
    assert done.returncode == 0, done.stderr
    assert Counter(server.seen) == {"connection": 3, b"[1, 2]": 3 * (20 + 2)}  # a tenth more to begin with
    figures = json.loads(done.stdout)
    assert 0 < figures["p50_us"] <= figures["p99_us"]
    assert figures["requests_a_second"] > 0


@pytest.mark.parametrize(
    "path, sentence",
    [("/refuse", "not of status 200"), ("/cut", "ended within an answer"), ("/unmeasured", "no Content-Length")],
)
def test_a_wrong_answer_ends_the_run(build, server, path, sentence):
    done = run(build, server, path)
    assert done.returncode == 1 and done.stdout == ""
    assert sentence in done.stderr


def test_wrong_arguments_are_refused(build, server):
    assert run(build, server, "/echo", connections=0).returncode == 1
    assert subprocess.run([build / "bench" / "http_load"], capture_output=True).returncode == 2
    server.server_port = 1  # where nobody listens
    assert "cannot connect" in run(build, server, "/echo").stderr
