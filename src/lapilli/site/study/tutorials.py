"""Pages of tutorials, and pages of games' rules, with boards as diagrams."""

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
from lapilli.core.errors import IllegalAction
from lapilli.games import load, names
from lapilli.players.engines.builtin import builtin_names
from lapilli.players.engines.searches import level_names
from lapilli.players.engines.turns import least, reaches
from lapilli.site.http.answers import JsonRoute
from lapilli.site.http.forms import decoding, json_of
from lapilli.site.http.limits import POSITIONS, limited
from lapilli.site.http.rendering import rendered
from lapilli.site.runtime.site import CurrentSite
from lapilli.site.study.positions import Data, Place, position, turn_text

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

router = APIRouter(default_response_class=HTMLResponse)
_json = APIRouter(route_class=JsonRoute)
_LONG_CELL = 60
"""A cell of a table with more characters than this is long."""
FOR_AUTHORS = "For authors of bots"
"""Heading in a game's rules page. The text below it is for authors of bots. Readers who only want to play skip it."""
_MOST = 16_384
"""Length limit of an answer, in bytes."""


@cache
def _tutorial(name: str) -> Tutorial:
    return read_tutorial(load(name).content)


@router.get("/learn")
async def overview() -> Response:
    """Renders the list of games, with their tutorials."""
    games = [load(name) for name in names()]
    rows = [{"game": game, "steps": len(_tutorial(game.name).steps)} for game in games]
    return rendered("study/learn", games=rows)


@router.get("/learn/{name}")
async def tutorial(name: str) -> Response:
    """Renders a game's tutorial, with a board."""
    game = load(name)
    if game.name != name:
        return RedirectResponse(f"/learn/{game.name}", 308)
    steps = _tutorial(name).steps
    if not steps:
        raise HTTPException(404, f"There is no tutorial of {game.title} yet; its rules are at /rules/{name}.")
    data = {"game": name, "steps": [_step_data(name, step) for step in steps]}
    notes, seats = _tutorial(name).notes, range(1, min(game.players))
    return rendered("study/lesson", game=game, data=data, notes=notes, weakest=_weakest(game), seats=seats)


def _weakest(game: Game) -> str:
    """Returns the name of the built-in opponent for a first match: the weakest level, or else the weakest engine."""
    return next(iter((*level_names(game), *builtin_names(game))))


def _step_data(name: str, step: TutorialStep) -> Data:
    """Returns a step of a tutorial as JSON data for its page, without the solution. `name`: name of the game."""
    is_asked = bool(step.accept or step.goal)
    place = {"game": name, "setup": _setup(name, step), "moves": step.moves}
    words = {"title": step.title, "task": step.task, "say": step.say}
    return words | {"place": place, "player": step.player, "asked": is_asked}


def _setup(name: str, step: TutorialStep | Diagram) -> dict[str, Any]:
    return Place(game=name, setup=step.setup).load()[1].to_dict()


class _TutorialAnswer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Fields of a visitor's answer to a step of a tutorial.

    Attributes:
        reply: the visitor's turn; "" to see the solution.
    """

    reply: str


@_json.post("/learn/{name}/{number}", dependencies=[Depends(limited(POSITIONS))])
async def judged(request: Request, site: CurrentSite, name: str, number: int) -> Response:
    """Sends whether a visitor's turn solves a step of a tutorial, and the text and turns that the page shows next."""
    steps = _tutorial(load(name).name).steps
    if not 0 <= number < len(steps):
        raise HTTPException(404, "There is no such step.")
    body = await json_of(request, _MOST)
    with decoding("answer"):
        reply = msgspec.json.decode(body, type=_TutorialAnswer).reply.replace(" / ", "\n")
        return JSONResponse(await site.compilation.run(name, _judged, name, steps[number], reply))


def _judged(name: str, step: TutorialStep, reply: str) -> Data:
    state, _ = position(Place(game=name, setup=_setup(name, step), moves=step.moves))
    if step.player not in state.asked():
        raise IllegalAction("there is nothing to play here")
    own_reply = reply or next(iter(step.accept), "")
    if not own_reply:
        return {"good": False, "say": step.hint or step.task or step.say, "line": []}
    is_good = reaches(step, state, own_reply)
    replies = {player: own_reply if player == step.player else least(state, player) for player in state.asked()}
    line = [turn_text([replies[player] for player in state.asked()]), *(step.then if is_good else ())]
    text = (
        (step.done or "That is it.") if is_good else (step.hint or "That is allowed, but it is not what is asked for.")
    )
    return {"good": is_good and bool(reply), "say": text, "line": line}


# -- the rules


@router.get("/rules/{name}")
async def rules(name: str) -> Response:
    """Renders a game's rules, with boards as diagrams."""
    game = load(name)
    if game.name != name:
        return RedirectResponse(f"/rules/{game.name}", 308)
    text = await asyncio.to_thread(rules_html, game)
    return rendered(
        "study/rules", game=game, text=text, sections=rules_sections(game), learns=bool(_tutorial(name).steps)
    )


@cache
def _renderer() -> MarkdownIt:
    """Returns the Markdown renderer, which escapes all HTML in the text."""
    from markdown_it import MarkdownIt  # the import loads sixty files, which no other page needs

    return MarkdownIt("commonmark", {"html": False, "linkify": False}).enable("table")


def rules_sections(game: Game) -> list[str]:
    """Returns the titles of the sections of a game's rules for people. Section n has the id `rules-n` in the HTML."""
    tokens = _renderer().parse(game.rules_page)
    titles = [after.content for token, after in pairwise(tokens) if token.type == "heading_open" and token.tag == "h2"]
    return titles[: titles.index(FOR_AUTHORS)] if FOR_AUTHORS in titles else titles


def rules_html(game: Game) -> Markup:
    """Returns a game's rules as HTML, with each diagram below its heading (`Diagram.under`).

    The heading `FOR_AUTHORS` and all that follows it are folded away. The other sections have ids (`rules_sections`).
    """
    sections = rules_sections(game)
    diagrams: dict[str, list[Diagram]] = {}
    for diagram in _tutorial(game.name).diagrams:
        diagrams.setdefault(diagram.under, []).append(diagram)
    tokens, page, number = _renderer().parse(game.rules_page), Markup(), 0
    starts = [at for at, token in enumerate(tokens) if token.type == "heading_open"] + [len(tokens)]
    page += _html(tokens[: starts[0]])
    folded = False
    for start, end in pairwise(starts):
        if tokens[start + 1].content == FOR_AUTHORS:
            page += Markup("<details><summary>{}</summary>").format(FOR_AUTHORS)
            folded = True
        else:
            if tokens[start].tag == "h2" and not folded:
                tokens[start].attrSet("id", f"rules-{sections.index(tokens[start + 1].content)}")
            page += _html(tokens[start : start + 3])
        for diagram in diagrams.get(tokens[start + 1].content, ()):
            number += 1
            page += _figure(game, diagram, number)
        page += _html(tokens[start + 3 : end])
    return page + Markup("</details>" * folded)


def _html(tokens: Sequence[Token]) -> Markup:
    """Converts Markdown tokens to HTML. The result is safe, because the renderer escapes all HTML in the text.

    Code and tables may be wider than a phone. They get a `tabindex`, so that they can be scrolled with the keyboard.
    Cells with long texts get a class, so that they are not squeezed.
    """
    renderer = _renderer()
    for token, following in pairwise(tokens):
        if token.type == "td_open" and len(following.content) > _LONG_CELL:
            token.attrSet("class", "long")
    text: str = renderer.renderer.render(tokens, renderer.options, {})
    return Markup(text.replace("<pre>", '<pre tabindex="0">').replace("<table>", '<table tabindex="0">'))


def _figure(game: Game, diagram: Diagram, number: int) -> Markup:
    place = {"game": game.name, "setup": _setup(game.name, diagram), "moves": diagram.moves}
    button = Markup('<button type="button">Show again</button>') if diagram.moves else Markup()
    return Markup(
        '<figure><lapilli-board data-place="{}" names="large" plates="off" headline="off"'
        ' aria-label="Diagram {}"></lapilli-board>'
        "<figcaption>{} {}</figcaption></figure>"
    ).format(msgspec.json.encode(place).decode(), number, diagram.say, button)


router.include_router(_json)
