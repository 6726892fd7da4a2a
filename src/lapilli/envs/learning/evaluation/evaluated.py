"""Matches of an agent against built-in opponents and bots, for an evaluation."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Protocol

import numpy as np

from lapilli.arena.matches.contestants import check_starting, contestants_of
from lapilli.arena.matches.playing import Keep
from lapilli.arena.matches.pools import pool_of
from lapilli.arena.matches.recipes import recipe_of
from lapilli.arena.progress.pairings import Format
from lapilli.arena.progress.running import StopReason
from lapilli.arena.statistics import PairCounts, match_score
from lapilli.arena.tournament import Terms, Tournament
from lapilli.core.api import SIMULTANEOUS, Game, Setup, State
from lapilli.core.errors import IllegalAction, LapilliError
from lapilli.envs.arrays import listed_to_end
from lapilli.envs.opponents.learner_batch import LearnerBatch
from lapilli.envs.opponents.opponents import RANDOM
from lapilli.match import Clock, Record, play_match
from lapilli.search.threads import cores
from lapilli.store import MatchFilter, Standing, Store
from lapilli.store.results import unpack_record


class SearchingAgent(Protocol):
    """An agent that searches, for example with `lapilli.TreeSearch`."""

    def act(self, games: LearnerBatch) -> Any:
        """Returns the agent's action in each environment of a batch, as an array of integers, shape (n,).

        `games`: the batch, which this method must not change. Actions for games that are over are ignored.
        """


Agent = Callable[[Any, Any], Any] | SearchingAgent
"""An agent that plays many games at once: a function (observations, legal actions) that returns an array of actions, or
another object with the method `act`.

The arguments of the function are `observations` and `legal` of a `LearnerBatch`, except that lists of legal actions are
filled up with -1. The actions that the function returns for games that are over are ignored.
"""
Show = Callable[[int, int], object]
"""A function that shows progress: it receives the numbers of matches played and to be played."""
Played = tuple[dict[str, PairCounts], dict[str, list[Record]]]
"""Two dicts by the opponent's name: counts of the pairs of matches, seen from the agent; and records of matches that
the agent lost."""


def play_in_batch(
    game: Game,
    agent: Agent,
    against: Sequence[str],
    pairs: int,
    seed: int,
    lost: int,
    setup: Mapping[str, Any],
    show: Show | None = None,
) -> Played:
    """Plays pairs of matches of an agent against each opponent, all at the same time.

    The matches of a pair have the same seed and start position; the agent has each seat once.

    Args:
        game: the game.
        agent: the agent.
        against: names of the opponents.
        pairs: number of pairs against each opponent.
        seed: seed of the first pair; the next pair has the next seed.
        lost: greatest number of records of lost matches for each opponent.
        setup: keys of the setup.
        show: called after each step with the numbers of matches played and to be played.

    Raises:
        IllegalAction: the agent returned an illegal action.
        LapilliError: an opponent cannot play in a batch.
    """
    openings = game.openings(Setup.from_dict(dict(setup)))
    keys = [_keys_of(openings, pair, seed + pair) for pair in range(pairs)]
    starts = [game.new_initial_state(Setup.from_dict({**setup, **own})) for own in keys]
    seats, each = starts[0].num_players, pairs * starts[0].num_players
    games = LearnerBatch(
        game,
        game.complete(Setup.from_dict(dict(setup))),
        starts,
        np.tile(np.repeat([own["seed"] for own in keys], seats), len(against)),
        False,
        cores(),
        np.repeat(against, each).tolist(),
        np.tile(np.arange(seats), pairs * len(against)).tolist(),
        np.tile(np.repeat(np.arange(pairs), seats), len(against)).tolist(),
    )
    actions, rewards = _play(games, agent, show)
    results, records = dict[str, PairCounts](), dict[str, list[Record]]()
    for place, opponent in enumerate(against):
        first = place * each
        results[opponent] = _counts(rewards[first : first + each], seats)
        beaten = [first + number for number in range(each) if _is_lost(rewards[first + number], number % seats)]
        if opponent == RANDOM:  # in a match, it draws other random numbers: a record would differ
            beaten = []
        records[opponent] = [
            _record(games, number, actions, {**setup, **keys[(number - first) // seats]}) for number in beaten[:lost]
        ]
    return results, records


def _keys_of(openings: Sequence[str], pair: int, seed: int) -> dict[str, Any]:
    """Returns keys for the setup of pair number `pair`: the seed and, except for pair 0, one of the openings.

    As in a tournament, pair 0 begins at the game's usual start position.
    """
    position = {"position": openings[(pair - 1) % len(openings)]} if openings and pair else {}
    return {"seed": seed, **position}


def _play(games: LearnerBatch, agent: Agent, show: Show | None) -> tuple[Any, Any]:
    """Plays all games to their ends.

    Returns the agent's actions, shape (steps, environments), and the players' utilities, shape (environments, players).
    An action is -1 if the game was already over before the step. `show` is called after each step, with the
    numbers of matches played and to be played.
    """
    played, rewards = list[Any](), np.zeros_like(games.rewards)
    while not games.terminated.all():
        over = games.terminated.copy()
        actions = np.asarray(_actions_of(agent, games)).copy()
        games.step(actions)
        refused = np.flatnonzero(games.refused >= 0)
        if len(refused):
            raise IllegalAction(
                f"agent: {actions[refused[0]]} is no legal action (environment {refused[0]}, step {len(played)})"
            )
        rewards += games.rewards
        played.append(np.where(over, -1, actions))
        if show is not None:
            show(int(games.terminated.sum()), len(games.terminated))
    return np.array(played), rewards


def _actions_of(agent: Agent, games: LearnerBatch) -> Any:
    if callable(agent):
        return agent(games.observations, listed_to_end(games.legal, games.legal_counts))
    return agent.act(games)


def _counts(rewards: Any, seats: int) -> PairCounts:
    """Returns the counts of pairs of matches by their score, seen from the agent.

    Args:
        rewards: utility of each player in each match, shape (matches, players). The matches of a pair are consecutive.
            In match n, the agent is player n modulo `seats`.
        seats: number of players, which is also the number of matches in a pair.
    """
    ranks = 1 + (rewards[:, None, :] > rewards[:, :, None]).sum(axis=2)
    counts = PairCounts((0,) * (2 * seats + 1))
    for pair in ranks.reshape(-1, seats, seats).tolist():
        for step in range(1, seats):
            halves = [match_score(pair[own][own], pair[own][(own + step) % seats]) for own in range(seats)]
            counts += PairCounts.of([halves], seats)
    return counts


def _is_lost(rewards: Any, own: int) -> bool:
    return bool(rewards[own] < rewards.max())


def _record(games: LearnerBatch, number: int, actions: Any, keys: Mapping[str, Any]) -> Record:
    """Plays a match of the batch again, with the same actions of the agent, and returns its record.

    Args:
        games: the batch.
        number: index of the match's environment.
        actions: the agent's actions, shape (steps, environments); -1 if the game was already over before the step.
        keys: keys of the match's setup.
    """
    left = iter(action for action in actions[:, number].tolist() if action >= 0)
    own = int(games.learners[number])

    def agent(state: State, player: int) -> int:
        if state.current_player() == SIMULTANEOUS and len(legal := state.legal_actions(player)) == 1:
            return legal[0]
        action: int = next(left)
        return action

    players: list[Any] = [games.others[number]] * games.num_players
    players[own] = agent
    return play_match(games.game, players, **{key: value for key, value in keys.items() if key != "players"})


def play_matches(
    game: Game,
    agent: Any,
    against: Sequence[str],
    pairs: int,
    seed: int,
    lost: int,
    setup: Mapping[str, Any],
    jobs: int | None = None,
    show: Show | None = None,
) -> Played:
    """Plays pairs of matches of a bot or built-in opponent against each opponent, in worker processes.

    Args:
        game: the game.
        agent: the bot or built-in opponent that is evaluated, in any form that `play_match` accepts.
        against: the opponents: names of built-in opponents, or command lines of bots.
        pairs: number of pairs against each opponent.
        seed: seed of the first pair; the next pair has the next seed.
        lost: greatest number of records of lost matches for each opponent.
        setup: keys of the setup.
        jobs: number of matches at once; None for the default (`pool_of`).
        show: called after each match with the numbers of matches played and to be played.

    Raises:
        LapilliError: a player is not valid or cannot be started, or this machine is too busy to be fair.
        KeyboardInterrupt: the user stopped the matches.
    """
    contestants = contestants_of(game, [agent, *against])
    recipe = recipe_of(
        game, contestants, setup=dict(setup), clock=asdict(Clock()), keep=Keep.LOST if lost else Keep.NONE
    )
    seats = game.complete(Setup.from_dict(dict(setup))).players or 2
    terms = Terms(recipe=recipe, format=Format.GAUNTLET, matches=pairs * seats, seed=seed)
    check_starting(recipe)
    with ExitStack() as stack:
        pool = stack.enter_context(pool_of(recipe, jobs=jobs))
        store = stack.enter_context(Store.open(Path(stack.enter_context(TemporaryDirectory())) / "arena.db"))
        played = Tournament(terms, store, game.title)
        total = pairs * seats * len(against)

        def tell(run: Tournament) -> None:
            if show is not None:
                show(run.matches, total)

        played.run(pool, tell)
        if played.ending is StopReason.INTERRUPTED:
            raise KeyboardInterrupt
        if played.ending is StopReason.TOO_BUSY:
            raise LapilliError("this machine is too busy to play fair matches: try again later, or with fewer jobs")
        results, records = dict[str, PairCounts](), dict[str, list[Record]]()
        for number, opponent in enumerate(against, 1):
            results[opponent] = played.table.counts(0, number)
            wanted = MatchFilter(contestant=0, opponent=number, standing=Standing.LOST)
            found = store.matches(played.event.id, wanted, most=lost) if lost else []
            packed = [store.match(match.id).result.record for match in found]
            records[opponent] = [unpack_record(data) for data in packed if data is not None]
        return results, records
