"""lapilli site --public: what it refuses to run without. (What it does when it runs is in tests/web.)"""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest

from cli import running
from lapilli.core.errors import LapilliError
from lapilli.site.runtime import settings
from lapilli.site.runtime.settings import SECRET, SECRET_FILE, Public, Registration, public_site
from plain_user import is_root
from players.conftest import need_sandbox, wait_until
from web.client import PublicSite

WELL = ("--public", "--url", "https://play.example.org", "--behind-proxy", "127.0.0.1")
SECRET_WORDS = "thirty-two characters, or some more"


@pytest.fixture(autouse=True)
def without_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever runs these tests may host a site."""
    monkeypatch.delenv(SECRET, raising=False)
    monkeypatch.delenv(SECRET_FILE, raising=False)


def refused(*options: str, environment: dict[str, str] | None = None) -> str:
    """What is said, in one line."""
    env = {SECRET: SECRET_WORDS} if environment is None else environment
    return running.refused("site", "--no-browser", "--port", 0, *options, env=env)


def test_without_a_sandbox_a_secret_or_encryption_nothing_is_served(tmp_path: Path) -> None:
    assert "sandbox for strangers' bots" in refused(*WELL, environment={SECRET: SECRET_WORDS, "PATH": str(tmp_path)})
    assert "openssl rand" in refused(*WELL, environment={})
    assert "needs a proxy" in refused("--public", "--url", "https://play.example.org")
    assert "add --public" in refused("--url", "https://play.example.org")
    assert "only a public site has --plain-http and --host: add --public" in refused("--host", "::", "--plain-http")


def test_a_second_ctrl_c_shows_no_traceback(tmp_path: Path) -> None:
    with running.Started("site", "--no-browser", "--port", 0, "--store", tmp_path / "store.db") as started:
        wait_until(lambda: "The site is at" in started.said()[0], seconds=60)
        time.sleep(1.0)
        for _ in range(5):
            started.send_signal(signal.SIGINT)
            time.sleep(0.04)
        _, err = started.communicate(timeout=60)
    assert "Traceback" not in err


def test_all_that_is_missing_is_said_at_once() -> None:
    said = refused("--public", environment={})
    assert "things are missing or wrong: (1) --url must be" in said
    assert "needs a proxy" in said
    assert "openssl rand" in said
    assert ("does not run as root" in said) == is_root()


@pytest.mark.parametrize(
    ("url", "host", "is_out"),
    [
        ("http://play.example.org", "127.0.0.1", True),
        ("http://play.example.org", "::1", True),
        ("http://play.example.org", "0.0.0.0", False),
        ("http://localhost:8480", "127.0.0.1", False),
        ("http://[::1]:8480", "127.0.0.1", False),
    ],
)
def test_an_address_for_others_on_a_site_for_this_machine(url: str, host: str, is_out: bool) -> None:
    assert Public(url, b"").is_out_of_reach(host) == is_out
    assert not Public(url, b"", proxies=("127.0.0.1",)).is_out_of_reach(host)


def test_it_does_not_run_as_root(tmp_path: Path) -> None:
    """There is no way around it. (Where the tests do not run as root, only that a plain user can.)"""
    need_sandbox()  # without one, the program prints one line more
    options = (*WELL, "--store", str(tmp_path / "site.db"))
    if is_root():
        assert "does not run as root" in refused(*options)
        assert "useradd" in refused(*options)
        assert not (tmp_path / "site.db").exists()
    site = PublicSite(tmp_path / "site.db", reached=WELL[1:])
    site.start()
    assert site.process is not None
    assert f"Uid:\t{os.stat(tmp_path).st_uid}\t" in Path(f"/proc/{site.process.pid}/status").read_text()
    assert os.stat(tmp_path).st_uid != 0
    assert site.stop()[0] == 0


def test_without_ray_it_is_said_how_to_get_it(tmp_path: Path) -> None:
    (tmp_path / "ray.py").write_text("raise ImportError\n")  # as where it is not installed
    found = os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])
    more = {"PYTHONPATH": found, "XDG_DATA_HOME": str(tmp_path)}
    assert "need Ray: pip install 'lapilli[ray]'" in refused("--ray", "auto", environment=more)


@pytest.mark.parametrize(
    ("url", "registration", "proxies", "plain", "said"),
    [
        ("", "open", "127.0.0.1", False, "--url"),
        ("play.example.org", "open", "127.0.0.1", False, "--url"),
        ("ftp://play.example.org", "open", "127.0.0.1", False, "--url"),
        ("https://me@play.example.org", "open", "127.0.0.1", False, "--url"),
        ("https://play.example.org:99999", "open", "127.0.0.1", False, "--url"),
        ("https://play.example.org/lapilli", "open", "127.0.0.1", False, "without a path"),
        ("https://play.example.org", "some", "127.0.0.1", False, "no registration"),
        ("https://play.example.org", "open", "localhost", False, "addresses or networks"),
        ("https://play.example.org", "open", "", False, "needs a proxy"),
        ("https://play.example.org", "open", "", True, "needs a proxy"),
        ("http://play.example.org", "open", "127.0.0.1", False, "unencrypted"),
    ],
)
def test_what_does_not_fit_is_said(
    monkeypatch: pytest.MonkeyPatch, url: str, registration: str, proxies: str, plain: bool, said: str
) -> None:
    monkeypatch.setenv(SECRET, SECRET_WORDS)
    with pytest.raises(LapilliError, match=said):
        public_site(url, registration, proxies, plain)


def test_the_secret_stands_in_a_variable_or_a_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(settings, "launcher_for", lambda spec: None)  # this is not about it
    file = tmp_path / "secret"
    monkeypatch.delenv(SECRET, raising=False)
    monkeypatch.setenv(SECRET_FILE, str(file))
    for content, said in ((None, "cannot be read"), (b"\xff\xfe", "not text"), (b"short\n", "32"), (b"x" * 5000, "32")):
        if content is not None:
            file.write_bytes(content)
        with pytest.raises(LapilliError, match=said):
            public_site("https://play.example.org", "closed", "127.0.0.1, 10.0.0.0/8", False)
    file.write_text(f"{SECRET_WORDS}\n")
    told = public_site("https://Play.example.org:443/", "closed", "127.0.0.1, 10.0.0.0/8", False)
    assert (told.origin, told.host, told.is_encrypted) == ("https://play.example.org", "play.example.org", True)
    assert (told.secret, told.registration) == (SECRET_WORDS.encode(), Registration.CLOSED)
    assert told.proxies == ("127.0.0.1", "10.0.0.0/8")
    told = public_site("http://[::1]:8480", "open", "", True)
    assert (told.origin, told.host, told.proxies) == ("http://[::1]:8480", "[::1]:8480", ())
