"""Finds puzzles in matches: positions in which one turn is clearly the best, confirmed by deeper searches."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from random import Random
from typing import Any

from lapilli.core.api import Game, Setup, State
from lapilli.core.content.puzzles import Puzzle
from lapilli.core.errors import LapilliError
from lapilli.core.search.search_result import SearchResult
from lapilli.match import play_match
from lapilli.match.record import Record
from lapilli.match.replay import replay
from lapilli.players.engines.builtin import random_turn
from lapilli.players.engines.position_analysis import analyse
from lapilli.players.engines.searches import BEST, level_names
from lapilli.players.engines.turns import MARGIN, SearchFunction, best_line, is_same_turn, worth
from lapilli.store import Store
from lapilli.store.results import unpack_record

GAP = 0.15
"""Smallest difference in expected score (0 to 1) between a puzzle's best turn and its second best turn."""
_LEAST_SCORE = 0.45
"""Smallest expected score (0 to 1) of a puzzle's best turn. A position that is lost anyway is not used as a puzzle."""
_SHORT_MS = 30.0
"""Approximate time of a short search, in milliseconds."""
_DEEPER = 8
"""Number of nodes of a deep search, as a multiple of the nodes of a short search."""
_OPENING = 3
"""Number of positions at the start of a match that are skipped."""
_RANDOM_TURNS = 12
"""Number of random turns that are compared with the best turn, in addition to the turns that searches return."""
_COMPARED = 5
"""Number of rivals (turns compared with the best turn) that are searched as deeply as the best turn.

Short searches select the best rivals.
"""
_TRIES = 5
"""Number of tries of each level to find the solution of a puzzle."""
_LEAST_WORSE = 0.7
"""Smallest share of the compared turns that must be worse than the best turn, if players act simultaneously."""
_APART = 8
"""Smallest distance between two puzzles from the same match, in positions."""
_LINE = 4
"""Largest number of turns in the line of play that is stored with a puzzle, including the solution."""
_PAGE = 200
"""Largest number of the site's finished matches, of all games, from which records are read."""


def setup_at(state: State) -> dict[str, Any]:
    """Returns a setup from which a match begins at the position of `state`, without seed and the game's own keys."""
    return replace(state.setup, position=state.position(), own={}, seed=None).to_dict()


def stored_records(store: Store, game: Game) -> Iterator[Record]:
    """Yields a game's stored records: first records of the site's latest matches, then records of all events."""
    for table in store.site.matches.listed(over=True, most=_PAGE):
        if table.game == game.name:
            stored = store.site.matches.get(table.id)
            if stored is not None and stored.record is not None:
                yield unpack_record(stored.record, f"match {table.id}")
    for event in store.events(game=game.name):
        for match in store.results(event.id):
            if match.kept:
                data = store.match(match.id).result.record
                if data is not None:
                    yield unpack_record(data, f"match {event.id}/{match.result.number}")


def played_records(game: Game, seed: int) -> Iterator[Record]:
    """Plays matches without end, and yields their records.

    The players are levels, drawn at random from the stronger two thirds. Such players sometimes miss a good turn, and
    the position can become a puzzle.
    """
    levels = level_names(game)
    random = Random(seed)
    while True:
        players = random.sample(levels[len(levels) // 3 :], 2) * 2
        number = random.getrandbits(62)
        variants = [*game.variants[:1] * 2, *game.variants]
        setup = Setup(seed=number, variant=random.choice(variants) if variants else None)
        openings = game.openings(setup)
        if openings:
            setup = replace(setup, position=random.choice(openings))
        yield play_match(game, players[: game.players[0]], **setup.to_dict())


class Miner:
    """Finds puzzles in the matches of one game. Each position becomes a puzzle only once.

    Args:
        game: the game.
        seed: seed of the searches' random numbers.

    Raises:
        LapilliError: the game has no search, or no levels.
    """

    def __init__(self, game: Game, seed: int = 0) -> None:
        if not game.searches or not game.levels:
            raise LapilliError(f"{game.title} has no search that could find puzzles")
        self._game, self._seed = game, seed
        self._nodes = self._deep_nodes()
        self._seen: set[str] = set()

    def _deep_nodes(self) -> int:
        """Measures the speed of the game's strongest search.

        Returns the number of nodes of a deep search, a power of two.
        """
        state = self._game.new_initial_state(seed=self._seed)
        while not state.asked():
            self._game.protocol.play_turn(state, {})
        analyse(state, nodes=1)
        return _DEEPER << (analyse(state, ms=_SHORT_MS).nodes.bit_length() - 1)

    def mine(self, record: Record, show: Callable[[], object] = lambda: None) -> Iterator[Puzzle]:
        """Yields the puzzles in a match.

        Args:
            record: record of the match.
            show: function that is called before each position is searched, to show progress.
        """
        last = -_APART
        for number, (state, _) in enumerate(replay(record)):
            if number < _OPENING or number - last < _APART or state.is_terminal():
                continue
            for player in state.asked():
                show()
                found = self._puzzle(setup_at(state), player)
                if found is not None:
                    last = number
                    yield found
                    break

    def _puzzle(self, setup: dict[str, Any], player: int) -> Puzzle | None:
        if setup["position"] in self._seen:
            return None
        found = proven(self._game, setup, player, self._nodes, self._seed)
        if found is not None:
            self._seen.add(setup["position"])
        return found


def proven(game: Game, setup: dict[str, Any], player: int, nodes: int, seed: int, engine: str = BEST) -> Puzzle | None:
    """Returns the puzzle in a position; None if there is none. Equal arguments give equal results on all machines.

    A position is a puzzle if a short search finds a turn that seems clearly the best, and a deep search with another
    seed finds the same turn. Then the positions after this turn, and after its best rivals (other turns), are searched
    deeply. The turn's value must exceed that of every rival by at least GAP.

    If players act simultaneously, a turn has many commands, and some of these hardly matter. So in such games, turns of
    nearly the same value count as the same turn, and the rivals include turns of weak players.

    Args:
        game: the game.
        setup: setup from which a match begins at the position.
        player: number of the player to move.
        nodes: number of nodes of the deep searches.
        seed: seed of all random numbers.
        engine: name of the search or level that evaluates positions.
    """
    position = game.new_initial_state(Setup.from_dict(setup))
    state = position.determinised(seed)
    few = max(1, nodes // _DEEPER)
    short_search, deep_search = _by_nodes(few, seed + 2, engine), _by_nodes(nodes, seed + 2, engine)
    first = analyse(state, nodes=few, player=player, engine=engine, seed=seed)
    if not _seems_clear(state, player, first):
        return None
    deep = analyse(state, nodes=nodes, player=player, engine=engine, seed=seed + 1)
    best, first_reply = (game.protocol.format_reply(state, player, result.turn) for result in (deep, first))
    solution = _Solution(state, player, best, cache(lambda reply: worth(state, player, reply, short_search)))
    if not solution.is_found(first_reply):
        return None
    others = _other_turns(state, player, [first, deep], seed)
    if solution.is_simultaneous and not _is_clearly_best(solution, others):
        return None
    rivals = sorted(
        (reply for reply in others if not solution.is_found(reply)), key=lambda reply: -solution.worth(reply)
    )
    if not rivals:
        return None
    value = worth(state, player, best, deep_search)
    second = max(worth(state, player, reply, deep_search) for reply in rivals[:_COMPARED])
    if value < _LEAST_SCORE or value - second < GAP:
        return None
    return Puzzle(
        setup=setup,
        player=player,
        reply=best,
        value=round(value, 3),
        second=round(second, 3),
        line=best_line(position, player, best, deep_search, _LINE),
        nodes=nodes,
        engine=engine,
        seed=seed,
        level=_level(solution, seed),
    )


@dataclass(frozen=True)
class _Solution:
    """The solution of a possible puzzle.

    Attributes:
        state: the position.
        player: number of the player to move.
        best: the solution, as a reply.
        worth: function that returns the expected score (0 to 1) after a reply, from a short search.
    """

    state: State
    player: int
    best: str
    worth: Callable[[str], float]

    @property
    def is_simultaneous(self) -> bool:
        """Whether several players act in this turn at the same time."""
        return len(self.state.asked()) > 1

    def is_found(self, reply: str) -> bool:
        """Returns whether a reply solves the puzzle.

        A reply solves the puzzle if it leads to the same position as `best`. If players act simultaneously, a reply
        whose value is at most MARGIN below the value of `best` also solves the puzzle.
        """
        if is_same_turn(self.state, self.player, reply, self.best):
            return True
        return self.is_simultaneous and self.worth(reply) >= self.worth(self.best) - MARGIN


def _is_clearly_best(solution: _Solution, others: list[str]) -> bool:
    """Returns whether most other turns are clearly worse than the solution, and all the rest also solve the puzzle.

    The values come from short searches.

    Args:
        solution: the solution.
        others: the other turns, as replies.
    """
    found = 0
    for reply in reversed(others):
        if solution.is_found(reply):
            found += 1
        elif solution.worth(reply) > solution.worth(solution.best) - GAP / 2:
            return False
    return found <= (1 - _LEAST_WORSE) * len(others)


def _by_nodes(nodes: int, seed: int, engine: str) -> SearchFunction:
    return lambda state, player: analyse(state, nodes=nodes, player=player, engine=engine, seed=seed)


def _seems_clear(state: State, player: int, result: SearchResult) -> bool:
    """Returns whether a short search may have found a puzzle: its best turn is good, and better than its other turns.

    If players act simultaneously, the best turn is not compared with the other turns here.
    """
    if result.value < _LEAST_SCORE or len(state.legal_actions(player)) < 2:
        return False
    turns = [state.game.protocol.format_reply(state, player, line.turn) for line in result.lines]
    others = [line.value for line, turn in zip(result.lines, turns, strict=True) if turn != turns[0]]
    return len(state.asked()) > 1 or not others or result.value - max(others) >= GAP / 2


def _other_turns(state: State, player: int, results: list[SearchResult], seed: int) -> list[str]:
    """Returns turns to compare with the best turn, as replies: random turns, and the turns that searches returned.

    If players act simultaneously, the turns of the weaker half of the levels replace the turns that searches returned.
    """
    random = Random(seed)
    turns = [line.turn for result in results for line in result.lines]
    if len(state.asked()) > 1:
        names = level_names(state.game)
        turns = [analyse(state, player=player, engine=name, seed=seed).turn for name in names[: len(names) // 2]]
    turns[:0] = [tuple(random_turn(state.clone(), player, random)) for _ in range(_RANDOM_TURNS)]
    return list(dict.fromkeys(state.game.protocol.format_reply(state, player, turn) for turn in turns))


def _level(solution: _Solution, seed: int) -> int:
    """Returns the number (from 1) of the weakest level that finds the solution; number of levels + 1 if none finds it.

    The next stronger level must also find the solution, because a level may find a turn by luck.
    """
    names = level_names(solution.state.game)
    found = [_finds(solution, name, seed) for name in names]
    found_twice = [level_finds and next_finds for level_finds, next_finds in pairwise([*found, True])]
    return next((number for number, is_found in enumerate(found_twice, 1) if is_found), len(names) + 1)


def _finds(solution: _Solution, level: str, seed: int) -> bool:
    """Returns whether a level finds the solution in most of `_TRIES` tries with different seeds."""
    state, player = solution.state, solution.player
    turns = [analyse(state, player=player, engine=level, seed=seed + number).turn for number in range(_TRIES)]
    replies = [state.game.protocol.format_reply(state, player, turn) for turn in turns]
    return 2 * sum(map(solution.is_found, replies)) > _TRIES
