"""Background tasks of asyncio, whose errors are reported, and a signal for which tasks can wait."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from typing import Any


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
