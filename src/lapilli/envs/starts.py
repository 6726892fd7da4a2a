"""Start positions for curricula: lists of positions for the argument `starts` of `lapilli.batch`.

    batch(game, 1024, starts=of_puzzles(game), usual=0.5)

The matches of an event in the store give positions, too: `of_records(match.record() for match in event.matches())`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from lapilli.core.api import CHANCE, Game, Setup, State
from lapilli.core.content.puzzles import read_puzzles
from lapilli.envs.batches.validation import count_of, game_of
from lapilli.match import Record, replay

_MOST = 1 << 16


def of_records(records: Iterable[Record], *, last: int | None = None, every: int = 1) -> list[State]:
    """Returns the positions of recorded matches in which a player is to act, without repetitions.

    Args:
        records: the records, all of the same game.
        last: how many of each match's last positions to use, such as 10 for a curriculum of endings; None for all.
        every: use only every n-th of these positions, counted from the end of the match.

    Raises:
        RecordError: a record is not valid.
        LapilliError: an argument is not valid.
    """
    step = count_of("every", every, _MOST)
    most = None if last is None else count_of("last", last, _MOST)
    found: list[State] = []
    for record in records:
        positions = [state for state, _ in replay(record) if _is_start(state)]
        found += positions[::-1][:most:step]
    return _different(found)


def of_puzzles(game: str | Game, *, level: int | None = None, **setup: Any) -> list[State]:
    """Returns the positions of a game's puzzles, without repetitions.

    Args:
        game: the game, or its name.
        level: greatest level of a puzzle to use; None for all. A puzzle's level is the number of the weakest built-in
            level that finds the solution.
        setup: keys of the setup, such as `players` and `variant`. Puzzles with another number of players, variant or
            league are left out.

    Raises:
        SetupError, UnknownName: there is no such game, or no such setup.
    """
    found = game_of(game)
    wanted = found.complete(Setup.from_dict(setup))
    states = []
    for puzzle in read_puzzles(found.content):
        own = found.complete(Setup.from_dict(puzzle.setup))
        fits = (own.players, own.variant, own.league) == (wanted.players, wanted.variant, wanted.league)
        if fits and (level is None or puzzle.level <= level):
            states.append(found.new_initial_state(own))
    return _different([state for state in states if _is_start(state)])


def of_openings(game: str | Game, **setup: Any) -> list[State]:
    """Returns the positions of a game's own openings: balanced positions from which to start matches.

    Args:
        game: the game, or its name.
        setup: keys of the setup, such as `players` and `variant`, for which the openings are meant.

    Raises:
        SetupError, UnknownName: there is no such game, or no such setup.
    """
    found = game_of(game)
    positions = found.openings(Setup.from_dict(setup))
    return [found.from_position(position, **setup) for position in positions]


def _is_start(state: State) -> bool:
    return not state.is_terminal() and state.current_player() != CHANCE


def _different(states: Iterable[State]) -> list[State]:
    """Returns the states without repetitions."""
    return list({state.array.tobytes(): state for state in states}.values())
