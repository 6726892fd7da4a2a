"""Writes the films that boards show while kernels are compiled: cd tests; python -m web.films

There is one film in the folder of each game with an example match. Run this program when a test says that such a film
is outdated, because pictures of the game, or its example match, have changed.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from lapilli.core.api import Game
from lapilli.games import load, names
from lapilli.match.record import parse_record
from lapilli.site.pages.showcase import FILE, READY, film_of


def example_film(game: Game) -> bytes:
    """The film of a game's example match, made anew."""
    return msgspec.json.encode(film_of(parse_record((game.content / FILE).read_bytes())))


def main() -> None:
    for game in map(load, names()):
        if (game.content / FILE).is_file():
            Path(str(game.content / READY)).write_bytes(example_film(game) + b"\n")


if __name__ == "__main__":
    main()
