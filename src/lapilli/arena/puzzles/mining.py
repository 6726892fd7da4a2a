"""Finds puzzles in matches: positions in which one turn is clearly the best, confirmed by deeper searches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from random import Random
from typing import Any

from lapilli.arena.puzzles.proof import DEEPER, is_promising, proven, setup_at
from lapilli.core.api import Game, Setup, State
from lapilli.core.content.puzzles import Puzzle, read_puzzles
from lapilli.core.errors import LapilliError, RecordError
from lapilli.match import play_match
from lapilli.match.record import Record
from lapilli.match.replay import replay
from lapilli.players.engines.position_analysis import analyse
from lapilli.players.engines.searches import level_names
from lapilli.store import Store
from lapilli.store.results import unpack_record

_SHORT_MS = 30.0
"""Approximate time of a short search, in milliseconds."""
_OPENING = 3
"""Number of positions at the start of a match that are skipped."""
_APART = 8
"""Smallest distance between two puzzles from the same match, in positions."""
_PAGE = 200
"""Largest number of the site's finished matches, of all games, from which records are read."""


def stored_records(store: Store, game: Game) -> Iterator[Record]:
    """Yields a game's stored records: first records of the site's latest matches, then records of all events.

    Records that cannot be read, such as damaged ones, are skipped.
    """
    for data, source in _stored_data(store, game):
        with suppress(RecordError):
            yield unpack_record(data, source)


def _stored_data(store: Store, game: Game) -> Iterator[tuple[bytes, str]]:
    """Yields a game's stored records as tuples: the packed record, and a text that says where it is stored."""
    for table in store.site.matches.listed(over=True, most=_PAGE):
        if table.game == game.name:
            stored = store.site.matches.get(table.id)
            if stored is not None and stored.record is not None:
                yield stored.record, f"match {table.id}"
    for event in store.events(game=game.name):
        for match in store.results(event.id):
            if match.kept:
                data = store.match(match.id).result.record
                if data is not None:
                    yield data, f"match {event.id}/{match.result.number}"


def played_records(game: Game, seed: int) -> Iterator[Record]:
    """Plays matches without end, and yields their records. `seed`: seed of all random draws.

    The players are levels, drawn at random from the stronger two thirds. Such players sometimes miss a good turn, and
    the position can become a puzzle. Both players have nearly the same strength, so that matches are close for long.
    """
    levels = level_names(game)[len(game.levels) // 3 :]
    random = Random(seed)
    while True:
        first = random.randrange(max(1, len(levels) - 1))
        players = random.sample(levels[first : first + 2] * 2, 2) * 2
        number = random.getrandbits(62)
        variants = [*game.variants[:1] * 2, *game.variants]
        setup = Setup(seed=number, variant=random.choice(variants) if variants else None)
        openings = game.openings(setup)
        if openings:
            setup = replace(setup, position=random.choice(openings))
        yield play_match(game, players[: game.players[0]], **setup.to_dict())


def _positions(record: Record) -> Iterator[State]:
    """Yields the positions of a match, up to the first turn that contradicts the rules."""
    with suppress(RecordError):
        for state, _ in replay(record):
            yield state


class Miner:
    """Finds puzzles in the matches of one game. Each position becomes a puzzle only once.

    Args:
        game: the game.
        seed: seed of the searches' random numbers.
        nodes: number of nodes of each deep search. The default is the most frequent number among the puzzles that come
            with the game, so that proofs do not depend on how busy this machine is. If no puzzles come with the game,
            the default is the number that this machine searches in a quarter of a second.

    Raises:
        LapilliError: the game has no search, or no levels.
    """

    def __init__(self, game: Game, seed: int = 0, nodes: int | None = None) -> None:
        if not game.searches or not game.levels:
            raise LapilliError(f"{game.title} has no search that could find puzzles")
        self._game, self._seed = game, seed
        usual = Counter(puzzle.nodes for puzzle in read_puzzles(game.content)).most_common(1)
        self._nodes = nodes or (usual[0][0] if usual else self._deep_nodes())
        self._seen: set[str] = set()

    def _deep_nodes(self) -> int:
        """Returns the number of nodes for a deep search, a power of two.

        A short search measures the speed of the game's strongest search on this machine. The result is about DEEPER
        times the number of nodes of the short search.
        """
        state = self._game.new_initial_state(seed=self._seed)
        while not state.asked():
            self._game.protocol.play_turn(state, {})
        analyse(state, nodes=1)
        return DEEPER << (analyse(state, ms=_SHORT_MS).nodes.bit_length() - 1)

    def mine(self, record: Record, show: Callable[[], object] = lambda: None) -> Iterator[Puzzle]:
        """Yields the puzzles in a match.

        The record of a match that was played by other rules, of an older version, is searched up to the turn that the
        rules do not allow.

        Args:
            record: record of the match.
            show: function that is called before each position is searched, to show progress.
        """
        last = -_APART
        for number, state in enumerate(_positions(record)):
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
        found = None
        if is_promising(self._game, setup, player, self._nodes, self._seed):
            found = proven(self._game, setup, player, self._nodes, self._seed)
        if found is not None:
            self._seen.add(setup["position"])
        return found
