"""Guessers at an owner's address, with and without a stolen or forged proof of the owner's browser."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest

from store.conftest import Server
from web.client import PASSWORD, PublicSite, Visitor

KNOWN = "lapilli_known"
_FREE_OF_AN_ADDRESS = 20


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def site(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[PublicSite]:
    """Everybody comes from one address: 127.0.0.1."""
    home = tmp_path_factory.mktemp("home")
    server: Server | None = request.getfixturevalue("database") if request.param == "postgresql" else None
    where = server.new_place() if server else home / "site.db"
    started = PublicSite(where, "--registration", "open", folder=home)
    started.start()
    yield started
    code, errors = started.stop()
    assert (code, "Traceback" in errors) == (0, False), errors


@dataclass
class Answers:
    """The statuses of sign-ins.

    Attributes:
        stolen: those for Ada's name, with a proof that was stolen from her browser.
        guesses: then, those for many names from everybody's address, until it waits. The others follow.
        forged: those for Ada's name, by the forged proof. elsewhere: for her name, without a proof.
        graces_by_adas: for Grace's name, with Ada's proof. grace, ada: by each in her own browser.
        renamed: of what Ada does then.
    """

    stolen: list[int]
    guesses: list[int]
    forged: dict[str, int] = field(default_factory=dict)
    elsewhere: int = 0
    graces_by_adas: int = 0
    grace: int = 0
    ada: int = 0
    renamed: int = 0


def guesses_from_the_address(site: PublicSite) -> list[int]:
    """Wrong sign-ins for many names, some more than are free."""
    with Visitor(site) as guesser:
        return [guesser.sign_in(f"nobody{number}", "a guess").status_code for number in range(_FREE_OF_AN_ADDRESS + 5)]


def forgeries(real: str, own: str) -> tuple[str, ...]:
    """Proofs that prove nothing, made of a real one, and of the forger's own."""
    told, _, proof = real.rpartition(".")
    account, _, _ = told.partition(".")
    return (
        f"{told}x.{proof}",
        f"{told}.{proof[:-1]}{'0' if proof[-1] != '0' else '1'}",
        f"{told}.",
        f"{account}.{own.partition('.')[2]}",
        own,
        f"{account}..{proof}",
        "." * 200,
        "x" * 5000,
    )


@pytest.fixture(scope="module")
def answers(site: PublicSite) -> Answers:
    """What all of them are answered: one after the other, since the address is used up but once. It waits for two
    seconds at first, and each password that is looked at costs a fifth of one: what must be refused is asked first."""
    with Visitor(site) as ada, Visitor(site) as grace, Visitor(site) as eve, Visitor(site) as thief:
        for who, name in ((ada, "Ada"), (grace, "Grace"), (eve, "Eve")):
            assert who.join(name).status_code == 303
        forged = forgeries(ada.http.cookies[KNOWN], eve.http.cookies[KNOWN])
        for who in (ada, grace):
            assert who.http.post("/sign-out").status_code == 303
        thief.http.cookies.set(KNOWN, ada.http.cookies[KNOWN], domain="127.0.0.1", path="/")
        stolen = [thief.sign_in("ada", f"guess {number}").status_code for number in range(7)]
        found = Answers(stolen, guesses_from_the_address(site))
        with Visitor(site) as guesser:
            found.elsewhere = guesser.sign_in("ada").status_code
            found.graces_by_adas = thief.sign_in("grace", "a guess").status_code
            for said in forged:
                guesser.http.cookies.set(KNOWN, said, domain="127.0.0.1", path="/")
                found.forged[said] = guesser.sign_in("ada").status_code
        found.ada, found.grace = ada.sign_in("ada").status_code, grace.sign_in("grace").status_code
        found.renamed = ada.http.post("/account/name", data={"name": "Ada2", "password": PASSWORD}).status_code
    return found


def test_guessers_at_ones_address_keep_nobody_out_of_their_own_browser(answers: Answers) -> None:
    assert answers.guesses[:_FREE_OF_AN_ADDRESS] == [401] * _FREE_OF_AN_ADDRESS
    assert answers.guesses[-1] == 429
    assert answers.elsewhere == 429, "a browser that proves nothing waits like all others"
    assert answers.ada == 303
    assert answers.renamed == 303


def test_a_stolen_proof_is_counted_by_itself_and_helps_with_one_name_alone(answers: Answers) -> None:
    assert answers.stolen == [401] * 6 + [429]
    assert answers.graces_by_adas == 429, "Ada's proof says nothing of Grace"
    assert answers.grace == 303, "whose own browser is free"


def test_forged_proofs_prove_nothing(answers: Answers) -> None:
    assert len(answers.forged) == 8
    assert answers.forged == dict.fromkeys(answers.forged, 429)
