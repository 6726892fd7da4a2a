"""A single game for an RL interface: chance events drawn from a seed, and built-in opponents that play action by
action."""

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
from lapilli.players.engines.searches import Thinker, find_thinker, thinker_names
from lapilli.search.budget import Budget
from lapilli.search.searcher import new_searcher
from lapilli.viewer.pictures import decoded, png
from lapilli.viewer.svg import svg

RENDER_MODES = ("ansi", "rgb_array", "svg")
"""The ways to show a position: as ASCII, as pixels (needs the extra `pictures`), as SVG."""
Turns = Callable[[State, int], Sequence[int]]
"""A function (state, player) that returns the atomic actions of that player's whole turn. The state is a
copy that the function may change."""
_WIDTH = 600
_SEEDS = 1 << 62


def check_render_mode(mode: str | None) -> None:
    """Raises UnknownName if there is no such render mode."""
    if mode is not None and mode not in RENDER_MODES:
        raise UnknownName("render mode", str(mode), RENDER_MODES)


def rendered(state: State, mode: str) -> Any:
    """Returns the position as ASCII, as an array (height, width, 3) of uint8, or as SVG."""
    if mode == "ansi":
        return str(state)
    scene = state.game.picture(state, None)
    if mode == "svg":
        return svg(scene, state.game.sides)
    return decoded(png(scene, state.game.sides, _WIDTH))


class Single:
    """One game. A seed determines its start and all its chance events.

    Args:
        setup: setup of the game; its seed is ignored.
    """

    def __init__(self, game: Game, setup: Setup, seed: int) -> None:
        self.state = game.new_initial_state(Setup.from_dict(setup.to_dict() | {"seed": seed % _SEEDS}))
        self._rng = new_random(seed)
        self._draw()

    def play(self, actions: Sequence[int]) -> None:
        """Plays one action of the player to act, or one of each player if all act, and the chance events after it.

        Raises:
            IllegalAction: an action is illegal, or the game is over; nothing was changed.
        """
        if self.state.is_terminal():
            raise IllegalAction("the game is over")
        if self.state.current_player() == SIMULTANEOUS:
            self.state.apply_actions(actions)
        else:
            self.state.apply_action(*actions)
        self._draw()

    def actors(self) -> tuple[int, ...]:
        """Returns the players to act: none at the end, all in a simultaneous turn."""
        mover = self.state.current_player()
        if mover == SIMULTANEOUS:
            return tuple(range(self.state.num_players))
        return (mover,) if mover >= 0 else ()

    def mask(self, player: int) -> Any:
        """Returns which actions are legal for a player now: int8, shape (actions,)."""
        mask = np.zeros(self.state.game.num_distinct_actions, np.int8)
        if player in self.actors():
            mask[self.state.legal_actions(player)] = 1
        return mask

    def _draw(self) -> None:
        state = self.state
        while state.current_player() == CHANCE:
            state.apply_action(int(state.game.verbs.chance(state.record, self._rng, *state.world)))


def setup_of(keys: Mapping[str, Any]) -> Setup:
    """Returns the setup with these keys. Raises SetupError if they are not valid, or contain a seed."""
    if "seed" in keys:
        raise SetupError("seed: each game has one of its own: give it to reset")
    return Setup.from_dict(keys)


def begun(single: Single | None) -> Single:
    """Returns the current game. Raises LapilliError if there is none yet."""
    if single is None:
        raise LapilliError("no game has begun: call reset first")
    return single


def built_in(game: Game, name: str, seed: int) -> Turns:
    """Returns a built-in opponent, by its name as in `lapilli match`. Raises UnknownName, or LapilliError for a
    setting."""
    random = Random(seed)
    if isinstance(name, str) and (thinker := find_thinker(game, name)):
        return _Thinking(game, thinker, random)
    engines = builtin_engines(game)
    if name not in engines:
        raise UnknownName("built-in opponent", str(name), [*engines, *thinker_names(game)])
    return partial(_played_by, engines[name], random)


def _played_by(engine: Engine, random: Random, state: State, player: int) -> Sequence[int]:
    return engine(state, player, random)


class _Thinking:
    """The turns of a search. A copy, such as one in a copied environment, has a search of its own."""

    def __init__(self, game: Game, thinker: Thinker, random: Random) -> None:
        self._game, self._thinker, self._random = game, thinker, random
        self._searcher = new_searcher(game, thinker.search, {})

    def __call__(self, state: State, player: int) -> Sequence[int]:
        budget = self._thinker.budget or Budget(ms=self._game.reply_ms)
        return self._searcher.think(state, player, budget, self._random.getrandbits(62)).turn

    def __reduce__(self) -> tuple[Any, ...]:
        return _Thinking, (self._game, self._thinker, self._random)


class Opponent:
    """A built-in opponent that plays one action at a time. It does not use hidden information."""

    def __init__(self, game: Game, name: str, seed: int) -> None:
        self._turns = built_in(game, name, seed)
        self._random = Random(~seed)
        self._left: list[int] = []
        self._turn = -1

    def action(self, state: State, player: int) -> int:
        """Returns its next action. If its turn is over while others still act, that is the lowest one, which does
        nothing."""
        if state.turn != self._turn or (not self._left and state.current_player() == player):
            self._turn = state.turn
            own = state.determinised(self._random.getrandbits(62))
            self._left = list(self._turns(own, player))
        action = self._left.pop(0) if self._left else state.legal_actions(player)[0]
        return action if state.accepts(action, player) else state.legal_actions(player)[0]

    def has_more(self, state: State) -> bool:
        """Returns whether there are more actions in its turn."""
        return state.turn == self._turn and bool(self._left)


def player_number(player: Any, players: int) -> int:
    """Returns a player's number. Raises LapilliError if there is no such player."""
    if isinstance(player, bool) or player not in range(players):
        raise LapilliError(f"player: no player {player!r}: players are 0 to {players - 1}")
    return int(player)
