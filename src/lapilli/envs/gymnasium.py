"""The games as Gymnasium environments: one player is the learner, a built-in opponent plays for all other players.

Needs the extra `gymnasium`. Importing this module registers an id for every game:
`gymnasium.make("lapilli.envs.gymnasium:lapilli/NAME-v0")`, where NAME is the game's name. `info["action_mask"]` and
`action_masks()` contain the learner's legal actions; some RL libraries expect the former, others the latter. An illegal
action is refused: nothing happens, and `info["refused"]` is true.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from lapilli.core.errors import LapilliError
from lapilli.core.game import Game
from lapilli.core.installed import how_to_install
from lapilli.core.reading.numbers import action_number
from lapilli.envs.arrays import has_masks, takes_all
from lapilli.envs.batch import Batch, batch
from lapilli.envs.batches.validation import actions_of, game_of
from lapilli.envs.opponents.one_learner import OneLearnerBatch
from lapilli.envs.single import (
    HUMAN,
    RENDER_MODES,
    Opponent,
    Single,
    begun,
    built_in,
    check_render_mode,
    player_number,
    rendered,
    setup_of,
)
from lapilli.games import names
from lapilli.kernels.kernel import SIMULTANEOUS

try:
    import gymnasium
    from gymnasium.spaces import Box, Discrete, MultiDiscrete
    from gymnasium.vector import AutoresetMode, VectorEnv
except ImportError:
    raise LapilliError(f"Gymnasium is not installed: {how_to_install('gymnasium')}") from None

if TYPE_CHECKING:
    from lapilli.envs.opponents.past_selves import PastSelves

Others = Callable[[Batch], Any]
"""A function that chooses the actions of all players but the learner. It receives the batch, and returns actions in the
shape that `Batch.step` takes. Actions that it returns for the learner are ignored.
"""


class GameEnv(gymnasium.Env):  # type: ignore[misc]
    """An environment with one game. One player is the learner; a built-in opponent plays for all other players.

    Args:
        game: name of the game, or a Game.
        opponent: name of the built-in opponent, such as "random", "greedy" or "level3".
        player: the learner's player number. None: in each game, the learner is a random player, drawn with the game's
            seed.
        render_mode: "human", which prints the board after each step, "ansi", "rgb_array", "svg" or None.
        setup: keys of the game's setup, but not `seed`: pass the seed to `reset`.

    Raises:
        UnknownName: the game, opponent or render mode does not exist.
        SetupError: the setup is not valid.
        LapilliError: the game has no player with this number.
    """

    metadata = {"render_modes": list(RENDER_MODES)}  # noqa: RUF012 - Gymnasium's own way

    def __init__(
        self,
        game: str | Game,
        opponent: str = "random",
        player: int | None = None,
        render_mode: str | None = None,
        **setup: Any,
    ) -> None:
        check_render_mode(render_mode)
        self.game = game_of(game)
        self.setup = self.game.complete(setup_of(setup))
        self._game: Single | None = None
        self.player = None if player is None else player_number(player, self.setup.players or 0)
        built_in(self.game, opponent, 0)
        self.opponent, self.render_mode = opponent, render_mode
        self.observation_space, self.action_space = _spaces(self.game)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Starts a new game, and plays for the other players until the learner is to act. Equal seeds give equal games.

        `options` is ignored.

        Returns:
            The learner's observation; and a dict with `action_mask`, `refused` and `player`, the learner's player
            number.
        """
        super().reset(seed=seed)
        own = int(self.np_random.integers(1 << 62))
        self._game = Single(self.game, self.setup, own)
        players = self._single.state.num_players
        self._learner = own % players if self.player is None else self.player
        others = (player for player in range(players) if player != self._learner)
        self._others = {player: Opponent(self.game, self.opponent, own + 1 + player) for player in others}
        self._let_others_play()
        self._show()
        return self._observation(), self._info(refused=False)

    def step(self, action: int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Plays the learner's action, and then plays for the other players until the learner is to act again.

        Returns:
            Five values: the learner's observation; the reward, which is the learner's utility in [-1, 1] at the end of
            the game and 0 before; whether the game is over; False, because games are never truncated; a dict with
            `action_mask`, `refused` and `player`.
        """
        single = self._single
        number = action_number(action)
        if not single.state.accepts(number, self._learner):
            return self._observation(), 0.0, single.state.is_terminal(), False, self._info(refused=True)
        self._play(number)
        self._let_others_play()
        self._show()
        return (
            self._observation(),
            single.state.returns()[self._learner],
            single.state.is_terminal(),
            False,
            self._info(refused=False),
        )

    @property
    def _single(self) -> Single:
        return begun(self._game)

    def action_masks(self) -> Any:
        """Returns, for each action, whether it is legal for the learner now: an array of bool, shape (actions,)."""
        return self._single.mask(self._learner).astype(np.bool_)

    def render(self) -> Any:
        """Returns a picture of the position in the environment's render mode: ASCII, pixels or SVG.

        Returns None without a render mode, and with "human", which prints the picture.
        """
        return None if self.render_mode is None else rendered(self._single.state, self.render_mode)

    def _show(self) -> None:
        if self.render_mode == HUMAN:
            self.render()

    def _play(self, number: int) -> None:
        """Plays the learner's action `number`. In a simultaneous turn, the other players act, too."""
        state = self._single.state
        if state.current_player() != SIMULTANEOUS:
            self._single.play([number])
            return
        joint_action = [
            number if player == self._learner else self._others[player].action(state, player)
            for player in range(state.num_players)
        ]
        self._single.play(joint_action)

    def _let_others_play(self) -> None:
        """Plays for the other players until the learner has a choice of actions, or the game is over."""
        state = self._single.state
        while not state.is_terminal():
            current_player = state.current_player()
            if current_player == SIMULTANEOUS:
                others_act = any(other.has_more(state) for other in self._others.values())
                if not others_act or state.legal_actions(self._learner) != [nothing := state.legal_actions(0)[0]]:
                    return
                self._play(nothing)
            elif current_player == self._learner:
                return
            else:
                self._single.play([self._others[current_player].action(state, current_player)])

    def _observation(self) -> Any:
        return self._single.state.observation(self._learner)

    def _info(self, refused: bool) -> dict[str, Any]:
        return {"action_mask": self._single.mask(self._learner), "refused": refused, "player": self._learner}


class GameVectorEnv(VectorEnv):  # type: ignore[misc]
    """A vector environment: many games at once, played in a `lapilli.batch`.

    When a game has ended, the next step ignores the action for this game, and starts a new game in its place
    (Gymnasium's autoreset mode "next step").

    Args:
        game: name of the game, or a Game.
        num_envs: number of games.
        player: the learner's player number, the same in all games. None, only with `opponent`: the learner is a random
            player in each game.
        others: function that chooses the other players' actions; by default, these are random legal actions.
        opponent: name of a built-in opponent that plays for all other players, such as "level3"; a list with a name for
            each game; or a `PastSelves`, see the argument `others` of `lapilli.batch`. It replaces the function
            `others`.
        keys: further arguments of `lapilli.batch`: `seed`, `threads`, `starts` and keys of the setup.

    Raises:
        LapilliError: an argument is not valid for `lapilli.batch`, or the game has no player with this number.
    """

    metadata = {"autoreset_mode": AutoresetMode.NEXT_STEP, "render_modes": []}  # noqa: RUF012 - Gymnasium's own way

    def __init__(
        self,
        game: str | Game,
        num_envs: int,
        player: int | None = 0,
        others: Others = Batch.sample,
        opponent: str | Sequence[str] | PastSelves | None = None,
        **keys: Any,
    ) -> None:
        if "autoreset" in keys:
            raise LapilliError("autoreset: this environment always starts a new game with the step after the end")
        if not callable(others):
            raise LapilliError(f"others: expected a function from a batch to actions, not {others!r}")
        built_in: dict[str, Any] = {} if opponent is None else {"others": opponent, "player": player}
        self.batch = batch(game, num_envs, autoreset=False, **built_in, **keys)
        self.num_envs = num_envs
        self._rewards: Any = None
        self.player = player if opponent is not None else player_number(player, self.batch.num_players)
        self._others = others
        self.single_observation_space, self.single_action_space = _spaces(self.batch.game)
        low, high = (
            np.tile(end, (num_envs, 1))
            for end in (self.single_observation_space.low, self.single_observation_space.high)
        )
        self.observation_space = Box(low, high, dtype=self.batch.game.observation.dtype)
        self.action_space = MultiDiscrete(np.full(num_envs, self.batch.game.num_distinct_actions))

    def reset(
        self, *, seed: int | Sequence[int] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Starts new games, and plays for the other players until the learner is to act in each game.

        Args:
            seed: an integer, from which a different seed for each game is computed; or a list with one seed for each
                game. None: the random generators of the games continue.
            options: ignored.

        Returns:
            The learner's observations; a dict with `refused` and the learner's legal actions. These are `action_mask`
            in games of up to 4,096 actions; in others, `legal_actions` (ascending lists) and `legal_counts` (how many
            entries of each list are valid). With `opponent`, the dict also contains `player`: the learner's player
            numbers.
        """
        self.batch.reset(seed=seed)
        self._rewards = np.zeros(self.num_envs)
        self._let_others_play()
        return self._results(np.zeros(self.num_envs, np.bool_))

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Plays an action of the learner in every game, and then for the other players until the learner is to act
        again.

        Args:
            actions: one action for each game, shape (num_envs,).

        Returns:
            Five values: the learner's observations; rewards, which are the learner's utilities in games that have just
            ended, and 0 in others; whether each game is over; False for each game, because games are never truncated; a
            dict with `refused` (whether the learner's action was refused), the learner's legal actions and, with
            `opponent`, `player`.
        """
        if self._rewards is None:
            raise LapilliError("no game has begun: call reset first")
        games, own_actions = self.batch, actions_of(actions, (self.num_envs,))
        over = games.terminated.copy()
        if isinstance(games, OneLearnerBatch):
            games.step(own_actions)
            self._rewards[:] = games.learner_rewards
            refused = games.refused >= 0
        else:
            joint = own_actions
            if takes_all(games.game):
                joint = self._other_actions().astype(np.int64)
                joint[:, self.player] = own_actions
            self._rewards[:] = 0
            self._step(np.where(over if joint.ndim == 1 else over[:, None], -1, joint))
            refused = (games.refused == self.player) & ~over
        if over.any():
            games.reset(where=over)
        self._let_others_play()
        observations, info = self._results(refused)
        return observations, self._rewards.copy(), games.terminated.copy(), np.zeros(self.num_envs, np.bool_), info

    def _step(self, actions: Any) -> None:
        self.batch.step(actions)
        self._rewards += self.batch.rewards[:, self.player]

    def _let_others_play(self) -> None:
        """Plays for the other players until the learner is to act in every game that is not over.

        Games in which the learner is to act wait until this is so in all other games, too. In each step of the batch,
        the action for such a game is -1. The batch refuses this action, so that nothing happens in the game.
        """
        games = self.batch
        if isinstance(games, OneLearnerBatch):
            return
        while (waiting := (games.current_player >= 0) & (games.current_player != self.player)).any():
            self._step(np.where(waiting, self._other_actions(), -1))

    def _other_actions(self) -> Any:
        """Returns the actions that the caller's function `others` chooses.

        Raises LapilliError if the result of `others` has a wrong shape or type.
        """
        shape = (self.num_envs, self.batch.seats) if takes_all(self.batch.game) else (self.num_envs,)
        return actions_of(self._others(self.batch), shape, "others")

    def _results(self, refused: Any) -> tuple[Any, dict[str, Any]]:
        games = self.batch
        info: dict[str, Any] = {"refused": refused}
        legal, counts = games.legal, games.legal_counts
        if isinstance(games, OneLearnerBatch):
            observations, info["player"] = games.observations.copy(), games.learners.copy()
        else:
            observations = games.observe(self.player)
            if takes_all(games.game):
                legal, counts = legal[:, self.player], counts[:, self.player]
        if has_masks(games.game):
            info["action_mask"] = legal.copy()
        else:
            info |= {"legal_actions": legal.copy(), "legal_counts": counts.copy()}
        return observations, info


def _spaces(game: Game) -> tuple[Any, Any]:
    """Returns the observation space and the action space of a game, in this order."""
    limits = np.iinfo(game.observation.dtype)
    observations = Box(limits.min, limits.max, (game.observation.size,), game.observation.dtype)
    return observations, Discrete(game.num_distinct_actions)


def _register() -> None:
    for name in names():
        if f"lapilli/{name}-v0" not in gymnasium.registry:
            gymnasium.register(
                f"lapilli/{name}-v0",
                entry_point="lapilli.envs.gymnasium:GameEnv",
                vector_entry_point="lapilli.envs.gymnasium:GameVectorEnv",
                kwargs={"game": name},
            )


_register()
