"""Pages on which people create and revoke their tokens, and the page that documents the API."""

from __future__ import annotations

import asyncio
from typing import Any

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from lapilli.core.errors import LapilliError
from lapilli.site.api.callers import Scope, new_token
from lapilli.site.http.forms import form_of
from lapilli.site.http.rendering import rendered
from lapilli.site.live.services import new_id
from lapilli.site.people.identity.names import MAX_NAME, name_of
from lapilli.site.people.identity.people import Role, require
from lapilli.site.runtime.site import CurrentSite, site_of

router = APIRouter(default_response_class=HTMLResponse)
SCOPES = {
    Scope.PLAY: "play matches",
    Scope.READ: "watch matches",
    Scope.BOTS: "upload bots",
}
"""Labels of the scopes on the page with a person's tokens."""


@router.get("/account/tokens")
async def tokens(request: Request) -> Response:
    """Shows the list of the signed-in account's tokens."""
    return await _tokens_page(request)


@router.post("/account/tokens")
async def create(request: Request, site: CurrentSite) -> Response:
    """Creates a token, and shows it this one time: the store contains only the token's hash."""
    person = require(request, Role.MEMBER)
    form = await form_of(request)
    scopes = [scope for scope in SCOPES if form.get(scope)]
    if not form.get("name", "").strip():
        raise LapilliError("a token needs a name: others see it where your program plays")
    if not scopes:
        raise LapilliError("choose at least one permission for the token")
    token, tokens = new_token(), site.store.site.tokens
    await asyncio.to_thread(tokens.add, token, new_id(), person.id, name_of(form["name"]), scopes)
    return await _tokens_page(request, token)


@router.post("/account/tokens/{token_id}/revoke")
async def revoke(request: Request, site: CurrentSite, token_id: str) -> Response:
    """Revokes a token of the signed-in account. The API then no longer accepts the token."""
    person = require(request, Role.MEMBER)
    if not await asyncio.to_thread(site.store.site.tokens.revoke, person.id, token_id):
        raise HTTPException(404, "There is no such token, or it was revoked already.")
    return RedirectResponse("/account/tokens", 303)


async def _tokens_page(request: Request, created: str = "") -> Response:
    """Renders the list of the signed-in account's tokens; `created` is a new token to show in full, or ""."""
    person = require(request, Role.MEMBER)
    found = await asyncio.to_thread(site_of(request).store.site.tokens.listed, person.id)
    return rendered(
        "accounts/tokens",
        tokens=found,
        scopes=SCOPES,
        new_token=created,
        max_name=MAX_NAME,
        address=str(request.base_url).rstrip("/"),
    )


@router.get("/api/docs")
async def documents(request: Request) -> Response:
    """Shows the documentation of all API requests, which is generated from the API's OpenAPI description."""
    description: dict[str, Any] = request.app.state.api.openapi()
    operations = [
        {"method": method.upper(), "path": path} | operation
        for path, methods in description["paths"].items()
        for method, operation in methods.items()
    ]
    tags = list(dict.fromkeys(operation["tags"][0] for operation in operations))
    schemas = description["components"]["schemas"]
    return rendered("api", tags=tags, operations=operations, schemas=_plain(schemas))


def _plain(schemas: dict[str, Any]) -> dict[str, Any]:
    """Returns the description and the fields of each schema in the OpenAPI description, by the schema's name.

    Each field is a tuple (name, type, description, whether the field is required).
    """
    documented = {}
    for name, schema in schemas.items():
        if not name.endswith("ValidationError"):
            required = schema.get("required", [])
            fields = schema.get("properties", {})
            documented[name] = (
                schema.get("description", ""),
                [(*_field(key, field), key in required) for key, field in fields.items()],
            )
    return documented


def _field(name: str, schema: dict[str, Any]) -> tuple[str, str, str]:
    kind = _kind(schema)
    if "enum" in schema:
        kind = " | ".join(map(str, schema["enum"]))
    return name, kind, schema.get("description", "")


def _kind(schema: dict[str, Any]) -> str:
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if schema.get("type") == "array":
        return f"list of {_kind(schema.get('items', {}))}"
    return str(schema.get("type", "any"))
