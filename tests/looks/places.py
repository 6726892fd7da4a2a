"""What there is to look at: pages of a site on which somebody has played, and how to come to each."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, sleep

from lapilli.core.api import Setup, State
from lapilli.games import load, names
from lapilli.site.live.table.draft import Draft
from lapilli.site.study.positions import replies_of, turn_text
from looks.people import fill
from web.client import WAIT, PublicSite, Visitor
from web.writing import Author

TURNS = 3
"""The turns of each player in a match that is looked at in its midst."""
_TOURNAMENT = "!!document.querySelector('#standings td')"
_BOARD = "!document.querySelector('lapilli-board, lapilli-player')?.matches('[aria-busy]')"
_JUDGED = f"{_BOARD} && !document.querySelector('#result').matches('[hidden], [aria-busy]')"
_ANALYSED = "window.lapilliAnalysis?.at.depth > 0"
_OPENED = "!!document.querySelector('#openings .line')"
_SEARCHED = f"!document.querySelector('#found').hidden && {_BOARD}"
_ANALYSIS_S = 120
_PLAYS = "!!window.lapilliTable?.now?.draft"
GROUPS = ("", *(name for name in names() if load(name).moments is not None))
"""The pages come in groups: those of each game with pictures, and, named "", those that are the same for all games."""


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


@contextmanager
def member(folder: Path) -> Iterator[Visitor]:
    """The owner of a new public site in this folder, signed in. Others have played there for weeks."""
    folder.mkdir(parents=True, exist_ok=True)
    site = PublicSite(folder / "site.db", "--registration", "open")
    site.start()
    try:
        with Visitor(site) as visitor:
            assert visitor.join("Ada", site.owner_link).status_code == 303
            site.stop()
            fill(site.file, "Ada")
            site.start()
            until = monotonic() + WAIT
            while not visitor.http.get("/matches/waiting").json()["turns"]:  # until the site has read them
                assert monotonic() < until
                sleep(0.2)
            yield visitor
    finally:
        site.stop()


def places(visitor: Visitor, group: str) -> list[Place]:
    """Plays matches as this visitor on its site, and lists the pages of a group."""
    if group:
        return _of_game(visitor, group)
    found = [Place(path.strip("/").replace("/", "-") or "home", path) for path in PLAIN]
    listed = visitor.http.get("/tournaments").text
    for state in ("running", "open", "over"):
        first = re.search(rf'aria-labelledby="{state}".*?href="(/tournaments/[^"]+)"', listed, re.DOTALL)
        assert first is not None, listed
        found.append(Place(f"tournament-{state}", first[1], _TOURNAMENT))
    return found


PLAIN = (
    "/",
    "/learn",
    "/puzzles",
    "/bots",
    "/leagues",
    "/analyse",
    "/nothing-is-here",
    "/lobby",
    "/matches",
    "/people",
    "/people/Ada",
    "/account",
    "/account/tokens",
    "/members",
    "/members/reports",
    "/studies",
    "/offline",
    "/tournaments",
    "/tournaments/new",
    "/sign-in",
    "/sign-up",
    "/api/docs",
)
"""Pages that are the same for all games."""


def _of_game(visitor: Visitor, name: str) -> list[Place]:
    """The pages of one game."""
    game = load(name)
    going = _table(visitor, name, 2)
    found = [
        Place(f"{name}-play", f"/play?game={name}"),
        Place(f"{name}-rules", f"/rules/{name}"),
        Place(f"{name}-analyse", f"/analyse?game={name}"),
        Place(f"{name}-league", f"/leagues/{name}"),
        Place(f"{name}-leaderboard", f"/people?game={name}"),
        Place(f"{name}-bot", Author(visitor, f"{name}-bot", name).path),
        Place(f"{name}-table", going, _PLAYS),
        Place(f"{name}-table-open", visitor.lay(name, opponent1="person"), "!!window.lapilliTable?.now"),
    ]
    if visitor.http.get(f"/learn/{name}").status_code == 200:
        found.append(Place(f"{name}-lesson", f"/learn/{name}"))
    if game.first_turns():
        found.append(Place(f"{name}-openings", f"/analyse?game={name}#openings", _OPENED))
    if max(game.players) > 2:
        many = _table(visitor, name, max(game.players))
        found.append(Place(f"{name}-table-{max(game.players)}", many, _PLAYS))
    found.append(Place(f"{name}-study", f"/studies/{_study(visitor, name)}", _ANALYSED))
    over = _table(visitor, name, 2, ends=True)
    match = over.replace("/t/", "/m/")
    visitor.http.post(f"{match}/mistakes", json={}, timeout=_ANALYSIS_S)  # the result card then has all its parts
    found += [Place(f"{name}-table-over", over, _JUDGED), Place(f"{name}-match", match)]
    found.append(Place(f"{name}-mistakes", f"{match}/mistakes", _SEARCHED))
    puzzle = visitor.http.get(f"/puzzles/{name}")
    if puzzle.status_code == 303:
        found.append(Place(f"{name}-puzzle", puzzle.headers["location"]))
    return found


_COMMENTS = {(0, 0): "Begin far from the other side.", (3, 0): "Safer than it looks.", (3, 1): "This is faster."}
"""Comments of the study on turns, by the turn's depth and by the number of the variation."""


def _study(visitor: Visitor, name: str) -> str:
    """A study with a line, a variation and comments; its id."""
    game = load(name)
    state = game.new_initial_state(game.complete(Setup(seed=1)))
    nodes: list[tuple[int, str, str]] = [(-1, "", "What would you play here?")]
    for number in range(4):
        while not state.asked():
            game.protocol.play_turn(state, {})
        moves = [_turn(state, seed) for seed in (number, number + 10)]
        nodes += [
            (number, move, _COMMENTS.get((number, at), ""))
            for at, move in enumerate(dict.fromkeys(moves[: 1 + (number == 3)]))
        ]
        game.protocol.play_turn(state, replies_of(state, moves[0]))
    content = {"setup": {"seed": 1}, "nodes": nodes}
    fields = {"name": f"Openings of {game.title}", "access": "link", "game": name, "content": content, "at": 4}
    answer = visitor.http.post("/studies", json=fields)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


def _turn(state: State, seed: int) -> str:
    """A turn by chance of everybody who acts, as studies write it."""
    chance = random.Random(seed)
    replies = []
    for player in state.asked():
        draft = Draft(state, player)
        while not draft.complete:
            choices = [choice.action for choice in draft.choices()]
            draft.pick(chance.choice(choices) if len(draft.actions) < 4 else min(choices))
        replies.append(draft.reply())
    return turn_text(replies)


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
