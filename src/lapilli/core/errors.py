"""Every exception Lapilli raises on purpose.

LapilliError                 something a user can mend; its message says how
├── UnknownName              no game, player, variant or league of that name
├── SetupError               a game cannot start like this
│   └── PositionError        a position notation that does not fit the game
├── IllegalAction            an action that the rules do not allow now
├── InputError               bot text that tells no position
├── RecordError              a record that cannot be read, or that the rules refute
└── StoreError               a store of matches that cannot do what was asked
    └── StoreTrouble         it cannot be opened, is damaged, full or out of reach; the message names its place

What a *bot* does wrong is never an exception: it is data (`lapilli.core.api.Fault`).
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


class LapilliError(Exception):
    """Base of the family; the command line prints it in one line and exits with 2."""


class UnknownName(LapilliError):
    """A name that nothing bears; the message lists what there is and suggests the nearest.

    Args:
        kind: what was looked for ("game", "variant", "player" …).
        name: the name as given.
        known: the names there are.
    """

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        names = sorted(known)
        told = name if len(name) <= 80 else f"{name[:79]}…"  # a foreign record's may be of any length
        near = get_close_matches(told.lower(), names, n=1, cutoff=0.5)
        hint = f"did you mean {near[0]!r}? " if near else ""
        there_is = f"{hint}There is {', '.join(names)}." if names else "there are none to choose from."
        super().__init__(f"no {kind} {told!r}: {there_is}")
        self.kind, self.name = kind, name


class SetupError(LapilliError):
    """A setup that the game cannot start from."""


class PositionError(SetupError):
    """A position notation that does not fit the game."""


class IllegalAction(LapilliError, ValueError):
    """An action that the rules do not allow in this position."""


class InputError(LapilliError):
    """Bot text that is not what a player is sent, so that no position can be read back from it."""


class RecordError(LapilliError):
    """A record that cannot be read, is of another format, or is refuted by the rules."""


class StoreError(LapilliError):
    """A store of matches cannot do what was asked, or cannot be opened; what it said it had kept, it has."""


class StoreTrouble(StoreError):
    """A store cannot be opened, is damaged, full, locked or out of reach.

    The message names its file or address. It is for whoever runs the program, and for logs; a site never sends it to
    its visitors.

    Args:
        may_pass: whether the store may be there again in a while, as a server that is started anew.
    """

    def __init__(self, message: str, may_pass: bool = False) -> None:
        super().__init__(message)
        self.may_pass = may_pass
