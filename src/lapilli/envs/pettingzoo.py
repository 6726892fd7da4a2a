"""The games as PettingZoo environments. Needs the extra `pettingzoo`.

An agent is a player. Its observation is a dict with `observation` (see `lapilli.core.rules.observation`) and
`action_mask`, the agent's legal actions now. An illegal action raises IllegalAction, and changes nothing.

In a game with simultaneous turns, an agent's turn consists of several actions. The agents of `env` choose them one
after the other, without knowing what the others choose. The agents of `parallel_env` choose at once. The lowest action
ends an agent's turn, and the whole turn is played when all agents have ended their turns.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from lapilli.core.errors import IllegalAction, LapilliError, UnknownName
from lapilli.core.game import Game
from lapilli.core.installed import how_to_install
from lapilli.core.reading.numbers import action_number
from lapilli.core.reading.text import quoted
from lapilli.core.setup import Setup
from lapilli.envs.arrays import takes_all
from lapilli.envs.batches.validation import game_of
from lapilli.envs.single import HUMAN, RENDER_MODES, Single, begun, check_render_mode, rendered, setup_of
from lapilli.kernels.kernel import SIMULTANEOUS

try:
    from gymnasium.spaces import Box, Dict, Discrete
    from pettingzoo import AECEnv, ParallelEnv
except ImportError:
    raise LapilliError(f"PettingZoo is not installed: {how_to_install('pettingzoo')}") from None


def env(game: str | Game, render_mode: str | None = None, **setup: Any) -> TurnsEnv:
    """Returns an environment whose agents act one after the other (PettingZoo's AEC API). This works with every game.

    Args:
        game: name of the game, or a Game.
        render_mode: "human", which prints the board after each step, "ansi", "rgb_array", "svg" or None.
        setup: keys of the game's setup: `players`, `variant`, `league` and others, but not `seed`: pass the seed to
            `reset`.

    Raises:
        UnknownName: the game or render mode does not exist.
        SetupError: the setup is not valid.
    """
    return TurnsEnv(game_of(game), setup_of(setup), render_mode)


def parallel_env(game: str | Game, render_mode: str | None = None, **setup: Any) -> JointEnv:
    """Returns an environment whose agents act at once (PettingZoo's parallel API).

    Args:
        game: name of the game, or a Game. The game must have simultaneous turns.
        render_mode: "human", which prints the board after each step, "ansi", "rgb_array", "svg" or None.
        setup: keys of the game's setup: `players`, `variant`, `league` and others, but not `seed`: pass the seed to
            `reset`.

    Raises:
        LapilliError: an argument is not valid, or the game has no simultaneous turns.
    """
    found_game, own_setup = game_of(game), setup_of(setup)
    if not takes_all(found_game) or found_game.new_initial_state(own_setup).current_player() != SIMULTANEOUS:
        raise LapilliError(f"{found_game.title} has players who act one after the other: use env")
    return JointEnv(found_game, own_setup, render_mode)


class _Spaces:
    """Base class of TurnsEnv and JointEnv. It contains what they share: agents, spaces, observations and rendering.

    Args:
        game: the game.
        setup: setup of the game, without the seed.
        render_mode: "human", which prints the board after each step, "ansi", "rgb_array", "svg" or None.
    """

    def __init__(self, game: Game, setup: Setup, render_mode: str | None) -> None:
        check_render_mode(render_mode)
        self.game, self.setup, self.render_mode = game, game.complete(setup), render_mode
        self.metadata = {"render_modes": list(RENDER_MODES), "name": f"{game.name}_v0", "is_parallelizable": False}
        self.possible_agents = [f"player_{player}" for player in range(self.setup.players or 0)]
        self.agents = self.possible_agents[:]
        self._spaces: dict[str, tuple[Any, Any]] = {agent: _spaces(game) for agent in self.agents}
        self._random = np.random.default_rng()
        self._game: Single | None = None

    def observation_space(self, agent: str) -> Any:
        return self._spaces[self._checked(agent)][0]

    def action_space(self, agent: str) -> Any:
        return self._spaces[self._checked(agent)][1]

    def _checked(self, agent: str) -> str:
        """Checks the name of an agent and returns it. Raises UnknownName if the environment has no such agent."""
        if agent not in self.possible_agents:
            raise UnknownName("agent", str(agent), self.possible_agents)
        return agent

    @property
    def _single(self) -> Single:
        return begun(self._game)

    def observe(self, agent: str) -> dict[str, Any]:
        """Returns a dict with the agent's `observation` (numbers) and `action_mask` (1 for each legal action)."""
        player = self.possible_agents.index(self._checked(agent))
        return {"observation": self._single.state.observation(player), "action_mask": self._single.mask(player)}

    def render(self) -> Any:
        """Returns a picture of the position in the environment's render mode: ASCII, pixels or SVG.

        Returns None without a render mode, and with "human", which prints the picture.
        """
        return None if self.render_mode is None else rendered(self._single.state, self.render_mode)

    @property
    def state_space(self) -> Any:
        """The space (set of possible values) of the arrays that `state` returns."""
        seen = _spaces(self.game)[0]["observation"]
        players = len(self.possible_agents)
        return Box(np.tile(seen.low, players), np.tile(seen.high, players), dtype=seen.dtype)

    def state(self) -> Any:
        """Returns the observations of all players as one array: first that of player 0, then that of player 1, and so
        on.
        """
        state = self._single.state
        return np.concatenate([state.observation(player) for player in range(state.num_players)])

    def close(self) -> None:
        """Does nothing: the environment holds no resources."""

    def _begin(self, seed: int | None) -> None:
        if seed is not None:
            if not isinstance(seed, (int, np.integer)) or seed < 0:
                raise LapilliError(f"seed: expected a whole number from 0 on, not {quoted(seed, 40)}")
            self._random = np.random.default_rng(seed)
        self._game = Single(self.game, self.setup, int(self._random.integers(1 << 62)))
        self.agents = self.possible_agents[:]

    def _show(self) -> None:
        """Prints the board, if the render mode is "human"."""
        if self.render_mode == HUMAN:
            self.render()

    def _returns(self) -> dict[str, float]:
        return dict(zip(self.possible_agents, self._single.state.returns(), strict=True))


class TurnsEnv(_Spaces, AECEnv):  # type: ignore[misc]
    """An environment whose agents act one after the other, created by `env`."""

    @property
    def agent_selection(self) -> str:
        """The agent to act next. Raises LapilliError before the first `reset`."""
        begun(self._game)
        return self._selected

    @agent_selection.setter
    def agent_selection(self, agent: str) -> None:
        self._selected = agent

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Starts a new game. The same seed gives the same game. `options` is ignored."""
        self._begin(seed)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._chosen: list[int] = []
        self._select()
        self._show()

    def step(self, action: int | None) -> None:
        """Plays an action of the selected agent, `agent_selection`. After the end of the game, the action must be None.

        In a simultaneous turn, the actions of all agents are played together, when the last agent has chosen.

        Raises:
            IllegalAction: the action is illegal. Nothing was changed.
        """
        single, agent = self._single, self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        player = self.possible_agents.index(agent)
        number = action_number(action)
        if not single.state.accepts(number, player):
            raise IllegalAction(f"action: {number} is no legal action of {agent} now")
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        self._chosen.append(number)
        if len(self._chosen) == len(single.actors()):
            single.play(self._chosen)
            self._chosen = []
            self._show()
            if single.state.is_terminal():
                self.rewards = self._returns()
                self.terminations = dict.fromkeys(self.agents, True)
        self._select()
        self._accumulate_rewards()

    def _select(self) -> None:
        """Selects the agent to act next. At the end of the game, this is the first agent, which PettingZoo then
        removes.
        """
        actors = self._single.actors()
        self.agent_selection = self.possible_agents[actors[len(self._chosen)] if actors else 0]


class JointEnv(_Spaces, ParallelEnv):  # type: ignore[misc]
    """An environment whose agents act at once, created by `parallel_env`."""

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
        """Starts a new game. The same seed gives the same game. `options` is ignored.

        Returns:
            Two dicts by agent: the observation of each agent, and an empty dict for each agent.
        """
        self._begin(seed)
        self._show()
        return {agent: self.observe(agent) for agent in self.agents}, {agent: {} for agent in self.agents}

    def step(self, actions: dict[str, int]) -> tuple[dict[str, Any], ...]:
        """Plays an action of every agent.

        Args:
            actions: dict from each agent's name to its action.

        Returns:
            Five dicts by agent: observations, rewards, terminations, truncations and infos.

        Raises:
            IllegalAction: an action is illegal or missing; nothing was changed.
            UnknownName: a key of `actions` is not an agent; nothing was changed.
        """
        single, agents = self._single, self.agents
        if not isinstance(actions, Mapping):
            raise IllegalAction(f"actions: expected a dict of an action by agent, not {quoted(actions, 40)}")
        for agent in actions:
            self._checked(agent)
        missing = [agent for agent in agents if agent not in actions]
        if missing:
            raise IllegalAction(f"actions: the action of {missing[0]} is missing")
        single.play([actions[agent] for agent in agents])
        self._show()
        over = self._single.state.is_terminal()
        returns = self._returns()
        if over:
            self.agents = []
        observations = {agent: self.observe(agent) for agent in agents}
        terminations, truncations = dict.fromkeys(agents, over), dict.fromkeys(agents, False)
        rewards = {agent: returns[agent] for agent in agents}
        return observations, rewards, terminations, truncations, {agent: {} for agent in agents}


def _spaces(game: Game) -> tuple[Any, Any]:
    """Returns the observation space and the action space of an agent, in this order."""
    limits = np.iinfo(game.observation.dtype)
    actions = game.num_distinct_actions
    seen = Box(limits.min, limits.max, (game.observation.size,), game.observation.dtype)
    return Dict({"observation": seen, "action_mask": Box(0, 1, (actions,), np.int8)}), Discrete(actions)


__all__ = ["JointEnv", "TurnsEnv", "env", "parallel_env"]
