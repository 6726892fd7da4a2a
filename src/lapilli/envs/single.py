"""Code that all environments with a single game share: positions, chance events, built-in opponents, rendering."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from random import Random
from typing import Any

import numpy as np

from lapilli.core.errors import IllegalAction, LapilliError, SetupError, UnknownName
from lapilli.core.game import Engine, Game
from lapilli.core.setup import Setup
from lapilli.core.state import State
from lapilli.kernels.kernel import CHANCE, SIMULTANEOUS, new_random
from lapilli.players.engines.builtin import builtin_engines
from lapilli.players.engines.searches import NamedSearch, find_search, search_names
from lapilli.search.budget import Budget
from lapilli.search.searcher import new_searcher
from lapilli.viewer.drawing.pictures import decoded, png
from lapilli.viewer.drawing.svg import svg

HUMAN = "human"
RENDER_MODES = (HUMAN, "ansi", "rgb_array", "svg")
"""Names of the ways to render a position: printed after each step, as ASCII, as pixels (needs the extra `pictures`),
and as SVG.
"""
Turns = Callable[[State, int], Sequence[int]]
"""A function (state, player) that returns the actions of the player's whole turn. The function may change `state`, so
callers pass a copy.
"""
_WIDTH = 600
_SEEDS = 1 << 62


def check_render_mode(mode: str | None) -> None:
    """Raises UnknownName unless `mode` is None or one of RENDER_MODES."""
    if mode is not None and mode not in RENDER_MODES:
        raise UnknownName("render mode", str(mode), RENDER_MODES)


def rendered(state: State, mode: str) -> Any:
    """Returns a picture of a position in the render mode `mode`, one of RENDER_MODES.

    The picture is a string for "ansi" and "svg". For "rgb_array", it is an array of uint8 of shape (height, width, 3).
    With "human", the picture is printed, and the result is None.
    """
    if mode == HUMAN:
        print(state, flush=True)
        return None
    if mode == "ansi":
        return str(state)
    scene = state.game.picture(state, None)
    if mode == "svg":
        return svg(scene, state.game.sides)
    return decoded(png(scene, state.game.sides, _WIDTH))


class Single:
    """One game that is being played. Chance events are played at once, so in `state` a player is to act or the game is
    over.

    Args:
        game: the game.
        setup: setup of the game. The seed in it is ignored.
        seed: seed that determines the start position and all chance events.

    Attributes:
        state: the position.
    """

    def __init__(self, game: Game, setup: Setup, seed: int) -> None:
        self.state = game.new_initial_state(Setup.from_dict(setup.to_dict() | {"seed": seed % _SEEDS}))
        self._rng = new_random(seed)
        self._draw()

    def play(self, actions: Sequence[int]) -> None:
        """Plays one step of the game, and the chance events after it.

        Args:
            actions: a list with the action of the player to act; in a simultaneous turn, a list with one action of each
                player.

        Raises:
            IllegalAction: an action is illegal, or the game is over. Nothing was changed.
        """
        if self.state.is_terminal():
            raise IllegalAction("the game is over")
        if self.state.current_player() == SIMULTANEOUS:
            self.state.apply_actions(actions)
        else:
            self.state.apply_action(*actions)
        self._draw()

    def actors(self) -> tuple[int, ...]:
        """Returns the players to act: one player; in a simultaneous turn, all players; at the end of the game, none."""
        current_player = self.state.current_player()
        if current_player == SIMULTANEOUS:
            return tuple(range(self.state.num_players))
        return (current_player,) if current_player >= 0 else ()

    def mask(self, player: int) -> Any:
        """Returns a player's legal actions as a mask: an array of int8 of shape (actions,), with 1 for each legal
        action.
        """
        mask = np.zeros(self.state.game.num_distinct_actions, np.int8)
        if player in self.actors():
            mask[self.state.legal_actions(player)] = 1
        return mask

    def _draw(self) -> None:
        state = self.state
        while state.current_player() == CHANCE:
            state.apply_action(int(state.game.verbs.chance(state.record, self._rng, *state.static)))


def setup_of(keys: Mapping[str, Any]) -> Setup:
    """Returns the setup with these keys. Raises SetupError if a key or value is not valid, or if `seed` is among the
    keys.
    """
    if "seed" in keys:
        raise SetupError("seed: each game has its own: pass it to reset")
    return Setup.from_dict(keys)


def begun(single: Single | None) -> Single:
    """Returns `single`. Raises LapilliError for None, which means that the environment was not reset yet."""
    if single is None:
        raise LapilliError("no game has begun: call reset first")
    return single


def built_in(game: Game, name: str, seed: int) -> Turns:
    """Returns a function that chooses the turns of a built-in opponent.

    Args:
        game: the game.
        name: name of the opponent, such as "greedy" or "best:nodes=400".
        seed: seed of the opponent's random numbers.

    Raises:
        UnknownName: no opponent has this name.
        LapilliError: a setting in the name is not valid.
    """
    random = Random(seed)
    if isinstance(name, str) and (named := find_search(game, name)):
        return _SearchTurns(game, named, random)
    engines = builtin_engines(game)
    if name not in engines:
        raise UnknownName("built-in opponent", str(name), [*engines, *search_names(game)])
    return partial(_engine_turn, engines[name], random)


def _engine_turn(engine: Engine, random: Random, state: State, player: int) -> Sequence[int]:
    return engine(state, player, random)


class _SearchTurns:
    """Chooses turns by a built-in search: a function (state, player) that returns the actions of a whole turn.

    `copy.deepcopy` gives the copy a search of its own.

    Args:
        game: the game.
        named: the search, with its settings and its limit.
        random: random generator that draws the seeds of the searches.
    """

    def __init__(self, game: Game, named: NamedSearch, random: Random) -> None:
        self._game, self._named_search, self._random = game, named, random
        self._searcher = new_searcher(game, named.search, {})

    def __call__(self, state: State, player: int) -> Sequence[int]:
        budget = self._named_search.budget or Budget(ms=self._game.reply_ms)
        return self._searcher.search(state, player, budget, self._random.getrandbits(62)).turn

    def __reduce__(self) -> tuple[Any, ...]:
        return _SearchTurns, (self._game, self._named_search, self._random)


class Opponent:
    """A built-in opponent that plays one action at a time. It does not use hidden information.

    Args:
        game: the game.
        name: name of the opponent, such as "greedy" or "best:nodes=400".
        seed: seed of the opponent's random numbers.
    """

    def __init__(self, game: Game, name: str, seed: int) -> None:
        self._turns = built_in(game, name, seed)
        self._random = Random(~seed)
        self._actions_left: list[int] = []
        self._turn = -1

    def action(self, state: State, player: int) -> int:
        """Returns the next action of the opponent, which plays as `player`.

        If the opponent's own turn is over but other players still act, this is the lowest legal action, which does
        nothing.
        """
        if state.turn != self._turn or (not self._actions_left and state.current_player() == player):
            self._turn = state.turn
            own = state.determinised(self._random.getrandbits(62))
            self._actions_left = list(self._turns(own, player))
        action = self._actions_left.pop(0) if self._actions_left else state.legal_actions(player)[0]
        return action if state.accepts(action, player) else state.legal_actions(player)[0]

    def has_more(self, state: State) -> bool:
        """Returns whether the opponent has actions left in the current turn."""
        return state.turn == self._turn and bool(self._actions_left)


def player_number(player: Any, players: int) -> int:
    """Returns a player number as an int. Raises LapilliError unless it is from 0 to `players` - 1."""
    if isinstance(player, bool) or player not in range(players):
        raise LapilliError(f"player: no player {player!r}: players are 0 to {players - 1}")
    return int(player)
