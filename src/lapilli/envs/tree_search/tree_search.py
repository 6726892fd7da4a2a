"""Tree search for networks, over all environments of a batch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from lapilli.core.errors import LapilliError, UnknownName
from lapilli.core.reading.text import quoted
from lapilli.core.state import State
from lapilli.envs.arrays import has_masks, memory_of_machine, takes_all, within
from lapilli.envs.batches.environments import Batch
from lapilli.envs.batches.validation import amount_of, array_of, count_of, generators, seeds_of
from lapilli.envs.tree_search.tree_arrays import FAULTY, USED_EDGES, Space, new_space, new_tree, schedule_of

Network = Callable[[Any, Any], tuple[Any, Any]]
"""A network: a function (observations, legal) that returns (logits, values).

    observations: shape (n, `game.observation.size`), each from the view of the player to act.
    legal: masks of the legal actions (bool), shape (n, actions).
    logits: a number for each action, shape (n, actions). Logits of illegal actions are ignored.
    values: expected utility of the player to act, from -1 to 1, shape (n,). In games of more than two players, shape
        (n, players): column i has the utility of player (p + i) % players, where p is the player to act.

The function must not write to the arrays, nor keep them: the next simulation overwrites them.
"""
METHODS = ("gumbel", "puct")
_BASE = "lapilli.envs.batches.batch_template"
_TEMPLATE = "lapilli.envs.tree_search.tree_template"
_MOST_SIMULATIONS = 1 << 20
_STREAM = 2
"""Number of the stream of random numbers, see `generators`. Batches use streams with other numbers."""


class TreeSearchResult(NamedTuple):
    """The result of a tree search, in new arrays. Where the game of an environment is over, all its numbers are 0.

    Attributes:
        actions: the action to play in each environment, shape (n,). For the method `puct`, the most visited action.
        policies: the probability of each action, as a training target for the network; shape (n, actions), float32. For
            the method `gumbel`, the improved policy; for `puct`, each action's share of the visits.
        visits: number of simulations that began with each action, shape (n, actions).
        values: expected utility of the player to act, if the actions follow `policies`; shape (n,), float32.
    """

    actions: Any
    policies: Any
    visits: Any
    values: Any


class TreeSearch:
    """A tree search from the positions of all environments of a batch, with one tree per environment.

    In each simulation, every tree is descended from its root to a new position, and one call of the network evaluates
    the new positions of all trees. Everything else is compiled code, which runs on the threads of the batch.

    >>> search = lapilli.TreeSearch(games, 32)
    >>> games.step(search.run(network).actions)

    The search does not use hidden information. Each simulation draws future chance events anew, even those that a batch
    with `lots="kept"` has already decided.

    Args:
        games: the batch, on the CPU. The game must have masks of legal actions and no simultaneous turns. The search
            changes nothing in it.
        simulations: number of simulations in each environment.
        method: "gumbel": the method of Gumbel MuZero, with sequential halving among actions that are drawn at the root,
            and completed values; it improves a policy even with few simulations. "puct": the method of AlphaZero.
        considered: number of actions that `gumbel` draws at the root.
        scale: weight of values against logits for `gumbel`; the constant c_scale, for values from 0 to 1.
        exploration: weight of the network's probabilities for `puct`.
        noise: factor for the randomness at the root, from 0 (none) to 1. For `gumbel`, it multiplies the Gumbel noise.
            For `puct`, the priors are mixed with Dirichlet noise, whose share is 1/4 of this factor. Without noise, the
            search prefers the lowest of several equally good actions, which matters if the network is constant.
        outcomes: how often the chance events after an action in a tree are drawn. Each later visit of the action draws
            one of the results so far. None: every visit draws the chance events anew.
        seed: seed from which the seed of each environment's random numbers is computed.

    Raises:
        UnknownName: there is no such method.
        LapilliError: another argument is not valid, the batch's game cannot be searched, or the trees do not fit into
            the machine's memory.
    """

    def __init__(
        self,
        games: Batch,
        simulations: int,
        *,
        method: str = "gumbel",
        considered: int = 16,
        scale: float = 1.0,
        exploration: float = 1.25,
        noise: float = 1.0,
        outcomes: int | None = None,
        seed: int = 0,
    ) -> None:
        _check_games(games)
        self.games, self.simulations = games, count_of("simulations", simulations, _MOST_SIMULATIONS)
        if method not in METHODS:
            raise UnknownName("method", str(method), METHODS)
        game, most_legal = games.game, games.game.verbs.MAX_LEGAL
        drawn = min(count_of("considered", considered, _MOST_SIMULATIONS), most_legal)
        kept = 0 if outcomes is None else count_of("outcomes", outcomes, _MOST_SIMULATIONS)
        weights = amount_of("noise", noise, 1), amount_of("exploration", exploration), amount_of("scale", scale)
        self._settings = np.array([method == "gumbel", *weights, kept], np.float64)
        self._module = game.instantiate_on(_TEMPLATE, (("base", game.instantiate(_BASE)),))
        self._tree = within(
            memory_of_machine(),
            f"simulations: {self.simulations} in each of {games.num_envs} environments do not fit into the memory",
            lambda: new_tree(games._arrays, self.simulations, most_legal),
        )
        self._plan = schedule_of(drawn, self.simulations)
        self._tree.rng[:] = generators(seeds_of(seed, games.num_envs), _STREAM)
        self._spaces: list[Space] = []
        self._opens = any(start.opened().array.tobytes() != start.array.tobytes() for start in games.starts)

    def run(self, network: Network) -> TreeSearchResult:
        """Searches from the current positions of the batch, and returns the results.

        Calls the network `simulations + 1` times: first for the current positions, then once for each simulation.

        Raises:
            LapilliError: the network returned arrays of a wrong shape, or no numbers.
        """
        games, module, settings = self.games, self._module, self._settings
        number = games.num_envs
        self._tree.words[:, 0] = self._roots().view(np.uint64).reshape(number, -1)
        self._share(module.begin_all, self._tree)
        for left in range(self.simulations, -1, -1):
            logits, values = self._ask(network)
            self._make_room()
            self._share(module.simulate_all, self._tree, logits, values, int(left > 0), settings, self._plan)
        faulty = np.flatnonzero(self._tree.counts[:, FAULTY])
        if len(faulty):
            raise LapilliError(f"network: a logit or a value was not a finite number (environment {faulty[0]})")
        shape = number, games.game.num_distinct_actions
        result = TreeSearchResult(
            np.zeros(number, np.int32),
            np.zeros(shape, np.float32),
            np.zeros(shape, np.int32),
            np.zeros(number, np.float32),
        )
        self._share(module.conclude_all, self._tree, *result, settings)
        return result

    def _roots(self) -> Any:
        """Returns copies of the batch's positions in which all future chance events are undecided, see
        `State.opened`.
        """
        if not self._opens:
            return np.ascontiguousarray(self.games.states)
        return np.concatenate([self.games.state(number).opened().array for number in range(self.games.num_envs)])

    def _ask(self, network: Network) -> tuple[Any, Any]:
        """Calls the network, and returns its logits, shape (n, actions), and values, shape (n, players), as float32.

        Raises LapilliError if the network returned something else, or arrays of a wrong shape.
        """
        number, players = self.games.num_envs, self.games.num_players
        result = network(self._tree.observations, self._tree.legal)
        if not isinstance(result, tuple) or len(result) != 2:
            raise LapilliError(f"network: expected a pair of logits and values, not {quoted(result, 40)}")
        logits, values = (
            array_of(f"network: {name}", part) for name, part in zip(("logits", "values"), result, strict=True)
        )
        shape = number, self.games.game.num_distinct_actions
        if logits.shape != shape:
            raise LapilliError(f"network: expected logits of shape {shape}, not {logits.shape}")
        if values.shape == (number,) and players == 2:
            values = np.stack([values, -values], axis=1)
        if values.shape != (number, players):
            raise LapilliError(f"network: expected values of shape {(number, players)}, not {values.shape}")
        return np.ascontiguousarray(logits, np.float32), np.ascontiguousarray(values, np.float32)

    def _make_room(self) -> None:
        """Enlarges the array of edges if one more node might not fit."""
        edges, needed = self._tree.edges, self._tree.counts[:, USED_EDGES].max() + self.games.game.verbs.MAX_LEGAL
        if needed > edges.shape[1]:
            larger = np.zeros((len(edges), 2 * edges.shape[1]), edges.dtype)
            larger.view(np.uint64)[:, : edges.view(np.uint64).shape[1]] = edges.view(np.uint64)
            self._tree = self._tree._replace(edges=larger)

    def _share(self, job: Callable[..., None], *arguments: Any) -> None:
        """Runs the kernel `job` on all threads of the batch, and waits until all have finished.

        Each thread calls the kernel with `arguments`, its own scratch arrays, the array by which the threads
        communicate, and the number of the thread.
        """
        team = self.games._team
        while len(self._spaces) < team.threads:
            self._spaces.append(new_space(self.games.game.verbs.MAX_LEGAL, self.games.num_players))
        team.share(lambda board, thread: job(*arguments, self._spaces[thread], board, thread))


def _check_games(games: Batch) -> None:
    """Raises LapilliError if `games` is not a batch on the CPU, or if the search does not support its game."""
    if not isinstance(games, Batch) or games.device != "cpu":
        raise LapilliError("games: expected a batch on the CPU")
    game = games.game
    if takes_all(game):
        raise LapilliError(
            f"games: in {game.title} players act at once, each without seeing the others' actions, which a tree would "
            "foresee"
        )
    if not has_masks(game):
        raise LapilliError(f"games: {game.title} has {game.num_distinct_actions} actions, too many for masks")
    for start in games.starts:
        opened = start.opened()
        if type(opened).determinised is not State.determinised and opened.determinised(1) != opened:
            raise LapilliError(f"games: {game.title} hides more than chance events to come: a tree would foresee it")
