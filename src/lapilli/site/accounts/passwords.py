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
"""Largest number of hashes that are computed at the same time, and of requests that wait for a hash or compute one."""
_BUSY_S = 5
"""Time after which a refused request may be tried again, in seconds."""


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
        """Returns a context manager that waits until a hash may be computed. The `with` block must compute it.

        Args:
            is_proven: whether the account's owner was signed in before in the requesting browser. Such browsers are
                counted separately, so that they are not refused because many strangers are waiting.

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

        Without a hash it takes the same time, so that the time does not reveal which accounts exist. It blocks: call it
        in a thread, inside `turn`.

        Args:
            password: the password.
            stored: the stored hash; None if the account does not exist: the result is then False.
        """
        try:
            self._hasher.verify(stored or self._decoy, _bytes(password[: MOST + 1]))
        except (VerificationError, InvalidHashError):
            return False
        return stored is not None

    def is_dated(self, stored: str) -> bool:
        """Returns whether a hash was made with other parameters than the library's present default."""
        return self._hasher.check_needs_rehash(stored)


def _bytes(password: str) -> bytes:
    return password.encode(errors="surrogatepass")
