"""Puzzles out of matches: positions where one turn is clearly the best, each proven by a second, deeper look."""

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
from lapilli.search.result import Thought
from lapilli.store import Store
from lapilli.store.results import unpack_record

GAP = 0.15
"""So much expected score the best turn is worth more than any other, at least."""
_WORTHWHILE = 0.45
"""The best turn leads to this expected score or more: who is lost anyway has no puzzle."""
_LOOK_MS = 30.0
"""For so long, about, a first look lasts."""
_DEEPER = 8
"""The second look is so many times as long as the first."""
_OPENING = 3
"""Positions at the begin of a match that are left out."""
_BY_LOT = 12
"""Turns drawn by lot that the best one is compared to, beside those that searches tell of."""
_COMPARED = 5
"""The best of them, at first glance, are looked at as long as the best turn."""
_EVERY = 4
"""One in so many levels is asked what weak players would do."""
_MOSTLY = 0.7
"""This share of the turns that are tried where players act at once is worth less than the best, at least."""
_APART = 8
"""Puzzles from one match are so many positions apart."""
_LINE = 4
"""Turns that are told of what follows, the solution included."""
_PAGE = 200


def setup_at(state: State) -> dict[str, Any]:
    """The setup that begins at a position: its notation, and what of the setup still counts."""
    return replace(state.setup, position=state.position(), own={}, seed=None).to_dict()


def stored_records(store: Store, game: Game) -> Iterator[Record]:
    """The matches of a game whose records are kept: those that people played on the site, then the arena's."""
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
    """Matches without an end, played by levels of middling strength, so that there is something to miss."""
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
    """Looks for puzzles in matches of one game.

    Args:
        seed: of the searches' chance.

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
        """What the strongest search looks at in the time for a long look, as a power of two."""
        state = self._game.new_initial_state(seed=self._seed)
        while not state.asked():
            self._game.protocol.play_turn(state, {})
        analyse(state, nodes=1)
        return _DEEPER << (analyse(state, ms=_LOOK_MS).nodes.bit_length() - 1)

    def mine(self, record: Record, told: Callable[[], object] = lambda: None) -> Iterator[Puzzle]:
        """The puzzles in a match. `told` is called for each position that is looked at."""
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
    """The puzzle that a position is; None where it is none. The same arguments give the same answer everywhere.

    A first look finds a turn that seems to be clearly the best. A look at `nodes` with other chance must find the same
    one. Then what it and its rivals lead to is looked at as long, and what it is worth more must be GAP or more.

    Where players act at once, a turn is many commands, some of which hardly matter. There, turns that are worth the
    same are taken for the same one, and its rivals are what weak players would do.
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
    """The turn that a puzzle is about, and what turns are worth at a glance."""

    state: State
    player: int
    best: str
    worth: Callable[[str], float]

    @property
    def at_once(self) -> bool:
        """Whether others act at the same time."""
        return len(self.state.asked()) > 1

    def is_found(self, reply: str) -> bool:
        """Whether a turn is that one."""
        if is_same_turn(self.state, self.player, reply, self.best):
            return True
        return self.at_once and self.worth(reply) >= self.worth(self.best) - MARGIN


def _stand_apart(sought: _Sought, tried: list[str]) -> bool:
    """Whether turns are as good as the best one or clearly worse, most of them worse; as far as a glance tells."""
    found = 0
    for reply in reversed(tried):
        if sought.is_found(reply):
            found += 1
        elif sought.worth(reply) > sought.worth(sought.best) - GAP / 2:
            return False
    return found <= (1 - _MOSTLY) * len(tried)


def _by_nodes(nodes: int, seed: int, engine: str) -> Think:
    return lambda state, player: analyse(state, nodes=nodes, player=player, engine=engine, seed=seed)


def _seems_clear(state: State, player: int, thought: Thought) -> bool:
    """Whether a first look may have found a puzzle: a turn that is worth playing, and better than others that differ
    from it."""
    if thought.value < _WORTHWHILE or len(state.legal_actions(player)) < 2:
        return False
    turns = [state.game.protocol.format_reply(state, player, line.turn) for line in thought.lines]
    others = [line.value for line, turn in zip(thought.lines, turns, strict=True) if turn != turns[0]]
    return len(state.asked()) > 1 or not others or thought.value - max(others) >= GAP / 2


def _others(state: State, player: int, thoughts: list[Thought], seed: int) -> list[str]:
    """Turns that may be rivals: those that searches told of (where players act at once, those of some levels instead),
    and some by lot."""
    chance = Random(seed)
    turns = [line.turn for thought in thoughts for line in thought.lines]
    if len(state.asked()) > 1:
        weak = level_names(state.game)[::_EVERY]
        turns = [analyse(state, player=player, engine=name, seed=seed).turn for name in weak]
    turns[:0] = [tuple(random_turn(state.clone(), player, chance)) for _ in range(_BY_LOT)]
    return list(dict.fromkeys(state.game.protocol.format_reply(state, player, turn) for turn in turns))


def _level(sought: _Sought, seed: int) -> int:
    """The weakest level that finds the turn, as does the next one: by luck one may find what the next one does not."""
    names = level_names(sought.state.game)
    found = [_finds(sought, name, seed) for name in names]
    finds = [here and following for here, following in pairwise([*found, True])]
    return next((number for number, does in enumerate(finds, 1) if does), len(names) + 1)


def _finds(sought: _Sought, level: str, seed: int) -> bool:
    state, player = sought.state, sought.player
    thought = analyse(state, player=player, engine=f"{level}:blunder=0", seed=seed)
    return sought.is_found(state.game.protocol.format_reply(state, player, thought.turn))
