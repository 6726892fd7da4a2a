"""A proxy whose clients lie about where they come from: only what trusted proxies have added themselves counts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import httpx
import pytest

from web.client import PASSWORD, PublicSite

OWN = "https://play.example.org"
_BURST = 5
"""New accounts that an address may make at once."""
_TOO_SHORT = "x"
"""A password for which nothing is hashed, which takes a fifth of a second: what counts has counted it before."""
_names = count()


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PublicSite]:
    """Behind a proxy at 127.0.0.1, and one before that in 10.9.0.0/16."""
    yield from _started(tmp_path_factory.mktemp("proxied"), "127.0.0.1,10.9.0.0/16")


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PublicSite]:
    """Whose proxy is at another address than those who ask here."""
    yield from _started(tmp_path_factory.mktemp("elsewhere"), "10.9.0.1")


def _started(folder: Path, proxies: str) -> Iterator[PublicSite]:
    reached = ("--url", OWN, "--behind-proxy", proxies)
    made = PublicSite(folder / "site.db", "--registration", "open", reached=reached)
    made.start()
    yield made
    code, errors = made.stop()
    assert (code, "Traceback" in errors) == (0, False), errors


def join(site: PublicSite, *forwarded: str, password: str = PASSWORD) -> int:
    """Makes an account; what it is answered."""
    headers = [("Host", "play.example.org"), ("Origin", OWN), *(("X-Forwarded-For", one) for one in forwarded)]
    form = {"name": f"member{next(_names)}x", "password": password}
    with httpx.Client(trust_env=False, timeout=60, verify=False) as client:
        return client.post(f"{site.url}/sign-up", data=form, headers=headers).status_code


ONE_CLIENT: dict[str, Callable[[int], tuple[str, ...]]] = {
    "a forged first element": lambda n: (f"198.51.100.{n}, 203.0.113.1",),
    "many forged elements": lambda n: (f"127.0.0.1, 10.9.0.1, 198.51.100.{n}, 10.9.0.7, 203.0.113.2",),
    "a second trusted proxy": lambda n: (f"198.51.100.{n}, 203.0.113.3, 10.9.3.4",),
    "a forged header of its own": lambda n: (f"198.51.100.{n}", "203.0.113.4"),
    "the last header holds proxies alone": lambda n: (f"198.51.100.{n}, 203.0.113.5", "10.9.0.2"),
    "ports": lambda n: (f"203.0.113.6:{40_000 + n}",),
    "IPv6, one line": lambda n: (f"2001:db8:1:2::{n:x}",),
    "IPv6 with ports": lambda n: (f"[2001:db8:1:3:{n:x}::9]:{40_000 + n}",),
    "IPv4 within IPv6": lambda n: ("203.0.113.8" if n % 2 else "::ffff:203.0.113.8",),
    "no addresses": lambda n: (f"<script>{n}</script>",),
    "forged, then garbage": lambda n: (f"198.51.100.{n}, unknown{n}",),
    "long": lambda n: ((f"198.51.100.{n}, " * 400) + "203.0.113.9",),
}


@pytest.mark.parametrize("how", ONE_CLIENT)
def test_one_client_is_one_client_whatever_it_says(site: PublicSite, how: str) -> None:
    """The first attempt makes an account. The next would but for their passwords, and the last come too soon."""
    statuses = [join(site, *ONE_CLIENT[how](1))]
    statuses += [join(site, *ONE_CLIENT[how](number), password=_TOO_SHORT) for number in range(2, _BURST + 3)]
    assert statuses[0] in (303, 429), "those whose address is unknown are one client together"
    assert statuses[-1] == 429, statuses
    assert set(statuses[1:]) <= {400, 429}


def test_those_whom_the_proxy_names_are_apart(site: PublicSite) -> None:
    assert [join(site, f"198.51.100.9, 192.0.2.{number}") for number in range(_BURST + 3)] == [303] * (_BURST + 3)


def test_nobody_else_is_believed(elsewhere: PublicSite) -> None:
    statuses = [join(elsewhere, f"192.0.2.{number}") for number in range(_BURST + 3)]
    assert statuses[-1] == 429, "a stranger who reaches the site past its proxy"


@pytest.mark.parametrize("said", ["127.0.0.1", "::1", "127.0.0.1, 127.0.0.1", "[::1]:80", "localhost"])
def test_no_client_is_this_machine_by_its_own_word(site: PublicSite, said: str) -> None:
    headers = {"Host": "play.example.org", "X-Forwarded-For": said}
    assert httpx.get(f"{site.url}/metrics", headers=headers, trust_env=False).status_code == 403


def test_the_way_that_a_client_claims_to_have_come_changes_nothing(site: PublicSite) -> None:
    for said in ("http", "javascript", "https, http", "", "ws"):
        headers = {"Host": "play.example.org", "X-Forwarded-Proto": said, "X-Forwarded-Host": "evil.example"}
        answer = httpx.get(f"{site.url}/play", headers=headers, trust_env=False)
        assert answer.status_code == 200
        assert "evil.example" not in answer.text
        sent = headers | {"Origin": "http://play.example.org"}
        assert httpx.post(f"{site.url}/play", headers=sent, trust_env=False).status_code == 403
        assert httpx.get(f"{site.url}/", headers=headers | {"Host": "evil.example"}, trust_env=False).status_code == 403


def test_commands_to_copy_name_the_sites_own_address_whatever_the_proxy_says(site: PublicSite) -> None:
    with httpx.Client(trust_env=False, timeout=60) as client:
        page = client.get(f"{site.url}/api/docs", headers={"Host": "play.example.org"})
    assert page.status_code == 200
    assert f"{OWN}/api/v1/account" in page.text
    assert "http://play.example.org" not in page.text
