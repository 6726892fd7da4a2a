"""Speed of every game's searches, and how well they keep their time limit, on one core or more.

    python benchmarks/search.py [GAME …] [--searches 100] [--limits 5 20 80] [--threads 1]

Each search runs in positions from matches against itself, which were played with few nodes. The output has the nodes
per second with the longest limit, in the search's own unit (simulations, positions or turns). For each limit, it tells
by how many milliseconds a call of `search` exceeds the limit: median, 99th percentile and maximum. No search uses
results from the turn before. `--threads` sets the number of threads of searches that can use several; if it is not 1,
all other searches are left out.
"""

from __future__ import annotations

import argparse
from time import perf_counter

import numpy as np

from lapilli.core.api import Game, State
from lapilli.core.content.levels import Search
from lapilli.games import load, names
from lapilli.players.engines.searches import with_threads
from lapilli.search.budget import Budget
from lapilli.search.searcher import new_searcher

NODES = 20


def positions(game: Game, name: str, number: int) -> list[tuple[State, int]]:
    """Returns `number` positions from matches of a search against itself, each with a player who is to act there.

    `name`: name of the search in `Game.searches`.
    """
    found: list[tuple[State, int]] = []
    seed = 0
    while len(found) < number:
        seed += 1
        state = game.new_initial_state(seed=seed)
        while not state.is_terminal() and len(found) < number:
            replies = {}
            for player in state.asked():
                found.append((state.determinised(seed), player))
                searcher = new_searcher(game, game.searches[name], {})
                result = searcher.search(state.determinised(seed), player, Budget(nodes=NODES), seed)
                replies[player] = game.protocol.format_reply(state, player, result.turn)
            game.protocol.play_turn(state, replies)
    return found[:number]


def measure(game: Game, search: Search, limit: float, places: list[tuple[State, int]]) -> tuple[float, list[float]]:
    """Searches several positions with a time limit.

    Returns the nodes per second of all searches together; and for each search, by how many milliseconds it exceeded the
    limit.

    Args:
        game: the game.
        search: the search.
        limit: time limit, in milliseconds.
        places: the positions, each with the player for whom to search.
    """
    nodes, seconds, over = 0, 0.0, []
    for seed, (state, player) in enumerate(places):
        searcher, own = new_searcher(game, search, {}), state.clone()
        searcher.search(state.clone(), player, Budget(nodes=1), seed)  # allocates its memory and loads its code
        began = perf_counter()
        result = searcher.search(own, player, Budget(ms=limit), seed)
        took = perf_counter() - began
        if not result.proven:
            nodes, seconds = nodes + result.nodes, seconds + took
        over.append(1000 * took - limit)
    return nodes / max(seconds, 1e-9), over


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("games", nargs="*", default=names())
    parser.add_argument("--searches", type=int, default=100)
    parser.add_argument("--limits", type=float, nargs="+", default=[5, 20, 80])
    parser.add_argument("--threads", type=int, default=1)
    chosen = parser.parse_args()
    print(f"{'game':12}{'search':10}{'nodes/s':>10}   ms over the limit, of {chosen.searches} searches: p50 p99 most")
    for game in map(load, chosen.games):
        for name, plain in game.searches.items():
            search = with_threads(game, plain, chosen.threads)
            if chosen.threads > 1 and search is plain:
                continue
            places = positions(game, name, chosen.searches)
            told = []
            for limit in chosen.limits:
                speed, over = measure(game, search, limit, places)
                told.append(f"{limit:g} ms {np.median(over):6.2f} {np.percentile(over, 99):6.2f} {max(over):6.2f}")
            print(f"{game.name:12}{name:10}{speed:10,.0f}   {'   '.join(told)}", flush=True)


if __name__ == "__main__":
    main()
