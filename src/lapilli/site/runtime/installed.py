"""Games that the store knows, but this site does not, because LAPILLI_GAMES does not name their folder."""

from __future__ import annotations

import logging

from lapilli.core.errors import LapilliError
from lapilli.games import load, names
from lapilli.store import Store

_LOG = logging.getLogger("lapilli.site")


class NotInstalled(LapilliError):
    """Error: a stored match, bot or tournament is of a game that is not installed."""

    def __init__(self, game: str) -> None:
        super().__init__(f"The game {game!r} is not installed on this site. Nothing is lost: ask the site's owner.")


def check_installed(game: str) -> None:
    """Raises NotInstalled if there is no game with this name."""
    if game not in names():
        raise NotInstalled(game)


def title_of(game: str) -> str:
    """Returns the title of a game for a list; if the game is not installed, its name and the words "not installed"."""
    return load(game).title if game in names() else f"{game} (not installed)"


def emblem_of(game: str) -> str:
    """Returns the emblem of a game for a list; "" if the game is not installed."""
    return load(game).emblem if game in names() else ""


def log_missing(store: Store) -> None:
    """Logs a line for each game that is not installed and of which the store has matches. Reads the store, and
    blocks.
    """
    for game, number in store.site.matches.of_missing_games().items():
        what = "1 match" if number == 1 else f"{number} matches"
        _LOG.warning("%s of %r, which is not installed here; set LAPILLI_GAMES", what, game)
