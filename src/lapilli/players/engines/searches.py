"""Built-in opponents that search, made from names such as `level3`, `level:1250` or `best:ms=80`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from math import isfinite
from random import Random
from time import perf_counter

from lapilli.core.api import Game
from lapilli.core.content.levels import Level, Search, level_between, level_title
from lapilli.core.errors import LapilliError
from lapilli.kernels.kernel import compile_seconds, random_seed
from lapilli.players.bots.answer import Answer
from lapilli.players.engines.seeds import opponent_random
from lapilli.players.player import Identity, Player, Question, lapilli_version
from lapilli.search.budget import Budget
from lapilli.search.searcher import new_searcher

BEST = "best"
"""Name with which users select a game's strongest search, which is the last search that the game lists."""
LEVEL = "level"
"""Prefix of the names of levels. `level:1250` is an opponent with the Elo rating 1250."""
_SHARE = 0.9
_RESERVE_MS = 3.0
"""A search without a budget of its own searches for the share `_SHARE` of the match's time limit, minus `_RESERVE_MS`
milliseconds. The rest of the time is for formatting and sending the reply.
"""


@dataclass(frozen=True)
class NamedSearch:
    """A search with all its settings, which a user selected by a name such as `level3` or `best:ms=80`.

    Attributes:
        name: the name, as the user wrote it.
        search: the search and its settings.
        budget: budget of nodes or time for each turn; None to use the time limit of the match.
    """

    name: str
    search: Search
    budget: Budget | None


def search_names(game: Game) -> tuple[str, ...]:
    """Returns the names of a game's levels and searches, without settings; empty for a game without searches."""
    return (*level_names(game), *game.searches, BEST) if game.searches else ()


def level_names(game: Game) -> tuple[str, ...]:
    """Returns the names of the game's levels, weakest first."""
    return tuple(f"{LEVEL}{number}" for number in range(1, len(game.levels) + 1))


def level_titles(game: Game) -> dict[str, str]:
    """Returns the display name of each of the game's levels, weakest first: {"level1": "First steps", …}."""
    names = level_names(game)
    return {name: level_title(number, len(names)) for number, name in enumerate(names, 1)}


def engine_name(name: str) -> str:
    """Returns the name of a built-in opponent without its settings: `level:1250` for `level:1250,ms=80`."""
    engine, colon, rest = name.partition(":")
    return f"{engine}:{rest.partition(',')[0]}" if colon and engine == LEVEL else engine


def elo_range(game: Game) -> tuple[int, int] | None:
    """Returns the Elo ratings of the game's weakest and strongest level; None if no levels have been measured.

    An opponent `level:ELO` can have any rating between them.
    """
    elos = _measured_levels(game)
    return (elos[0][0], elos[-1][0]) if elos else None


def present_engine(game: Game, name: str) -> str:
    """Returns the name of the built-in opponent that continues a stored match, in which the opponent's name is `name`.

    This is `name` itself, unless the game's levels have changed since the match began. A level that the game no longer
    has, or an Elo rating that is out of range, is replaced by the nearest level.
    """
    names, elos = level_names(game), elo_range(game)
    if names and name not in names and re.fullmatch(rf"{LEVEL}\d+", name):
        return names[-1]
    if elos and (rating := re.fullmatch(rf"{LEVEL}:(\d+)", name)):
        return f"{LEVEL}:{min(max(int(rating[1]), elos[0]), elos[1])}"
    return name


def level_of_elo(game: Game, elo: float) -> Level:
    """Returns a level of the Elo rating `elo`, whose settings lie between those of the next weaker and stronger levels.

    Raises:
        LapilliError: no levels of the game have such ratings.
    """
    measured = _measured_levels(game)
    if not measured:
        raise LapilliError(f"{game.title} has no measured levels: choose another opponent")
    if not measured[0][0] <= elo <= measured[-1][0]:
        raise LapilliError(
            f"level:{elo:g} is out of range: choose an Elo rating from {measured[0][0]} to {measured[-1][0]}"
        )
    for (low, weaker), (high, stronger) in pairwise(measured):
        if elo <= high:
            return level_between(weaker, stronger, (elo - low) / max(1, high - low))
    return measured[-1][1]


def _measured_levels(game: Game) -> list[tuple[int, Level]]:
    """Returns the game's levels and their measured Elo ratings, the weakest first."""
    elos = {strength.player: strength.elo for strength in game.strengths}
    levels = zip(level_names(game), game.levels, strict=True)
    return [(elos[name], level) for name, level in levels if name in elos]


def find_search(game: Game, text: str) -> NamedSearch | None:
    """Parses the name with which a user selects a search: `NAME`, or with settings, as in `NAME:nodes=20000,ms=80`.

    NAME is the name of a search or level, or `level:ELO` for a level with this Elo rating. The value of the setting
    `weights` is the path of a file; the values of all other settings are numbers. Returns None if the game has no
    search or level with this name.

    Raises:
        LapilliError: the part after the colon is not valid.
        UnknownName: there is no such setting.
    """
    name, colon, options = text.partition(":")
    level = dict(zip(level_names(game), game.levels, strict=True)).get(name)
    if name == LEVEL and colon and game.searches:
        rating, colon, options = options.partition(",")
        level = level_of_elo(game, _elo(text, rating))
    elif name not in search_names(game):
        return None
    settings, weights = _settings(text, options) if colon else ({}, "")
    nodes, ms = settings.pop("nodes", None), settings.pop("ms", None)
    if nodes is not None and nodes != int(nodes):
        raise LapilliError(f"player {text!r}: nodes must be a whole number")
    if level is None:
        search = game.searches[name] if name != BEST else list(game.searches.values())[-1]
    else:
        base = game.searches[level.search]
        search = Search(method=base.method, settings={**base.settings, **level.settings, "blunder": level.blunder})
        nodes = level.nodes if nodes is None and ms is None else nodes
    search = Search(method=search.method, settings={**search.settings, **settings}, weights=weights)
    new_searcher(game, search, {})  # checks the settings and the file of weights
    budget = None if nodes is None and ms is None else Budget(None if nodes is None else int(nodes), ms)
    return NamedSearch(text, search, budget)


def with_threads(game: Game, search: Search, threads: int) -> Search:
    """Returns a search with this number of threads.

    A search that sets the number itself, or whose method uses one thread only, is returned unchanged.
    """
    if "threads" in search.settings or "threads" not in new_searcher(game, search, {}).settings:
        return search
    return replace(search, settings={**search.settings, "threads": threads})


def weights_of(game: Game, spec: object) -> str:
    """Returns the path of the weights file in the player's name `spec`, as in `best:weights=net.bin`; "" if none."""
    named = find_search(game, spec) if isinstance(spec, str) else None
    return "" if named is None else named.search.weights


def _elo(text: str, rating: str) -> float:
    """Parses the Elo rating in the name `text` of a player; `rating` is this part of the name.

    Raises LapilliError if `rating` is not a number.
    """
    try:
        return float(rating)
    except ValueError:
        raise LapilliError(f"player {text!r}: after level: comes an Elo rating, as in level:1250") from None


def _settings(text: str, options: str) -> tuple[dict[str, float], str]:
    """Parses the settings in a player's name.

    Args:
        text: the whole name, for the error message.
        options: the part of the name after the colon.

    Returns:
        The numeric settings by name; the path of the weights file, or "" for none.

    Raises:
        LapilliError: a setting has no value, or a value is not a number.
    """
    settings, weights = dict[str, float](), ""
    for option in options.split(","):
        name, _, value = (part.strip() for part in option.partition("="))
        if name == "weights" and value:
            weights = value
            continue
        try:
            settings[name] = float(value)
        except ValueError:
            raise LapilliError(
                f"player {text!r}: after the colon come settings with numbers, as in nodes=20000,ms=80, or weights=FILE"
            ) from None
        if not isfinite(settings[name]):
            raise LapilliError(f"player {text!r}: {name} must be a finite number")
    return settings, weights


def searching_ms(game: Game, limit_ms: float | None = None) -> float:
    """Returns how long a search without a budget of its own may take for a reply, in milliseconds.

    Args:
        game: the game.
        limit_ms: time limit of the reply; None for the game's own.
    """
    ms = game.reply_ms if limit_ms is None else min(limit_ms, game.first_reply_ms)
    return max(1.0, _SHARE * ms - _RESERVE_MS)


class SearchPlayer(Player):
    """A player whose turns are chosen by a search in this process.

    The search receives a copy of the position in which random values replace all hidden information, so that the player
    learns no secrets.

    Args:
        game: the game.
        named: the search.
        player: player number in the match.
        seed: seed of the player's random numbers. All players of a match may have the same seed, because the player
            number is combined with it.
    """

    def __init__(self, game: Game, named: NamedSearch, player: int, seed: int) -> None:
        self._game, self._named_search = game, named
        self._random, self._seeds = Random(f"{seed}/{player}"), opponent_random(seed, player)
        self._searcher = new_searcher(game, named.search, {})

    @property
    def identity(self) -> Identity:
        settings: Mapping[str, object] = self._searcher.settings
        named = self._named_search
        limits = {} if named.budget is None else {"nodes": named.budget.nodes, "ms": named.budget.ms}
        weights = {"weights": named.search.weights or None}
        stored = {name: value for name, value in {**limits, **settings, **weights}.items() if value is not None}
        return Identity(named.name, engine=engine_name(named.name), settings=stored, version=lapilli_version())

    def answer(self, question: Question) -> Answer:
        """Computes the reply, and measures the time for this. Time for compiling kernels is subtracted."""
        state = question.state
        compiled, start = compile_seconds(), perf_counter()
        own = state.determinised(self._random.getrandbits(62))
        result = self._searcher.search(
            own.clone(), question.player, self._budget(question.limit_ms), int(random_seed(self._seeds))
        )
        reply = self._game.protocol.format_reply(own, question.player, result.turn)
        spent = perf_counter() - start - (compile_seconds() - compiled)
        return Answer(reply, 1000 * spent)

    def _budget(self, limit_ms: float | None) -> Budget:
        if self._named_search.budget is not None:
            return self._named_search.budget
        return Budget(ms=searching_ms(self._game, limit_ms))
