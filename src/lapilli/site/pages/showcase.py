"""Films for the boards on the first page and beside the form for a new table, one per game.

A film shows a few turns from the middle of a match that was played on the site. If no match is long enough, the film
shows the example match in the game's folder. The film of the example match is also a file in this folder, so that a
board shows a position before the game's kernels are compiled.
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
from lapilli.site.runtime.compilation import Compilation
from lapilli.store import Store
from lapilli.store.results import unpack_record
from lapilli.viewer.films.film import film

FILE = "match.json"
"""Name of the file with a game's example match, in the game's content folder. If there is no such file, and no match of
the site is long enough, the board shows the start position.
"""
READY = "film.json"
"""Name of the file with the film of a game's example match, in the game's content folder. If there is no such file, the
game's board stays empty until the game's kernels are compiled.
"""
TURNS = 4
"""Largest number of turns in a film. Each turn costs every visitor of the first page some bytes."""
_MIDDLE = 0.55
"""Where a film begins, as a fraction of the turns of its match."""
_FEWEST = 8
"""Smallest number of turns of a site's match from which a film is made."""
_LOOKED_AT = 100
"""Number of the latest finished matches, of all games, that are searched for a match of one game."""
_KEPT_S = 600.0
"""Time after which another match is chosen for a game's film, in seconds."""
_PARTS = ("style", "defs", "dark", "frames")
"""Parts of a film that these boards need. The boards show neither players nor explanations of shapes."""
_UNSEEN = ("caption", "label", "gauge")
"""Parts of a frame that these boards do not show."""
_TITLE = 5
"""Index of the title in a film's shape (`frames.Drawn`). The title is the explanation that appears when the
mouse points at the shape.
"""


class Showcase:
    """The films on the first page. A film is made once from a finished match, and then cached.

    Args:
        store: the database with the site's matches.
        compilation: compiles the kernels that draw a game's pictures; a film waits for them.
    """

    def __init__(self, store: Store, compilation: Compilation) -> None:
        self._store, self._compilation = store, compilation
        self._lock = asyncio.Lock()
        self._films: dict[str, tuple[float, bytes]] = {}

    async def ready_film(self, game: Game) -> bytes:
        """Returns the film of a game's example match as JSON, without waiting for kernels; b"" if no file has it."""
        return await asyncio.to_thread(_read, game)

    async def film(self, game: Game) -> bytes:
        """Returns a game's film as JSON."""
        await self._compilation.wait(game.name)
        async with self._lock:
            made_at, data = self._films.get(game.name, (0.0, b""))
            if not data or time.monotonic() - made_at > _KEPT_S:
                data = await asyncio.to_thread(self._make, game)
                self._films[game.name] = time.monotonic(), data
            return data

    def _make(self, game: Game) -> bytes:
        return msgspec.json.encode(film_of(self._choose(game)))

    def _choose(self, game: Game) -> Record:
        for record in self._played(game):
            if _length(record) >= _FEWEST:
                return record
        file = game.content / FILE
        if file.is_file():
            return parse_record(file.read_bytes())
        return Record(format=FORMAT, game=game.name)

    def _played(self, game: Game) -> Iterator[Record]:
        """Yields the records of a game's finished matches on this site, in the order in which the store lists them."""
        for table in self._store.site.matches.listed(over=True, most=_LOOKED_AT):
            stored = self._store.site.matches.get(table.id) if table.game == game.name else None
            if stored is not None and stored.record is not None:
                yield unpack_record(stored.record, f"match {table.id}")


def _length(record: Record) -> int:
    return record.turns[-1].turn if record.turns else 0


def _read(game: Game) -> bytes:
    try:
        return (game.content / READY).read_bytes().strip()
    except OSError:
        return b""


def film_of(record: Record) -> dict[str, Any]:
    """Returns the film of some turns from the middle of a record.

    If the record cannot be replayed, because the game's rules have changed since the match, the film shows the start
    position.
    """
    first = int(_MIDDLE * _length(record))
    turns = [entry for entry in record.turns if entry.turn <= first + TURNS]
    try:
        data = film(msgspec.structs.replace(record, turns=turns, outcome=None), first_turn=first)
    except LapilliError:
        data = film(Record(format=FORMAT, game=record.game))
    for frame in data["frames"]:
        for part in _UNSEEN:
            frame.pop(part, None)
        if "panels" in frame:
            frame["panels"] |= {"headline": "", "plates": []}
    shapes = [
        shape
        for frame in data["frames"]
        for shape in (*frame.get("changed", ()), *(shape for _, shape in frame.get("placed", ())))
    ]
    for shape in shapes:
        shape[_TITLE] = ""
    globe = {shape[0]: data["globe"][shape[0]] for shape in shapes if shape[0] in data["globe"]}
    return {key: data[key] for key in _PARTS} | {"players": [], "links": {}, "globe": globe, "legend": []}
