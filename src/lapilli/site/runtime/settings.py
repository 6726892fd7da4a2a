"""Settings of a public site, and their checks before the site is served."""

from __future__ import annotations

import ipaddress
import os
import re
from collections.abc import Callable, MutableMapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

from lapilli.core.errors import LapilliError, UnknownName
from lapilli.core.reading.text import quoted
from lapilli.players import PlayerSpec, Sandbox
from lapilli.players.sandbox.sandbox import launcher_for
from lapilli.site.people.mail.server import MailServer, mail_server

T = TypeVar("T")
SECRET, SECRET_FILE = "LAPILLI_SECRET", "LAPILLI_SECRET_FILE"
_LEAST, _MOST = 32, 4096
"""Least and greatest length of the site's secret, in characters."""
_HOST = re.compile(r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\]", re.ASCII)


class Registration(StrEnum):
    """Values of the setting for new accounts: anybody, only invited people, or nobody may create an account.

    An invitation to create an owner's account is valid with each of these values.
    """

    OPEN = "open"
    INVITED = "invited"
    CLOSED = "closed"


@dataclass(frozen=True)
class Public:
    """Settings of a public site, which has accounts.

    Attributes:
        origin: the site's address for browsers: scheme, host, and the port if it is not the default one.
        secret: key of the hashes that the store contains for sessions and invitations. Nobody who knows only the store
            can forge a session or an invitation.
        registration: who may create an account.
        proxies: addresses and networks of the proxies that are trusted to report a client's address; may be empty.
        mail: the server by which the site sends mails; None if it sends none.
    """

    origin: str
    secret: bytes
    registration: Registration = Registration.INVITED
    proxies: tuple[str, ...] = ()
    mail: MailServer | None = None

    @property
    def host(self) -> str:
        """Value of the Host header that browsers send."""
        return urlsplit(self.origin).netloc

    def cookie(self, name: str) -> str:
        """Returns the full name of a cookie, with the prefix `__Host-` if the site is encrypted.

        The prefix prevents other hosts of the same domain from setting the cookie.
        """
        return f"__Host-{name}" if self.is_encrypted else name

    def is_out_of_reach(self, host: str) -> bool:
        """Returns whether it is certain that browsers cannot reach the site at its public address.

        This is so if the site listens only for programs on this machine, no proxy passes requests on, and the public
        address is not an address of this machine alone, such as localhost. `host`: the address at which the site
        listens.
        """
        return not self.proxies and _is_loopback(host) and not _is_loopback(urlsplit(self.origin).hostname or "")

    @property
    def is_encrypted(self) -> bool:
        """Whether browsers reach the site with https."""
        return self.origin.startswith("https:")


def public_site(
    url: str,
    registration: str,
    proxies: str,
    plain_http: bool,
    smtp: str = "",
    mail_from: str = "",
    missing: Sequence[str] = (),
) -> Public:
    """Returns the checked settings of a public site.

    Args:
        url: the site's address.
        registration: who may create an account: a value of `Registration`.
        proxies: addresses or networks of the proxies through which browsers reach the site, separated by commas.
        plain_http: whether the site may be served without encryption.
        smtp: address of the mail server, see `mail_server`; "" to send no mails.
        mail_from: mail address that the mails show as their sender.
        missing: further things that the caller knows to be missing, in words.

    Raises:
        LapilliError: a setting is not valid or not safe, the secret is missing, or this machine cannot isolate bots.
            The message lists everything that is missing, so that all of it can be corrected at once.
    """
    problems: list[str] = []

    def checked(check: Callable[..., T], *arguments: Any) -> T | None:
        try:
            return check(*arguments)
        except LapilliError as error:
            problems.append(str(error))
            return None

    if registration not in list(Registration):
        problems.append(str(UnknownName("registration", registration, Registration)))
    origin, proxy_list = checked(_origin, url), checked(_proxies, proxies)
    checked(_check_encryption, origin or "", proxy_list, plain_http)
    secret, mail = checked(_secret, os.environ), checked(mail_server, smtp, mail_from)
    checked(_check_sandbox)
    problems += missing
    if origin is None or proxy_list is None or secret is None or problems:
        raise LapilliError(problems[0] if len(problems) == 1 else _listed(problems))
    return Public(origin, secret, Registration(registration), proxy_list, mail)


def _listed(problems: Sequence[str]) -> str:
    numbered = "; ".join(f"({number}) {problem}" for number, problem in enumerate(problems, 1))
    return f"{len(problems)} things are missing or wrong: {numbered}"


def _check_encryption(origin: str, proxies: tuple[str, ...] | None, plain_http: bool) -> None:
    """Raises LapilliError if passwords would be sent unencrypted.

    Args:
        origin: the site's address; "" if it is not valid.
        proxies: the proxies; None if they are not valid.
        plain_http: whether the site may be served without encryption.
    """
    if proxies == () and not plain_http:
        raise LapilliError(
            "a public site needs a proxy that encrypts: name the proxy with --behind-proxy 127.0.0.1, "
            "or pass --plain-http if nobody can listen in"
        )
    if origin.startswith("http:") and not plain_http:
        raise LapilliError("passwords would be sent unencrypted: give an https:// address, or pass --plain-http")
    if origin.startswith("https:") and proxies == ():
        raise LapilliError(
            "an https:// address needs a proxy that encrypts: name the proxy with --behind-proxy 127.0.0.1"
        )


def _check_sandbox() -> None:
    try:
        launcher_for(PlayerSpec(command="true", sandbox=Sandbox.REQUIRE))
    except LapilliError as error:
        raise LapilliError(f"a public site needs a sandbox for strangers' bots: {error}") from None


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _origin(url: str) -> str:
    """Returns the origin of an address, that is scheme, host and port, as browsers write it.

    Raises:
        LapilliError: the address is not valid, or has a path.
    """
    try:
        parts = urlsplit(url.strip())
        port, host = parts.port, parts.netloc.rpartition("@")[2].lower()
    except ValueError:
        port, host, parts = None, "", urlsplit("")
    name = host.removesuffix(f":{port}") if port is not None else host
    if parts.scheme not in ("http", "https") or not _HOST.fullmatch(name) or "@" in parts.netloc:
        raise LapilliError(f"--url must be the site's address, such as https://play.example.org, not {quoted(url)}")
    if parts.path not in ("", "/") or parts.query or parts.fragment:
        raise LapilliError(f"--url must be an address without a path: {parts.scheme}://{host}")
    is_usual = port == {"http": 80, "https": 443}[parts.scheme]
    return f"{parts.scheme}://{name if is_usual else host}"


def _proxies(text: str) -> tuple[str, ...]:
    proxies = tuple(filter(None, (part.strip() for part in text.split(","))))
    for proxy in proxies:
        try:
            ipaddress.ip_network(proxy)
        except ValueError:
            raise LapilliError(
                f"--behind-proxy must be addresses or networks such as 127.0.0.1,172.16.0.0/12, not {quoted(proxy)}"
            ) from None
    return proxies


def _secret(environment: MutableMapping[str, str]) -> bytes:
    """Returns the site's secret, from the variable SECRET or from the file that the variable SECRET_FILE names.

    Removes SECRET from the environment, so that processes started later do not inherit it.

    Raises:
        LapilliError: the secret is missing, unreadable, too short or too long.
    """
    secret, file = environment.pop(SECRET, ""), environment.get(SECRET_FILE, "")
    if file and not secret:
        try:
            with Path(file).open(encoding="utf-8") as opened:
                secret = opened.read(_MOST + 1)
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it is not text"
            raise LapilliError(f"the secret in {quoted(file)} cannot be read: {reason}") from None
    secret = secret.strip()
    if not secret:
        raise LapilliError(
            f"a public site needs a secret: put the output of 'openssl rand -hex 32' into {SECRET}, "
            f"or into a file that {SECRET_FILE} names"
        )
    if not _LEAST <= len(secret) <= _MOST:
        raise LapilliError(f"the site's secret must have {_LEAST} to {_MOST:,} characters")
    return secret.encode(errors="surrogateescape")
