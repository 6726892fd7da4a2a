"""The games, and how to find one: `names()` and `load(name)`.

A game is a sub-folder of this package whose `__init__` defines `GAME`. The environment variable LAPILLI_GAMES can list
further folders; their sub-folders are games, too, if they define `GAME`. There is no other list of the games.
"""

from __future__ import annotations

import copyreg
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from pickle import PicklingError
from traceback import extract_tb

from lapilli.core.errors import LapilliError, UnknownName
from lapilli.core.game import Game
from lapilli.core.installed import game_names
from lapilli.kernels.source_folders import ELSEWHERE

__path__ += map(str, ELSEWHERE)


def names() -> tuple[str, ...]:
    """Returns the slugs of all games, sorted. A slug is the name of the game's folder.

    Raises:
        LapilliError: LAPILLI_GAMES lists a path that is not a folder.
    """
    return game_names()


def load(name: str) -> Game:
    """Returns the game whose slug (folder name), title or alias is `name`. Upper and lower case are the same.

    Raises:
        UnknownName: no game has this name.
        LapilliError: the game's folder cannot be imported, or declares no game. The message says where the error is.
    """
    wanted = _key(name)
    for slug in (name, wanted):
        if slug in names():
            return _game(slug)
    known: dict[str, str] = {}
    for slug in names():
        game = _game(slug)
        for alias in (slug, game.title, *game.aliases):
            known[_key(alias)] = slug
    if wanted not in known:
        raise UnknownName("game", name, names(), _meant(wanted, known))
    return _game(known[wanted])


def _meant(wanted: str, known: Mapping[str, str]) -> set[str]:
    """Returns the slugs of the games that a user may mean with an unknown name.

    These are all games with a name that begins with the unknown name. If there are none, it is the game with the most
    similar name.

    Args:
        wanted: the unknown name.
        known: all names of all games, with the games' slugs.
    """
    begun = {slug for key, slug in known.items() if wanted and key.startswith(wanted)}
    return begun or {known[key] for key in get_close_matches(wanted[:80], known, n=1, cutoff=0.5)}


def _key(name: str) -> str:
    """Returns a name in the form in which names are compared: in lower case, with hyphens between its words."""
    return name.strip().lower().replace(" ", "-").replace("_", "-")


@cache
def _game(slug: str) -> Game:
    """Imports the game from the folder `slug`, once per process, and returns it."""
    try:
        game = import_module(f"{__name__}.{slug}").GAME
        assert isinstance(game, Game), "GAME must be a Game"
        assert game.name == slug, f"the game must have the folder's name, not {game.name!r}"
    except Exception as error:
        what = error.msg if isinstance(error, SyntaxError) else repr(error)
        raise LapilliError(f"the game {slug!r} cannot be loaded: {place_of(error, slug)}{what}") from error
    return game


def place_of(error: Exception, slug: str) -> str:
    """Returns where in a game's own files an error occurred, as "FILE:LINE: "; "" if it occurred elsewhere.

    For a syntax error, this is the line with the error; otherwise it is the last line of these files in the traceback.
    `slug` is the name of the game's folder.
    """
    if isinstance(error, SyntaxError) and error.filename:
        return f"{error.filename}:{error.lineno}: "
    places = [
        f"{frame.filename}:{frame.lineno}: "
        for frame in extract_tb(error.__traceback__)
        if f"/{slug}/" in frame.filename
    ]
    return places[-1] if places else ""


def _by_name(game: Game) -> tuple[Callable[[str], Game], tuple[str]]:
    """Returns what `pickle` and `copy` need to restore a game: the function `load`, and the game's name as its
    argument.

    The game is stored as its name alone. Restoring it in the same process returns the very same object.

    Raises:
        PicklingError: `game` is not the object that `load` returns for its name.
    """
    if game.name not in names() or load(game.name) is not game:
        raise PicklingError(f"{game.title} is not the game that is loaded as {game.name}")
    return load, (game.name,)


copyreg.pickle(Game, _by_name)
