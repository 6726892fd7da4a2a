"""Defines `TableServices`: the parts of the site that all live tables share."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import Any

from lapilli.site.http.monitoring.metrics import Metrics
from lapilli.site.live.batch_writer import BatchWriter
from lapilli.site.live.drivers.bot_pool import BotPool
from lapilli.site.live.drivers.engines import Engines
from lapilli.site.live.upkeep.store_watch import StoreWatch
from lapilli.site.runtime.compilation import Compilation
from lapilli.store import NewAnswer, PlanChange, Store


@dataclass(frozen=True)
class TableServices:
    """The parts of the site that all live tables share.

    Attributes:
        store: the site's store.
        store_watch: notices when the store does not answer.
        answer_writer: writes answers to the store. The result for an answer is True if the answer is now part of the
            match. It is False if another process has stored a different answer first, see `NewAnswer`.
        plan_writer: writes changes of plans to the store. The result for a change is the new plan; None if the table
            does not exist, or the change raised a LapilliError.
        engines: worker processes of built-in opponents.
        compilation: compiles kernels that are not compiled yet.
        bot_pool: worker processes of the site's bots.
        metrics: the site's metrics.
        has_chat: whether people may write to each other at tables.
    """

    store: Store
    store_watch: StoreWatch
    answer_writer: BatchWriter[NewAnswer, bool]
    plan_writer: BatchWriter[PlanChange, dict[str, Any] | None]
    engines: Engines
    compilation: Compilation
    bot_pool: BotPool
    metrics: Metrics
    has_chat: bool = True

    @classmethod
    def on(
        cls, store: Store, engines: Engines, compilation: Compilation, metrics: Metrics, has_chat: bool = True
    ) -> TableServices:
        """Creates the services of a site: sets the attributes with the names of the arguments, and makes all others."""
        watch = StoreWatch()
        return cls(
            store,
            watch,
            BatchWriter(store.site.matches.add_answers, watch),
            BatchWriter(store.site.opening.amend_each, watch),
            engines,
            compilation,
            BotPool(store),
            metrics,
            has_chat,
        )


def new_id() -> str:
    """Returns a new random id of 96 bits, for a table or token."""
    return secrets.token_urlsafe(12)
