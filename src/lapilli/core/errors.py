"""All exceptions that Lapilli raises on purpose.

LapilliError                 something that the user can correct; the message says how
├── UnknownName              no game, player, variant or league has that name
├── SetupError               a game cannot start with this setup
│   └── PositionError        a position notation that does not fit the game
├── IllegalAction            an action that the rules do not allow now
├── InputError               text that is no valid input of a bot
├── RecordError              a record that cannot be read, or that breaks the rules
├── OutOfResources           this machine has run out of descriptors, memory or processes
└── StoreError               a store of matches cannot do what was requested
    └── StoreTrouble         a store that cannot be opened, or is damaged, full or unreachable

A mistake of a *bot* is never an exception, but data (`lapilli.core.api.Fault`).
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterable
from difflib import get_close_matches


class LapilliError(Exception):
    """Base class of Lapilli's exceptions. The command line prints the message in one line and exits with status 2."""


_DIGITS = re.compile("([0-9]+)")


def _natural(name: str) -> list[str | int]:
    """Returns a key that sorts names with numbers as people count them: level2 before level10."""
    return [int(part) if at % 2 else part for at, part in enumerate(_DIGITS.split(name))]


class UnknownName(LapilliError):
    """A name that does not exist. The message lists the existing names and suggests the most similar one.

    Args:
        kind: kind of thing that was looked up ("game", "variant", "player" …).
        name: the unknown name.
        known: the existing names.
        meant: names that the user may have meant; by default the most similar one of `known`.
    """

    def __init__(self, kind: str, name: str, known: Iterable[str], meant: Iterable[str] = ()) -> None:
        names = sorted(known, key=_natural)
        shown = name if len(name) <= 80 else f"{name[:79]}…"  # a name from a foreign record may be of any length
        meant = sorted(meant)
        near = meant or get_close_matches(shown.lower(), names, n=1, cutoff=0.5)
        hint = f" (did you mean {' or '.join(map(repr, near))}?)" if near else ""
        advice = f"available: {', '.join(names)}" if names else "none are available"
        super().__init__(f"no {kind} {shown!r}{hint}; {advice}")
        self.kind, self.name = kind, name
        self._known, self._meant = names, meant

    def __reduce__(self) -> tuple[type[UnknownName], tuple[object, ...]]:
        """Makes copies from the constructor's arguments, so that the error can be sent to another process."""
        return type(self), (self.kind, self.name, self._known, self._meant)


class SetupError(LapilliError):
    """A setup that the game cannot start from."""


class PositionError(SetupError):
    """A position notation (a position written as one line of text) that does not fit the game."""


class IllegalAction(LapilliError, ValueError):
    """An action that the rules do not allow in this position."""


class InputError(LapilliError):
    """A text from which no position can be read, although it should be the input that a bot receives in a turn."""


class RecordError(LapilliError):
    """A record that cannot be read, has another format, or breaks the rules of the game."""


class StoreError(LapilliError):
    """A failure of a store of matches: the store cannot be opened, or cannot do what was requested.

    Matches that the store has already reported as saved remain saved.
    """


class StoreTrouble(StoreError):
    """A store that cannot be opened, or is damaged, full, locked or unreachable.

    The message contains the store's file name or address. So the message is only for the operator and for logs; a site
    never sends it to visitors.

    Args:
        may_pass: whether the store may soon work again, for example because its server is restarting.
    """

    def __init__(self, message: str, may_pass: bool = False) -> None:
        super().__init__(message)
        self.may_pass = may_pass


class OutOfResources(LapilliError):
    """The error for a machine that has run out of descriptors, memory or processes. It ends a match, and no player
    loses.
    """


_EXHAUSTED = (errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN)
"""Error numbers for a lack of descriptors (in this process or in the system), of memory, or of processes."""


def is_exhaustion(error: BaseException) -> bool:
    """Returns whether an exception means that the machine has run out of descriptors, memory or processes."""
    if isinstance(error, OSError):
        return error.errno in _EXHAUSTED
    return isinstance(error, MemoryError | OutOfResources)


def in_one_line(error: BaseException) -> str:
    """Formats an exception as one line for people."""
    if isinstance(error, OutOfResources):
        return str(error)
    if isinstance(error, MemoryError):
        return "out of memory"
    if isinstance(error, OSError) and error.errno in _EXHAUSTED:
        return os.strerror(error.errno).lower()
    return " ".join(f"{type(error).__name__}: {error}".split())[:500]
