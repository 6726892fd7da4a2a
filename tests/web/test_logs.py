"""What the site logs of requests."""

from __future__ import annotations

import json
import logging
import time

import pytest

from lapilli.web.logs import REQUESTS, JsonLines, log_request


def test_a_request_is_a_line_with_its_time_to_a_tenth_of_a_millisecond(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(time, "perf_counter", lambda: 5.01234)
    monkeypatch.setattr(REQUESTS, "handlers", [caplog.handler])  # whatever the loggers above it were told
    with caplog.at_level(logging.INFO, REQUESTS.name):
        log_request("r1", "GET", "/tables/{table}", 200, 5.0)
    told = json.loads(JsonLines().format(caplog.records[0]))
    assert {key: told[key] for key in ("request", "method", "route", "status", "ms")} == {
        "request": "r1",
        "method": "GET",
        "route": "/tables/{table}",
        "status": 200,
        "ms": 12.3,
    }
