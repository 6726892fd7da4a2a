"""Passwords are kept as Argon2 makes them, with the parameters that its library has for today; two are made at once,
each of which takes 64 MiB."""

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
"""Characters of a password."""
_AT_ONCE, _WAITING = 2, 20
_BUSY_S = 5


class Passwords:
    """Makes and checks hashes, off the event loop."""

    def __init__(self) -> None:
        self._hasher = PasswordHasher()
        self._slots = asyncio.Semaphore(_AT_ONCE)
        self._waiting: Counter[bool] = Counter()
        self._nobodys = self._hasher.hash("")

    async def hash(self, password: str) -> str:
        """What is to be kept of it. Raises LapilliError for one that is too short or too long."""
        if not LEAST <= len(password) <= MOST:
            raise LapilliError(f"a password has {LEAST} characters at least, and {MOST} at most")
        async with self.turn():
            return await asyncio.to_thread(self._hasher.hash, _bytes(password))

    @asynccontextmanager
    async def turn(self, is_proven: bool = False) -> AsyncIterator[None]:
        """One's turn to compute. Raises TooMany where many wait already.

        Args:
            is_proven: whether the account's owner was signed in before in the browser that asks. Such browsers are
                counted apart, so that a crowd of strangers never has one refused.
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
        """Whether it is the password of which that was kept. Without anything kept it takes as long, so that nobody
        learns from it who has an account. To be called in a thread, in one's turn."""
        try:
            self._hasher.verify(kept or self._nobodys, _bytes(password[: MOST + 1]))
        except (VerificationError, InvalidHashError):
            return False
        return kept is not None

    def is_dated(self, kept: str) -> bool:
        """Whether the library has other parameters by now."""
        return self._hasher.check_needs_rehash(kept)


def _bytes(password: str) -> bytes:
    return password.encode(errors="surrogatepass")
