"""Films for the boards on the first page. A film shows a match that was played on the site, else the one in the game's
folder.
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
from lapilli.store import Store
from lapilli.store.results import unpack_record
from lapilli.viewer.film import film

FILE = "match.json"
"""Name of the record in a game's folder. Without it, the board shows the start position."""
TURNS = 24
"""Number of referee turns in a film."""
_FEWEST = 8
"""Least number of referee turns of a match that is shown."""
_LOOKED_AT = 100
"""Number of finished matches among which one of the game is looked for."""
_KEPT_S = 600.0
"""How long a film is shown before another match is looked for, in seconds."""
_PARTS = ("style", "defs", "links", "globe", "legend", "players", "frames")
Data = dict[str, Any]


class Showcase:
    """The films on the first page. Each is made once and then cached; no engine plays for them.

    Args:
        store: the database with the site's matches.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = asyncio.Lock()
        self._chosen: dict[str, tuple[float, Record]] = {}
        self._films: dict[str, Data] = {}

    async def start(self, game: Game) -> Data:
        """Returns the first picture of a game's film, as a film of its own, which is quickly made."""
        async with self._lock:
            record = await self._record(game)
            return await asyncio.to_thread(_shown, record, 0)

    async def film(self, game: Game) -> Data:
        """Returns a game's film."""
        async with self._lock:
            record = await self._record(game)
            if game.name not in self._films:
                self._films[game.name] = await asyncio.to_thread(_shown, record, TURNS)
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
        kept = game.content / FILE
        if kept.is_file():
            return parse_record(kept.read_bytes())
        return Record(format=FORMAT, game=game.name)

    def _played(self, game: Game) -> Iterator[Record]:
        """Yields the site's finished matches of a game, in the order of `Matches.listed`."""
        for table in self._store.site.matches.listed(over=True, most=_LOOKED_AT):
            stored = self._store.site.matches.get(table.id) if table.game == game.name else None
            if stored is not None and stored.record is not None:
                yield unpack_record(stored.record, f"match {table.id}")


def _shown(record: Record, turns: int) -> Data:
    """Returns the film of the first turns; only of the start position if the rules have changed since the match."""
    cut = msgspec.structs.replace(record, turns=[one for one in record.turns if one.turn <= turns], outcome=None)
    try:
        made = film(cut)
    except LapilliError:
        made = film(Record(format=FORMAT, game=record.game))
    return {key: made[key] for key in _PARTS}
