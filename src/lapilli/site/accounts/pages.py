"""Pages for accounts: signing in and up, the signed-in account, and the list of members for owners."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Mapping
from typing import Any

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from lapilli.core.errors import LapilliError, StoreError
from lapilli.site.accounts.accounts import MEMBER, OWNER, Accounts, accounts_of
from lapilli.site.accounts.leaving import leave
from lapilli.site.accounts.passwords import LEAST, MOST
from lapilli.site.accounts.sessions import delete_session_cookie, known_of, session_of, set_session_cookies
from lapilli.site.http.forms import form_of
from lapilli.site.http.rendering import rendered
from lapilli.site.identity.names import DELETED, MAX_ACCOUNT_NAME, account_name, folded, readable
from lapilli.site.identity.people import Person, Role, holder_of, require, suspension_of
from lapilli.site.live.renaming import rename_seats
from lapilli.site.settings import Registration
from lapilli.site.site import CurrentSite, Site, site_of
from lapilli.store import Account, Invitation, Session

router = APIRouter(default_response_class=HTMLResponse)
_LOCAL = re.compile(r"/(?![/\\])[!-\[\]-~]{0,300}", re.ASCII)
"""Pattern of a path on this site. No browser interprets a matching text as an address on another host."""
_LISTED = 100
"""Largest number of accounts on a page."""
_LONGEST_DAYS, _REASON = 3650, 200
"""Limits of a suspension: its length in days, and the length of its reason in characters."""
_LIMITS = {"name_length": MAX_ACCOUNT_NAME, "shortest": LEAST, "longest": MOST}


def _form_page(name: str, status: int = 200, problem: str = "", **data: Any) -> Response:
    return rendered(name, status, problem=problem, **_LIMITS, **data)


def _form_problem(error: LapilliError) -> str:
    """Returns an error's message, for display above a form. Raises the error again if it is a StoreError."""
    if isinstance(error, StoreError):
        raise error
    text = str(error)
    return f"{text[:1].upper()}{text[1:]}."


def _typed(name: str) -> str:
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
    """Shows the form for signing in."""
    return _sign_in_form(request, next)


def _sign_in_form(request: Request, address: str, status: int = 200, problem: str = "", name: str = "") -> Response:
    is_open = accounts_of(request).public.registration is Registration.OPEN
    return _form_page("accounts/sign-in", status, problem, next=_next(address), typed=_typed(name), is_open=is_open)


@router.post("/sign-in")
async def sign_in(request: Request) -> Response:
    """Signs in with the name and the password of a form, and redirects to the page that required signing in."""
    form = await form_of(request)
    name, address = form.get("name", ""), _next(form.get("next", "/"))
    try:
        account = await accounts_of(request).sign_in(request, name, form.get("password", ""), known_of(request))
        return await _welcome(request, account, address)
    except LapilliError as error:
        return _sign_in_form(request, address, 401, _form_problem(error), name)


@router.get("/sign-up")
async def sign_up_page(request: Request, invitation: str = "") -> Response:
    """Shows the form for a new account, or an error page if this visitor may not create an account."""
    accounts = accounts_of(request)
    invited = await accounts.invitation(invitation)
    accounts.check_open(invited)
    return await _sign_up_form(accounts, invited, invitation=invitation, typed="")


async def _sign_up_form(accounts: Accounts, invited: Invitation | None, **more: Any) -> Response:
    """Returns the form for a new account, which says whether it is an owner's, and who invites.

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
    """Creates an account from a form, and signs in to it."""
    form = await form_of(request)
    name, invitation = form.get("name", ""), form.get("invitation", "")
    try:
        account = await accounts_of(request).join(request, name, form.get("password", ""), invitation)
    except LapilliError as error:
        more = {"status": 400, "problem": _form_problem(error), "invitation": invitation, "typed": _typed(name)}
        try:
            invited = await accounts_of(request).invitation(invitation)
        except LapilliError:  # it is no longer valid
            invited = None
        return await _sign_up_form(accounts_of(request), invited, **more)
    return await _welcome(request, account, "/account")


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
    """Shows the form for a new password, for a person with a link from an owner."""
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
        return _form_page("accounts/new-password", 400, _form_problem(error), invitation=invitation)
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
        {"is_this": other.key == session.key, "since": _day(other.created), "seen": _day(other.seen)}
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
        return await _account_page(request, session, 400, _form_problem(error))


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
        _form_problem(error)
        raise LapilliError("that is not your password; nothing has changed") from None
    if change == "name":
        await accounts.rename(account, form.get("name", ""))
        return RedirectResponse("/account", 303)
    if change == "password":
        new = form.get("new", "")
        if folded(new) == folded(account.name):
            raise LapilliError("the password must differ from the name: choose another one")
        return await _welcome(request, await accounts.set_password(account, new), "/account")
    await leave(site_of(request), accounts, account)
    response = RedirectResponse("/", 303)
    delete_session_cookie(request, response)
    return response


# -- for owners


@router.get("/members")
async def members_page(request: Request, name: str = "") -> Response:
    """Shows the list of accounts whose names begin with `name`; of all accounts if `name` is ""."""
    return await _members_page(request, name)


async def _members_page(
    request: Request, name: str = "", status: int = 200, problem: str = "", link: str = ""
) -> Response:
    person = require(request, Role.OWNER)
    accounts = accounts_of(request)
    found = await asyncio.to_thread(accounts.people.listed, folded(name), _LISTED)
    members = [
        {
            "id": account.id,
            "name": account.name,
            "role": account.role,
            "since": _day(account.created),
            "seen": _day(account.seen),
            "suspension": suspension_of(account),
        }
        for account in found
    ]
    return rendered(
        "accounts/members",
        status,
        name_length=MAX_ACCOUNT_NAME,
        problem=problem,
        link=link,
        members=members,
        own=person.id,
        typed=_typed(name),
        count=await asyncio.to_thread(accounts.people.count),
        invited=await asyncio.to_thread(accounts.people.open_invitations),
        is_closed=accounts.public.registration is Registration.CLOSED,
    )


@router.get("/members/reports")
async def reports_page(request: Request) -> Response:
    """Shows the lines that people have reported at tables, with the lines before them."""
    require(request, Role.OWNER)
    reported = await asyncio.to_thread(site_of(request).store.site.chat.reported)
    return rendered("accounts/reports", reported=reported, day=_day)


@router.post("/members/reports/{line}/{change}")
async def settle_report(request: Request, line: int, change: str) -> Response:
    """Deletes a reported line (`change` is "remove"), or keeps it ("keep")."""
    person = require(request, Role.OWNER)
    if change not in ("remove", "keep"):
        raise HTTPException(404)
    settled = await asyncio.to_thread(site_of(request).store.site.chat.settle, line, remove=change == "remove")
    if settled is not None:
        action = "deleted a reported line of" if change == "remove" else "kept a reported line of"
        await _log(request, person, action, settled.name, settled.text)
    return RedirectResponse("/members/reports", 303)


@router.post("/members/invite")
async def invite(request: Request) -> Response:
    """Creates an invitation to a new account, and shows its link to the owner who asked for it."""
    person = require(request, Role.OWNER)
    role = OWNER if (await form_of(request)).get("role") == OWNER else MEMBER
    await _log(request, person, f"made an invitation for a new {role}")
    return await _members_page(request, link=await accounts_of(request).invite(role, person.id))


@router.post("/members/withdraw")
async def withdraw(request: Request) -> Response:
    """Cancels all invitations, and all links for new passwords, that have not been used yet."""
    person = require(request, Role.OWNER)
    await asyncio.to_thread(accounts_of(request).people.withdraw)
    await _log(request, person, "withdrew all invitations")
    return RedirectResponse("/members", 303)


@router.post("/members/{account_id}/{change}")
async def change_member(request: Request, site: CurrentSite, account_id: str, change: str) -> Response:
    """Makes a change of `_CHANGES` to an account, and stores it in the log of owners."""
    person = require(request, Role.OWNER)
    accounts = accounts_of(request)
    form = await form_of(request)
    account = await asyncio.to_thread(accounts.people.get, account_id)
    if account is None or change not in _CHANGES:
        raise HTTPException(404, "There is no such account.")
    try:
        if change == "link":
            await _log(request, person, _CHANGES[change], account.name)
            return await _members_page(request, link=await accounts.invite(account.role, person.id, account.id))
        detail = await _change_member(site, accounts, account, change, form)
    except LapilliError as error:
        return await _members_page(request, status=400, problem=_form_problem(error))
    name = DELETED if change == "remove" else account.name
    await _log(request, person, _CHANGES[change], name, detail)
    return RedirectResponse("/members", 303)


_CHANGES = {
    "role": "changed the role of",
    "name": "renamed",
    "suspend": "suspended",
    "restore": "ended the suspension of",
    "link": "made a link for a new password of",
    "remove": "removed an account:",
}
"""The changes of an account that owners make, each with the words for the log."""


async def _change_member(site: Site, accounts: Accounts, account: Account, change: str, form: Mapping[str, str]) -> str:
    """Makes a change of `_CHANGES`, and returns details for the log. Raises LapilliError if it is not possible."""
    if change == "role":
        await accounts.appoint(account.id, form.get("role", ""))
        return form.get("role", "")
    if change == "name":
        name, holder = account_name(form.get("name", "")), holder_of(account.id)
        await accounts.rename(account, name)
        await site.tables.rename(holder, name)  # also in finished matches, because the old name may be offensive
        await asyncio.to_thread(rename_seats, site.store, holder, name)
        return f"now {name}"
    if change == "remove":
        await leave(site, accounts, account)
        return ""
    until, reason = 0.0, ""
    if change == "suspend":
        days, reason = form.get("days", ""), readable(form.get("reason", ""))[:_REASON]
        if not (days.isascii() and days.isdigit() and len(days) <= 4 and 1 <= int(days) <= _LONGEST_DAYS):
            raise LapilliError(f"a suspension has 1 to {_LONGEST_DAYS:,} days")
        if not reason:
            raise LapilliError("write a reason, which the person will see")
        until = time.time() + int(days) * 86_400
    if not await asyncio.to_thread(accounts.people.suspend, account.id, until, reason):
        raise LapilliError("an owner cannot be suspended: give it the role of a member first")
    await asyncio.to_thread(site.store.site.seeks.forget, account.id)
    if until:
        await asyncio.to_thread(site.store.site.tournaments.forget, account.id)
    return f"until {_day(until)}: {reason}" if until else ""


async def _log(request: Request, owner: Person, action: str, about: str = "", detail: str = "") -> None:
    await asyncio.to_thread(site_of(request).store.site.owner_log.add, owner.name, action, about, detail)


@router.get("/members/log")
async def log_page(request: Request) -> Response:
    """Shows what owners did."""
    require(request, Role.OWNER)
    actions = await asyncio.to_thread(site_of(request).store.site.owner_log.listed)
    return rendered("accounts/log", actions=actions, moment=_moment)


def _moment(seconds: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(seconds))


def _day(seconds: float) -> str:
    return time.strftime("%Y-%m-%d", time.gmtime(seconds))
