"""Tutorials, and the rules of games with diagrams on live boards."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import msgspec
from fastapi import APIRouter, Depends, HTTPException, Request
from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from markupsafe import Markup

from lapilli.core.api import Game
from lapilli.core.content.tutorials import Diagram, Tutorial, TutorialStep, read_tutorial
from lapilli.core.errors import IllegalAction, LapilliError
from lapilli.games import load, names
from lapilli.players.engines.turns import least, reaches
from lapilli.site.http.answers import JsonRoute
from lapilli.site.http.forms import json_of
from lapilli.site.http.limits import POSITIONS, limited
from lapilli.site.http.rendering import rendered
from lapilli.site.study.positions import Data, Place, position, turn_text

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

router = APIRouter(default_response_class=HTMLResponse)
_json = APIRouter(route_class=JsonRoute)
_MOST = 16_384


@cache
def _tutorial(name: str) -> Tutorial:
    return read_tutorial(load(name).content)


@router.get("/learn")
async def overview() -> Response:
    """Renders the list of games, with their tutorials."""
    games = [load(name) for name in names()]
    told = [{"game": game, "steps": len(_tutorial(game.name).steps), "place": {"game": game.name}} for game in games]
    return rendered("learn", games=told)


@router.get("/learn/{name}")
async def tutorial(name: str) -> Response:
    """Renders a game's tutorial, on a board."""
    game = load(name)
    if game.name != name:
        return RedirectResponse(f"/learn/{game.name}", 308)
    steps = _tutorial(name).steps
    if not steps:
        raise HTTPException(404, f"There is no tutorial of {game.title} yet; its rules are at /rules/{name}.")
    data = {"game": name, "steps": [_told(name, step) for step in steps]}
    return rendered("lesson", game=game, data=data, count=len(steps))


def _told(name: str, step: TutorialStep) -> Data:
    """Returns the part of a step that the page may show: everything except the right turns."""
    is_asked = bool(step.accept or step.goal)
    place = {"game": name, "setup": _setup(name, step), "moves": step.moves}
    return {"title": step.title, "say": step.say, "place": place, "player": step.player, "asked": is_asked}


def _setup(name: str, step: TutorialStep | Diagram) -> dict[str, Any]:
    return Place(game=name, setup=step.setup).load()[1].to_dict()


class _TutorialAnswer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An answer to a step.

    Attributes:
        reply: the visitor's turn; empty to see the solution.
    """

    reply: str


@_json.post("/learn/{name}/{number}", dependencies=[Depends(limited(POSITIONS))])
async def judged(request: Request, name: str, number: int) -> Response:
    """Sends whether a turn is what the step asks for, and the text and turns to show then."""
    steps = _tutorial(load(name).name).steps
    if not 0 <= number < len(steps):
        raise HTTPException(404, "There is no such step.")
    body = await json_of(request, _MOST)
    try:
        reply = msgspec.json.decode(body, type=_TutorialAnswer).reply.replace(" / ", "\n")
        return JSONResponse(await asyncio.to_thread(_judged, name, steps[number], reply))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return JSONResponse({"problem": "that is no answer"}, 400)
    except LapilliError as problem:
        return JSONResponse({"problem": str(problem)}, 400)


def _judged(name: str, step: TutorialStep, reply: str) -> Data:
    state, _ = position(Place(game=name, setup=_setup(name, step), moves=step.moves))
    if step.player not in state.asked():
        raise IllegalAction("there is nothing to play here")
    shown = reply or next(iter(step.accept), "")
    if not shown:
        return {"good": False, "say": step.hint or step.say, "line": []}
    is_good = reaches(step, state, shown)
    said = {player: shown if player == step.player else least(state, player) for player in state.asked()}
    line = [turn_text([said[player] for player in state.asked()]), *(step.then if is_good else ())]
    text = (
        (step.done or "That is it.") if is_good else (step.hint or "That is allowed, but it is not what is asked for.")
    )
    return {"good": is_good and bool(reply), "say": text, "line": line}


# -- the rules


@router.get("/rules/{name}")
async def rules(name: str) -> Response:
    """Renders a game's rules, with boards in them."""
    game = load(name)
    if game.name != name:
        return RedirectResponse(f"/rules/{game.name}", 308)
    return rendered("rules", game=game, text=await asyncio.to_thread(_page, game), learns=bool(_tutorial(name).steps))


@cache
def _renderer() -> MarkdownIt:
    """Returns the Markdown renderer. It does not let through any HTML in the text itself."""
    from markdown_it import MarkdownIt  # it loads sixty files, which no other page needs

    return MarkdownIt("commonmark", {"html": False, "linkify": False}).enable("table")


def _page(game: Game) -> Markup:
    """Returns the rules as HTML. Each diagram stands below its heading."""
    diagrams: dict[str, list[Diagram]] = {}
    for diagram in _tutorial(game.name).diagrams:
        diagrams.setdefault(diagram.under, []).append(diagram)
    tokens, made, number = _renderer().parse(game.rules_page), Markup(), 0
    starts = [at for at, token in enumerate(tokens) if token.type == "heading_open"] + [len(tokens)]
    made += _html(tokens[: starts[0]])
    for start, end in pairwise(starts):
        made += _html(tokens[start : start + 3])
        for diagram in diagrams.get(tokens[start + 1].content, ()):
            number += 1
            made += _figure(game, diagram, number)
        made += _html(tokens[start + 3 : end])
    return made


def _html(tokens: Sequence[Token]) -> Markup:
    """Renders tokens as HTML. The result is safe, because the renderer lets no HTML of the text through. Code and
    tables get a `tabindex`, because they may be wider than a phone: so they can be scrolled with the keyboard, too.
    """
    renderer = _renderer()
    text: str = renderer.renderer.render(tokens, renderer.options, {})
    return Markup(text.replace("<pre>", '<pre tabindex="0">').replace("<table>", '<table tabindex="0">'))


def _figure(game: Game, diagram: Diagram, number: int) -> Markup:
    place = {"game": game.name, "setup": _setup(game.name, diagram), "moves": diagram.moves}
    button = Markup('<button type="button">Show it</button>') if diagram.moves else Markup()
    return Markup(
        '<figure><lapilli-board data-place="{}" plates="off" headline="off" aria-label="Diagram {}"></lapilli-board>'
        "<figcaption>{} {}</figcaption></figure>"
    ).format(msgspec.json.encode(place).decode(), number, diagram.say, button)


router.include_router(_json)
