"""The mail server that the site uses: its settings, and sending one mail."""

from __future__ import annotations

import os
import re
from collections.abc import MutableMapping
from dataclasses import dataclass
from email.message import EmailMessage
from email.utils import formatdate, make_msgid
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from lapilli.core.errors import LapilliError
from lapilli.core.reading.text import quoted, shortened

if TYPE_CHECKING:
    import smtplib

PASSWORD, PASSWORD_FILE = "LAPILLI_SMTP_PASSWORD", "LAPILLI_SMTP_PASSWORD_FILE"
MAX_ADDRESS = 120
"""Length limit of a mail address, in characters."""
_ADDRESS = re.compile(r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?", re.ASCII)
_PORTS = {"smtp": 587, "smtps": 465}
_HERE = ("localhost", "127.0.0.1", "::1")
"""This machine's names. Mails to a server on this machine may be sent unencrypted, and its certificate is not
checked."""
_PATIENCE_S = 20.0
"""Time limit of each step of a connection, in seconds."""
_LONGEST = 4096


class MailError(LapilliError):
    """A mail could not be sent."""


class MailRefused(MailError):
    """The mail server refuses a mail, but may accept other mails.

    Attributes:
        is_final: whether the server will refuse this mail later, too.
    """

    def __init__(self, message: str, is_final: bool) -> None:
        super().__init__(message)
        self.is_final = is_final


@dataclass(frozen=True)
class MailServer:
    """A mail server (SMTP).

    Attributes:
        host, port: address at which the server listens.
        is_encrypted: whether the connection is encrypted from its beginning. Otherwise STARTTLS starts the encryption.
        user, password: name and password with which the site signs in; "" to send mails without signing in.
        sender: mail address that the mails show as their sender.
    """

    host: str
    port: int
    is_encrypted: bool
    user: str
    password: str
    sender: str

    def send(self, to: str, subject: str, text: str, stop: str = "") -> None:
        """Sends a mail of plain text. Blocks.

        Args:
            to: the address.
            subject: the subject.
            text: the text.
            stop: URL of the page on which the recipient can unsubscribe; "" for none.

        Raises:
            MailRefused: the server refuses this mail.
            MailError: the server cannot be reached, or refuses the site.
        """
        import smtplib  # only few sites send mails
        import ssl

        message = EmailMessage()
        message["From"], message["To"], message["Subject"] = self.sender, to, subject
        message["Date"], message["Message-ID"] = formatdate(), make_msgid(domain=self.sender.rpartition("@")[2])
        message["Auto-Submitted"] = "auto-generated"
        if stop:
            message["List-Unsubscribe"] = f"<{stop}>"
        message.set_content(text)
        try:
            context = ssl.create_default_context()
            if self.host in _HERE:
                context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
            if self.is_encrypted:
                server: smtplib.SMTP = smtplib.SMTP_SSL(self.host, self.port, timeout=_PATIENCE_S, context=context)
            else:
                server = smtplib.SMTP(self.host, self.port, timeout=_PATIENCE_S)
            with server:
                if not self.is_encrypted and (self.host not in _HERE or _offers_encryption(server)):
                    server.starttls(context=context)
                if self.user:
                    server.login(self.user, self.password)
                server.send_message(message)
        except (OSError, smtplib.SMTPException) as error:
            reason = shortened(" ".join(str(error).split()), 200)
            problem = f"the mail server {self.host}:{self.port} fails: {reason}"
            if isinstance(error, smtplib.SMTPRecipientsRefused):
                codes = [code for code, _ in error.recipients.values()]
            else:
                codes = [error.smtp_code] if isinstance(error, smtplib.SMTPDataError) else []
            if codes:
                raise MailRefused(problem, is_final=min(codes) >= 500) from None
            raise MailError(problem) from None


def _offers_encryption(server: smtplib.SMTP) -> bool:
    server.ehlo()
    return server.has_extn("starttls")


def mail_server(url: str, sender: str) -> MailServer | None:
    """Returns the mail server that two options of the command line describe; None if the site sends no mails.

    Args:
        url: smtp://USER@HOST:PORT, which is encrypted by STARTTLS, or smtps://USER@HOST:PORT; "" for none. The password
            is in the environment variable PASSWORD, or in a file that the variable PASSWORD_FILE names.
        sender: mail address that the mails show as their sender.

    Raises:
        LapilliError: an option is not valid, or the password is missing.
    """
    password = _password(os.environ)
    if not url:
        if sender:
            raise LapilliError("--mail-from needs --smtp, the mail server")
        return None
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        parts, port = urlsplit(""), None
    if parts.scheme not in _PORTS or not parts.hostname or parts.path not in ("", "/"):
        raise LapilliError(f"--smtp must be smtp://USER@HOST:PORT or smtps://USER@HOST:PORT, not {quoted(url)}")
    if parts.password is not None:
        raise LapilliError(f"others can read the command line: put the password of the mail server into {PASSWORD}")
    user = unquote(parts.username or "")
    if user and not password:
        raise LapilliError(f"the mail server needs a password: put it into {PASSWORD}, or a file into {PASSWORD_FILE}")
    if not is_address(sender):
        raise LapilliError(f"--mail-from must be the address from which mails come, not {quoted(sender)}")
    return MailServer(parts.hostname, port or _PORTS[parts.scheme], parts.scheme == "smtps", user, password, sender)


def is_address(text: str) -> bool:
    """Returns whether a text has the form of a mail address."""
    domain = text.rpartition("@")[2]
    return len(text) <= MAX_ADDRESS and _ADDRESS.fullmatch(text) is not None and ".." not in text and bool(domain)


def _password(environment: MutableMapping[str, str]) -> str:
    """Returns the password of the mail server, and removes it from the environment, which engines and bots inherit."""
    password, file = environment.pop(PASSWORD, ""), environment.get(PASSWORD_FILE, "")
    if file and not password:
        try:
            with Path(file).open(encoding="utf-8") as opened:
                password = opened.read(_LONGEST)
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it is not text"
            raise LapilliError(f"the password in {quoted(file)} cannot be read: {reason}") from None
    return password.strip()
