"""Measures how strong a game's levels are, and writes the table that people are shown: `levels.csv` in its folder, and
the documentation's.

    python tests/levels.py GAME                 400 matches of each two neighbours
    python tests/levels.py GAME --games 40      a quick look; writes nothing
    python tests/levels.py GAME --start usual   from one of the starts alone; the table of the other stays
    python tests/levels.py GAME --again best    one player alone, which has changed, against its neighbours

`random`, `level1`, …, `best` play their neighbours, in pairs on one seed with seats exchanged. Engines such as `greedy`
play every third level. A game with balanced openings is measured twice: from its usual start, as people play, and from
the openings, as most matches of a tournament are played. The ratings are those that explain all results best
(`lapilli.arena.statistics.ratings`), with 95 % intervals, and `random` is 0. Levels search by nodes, so that the same
command plays the same matches everywhere. `best` searches by the clock: here, it searches as many nodes as it would in
its time on a core of this machine that does nothing else (by the processor time of some searches). It plays a quarter
of the matches.

Neighbours may be far apart: results from 1 % to 99 % say most about a whole ladder for the time that they take.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from itertools import pairwise
from pathlib import Path
from random import Random
from time import thread_time

import numpy as np

import lapilli
from lapilli.arena.progress.schedule import pair_seed
from lapilli.arena.statistics.pairs import PairCounts
from lapilli.arena.statistics.ratings import rating_against, ratings
from lapilli.core.api import SIMULTANEOUS, Game, Setup, State
from lapilli.core.content.levels import FILE, OPENINGS, USUAL, Strength, read_strengths
from lapilli.games import load, names
from lapilli.match import replay
from lapilli.players.engines.builtin import builtin_engines
from lapilli.players.engines.searches import BEST, find_search, level_names, searching_ms
from lapilli.search.budget import Budget
from lapilli.search.searcher import new_searcher

GAMES = 400
OF_BEST = 4
"""`best` plays this fraction of the matches."""
TIMED, TIMED_NODES = 12, 600
"""Number of searches to measure the speed of `best`, and nodes of each."""
BLOCK = 10
"""Number of pairs that a process plays at a time."""
PAGE = Path(__file__).parents[1] / "docs" / "engines.md"
BEGIN, END = "<!-- levels -->", "<!-- end of levels -->"

Choose = Callable[[State, int, Random], Sequence[int]]


# -- who plays whom


def ladder_of(game: Game) -> list[str]:
    """Those who are measured, in the order of their strength; without the game's engines, which come between them."""
    return ["random", *level_names(game), BEST]


def engines_of(game: Game) -> list[str]:
    return [name for name in builtin_engines(game) if name != "random"]


def starts_of(game: Game) -> list[str]:
    return [USUAL, OPENINGS] if game.openings() else [USUAL]


def meetings_of(game: Game) -> list[tuple[str, str]]:
    """All who meet: neighbours on the ladder, and engines with every third of it."""
    ladder = ladder_of(game)
    return [
        *pairwise(ladder),
        *((other, engine) for engine in engines_of(game) for other in level_names(game)[::3]),
    ]


# -- matches


@cache
def chooser(game_name: str, name: str) -> Choose | None:
    """What chooses the turns of a player in compiled code; None for one that searches by the clock."""
    game = load(game_name)
    named = find_search(game, name)
    if named is None:
        engine = builtin_engines(game)[name]
        return lambda state, player, random: engine(state.clone(), player, random)
    if named.budget is None or named.budget.nodes is None:
        return None
    nodes = named.budget.nodes
    kernel = new_searcher(game, named.search, {}).turn_kernel(game.new_initial_state(seed=0))
    workspace, turn = kernel.new_workspace(), np.empty(kernel.most_actions, np.int64)

    def choose(state: State, player: int, random: Random) -> Sequence[int]:
        seen, seed = state.determinised(random.getrandbits(62)), random.getrandbits(62)
        count = kernel.module.choose_turn(seen.record, player, seed, nodes, workspace, state.static, turn)
        actions: list[int] = turn[:count].tolist()
        return actions

    return choose


@cache
def best_by_nodes(game_name: str) -> str:
    """The opponent `best` with the nodes for which its time suffices, whatever else this machine does."""
    game = load(game_name)
    *_, search = game.searches.values()
    searcher, level = new_searcher(game, search, {}), level_names(game)[-2]
    states = [state for state, _ in replay(lapilli.play_match(game, [level, level], seed=1)) if state.asked()]
    searcher.search(states[0].clone(), states[0].asked()[0], Budget(nodes=1), 1)  # compiles
    nodes, seconds = 0, 0.0
    for state in states[:: len(states) // TIMED + 1]:
        begin = thread_time()
        nodes += searcher.search(state.determinised(1), state.asked()[0], Budget(nodes=TIMED_NODES), 1).nodes
        seconds += thread_time() - begin
    return f"{BEST}:nodes={round(nodes / seconds * searching_ms(game) / 1000)}"


def match(game: Game, players: Sequence[str], seed: int, position: str | None) -> float:
    """The score of player 0."""
    choosers = [choose for name in players if (choose := chooser(game.name, name)) is not None]
    if len(choosers) < len(players):
        named = [best_by_nodes(game.name) if name == BEST else name for name in players]
        record = lapilli.play_match(game, named, seed=seed, position=position)
        assert record.outcome is not None
        assert record.outcome.ranks is not None
        first, second = record.outcome.ranks
        return 0.5 + 0.5 * (first < second) - 0.5 * (first > second)
    state = game.new_initial_state(Setup(seed=seed, position=position))
    random = Random(seed)
    while not state.is_terminal():
        asked, turn = state.asked(), state.turn
        turns = [choose(state, player, random) if player in asked else () for player, choose in enumerate(choosers)]
        if not asked:
            game.protocol.play_turn(state, {})
        elif state.current_player() == SIMULTANEOUS:
            for place in range(max(map(len, turns))):
                if state.turn == turn and not state.is_terminal():
                    state.apply_actions([own[place] if place < len(own) else 0 for own in turns])
        else:
            for action in turns[asked[0]]:
                state.apply_action(action)
    return 0.5 + 0.5 * state.returns()[0]


def block(name: str, meeting: tuple[str, str], start: str, pairs: range) -> list[tuple[float, float]]:
    """What the first of two scores in each match of some pairs."""
    game, scores = load(name), []
    openings = game.openings() if start == OPENINGS else ()
    for pair in pairs:
        position = openings[pair % len(openings)] if openings else None
        one, other = (match(game, order, pair_seed(0, pair), position) for order in (meeting, meeting[::-1]))
        scores.append((one, 1 - other))
    return scores


def played(
    game: Game, meetings: Sequence[tuple[str, str]], start: str, games: int, jobs: int
) -> dict[tuple[str, str], PairCounts]:
    """The results of these meetings, with so many matches each."""
    scores: dict[tuple[str, str], list[tuple[float, float]]] = {meeting: [] for meeting in meetings}
    work = [
        (meeting, range(first, min(first + BLOCK, pairs)))
        for meeting in meetings
        for pairs in [games // 2 // (OF_BEST if BEST in meeting else 1)]
        for first in range(0, pairs, BLOCK)
    ]
    with ProcessPoolExecutor(jobs) as pool:
        columns = zip(*((game.name, meeting, start, pairs) for meeting, pairs in work), strict=True)
        for number, ((meeting, _), found) in enumerate(zip(work, pool.map(block, *columns), strict=True), 1):
            scores[meeting] += found
            print(f"\r{start}: {number} of {len(work)} blocks", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return {meeting: PairCounts.of(pairs) for meeting, pairs in scores.items()}


# -- ratings


def measured(game: Game, start: str, games: int, jobs: int) -> list[Strength]:
    """How strong all are, the weakest first."""
    found = played(game, meetings_of(game), start, games, jobs)
    for (one, other), counts in found.items():
        print(f"{other:9} against {one:9} {100 * (1 - counts.score):5.1f} % of {2 * counts.pairs}")
    print(f"best searched as {best_by_nodes(game.name)}")
    rated = reversed(ratings(found, anchor="random"))
    return [Strength(one.name, start, round(one.elo), round(one.low), round(one.high), one.matches) for one in rated]


def measured_again(game: Game, player: str, start: str, games: int, jobs: int) -> list[Strength]:
    """How strong all are, the weakest first, this one by new matches against those whose ratings stay."""
    known = {one.player: one for one in read_strengths(game.content, start)}
    found = played(game, [two for two in meetings_of(game) if player in two], start, games, jobs)
    results = {two[two[0] == player]: counts if two[0] == player else counts.swapped() for two, counts in found.items()}
    rated = rating_against(player, results, {other: known[other].elo for other in results})
    nearest = min((known[other] for other in results), key=lambda one: abs(one.elo - rated.elo))
    error = float(np.hypot((rated.high - rated.low) / 2, (nearest.high - nearest.low) / 2))
    new = Strength(player, start, round(rated.elo), round(rated.elo - error), round(rated.elo + error), rated.matches)
    return sorted((known | {player: new}).values(), key=lambda one: one.elo)


# -- tables


def write(file: Path, rows: Iterable[Strength]) -> None:
    """Writes the table of a game."""
    with file.open("w", encoding="utf-8", newline="") as text:
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(("player", "start", "elo", "low", "high", "matches"))
        writer.writerows((row.player, row.start, row.elo, row.low, row.high, row.matches) for row in rows)


def page_table() -> str:
    """What the page on engines shows of all games: who is how strong, a line for each game and start."""
    lines = ["| game | matches from | Elo above `random` |", "|---|---|---|"]
    for game in map(load, names()):
        for start, called in ((USUAL, "the usual start"), (OPENINGS, "balanced openings")):
            rows = read_strengths(game.content, start)
            shown = ", ".join(f"`{one.player}` {one.elo}" for one in rows if one.player != "random")
            lines += [f"| {game.name} | {called} | {shown} |"] * bool(shown)
    return "\n".join(lines) + "\n"


def write_page() -> None:
    """Puts the table between its marks."""
    text = PAGE.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    PAGE.write_text(f"{before}{BEGIN}\n{page_table()}{END}{rest.split(END)[1]}", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game", type=load)
    parser.add_argument("--games", type=int, help=f"matches of each two, instead of {GAMES}; nothing is written")
    parser.add_argument("--start", choices=(USUAL, OPENINGS), help="how the matches begin; default: all starts")
    parser.add_argument("--again", metavar="PLAYER", help="measure this one alone; the others keep their ratings")
    parser.add_argument("--jobs", type=int, default=1, help="number of processes")
    given = parser.parse_args()
    game, games = given.game, given.games or GAMES
    measurable = [one.player for one in game.strengths if one.player != "random"]
    if given.again not in (None, *measurable):
        parser.error(f"--again: expected one who was measured before: {', '.join(measurable) or 'nobody was'}")
    table: list[Strength] = []
    for start in starts_of(game):
        if given.start not in (None, start):
            table += read_strengths(game.content, start)
        elif given.again is None:
            table += measured(game, start, games, given.jobs)
        else:
            table += measured_again(game, given.again, start, games, given.jobs)
    for row in table:
        print(f"{row.start:8} {row.player:10} {row.elo:+6}  ({row.low:+} to {row.high:+}), {row.matches}")
    if given.games is None:
        write(Path(str(game.content / FILE)), table)
        write_page()


if __name__ == "__main__":
    main()
