"""Hashes of passwords, by Argon2 with the default parameters of its library.

At most two hashes are computed at the same time, because each takes 64 MiB of memory.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from lapilli.core.errors import LapilliError
from lapilli.site.http.limits import TooMany

LEAST, MOST = 8, 128
"""Least and greatest length of a password, in characters."""
_AT_ONCE, _WAITING = 2, 20
"""`_AT_ONCE`: largest number of hashes that are computed at the same time. `_WAITING`: largest number of requests that
wait for the computation of a hash, including those whose hash is being computed.
"""
_BUSY_S = 5
"""Time after which a visitor may repeat a request that was refused because too many were waiting, in seconds."""


class Passwords:
    """Makes and checks hashes of passwords, outside the event loop."""

    def __init__(self) -> None:
        self._hasher = PasswordHasher()
        self._slots = asyncio.Semaphore(_AT_ONCE)
        self._waiting: Counter[bool] = Counter()
        self._decoy = self._hasher.hash("")

    async def hash(self, password: str) -> str:
        """Returns the hash of a password, for storage.

        Raises:
            LapilliError: the password is too short or too long.
            TooMany: as for `turn`.
        """
        if not LEAST <= len(password) <= MOST:
            raise LapilliError(f"a password must have {LEAST} to {MOST} characters")
        async with self.turn():
            return await asyncio.to_thread(self._hasher.hash, _bytes(password))

    @asynccontextmanager
    async def turn(self, is_proven: bool = False) -> AsyncIterator[None]:
        """Returns a context manager that waits until fewer than `_AT_ONCE` hashes are being computed.

        The caller computes one hash in the `with` block.

        Args:
            is_proven: whether the account was signed in before in the requesting browser. Requests from such browsers
                are counted separately, so that they are not refused because many strangers are waiting.

        Raises:
            TooMany: too many requests are waiting.
        """
        if self._waiting[is_proven] >= _WAITING:
            raise TooMany(_BUSY_S)
        self._waiting[is_proven] += 1
        try:
            async with self._slots:
                yield
        finally:
            self._waiting[is_proven] -= 1

    def fits(self, password: str, stored: str | None) -> bool:
        """Returns whether a password matches a stored hash.

        The check takes equally long if the account does not exist, so that its duration does not reveal which accounts
        exist. The method blocks: call it in a thread, inside `with turn(…)`, which limits how many checks
        run at once.

        Args:
            password: the password.
            stored: the stored hash; None if the account does not exist. The result for None is False.
        """
        try:
            self._hasher.verify(stored or self._decoy, _bytes(password[: MOST + 1]))
        except (VerificationError, InvalidHashError):
            return False
        return stored is not None

    def is_dated(self, stored: str) -> bool:
        """Returns whether a stored hash was computed with other parameters than the library's present defaults."""
        return self._hasher.check_needs_rehash(stored)


def _bytes(password: str) -> bytes:
    return password.encode(errors="surrogatepass")
