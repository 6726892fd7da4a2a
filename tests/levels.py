"""Measures how strong a game's levels are, and writes the table that people are shown: `levels.csv` in its folder, and
the README's.

    python tests/levels.py GAME                 100 matches of each two neighbours
    python tests/levels.py GAME --games 40      a quick look; writes nothing

A tournament of neighbours: each of `random`, `level1`, …, `best` plays those up to NEAR places from it, in pairs on one
seed with seats exchanged; `greedy` and others of the game's own play every APART-th. The ratings are those that explain
all results best (`lapilli.arena.statistics.ratings`), with 95 % intervals, and `random` is 0. Levels think by nodes, so
that the same command plays the same matches everywhere; `best` thinks by the clock, and depends on the machine.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

from lapilli.arena.contestants import contestants_of
from lapilli.arena.crosstable import CrossTable, Row
from lapilli.arena.playing import Keep
from lapilli.arena.pool import Pool, default_jobs
from lapilli.arena.recipes import recipe_of
from lapilli.arena.results import MatchTask
from lapilli.arena.schedule import pair_seed, seating
from lapilli.games import load, names
from lapilli.games.api import Game
from lapilli.games.levels import FILE
from lapilli.players.builtin import builtin_engines
from lapilli.players.thinkers import BEST, level_names

NEAR = 2
SEATS = 2
APART = 3
GAMES = 100
README = Path(__file__).parents[1] / "README.md"
BEGIN, END = "<!-- levels -->", "<!-- end of levels -->"


def players_of(game: Game) -> list[str]:
    """Those who are measured, about in the order of their strength; the game's engines without a search come last."""
    return ["random", *level_names(game), BEST, *(name for name in builtin_engines(game) if name != "random")]


def meetings_of(game: Game) -> list[tuple[int, int]]:
    """Who meets whom, by their places."""
    number = len(players_of(game))
    ladder = number - len(builtin_engines(game)) + 1
    return [
        (one, other)
        for one, other in combinations(range(number), 2)
        if (other - one <= NEAR if other < ladder else one % APART == 0 or one >= ladder)
    ]


def tasks(game: Game, games: int) -> Iterator[MatchTask]:
    """All meetings, a pair of each before any has its second."""
    meetings, positions = meetings_of(game), game.openings()
    for number in range(games * len(meetings)):
        pair, turn = divmod(number, SEATS)
        nth, place = divmod(pair, len(meetings))
        yield MatchTask(
            number=number,
            pair=pair,
            seed=pair_seed(0, pair),
            seats=seating(meetings[place], nth, turn),
            position=positions[(nth - 1) % len(positions)] if positions and nth else None,
        )


def measured(game: Game, games: int, jobs: int) -> list[Row]:
    """The table, the strongest first."""
    contestants = contestants_of(game, players_of(game))
    table = CrossTable([one.name for one in contestants], SEATS)
    recipe = recipe_of(game, contestants, keep=Keep.NONE)
    wanted, done = games * len(meetings_of(game)), 0
    for results in Pool(recipe, jobs).play(iter(tasks(game, games))):
        for result in results:
            table.add(result)
        done += len(results)
        print(f"\r{done} of {wanted} matches", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return table.rows(anchor="random")


def write(file: Path, rows: list[Row]) -> None:
    """Writes the table, the weakest first."""
    with file.open("w", encoding="utf-8", newline="") as text:
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(("player", "elo", "low", "high", "matches"))
        for row in reversed(rows):
            rating = row.rating
            writer.writerow((row.figures.name, *map(round, (rating.elo, rating.low, rating.high)), rating.matches))


def readme_table() -> str:
    """What the README shows of all games: who is how strong, a line a game."""
    lines = ["| game | Elo above `random` |", "|---|---|"]
    for name in names():
        told = ", ".join(f"`{one.player}` {one.elo}" for one in load(name).strengths if one.player != "random")
        lines += [f"| {name} | {told} |"] * bool(told)
    return "\n".join(lines) + "\n"


def write_readme() -> None:
    """Puts the table between its marks."""
    text = README.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    README.write_text(f"{before}{BEGIN}\n{readme_table()}{END}{rest.split(END)[1]}", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game", type=load)
    parser.add_argument("--games", type=int, help=f"matches of each two, instead of {GAMES}; nothing is written")
    parser.add_argument("--jobs", type=int, default=default_jobs(in_process=True))
    given = parser.parse_args()
    rows = measured(given.game, given.games or GAMES, given.jobs)
    for row in reversed(rows):
        rating = row.rating
        print(f"{row.figures.name:10} {rating.elo:+6.0f}  ({rating.low:+.0f} to {rating.high:+.0f}), {rating.matches}")
    if given.games is None:
        write(Path(str(given.game.folder / FILE)), rows)
        vars(given.game).pop("strengths", None)
        write_readme()


if __name__ == "__main__":
    main()
