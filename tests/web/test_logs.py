"""What the site logs of requests."""

from __future__ import annotations

import json
import subprocess
import sys

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
