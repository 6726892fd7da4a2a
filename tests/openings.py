"""Writes balanced openings of a game: positions a few random turns from its start, from which neither side is ahead.

    python tests/openings.py GAME --turns 7 10                      256 for each setup whose start is always the same
    python tests/openings.py GAME --turns 3 5 --variant V --count 64    those of one variant; the file's others stay

A candidate, by number, is what uniformly random actions from the usual start lead to, drawn by that number alone, when
the turn of that number has come and a player is to move. It is taken where no earlier one is equal and each player's
expected score (1 for a win, 1/2 for a draw) lies in BAND by two measures:

* `playouts` of them, uniformly random games by the kernel;
* `games` of the game's strongest engine against itself, in which each turn is a random one with the chance SLIP. The
  candidate is refused as soon as a player is further ahead, or behind, than it may be at the end.

The file, `openings.csv` in the game's folder, has for each opening the candidate's number, its position, and the first
player's expected score by either measure. The same command writes the same file, however many processes work at it.
"""

from __future__ import annotations

import argparse
import csv
import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import count, product
from multiprocessing import Pool
from pathlib import Path
from random import Random
from time import perf_counter

import numpy as np

from lapilli.core.api import Game, Setup, State
from lapilli.core.content.openings import FILE, KEYS, Row
from lapilli.core.errors import SetupError
from lapilli.games import load
from lapilli.kernels.kernel import new_random
from lapilli.players.engines.builtin import builtin_engines, random_turn

BAND = (0.4, 0.6)
SLIP = 0.05
AT_A_TIME = 64


@dataclass(frozen=True)
class Wanted:
    """What candidates of one setup must stand.

    Attributes:
        game: the game's name. setup: what to start from.
        turns: the lowest and the highest number of the turn that is to come.
        playouts, games: how many are played from each.
    """

    game: str
    setup: Setup
    turns: tuple[int, int]
    playouts: int
    games: int


def reached(game: Game, setup: Setup, number: int, turn: int) -> State:
    """The position that candidate `number` has when a player is to move in this turn or a later one, or at the end."""
    state, random = game.new_initial_state(setup), Random(f"opening {number}")
    while state.turn < turn or not state.asked():
        if state.is_terminal():
            break
        play_turn(state, random, slip=1)
    return state


def play_turn(state: State, random: Random, slip: float) -> None:
    """A referee turn, each player's part by the strongest engine or, with the chance `slip`, at random."""
    replies, protocol = {}, state.game.protocol
    *_, engine = builtin_engines(state.game).values()
    for player in state.asked():
        choose = random_turn if random.random() < slip else engine
        replies[player] = protocol.format_reply(state, player, choose(state.clone(), player, random))
    protocol.play_turn(state, replies)


def by_playouts(state: State, number: int, seed: int) -> np.ndarray:
    """The players' mean scores over uniformly random games."""
    verbs, players = state.game.verbs, state.num_players
    out, work = np.empty(verbs.MAX_LEGAL + players, np.int64), state.clone()
    values, total, rng = np.zeros(players), np.zeros(players), new_random(seed)
    for _ in range(number):
        work.become(state)
        verbs.playout(work.record, rng, out, *state.static)
        verbs.values(work.record, values)
        total += values
    return (1 + total / number) / 2


def by_engine(state: State, number: int, seed: int) -> np.ndarray:
    """The players' mean scores over games of the engine; those out of BAND may be of fewer games."""
    ahead, most = np.zeros(state.num_players), number * (BAND[1] - BAND[0])
    for game in range(number):
        end, random = state.clone(), Random(f"game {seed} {game}")
        while not end.is_terminal():
            play_turn(end, random, SLIP)
        ahead += end.returns()
        if max(abs(ahead)) > most:
            return (1 + ahead / (game + 1)) / 2
    return (1 + ahead / number) / 2


def is_balanced(scores: np.ndarray) -> bool:
    return bool(BAND[0] <= scores.min() and scores.max() <= BAND[1])


def judged(wanted: Wanted, number: int) -> tuple[str, float, float] | None:
    """Candidate `number`: its position and the first player's score by either measure; None where it is refused."""
    game, (low, high) = load(wanted.game), wanted.turns
    state = reached(game, wanted.setup, number, low + number % (high - low + 1))
    if state.is_terminal():
        return None
    scores = by_playouts(state, wanted.playouts, number)
    if not is_balanced(scores):
        return None
    engine_scores = by_engine(state, wanted.games, number)
    return (state.position(), scores[0], engine_scores[0]) if is_balanced(engine_scores) else None


def rows(wanted: Wanted, number: int, processes: int) -> Iterator[Row]:
    """That many openings for a setup, in the order of their candidates' numbers."""
    began, taken = perf_counter(), set[str]()
    keys = {key: str(value) for key, value in wanted.setup.to_dict().items() if key in KEYS}
    for candidate, verdict in enumerate(verdicts(wanted, processes)):
        if verdict is None or verdict[0] in taken:
            continue
        position, playouts, engine = verdict
        taken.add(position)
        yield {
            **keys,
            "number": str(candidate),
            "position": position,
            "playouts": f"{playouts:.3f}",
            "engine": f"{engine:.3f}",
        }
        print(f"{len(taken)} of {candidate + 1} candidates, {perf_counter() - began:.0f} s", flush=True)
        if len(taken) == number:
            return


def verdicts(wanted: Wanted, processes: int) -> Iterator[tuple[str, float, float] | None]:
    """What becomes of the candidates 0, 1, …, some at a time, without end."""
    with Pool(processes) as pool:
        for first in count(0, AT_A_TIME):
            yield from pool.imap(partial(judged, wanted), range(first, first + AT_A_TIME))


def setups(game: Game, variant: str | None) -> Iterator[Setup]:
    """The setups, of this variant or of all, whose start is the same whatever the seed."""
    variants = (variant,) if variant else game.variants or (None,)
    for players, one, league in product(game.players, variants, game.leagues or (None,)):
        setup = game.complete(Setup(players=players, variant=one, league=league))
        try:
            starts = {game.new_initial_state(replace(setup, seed=seed)).position() for seed in range(8)}
        except SetupError:  # a variant that is not for that many players
            continue
        if len(starts) == 1:
            yield setup


def write(file: Path, game: Game, found: list[Row]) -> None:
    """Writes the file, with a column for each key that the game leaves a choice of."""
    choices = {"players": game.players, "variant": game.variants, "league": game.leagues}
    columns = [key for key in KEYS if len(choices[key]) > 1] + ["number", "position", "playouts", "engine"]
    with file.open("w", encoding="utf-8", newline="") as text:
        writer = csv.DictWriter(text, columns, extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows(found)


def main() -> None:
    options = _options()
    game = load(options.game)
    found = [row for row in game.opening_rows if options.variant and row["variant"] != options.variant]
    for setup in setups(game, options.variant):
        print(game.name, setup.to_dict())
        wanted = Wanted(game.name, setup, tuple(options.turns), options.playouts, options.games)
        for row in rows(wanted, options.count, options.processes):
            found.append(row)
            write(Path(str(game.content)) / FILE, game, found)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Write balanced openings of a game into its folder.")
    parser.add_argument("game")
    parser.add_argument("--turns", type=int, nargs=2, required=True, metavar=("LOW", "HIGH"))
    parser.add_argument("--variant")
    parser.add_argument("--count", type=int, default=256)
    parser.add_argument("--playouts", type=int, default=4000)
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    return parser.parse_args()


if __name__ == "__main__":
    main()
