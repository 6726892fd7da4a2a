"""Background tasks of asyncio, whose errors are reported, and a signal for which tasks can wait."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import Any

from lapilli.core.errors import LapilliError, StoreError

_LOG = logging.getLogger("lapilli.site")
_AGAIN_S = 1.0
"""Time after which a background loop that has failed starts again, in seconds."""


@contextmanager
def logged(what: str, table_id: str) -> Iterator[None]:
    """Logs an error in the `with` block, so that the caller goes on with the next table. StoreError is raised.

    `what`: beginning of the message. `table_id`: id of the table at which the block works.
    """
    try:
        yield
    except StoreError:
        raise
    except Exception as error:  # after any error, the other tables must go on
        trace = None if isinstance(error, LapilliError) else error
        _LOG.error("%s: %s", what, error, exc_info=trace, extra={"table": table_id})


class Tasks:
    """Tasks of asyncio that run in the background. Iteration yields the tasks that have not ended.

    Args:
        failed: function that is called with the exception of each task that fails.
    """

    def __init__(self, failed: Callable[[BaseException], object]) -> None:
        self._failed = failed
        self._tasks: set[asyncio.Task[None]] = set()

    def __iter__(self) -> Iterator[asyncio.Task[None]]:
        return iter(tuple(self._tasks))

    def start(
        self, work: Coroutine[Any, Any, None], gone_wrong: Callable[[], object] | None = None
    ) -> asyncio.Task[None]:
        """Starts `work` as a task, and returns the task.

        If the task fails, `gone_wrong` is called, and then the function `failed` of this object.
        """
        task = asyncio.create_task(work)
        self._tasks.add(task)

        def ended(task: asyncio.Task[None]) -> None:
            self._tasks.discard(task)
            error = None if task.cancelled() else task.exception()
            if error is not None:
                if gone_wrong is not None:
                    gone_wrong()
                self._failed(error)

        task.add_done_callback(ended)
        return task

    def keep_going(self, name: str, loop: Callable[[], Awaitable[None]]) -> asyncio.Task[None]:
        """Starts the coroutine function `loop` as a task, and returns the task.

        If the loop fails, the error is logged with the loop's name, and the loop starts again a moment later. So one
        unexpected error does not end work that the site needs until it is stopped.
        """

        async def run() -> None:
            while True:
                try:
                    return await loop()
                except Exception as error:  # the cause may be one table, and the loop serves all
                    _LOG.error("%s failed, and starts again: %s", name, error, exc_info=error)
                await asyncio.sleep(_AGAIN_S)

        return self.start(run())

    def cancel(self) -> None:
        """Cancels all tasks."""
        for task in self:
            task.cancel()


class Signal:
    """A signal for which several tasks can wait. It can be sent any number of times."""

    def __init__(self) -> None:
        self._event = asyncio.Event()

    def give(self) -> None:
        """Sends the signal: wakes all waiting tasks."""
        self._event.set()
        self._event = asyncio.Event()

    async def wait(self) -> None:
        """Waits until `give` is called next."""
        await self._event.wait()
