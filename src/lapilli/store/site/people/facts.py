"""Structs about the accounts of a site: accounts, sessions, invitations, owners' actions and mail addresses."""

from __future__ import annotations

import msgspec


class Account(msgspec.Struct, frozen=True, kw_only=True):
    """A person's account on the site.

    Attributes:
        id: permanent id, by which other data refers to the account.
        name: display name.
        password: hash of the password, in the format of the password library.
        role: "member" or "owner".
        created: time at which the account was created, in seconds since 1970.
        seen: time of the last visit, in seconds since 1970.
        suspended: time at which the account's suspension ends, in seconds since 1970; 0 if it was never suspended.
        reason: reason for the suspension.
    """

    id: str
    name: str
    password: str
    role: str
    created: float
    seen: float
    suspended: float = 0.0
    reason: str = ""


class OwnerAction(msgspec.Struct, frozen=True):
    """An action of an owner of the site, as an entry of the owners' log.

    Attributes:
        id: number of the entry; later entries have larger numbers.
        at: time, in seconds since 1970.
        owner: name of the owner.
        action: what the owner did, in words, such as "suspended".
        about: name of the account that the action concerned; "" for none.
        detail: further words, such as the reason of a suspension.
    """

    id: int
    at: float
    owner: str
    action: str
    about: str
    detail: str


class MailAddress(msgspec.Struct, frozen=True):
    """The mail address of an account.

    Attributes:
        address: the address.
        is_confirmed: whether the person has opened the link that was sent there.
    """

    address: str
    is_confirmed: bool


class DueMail(msgspec.Struct, frozen=True):
    """A person to whom the site may send a mail about matches now.

    Attributes:
        account: id of the account.
        name: name of the account.
        address: the mail address.
        mailed: time of the last mail, in seconds since 1970; 0 for none.
    """

    account: str
    name: str
    address: str
    mailed: float


class Session(msgspec.Struct, frozen=True, kw_only=True):
    """A session: a browser in which a person is signed in.

    Attributes:
        key: hash of the session's secret.
        account: the person's account.
        created: time of the sign-in, in seconds since 1970.
        seen: time of the last visit, in seconds since 1970.
        expires: time at which the session ends, in seconds since 1970.
    """

    key: str
    account: Account
    created: float
    seen: float
    expires: float


class Invitation(msgspec.Struct, frozen=True, kw_only=True):
    """An invitation: a link that can be used once, to create an account or to change the password of an account.

    Attributes:
        key: hash of the link's secret.
        role: role of the new account.
        account_id: id of the account whose password can be changed with the link; "" if the link is for a new account.
        made_by: id of the account that created the invitation; "" for the site itself.
        expires: time at which the link stops working, in seconds since 1970.
    """

    key: str
    role: str
    account_id: str = ""
    made_by: str = ""
    expires: float = 0.0
