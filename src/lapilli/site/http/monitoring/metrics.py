"""The site's metrics, in the format of Prometheus."""

from __future__ import annotations

import hmac
from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest

if TYPE_CHECKING:
    from lapilli.site.runtime.site import Site

CONTENT_TYPE = CONTENT_TYPE_LATEST
TOKEN_VARIABLE = "LAPILLI_METRICS_TOKEN"
"""Environment variable with the token that readers of the metrics must send. If the variable is not set, only this
machine may read the metrics.
"""
_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.5, 1, 2.5, 5, 10)


class Metrics:
    """The metrics of one process."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        of = self.registry
        self.requests = Counter("lapilli_requests", "Requests answered.", ["route", "method", "status"], registry=of)
        self.latency = Histogram(
            "lapilli_request_seconds",
            "Seconds until the response began.",
            ["route"],
            buckets=_SECONDS,
            registry=of,
        )
        self.answers = Counter("lapilli_answers", "Answers played at tables.", ["who"], registry=of)
        self.shown = Histogram(
            "lapilli_answer_shown_seconds",
            "Seconds from a complete turn until its result was sent to the pages.",
            buckets=_SECONDS,
            registry=of,
        )
        self.waited = Histogram(
            "lapilli_engine_wait_seconds",
            "Seconds until a worker began to search.",
            buckets=_SECONDS,
            registry=of,
        )
        self._tables = Gauge("lapilli_tables_live", "Tables in memory.", registry=of)
        self._watchers = Gauge("lapilli_watchers", "Pages and programs that follow tables.", registry=of)
        self._queue = Gauge(
            "lapilli_engine_queue", "Requests to engines that are waiting or being searched.", registry=of
        )

    def text(self, site: Site) -> bytes:
        """Returns the current values of all metrics, in the format of Prometheus."""
        tables = site.tables.in_memory.values()
        self._tables.set(len(tables))
        self._watchers.set(sum(len(table.audience) + len(table.audience.listeners) for table in tables))
        self._queue.set(site.engines.queued)
        return generate_latest(self.registry)


def may_read(client: str, authorization: str, token: str) -> bool:
    """Returns whether a client may read the metrics.

    If a token is set, the client must send it. If no token is set, the client must run on this machine.

    Args:
        client: the client's address.
        authorization: value of the request's Authorization header.
        token: the token; "" if none is set.
    """
    if token:
        return hmac.compare_digest(authorization.encode(), f"Bearer {token}".encode())
    return client in ("127.0.0.1", "::1")
