"""What the site logs of requests."""

from __future__ import annotations

import json
import subprocess
import sys

STOPPED = """
import asyncio, logging, socket, threading
from lapilli.site.http.connections.serving import Server, config, listen
from lapilli.site.http.connections.timeouts import Timeouts

logging.basicConfig()
listening = listen(0)

async def app(scope, receive, send):
    if scope["type"] == "http":
        server.handle_exit(2, None)
        await asyncio.sleep(60)

def visit():
    with socket.create_connection(listening.getsockname()) as line:
        line.sendall(b"GET / HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n")
        print(line.recv(1000).split(b"\\r\\n")[0].decode())

visitor = threading.Thread(target=visit)
server = Server(config(app, Timeouts(), lifespan="off"), visitor.start, lambda: None)
try:
    server.run(sockets=[listening])
except KeyboardInterrupt:
    pass
visitor.join()
"""
LOGGED = """
import time
from lapilli.site.http.monitoring.logs import log_as_json, log_request
time.perf_counter = lambda: 5.01234
log_as_json()
log_request("r1", "GET", "/tables/{table}", 200, 5.0)
"""


def test_a_request_is_a_line_with_its_time_to_a_tenth_of_a_millisecond() -> None:
    """In a process of its own, since loggers are shared by all that is in one."""
    done = subprocess.run([sys.executable, "-c", LOGGED], capture_output=True, text=True, check=True)
    told = json.loads(done.stderr)
    assert {key: told[key] for key in ("request", "method", "route", "status", "ms")} == {
        "request": "r1",
        "method": "GET",
        "route": "/tables/{table}",
        "status": 200,
        "ms": 12.3,
    }


def test_a_site_that_is_stopped_says_nothing_of_requests_that_still_wait() -> None:
    done = subprocess.run([sys.executable, "-c", STOPPED], capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("HTTP/1.1 500")
