"""Pages with which people enter, confirm and remove their mail address."""

from __future__ import annotations

import asyncio
from typing import Annotated

from fastapi import APIRouter, HTTPException, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from lapilli.core.errors import LapilliError
from lapilli.site.http.forms import form_of, form_problem
from lapilli.site.http.limits import MAILS, address_of
from lapilli.site.http.rendering import rendered
from lapilli.site.people.identity.people import Role, require
from lapilli.site.people.mail.mailer import Mailer
from lapilli.site.people.mail.server import MAX_ADDRESS, MailError
from lapilli.site.runtime.site import CurrentSite, Site

router = APIRouter(prefix="/mail", default_response_class=HTMLResponse)
Text = Annotated[str, Query(max_length=200)]
_GONE = "This link is no longer valid."


def _mailer(site: Site) -> Mailer:
    if site.mailer is None:
        raise HTTPException(404, "This site sends no mails.")
    return site.mailer


@router.get("")
async def address_page(request: Request, site: CurrentSite) -> Response:
    """Shows the person's mail address, and the form for another one."""
    return await _page(request, site)


async def _page(request: Request, site: Site, status: int = 200, problem: str = "", sent: str = "") -> Response:
    person = require(request, Role.MEMBER)
    has_mail = site.mailer is not None
    found = await asyncio.to_thread(site.store.site.mails.of, person.id)
    return rendered(
        "accounts/mail", status, found=found, problem=problem, sent=sent, has_mail=has_mail, longest=MAX_ADDRESS
    )


@router.post("")
async def ask(request: Request, site: CurrentSite) -> Response:
    """Stores the person's mail address, and sends a link to this address that confirms it."""
    person = require(request, Role.MEMBER)
    address = (await form_of(request)).get("address", "").strip()
    mailer = _mailer(site)
    for payer in (f"account {person.id}", f"from {address_of(request)}", f"to {address.casefold()}"):
        site.buckets.spend(MAILS, payer)
    try:
        await asyncio.to_thread(mailer.ask, person.id, person.name, address)
    except MailError:
        return await _page(request, site, 503, "The mail could not be sent. Try again later.")
    except LapilliError as error:
        return await _page(request, site, 400, form_problem(error))
    return await _page(request, site, sent=address)


@router.post("/remove")
async def remove(request: Request, site: CurrentSite) -> Response:
    """Deletes the person's mail address."""
    person = require(request, Role.MEMBER)
    await asyncio.to_thread(site.store.site.mails.remove, person.id)
    return RedirectResponse("/mail", 303)


@router.get("/confirm")
async def confirm_page(site: CurrentSite, token: Text = "") -> Response:
    """Shows a button that confirms an address. The link alone does not confirm it, because programs open links in
    mails.
    """
    _mailer(site)
    return rendered("accounts/mail-link", token=token, account="", proof="")


@router.post("/confirm")
async def confirm(request: Request, site: CurrentSite) -> Response:
    """Confirms an address."""
    form = await form_of(request)
    mailer = _mailer(site)
    if not await asyncio.to_thread(mailer.confirm, form.get("token", "")):
        raise HTTPException(404, _GONE)
    return rendered("accounts/mail-done", text="Your address is confirmed. You get a mail when a match waits for you.")


@router.get("/stop")
async def stop_page(site: CurrentSite, account: Text = "", proof: Text = "") -> Response:
    """Shows the button that ends the mails to an account's address.

    `account`: id of the account. `proof`: text in the link of each mail, which shows that the visitor has received one.
    """
    _mailer(site)
    return rendered("accounts/mail-link", token="", account=account, proof=proof)


@router.post("/stop")
async def stop(request: Request, site: CurrentSite) -> Response:
    """Ends the mails to an address."""
    form = await form_of(request)
    mailer = _mailer(site)
    if not await asyncio.to_thread(mailer.stop, form.get("account", ""), form.get("proof", "")):
        raise HTTPException(404, _GONE)
    return rendered("accounts/mail-done", text="You get no more mails. Your address is deleted.")
