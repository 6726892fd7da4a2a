"""What all tables share."""

from __future__ import annotations

import secrets

from lapilli.arena.store import Store
from lapilli.web.metrics import Metrics
from lapilli.web.play.engines import Engines
from lapilli.web.play.keeping import Keeper
from lapilli.web.play.lodging import Lodgings


class Services:
    """What all tables share: store, keeper of answers, who thinks, where bots are kept, and what is measured."""

    def __init__(self, store: Store, engines: Engines, metrics: Metrics) -> None:
        self.store, self.engines, self.keeper, self.metrics = store, engines, Keeper(store), metrics
        self.lodgings = Lodgings(store)


def new_id() -> str:
    """An id that nobody guesses."""
    return secrets.token_urlsafe(12)
