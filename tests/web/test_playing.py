"""Matches at tables of the site, played over its sockets: what is stored are real records."""

from __future__ import annotations

import json
import random
import signal
import time

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect
from websockets.typing import Origin

from lapilli.core.api import Termination
from lapilli.games import load, names
from lapilli.match import verify
from lapilli.store import Store
from web.client import Site, Visitor

LARGEST_HELLO = 20_000
"""Bytes of the message with which a page begins: everything that it knows of the table."""
LONG = 100
"""Referee turns; a match that lasts longer is given up, to save time."""


def simultaneous() -> str:
    """A game in which all act at once."""
    return next(name for name in names() if len(load(name).new_initial_state(seed=1).asked()) > 1)


def in_turn() -> str:
    """One in which they do so in turn, and which has searches."""
    games = [load(name) for name in names()]
    return next(one.name for one in games if len(one.new_initial_state(seed=1).asked()) == 1 and one.searches)


@pytest.mark.parametrize("game", names())
def test_a_match_is_played_to_its_end_and_its_record_verifies(site: Site, game: str) -> None:
    chance = random.Random(7)
    with Visitor(site) as ada:
        table = ada.lay(game)
        with ada.live(table) as live:
            assert live.hello_bytes < LARGEST_HELLO
            while live.wait_for_turn():
                if live.now["turn"] < LONG:
                    live.play_turn(chance, most=2)
                else:
                    live.say("resign")
                    live.until(lambda: live.now["outcome"])
            outcome = live.now["outcome"]
            assert live.log
            with ada.live(table) as later:
                assert later.log == live.log
                assert later.hello_bytes < LARGEST_HELLO
        record = ada.record(table)
        match = table.replace("/t/", "/m/")
        assert 'linked seat="0"' in ada.http.get(match).text
        with Visitor(site) as eve:
            assert "linked aria-busy" in eve.http.get(match).text, "others begin at the start"
        assert "Ada" in ada.http.get("/").text
    assert verify(record) is not None
    assert record.outcome is not None
    assert (record.outcome.reason, record.outcome.ranks) == (outcome["reason"], outcome["ranks"])
    assert (record.outcome.culprit is None) == (not record.outcome.early)
    assert record.outcome.early == (record.turns[-1].turn >= LONG - 1)
    assert [player.name for player in record.players][:2] == ["Ada", "Random"]


def test_as_many_as_the_game_is_for_can_play(site: Site) -> None:
    game = max(map(load, names()), key=lambda game: max(game.players))
    most = max(game.players)
    with Visitor(site) as ada:
        table = ada.lay(game.name, **{f"opponent{number}": "random" for number in range(1, most)}, seat=str(most))
        with ada.live(table) as live:
            assert live.hello["seat"] == most - 1
            for _ in range(2):
                assert live.wait_for_turn()
                live.play_turn(random.Random(1))
            live.say("resign")
        answer = ada.http.post("/play", data={"game": game.name, "opponent1": "random", "seat": str(most + 1)})
        assert answer.status_code == 400


def test_what_is_chosen_at_once_stays_hidden_until_all_have_committed(site: Site) -> None:
    with Visitor(site) as ada, Visitor(site) as grace, Visitor(site) as watcher:
        table = ada.lay(simultaneous(), opponent1="person")
        with ada.live(table) as first, watcher.live(table) as watching:
            assert first.now["open"] == [1]
            assert "draft" not in first.now, "nobody plays before all sit"
            assert watching.now["links"] == {}
            grace.sit(f"{table}/seat/{first.now['links']['1']}")
            with grace.live(table) as second:
                first.until(lambda: first.now.get("draft"))
                watching.until(lambda: watching.hello["look"]["players"][1]["name"] == "Grace")
                watching.until(lambda: watching.now["asked"] == [0, 1])
                end, least, *_ = sorted(first.draft["choices"])  # a greater action may put its own player out
                first.say_of_turn("pick", action=least[0])
                assert first.draft["labels"]
                first.say_of_turn("pick", action=end[0])
                first.until(lambda: first.now["answered"] == [0])
                second.until(lambda: second.now["answered"] == [0])
                watching.until(lambda: watching.now["answered"] == [0])
                for live in (second, watching):
                    assert live.frames == []
                    assert live.log == []
                    assert "draft" not in live.now or live.draft["labels"] == []
                second.say_of_turn("pick", action=min(second.draft["choices"])[0])
                for live in (first, second, watching):
                    while live.now["turn"] < 2:
                        live.hear()
                    assert live.frames == first.frames != []
                    assert [line[1] for line in live.log] == [0, 1]
                second.say("resign")
                first.until(lambda: first.now["outcome"])
                assert first.now["outcome"]["words"] == "You win: Grace resigned"
        record = ada.record(table)
    assert verify(record) is not None
    assert record.outcome is not None
    assert (record.outcome.culprit, record.outcome.termination) == (1, Termination.RESIGNED)


WRONG = (
    "",
    "{",
    "[]",
    '"pick"',
    "9" * 900,
    '{"do": "pick"}',
    '{"do": "pick", "turn": 1, "action": "0"}',
    '{"do": "pick", "turn": 1, "action": 1e300}',
    '{"do": "pick", "turn": 1, "action": -1}',
    '{"do": "pick", "turn": 1, "action": 99999999999999999999}',
    '{"do": "pick", "turn": 9, "action": 0}',
    '{"do": "commit", "turn": 1}',
    '{"do": "undo", "turn": 1}',
    '{"do": "take-back"}',
    '{"do": "rematch"}',
    '{"do": "become", "turn": 1}',
    '{"do": "pick", "turn": 1, "action": 0, "player": 1}',
)


def test_what_is_not_allowed_changes_nothing(site: Site) -> None:
    game = in_turn()
    state = load(game).new_initial_state(seed=1)
    illegal = next(action for action in range(10**6) if not state.accepts(action))
    with Visitor(site) as ada, Visitor(site) as watcher:
        table = ada.lay(game)
        with ada.live(table) as live, watcher.live(table) as watching:
            assert live.wait_for_turn()
            before = live.draft
            for number, text in enumerate([*WRONG, json.dumps({"do": "pick", "turn": 1, "action": illegal})], start=1):
                live.socket.send(text)
                while len(live.refusals) < number:
                    live.hear()
            for what in ({"do": "pick", "turn": 1, "action": before["choices"][0][0]}, {"do": "resign"}):
                watching.socket.send(json.dumps(what))
            watching.until(lambda: len(watching.refusals) == 2)
            assert (live.frames, live.log, watching.frames) == ([], [], [])
            with ada.live(table) as again:
                assert again.draft == before
            live.socket.send("x" * 5000)
            with pytest.raises(ConnectionClosed):
                live.until(lambda: False)


def test_sockets_of_other_sites_and_missing_tables_are_closed(site: Site) -> None:
    with Visitor(site) as ada:
        table = ada.lay(in_turn())
    url = f"{site.url.replace('http', 'ws')}{table}/live"
    for origin in (Origin("http://evil.example"), None, Origin(f"http://127.0.0.1:{site.port + 1}")):
        with pytest.raises(InvalidStatus), connect(url, origin=origin, proxy=None):
            pass
    with (
        connect(url.replace("/live", "x/live"), origin=Origin(site.url), proxy=None) as missing,
        pytest.raises(ConnectionClosed) as closed,
    ):
        missing.recv(timeout=20)
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 4404


def test_help_against_engines(site: Site) -> None:
    with Visitor(site) as ada:
        table = ada.lay(in_turn(), opponent1="level1")
        with ada.live(table) as live:
            assert live.wait_for_turn()
            live.say("hint", turn=live.now["turn"])
            live.until(lambda: live.hinting)
            with ada.live(table) as reloaded:
                reloaded.say("hint", turn=live.now["turn"])
                reloaded.until(lambda: reloaded.hints or reloaded.refusals)
                assert reloaded.refusals == [], "the page may have been loaded again"
            live.until(lambda: live.hints or live.refusals)
            assert live.hints[0]["steps"][0]["label"] in [label for _, _, label in live.draft["choices"]]
            first = live.draft["choices"]
            live.play_turn(random.Random(2))
            live.until(lambda: live.frames and live.now.get("draft"))
            live.say("take-back")
            live.until(lambda: live.now.get("draft", {}).get("choices") == first)
            live.until(lambda: live.log == [])
            live.play_turn(random.Random(3))
            assert live.wait_for_turn()
            live.say("resign")
            live.until(lambda: live.now["outcome"])
            live.say("rematch")
            live.until(lambda: live.now["rematch"])
            again = f"/t/{live.now['rematch']}"
        assert verify(ada.record(table)) is not None
        with ada.live(again) as live:
            assert live.hello["seat"] == 1, "seats are exchanged"
            assert live.wait_for_turn()


def test_nothing_is_lost_when_the_server_is_killed(own_site: Site) -> None:
    """Outright, between any two turns and in the midst of one: it goes on at the same turn, with the same clocks."""
    chance = random.Random(5)
    with Visitor(own_site) as ada:
        table = ada.lay(in_turn(), time="10+5")
        for _ in range(3):
            with ada.live(table) as live:
                for _ in range(2):
                    assert live.wait_for_turn()
                    live.play_turn(chance)
                live.wait_for_turn()
                log, turn, choices = live.log, live.now["turn"], live.draft["choices"]
                left = live.now["clocks"][0]
                own_site.stop(signal.SIGKILL)
            own_site.start()
            with ada.live(table) as live:
                assert live.wait_for_turn()
                assert (live.log[: len(log)], live.now["turn"]) == (log, turn)
                assert live.draft["choices"] == choices
                assert abs(live.now["clocks"][0] - left) < 20_000
        with ada.live(table) as live:
            live.say("resign")
            live.until(lambda: live.now["outcome"])
        record = ada.record(table)
    assert verify(record) is not None
    assert len([entry for entry in record.turns if entry.player == 0]) == 6
    code, errors = own_site.stop()
    assert (code, errors) == (0, "")


def test_half_a_turn_is_kept_too(own_site: Site) -> None:
    with Visitor(own_site) as ada, Visitor(own_site) as grace:
        table = ada.lay(simultaneous(), opponent1="person")
        with ada.live(table) as first:
            grace.sit(f"{table}/seat/{first.now['links']['1']}")
            first.until(lambda: first.now.get("draft"))
            first.say_of_turn("pick", action=min(first.draft["choices"])[0])
            first.until(lambda: first.now["answered"] == [0])
        own_site.stop(signal.SIGKILL)
        own_site.start()
        with grace.live(table) as second:
            assert second.now["answered"] == [0]
            second.say_of_turn("pick", action=min(second.draft["choices"])[0])
            second.until(lambda: second.now["turn"] == 2)


def test_a_clock_that_falls_is_a_timeout(own_site: Site) -> None:
    """What that means is the game's affair."""
    with Visitor(own_site) as ada:
        table = ada.lay(in_turn(), time="3+2")
        own_site.stop()
        with Store.open(own_site.store) as store:  # as if nearly all had been thought away
            stored = store.site.matches.get(table.removeprefix("/t/"))
            assert stored is not None
            store.site.matches.amend(stored.id, lambda plan: plan.update(control={"seconds": 2, "increment": 0}))
        own_site.start()
        with ada.live(table) as live:
            start = time.monotonic()
            live.until(lambda: live.now["outcome"])
            assert time.monotonic() - start > 1
        record = ada.record(table)
    fault = next(entry.fault for entry in record.turns if entry.player == 0)
    assert fault is not None
    assert fault.termination == Termination.TIMEOUT
    assert verify(record) is not None
