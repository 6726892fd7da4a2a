"""Themes of puzzles, by which people choose them: what the best turn reaches, how deep it lies, what kind it is."""

from __future__ import annotations

from collections.abc import Callable

from lapilli.arena.puzzles.proof import LINE
from lapilli.core.api import Game, Setup, Step
from lapilli.core.content.puzzles import Puzzle
from lapilli.core.errors import LapilliError

_LEADING, _WINNING = 0.6, 0.9
"""Least expected scores after the best turn with which a player takes the lead, and wins."""
_GENERAL: dict[str, Callable[[Game, Puzzle], bool]] = {
    "Win": lambda _, puzzle: puzzle.value >= _WINNING,
    "Take the lead": lambda _, puzzle: _LEADING <= puzzle.value < _WINNING,
    "Save the game": lambda _, puzzle: puzzle.value < _LEADING,
    "Several turns": lambda _, puzzle: puzzle.turns > 1,
    "End of the game": lambda _, puzzle: len(puzzle.line) - puzzle.solution[-1][0] < LINE,
    "Hard to find": lambda game, puzzle: puzzle.level > len(game.levels),
}
"""Themes in all games, by title: whether a puzzle has the theme. A line that is shorter than others leads to the end of
the game. No level finds the solution of a puzzle that is hard to find.
"""


def themes_of(game: Game, puzzle: Puzzle) -> dict[str, str]:
    """Returns a puzzle's themes: titles by key, which stands in addresses, as in {"several-turns": "Several turns"}.

    First come those that puzzles of all games can have, then the game's own, see `Game.themes`.
    """
    titles = [title for title, fits in _GENERAL.items() if fits(game, puzzle)]
    return {title.lower().replace(" ", "-"): title for title in (*titles, *_own_themes(game, puzzle))}


def _own_themes(game: Game, puzzle: Puzzle) -> list[str]:
    """Returns the titles of the game's own themes of a puzzle's first turn."""
    try:
        state = game.new_initial_state(Setup.from_dict(puzzle.setup))
        before = state.clone()
        report = game.protocol.play_turn(state, dict(puzzle.line[0]) if puzzle.line else {puzzle.player: puzzle.reply})
    except LapilliError:  # a store can hold puzzles of an earlier version of the game
        return []
    return game.themes(Step(before, report), state, puzzle.player)
