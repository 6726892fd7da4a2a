"""Studies: analyses that people save and share by a link. Other people's pages can follow the owner from turn to
turn."""

from __future__ import annotations

import asyncio
import json
import secrets
import time
from typing import Annotated, Any

import msgspec
from fastapi import APIRouter, Depends, HTTPException, Query, Request
from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from lapilli.core.errors import LapilliError
from lapilli.games import load, names
from lapilli.site.http.answers import JsonRoute, since
from lapilli.site.http.forms import decoding, json_of
from lapilli.site.http.limits import POSITIONS, SAVES, limited
from lapilli.site.http.rendering import rendered
from lapilli.site.people.identity.names import readable
from lapilli.site.people.identity.people import Person, Role, person_of, require
from lapilli.site.runtime.site import CurrentSite, Site
from lapilli.site.study.analysis import READERS, analysis_page
from lapilli.site.study.positions import MAX_MOVE, MAX_TURNS, Place, place_data, position
from lapilli.site.study.setups import EXACT
from lapilli.store import MAX_STUDIES, SavedStudy, StudyAccess

router = APIRouter(default_response_class=HTMLResponse)
_json = APIRouter(route_class=JsonRoute)
MAX_STUDY = 128 * 1024
"""Length limit of a study, in bytes."""
_MAX_NODES = MAX_TURNS
"""Largest number of turns of a study. So no line of turns in it is longer than a `Place` allows."""
_MAX_VALUES = 6 * _MAX_NODES
MAX_COMMENT = 500
"""Length limit of a comment on a turn, in characters."""
_MAX_STUDY_NAME = 60
_MAX_SHORT = 256
"""Length limit of a report that says at which turn the owner is, in bytes."""
_NO_STUDY = "There is no such study, or it is not shared with you."


class StudyNode(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """A turn in a study's tree.

    Attributes:
        parent: index, in the list of nodes, of the turn before this one; -1 for the first node, which is the start.
        move: the turn, in the format of `turn_text`; "" for the start.
        comment: what the owner has written about the turn; may be empty.
    """

    parent: int
    move: str
    comment: str = ""


class StudyContent(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Setup and tree of a study.

    Attributes:
        setup: the setup, in the format of `Setup.to_dict`.
        nodes: all turns; each stands after its parent. Of several turns with the same parent, the first is the main
            line.
    """

    setup: dict[str, Any]
    nodes: list[StudyNode]


class _Saving(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Fields of a request to save a study.

    Attributes:
        name: name of the study.
        access: who may read the study.
        game: name of the game. A study keeps its first game.
        content: setup and tree.
        revision: number of the stored revision on which the change is based; 1 for a new study.
        at: index, in the list of nodes, of the turn that the owner looks at.
    """

    name: str
    access: StudyAccess
    game: str
    content: StudyContent
    revision: Annotated[int, msgspec.Meta(ge=1, le=EXACT)] = 1
    at: int = 0


class _Leading(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Fields of a report which turn of a study its owner looks at. `at`: index of the turn in `StudyContent.nodes`."""

    at: int


_SAVING = msgspec.json.Decoder(_Saving)
_LEADING = msgspec.json.Decoder(_Leading)
Revision = Annotated[int, Query(ge=0, le=EXACT)]


# -- pages


@router.get("/studies")
async def own(request: Request, site: CurrentSite) -> Response:
    """Lists a member's studies."""
    person = require(request, Role.MEMBER)
    listed = await asyncio.to_thread(site.store.site.studies.listed, person.id)
    rows = [
        {
            "id": one.id,
            "name": one.name,
            "title": load(one.game).title,
            "access": READERS[one.access],
            "when": since(time.time() - one.changed),
        }
        for one in listed
        if one.game in names()
    ]
    return rendered("study/studies", studies=rows, most=MAX_STUDIES)


@router.get("/studies/{study_id}", dependencies=[Depends(limited(POSITIONS))])
async def shown(request: Request, site: CurrentSite, study_id: str) -> Response:
    """Renders a study on the analysis board."""
    study = await _study(request, site, study_id)
    game = load(study.game)
    data = await asyncio.to_thread(_data, site, person_of(request), study)
    _, setup = Place(game=game.name, setup=data["content"]["setup"]).load()
    place = place_data(Place(game=game.name, setup=setup.to_dict())) | {"study": data}
    return analysis_page(game, place)


@router.post("/studies/{study_id}/delete")
async def remove(request: Request, site: CurrentSite, study_id: str) -> Response:
    """Deletes one of the member's own studies, and redirects to the list of studies."""
    person = require(request, Role.MEMBER)
    if not await asyncio.to_thread(site.store.site.studies.remove, study_id, person.id):
        raise HTTPException(404, _NO_STUDY)
    return RedirectResponse("/studies", 303)


async def _study(request: Request, site: Site, study_id: str) -> SavedStudy:
    """Returns a study, if this person may read it.

    Raises:
        HTTPException: 404 if there is no such study or it is private, 401 if only members may read it.
    """
    study = await asyncio.to_thread(site.store.site.studies.get, study_id)
    person = person_of(request)
    if study is None or study.game not in names():
        raise HTTPException(404, _NO_STUDY)
    if study.access is StudyAccess.MEMBERS:
        require(request, Role.MEMBER)
    if study.access is StudyAccess.PRIVATE and study.owner != person.id:
        raise HTTPException(404, _NO_STUDY)
    return study


def _data(site: Site, person: Person, study: SavedStudy) -> dict[str, Any]:
    """Returns a study as JSON data for its page."""
    owner = site.store.site.people.get(study.owner)
    return {
        "id": study.id,
        "name": study.name,
        "access": study.access,
        "owner": owner.name if owner else "",
        "own": bool(person.id) and study.owner == person.id,
        "content": json.loads(study.content),
        **_place(study),
    }


def _place(study: SavedStudy) -> dict[str, int]:
    return {"revision": study.revision, "at": study.at, "moves": study.moves}


# -- requests of the page's script


@_json.post("/studies", dependencies=[Depends(limited(SAVES))])
async def make(request: Request, site: CurrentSite) -> Response:
    """Saves an analysis as a new study, and sends its id."""
    person = require(request, Role.MEMBER)
    saving = msgspec.structs.replace(await _saving(request), revision=1)
    study = await site.compilation.run(saving.game, _checked, saving, secrets.token_urlsafe(12), person.id)
    await asyncio.to_thread(site.store.site.studies.add, study)
    return JSONResponse({"id": study.id}, 201)


@_json.post("/studies/{study_id}", dependencies=[Depends(limited(SAVES))])
async def save(request: Request, site: CurrentSite, study_id: str) -> Response:
    """Saves a changed study, and sends its new revision."""
    person = require(request, Role.MEMBER)
    saving = await _saving(request)
    known = await asyncio.to_thread(site.store.site.studies.get, study_id)
    if known is None or known.owner != person.id or known.game != saving.game:
        raise HTTPException(404, _NO_STUDY)
    study = await site.compilation.run(saving.game, _checked, saving, study_id, person.id)
    if not await asyncio.to_thread(site.store.site.studies.save, study):
        raise HTTPException(409, "The study was changed on another page. Reload this page to go on.")
    return JSONResponse({"revision": study.revision + 1})


@_json.post("/studies/{study_id}/at", dependencies=[Depends(limited(SAVES))])
async def lead(request: Request, site: CurrentSite, study_id: str) -> Response:
    """Stores which turn of a study its owner looks at now, so that pages that follow the owner can show it."""
    person = require(request, Role.MEMBER)
    body = await json_of(request, _MAX_SHORT)
    with decoding("place in a study"):
        leading = _LEADING.decode(body)
    if not 0 <= leading.at < _MAX_NODES:
        raise LapilliError("there is no such turn")
    if not await asyncio.to_thread(site.store.site.studies.lead, study_id, person.id, leading.at):
        raise HTTPException(404, _NO_STUDY)
    return JSONResponse({})


@_json.get("/studies/{study_id}/now", dependencies=[Depends(limited(POSITIONS))])
async def now(request: Request, site: CurrentSite, study_id: str, revision: Revision = 0) -> Response:
    """Sends which turn of the study its owner looks at now, for pages that follow the owner.

    Also sends the whole study, if the revision that the page shows (`revision`) is outdated.
    """
    study = await _study(request, site, study_id)
    data = _place(study)
    if study.revision != revision:
        data = await asyncio.to_thread(_data, site, person_of(request), study)
    return JSONResponse(data, headers={"Cache-Control": "no-store"})


async def _saving(request: Request) -> _Saving:
    body = await json_of(request, MAX_STUDY, _MAX_VALUES)
    with decoding("study"):
        return _SAVING.decode(body)


def _checked(saving: _Saving, study_id: str, owner: str) -> SavedStudy:
    """Checks a request to save a study, and returns the study to store.

    Args:
        saving: the request.
        study_id: id of the study.
        owner: id of the owner's account.

    Raises:
        LapilliError: a field of the request is not valid, the nodes are not a tree of turns, or there are too many.
    """
    nodes = saving.content.nodes
    name = readable(saving.name)[:_MAX_STUDY_NAME] or "Study"
    if not 0 < len(nodes) <= _MAX_NODES:
        raise LapilliError(f"a study has 1 to {_MAX_NODES:,} turns")
    if not 0 <= saving.at < len(nodes):
        raise LapilliError("there is no such turn")
    _check_tree(nodes)
    position(Place(game=saving.game, setup=saving.content.setup))
    kept = [StudyNode(node.parent, node.move, _lines(node.comment)) for node in nodes]
    content = msgspec.json.encode(StudyContent(setup=saving.content.setup, nodes=kept)).decode()
    return SavedStudy(
        id=study_id,
        owner=owner,
        game=load(saving.game).name,
        name=name,
        access=saving.access,
        content=content,
        revision=saving.revision,
        at=saving.at,
    )


def _check_tree(nodes: list[StudyNode]) -> None:
    known: set[tuple[int, str]] = set()
    if nodes[0].parent != -1 or nodes[0].move:
        raise LapilliError("a study begins with its start")
    for number, node in enumerate(nodes[1:], 1):
        if not 0 <= node.parent < number:
            raise LapilliError("each turn of a study follows an earlier one")
        if not 0 < len(node.move) <= MAX_MOVE:
            raise LapilliError(f"a turn has 1 to {MAX_MOVE:,} characters")
        if (node.parent, node.move) in known:
            raise LapilliError("a turn of a study is there twice")
        known.add((node.parent, node.move))
    if any(len(node.comment) > MAX_COMMENT for node in nodes):
        raise LapilliError(f"a comment has at most {MAX_COMMENT} characters")


def _lines(comment: str) -> str:
    """Returns a comment without invisible characters. Its line breaks are kept."""
    return "\n".join(readable(line) for line in comment.split("\n")).strip()


router.include_router(_json)
