"""Pages for owners: the members, changes to their accounts, reported chat lines, and the log of the owners' changes."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from lapilli.core.errors import LapilliError
from lapilli.site.http.forms import form_of, form_problem
from lapilli.site.http.rendering import rendered
from lapilli.site.live.upkeep.renaming import rename_seats
from lapilli.site.people.accounts.accounts import MEMBER, OWNER, Accounts, accounts_of
from lapilli.site.people.accounts.leaving import leave
from lapilli.site.people.accounts.pages import day, typed_name
from lapilli.site.people.identity.names import DELETED, MAX_ACCOUNT_NAME, account_name, folded, readable
from lapilli.site.people.identity.people import Person, Role, holder_of, require, suspension_of
from lapilli.site.runtime.settings import Registration
from lapilli.site.runtime.site import CurrentSite, Site, site_of
from lapilli.store import DAY_S, Account

router = APIRouter(default_response_class=HTMLResponse)
_LISTED = 100
"""Largest number of accounts on a page."""
_LONGEST_DAYS, _REASON = 3650, 200
"""Limits of a suspension: its length in days, and the length of its reason in characters."""


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
            "since": day(account.created),
            "seen": day(account.seen),
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
        typed=typed_name(name),
        count=await asyncio.to_thread(accounts.people.count),
        invited=await asyncio.to_thread(accounts.people.open_invitations),
        is_closed=accounts.public.registration is Registration.CLOSED,
    )


@router.get("/members/reports")
async def reports_page(request: Request) -> Response:
    """Shows the chat lines that people have reported at tables, each with the lines before it."""
    require(request, Role.OWNER)
    reported = await asyncio.to_thread(site_of(request).store.site.chat.reported)
    return rendered("accounts/reports", reported=reported, day=day)


@router.post("/members/reports/{line}/{change}")
async def settle_report(request: Request, line: int, change: str) -> Response:
    """Closes the report of a chat line. `change`: "remove" to delete the line, "keep" to keep it."""
    person = require(request, Role.OWNER)
    if change not in ("remove", "keep"):
        raise HTTPException(404)
    settled = await asyncio.to_thread(site_of(request).store.site.chat.settle, line, remove=change == "remove")
    if settled is not None:
        action = "deleted a reported message of" if change == "remove" else "kept a reported message of"
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
    """Makes one of the changes in `_CHANGES` to an account, such as its suspension, and logs it in the owners' log."""
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
        return await _members_page(request, status=400, problem=form_problem(error))
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
"""Changes that an owner can make to an account. For each change: the beginning of its entry in the log, to which the
account's name is appended.
"""


async def _change_member(site: Site, accounts: Accounts, account: Account, change: str, form: Mapping[str, str]) -> str:
    """Makes one of the changes in `_CHANGES` to an account, except "link", a link for setting a new password.

    Args:
        site: the site.
        accounts: all accounts of the site.
        account: the account to change.
        change: key of the change in `_CHANGES`.
        form: fields of the page's form, with the new values.

    Returns:
        Details of the change for the owners' log; "" for none.

    Raises:
        LapilliError: the change is not possible.
    """
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
        until = time.time() + int(days) * DAY_S
    if not await asyncio.to_thread(accounts.people.suspend, account.id, until, reason):
        raise LapilliError("an owner cannot be suspended: give it the role of a member first")
    await asyncio.to_thread(site.store.site.seeks.forget, account.id)
    if until:
        await asyncio.to_thread(site.store.site.tournaments.forget, account.id)
    return f"until {day(until)}: {reason}" if until else ""


async def _log(request: Request, owner: Person, action: str, about: str = "", detail: str = "") -> None:
    await asyncio.to_thread(site_of(request).store.site.owner_log.add, owner.name, action, about, detail)


@router.get("/members/log")
async def log_page(request: Request) -> Response:
    """Shows the log of the changes that owners have made."""
    require(request, Role.OWNER)
    actions = await asyncio.to_thread(site_of(request).store.site.owner_log.listed)
    return rendered("accounts/log", actions=actions, moment=_moment)


def _moment(seconds: float) -> str:
    date = time.gmtime(seconds)
    return f"{date.tm_mday} {time.strftime('%b %Y, %H:%M UTC', date)}"
