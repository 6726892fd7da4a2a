"""Worker processes in which engines search, so that searches do not delay pages."""

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
from lapilli.core.search.search_result import SearchResult
from lapilli.players import Question
from lapilli.players.bots.stopwatch import ReplyLimits
from lapilli.players.engines.catalogue import make_builtin
from lapilli.players.engines.position_analysis import analyse
from lapilli.site.live.messages.to_page import HintStep
from lapilli.site.live.table.draft import Draft
from lapilli.workers.call_pool import CallPool
from lapilli.workers.call_worker import WorkerDied

P = ParamSpec("P")
T = TypeVar("T")
THINKS_MS = 1000
"""Time limit of an engine's reply, in milliseconds, if the engine's search has a time limit."""
HINT_MS = 700
"""Time for the search of a hint, in milliseconds."""
NICENESS = 5
"""Niceness of the worker processes, so that the site's own process has priority."""


class Engines:
    """Worker processes that run engines.

    Args:
        workers: number of processes. The default is one for every two cores, because the pages need cores, too. It is
            at least two, so that one search does not delay all others.
        waited: function that is called with the time that a search waited for a worker, in seconds; None for none.

    Attributes:
        queued: number of searches that are waiting or running.
    """

    def __init__(self, workers: int | None = None, waited: Callable[[float], object] | None = None) -> None:
        self.queued = 0
        self._waited = waited
        self._pool = CallPool(workers or max(2, (os.cpu_count() or 1) // 2), NICENESS)

    def close(self) -> None:
        """Ends all workers, even in the middle of a search."""
        self._pool.close()

    async def reply(self, state: State, engine: str, player: int, turn: int, seed: int) -> tuple[str, float]:
        """Returns an engine's reply in a position, and the time that the engine took, in milliseconds.

        Args:
            state: the position.
            engine: name of the built-in opponent.
            player: the player for whom the engine replies.
            turn: number of the turn.
            seed: seed of the match; together with `turn`, it determines the engine's random draws.
        """
        return await self._run(_reply, state, engine, player, turn, seed)

    async def hint(self, state: State, player: int) -> list[HintStep]:
        """Returns the actions of the turn that the game's strongest search chooses for the player in this position."""
        return await self._run(_hint, state, player)

    async def _run(self, work: Callable[P, T], *about: P.args, **more: P.kwargs) -> T:
        """Runs the function `work` with these arguments in a worker, and returns its result.

        If the worker dies, for example because memory runs out, runs the function once more.
        """
        asked_at = time.time()
        for again in (True, False):
            self.queued += 1
            try:
                call: Future[tuple[float, T]] = self._pool.submit(_timed, partial(work, *about, **more))
                begun_at, result = await asyncio.wrap_future(call)
            except WorkerDied:
                if not again:
                    raise
            else:
                if self._waited is not None:
                    self._waited(max(0.0, begun_at - asked_at))
                return result
            finally:
                self.queued -= 1
        raise AssertionError


def _timed(work: Callable[[], T]) -> tuple[float, T]:
    """Calls `work`. Returns the time at which the call began, in seconds since 1970, and the result of the call."""
    return time.time(), work()


def _reply(state: State, engine: str, player: int, turn: int, seed: int) -> tuple[str, float]:
    opponent = make_builtin(state.game, engine, player, Random(f"{seed}/{turn}").getrandbits(62))
    question = Question(state.game.protocol, state, player, turn, False, ReplyLimits(THINKS_MS))
    answer = opponent.answer(question)
    assert isinstance(answer.reply, str)
    return answer.reply, answer.milliseconds


def _hint(state: State, player: int) -> list[HintStep]:
    found, steps = analyse(state, ms=HINT_MS, player=player), list[HintStep]()
    known = state.determinised(0)  # replaces hidden information, which later actions could reveal
    draft = Draft(known, player)
    for action in shortest(found):
        draft.pick(action)
        steps.append(HintStep(draft.labels[-1], [key for key in draft.way if not key.startswith("=")]))
        if draft.complete:
            break
    return steps


def shortest(found: SearchResult) -> tuple[int, ...]:
    """Returns the turn with the fewest actions among the best turns of the search result `found`.

    The best turns are the turn that the search chose, and all other turns with the same value on which the search spent
    at least half as many nodes.
    """
    best = next((line for line in found.lines if line.turn == found.turn), None)
    if best is None:
        return found.turn
    equal = [line.turn for line in found.lines if line.value == best.value and 2 * line.nodes >= best.nodes]
    return min(equal, key=len)
