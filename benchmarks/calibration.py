"""Does a search that says 0.7 win seven of ten? Prints a reliability table.

    python benchmarks/calibration.py GAME [ENGINE] [POSITIONS]      by default best:ms=50, 1,000 positions

The engine plays against itself. In each match, EACH positions are chosen at random. For each of them the table compares
the score that the engine expected for the player to move with the score of that player at the end. Matches begin with a
few random turns, so that they differ.
"""

from __future__ import annotations

import sys
from random import Random

import numpy as np

from lapilli.core.api import Game, State
from lapilli.games import load
from lapilli.players.engines.builtin import random_turn
from lapilli.players.engines.searches import NamedSearch, find_search
from lapilli.search.budget import Budget
from lapilli.search.searcher import new_searcher

EACH = 3
RANDOM_TURNS = 4
BINS = np.linspace(0, 1, 11)


def match(game: Game, named: NamedSearch, seed: int) -> tuple[list[tuple[int, float]], State]:
    """Plays a match of a search against itself.

    Returns two values: for each turn of a player that the search has chosen, the player and the score that the search
    expected for this player; and the state at the end of the match.

    Args:
        game: the game.
        named: the search, with its limit.
        seed: seed of the match.
    """
    state, random = game.new_initial_state(seed=seed), Random(seed)
    searchers = [new_searcher(game, named.search, {}) for _ in range(state.num_players)]
    said: list[tuple[int, float]] = []
    turns = 0
    while not state.is_terminal():
        replies = {}
        for player in state.asked():
            if turns < RANDOM_TURNS:
                turn = random_turn(state.clone(), player, random)
            else:
                own, seeds = state.determinised(random.getrandbits(62)), random.getrandbits(62)
                budget = named.budget or Budget(ms=game.reply_ms)
                result = searchers[player].search(own, player, budget, seeds)
                turn = result.turn
                said.append((player, result.value))
            replies[player] = game.protocol.format_reply(state, player, turn)
        turns += bool(replies)
        game.protocol.play_turn(state, replies)
    return said, state


def main() -> None:
    game = load(sys.argv[1])
    named = find_search(game, sys.argv[2] if len(sys.argv) > 2 else "best:ms=50")
    assert named is not None
    wanted = int(sys.argv[3]) if len(sys.argv) > 3 else 1000
    expected: list[float] = []
    got: list[float] = []
    seed = 0
    while len(expected) < wanted:
        said, end = match(game, named, seed)
        results = [(1 + utility) / 2 for utility in end.returns()]
        for player, value in Random(f"sample {seed}").sample(said, min(EACH, len(said))):
            expected.append(value)
            got.append(results[player])
        seed += 1
        print(f"\r{len(expected)} of {wanted} positions", end="", file=sys.stderr, flush=True)
    print(f"\n{game.title}, {named.name}: {len(expected)} positions of {seed} matches", flush=True)
    values, scores = np.array(expected), np.array(got)
    places = np.clip(np.digitize(values, BINS) - 1, 0, len(BINS) - 2)
    print("| said | positions | mean said | mean score | ± (95 %) |\n|---|---|---|---|---|")
    for place in range(len(BINS) - 1):
        mine = places == place
        if mine.any():
            error = 1.96 * scores[mine].std() / np.sqrt(mine.sum())
            print(
                f"| {BINS[place]:.1f}–{BINS[place + 1]:.1f} | {mine.sum()} | {values[mine].mean():.3f} | "
                f"{scores[mine].mean():.3f} | {error:.3f} |"
            )
    ours, blind = np.mean((values - scores) ** 2), np.mean((0.5 - scores) ** 2)
    print(f"Brier score {ours:.3f}; of always saying 0.5: {blind:.3f}")


if __name__ == "__main__":
    main()
