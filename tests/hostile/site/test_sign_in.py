"""Guessers at an owner's address, with and without a stolen or forged proof of the owner's browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from store.conftest import Server, running
from web.client import PASSWORD, PublicSite, Visitor

KNOWN = "lapilli_known"
_FREE_OF_AN_ADDRESS = 20


@pytest.fixture(scope="module")
def database() -> Iterator[Server]:
    yield from running()


@pytest.fixture(params=["sqlite", "postgresql"])
def site(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[PublicSite]:
    """Everybody comes from one address: 127.0.0.1."""
    home = tmp_path / "home"
    home.mkdir()
    server: Server | None = request.getfixturevalue("database") if request.param == "postgresql" else None
    where = server.new_place() if server else home / "site.db"
    started = PublicSite(where, "--registration", "open", folder=home)
    started.start()
    yield started
    code, errors = started.stop()
    assert (code, "Traceback" in errors) == (0, False), errors


def use_up_the_address(site: PublicSite) -> None:
    """Thirty wrong sign-ins, for many names; then the address waits."""
    with Visitor(site) as eve:
        statuses = [eve.sign_in(f"nobody{number}", "a guess").status_code for number in range(30)]
    assert statuses[:_FREE_OF_AN_ADDRESS] == [401] * _FREE_OF_AN_ADDRESS
    assert statuses[-1] == 429


def test_guessers_at_ones_address_keep_nobody_out_of_their_own_browser(site: PublicSite) -> None:
    with Visitor(site) as ada, Visitor(site) as elsewhere:
        assert ada.join("Ada").status_code == 303
        assert ada.http.post("/sign-out").status_code == 303
        use_up_the_address(site)
        assert elsewhere.sign_in("ada").status_code == 429, "a browser that proves nothing waits like all others"
        assert ada.sign_in("ada").status_code == 303
        assert ada.http.post("/account/name", data={"name": "Ada2", "password": PASSWORD}).status_code == 303


def test_a_stolen_proof_is_counted_by_itself_and_helps_with_one_name_alone(site: PublicSite) -> None:
    with Visitor(site) as ada, Visitor(site) as grace, Visitor(site) as thief:
        assert ada.join("Ada").status_code == 303
        assert grace.join("Grace").status_code == 303
        thief.http.cookies.set(KNOWN, ada.http.cookies[KNOWN], domain="127.0.0.1", path="/")
        statuses = [thief.sign_in("ada", f"guess {number}").status_code for number in range(7)]
        assert statuses == [401] * 6 + [429]
        use_up_the_address(site)
        assert thief.sign_in("grace", "a guess").status_code == 429, "Ada's proof says nothing of Grace"
        assert grace.sign_in("grace").status_code == 303, "whose own browser is free"


def test_forged_proofs_prove_nothing(site: PublicSite) -> None:
    with Visitor(site) as ada, Visitor(site) as eve:
        assert ada.join("Ada").status_code == 303
        assert eve.join("Eve").status_code == 303
        real, own = ada.http.cookies[KNOWN], eve.http.cookies[KNOWN]
        told, _, proof = real.rpartition(".")
        use_up_the_address(site)
        account, _, _ = told.partition(".")
        forged = (
            f"{told}x.{proof}",
            f"{told}.{proof[:-1]}{'0' if proof[-1] != '0' else '1'}",
            f"{told}.",
            f"{account}.{own.partition('.')[2]}",
            own,
            f"{account}..{proof}",
            "." * 200,
            "x" * 5000,
        )
        with Visitor(site) as guesser:
            for said in forged:
                guesser.http.cookies.set(KNOWN, said, domain="127.0.0.1", path="/")
                assert guesser.sign_in("ada").status_code == 429, said
