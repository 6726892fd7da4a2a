"""Rows of games that are not installed. They stay in the store, but lists leave them out.

A store can hold matches of a game that this process does not know, because LAPILLI_GAMES named the game's folder when
the match was played, and does not name it now.
"""

from __future__ import annotations

from sqlalchemy import ColumnElement

from lapilli.core.installed import game_names


def is_installed(game: ColumnElement[str]) -> ColumnElement[bool]:
    """Returns an SQL condition that is true for rows with an installed game in the column `game`."""
    return game.in_(game_names())
