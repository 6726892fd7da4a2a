"""Accounts of a public site: creating them, signing in and out, invitations, and changes."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import secrets
import time

import msgspec
from starlette.requests import HTTPConnection

from lapilli.core.errors import LapilliError
from lapilli.site.accounts.passwords import Passwords
from lapilli.site.http.limits import SIGN_UPS, Buckets, TooMany, address_of
from lapilli.site.identity.names import account_name, folded
from lapilli.site.settings import Public, Registration
from lapilli.site.site import site_of
from lapilli.store import Account, Delays, Invitation, Session, Store

MEMBER, OWNER = "member", "owner"
SIGNED_IN_S = 30 * 86_400.0
"""How long a session lasts after its last use, in seconds."""
INVITED_S = 7 * 86_400.0
_SESSIONS = 20
"""Number of sessions that one account may have at once. Beyond that, the least recently used one ends."""
_NAME, _ADDRESS = Delays(free=5, first=2, longest=60), Delays(free=20, first=2, longest=900)
"""Delays after failed attempts to sign in: for each name, and for each client address.

Those for a name are short, because anybody can cause them and so make its owner wait. (This does not affect a browser
in which the owner was signed in before. Its attempts are counted separately, and not for its address, which it may
share with others.)
"""
_WRONG = "the name or the password is wrong"
_GONE = "this link works no longer: ask for another one"


class Accounts:
    """The accounts of a public site.

    Args:
        store: the database that contains them.
        public: settings of the site.
        buckets: rate limits.
    """

    def __init__(self, store: Store, public: Public, buckets: Buckets) -> None:
        self.people, self.public, self._store = store.site.people, public, store
        self.passwords = Passwords()
        self._attempts, self._buckets = store.site.attempts, buckets
        self._ends: dict[str, set[asyncio.Event]] = {}

    def key(self, kind: str, secret: str) -> str:
        """Returns what the store keeps instead of a secret: its keyed hash."""
        return key(self.public, kind, secret)

    # -- sessions

    async def session(self, token: str) -> Session | None:
        """Returns the session of a cookie's token; None if there is none.

        It is looked up in the store each time, so signing out takes effect at once in all processes.
        """
        return await asyncio.to_thread(self._look_up, self.key("session", token)) if token else None

    def _look_up(self, key: str) -> Session | None:
        now = time.time()
        found = self.people.session(key, now)
        if found is not None:
            self.people.seen(found, now, SIGNED_IN_S)
        return found

    def watched(self, key: str) -> asyncio.Event:
        """Returns an event that is set when the session with this key is ended in this process."""
        event = asyncio.Event()
        self._ends.setdefault(key, set()).add(event)
        return event

    def unwatched(self, key: str, event: asyncio.Event) -> None:
        """Forgets an event that `watched` returned."""
        if events := self._ends.get(key):
            events.discard(event)
            if not events:
                del self._ends[key]

    def _ended(self, *keys: str) -> None:
        for key in keys:
            for event in self._ends.pop(key, ()):
                event.set()

    async def start(self, account: Account, earlier: Session | None = None) -> str:
        """Signs in: starts a session and returns the token for its cookie. Ends the browser's earlier session, if any.

        Raises:
            LapilliError: the account's password was changed meanwhile.
        """
        if earlier is not None:
            await self.end(earlier)
        token = secrets.token_urlsafe(32)
        held = self.key("session", token), account.id, account.password
        if not await asyncio.to_thread(self.people.start, *held, SIGNED_IN_S, _SESSIONS):
            raise LapilliError(_WRONG)
        return token

    async def end(self, session: Session) -> None:
        """Signs out: ends one session."""
        await asyncio.to_thread(self.people.end, session.key)
        self._ended(session.key)

    async def end_all(self, account_id: str) -> None:
        """Signs out everywhere: ends all sessions of an account."""
        self._ended(*await asyncio.to_thread(self.people.end_all, account_id))

    # -- signing in

    async def sign_in(self, request: HTTPConnection, name: str, password: str, known: str) -> Account:
        """Checks a name and a password, and returns their account.

        Args:
            known: value of the cookie that marks a browser in which somebody was signed in before.

        Raises:
            LapilliError: the name or the password is wrong.
            TooMany: after too many failed attempts, or while too many others are being checked.
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
            kept = account.password if account else None
            fits = await asyncio.to_thread(self.passwords.fits, password, kept)
        if account is None or not fits:
            raise LapilliError(_WRONG)
        await asyncio.to_thread(self._attempts.succeeded, *keys)
        if self.passwords.is_dated(account.password):
            hashed = await self.passwords.hash(password)
            await asyncio.to_thread(self.people.rehash, account.id, account.password, hashed)
            account = msgspec.structs.replace(account, password=hashed)
        return account

    def known(self, account_id: str) -> str:
        """Returns the value of the cookie that marks a browser in which this account was signed in. A keyed hash makes
        it impossible to forge.
        """
        told = f"{account_id}.{secrets.token_hex(8)}"
        return f"{told}.{self.key('known', told)}"

    def is_known(self, said: str, account_id: str) -> bool:
        """Returns whether the value of such a cookie is genuine and belongs to this account."""
        told, _, proof = said.rpartition(".")
        is_proven = hmac.compare_digest(proof.encode(errors="replace"), self.key("known", told).encode())
        return is_proven and told.partition(".")[0] == account_id

    # -- new accounts and invitations

    async def join(self, request: HTTPConnection, name: str, password: str, invitation: str) -> Account:
        """Creates an account and returns it.

        Args:
            invitation: token of an invitation; "" without one.

        Raises:
            LapilliError: the site does not allow it, the invitation is not valid, or the name or the password cannot be
                used.
            TooMany: too many accounts were created from this address, or too many passwords are being hashed.
        """
        invited = await self.invitation(invitation)
        self.check_open(invited)
        name = account_name(name)
        plain = folded(name)
        if await asyncio.to_thread(self.people.named, plain) is not None:
            raise LapilliError("somebody has that name, or one that looks like it: take another one")
        if folded(password) == plain:
            raise LapilliError("the password is the name: take another one")
        if invited is None:
            self._buckets.spend(SIGN_UPS, address_of(request))
        hashed, account_id = await self.passwords.hash(password), secrets.token_hex(8)
        if invited is None:
            is_added = await asyncio.to_thread(self.people.add, account_id, name, plain, hashed, MEMBER)
            problem = "" if is_added else "taken"
        else:
            problem = await asyncio.to_thread(self.people.join, invited.key, account_id, name, plain, hashed)
        if problem:
            raise LapilliError(_GONE if problem == "gone" else "somebody has taken that name: take another one")
        account = await asyncio.to_thread(self.people.get, account_id)
        assert account is not None
        return account

    def check_open(self, invited: Invitation | None) -> None:
        """Raises LapilliError if an account cannot be created with this invitation, or without one."""
        registration = self.public.registration
        if registration is Registration.OPEN or (invited is not None and invited.role == OWNER):
            return
        if registration is Registration.CLOSED:
            raise LapilliError("this site makes no new accounts")
        if invited is None:
            raise LapilliError("this site is joined by invitation: ask somebody who runs it for a link")

    async def invitation(self, token: str) -> Invitation | None:
        """Returns the invitation for a link's token; None if the token is empty. Raises LapilliError if the invitation
        is not valid any more.
        """
        if not token:
            return None
        found = await asyncio.to_thread(self.people.invitation, self.key("invitation", token))
        if found is None:
            raise LapilliError(_GONE)
        return found

    async def invite(self, role: str, made_by: str = "", account_id: str = "") -> str:
        """Returns a link that works once: for creating an account with this role or, if `account_id` is set, for
        setting a new password of that account.
        """
        return await asyncio.to_thread(_invite, self._store, self.public, role, made_by, account_id)

    # -- changes

    async def rename(self, account: Account, name: str) -> None:
        """Renames an account. Raises LapilliError if the name cannot be used."""
        name = account_name(name)
        if not await asyncio.to_thread(self.people.rename, account.id, name, folded(name)):
            raise LapilliError("somebody has that name, or one that looks like it: take another one")

    async def set_password(self, account: Account, password: str, invitation: Invitation | None = None) -> Account:
        """Sets a password, signs out everywhere, and returns the changed account.

        Args:
            invitation: the invitation whose link was used, if any; it is used up.

        Raises:
            LapilliError: the password is too short or too long, or the invitation is not valid any more.
        """
        hashed = await self.passwords.hash(password)
        key = invitation.key if invitation else ""
        ended = await asyncio.to_thread(self.people.set_password, account.id, hashed, key)
        if ended is None:
            raise LapilliError(_GONE)
        self._ended(*ended)
        return msgspec.structs.replace(account, password=hashed)

    async def appoint(self, account_id: str, role: str) -> None:
        """Sets an account's role. Raises LapilliError if there is no such role, or the site would have no owner."""
        if role not in (MEMBER, OWNER):
            raise LapilliError("there are members and owners")
        if not await asyncio.to_thread(self.people.appoint, account_id, role):
            raise LapilliError("the site needs an owner: make somebody else one first")


def key(public: Public, kind: str, secret: str) -> str:
    """Returns what the store keeps instead of a secret: its keyed hash.

    An attacker who can read and write the store, but does not know the site's own secret, cannot make a matching one.
    """
    return hmac.new(public.secret, f"{kind}:{secret}".encode(errors="replace"), hashlib.sha256).hexdigest()


def owner_link(store: Store, public: Public, also: bool = False) -> str:
    """Returns a link for creating an owner's account. A link made earlier for this purpose no longer works.

    Args:
        also: makes a link even if there is an owner; otherwise "" is returned then.
    """
    return "" if store.site.people.count(OWNER) and not also else _invite(store, public, OWNER)


def _invite(store: Store, public: Public, role: str, made_by: str = "", account_id: str = "") -> str:
    token = secrets.token_urlsafe(24)
    hashed = key(public, "invitation", token)
    store.site.people.invite(hashed, role, INVITED_S, account_id=account_id, made_by=made_by)
    page = "new-password" if account_id else "sign-up"
    return f"{public.origin}/{page}?invitation={token}"


def accounts_of(request: HTTPConnection) -> Accounts:
    """Returns the accounts of a public site."""
    accounts = site_of(request).accounts
    assert accounts is not None, "only a public site has routes for accounts"
    return accounts
