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
_COMMON = """
password password1 password12 password123 passw0rd p@ssw0rd p@ssword 12345678 123456789 1234567890 0123456789 87654321
987654321 11111111 111111111 00000000 22222222 88888888 12341234 11223344 12344321 123123123 147258369 123321123
qwertyui qwertyuiop qwerty12 qwerty123 1qaz2wsx 1q2w3e4r 1q2w3e4r5t q1w2e3r4 qazwsxedc asdfghjk asdfghjkl zxcvbnm1
abcdefgh abcd1234 1234abcd abc12345 aaaaaaaa iloveyou iloveyou1 sunshine princess football football1 baseball superman
starwars computer trustno1 whatever letmein1 welcome1 changeme michelle jennifer internet
"""
"""Passwords that guessers try first. Those with fewer than `LEAST` characters are not listed."""
_AT_ONCE, _WAITING = 2, 20
"""`_AT_ONCE`: largest number of hashes that are computed at the same time. `_WAITING`: largest number of requests that
wait for the computation of a hash, including those whose hash is being computed.
"""
_BUSY_S = 5
"""Time after which a visitor may repeat a request that was refused because too many were waiting, in seconds."""


class Passwords:
    """Makes and checks hashes of passwords, in threads, because each hash takes long and would delay all pages."""

    def __init__(self) -> None:
        self._hasher = PasswordHasher()
        self._slots = asyncio.Semaphore(_AT_ONCE)
        self._waiting: Counter[bool] = Counter()
        self._decoy = self._hasher.hash("")

    async def hash(self, password: str) -> str:
        """Returns the hash of a password, for storage.

        Raises:
            LapilliError: the password is too short, too long, or very common.
            TooMany: too many requests are waiting to compute a hash.
        """
        if not LEAST <= len(password) <= MOST:
            raise LapilliError(f"a password must have {LEAST} to {MOST} characters")
        if password.casefold() in _COMMON.split():
            raise LapilliError("that password is one of the most common: choose another one")
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
