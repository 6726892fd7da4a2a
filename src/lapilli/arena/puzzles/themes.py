"""Themes of puzzles, by which people choose them: what the best turn reaches, how deep it lies, what kind it is."""

from __future__ import annotations

from collections.abc import Callable

from lapilli.arena.puzzles.proof import LINE
from lapilli.core.api import Game, Setup, Step
from lapilli.core.content.puzzles import Puzzle
from lapilli.core.errors import LapilliError

_LEADING, _WINNING = 0.6, 0.9
"""Smallest expected scores after the best turn, from 0 to 1: `_LEADING` if the player takes the lead, `_WINNING` if the
player wins.
"""
_GENERAL: dict[str, Callable[[Game, Puzzle], bool]] = {
    "Win": lambda _, puzzle: puzzle.value >= _WINNING,
    "Take the lead": lambda _, puzzle: _LEADING <= puzzle.value < _WINNING,
    "Save the game": lambda _, puzzle: puzzle.value < _LEADING,
    "Several turns": lambda _, puzzle: puzzle.turns > 1,
    "End of the game": lambda _, puzzle: len(puzzle.line) - puzzle.solution[-1][0] < LINE,
    "Hard to find": lambda game, puzzle: puzzle.level > len(game.levels),
}
"""Themes that puzzles of all games can have: for each title, a function that returns whether a puzzle has the theme.

A stored line with fewer than LINE turns ended because the game was over. A puzzle is hard to find if no level finds its
solution: its `level` is then greater than the number of levels.
"""


def themes_of(game: Game, puzzle: Puzzle) -> dict[str, str]:
    """Returns a puzzle's themes: titles by the key for URLs, as in {"several-turns": "Several turns"}.

    Themes that puzzles of all games can have come first, then the game's own themes (`Game.themes`).
    """
    titles = [title for title, fits in _GENERAL.items() if fits(game, puzzle)]
    return {title.lower().replace(" ", "-"): title for title in (*titles, *_own_themes(game, puzzle))}


def _own_themes(game: Game, puzzle: Puzzle) -> list[str]:
    """Returns the titles of the game's own themes that the first turn of a puzzle's solution has."""
    try:
        state = game.new_initial_state(Setup.from_dict(puzzle.setup))
        before = state.clone()
        report = game.protocol.play_turn(state, dict(puzzle.line[0]) if puzzle.line else {puzzle.player: puzzle.reply})
    except LapilliError:  # a store can hold puzzles of an earlier version of the game
        return []
    return game.themes(Step(before, report), state, puzzle.player)
