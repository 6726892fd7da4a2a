"""Chooses the matches whose first turns the site counts, for the openings on the analysis board."""

from __future__ import annotations

from collections.abc import Collection

from lapilli.core.content.first_turns import CountedTurn
from lapilli.core.errors import LapilliError
from lapilli.match import Record
from lapilli.match.first_turns import counted_turns


def site_turns(record: Record, have_played: Collection[int]) -> list[CountedTurn]:
    """Returns the first turns of a finished match that are to be counted.

    The result is empty if a player has never played a turn. It is also empty if the game has no file of first turns
    (see `lapilli first-turns`), because the first positions of this game hardly ever repeat from match to match.

    Args:
        record: record of the match.
        have_played: players who have played a turn.
    """
    setup = record.load_setup()
    if len(have_played) < (setup.players or 0):
        return []
    try:
        has_counts = record.load_game().first_turns(setup) is not None
    except LapilliError:  # the file is damaged: the analysis board reports it, but matches must still be stored
        return []
    return counted_turns(record) if has_counts else []
