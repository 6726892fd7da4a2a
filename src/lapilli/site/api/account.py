"""Pages on which people create and revoke their tokens, and the page that documents the API."""

from __future__ import annotations

import asyncio
import json
import re
import shlex
from typing import Any

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from lapilli import games
from lapilli.core.errors import LapilliError
from lapilli.site.api.callers import Scope, new_token
from lapilli.site.http.forms import form_of
from lapilli.site.http.guard import API
from lapilli.site.http.rendering import rendered
from lapilli.site.http.requested import requested
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
"""Labels of the scopes on the page with a person's tokens and in the documentation of the API."""
_SECTIONS = {"challenges": "Start a match", "seeks": "Offers in the lobby", "people": "People and ratings"}
"""Headings of the documentation's sections that are not simply the tags of the API's routes."""


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
        address=_address(request),
    )


def _address(request: Request) -> str:
    """Returns scheme and host of the site: as its owner has set them, or else as in the request."""
    return requested.get().origin or str(request.base_url).rstrip("/")


@router.get("/api/docs")
async def documents(request: Request) -> Response:
    """Shows the documentation of all API requests, which is generated from the API's OpenAPI description."""
    description: dict[str, Any] = request.app.state.api.openapi()
    schemas = description["components"]["schemas"]
    address = _address(request) + API
    operations = [
        _operation(method.upper(), path, operation, schemas, address)
        for path, methods in description["paths"].items()
        for method, operation in methods.items()
    ]
    sections = {tag: _SECTIONS.get(tag, tag.capitalize()) for tag in dict.fromkeys(one["tag"] for one in operations)}
    return rendered(
        "api",
        sections=sections,
        operations=operations,
        schemas=_plain(schemas),
        api=API,
        example=_call(address, "GET", "/account"),
    )


def _operation(
    method: str, path: str, operation: dict[str, Any], schemas: dict[str, Any], address: str
) -> dict[str, Any]:
    """Returns what the documentation shows of a request.

    Args:
        method: HTTP method, such as "GET".
        path: the request's path without the API's address, with the names of its parameters in braces.
        operation: OpenAPI description of the request.
        schemas: OpenAPI description of all data, by name.
        address: address of the API.
    """
    summary, _, rest = operation["description"].partition("\n\n")
    body = _reference(operation.get("requestBody", {}))
    answers = [answer for status, answer in operation["responses"].items() if status < "300"]
    return {
        "method": method,
        "path": path,
        "tag": operation["tags"][0],
        "summary": summary,
        "rest": rest,
        "scope": SCOPES[operation["security"][0]["HTTPBearer"][0]],
        "parameters": [
            (one["name"], _kind(one["schema"]), one.get("description", ""), one["required"])
            for one in operation.get("parameters", ())
        ],
        "fields": _fields(schemas[body["name"]]) if body else [],
        "answer": _reference(answers[0]),
        "example": _call(address, method, path, _example(schemas[body["name"]]) if body else None),
    }


def _reference(message: dict[str, Any]) -> dict[str, Any]:
    """Returns the name of the data in a request or response, and whether it is a list; {} if it has no name."""
    schema = message.get("content", {}).get("application/json", {}).get("schema", {})
    name = schema.get("items", schema).get("$ref", "").rpartition("/")[2]
    return {"name": name, "is_list": "items" in schema} if name else {}


def _example(schema: dict[str, Any]) -> dict[str, Any]:
    """Returns an example of the data with this OpenAPI description: its required fields."""
    values = {"game": games.names()[0], "integer": 1, "boolean": True, "string": "…"}
    return {
        name: field.get("examples", field.get("enum", [values.get(name, values.get(field.get("type", "")))]))[0]
        for name, field in schema["properties"].items()
        if name in schema.get("required", ())
    }


def _call(address: str, method: str, path: str, body: dict[str, Any] | None = None) -> str:
    """Returns a command for a shell that sends a request. Parameters in the path are written in capital letters."""
    written = re.sub(r"\{(\w+)\}", lambda found: found[1].upper(), path)
    verb = "" if method == "GET" or body is not None else f" -X {method}"
    data = "" if body is None else f" \\\n  --json {shlex.quote(json.dumps(body, ensure_ascii=False))}"
    return f'curl{verb} -H "Authorization: Bearer $LAPILLI_TOKEN" \\\n  {address}{written}{data}'


def _plain(schemas: dict[str, Any]) -> dict[str, Any]:
    """Returns the description and the fields of each schema in the OpenAPI description, by the schema's name."""
    return {
        name: (schema.get("description", ""), _fields(schema))
        for name, schema in schemas.items()
        if not name.endswith("ValidationError")
    }


def _fields(schema: dict[str, Any]) -> list[tuple[str, str, str, bool]]:
    """Returns the fields of a schema as tuples (name, type, description, whether the field is required)."""
    required = schema.get("required", [])
    return [
        (name, _kind(field), field.get("description", ""), name in required)
        for name, field in schema.get("properties", {}).items()
    ]


def _kind(schema: dict[str, Any]) -> str:
    if "enum" in schema:
        return " | ".join(str(value) for value in schema["enum"] if value != "")
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if schema.get("type") == "array":
        return f"list of {_kind(schema.get('items', {}))}"
    if "anyOf" in schema:
        return " or ".join(map(_kind, schema["anyOf"]))
    return str(schema.get("type", "any"))
