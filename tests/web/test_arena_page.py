"""The live page of the arena, in this process: what it shows, what it refuses, and that it reads matches once."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from types import SimpleNamespace

import msgspec
import pytest

from arena.filled import NEW, fill
from lapilli.arena.pages import MatchFold, contents
from lapilli.match.record import parse_record
from lapilli.site.arena import reading
from lapilli.site.arena.app import hosts_of
from lapilli.site.http.guard import LOCAL
from lapilli.store import MatchFilter, Standing, Store, worker_name
from lapilli.store.results import MatchResult
from store.made import event, result
from web.in_process import HERE, ArenaClient

FAULTY, LEAGUE = 2, 4


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    file = tmp_path_factory.mktemp("store") / "arena.db"
    fill(file)
    with Store.open(file) as opened:
        opened.note_event(1, "with <b>new</b> evaluation")
        yield opened


@pytest.fixture(scope="module")
def client(store: Store) -> Iterator[ArenaClient]:
    with ArenaClient(store) as made:
        yield made


def played(number: int) -> MatchResult:
    """A match unlike the others."""
    return msgspec.structs.replace(result(number), moves=str(number))


def page(client: ArenaClient, path: str, status: int = 200) -> str:
    answer = client.get(path)
    assert answer.status_code == status, answer.text
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert "unsafe" not in answer.headers["content-security-policy"]
    assert "<style" not in answer.text
    assert re.search(r"<script(?![^>]* (src|type=\"application/octet-stream\"))", answer.text) is None
    assert " style=" not in answer.text
    return answer.text


def test_all_events_are_listed(client: ArenaClient, store: Store) -> None:
    text = page(client, "/")
    for one in store.events():
        assert f'<a href="/events/{one.id}">' in text
    assert "Nothing is running" in text
    assert "with &lt;b&gt;new&lt;/b&gt; evaluation" in text
    assert "\x1b" not in text
    older = page(client, "/?before=2")
    assert '<a href="/events/1">' in older
    assert '<a href="/events/2">' not in older


@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_the_page_of_an_event_is_that_of_arena_page(client: ArenaClient, store: Store, number: int) -> None:
    text = page(client, f"/events/{number}")
    for heading in ("Contestants", "More matches"):
        assert f"<h2>{heading}</h2>" in text
    assert NEW not in text, "it is escaped"
    kept = re.findall(rf'href="(/events/{number}/matches/\d+)"', text)
    assert bool(kept) == (number != FAULTY)
    if kept:
        film = page(client, kept[0])
        assert "lapilli-player" in film
        assert f'href="/events/{number}"' in film
        record = client.get(f"{kept[0]}/record.json")
        assert parse_record(record.content).outcome is not None
    else:
        assert "2/0 (record not kept)" in text


def test_what_has_not_changed_is_not_sent_again(client: ArenaClient, store: Store) -> None:
    for path in ("/live", "/events/1/live", "/events/4/live"):
        first = client.get(path)
        assert first.status_code == 200
        again = client.get(path, headers={"If-None-Match": first.headers["etag"]})
        assert (again.status_code, again.content) == (304, b"")
        assert client.get(path, headers={"If-None-Match": '"other"'}).text == first.text


def test_matches_are_listed_and_chosen(client: ArenaClient, store: Store, tmp_path: Path) -> None:
    numbers = re.findall(r'href="/events/1/matches/(\d+)"', page(client, "/events/1/matches"))
    assert numbers == [str(number) for number in reversed(range(40))]
    lost = re.findall(r'href="/events/1/matches/(\d+)"', page(client, "/events/1/matches?lost_by=1"))
    assert 0 < len(lost) < 40
    assert len(lost) == len(store.matches(1, MatchFilter(contestant=1, standing=Standing.LOST), most=100))
    assert "2/3 (record not kept)" in page(client, "/events/2/matches?fault=true")
    with Store.open(tmp_path / "many.db") as many:
        made = event(many)
        many.add_results(made.id, [result(number) for number in range(120)])
        with ArenaClient(many) as own:
            seen, path = [], f"/events/{made.id}/matches"
            while path:
                text = page(own, path)
                seen += re.findall(r">\d+/(\d+) \(record", text)
                found = re.search(r'href="([^"]+)">Older matches', text)
                path = unescape(found[1]) if found else ""
    assert seen == [str(number) for number in reversed(range(120))]


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("/events/99", "There is no event 99 in the store"),
        ("/events/99/live", "There is no event 99 in the store"),
        ("/events/99/matches", "There is no event 99 in the store"),
        ("/events/1/matches/999", "Event 1 has no match 999 in the store"),
        ("/events/1/matches?lost_by=7", "Event 1 has no contestant 7"),
        ("/events/2/matches/0", "The record of match 2/0 was not kept"),
        ("/events/2/matches/0/record.json", "The record of match 2/0 was not kept"),
        ("/events/x", "There is no such page."),
        ("/events/-1", "There is no such page."),
        ("/events/99999999999999999999", "There is no such page."),
        ("/?before=x", "There is no such page."),
        ("/nothing", "There is no such page."),
        ("/static/site/frontend/static/../app.py", "There is no such page."),
    ],
)
def test_what_is_not_there_is_told_in_a_line(client: ArenaClient, path: str, told: str) -> None:
    answer = client.get(path)
    assert answer.status_code == 404
    assert told in answer.text


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
def test_nothing_can_be_written(client: ArenaClient, method: str) -> None:
    for path in ("/", "/live", "/events/1", "/events/1/matches", "/events/1/matches/0"):
        assert client.request(method, path).status_code == 403, "no page sends it"
        same_site = client.request(method, path, headers={"Origin": HERE})
        assert (same_site.status_code, "can only be read" in same_site.text) == (405, True)


def test_other_host_names_are_refused(client: ArenaClient) -> None:
    for host in ("evil.example", "127.0.0.1.evil.example", "127.0.0.1:8481@evil.example"):
        answer = client.get("/", headers={"Host": host})
        assert (answer.status_code, "only as 127.0.0.1" in answer.text) == (403, True)
    assert client.get("/", headers={"Host": "localhost:9"}).status_code == 200


def test_hosts_of_other_addresses() -> None:
    assert all(hosts_of(host, "box") is LOCAL for host in ("127.0.0.1", "::1", "localhost", "127.0.0.2"))
    accepted = hosts_of("0.0.0.0", "Box.local")
    for name in ("192.168.1.7:8481", "[fe80::1]:8481", "box.local", "localhost:1"):
        assert accepted.fullmatch(name), name
    for name in ("evil.example", "box.local.evil.example", "boxxlocal", ""):
        assert not accepted.fullmatch(name), name


def test_a_running_event_is_followed(tmp_path: Path) -> None:
    with Store.open(tmp_path / "arena.db") as store:
        made = event(store)
        worker = worker_name()
        with ArenaClient(store) as client:
            assert "Nothing has been played yet." in page(client, f"/events/{made.id}")
            claimed = store.claim_next(made.id, 20, worker, 60.0)
            assert "1 running" in page(client, "/")
            store.add_results(made.id, [played(number) for number in claimed])
            text = page(client, f"/events/{made.id}")
            assert "20 matches" in text
            assert "Elo as the pairs came" in text
            assert "running</span>" not in text, "all that it had claimed was played"
            store.claim_next(made.id, 1, worker, 60.0)
            assert "running</span> (process" in page(client, f"/events/{made.id}")
            store.release(made.id, None, worker)
            store.plan_event(made.id, {"sprt": {"elo0": 0.0, "elo1": 40.0, "alpha": 0.05, "beta": 0.05} | LOGISTIC})
            assert "The test as the pairs came" in page(client, f"/events/{made.id}")
            store.finish(made.id, "new is better", 8)
            assert "16 matches" in page(client, f"/events/{made.id}"), "as many as the verdict counts"
            store.delete_event(made.id)
            assert "There is no event" in page(client, f"/events/{made.id}", 404)
            assert "No events yet" in page(client, "/")


LOGISTIC = {"model": "logistic"}


def test_large_events_are_read_in_the_background(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "_SOON_S", 0.0)
    monkeypatch.setattr(contents, "_PORTION", 10)
    held = SimpleNamespace(go=False)
    read: list[int] = []
    advance = MatchFold.advance

    def slowly(fold: MatchFold, store: Store, event_id: int) -> bool:
        while len(read) >= 2 and not held.go:
            time.sleep(0.01)
        before = fold.read
        read.append(0)
        is_complete = advance(fold, store, event_id)
        read[-1] = fold.read - before
        return is_complete

    monkeypatch.setattr(MatchFold, "advance", slowly)
    with Store.open(tmp_path / "arena.db") as store:
        made = event(store)
        store.add_results(made.id, [played(number) for number in range(100)])
        with ArenaClient(store) as client:
            text = page(client, f"/events/{made.id}")
            assert re.search(r"Reading the matches: [12]0 % of 100\.", text)
            assert "Who against whom" in text, "sums are there at once"
            held.go = True
            for _ in range(500):
                text = page(client, f"/events/{made.id}")
                if "Reading" not in text:
                    break
                time.sleep(0.02)
            assert "Elo as the pairs came" in text
            assert sum(read) == 100, "each match once"
            assert max(read) == 10, "a portion at a time"
            store.add_results(made.id, [played(number) for number in range(100, 104)])
            assert "104 matches" in page(client, f"/events/{made.id}")
            assert sum(read) == 104, "only the new ones"
