"""Hashes of passwords, by Argon2 with the current default parameters of its library. At most two are computed at once,
since each takes 64 MiB of memory.
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
_BUSY_S = 5


class Passwords:
    """Makes and checks hashes of passwords, outside the event loop."""

    def __init__(self) -> None:
        self._hasher = PasswordHasher()
        self._slots = asyncio.Semaphore(_AT_ONCE)
        self._waiting: Counter[bool] = Counter()
        self._nobodys = self._hasher.hash("")

    async def hash(self, password: str) -> str:
        """Returns the hash of a password, for storage. Raises LapilliError if the password is too short or too long,
        TooMany as `turn`.
        """
        if not LEAST <= len(password) <= MOST:
            raise LapilliError(f"a password has {LEAST} characters at least, and {MOST} at most")
        async with self.turn():
            return await asyncio.to_thread(self._hasher.hash, _bytes(password))

    @asynccontextmanager
    async def turn(self, is_proven: bool = False) -> AsyncIterator[None]:
        """Waits until a hash may be computed. Raises TooMany if too many others wait already.

        Args:
            is_proven: whether the account's owner was signed in before in the requesting browser. Such browsers are
                counted separately, so that they are never refused because many strangers wait.
        """
        if self._waiting[is_proven] >= _WAITING:
            raise TooMany(_BUSY_S)
        self._waiting[is_proven] += 1
        try:
            async with self._slots:
                yield
        finally:
            self._waiting[is_proven] -= 1

    def fits(self, password: str, kept: str | None) -> bool:
        """Returns whether a password matches a stored hash; False if there is none.

        Without a hash it takes just as long, so that nobody can learn from the time which accounts exist. Call it in a
        thread, inside `turn`.

        Args:
            kept: the stored hash, if any.
        """
        try:
            self._hasher.verify(kept or self._nobodys, _bytes(password[: MOST + 1]))
        except (VerificationError, InvalidHashError):
            return False
        return kept is not None

    def is_dated(self, kept: str) -> bool:
        """Returns whether a hash was made with parameters that the library no longer uses by default."""
        return self._hasher.check_needs_rehash(kept)


def _bytes(password: str) -> bytes:
    return password.encode(errors="surrogatepass")
