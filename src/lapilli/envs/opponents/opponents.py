"""The built-in opponents of a batch: their compiled code, and the arrays in which they play."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from lapilli.core.errors import LapilliError, UnknownName
from lapilli.core.game import Game
from lapilli.core.picture.words import listed
from lapilli.core.reading.text import quoted
from lapilli.core.search.turn_kernel import KernelEngine, TurnKernel
from lapilli.core.state import State
from lapilli.envs.arrays import takes_all
from lapilli.kernels.kernel import Ints, new_random
from lapilli.players.engines.builtin import builtin_engines
from lapilli.players.engines.searches import find_search, level_names, search_names
from lapilli.players.engines.seeds import opponent_random
from lapilli.search.searcher import new_searcher

RANDOM = "random"
_BATCH_TEMPLATE = "lapilli.envs.batches.batch_template"
_TEMPLATE = "lapilli.envs.opponents.learner_template"


class Others(NamedTuple):
    """The arrays of the opponents in a batch of n environments. Kernels allocate nothing.

    The *learner* is the player of an environment whose actions the caller chooses. Opponents play for all others.

    Attributes:
        learners: the learner's player number in the current game, shape (n,).
        given: the learner's player number in all games, or -1 if it is drawn for each game; shape (n,).
        first: index of the start position of the environment's games, or -1 if it is drawn for each game; shape (n,).
        which: index of the environment's opponent, shape (n,).
        rewards: the learner's utility in a game that the last step ended, else 0; shape (n,).
        generators: state of the random generator of the opponent at each player's seat, shape (n, players, 1).
        plans: the actions that an opponent has chosen for a simultaneous turn, shape (n, players, length). Empty in
            games without such turns.
        lengths: number of actions in `plans`, or -1 if the opponent has not chosen yet; shape (n, players).
        places: number of actions in `plans` that were played, shape (n, players).
        joint: one action of each player, shape (n, players).
    """

    learners: Any
    given: Any
    first: Ints
    which: Ints
    rewards: Any
    generators: Any
    plans: Ints
    lengths: Ints
    places: Ints
    joint: Any


SAVED = ("learners", "given", "rewards", "generators", "plans", "lengths", "places")
"""Names of the arrays in `Others` that a saved batch contains, because later steps and games depend on them."""


@dataclass(frozen=True)
class BatchOpponent:
    """One of the built-in opponents of a batch.

    Attributes:
        name: the name, as the user wrote it.
        kernel: the kernel that chooses its turns.
        nodes: limit of nodes of its search; 0 if it does not search.
        module: the game's instance of `learner_template` for this opponent.
    """

    name: str
    kernel: TurnKernel
    nodes: int
    module: ModuleType


def opponents_of(game: Game, others: str | Sequence[str], number: int, start: State) -> tuple[list[BatchOpponent], Any]:
    """Returns the different opponents of a batch, and the index of each environment's opponent, shape (n,).

    Args:
        game: the game.
        others: name of the opponent in all environments, or a list with one name for each.
        number: number of environments, n.
        start: a start position of the batch.

    Raises:
        UnknownName: there is no such opponent, or it has no such setting.
        LapilliError: the list has another length, or an opponent cannot play in a batch.
    """
    names = [others] * number if isinstance(others, str) else others
    if isinstance(names, str) or not isinstance(names, Sequence):
        raise LapilliError(f"others: expected a name or a list of names, not {quoted(others, 40)}")
    if len(names) != number:
        raise LapilliError(f"others: expected a name for each of {number} environments, not {len(names)} names")
    different = list(dict.fromkeys(names))
    places = {name: place for place, name in enumerate(different)}
    which = np.array([places[name] for name in names], np.int64)
    return [_opponent_of(game, name, start) for name in different], which


def new_others(
    game: Game, opponents: Sequence[BatchOpponent], which: Any, given: Any, first: Any, players: int
) -> Others:
    """Returns the arrays for these opponents.

    `which`, `given` and `first` are the attributes of `Others` with these names. `players` is the number of players.
    """
    number = len(which)
    longest = max(opponent.kernel.most_actions for opponent in opponents) if takes_all(game) else 0
    return Others(
        learners=np.zeros(number, np.int8),
        given=given,
        first=first,
        which=which,
        rewards=np.zeros(number, np.float32),
        generators=np.zeros((number, players, 1), np.uint64),
        plans=np.zeros((number, players, longest), np.int64),
        lengths=np.full((number, players), -1, np.int64),
        places=np.zeros((number, players), np.int64),
        joint=np.zeros((number, players), np.int32),
    )


def seed_opponents(o: Others, seeds: Any, chosen: Any) -> None:
    """Seeds the opponents' random generators in some environments.

    An opponent gets the same random numbers as in a match whose seed is that of the environment.

    Args:
        o: the arrays.
        seeds: seeds of all environments, shape (n,).
        chosen: mask of the environments, shape (n,).
    """
    for number in np.flatnonzero(chosen).tolist():
        for player in range(o.generators.shape[1]):
            o.generators[number, player] = opponent_random(int(seeds[number]), player)


def _opponent_of(game: Game, name: str, start: State) -> BatchOpponent:
    kernel, nodes = _kernel_of(game, name, start)
    parts = ("base", game.instantiate(_BATCH_TEMPLATE)), ("opponent", kernel.module)
    return BatchOpponent(name, kernel, nodes, game.instantiate_on(_TEMPLATE, parts))


def _kernel_of(game: Game, name: str, start: State) -> tuple[TurnKernel, int]:
    """Returns the kernel that chooses the turns of the opponent `name`, and its limit of nodes.

    `start`: a start position of the batch.
    """
    named = find_search(game, name) if isinstance(name, str) else None
    if named is not None:
        if named.budget is None or named.budget.ms is not None or named.budget.nodes is None:
            raise LapilliError(f"others: {name!r} is limited by time, but a batch limits no time: take {_advice(game)}")
        try:
            return new_searcher(game, named.search, {}).turn_kernel(start), named.budget.nodes
        except LapilliError as error:
            raise LapilliError(f"others: {name!r} cannot play in a batch: {error}") from None
    if name == RANDOM:
        module = game.instantiate("lapilli.envs.opponents.random_template")
        return TurnKernel(module, min(game.max_game_length, 256), partial(_random_arrays, game, start)), 0
    engine = game.engines.get(name)
    if isinstance(engine, KernelEngine):
        return engine.turn_kernel, 0
    if engine is not None:
        raise LapilliError(f"others: {name!r} of {game.title} is a Python function: take {_advice(game)}")
    raise UnknownName("built-in opponent", str(name), [*builtin_engines(game), *search_names(game)])


def _random_arrays(game: Game, start: State) -> tuple[Any, ...]:
    lists = np.zeros(game.verbs.MAX_LEGAL, np.int64)
    return np.zeros(1, game.state.DTYPE), lists, np.zeros(start.num_players, np.int64), new_random(0)


def _advice(game: Game) -> str:
    """Returns a list of the opponents that can play in a batch, as text for an error message."""
    levels, searches = level_names(game), [*game.searches]
    plain = [name for name, engine in game.engines.items() if isinstance(engine, KernelEngine)]
    names = [RANDOM, *plain, *([f"{levels[0]} to {levels[-1]}"] if levels else [])]
    if searches:
        keeps = "keep" in new_searcher(game, game.searches[searches[-1]], {}).settings
        names.append(f"a search with a limit of nodes, such as {searches[-1]}:nodes=500{',keep=0' * keeps}")
    return listed(names, "or")
