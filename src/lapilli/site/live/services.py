"""What all tables share."""

from __future__ import annotations

import secrets

from lapilli.site.http.metrics import Metrics
from lapilli.site.live.engines import Engines
from lapilli.site.live.keeping import Keeper
from lapilli.site.live.lodging import Lodgings
from lapilli.store import Store


class Services:
    """What all tables share: store, keeper of answers, who thinks, where bots are kept, and what is measured."""

    def __init__(self, store: Store, engines: Engines, metrics: Metrics) -> None:
        self.store, self.engines, self.keeper, self.metrics = store, engines, Keeper(store), metrics
        self.lodgings = Lodgings(store)


def new_id() -> str:
    """An id that nobody guesses."""
    return secrets.token_urlsafe(12)
