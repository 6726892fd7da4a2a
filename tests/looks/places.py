"""What there is to look at: pages of a site on which somebody has played, and how to come to each."""

from __future__ import annotations

import random
from dataclasses import dataclass

from lapilli.games import load, names
from web.client import Visitor

TURNS = 3
"""The turns of each player in a match that is looked at in its midst."""
_BOARD = "!document.querySelector('lapilli-board, lapilli-player')?.matches('[aria-busy]')"


@dataclass(frozen=True)
class Place:
    """A page.

    Attributes:
        name: what its pictures are called.
        path: its address on the site.
        ready: a condition in JavaScript; once it holds, the page has all that it shows by itself.
    """

    name: str
    path: str
    ready: str = _BOARD


def places(visitor: Visitor) -> list[Place]:
    """Plays matches as this visitor on its site, and lists all pages."""
    found = [Place(path.strip("/").replace("/", "-") or "home", path) for path in PLAIN]
    for name in names():
        found += _of_game(visitor, name)
    return found


PLAIN = ("/", "/learn", "/puzzles", "/bots", "/leagues", "/analyse", "/nothing-is-here")
"""Pages that are the same for all games."""


def _of_game(visitor: Visitor, name: str) -> list[Place]:
    """The pages of one game."""
    game = load(name)
    going = _table(visitor, name, 2)
    found = [
        Place(f"{name}-play", f"/play?game={name}"),
        Place(f"{name}-rules", f"/rules/{name}"),
        Place(f"{name}-analyse", f"/analyse?game={name}"),
        Place(f"{name}-table", going, "!!window.lapilliTable?.now?.draft"),
    ]
    if visitor.http.get(f"/learn/{name}").status_code == 200:
        found.append(Place(f"{name}-lesson", f"/learn/{name}"))
    if max(game.players) > 2:
        many = _table(visitor, name, max(game.players))
        found.append(Place(f"{name}-table-{max(game.players)}", many, "!!window.lapilliTable?.now?.draft"))
    over = _table(visitor, name, 2, ends=True)
    found += [Place(f"{name}-table-over", over), Place(f"{name}-match", over.replace("/t/", "/m/"))]
    puzzle = visitor.http.get(f"/puzzles/{name}")
    if puzzle.status_code == 303:
        found.append(Place(f"{name}-puzzle", puzzle.headers["location"]))
    return found


def _table(visitor: Visitor, name: str, players: int, *, ends: bool = False) -> str:
    """A table at which some turns have been played; the last one is this visitor's, or it has resigned."""
    opponents = {f"opponent{number}": "random" for number in range(1, players)}
    table = visitor.lay(name, **opponents)
    with visitor.live(table) as live:
        for number in range(TURNS):
            if live.wait_for_turn():
                live.play_turn(random.Random(number))
        live.wait_for_turn()
        if ends and not live.now["outcome"]:
            live.say("resign")
            live.until(lambda: live.now["outcome"])
    return table
