"""Events are begun, found again and finished."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from lapilli.core.errors import StoreError, UnknownName
from lapilli.players import PlayerSpec, Sandbox
from lapilli.store import EventKind, Store
from lapilli.store.results import Contestant
from store.made import contestants, event, result


def test_an_event_is_read_back(store: Store) -> None:
    bot = PlayerSpec(command=["python3", "bot.py"], folder="v2", sandbox=Sandbox.REQUIRE, writable=("data",))
    who = [Contestant(name="new ✓", player=bot, hash="sha256:1", version="2"), Contestant(name="old", player="greedy")]
    settings = {"setup": {"league": "wood", "players": 2}, "games": None, "elo": [0, 1.5]}
    made = store.open_event(EventKind.TOURNAMENT, "summer", "tictactoe", settings, who)
    assert (made.kind, made.name, made.game, made.settings) == ("tournament", "summer", "tictactoe", settings)
    assert made.contestants == tuple(who)
    assert (made.finished, made.verdict, made.played, made.abandoned) == (None, "", 0, 0)
    assert store.event(made.id) == made
    store.finish(made.id, "new is better")
    over = store.event(made.id)
    assert over.verdict == "new is better"
    assert over.finished is not None
    assert over.finished >= made.created > 1.6e9


def test_the_same_question_is_resumed(store: Store) -> None:
    first = event(store, games=40)
    store.add_results(first.id, [result(0)])
    assert event(store, games=40).id == first.id
    assert event(store, games=40).played == 1
    assert event(store, games=41).id != first.id
    afresh = store.open_event(
        EventKind.COMPARISON, "new against old", "tictactoe", {"games": 40}, contestants(2), resume=False
    )
    assert (afresh.id != first.id, afresh.key == first.key, afresh.played) == (True, True, 0)
    assert event(store, games=40).id == afresh.id, "the latest is gone on with"


def test_two_who_begin_the_same_begin_one(where: str) -> None:
    with Store.open(where) as one, Store.open(where) as other, ThreadPoolExecutor(8) as pool:
        begun = [pool.submit(event, store, games=number) for number in range(10) for store in (one, other) * 2]
        found = [future.result() for future in begun]
        for number in range(10):
            assert len({each.id for each in found if each.settings == {"games": number}}) == 1
        assert len(one.events()) == 10


def test_events_are_listed(store: Store) -> None:
    ids = [event(store, games=number).id for number in range(3)]
    league = store.open_league("spring", "tictactoe", {})
    other = store.open_event(EventKind.COMPARISON, "else", "connect4", {}, contestants(3))
    assert [each.id for each in store.events()] == [other.id, league.id, *reversed(ids)]
    assert [each.id for each in store.events(kind=EventKind.LEAGUE)] == [league.id]
    assert [each.id for each in store.events(game="connect4")] == [other.id]
    assert [each.id for each in store.events(name="new against old", most=2)] == [ids[2], ids[1]]
    assert store.events(most=1)[0].contestants == tuple(contestants(3))


def test_events_by_name(store: Store) -> None:
    store.open_league("spring", "tictactoe", {})
    autumn = store.open_league("autumn", "tictactoe", {"best": 3})
    assert store.event_named(EventKind.LEAGUE, "autumn") == autumn
    with pytest.raises(UnknownName, match=r"no league 'autum' \(did you mean 'autumn'\?\); available: autumn, spring"):
        store.event_named(EventKind.LEAGUE, "autum")
    with pytest.raises(UnknownName, match=r"no tournament 'autumn'; none are available"):
        store.event_named(EventKind.TOURNAMENT, "autumn")


def test_a_league_keeps_to_its_game(store: Store) -> None:
    first = store.open_league("spring", "tictactoe", {"best": 3})
    assert store.open_league("spring", "tictactoe", {}) == first
    with pytest.raises(StoreError, match=r"^league 'spring' plays tictactoe, not connect4$"):
        store.open_league("spring", "connect4", {})


def test_secrets_of_bots_are_not_kept(store: Store) -> None:
    """But in leagues, which start their players from here."""
    bot = Contestant(name="bot", player=PlayerSpec(command="./bot", environment={"TOKEN": "x"}))
    made = store.open_event(EventKind.COMPARISON, "a", "tictactoe", {}, [bot])
    assert made.contestants[0].player == PlayerSpec(command="./bot")


def test_names_that_no_database_takes(store: Store) -> None:
    """Of files whose names are not UTF-8, as Python gives them on the command line."""
    bot = Contestant(name="b\udcff", player=PlayerSpec(command=["./b\udcff"]))
    made = store.open_event(EventKind.COMPARISON, "a", "tictactoe", {}, [bot])
    assert made.contestants[0] == Contestant(name="b\ufffd", player=PlayerSpec(command=["./b\udcff"]))


@pytest.mark.parametrize("act", ["event", "finish", "add_results", "claim", "claim_next", "renew", "release", "enter"])
def test_events_that_are_not_there(store: Store, act: str) -> None:
    more: dict[str, tuple[object, ...]] = {
        "finish": ("",),
        "add_results": ([result(0)],),
        "claim": ([0], "w", 1.0),
        "claim_next": (1, "w", 1.0),
        "renew": ([0], "w", 1.0),
        "release": ([0], "w"),
        "enter": (contestants(1)[0], None),
    }
    with pytest.raises(StoreError, match=r"^there is no event 7 in the store$"):
        getattr(store, act)(7, *more.get(act, ()))
