"""The games as OpenSpiel games: `pyspiel.load_game("lapilli_NAME")`, where NAME is the game's name.

Needs the extra `openspiel`. Importing this module registers the games. The parameters of a game are `players`,
`variant` and `league`, as in a setup; `seed`, where -1 means no seed; and `position`, where "" means the usual start
position.

Without a seed, random draws are chance nodes of OpenSpiel. With a seed, a game whose seed decides all draws, such as
the order of a pile, has no chance nodes, and its state contains the draws. So omit the seed for a search: with a seed,
it would see future draws, which no player may know. Turns in which all players act at once are simultaneous nodes of
OpenSpiel.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import Any
from urllib.parse import quote, unquote

import numpy as np

from lapilli.core.errors import LapilliError
from lapilli.core.game import Game
from lapilli.core.installed import how_to_install
from lapilli.core.setup import Setup
from lapilli.core.state import State
from lapilli.envs.arrays import takes_all
from lapilli.games import load, names
from lapilli.kernels.kernel import CHANCE

try:
    import pyspiel
except ImportError:
    raise LapilliError(f"OpenSpiel is not installed: {how_to_install('openspiel')}") from None

PREFIX = "lapilli_"
"""Beginning of the games' names in OpenSpiel."""
_NO_SEED = -1


class SpielGame(pyspiel.Game):  # type: ignore[misc]
    """A game with its setup, as an OpenSpiel game.

    Args:
        params: parameters of the game, such as `players` and `seed`; the game's defaults are used for missing ones.

    Attributes:
        game: the Lapilli Game. Each game has a subclass of SpielGame, which sets this attribute.
        setup: the complete setup.
    """

    game: Game

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        parameters = dict(params or {})
        self.setup = self.game.complete(_setup(parameters))
        self._start = self.game.new_initial_state(self.setup)
        if parameters.get("position"):  # OpenSpiel writes parameters into one line, where commas would separate them
            parameters["position"] = quote(unquote(parameters["position"]), safe=":/|+*")
        has_chance = _has_chance(self.game) and self._start == self._start.opened()  # no seed has decided chance
        super().__init__(
            _type(self.game, has_chance), _info(self.game, self.setup.players or 0, has_chance), parameters
        )

    def new_initial_state(self, state: Any = None) -> SpielState:
        """Returns a new state at the start position; `state` is ignored."""
        return SpielState(self, self._start.clone())

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> SpielObserver | SpielRecall | None:
        """Returns an observer, which writes what a player knows as a string or tensor. OpenSpiel calls this method
        itself, too.

        Args:
            iig_obs_type: kind of observation. With perfect recall, the observer writes all observations and actions of
                a player so far; otherwise only the player's current observation. None means: without perfect recall.
            params: must be empty.

        Returns:
            The observer. None if the kind is only public or only private information: such observers are not supported.

        Raises:
            LapilliError: `params` is not empty.
        """
        if params:
            raise LapilliError(f"params: an observer takes none, not {', '.join(params)}")
        kind = iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False)
        own = not takes_all(self.game) or kind.private_info == pyspiel.PrivateInfoType.SINGLE_PLAYER
        if not (kind.public_info and own):
            return None
        return SpielRecall(self.game) if kind.perfect_recall else SpielObserver(self.game)


class SpielState(pyspiel.State):  # type: ignore[misc]
    """A position, as an OpenSpiel state.

    Args:
        game: the OpenSpiel game to which the position belongs.
        own: the position as a Lapilli State.

    Attributes:
        own: the Lapilli State.
        seen: a string for each player, which lists the player's observations (as digests) and actions in all
            simultaneous turns so far.
    """

    def __init__(self, game: SpielGame, own: State) -> None:
        super().__init__(game)
        self.own = own
        self.seen = [""] * own.num_players

    def current_player(self) -> int:
        """Returns the player to act, or CHANCE, SIMULTANEOUS or TERMINAL. These constants have the same values in
        OpenSpiel.
        """
        return self.own.current_player()

    def _legal_actions(self, player: int) -> list[int]:
        return self.own.legal_actions(player)

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Returns the possible outcomes of the chance event, as pairs (action, probability)."""
        return self.own.chance_outcomes()

    def _apply_action(self, action: int) -> None:
        self.own.apply_action(action)

    def _apply_actions(self, actions: list[int]) -> None:
        seen = [f"{seen}{_digest(self.own, player)}:" for player, seen in enumerate(self.seen)]
        self.own.apply_actions(actions)
        self.seen = [f"{text}{action} " for text, action in zip(seen, actions, strict=True)]

    def _action_to_string(self, player: int, action: int) -> str:
        if player == CHANCE and self.own.current_player() != CHANCE:
            return str(action)
        return self.own.action_to_string(action, player if player >= 0 else None)

    def is_terminal(self) -> bool:
        return self.own.is_terminal()

    def returns(self) -> list[float]:
        """Returns each player's utility, in [-1, 1]. Utilities sum to 0; before the end of the game, all are 0."""
        return self.own.returns()

    def __str__(self) -> str:
        return self.own.position()


class SpielObserver:
    """An observer that writes a player's current observation into a tensor.

    `lapilli.core.rules.observation` describes what an observation contains.

    Attributes:
        tensor: the observation that the last call of `set_from` has written (float32).
        dict: the parts of `tensor` by name, each in its own shape. They share the memory of `tensor`.
    """

    def __init__(self, game: Game) -> None:
        self._game = game
        self.tensor = np.zeros(game.observation.size, np.float32)
        self.dict = game.observation.split(self.tensor)

    def set_from(self, state: SpielState, player: int) -> None:
        """Writes the player's current observation to `tensor`, and thereby to the parts in `dict`."""
        self.tensor[:] = state.own.observation(player)

    def string_from(self, state: SpielState, player: int) -> str:
        """Returns a string that identifies the player's observation.

        In games with simultaneous turns, where information is hidden, the string is a digest of the observation. In
        other games, it is the position, without future chance events that the seed has already decided.
        """
        return _digest(state.own, player) if takes_all(self._game) else state.own.opened().position()


class SpielRecall:
    """An observer that writes all observations and actions of a player so far, as a string. There is no tensor.

    The attributes that OpenSpiel expects exist, but `tensor` is None and `dict` is empty.
    """

    tensor = None

    def __init__(self, game: Game) -> None:
        self._hidden = takes_all(game)
        self.dict: dict[str, Any] = {}

    def set_from(self, state: SpielState, player: int) -> None:
        """Does nothing, because this observer has no tensor. OpenSpiel requires this method."""

    def string_from(self, state: SpielState, player: int) -> str:
        """Returns a string that identifies all that the player has seen so far.

        It contains each action of the player, preceded by a digest of the observation at that time, and at the end a
        digest of the current observation.

        In games without simultaneous turns, where nothing is hidden, it contains the actions of all players and all
        chance outcomes.
        """
        if not self._hidden:
            return str(state.history_str())
        return f"{state.seen[player]}{_digest(state.own, player)}"


def _digest(state: State, player: int) -> str:
    return blake2b(state.observation(player).tobytes(), digest_size=8).hexdigest()


def _setup(params: dict[str, Any]) -> Setup:
    """Converts OpenSpiel's parameters of a game to a setup. A value of "" or 0, or of -1 for `seed`, means the default.

    In OpenSpiel's string for a game, commas and brackets separate parameters. So `position` may be percent-encoded,
    with %2C for a comma.
    """
    keys = {key: value for key, value in params.items() if value not in ("", 0) or key == "seed"}
    if keys.get("seed", _NO_SEED) == _NO_SEED:
        keys.pop("seed", None)
    if "position" in keys:
        keys["position"] = unquote(keys["position"])
    return Setup.from_dict(keys)


def _type(game: Game, has_chance: bool) -> Any:
    """Returns the GameType of a game: OpenSpiel's description of everything but its sizes.

    Args:
        game: the game.
        has_chance: whether there are chance nodes.
    """
    kinds, simultaneous = pyspiel.GameType, takes_all(game)
    return kinds(
        short_name=f"{PREFIX}{game.name}",
        long_name=f"Lapilli {game.title}",
        dynamics=kinds.Dynamics.SIMULTANEOUS if simultaneous else kinds.Dynamics.SEQUENTIAL,
        chance_mode=kinds.ChanceMode.EXPLICIT_STOCHASTIC if has_chance else kinds.ChanceMode.DETERMINISTIC,
        information=kinds.Information.IMPERFECT_INFORMATION if simultaneous else kinds.Information.PERFECT_INFORMATION,
        utility=kinds.Utility.ZERO_SUM,
        reward_model=kinds.RewardModel.TERMINAL,
        max_num_players=max(game.players),
        min_num_players=min(game.players),
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification={"players": 0, "variant": "", "league": "", "position": "", "seed": _NO_SEED},
        default_loadable=True,
    )


def _info(game: Game, players: int, has_chance: bool) -> Any:
    """Returns the GameInfo of a game with this number of players: OpenSpiel's description of its sizes.

    `has_chance`: whether there are chance nodes.
    """
    return pyspiel.GameInfo(
        num_distinct_actions=game.num_distinct_actions,
        max_chance_outcomes=game.num_distinct_actions if has_chance else 0,
        num_players=players,
        min_utility=-1.0,
        max_utility=1.0,
        utility_sum=0.0,
        max_game_length=game.max_game_length,
    )


def _has_chance(game: Game) -> bool:
    """Returns whether the game's rules have chance events."""
    return hasattr(game.rules, "chance")


def _register() -> None:
    for name in names():
        if f"{PREFIX}{name}" not in pyspiel.registered_names():
            kind: Any = type(f"Spiel{name.title()}", (SpielGame,), {"game": load(name), "__module__": __name__})
            pyspiel.register_game(_type(kind.game, _has_chance(kind.game)), kind)


_register()
