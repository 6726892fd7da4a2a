"""Mails about matches over days, by a real mail server of these tests."""

from __future__ import annotations

import email
import re
import socket
import ssl
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from email.message import Message
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlsplit

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult, LoginPassword
from sqlalchemy import text

from lapilli.core.errors import LapilliError, StoreError
from lapilli.site.http.forms import form_problem
from lapilli.site.people.mail.mailer import Mailer
from lapilli.site.people.mail.server import PASSWORD, MailError, MailRefused, MailServer, is_address, mail_server
from lapilli.site.runtime.settings import Public
from lapilli.store import DAY_S, Store
from store.conftest import places, server, store, where
from store.rated import add_account
from store.test_correspondence import begin, do
from web.client import PublicSite, Visitor

__all__ = ["places", "server", "store", "where"]
pytestmark = pytest.mark.filterwarnings("ignore:Requiring AUTH")  # this server is for this machine alone
PUBLIC = Public("https://play.example.org", b"x" * 32)
SENDER = "lapilli@example.org"


class Box:
    """What the mail server has taken.

    Attributes:
        mails: the mails. refuses: whether it takes no more. unknown: addresses that it does not know.
    """

    def __init__(self) -> None:
        self.mails: list[Message] = []
        self.refuses = False
        self.unknown: set[str] = set()

    async def handle_RCPT(self, server: Any, session: Any, envelope: Any, address: str, options: Any) -> str:
        if address in self.unknown:
            return "550 no such user"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:
        if self.refuses:
            return "451 try again later"
        self.mails.append(email.message_from_bytes(envelope.content))
        return "250 OK"

    def text(self, number: int = -1) -> str:
        content = self.mails[number].get_payload(decode=True)
        assert isinstance(content, bytes)
        return content.decode()

    def link(self, path: str) -> str:
        """Path and query of a link in the last mail."""
        found = re.search(rf"https?://\S+({re.escape(path)}\?\S+)", self.text().replace("=\n", ""))
        assert found is not None, self.text()
        return found[1]


class Post(NamedTuple):
    """A mail server, and how it is reached."""

    box: Box
    server: MailServer


@contextmanager
def serving(**options: Any) -> Iterator[tuple[Box, int]]:
    """A mail server with these options of aiosmtpd: what it takes, and its port."""
    box = Box()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    controller = Controller(box, hostname="127.0.0.1", port=port, **options)
    controller.start()
    yield box, port
    controller.stop()


@pytest.fixture
def post() -> Iterator[Post]:
    def check(server: Any, session: Any, envelope: Any, mechanism: str, data: Any) -> AuthResult:
        is_right = isinstance(data, LoginPassword) and data.password == b"a secret"
        return AuthResult(success=is_right, handled=False)  # not handled: it is the server that refuses what is wrong

    with serving(authenticator=check, auth_required=True, auth_require_tls=False) as (box, port):
        yield Post(box, MailServer("127.0.0.1", port, False, "lapilli", "a secret", SENDER))


def confirmed(mailer: Mailer, box: Box, name: str) -> None:
    """A member with a confirmed address."""
    mailer.ask(f"id {name}", name, f"{name.lower()}@example.org")
    [token] = parse_qs(urlsplit(box.link("/mail/confirm")).query)["token"]
    assert mailer.confirm(token)
    assert not mailer.confirm(token), "once"


def test_a_mail_says_which_matches_wait_and_not_twice(store: Store, post: Post) -> None:
    ada, grace = add_account(store, "Ada"), add_account(store, "Grace")
    mailer, box = Mailer(store, PUBLIC, post.server), post.box
    confirmed(mailer, box, "Ada")
    begin(store, "t", ada, grace)
    begin(store, "other", ada, grace, asked=1)
    assert mailer.send_due() == 0, "she may still be at the page"
    do(store, "UPDATE site_turns SET since = since - 400")
    assert mailer.send_due() == 1
    mail = box.mails[-1]
    assert (mail["To"], mail["From"], mail["Subject"]) == ("ada@example.org", SENDER, "Your turn in a match")
    assert "against @id Grace: 2 days left" in box.text() or "against @id Grace: 3 days left" in box.text()
    assert "https://play.example.org/matches" in box.text()
    assert mailer.send_due() == 0
    begin(store, "new", ada, grace)
    do(store, "UPDATE site_turns SET since = since - 400")
    assert mailer.send_due() == 0, "at most one in an hour"
    do(store, "UPDATE site_mails SET mailed = mailed - 3700")
    do(store, "UPDATE site_turns SET since = since - 3700 WHERE table_id <> 'new'")
    assert mailer.send_due() == 1
    assert box.mails[-1]["Subject"] == "Your turn in 2 matches"
    query = parse_qs(urlsplit(box.link("/mail/stop")).query)
    assert not mailer.stop(query["account"][0], "0" * 64)
    assert mailer.stop(query["account"][0], query["proof"][0])
    assert store.site.mails.of("id Ada") is None
    assert not mailer.stop(query["account"][0], query["proof"][0])


def test_who_is_there_or_away_gets_none_and_who_is_short_of_time_gets_one_more(store: Store, post: Post) -> None:
    ada, grace = add_account(store, "Ada"), add_account(store, "Grace")
    mailer = Mailer(store, PUBLIC, post.server)
    confirmed(mailer, post.box, "Ada")
    begin(store, "t", ada, grace)
    do(store, "UPDATE site_turns SET since = since - 400")
    store.site.seeks.report(["id Ada"], [], 60)
    assert mailer.send_due() == 0, "she is online"
    do(store, "DELETE FROM site_online")
    store.site.vacations.begin(ada, 2)
    assert mailer.send_due() == 0, "she is on vacation"
    store.site.vacations.end(ada)
    assert mailer.send_due() == 1
    days = 2 * DAY_S + 4000
    do(store, f"UPDATE site_mails SET mailed = mailed - {days}")
    do(store, f"UPDATE site_turns SET since = since - {days}, deadline = deadline - {days}")
    assert mailer.send_due() == 1, "less than a day is left"
    do(store, "UPDATE site_mails SET mailed = mailed - 3700")
    assert mailer.send_due() == 0


def test_a_turn_of_one_day_waits_for_a_mail_like_others(store: Store, post: Post) -> None:
    """Although it has less than a day left from its beginning on."""
    ada = add_account(store, "Ada")
    mailer = Mailer(store, PUBLIC, post.server)
    confirmed(mailer, post.box, "Ada")
    begin(store, "t", ada, "@id Grace", days=1)
    do(store, "UPDATE site_turns SET deadline = deadline - 1, since = since - 1")
    assert mailer.send_due() == 0
    do(store, "UPDATE site_turns SET deadline = deadline - 400, since = since - 400")
    assert mailer.send_due() == 1
    do(store, "UPDATE site_mails SET mailed = mailed - 3700")
    do(store, "UPDATE site_turns SET deadline = deadline - 3700, since = since - 3700")
    assert mailer.send_due() == 0


def test_an_address_is_used_only_after_it_was_confirmed(store: Store, post: Post) -> None:
    ada = add_account(store, "Ada")
    mailer = Mailer(store, PUBLIC, post.server)
    mailer.ask("id Ada", "Ada", "ada@example.org")
    begin(store, "t", ada, "@id Grace")
    do(store, "UPDATE site_turns SET since = since - 400")
    assert mailer.send_due() == 0
    [token] = parse_qs(urlsplit(post.box.link("/mail/confirm")).query)["token"]
    do(store, "UPDATE site_mails SET asked = asked - 200000")
    assert not mailer.confirm(token), "too late"
    for wrong in ("", "ada", "ada@", "@example.org", "ada@example.org\nBcc: eve@example.org", "a b@example.org"):
        with pytest.raises(LapilliError, match="no mail address"):
            mailer.ask("id Ada", "Ada", wrong)
        assert not is_address(wrong)


def test_a_mail_that_cannot_be_sent_stays_due(store: Store, post: Post) -> None:
    ada = add_account(store, "Ada")
    mailer = Mailer(store, PUBLIC, post.server)
    confirmed(mailer, post.box, "Ada")
    begin(store, "t", ada, "@id Grace")
    do(store, "UPDATE site_turns SET since = since - 400")
    post.box.refuses = True
    with pytest.raises(MailError, match="try again later"):
        mailer.send_due()
    post.box.refuses = False
    assert mailer.send_due() == 1
    with pytest.raises(MailError):
        MailServer("127.0.0.1", 1, False, "", "", SENDER).send("ada@example.org", "x", "x")
    wrong = MailServer("127.0.0.1", post.server.port, False, "lapilli", "wrong", SENDER)
    with pytest.raises(MailError):
        wrong.send("ada@example.org", "x", "x")


def test_an_address_that_is_gone_does_not_stop_the_mails_of_others(store: Store, post: Post) -> None:
    ada, grace = add_account(store, "Ada"), add_account(store, "Grace")
    mailer, box = Mailer(store, PUBLIC, post.server), post.box
    for name, holder in (("Ada", ada), ("Grace", grace)):
        confirmed(mailer, box, name)
        begin(store, name, holder, "@id Eve")
    do(store, "UPDATE site_turns SET since = since - 400")
    box.unknown, box.mails = {"ada@example.org", "eve@example.org"}, []
    with pytest.raises(MailRefused, match="no such user"):
        mailer.send_due()
    assert [mail["To"] for mail in box.mails] == ["grace@example.org"]
    assert mailer.send_due() == 0, "the server has refused it for good"
    with pytest.raises(MailRefused):
        mailer.ask("id Grace", "Grace", "eve@example.org")


def test_this_machine_needs_no_certified_name(tmp_path: Path) -> None:
    """A mail server that was installed here offers encryption with a certificate that it has made itself."""
    key, certificate = str(tmp_path / "key"), str(tmp_path / "certificate")
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=here", "-days", "2"]
    subprocess.run([*made, "-keyout", key, "-out", certificate], check=True, capture_output=True)
    encryption = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    encryption.load_cert_chain(certificate, key)
    with serving(tls_context=encryption, require_starttls=True) as (box, port):
        MailServer("127.0.0.1", port, False, "", "", SENDER).send("ada@example.org", "x", "x")
        assert len(box.mails) == 1


def test_a_store_that_fails_is_not_told_to_visitors() -> None:
    with pytest.raises(StoreError):
        form_problem(StoreError("the disk of /secret/place is full"))
    assert form_problem(LapilliError("that is wrong")) == "That is wrong."


@pytest.mark.parametrize(
    ("url", "sender", "problem"),
    [
        ("http://example.org", SENDER, "must be smtp://"),
        ("smtp://", SENDER, "must be smtp://"),
        ("smtp://lapilli:secret@example.org", SENDER, "others can read the command line"),
        ("smtp://lapilli@example.org", SENDER, "needs a password"),
        ("smtp://example.org", "", "--mail-from must be"),
        ("", SENDER, "--mail-from needs --smtp"),
    ],
)
def test_wrong_options_are_refused(url: str, sender: str, problem: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(PASSWORD, raising=False)
    with pytest.raises(LapilliError, match=re.escape(problem)):
        mail_server(url, sender)


def test_options_of_a_mail_server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert mail_server("", "") is None
    monkeypatch.setenv(PASSWORD, "a secret")
    found = mail_server("smtps://lapilli@example.org", SENDER)
    assert found == MailServer("example.org", 465, True, "lapilli", "a secret", SENDER)
    with pytest.raises(LapilliError, match="needs a password"):  # it is no longer there
        mail_server("smtps://lapilli@example.org", SENDER)
    (tmp_path / "password").write_text("another\n")
    monkeypatch.setenv(f"{PASSWORD}_FILE", str(tmp_path / "password"))
    found = mail_server("smtp://lapilli@example.org:25", SENDER)
    assert found == MailServer("example.org", 25, False, "lapilli", "another", SENDER)


def test_the_pages(tmp_path: Path, post: Post, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(PASSWORD, "a secret")
    options = ("--smtp", f"smtp://lapilli@127.0.0.1:{post.server.port}", "--mail-from", SENDER)
    site = PublicSite(tmp_path / "site.db", *options)
    site.start()
    with Visitor(site) as ada, Visitor(site) as guest:
        ada.join("Ada", site.owner_link)
        assert guest.http.get("/mail").status_code == 401
        assert ada.http.post("/mail", data={"address": "ada"}).status_code == 400
        assert "A link was sent to" in ada.http.post("/mail", data={"address": "ada@example.org"}).text
        link = post.box.link("/mail/confirm")
        assert "open the link" in ada.http.get("/mail").text
        assert "Confirm" in guest.http.get(link).text, "also in another browser"
        [token] = parse_qs(urlsplit(link).query)["token"]
        assert "is confirmed" in guest.http.post("/mail/confirm", data={"token": token}).text
        assert guest.http.post("/mail/confirm", data={"token": token}).status_code == 404
        assert "you get a mail at" in ada.http.get("/mail").text
        assert guest.http.post("/mail/stop", data={"account": "x", "proof": "x"}).status_code == 404
        assert ada.http.post("/mail/remove").status_code == 303
        assert "Your address" in ada.http.get("/mail").text
        statuses = [ada.http.post("/mail", data={"address": f"a{n}@example.org"}).status_code for n in range(4)]
        assert statuses[-1] == 429
    assert site.stop()[0] == 0


def test_the_store_has_no_token(store: Store, post: Post) -> None:
    add_account(store, "Ada")
    Mailer(store, PUBLIC, post.server).ask("id Ada", "Ada", "ada@example.org")
    [token] = parse_qs(urlsplit(post.box.link("/mail/confirm")).query)["token"]
    rows = store._database.read(lambda connection: str(connection.execute(text("SELECT * FROM site_mails")).all()))
    assert token not in rows
