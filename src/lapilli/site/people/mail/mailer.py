"""Sends mails: that it is a person's turn in correspondence matches, and links that confirm a mail address."""

from __future__ import annotations

import asyncio
import hmac
import logging
import secrets
from urllib.parse import urlencode, urlsplit

from lapilli.core.errors import LapilliError
from lapilli.games import load
from lapilli.site.pages.own_matches import time_left
from lapilli.site.people.accounts.accounts import key
from lapilli.site.people.identity.people import holder_of, shown_name
from lapilli.site.people.mail.server import MailError, MailRefused, MailServer, is_address
from lapilli.site.runtime.settings import Public
from lapilli.site.runtime.tasks import Tasks
from lapilli.store import DAY_S, DueMail, OwnMatch, Store

_LOG = logging.getLogger("lapilli.site")
EVERY_S = 60.0
"""Time between two searches for people who must be sent a mail, in seconds."""
CONFIRM_S = 2 * DAY_S
"""Time for which the link that confirms an address is valid, in seconds."""
_SHOWN = 10
"""Largest number of matches that a mail lists."""


class Mailer:
    """Sends the site's mails.

    Args:
        store: the database.
        public: settings of the site.
        server: the mail server.
    """

    def __init__(self, store: Store, public: Public, server: MailServer) -> None:
        self._store, self._public, self._server = store, public, server
        self._work = Tasks(lambda error: _LOG.error("mails cannot be sent: %s", error, exc_info=error))

    def start(self) -> None:
        """Starts to send mails to people whose turn it is."""
        self._work.keep_going("sending mails", self._run)

    def close(self) -> None:
        """Stops sending mails."""
        self._work.cancel()

    async def _run(self) -> None:
        while True:
            await asyncio.sleep(EVERY_S)
            try:
                await asyncio.to_thread(self.send_due)
            except LapilliError as error:
                _LOG.error("mails could not be sent: %s", error)

    def send_due(self) -> int:
        """Sends all mails that are due, one for each person, and returns the number of mails. Blocks.

        Raises:
            MailRefused: the mail server has refused a mail. All other mails were sent. The refused mail will be tried
                again, unless the refusal is final.
            MailError: the mail server failed. The mails that were not sent will be tried again.
        """
        sent, mails, refused = 0, self._store.site.mails, None
        for due in mails.due():
            waiting = [one for one in self._store.site.turns.of(holder_of(due.account)) if one.is_asked]
            if waiting and mails.claim(due):
                try:
                    self._send(due, waiting)
                    sent += 1
                except MailRefused as error:
                    refused = error
                    if not error.is_final:
                        mails.release(due)
                except MailError:
                    mails.release(due)
                    raise
        if refused is not None:
            raise refused
        return sent

    def _send(self, due: DueMail, waiting: list[OwnMatch]) -> None:
        number = len(waiting)
        subject = "Your turn in a match" if number == 1 else f"Your turn in {number} matches"
        lines = [f"Hello {due.name},", "", f"it is your turn on {urlsplit(self._public.origin).netloc}:", ""]
        lines += [_line(one) for one in waiting[:_SHOWN]]
        if number > _SHOWN:
            lines.append(f"- and {number - _SHOWN} more")
        stop = self._stop_link(due.account, due.address)
        lines += ["", f"Your matches: {self._public.origin}/matches", "", f"No more mails: {stop}", ""]
        self._server.send(due.address, subject, "\n".join(lines), stop)

    # -- addresses: these functions read and write the store, and block

    def ask(self, account: str, name: str, address: str) -> None:
        """Stores the mail address of an account, and sends a link to this address that confirms it.

        Args:
            account: id of the account.
            name: name of the account, as the mail contains it.
            address: the mail address.

        Raises:
            LapilliError: `address` is not a valid mail address.
            MailError: the mail server failed.
        """
        if not is_address(address):
            raise LapilliError("that is no mail address: write it like ada@example.org")
        token = secrets.token_urlsafe(24)
        self._store.site.mails.ask(account, address, key(self._public, "mail", token))
        link = f"{self._public.origin}/mail/confirm?{urlencode({'token': token})}"
        host = urlsplit(self._public.origin).netloc
        lines = [f"{name} on {host} wants mails about matches at this address.", ""]
        lines += [f"To confirm this, open within two days: {link}", "", "If you are not this person, do nothing.", ""]
        self._server.send(address, f"Confirm your address for {host}", "\n".join(lines))

    def confirm(self, token: str) -> bool:
        """Confirms the address to which the link with this token was sent. Returns False if the token is not valid."""
        return self._store.site.mails.confirm(key(self._public, "mail", token), CONFIRM_S)

    def stop(self, account: str, proof: str) -> bool:
        """Deletes the mail address of an account. `proof`: text in the link of each mail, which shows that the caller
        has received one. Returns False if the proof is not valid.
        """
        found = self._store.site.mails.of(account)
        if found is None:
            return False
        is_proven = hmac.compare_digest(proof.encode(errors="replace"), self._proof(account, found.address).encode())
        if is_proven:
            self._store.site.mails.remove(account)
        return is_proven

    def _proof(self, account: str, address: str) -> str:
        return key(self._public, "stop", f"{account} {address}")

    def _stop_link(self, account: str, address: str) -> str:
        query = urlencode({"account": account, "proof": self._proof(account, address)})
        return f"{self._public.origin}/mail/stop?{query}"


def _line(one: OwnMatch) -> str:
    """Describes a match in one line of a mail."""
    seats = enumerate(one.table.plan["seats"])
    names = [shown_name(seat.get("name", ""), seat.get("holder", "")) for number, seat in seats if number != one.player]
    others = " and ".join(name or "somebody" for name in names)
    left = f": {time_left(one.left_s)} left" if one.left_s is not None else ""
    return f"- {load(one.table.game).title} against {others}{left}"
