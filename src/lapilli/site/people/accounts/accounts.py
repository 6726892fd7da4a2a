"""Accounts of a public site: creation, signing in and out, invitations, changes."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import secrets
import time

import msgspec
from starlette.requests import HTTPConnection

from lapilli.core.errors import LapilliError
from lapilli.site.http.limits import SIGN_UPS, Buckets, TooMany, address_of
from lapilli.site.people.accounts.passwords import Passwords
from lapilli.site.people.identity.names import account_name, folded
from lapilli.site.runtime.settings import Public, Registration
from lapilli.site.runtime.site import site_of
from lapilli.store import Account, Delays, Invitation, Session, Store

MEMBER, OWNER = "member", "owner"
SIGNED_IN_S = 30 * 86_400.0
"""Time after the last request until a session ends, in seconds."""
INVITED_S = 7 * 86_400.0
"""Time for which an invitation is valid, in seconds."""
_SESSIONS = 20
"""Largest number of sessions of one account. If there are more, the least recently used session ends."""
_NAME, _ADDRESS = Delays(free=5, first=2, longest=60), Delays(free=20, first=2, longest=900)
"""Delays after failed attempts to sign in: `_NAME` for attempts with the same name, `_ADDRESS` for attempts from the
same client address.

The delays for a name are short, because any stranger can cause them, and the account's holder has to wait, too. A
browser in which the account was signed in before does not have to wait for strangers: its attempts are counted
separately.
"""
_WRONG = "the name or the password is wrong"
_GONE = "this link is no longer valid: ask for another one"


class Accounts:
    """The accounts of a public site.

    Args:
        store: the database.
        public: settings of the site.
        buckets: rate limits of requests.

    Attributes:
        people: the part of the store with accounts, sessions and invitations.
        public: settings of the site.
        passwords: makes and checks hashes of passwords.
    """

    def __init__(self, store: Store, public: Public, buckets: Buckets) -> None:
        self.people, self.public, self._store = store.site.people, public, store
        self.passwords = Passwords()
        self._attempts, self._buckets = store.site.attempts, buckets
        self._end_events: dict[str, set[asyncio.Event]] = {}

    def key(self, kind: str, secret: str) -> str:
        """Returns the keyed hash of a secret of this kind, such as "session", for this site. See the function `key`."""
        return key(self.public, kind, secret)

    # -- sessions

    async def session(self, token: str) -> Session | None:
        """Returns the session with this token; None if there is no such session, or the session has ended.

        Each call reads the store, so that signing out takes effect at once in all processes.
        """
        return await asyncio.to_thread(self._look_up, self.key("session", token)) if token else None

    def _look_up(self, key: str) -> Session | None:
        now = time.time()
        found = self.people.session(key, now)
        if found is not None:
            self.people.seen(found, now, SIGNED_IN_S)
        return found

    def watched(self, key: str) -> asyncio.Event:
        """Returns a new event, which is set when this process ends the session with this key (`Session.key`).

        By the event, an open WebSocket notices the end. The event is not set if another process ends the session.
        """
        event = asyncio.Event()
        self._end_events.setdefault(key, set()).add(event)
        return event

    def unwatched(self, key: str, event: asyncio.Event) -> None:
        """Drops an event that `watched` returned for this key: the end of the session no longer sets the event."""
        if events := self._end_events.get(key):
            events.discard(event)
            if not events:
                del self._end_events[key]

    def _report_ends(self, *keys: str) -> None:
        """Sets the events that `watched` returned for the sessions with these keys, which have ended."""
        for key in keys:
            for event in self._end_events.pop(key, ()):
                event.set()

    async def start(self, account: Account, earlier: Session | None = None) -> str:
        """Starts a session of an account, and returns the token for the session cookie.

        Args:
            account: the account, as `sign_in` returned it.
            earlier: the session that the browser has so far, which this method ends; None if the browser has none.

        Raises:
            LapilliError: the account's password was changed after `sign_in` checked it.
        """
        if earlier is not None:
            await self.end(earlier)
        token = secrets.token_urlsafe(32)
        session = self.key("session", token), account.id, account.password
        if not await asyncio.to_thread(self.people.start, *session, SIGNED_IN_S, _SESSIONS):
            raise LapilliError(_WRONG)
        return token

    async def end(self, session: Session) -> None:
        """Ends a session: signs out in one browser."""
        await asyncio.to_thread(self.people.end, session.key)
        self._report_ends(session.key)

    async def end_all(self, account_id: str) -> None:
        """Ends all sessions of an account: signs out in all browsers."""
        self._report_ends(*await asyncio.to_thread(self.people.end_all, account_id))

    # -- signing in

    async def sign_in(self, request: HTTPConnection, name: str, password: str, known: str) -> Account:
        """Returns the account with this name, if the password is right.

        Args:
            request: the request, from which the client address is taken.
            name: the name that the person typed.
            password: the password that the person typed.
            known: value of the cookie that marks a browser in which the account was signed in before, see `known`; ""
                if the browser sent no such cookie.

        Raises:
            LapilliError: the name or the password is wrong.
            TooMany: there were too many failed attempts, or too many passwords are being checked.
        """
        plain = folded(name)
        account = await asyncio.to_thread(self.people.named, plain)
        is_proven = account is not None and self.is_known(known, account.id)
        if is_proven:
            keys = {self.key("attempt", f"known:{known}"): _NAME}
        else:
            by_name, by_address = f"name:{plain}", f"from:{address_of(request)}"
            keys = {self.key("attempt", by_name): _NAME, self.key("attempt", by_address): _ADDRESS}
        async with self.passwords.turn(is_proven):
            if wait := await asyncio.to_thread(self._attempts.begin, keys):
                raise TooMany(wait)
            stored_hash = account.password if account else None
            fits = await asyncio.to_thread(self.passwords.fits, password, stored_hash)
        if account is None or not fits:
            raise LapilliError(_WRONG)
        await asyncio.to_thread(self._attempts.succeeded, *keys)
        if self.passwords.is_dated(account.password):
            hashed = await self.passwords.hash(password)
            await asyncio.to_thread(self.people.rehash, account.id, account.password, hashed)
            account = msgspec.structs.replace(account, password=hashed)
        return account

    def known(self, account_id: str) -> str:
        """Returns a new value for the cookie that marks a browser in which this account was signed in.

        After failed attempts to sign in, the next attempt must wait. `sign_in` counts the attempts of a marked browser
        separately, so that failed attempts by strangers do not make the account's owner wait. The value contains a
        keyed hash, so that nobody can forge the cookie.
        """
        content = f"{account_id}.{secrets.token_hex(8)}"
        return f"{content}.{self.key('known', content)}"

    def is_known(self, cookie: str, account_id: str) -> bool:
        """Returns whether a cookie's value was made by `known` for this account."""
        content, _, proof = cookie.rpartition(".")
        is_proven = hmac.compare_digest(proof.encode(errors="replace"), self.key("known", content).encode())
        return is_proven and content.partition(".")[0] == account_id

    # -- new accounts and invitations

    async def join(self, request: HTTPConnection, name: str, password: str, invitation: str) -> Account:
        """Creates an account, and returns it.

        Args:
            request: the request, from which the client address is taken.
            name: name of the account.
            password: its password.
            invitation: token of an invitation; "" for none.

        Raises:
            LapilliError: the site requires an invitation or accepts no new accounts, the invitation is not valid, the
                name or the password is not allowed, or another account has this name or a similar one.
            TooMany: too many accounts were created from this address, or too many passwords are being hashed.
        """
        invited = await self.invitation(invitation)
        self.check_open(invited)
        name = account_name(name)
        plain = folded(name)
        if await asyncio.to_thread(self.people.named, plain) is not None:
            raise LapilliError("that name, or one that looks like it, is taken: choose another one")
        _check_differs(password, name)
        if invited is None:
            self._buckets.spend(SIGN_UPS, address_of(request))
        hashed, account_id = await self.passwords.hash(password), secrets.token_hex(8)
        if invited is None:
            is_added = await asyncio.to_thread(self.people.add, account_id, name, plain, hashed, MEMBER)
            problem = "" if is_added else "taken"
        else:
            problem = await asyncio.to_thread(self.people.join, invited.key, account_id, name, plain, hashed)
        if problem:
            raise LapilliError(_GONE if problem == "gone" else "that name is taken: choose another one")
        account = await asyncio.to_thread(self.people.get, account_id)
        assert account is not None
        return account

    def check_open(self, invited: Invitation | None) -> None:
        """Raises LapilliError if the site's setting `registration` does not allow a new account with this invitation.

        `invited` is None for a visitor without an invitation.
        """
        registration = self.public.registration
        if registration is Registration.OPEN or (invited is not None and invited.role == OWNER):
            return
        if registration is Registration.CLOSED:
            raise LapilliError("this site accepts no new accounts")
        if invited is None:
            raise LapilliError("new accounts need an invitation: ask an owner of this site for a link")

    async def invitation(self, token: str) -> Invitation | None:
        """Returns the invitation whose link contains this token; None if `token` is "".

        Raises:
            LapilliError: the invitation does not exist, was used, or has expired.
        """
        if not token:
            return None
        found = await asyncio.to_thread(self.people.invitation, self.key("invitation", token))
        if found is None:
            raise LapilliError(_GONE)
        return found

    async def invite(self, role: str, made_by: str = "", account_id: str = "") -> str:
        """Creates an invitation, and returns its link, which can be used once.

        Args:
            role: role of the account that the link creates, MEMBER or OWNER.
            made_by: id of the account that invites; "" for the command line.
            account_id: id of an existing account, for a link that sets this account's password; "" for a link that
                creates an account.
        """
        return await asyncio.to_thread(_invite, self._store, self.public, role, made_by, account_id)

    # -- changes

    async def rename(self, account: Account, name: str) -> None:
        """Renames an account. Raises LapilliError if the name is not allowed, or another account has a similar name."""
        name = account_name(name)
        if not await asyncio.to_thread(self.people.rename, account.id, name, folded(name)):
            raise LapilliError("that name, or one that looks like it, is taken: choose another one")

    async def set_password(self, account: Account, password: str, invitation: Invitation | None = None) -> Account:
        """Sets an account's password, ends all its sessions, and returns the changed account.

        Args:
            account: the account.
            password: the new password.
            invitation: the invitation that allows the change; it becomes invalid. None if the caller has checked the
                old password instead.

        Raises:
            LapilliError: the password is not allowed, or the invitation is no longer valid.
        """
        _check_differs(password, account.name)
        hashed = await self.passwords.hash(password)
        key = invitation.key if invitation else ""
        ended = await asyncio.to_thread(self.people.set_password, account.id, hashed, key)
        if ended is None:
            raise LapilliError(_GONE)
        self._report_ends(*ended)
        return msgspec.structs.replace(account, password=hashed)

    async def appoint(self, account_id: str, role: str) -> None:
        """Sets an account's role. Raises LapilliError if the role is unknown, or the site would have no owner left."""
        if role not in (MEMBER, OWNER):
            raise LapilliError("a role is member or owner")
        if not await asyncio.to_thread(self.people.appoint, account_id, role):
            raise LapilliError("the site needs an owner: make another account an owner first")


def key(public: Public, kind: str, secret: str) -> str:
    """Returns the keyed hash of a secret. The store contains this hash instead of the secret.

    The key of the hash is the site's own secret, `Public.secret`, which the store does not contain. An attacker who can
    read and write the store can therefore neither find a visitor's secret nor replace it by one of the attacker's own.

    Args:
        public: settings of the site.
        kind: kind of secret, such as "session"; secrets of different kinds have different hashes.
        secret: the secret.
    """
    return hmac.new(public.secret, f"{kind}:{secret}".encode(errors="replace"), hashlib.sha256).hexdigest()


def owner_link(store: Store, public: Public, also: bool = False) -> str:
    """Returns a new link for creating an account with the role OWNER; "" if the site has an owner.

    A new link makes earlier links of this kind invalid.

    Args:
        store: the database.
        public: settings of the site.
        also: whether to return a link even if the site has an owner.
    """
    return "" if store.site.people.count(OWNER) and not also else _invite(store, public, OWNER)


def _invite(store: Store, public: Public, role: str, made_by: str = "", account_id: str = "") -> str:
    token = secrets.token_urlsafe(24)
    hashed = key(public, "invitation", token)
    store.site.people.invite(hashed, role, INVITED_S, account_id=account_id, made_by=made_by)
    page = "new-password" if account_id else "sign-up"
    return f"{public.origin}/{page}?invitation={token}"


def accounts_of(request: HTTPConnection) -> Accounts:
    """Returns the accounts of the request's site, which must be a public one."""
    accounts = site_of(request).accounts
    assert accounts is not None, "only a public site has routes for accounts"
    return accounts


def _check_differs(password: str, name: str) -> None:
    """Raises LapilliError if a password is the name of its account."""
    if folded(password) == folded(name):
        raise LapilliError("the password must differ from the name: choose another one")
