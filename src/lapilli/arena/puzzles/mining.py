"""Finds puzzles in matches: positions in which one turn is clearly the best, confirmed by a second, deeper search."""

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
from lapilli.match import play_match
from lapilli.match.record import Record
from lapilli.match.replay import replay
from lapilli.players.engines.builtin import random_turn
from lapilli.players.engines.position_analysis import analyse
from lapilli.players.engines.searches import BEST, level_names
from lapilli.players.engines.turns import MARGIN, Think, best_line, is_same_turn, worth
from lapilli.search.result import SearchResult
from lapilli.store import Store
from lapilli.store.results import unpack_record

GAP = 0.15
"""Minimum difference in expected score (0 to 1) between the best turn and any other."""
_WORTHWHILE = 0.45
"""Minimum expected score of the best turn: a position that is lost anyway makes no puzzle."""
_LOOK_MS = 30.0
"""Approximate time of the first search, in milliseconds."""
_DEEPER = 8
"""How many times as many nodes the second search has as the first."""
_OPENING = 3
"""Number of positions at the start of a match that are skipped."""
_BY_LOT = 12
"""Number of random turns that the best turn is compared with, in addition to those that the searches return."""
_COMPARED = 5
"""Number of rival turns, the best by the short search, that are searched as deeply as the best turn."""
_EVERY = 4
"""Every n-th level is searched with, to find the turns of weak players."""
_MOSTLY = 0.7
"""In simultaneous turns, minimum share of the tried turns that must be worse than the best one."""
_APART = 8
"""Minimum number of positions between two puzzles from the same match."""
_LINE = 4
"""Number of turns in a puzzle's line, the solution included."""
_PAGE = 200


def setup_at(state: State) -> dict[str, Any]:
    """Returns a setup that starts at a position; the seed and the game's own keys are left out."""
    return replace(state.setup, position=state.position(), own={}, seed=None).to_dict()


def stored_records(store: Store, game: Game) -> Iterator[Record]:
    """Yields the stored records of a game: first up to 200 finished matches of the site, then those of the arena."""
    for table in store.site.matches.listed(over=True, most=_PAGE):
        if table.game == game.name:
            held = store.site.matches.get(table.id)
            if held is not None and held.record is not None:
                yield unpack_record(held.record, f"match {table.id}")
    for event in store.events(game=game.name):
        for match in store.results(event.id):
            if match.kept:
                data = store.match(match.id).result.record
                if data is not None:
                    yield unpack_record(data, f"match {event.id}/{match.result.number}")


def played_records(game: Game, seed: int) -> Iterator[Record]:
    """Plays matches without end and yields their records.

    The players are random levels of the upper two thirds, so that there are good turns that were missed.
    """
    levels = level_names(game)
    chance = Random(seed)
    while True:
        players = chance.sample(levels[len(levels) // 3 :], 2) * 2
        number = chance.getrandbits(62)
        variants = [*game.variants[:1] * 2, *game.variants]
        setup = Setup(seed=number, variant=chance.choice(variants) if variants else None)
        openings = game.openings(setup)
        if openings:
            setup = replace(setup, position=chance.choice(openings))
        yield play_match(game, players[: game.players[0]], **setup.to_dict())


class Miner:
    """Finds puzzles in matches of one game.

    Args:
        seed: seed of the searches' random numbers.

    Raises:
        LapilliError: the game has no search, or no levels.
    """

    def __init__(self, game: Game, seed: int = 0) -> None:
        if not game.searches or not game.levels:
            raise LapilliError(f"{game.title} has no search and no levels to find puzzles by")
        self._game, self._seed = game, seed
        self._nodes = self._measured()
        self._seen: set[str] = set()

    def _measured(self) -> int:
        """Returns the number of nodes of a deep search, a power of two, from the speed of the strongest search."""
        state = self._game.new_initial_state(seed=self._seed)
        while not state.asked():
            self._game.protocol.play_turn(state, {})
        analyse(state, nodes=1)
        return _DEEPER << (analyse(state, ms=_LOOK_MS).nodes.bit_length() - 1)

    def mine(self, record: Record, told: Callable[[], object] = lambda: None) -> Iterator[Puzzle]:
        """Yields the puzzles in a match. `told` is called before each position is searched."""
        last = -_APART
        for number, (state, _) in enumerate(replay(record)):
            if number < _OPENING or number - last < _APART or state.is_terminal():
                continue
            for player in state.asked():
                told()
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
    """Returns the puzzle in a position, or None if it has none. The same arguments give the same result everywhere.

    A short search must find a turn that seems clearly the best. A search of `nodes` nodes with another seed must find
    the same turn. Then the positions after this turn and after its best rivals are searched with `nodes` nodes each;
    the turn must be worth at least GAP more than every rival.

    In simultaneous turns, a turn has many commands, some of which hardly matter. There, turns of nearly the same value
    count as the same turn, and the rivals are turns of weak players.

    Args:
        setup: setup that starts at the position.
        player: the player to move.
        nodes: number of nodes of the deep searches.
        seed: seed of all random numbers.
        engine: search or level that evaluates.
    """
    position = game.new_initial_state(Setup.from_dict(setup))
    state = position.determinised(seed)
    few = max(1, nodes // _DEEPER)
    glance, look = _by_nodes(few, seed + 2, engine), _by_nodes(nodes, seed + 2, engine)
    first = analyse(state, nodes=few, player=player, engine=engine, seed=seed)
    if not _seems_clear(state, player, first):
        return None
    deep = analyse(state, nodes=nodes, player=player, engine=engine, seed=seed + 1)
    best, seen = (game.protocol.format_reply(state, player, thought.turn) for thought in (deep, first))
    sought = _Sought(state, player, best, cache(lambda reply: worth(state, player, reply, glance)))
    if not sought.is_found(seen):
        return None
    tried = _others(state, player, [first, deep], seed)
    if sought.at_once and not _stand_apart(sought, tried):
        return None
    rivals = sorted((reply for reply in tried if not sought.is_found(reply)), key=lambda reply: -sought.worth(reply))
    if not rivals:
        return None
    value = worth(state, player, best, look)
    second = max(worth(state, player, reply, look) for reply in rivals[:_COMPARED])
    if value < _WORTHWHILE or value - second < GAP:
        return None
    return Puzzle(
        setup=setup,
        player=player,
        reply=best,
        value=round(value, 3),
        second=round(second, 3),
        line=best_line(position, player, best, look, _LINE),
        nodes=nodes,
        engine=engine,
        seed=seed,
        level=_level(sought, seed),
    )


@dataclass(frozen=True)
class _Sought:
    """The solution of a puzzle candidate, with a function that evaluates turns by a short search."""

    state: State
    player: int
    best: str
    worth: Callable[[str], float]

    @property
    def at_once(self) -> bool:
        """Whether other players act on the same turn."""
        return len(self.state.asked()) > 1

    def is_found(self, reply: str) -> bool:
        """Returns whether a reply solves the puzzle.

        It does if it is the same turn as `best`, or in simultaneous turns if it is worth the same within MARGIN.
        """
        if is_same_turn(self.state, self.player, reply, self.best):
            return True
        return self.at_once and self.worth(reply) >= self.worth(self.best) - MARGIN


def _stand_apart(sought: _Sought, tried: list[str]) -> bool:
    """Returns whether each tried turn either solves the puzzle or is clearly worse, and most are worse.

    The values come from short searches.
    """
    found = 0
    for reply in reversed(tried):
        if sought.is_found(reply):
            found += 1
        elif sought.worth(reply) > sought.worth(sought.best) - GAP / 2:
            return False
    return found <= (1 - _MOSTLY) * len(tried)


def _by_nodes(nodes: int, seed: int, engine: str) -> Think:
    return lambda state, player: analyse(state, nodes=nodes, player=player, engine=engine, seed=seed)


def _seems_clear(state: State, player: int, thought: SearchResult) -> bool:
    """Returns whether the first search may have found a puzzle: its turn is worth playing, and better than other turns.

    In simultaneous turns, the comparison with other turns is skipped.
    """
    if thought.value < _WORTHWHILE or len(state.legal_actions(player)) < 2:
        return False
    turns = [state.game.protocol.format_reply(state, player, line.turn) for line in thought.lines]
    others = [line.value for line, turn in zip(thought.lines, turns, strict=True) if turn != turns[0]]
    return len(state.asked()) > 1 or not others or thought.value - max(others) >= GAP / 2


def _others(state: State, player: int, thoughts: list[SearchResult], seed: int) -> list[str]:
    """Returns turns that the best one is compared with: random turns, and those that the searches returned.

    In simultaneous turns, the turns of some levels replace those of the searches.
    """
    chance = Random(seed)
    turns = [line.turn for thought in thoughts for line in thought.lines]
    if len(state.asked()) > 1:
        weak = level_names(state.game)[::_EVERY]
        turns = [analyse(state, player=player, engine=name, seed=seed).turn for name in weak]
    turns[:0] = [tuple(random_turn(state.clone(), player, chance)) for _ in range(_BY_LOT)]
    return list(dict.fromkeys(state.game.protocol.format_reply(state, player, turn) for turn in turns))


def _level(sought: _Sought, seed: int) -> int:
    """Returns the number of the weakest level that finds the solution, from 1; one above the last level if none does.

    The next stronger level must find it, too, because a level may find a turn by luck.
    """
    names = level_names(sought.state.game)
    found = [_finds(sought, name, seed) for name in names]
    finds = [here and following for here, following in pairwise([*found, True])]
    return next((number for number, does in enumerate(finds, 1) if does), len(names) + 1)


def _finds(sought: _Sought, level: str, seed: int) -> bool:
    state, player = sought.state, sought.player
    thought = analyse(state, player=player, engine=f"{level}:blunder=0", seed=seed)
    return sought.is_found(state.game.protocol.format_reply(state, player, thought.turn))
