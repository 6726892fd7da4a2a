"""Pages for accounts: signing in and up, and the signed-in account."""

from __future__ import annotations

import asyncio
import re
import time
from typing import Any

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from lapilli.core.errors import LapilliError
from lapilli.site.http.forms import form_of, form_problem
from lapilli.site.http.rendering import rendered
from lapilli.site.http.requested import MAX_RETURN
from lapilli.site.people.accounts.accounts import OWNER, Accounts, accounts_of
from lapilli.site.people.accounts.leaving import leave
from lapilli.site.people.accounts.passwords import LEAST, MOST
from lapilli.site.people.accounts.sessions import delete_session_cookie, known_of, session_of, set_session_cookies
from lapilli.site.people.identity.names import MAX_ACCOUNT_NAME
from lapilli.site.people.identity.people import Role, require
from lapilli.site.runtime.settings import Registration
from lapilli.site.runtime.site import site_of
from lapilli.store import DAY_S, Account, Invitation, Session

router = APIRouter(default_response_class=HTMLResponse)
_LOCAL = re.compile(rf"/(?![/\\])[!-\[\]-~]{{0,{MAX_RETURN}}}", re.ASCII)
"""Pattern of a path on this site, with or without a query string. No browser interprets a matching text as an address
on another host.
"""
_LATELY = {0: "today", 1: "yesterday"}
"""Words for a date, by the number of days since then."""
_LIMITS = {"name_length": MAX_ACCOUNT_NAME, "shortest": LEAST, "longest": MOST}


def _form_page(name: str, status: int = 200, problem: str = "", **data: Any) -> Response:
    return rendered(name, status, problem=problem, **_LIMITS, **data)


def typed_name(name: str) -> str:
    """Returns the name that a visitor typed, for display in the same form again.

    Returns "" if the name contains characters that are not allowed.
    """
    return name[:MAX_ACCOUNT_NAME] if name.isascii() and name.isprintable() else ""


def _next(address: str) -> str:
    """Returns the path of the page to show after signing in: `address` if it is a path on this site, otherwise "/"."""
    return address if _LOCAL.fullmatch(address) else "/"


def _signed_in(request: Request) -> Session:
    require(request, Role.MEMBER)
    session = session_of(request)
    assert session is not None
    return session


async def _welcome(request: Request, account: Account, address: str) -> Response:
    """Starts a session of an account, and redirects to the path `address`."""
    token = await accounts_of(request).start(account, session_of(request))
    response = RedirectResponse(address, 303)
    set_session_cookies(request, response, account.id, token)
    return response


# -- signing in, up and out


@router.get("/sign-in")
async def sign_in_page(request: Request, next: str = "/") -> Response:
    """Shows the form for signing in. `next`: path of the page to show afterwards."""
    return _sign_in_form(request, next)


def _sign_in_form(request: Request, address: str, status: int = 200, problem: str = "", name: str = "") -> Response:
    is_open = accounts_of(request).public.registration is Registration.OPEN
    return _form_page("accounts/sign-in", status, problem, next=_next(address), typed=typed_name(name), is_open=is_open)


@router.post("/sign-in")
async def sign_in(request: Request) -> Response:
    """Signs in with the name and the password of a form, and redirects to the page that required signing in."""
    form = await form_of(request)
    name, address = form.get("name", ""), _next(form.get("next", "/"))
    try:
        account = await accounts_of(request).sign_in(request, name, form.get("password", ""), known_of(request))
        return await _welcome(request, account, address)
    except LapilliError as error:
        return _sign_in_form(request, address, 401, form_problem(error), name)


@router.get("/sign-up")
async def sign_up_page(request: Request, invitation: str = "", next: str = "") -> Response:
    """Shows the form for a new account, or an error page if this visitor may not create an account.

    `invitation`: token of an invitation; "" for none. `next`: path of the page to show after signing up; "" for the
    first page.
    """
    accounts = accounts_of(request)
    invited = await accounts.invitation(invitation)
    accounts.check_open(invited)
    return await _sign_up_form(accounts, invited, invitation=invitation, next=next and _next(next), typed="")


async def _sign_up_form(accounts: Accounts, invited: Invitation | None, **more: Any) -> Response:
    """Returns the form for a new account. The form says whether the account will be an owner's, and who invites.

    Args:
        accounts: the site's accounts.
        invited: the invitation; None for none.
        more: further arguments of `_form_page`.
    """
    host = await asyncio.to_thread(accounts.people.get, invited.made_by if invited else "")
    becomes_owner = invited is not None and invited.role == OWNER
    return _form_page("accounts/sign-up", host=host.name if host else "", becomes_owner=becomes_owner, **more)


@router.post("/sign-up")
async def sign_up(request: Request) -> Response:
    """Creates an account from a form, signs in to it, and redirects to the page from which the visitor came."""
    form = await form_of(request)
    name, invitation = form.get("name", ""), form.get("invitation", "")
    address = _next(form.get("next") or "/?welcome=yes")
    try:
        account = await accounts_of(request).join(request, name, form.get("password", ""), invitation)
    except LapilliError as error:
        typed = {"invitation": invitation, "next": address, "typed": typed_name(name)}
        try:
            invited = await accounts_of(request).invitation(invitation)
        except LapilliError:  # the invitation is no longer valid
            invited = None
        return await _sign_up_form(accounts_of(request), invited, status=400, problem=form_problem(error), **typed)
    return await _welcome(request, account, address)


@router.post("/sign-out")
async def sign_out(request: Request) -> Response:
    """Signs out in this browser."""
    session = session_of(request)
    if session is not None:
        await accounts_of(request).end(session)
    response = RedirectResponse("/", 303)
    delete_session_cookie(request, response)
    return response


@router.get("/new-password")
async def new_password_page(request: Request, invitation: str = "") -> Response:
    """Shows the form for a new password, for a person with a link from an owner (`invitation`: the link's token)."""
    await _reset(request, invitation)
    return _form_page("accounts/new-password", invitation=invitation)


@router.post("/new-password")
async def new_password(request: Request) -> Response:
    """Sets the password of an account for a person with a link from an owner, and signs in to the account."""
    form = await form_of(request)
    accounts, invitation = accounts_of(request), form.get("invitation", "")
    account = await _reset(request, invitation)
    try:
        used_invitation = await accounts.invitation(invitation)
        account = await accounts.set_password(account, form.get("password", ""), used_invitation)
    except LapilliError as error:
        return _form_page("accounts/new-password", 400, form_problem(error), invitation=invitation)
    return await _welcome(request, account, "/account")


async def _reset(request: Request, token: str) -> Account:
    """Returns the account whose password may be set with a link that contains this token.

    Raises:
        LapilliError: the link is not valid, or is not for setting a password.
    """
    accounts = accounts_of(request)
    invitation = await accounts.invitation(token)
    found = await asyncio.to_thread(accounts.people.get, invitation.account_id if invitation else "")
    if found is None:
        raise LapilliError("this link is for something else: ask for another one")
    return found


# -- one's own account


@router.get("/account")
async def account_page(request: Request) -> Response:
    """Shows the signed-in account with its sessions."""
    return await _account_page(request, _signed_in(request))


async def _account_page(request: Request, session: Session, status: int = 200, problem: str = "") -> Response:
    sessions = await asyncio.to_thread(accounts_of(request).people.sessions, session.account.id)
    rows = [
        {"is_this": other.key == session.key, "since": day(other.created), "seen": day(other.seen)}
        for other in sessions
    ]
    is_owner = session.account.role == OWNER
    return _form_page("accounts/account", status, problem, account=session.account, sessions=rows, is_owner=is_owner)


@router.post("/account/{change}")
async def change(request: Request, change: str) -> Response:
    """Makes one change to the signed-in account: its name, its password, signing out in all browsers, or its deletion.

    All changes except signing out require the account's password in the form.
    """
    session = _signed_in(request)
    if change not in ("name", "password", "sign-out-everywhere", "delete"):
        raise HTTPException(404)
    form = await form_of(request)
    try:
        return await _change(request, session, change, form)
    except LapilliError as error:
        return await _account_page(request, session, 400, form_problem(error))


async def _change(request: Request, session: Session, change: str, form: dict[str, str]) -> Response:
    accounts, account = accounts_of(request), session.account
    if change == "sign-out-everywhere":
        await accounts.end_all(account.id)
        response = RedirectResponse("/sign-in", 303)
        delete_session_cookie(request, response)
        return response
    try:
        account = await accounts.sign_in(request, account.name, form.get("password", ""), known_of(request))
    except LapilliError as error:
        form_problem(error)
        raise LapilliError("that is not your password; nothing has changed") from None
    if change == "name":
        await accounts.rename(account, form.get("name", ""))
        return RedirectResponse("/account", 303)
    if change == "password":
        changed = await accounts.set_password(account, form.get("new", ""))
        return await _welcome(request, changed, "/account")
    await leave(site_of(request), accounts, account)
    response = RedirectResponse("/", 303)
    delete_session_cookie(request, response)
    return response


def day(seconds: float) -> str:
    """Formats the date, in UTC, of a time: "today", "yesterday", or "7 Nov 2026". `seconds`: seconds since 1970."""
    days_ago = int(time.time() // DAY_S - seconds // DAY_S)
    date = time.gmtime(seconds)
    return _LATELY.get(days_ago, f"{date.tm_mday} {time.strftime('%b %Y', date)}")
