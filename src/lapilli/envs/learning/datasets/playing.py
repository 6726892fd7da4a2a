"""Plays the matches of a data set, and collects what its search found in each turn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any, NamedTuple

import numpy as np

from lapilli.core.api import Game, Setup, State
from lapilli.core.errors import LapilliError, UnknownName
from lapilli.core.search.search_result import SearchResult
from lapilli.games import load
from lapilli.players.engines.builtin import random_turn
from lapilli.players.engines.searches import NamedSearch, find_search, search_names
from lapilli.search.searcher import new_searcher

Arrays = Mapping[str, Any]
"""The arrays of a data set, or of one of its parts, by name."""
LISTS = {
    "turns": "turn_counts",
    "candidates": "candidate_counts",
    "nodes": "candidate_counts",
    "scores": "candidate_counts",
}
"""Arrays with several entries for each turn, concatenated. Maps each to the array with the number of entries per
turn."""
ROWS = (
    *("match", "turn", "player", "states", "observations", "actions", "values", "returns"),
    *dict.fromkeys(LISTS.values()),
)
"""Arrays with one entry for each turn that the search chose. The hash of a data set depends on the order of the
names."""


@dataclass(frozen=True)
class Plan:
    """The arguments from which a data set is made. Equal plans give equal data sets, on every machine.

    If the player uses a file of weights, this is true as long as the file does not change.

    Attributes:
        game: name of the game.
        player: name of the search that plays all seats, with a limit of nodes, as in `best:nodes=400` or `level3`.
        matches: number of matches.
        seed: seed of all random draws.
        random_turns: each match begins with a random number of random turns, at most this number.
        setup: keys of the setup, such as players and variant, without the seed.
    """

    game: str
    player: str
    matches: int
    seed: int = 0
    random_turns: int = 4
    setup: Mapping[str, Any] = field(default_factory=dict)

    def search(self) -> NamedSearch:
        """Returns the search that plays all seats.

        Raises:
            LapilliError: there is no such search; or it has no limit of nodes, has a limit of time, or uses several
                threads.
        """
        game = load(self.game)
        named = find_search(game, self.player)
        if named is None:
            raise UnknownName(f"search of {game.title}", self.player, search_names(game))
        by_nodes = named.budget is not None and named.budget.nodes is not None and named.budget.ms is None
        if not by_nodes or named.search.settings.get("threads", 1) > 1:
            raise LapilliError(
                f"player {self.player!r}: the result must be the same on every machine, so the player needs a limit of"
                f" nodes, none of time, and one thread, as in {self.player.partition(':')[0]}:nodes=1000"
            )
        return named

    def first_state(self, random: Random) -> State:
        """Returns the start position of a match, with a seed that `random` draws.

        If the game has openings, and the plan's setup names no position, this is a random opening.
        """
        game = load(self.game)
        setup = Setup.from_dict({**self.setup, "seed": random.getrandbits(62)})
        openings = () if setup.position else game.openings(setup)
        return game.new_initial_state(replace(setup, position=random.choice(openings)) if openings else setup)


class _Choice(NamedTuple):
    """The result of the search for one player in one turn, and the position before the turn."""

    state: State
    player: int
    result: SearchResult


def match_arrays(plan: Plan, number: int) -> Arrays:
    """Plays match `number` of a data set, counted from 0, and returns the arrays with the turns of this match.

    Equal arguments give equal results. The random turns at the beginning of the match are left out.
    """
    game, named, random = load(plan.game), plan.search(), Random(f"{plan.seed}/{number}")
    budget = named.budget
    assert budget is not None
    state = plan.first_state(random)
    searchers = [new_searcher(game, named.search, {}) for _ in range(state.num_players)]
    at_random, choices = random.randint(0, plan.random_turns), list[_Choice]()
    while not state.is_terminal():
        turns = {}
        for player in state.asked():
            if at_random > 0:
                turns[player] = tuple(random_turn(state.clone(), player, random))
                continue
            seed = random.getrandbits(60)
            result = searchers[player].search(state.determinised(seed), player, budget, seed)
            choices.append(_Choice(state.clone(), player, result))
            turns[player] = result.turn
        at_random -= bool(turns)
        replies = {player: game.protocol.format_reply(state, player, turn) for player, turn in turns.items()}
        game.protocol.play_turn(state, replies)
    return _arrays(game, number, choices, state.returns())


def _arrays(game: Game, number: int, choices: list[_Choice], returns: list[float]) -> Arrays:
    lines = [line for choice in choices for line in choice.result.lines]
    observations = [choice.state.observation(choice.player) for choice in choices]
    states = b"".join(choice.state.array.tobytes() for choice in choices)
    return {
        "match": np.full(len(choices), number, np.int32),
        "turn": np.array([choice.state.turn for choice in choices], np.int32),
        "player": np.array([choice.player for choice in choices], np.int8),
        "states": np.frombuffer(states, np.uint8).reshape(-1, game.state.DTYPE.itemsize),
        "observations": np.array(observations, game.observation.dtype).reshape(-1, game.observation.size),
        "actions": np.array([choice.result.turn[0] for choice in choices], np.int32),
        "values": np.array([choice.result.value for choice in choices], np.float32),
        "returns": np.array([returns[choice.player] for choice in choices], np.float32),
        "turns": np.array([action for choice in choices for action in choice.result.turn], np.int32),
        "turn_counts": np.array([len(choice.result.turn) for choice in choices], np.int32),
        "candidates": np.array([line.turn[0] for line in lines], np.int32),
        "nodes": np.array([line.nodes for line in lines], np.int64),
        "scores": np.array([line.value for line in lines], np.float32),
        "candidate_counts": np.array([len(choice.result.lines) for choice in choices], np.int32),
    }
