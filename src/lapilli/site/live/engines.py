"""Engines think in processes of their own, so that no page waits for them."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from random import Random
from typing import ParamSpec, TypeVar

from lapilli.core.api import State
from lapilli.players import Question
from lapilli.players.bots.stopwatch import ReplyLimits
from lapilli.players.engines.catalogue import make_builtin
from lapilli.players.engines.position_analysis import analyse
from lapilli.workers.call_pool import CallPool, WorkerDied

P = ParamSpec("P")
T = TypeVar("T")
THINKS_MS = 1000
"""How long an engine that goes by the clock thinks about a turn."""
HINT_MS = 700
NICENESS = 5
"""How far thinking stands back behind pages."""


class Engines:
    """Worker processes that think.

    Args:
        workers: how many; by default one for every two cores, so that pages have some left, and two at least, so that
            nobody's opponent waits for another one's.
        waited: is told for how many seconds each question waited for a worker.

    Attributes:
        queued: how many questions wait, or are thought about.
    """

    def __init__(self, workers: int | None = None, waited: Callable[[float], object] | None = None) -> None:
        self.queued = 0
        self._waited = waited
        self._pool = CallPool(workers or max(2, (os.cpu_count() or 1) // 2), NICENESS)

    def close(self) -> None:
        """Ends the workers, whatever they think about."""
        self._pool.close()

    async def reply(self, state: State, engine: str, player: int, turn: int, seed: int) -> tuple[str, float]:
        """What an engine plays, and how many milliseconds it took."""
        return await self._run(_reply, state, engine, player, turn, seed)

    async def hint(self, state: State, player: int) -> int:
        """The atomic action that the game's strongest search would choose now."""
        return await self._run(_hint, state, player)

    async def _run(self, work: Callable[P, T], *about: P.args, **more: P.kwargs) -> T:
        """The work, done in a worker. One that dies (killed, out of memory) is replaced, and the work done again."""
        asked = time.time()
        for again in (True, False):
            self.queued += 1
            try:
                call: Future[tuple[float, T]] = self._pool.submit(_timed, partial(work, *about, **more))
                begun, result = await asyncio.wrap_future(call)
            except WorkerDied:
                if not again:
                    raise
            else:
                if self._waited is not None:
                    self._waited(max(0.0, begun - asked))
                return result
            finally:
                self.queued -= 1
        raise AssertionError


def _timed(work: Callable[[], T]) -> tuple[float, T]:
    """When a worker began, and what came of it."""
    return time.time(), work()


def _reply(state: State, engine: str, player: int, turn: int, seed: int) -> tuple[str, float]:
    thinker = make_builtin(state.game, engine, player, Random(f"{seed}/{turn}").getrandbits(62))
    question = Question(state.game.protocol, state, player, turn, False, ReplyLimits(THINKS_MS))
    answer = thinker.answer(question)
    assert isinstance(answer.reply, str)
    return answer.reply, answer.milliseconds


def _hint(state: State, player: int) -> int:
    return analyse(state, ms=HINT_MS, player=player).turn[0]
