"""Notices when the store does not answer.

Pages then show a message, and no player loses a match because a clock ran out while the store did not answer.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic

SLOW_S = 3.0
"""Time after which a call that has not returned counts as a failure of the store, in seconds."""
_LOOK_S, _AGAIN_S = 0.5, 4.0
"""`_LOOK_S`: time between two looks at the calls. `_AGAIN_S`: time between two messages to pages, which show a message
for 5 s. Both in seconds.
"""
_AFTERWARDS_S = 10.0
"""Time after a failure in which pages connect again, in seconds. They try at least every 5 s."""


class StoreWatch:
    """Measures how long calls of the store take, and says whether the store fails.

    A caller wraps each call in a `waiting` block. If the call has to be repeated, the block contains all attempts.
    """

    def __init__(self) -> None:
        self._pending: dict[object, float] = {}
        self._failed_at = -_AFTERWARDS_S

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Measures how long a call of the store takes. The `with` block must contain the call with all its attempts."""
        call, begun = object(), monotonic()
        self._pending[call] = begun
        try:
            yield
        finally:
            del self._pending[call]
            if monotonic() - begun > SLOW_S:
                self._failed_at = monotonic()

    @property
    def is_failing(self) -> bool:
        """Whether a call has been waiting for the store for more than `SLOW_S` seconds."""
        return any(monotonic() - begun > SLOW_S for begun in self._pending.values())

    @property
    def has_failed(self) -> bool:
        """Whether the store fails, or has failed so shortly ago that pages may still be without a connection."""
        return self.is_failing or monotonic() - self._failed_at < _AFTERWARDS_S

    async def run(self, tell: Callable[[], object]) -> None:
        """Calls the function `tell` every few seconds while the store fails. Ends when its task is cancelled."""
        while True:
            await asyncio.sleep(_LOOK_S)
            if self.is_failing:
                tell()
                await asyncio.sleep(_AGAIN_S - _LOOK_S)
