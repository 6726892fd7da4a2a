"""Films for the boards on the first page, one per game.

A film shows a match that was played on the site. If no match is long enough, the film shows the example match in the
game's folder.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from typing import Any

import msgspec

from lapilli.core.api import Game
from lapilli.core.errors import LapilliError
from lapilli.match import Record
from lapilli.match.record import FORMAT, parse_record
from lapilli.site.compilation import Compilation
from lapilli.store import Store
from lapilli.store.results import unpack_record
from lapilli.viewer.film import film

FILE = "match.json"
"""Name of the file with a game's example match, in the game's content folder. If there is no such file, and no match of
the site is long enough, the board shows the start position.
"""
TURNS = 24
"""Largest number of turns in a film."""
_FEWEST = 8
"""Smallest number of turns of a match of the site that is shown."""
_LOOKED_AT = 100
"""Number of finished matches, of all games, among which a match of one game is looked for."""
_KEPT_S = 600.0
"""Time after which another match is chosen for a game's film, in seconds."""
_PARTS = ("style", "defs", "dark", "names", "links", "globe", "legend", "players", "frames")
Data = dict[str, Any]


class Showcase:
    """The films on the first page. A film is made once from a finished match, and then cached.

    Args:
        store: the database with the site's matches.
        compilation: compiles the kernels that draw a game's pictures; a film waits for them.
    """

    def __init__(self, store: Store, compilation: Compilation) -> None:
        self._store, self._compilation = store, compilation
        self._lock = asyncio.Lock()
        self._chosen: dict[str, tuple[float, Record]] = {}
        self._films: dict[str, Data] = {}

    async def start(self, game: Game) -> Data:
        """Returns a film with only the first picture of a game's film. This takes less time than `film`."""
        await self._compilation.wait(game.name)
        async with self._lock:
            record = await self._record(game)
            return await asyncio.to_thread(_film_of, record, 0)

    async def film(self, game: Game) -> Data:
        """Returns a game's film, of at most `TURNS` turns."""
        await self._compilation.wait(game.name)
        async with self._lock:
            record = await self._record(game)
            if game.name not in self._films:
                self._films[game.name] = await asyncio.to_thread(_film_of, record, TURNS)
            return self._films[game.name]

    async def _record(self, game: Game) -> Record:
        chosen = self._chosen.get(game.name)
        if chosen is None or time.monotonic() - chosen[0] > _KEPT_S:
            chosen = time.monotonic(), await asyncio.to_thread(self._choose, game)
            self._chosen[game.name] = chosen
            self._films.pop(game.name, None)
        return chosen[1]

    def _choose(self, game: Game) -> Record:
        for record in self._played(game):
            if record.turns and record.turns[-1].turn >= _FEWEST:
                return record
        file = game.content / FILE
        if file.is_file():
            return parse_record(file.read_bytes())
        return Record(format=FORMAT, game=game.name)

    def _played(self, game: Game) -> Iterator[Record]:
        """Yields records of the site's finished matches of a game, in the order of the store's list of matches."""
        for table in self._store.site.matches.listed(over=True, most=_LOOKED_AT):
            stored = self._store.site.matches.get(table.id) if table.game == game.name else None
            if stored is not None and stored.record is not None:
                yield unpack_record(stored.record, f"match {table.id}")


def _film_of(record: Record, turns: int) -> Data:
    """Returns the film of a record's first turns.

    If the record cannot be replayed, because the rules have changed since, the film shows the start position.
    """
    shortened = msgspec.structs.replace(
        record, turns=[entry for entry in record.turns if entry.turn <= turns], outcome=None
    )
    try:
        data = film(shortened)
    except LapilliError:
        data = film(Record(format=FORMAT, game=record.game))
    return {key: data[key] for key in _PARTS}
