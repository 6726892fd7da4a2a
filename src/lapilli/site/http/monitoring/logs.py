"""The site's log: one line for each request and each error, optionally as JSON."""

from __future__ import annotations

import logging
import time
from datetime import UTC, datetime
from typing import Any

import msgspec

REQUESTS = logging.getLogger("lapilli.site.requests")
_KEYS = ("request", "method", "route", "status", "ms", "table")
"""Fields that a line of the log may have in addition to its text. The request's path is not logged, because some paths
contain secret keys.
"""


class JsonLines(logging.Formatter):
    """Formats each log record as one JSON object on a line."""

    def format(self, record: logging.LogRecord) -> str:
        fields: dict[str, Any] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "text": record.getMessage(),
        }
        fields |= {key: getattr(record, key) for key in _KEYS if hasattr(record, key)}
        if record.exc_info:
            fields["trace"] = self.formatException(record.exc_info)
        return msgspec.json.encode(fields).decode()


def log_as_json() -> None:
    """Configures logging: all errors and requests are written to stderr as JSON."""
    handler = logging.StreamHandler()
    handler.setFormatter(JsonLines())
    for name in ("lapilli.site", "uvicorn"):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [handler], False
    REQUESTS.setLevel(logging.INFO)


def log_request(request_id: str, method: str, route: str, status: int, started: float) -> None:
    """Logs one line for a request, after its response was sent.

    Args:
        request_id: id of the request.
        method: HTTP method.
        route: route as declared in the code, such as `/t/{table_id}`.
        status: HTTP status of the response.
        started: time at which the request arrived, by `time.perf_counter`.
    """
    if REQUESTS.isEnabledFor(logging.INFO):
        ms = round(1000 * (time.perf_counter() - started), 1)
        fields = {"request": request_id, "method": method, "route": route, "status": status, "ms": ms}
        REQUESTS.info("%s %s %d", method, route, status, extra=fields)
