"""Measures how strong a game's levels are, and writes the table that people are shown: `levels.csv` in its folder, and
the documentation's.

    python tests/levels.py GAME                 100 matches of each two neighbours
    python tests/levels.py GAME --games 40      a quick look; writes nothing
    python tests/levels.py GAME --again best    one player alone, which has changed, against its neighbours

A tournament of neighbours: each of `random`, `level1`, …, `best` plays those up to NEAR places from it, in pairs on one
seed with seats exchanged; `greedy` and others of the game's own play every APART-th. The ratings are those that explain
all results best (`lapilli.arena.statistics.ratings`), with 95 % intervals, and `random` is 0. Levels think by nodes, so
that the same command plays the same matches everywhere; `best` thinks by the clock, and depends on the machine.
Measured again, a player's rating is the one that explains its new results best while its neighbours keep theirs, and
the interval adds its own uncertainty to that of the neighbour who says most.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from pathlib import Path

from lapilli.arena.matches.contestants import contestants_of
from lapilli.arena.matches.playing import Keep
from lapilli.arena.matches.pool import LocalPool, default_jobs
from lapilli.arena.matches.recipes import recipe_of
from lapilli.arena.progress.schedule import pair_seed, seating
from lapilli.arena.reports.crosstable import CrossTable
from lapilli.arena.statistics.elo import ELO_OF_LOGIT, Z95, expected_score
from lapilli.core.api import Game
from lapilli.core.content.levels import FILE, Strength
from lapilli.games import load, names
from lapilli.players.engines.builtin import builtin_engines
from lapilli.players.engines.searches import BEST, level_names
from lapilli.store.results import MatchTask

NEAR = 2
SEATS = 2
APART = 3
GAMES = 100
PAGE = Path(__file__).parents[1] / "docs" / "engines.md"
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


def tasks(game: Game, meetings: Sequence[tuple[int, int]], games: int) -> Iterator[MatchTask]:
    """All meetings, a pair of each before any has its second."""
    positions = game.openings()
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


def played(game: Game, meetings: Sequence[tuple[int, int]], games: int, jobs: int) -> CrossTable:
    """The results of so many matches of each two."""
    contestants = contestants_of(game, players_of(game))
    table = CrossTable([one.name for one in contestants], SEATS)
    recipe = recipe_of(game, contestants, keep=Keep.NONE)
    wanted, done = games * len(meetings), 0
    for results in LocalPool(recipe, jobs).play(iter(tasks(game, meetings, games))):
        for result in results:
            table.add(result)
        done += len(results)
        print(f"\r{done} of {wanted} matches", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return table


def measured(game: Game, games: int, jobs: int) -> list[Strength]:
    """How strong all are, the weakest first."""
    rows = reversed(played(game, meetings_of(game), games, jobs).rows(anchor="random"))
    rated = [row.rating for row in rows]
    return [Strength(one.name, round(one.elo), round(one.low), round(one.high), one.matches) for one in rated]


def measured_again(game: Game, player: str, games: int, jobs: int) -> list[Strength]:
    """How strong all are, the weakest first, this one by new matches."""
    names_of, held = players_of(game), {one.player: one for one in game.strengths}
    own = names_of.index(player)
    table = played(game, [two for two in meetings_of(game) if own in two], games, jobs)
    others = [(held[name], table.against(own, place)) for place, name in enumerate(names_of) if name in held]
    others = [(other, score) for other, score in others if score.matches]
    matches = sum(score.matches for _, score in others)
    points = min(max(sum(score.points for _, score in others), 0.5), matches - 0.5)
    low, high = -10_000.0, 20_000.0
    while high - low > 0.1:
        elo = (low + high) / 2
        expected = [(score.matches, expected_score(elo - other.elo)) for other, score in others]
        low, high = (elo, high) if sum(number * share for number, share in expected) < points else (low, elo)
    known = [number * share * (1 - share) for number, share in expected]
    nearest = others[known.index(max(known))][0]
    error = ((Z95 * ELO_OF_LOGIT) ** 2 / sum(known) + ((nearest.high - nearest.low) / 2) ** 2) ** 0.5
    new = Strength(player, round(elo), round(elo - error), round(elo + error), matches)
    return sorted((held | {player: new}).values(), key=lambda one: one.elo)


def write(file: Path, rows: Iterable[Strength]) -> None:
    """Writes the table."""
    with file.open("w", encoding="utf-8", newline="") as text:
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(("player", "elo", "low", "high", "matches"))
        writer.writerows((row.player, row.elo, row.low, row.high, row.matches) for row in rows)


def page_table() -> str:
    """What the page on engines shows of all games: who is how strong, a line a game."""
    lines = ["| game | Elo above `random` |", "|---|---|"]
    for name in names():
        told = ", ".join(f"`{one.player}` {one.elo}" for one in load(name).strengths if one.player != "random")
        lines += [f"| {name} | {told} |"] * bool(told)
    return "\n".join(lines) + "\n"


def write_readme() -> None:
    """Puts the table between its marks."""
    text = PAGE.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    PAGE.write_text(f"{before}{BEGIN}\n{page_table()}{END}{rest.split(END)[1]}", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game", type=load)
    parser.add_argument("--games", type=int, help=f"matches of each two, instead of {GAMES}; nothing is written")
    parser.add_argument("--again", metavar="PLAYER", help="measure this one alone; the others keep their ratings")
    parser.add_argument("--jobs", type=int, default=default_jobs(in_process=True))
    given = parser.parse_args()
    games = given.games or GAMES
    measurable = [one.player for one in given.game.strengths if one.player != "random"]
    if given.again not in (None, *measurable):
        parser.error(f"--again: expected one who was measured before: {', '.join(measurable) or 'nobody was'}")
    if given.again is None:
        rows = measured(given.game, games, given.jobs)
    else:
        rows = measured_again(given.game, given.again, games, given.jobs)
    for row in rows:
        print(f"{row.player:10} {row.elo:+6}  ({row.low:+} to {row.high:+}), {row.matches}")
    if given.games is None:
        write(Path(str(given.game.content / FILE)), rows)
        vars(given.game).pop("strengths", None)
        write_readme()


if __name__ == "__main__":
    main()
