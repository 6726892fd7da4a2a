"""Evaluations: how strong is an agent, on the scale of a game's levels?"""

from __future__ import annotations

import inspect
import os
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lapilli.arena.pages.leaderboard import leaderboard_page
from lapilli.arena.statistics import FittedRating, PairCounts, rating_against
from lapilli.core.api import Game, Setup
from lapilli.core.errors import LapilliError
from lapilli.core.reading.text import quoted
from lapilli.envs.batches.validation import count_of, game_of
from lapilli.envs.learning.evaluation.evaluated import Agent, Show, play_in_batch, play_matches
from lapilli.match import Record
from lapilli.players import PlayerSpec
from lapilli.players.engines.searches import level_names
from lapilli.players.processes.command import name_of

_MOST_MATCHES = 1_000_000
_MOST_LOST = 1000
_NO_FILE_NAME = re.compile(r"[^\w.-]+")


@dataclass(frozen=True, kw_only=True)
class Evaluation:
    """The result of an evaluation.

    `print(result)` prints one line. `result.page(path)` writes a page with a leaderboard. `result.save_lost(folder)`
    writes the records of lost matches, which `lapilli view` shows.

    Attributes:
        game: the game.
        agent: name of the agent.
        results: counts of the pairs of matches against each opponent, by the opponent's name, seen from the agent. A
            match of three or four players counts once for each of the other players.
        rating: the agent's Elo with its 95 % interval, on the scale of the game's levels, where `random` has 0. It is
            computed from the results against opponents of measured strength, whose Elo is treated as exact. None if no
            opponent has a measured strength.
        lost: records of matches that the agent lost, by the opponent's name. If the agent plays in a batch, there are
            no records of matches against `random`, because `random` plays differently in a match than in a batch.
    """

    game: Game
    agent: str
    results: Mapping[str, PairCounts]
    rating: FittedRating | None
    lost: Mapping[str, Sequence[Record]]

    def __str__(self) -> str:
        scores = ", ".join(f"{name} {100 * pairs.score:.1f} %" for name, pairs in self.results.items())
        rating, compared = self.rating, sum(pairs.pairs * pairs.matches for pairs in self.results.values())
        matches = compared // (next(iter(self.results.values())).matches - 1)
        elo = f"{rating.elo:.0f} Elo ({rating.low:.0f} to {rating.high:.0f}, 95 %); " if rating else ""
        return f"{self.game.name}: {self.agent}: {elo}score against {scores}; {matches} matches"

    def page(self, path: str | os.PathLike[str]) -> None:
        """Writes the HTML file `path`: a leaderboard of the game's levels and the agent."""
        strengths = [(row.player, float(row.elo), float(row.low), float(row.high)) for row in self.game.strengths]
        text = leaderboard_page(self.game.title, self.agent, str(self), self.rating, strengths, self.results)
        Path(path).write_text(text, encoding="utf-8")

    def save_lost(self, folder: str | os.PathLike[str]) -> list[Path]:
        """Saves the records of lost matches in a folder, and returns their paths. `lapilli view` shows them."""
        Path(folder).mkdir(parents=True, exist_ok=True)
        paths = []
        for opponent, records in self.lost.items():
            for number, record in enumerate(records, 1):
                paths.append(Path(folder) / f"{_NO_FILE_NAME.sub('_', opponent)}-{number}.json")
                record.save(paths[-1])
        return paths


def evaluate(
    agent: Agent | str | PlayerSpec | os.PathLike[str],
    game: str | Game,
    against: Sequence[str] | None = None,
    *,
    matches: int = 200,
    seed: int = 0,
    lost: int = 3,
    name: str = "",
    jobs: int | None = None,
    show: Show | None = None,
    **setup: Any,
) -> Evaluation:
    """Plays pairs of matches of an agent against opponents, and returns its strength on the scale of the game's levels.

    The matches of a pair have the same seed and start position, and exchanged seats.

    >>> print(lapilli.evaluate("greedy", lapilli.names()[0], ["level2", "level5"], matches=100))

    Args:
        agent: an agent that plays in a batch, see `Agent`: a function (observations, legal actions) that returns an
            action for each of many games, or another object with a method `act(games)` that returns an action for each
            game of a batch. Or an agent that plays single matches: the name of a built-in opponent, a bot's command
            line, a PlayerSpec, or the path (a `Path`) of a file of weights, with which the game's strongest search
            plays.
        game: a Game or its name.
        against: the opponents: names of built-in opponents or, if the agent does not play in a batch, also command
            lines of bots. An agent that does not play in a batch needs two opponents in matches of three players, and
            three in matches of four. Default: every second level.
        matches: number of matches against each opponent, rounded up to whole pairs; by default 200.
        seed: seed of the first pair; the next pair has the next seed.
        lost: greatest number of records of lost matches to return for each opponent.
        name: name of the agent; by default, a name is derived from the agent itself.
        jobs: number of matches at once, if the agent does not play in a batch. Default: one for every two cores, or one
            for each core if all players are built-in.
        show: function that is called again and again with the numbers of matches played and to be played. Default: the
            numbers are shown on stderr, if it is a terminal.
        setup: keys of the setup: players, variant, league, and the game's own keys.

    Raises:
        IllegalAction: the agent is a function that returned an illegal action.
        LapilliError: a player is not valid, cannot be started, or cannot play in a batch; or another argument is not
            valid.
    """
    found = game_of(game)
    opponents = [*(level_names(found)[::2] or ("random",))] if against is None else [*against]
    if not opponents or isinstance(against, str):
        raise LapilliError(f"against: expected a list of opponents, not {quoted(against, 40)}")
    number, kept = count_of("matches", matches, _MOST_MATCHES), count_of("lost", lost, _MOST_LOST) if lost else 0
    pairs = -(-number // (found.complete(Setup.from_dict(setup)).players or found.players[0]))
    player: Any = f"best:weights={os.fspath(agent)}" if isinstance(agent, os.PathLike) else agent
    show = show or (_show_on_terminal if sys.stderr is not None and sys.stderr.isatty() else None)
    if isinstance(player, str | PlayerSpec):
        results, records = play_matches(found, player, opponents, pairs, seed, kept, setup, jobs, show)
    elif callable(player) or callable(getattr(player, "act", None)):
        _check_arguments(player)
        results, records = play_in_batch(found, player, opponents, pairs, seed, kept, setup, show)
    else:
        raise LapilliError(
            f"agent: expected a function, an object with act, a command line or a path, not {quoted(agent, 40)}"
        )
    called = name or _name_of(player)
    elos = {row.player: float(row.elo) for row in found.strengths}
    measured = {opponent: counts for opponent, counts in results.items() if opponent in elos}
    rating = rating_against(called, measured, elos) if measured else None
    return Evaluation(game=found, agent=called, results=results, rating=rating, lost=records)


def _check_arguments(agent: Any) -> None:
    """Raises LapilliError if `agent` is a function that cannot be called with observations and legal actions."""
    if not callable(agent):
        return
    try:
        arguments = inspect.signature(agent)
    except ValueError:  # functions of extension modules may have no signature
        return
    try:
        arguments.bind(None, None)
    except TypeError:
        raise LapilliError(
            "agent: expected a function (observations, legal) that returns an action for each of many games; "
            f"{_name_of(agent)} has the arguments {quoted(str(arguments), 80)}"
        ) from None


def _show_on_terminal(done: int, total: int) -> None:
    """Writes the numbers of matches played (`done`) and to be played (`total`) on stderr, in one line.

    Each call overwrites the line of the last call. When all matches are played, the line is cleared.
    """
    text = f"{done:,} of {total:,} matches"
    print(f"\r{text if done < total else ' ' * len(text)}\r", end="", file=sys.stderr, flush=True)


def _name_of(player: Any) -> str:
    if isinstance(player, PlayerSpec):
        return player.name or name_of(player.command)
    if inspect.ismethod(player):  # `Agent.best`, since `best` alone is a built-in opponent
        return f"{type(player.__self__).__name__}.{player.__name__}"
    return player if isinstance(player, str) else str(getattr(player, "__name__", type(player).__name__))
