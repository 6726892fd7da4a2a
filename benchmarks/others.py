"""Built-in opponents inside a batch, compared with a loop over State and with Gymnasium, in one run on the same cores.

    taskset -c 0,1 python benchmarks/others.py --opponents level1 level2 level3 greedy random

A step is one action of the learner, who plays at random; the opponent replies. Columns: steps and turns of the learner
per second in a batch on all threads; turns per second in a loop over State, where the opponent is an engine as in a
match; and the ratio of the two numbers of turns. A turn can have several steps.
"""

from __future__ import annotations

import argparse
import os
import random
import time
from statistics import median
from typing import Any

import lapilli
from lapilli.core.api import CHANCE, Game, State
from lapilli.core.errors import LapilliError
from lapilli.envs.opponents.learner_batch import LearnerBatch
from lapilli.kernels.kernel import new_random
from lapilli.players.bots.stopwatch import ReplyLimits
from lapilli.players.engines.builtin import random_turn
from lapilli.players.engines.catalogue import make_builtin
from lapilli.players.player import Question


def in_batch(game: Game, opponent: str, number: int, threads: int, seconds: float) -> tuple[float, float]:
    """Measures an opponent in a batch. Returns the number of steps per second, and the learner's turns per step.

    The number of steps per second is the median over five periods.

    Args:
        game: the game.
        opponent: name of the opponent.
        number: number of environments.
        threads: number of threads of the batch.
        seconds: total length of all periods, in seconds.
    """
    games = lapilli.batch(game, number, others=opponent, seed=1, threads=threads)
    assert isinstance(games, LearnerBatch)
    for _ in range(5):
        games.step(games.sample())
    measured = []
    for _ in range(5):
        done, start = 0, time.perf_counter()
        while (spent := time.perf_counter() - start) < seconds / 5 or not done:
            games.step(games.sample())
            done += number
        measured.append(done / spent)
    return median(measured), turns_a_step(games)


def turns_a_step(games: LearnerBatch, steps: int = 40) -> float:
    """Returns how many turns the learner completes in a step, on average: below 1 if turns have several actions.

    `games`: the batch. `steps`: number of steps to play.
    """
    turns, looked_at = 0, range(min(32, games.num_envs))
    before = [games.state(number).turn for number in looked_at]
    for _ in range(steps):
        games.step(games.sample())
        after = [games.state(number).turn for number in looked_at]
        turns += sum(one != other for one, other in zip(before, after, strict=True))
        before = after
    return turns / steps / len(looked_at)


def by_state(game: Game, opponent: str, seconds: float) -> float:
    """Returns the learner's turns per second in a loop over State. The first game loads kernels and is not measured."""
    done, start, seed, spent = 0, 0.0, 0, 0.0
    while spent < seconds:
        state, rng = game.new_initial_state(seed=seed), new_random(seed)
        players = [make_builtin(game, opponent, player, seed) for player in range(state.num_players)]
        learner, seed = seed % state.num_players, seed + 1
        while not state.is_terminal() and spent < seconds:
            turns = play_turn(state, learner, players, rng)
            if start:
                done, spent = done + turns, time.perf_counter() - start
        start = start or time.perf_counter()
    return done / spent


def play_turn(state: State, learner: int, players: list, rng: Any) -> int:  # type: ignore[type-arg]
    """Plays one turn, with the game's protocol. Returns 1 if the learner was asked for a reply in it, otherwise 0.

    Args:
        state: the position, which this call changes.
        learner: player number of the learner, who plays at random.
        players: the built-in opponents, by player number.
        rng: state of the random generator for chance events.
    """
    game = state.game
    while state.current_player() == CHANCE:
        state.apply_action(int(game.verbs.chance(state.record, rng, *state.static)))
    replies = {}
    for player in state.asked():
        if player == learner:
            actions = random_turn(state.clone(), player, random.Random(state.turn))
            replies[player] = game.protocol.format_reply(state, player, actions)
        else:
            question = Question(game.protocol, state, player, state.turn, False, ReplyLimits(1000.0))
            replies[player] = players[player].answer(question).reply
    game.protocol.play_turn(state, replies)
    return int(learner in replies)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", nargs="+", default=lapilli.names())
    parser.add_argument("--opponents", nargs="+", default=["random", "greedy", "level1", "level2", "level3"])
    parser.add_argument("--envs", type=int, default=1024)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=4.0)
    given = parser.parse_args()
    print(f"{'':24}{'steps/s':>12}{'turns/s':>12}{'State':>12}{'ratio':>8}")
    for name in given.games:
        game = lapilli.load(name)
        for opponent in given.opponents:
            try:
                steps, share = in_batch(game, opponent, given.envs, given.threads, given.seconds)
            except LapilliError as error:
                print(f"{name:12}{opponent:12}{error}")
                continue
            turns = by_state(game, opponent, given.seconds)
            print(
                f"{name:12}{opponent:12}{steps:12,.0f}{steps * share:12,.0f}{turns:12,.0f}{steps * share / turns:8.1f}",
                flush=True,
            )
    print(f"load of this machine while this ran: {', '.join(f'{load:.1f}' for load in os.getloadavg())}")


if __name__ == "__main__":
    main()
