"""Accounts, sessions, invitations and failed attempts, in both kinds of stores."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

from lapilli.store import Delays, Store

DAY = 86_400.0


def add(store: Store, name: str, role: str = "member") -> str:
    assert store.site.people.add(f"id of {name}", name, name.lower(), "hash", role)
    return f"id of {name}"


def test_a_name_is_had_once(store: Store) -> None:
    people = store.site.people
    ada = add(store, "Ada")
    assert not people.add("another", "ADA", "ada", "hash", "member")
    grace = add(store, "Grace")
    assert not people.rename(grace, "aDa", "ada")
    assert people.rename(ada, "ADA", "ada"), "one's own may be written otherwise"
    assert people.rename(grace, "Eve", "eve")
    assert [account.name for account in people.listed()] == ["ADA", "Eve"]
    assert [account.id for account in people.listed("e")] == [grace]
    assert people.listed("%") == []
    assert people.named("eve") == people.get(grace)
    assert people.named("grace") is None
    assert (people.count(), people.count("owner")) == (2, 0)


def test_sessions_end(store: Store) -> None:
    people = store.site.people
    ada, grace = add(store, "Ada"), add(store, "Grace")
    for number in range(5):
        people.start(f"ada {number}", ada, "hash", DAY, most=3)
    people.start("grace", grace, "hash", DAY, most=3)
    assert sorted(session.key for session in people.sessions(ada)) == ["ada 2", "ada 3", "ada 4"]
    found = people.session("ada 3", time.time())
    assert found is not None
    assert found.account == people.get(ada)
    assert people.session("ada 3", time.time() + DAY + 60) is None, "it has expired"
    people.seen(found, found.seen + 500, 2 * DAY)
    assert people.session("ada 3", time.time() + 1.5 * DAY) is None, "too soon to be written down"
    people.seen(found, found.seen + 700, 2 * DAY)
    assert people.session("ada 3", time.time() + 1.5 * DAY) is not None
    people.end("ada 3")
    assert people.session("ada 3", time.time()) is None
    assert sorted(people.end_all(ada)) == ["ada 2", "ada 4"]
    assert people.sessions(ada) == []
    assert people.start("ada again", ada, "hash", DAY, most=3)
    assert people.set_password(ada, "other hash") == ["ada again"]
    assert people.session("ada again", time.time()) is None, "who knew the old one is out"
    assert not people.start("late", ada, "hash", DAY, most=3), "who began to sign in before does not get in after"
    assert people.session("late", time.time()) is None
    people.rehash(ada, "hash", "older hash")
    assert people.start("new", ada, "other hash", DAY, most=3), "nor is the old password put back"
    assert people.remove(grace)
    assert people.session("grace", time.time()) is None
    assert people.get(grace) is None


def test_there_is_always_an_owner(store: Store) -> None:
    people = store.site.people
    ada, grace = add(store, "Ada", "owner"), add(store, "Grace", "owner")
    with ThreadPoolExecutor(2) as both:  # each leaves, and thinks that the other one stays
        left = list(both.map(people.remove, (ada, grace)))
    assert sorted(left) == [False, True]
    last = people.listed()[0]
    assert not people.remove(last.id)
    assert not people.appoint(last.id, "member")
    eve = add(store, "Eve")
    assert people.appoint(eve, "owner")
    assert people.appoint(last.id, "member")
    assert people.remove(last.id)


def test_a_name_that_many_choose_at_once_is_one_persons(store: Store) -> None:
    ids = [add(store, f"p{number}") for number in range(8)]
    with ThreadPoolExecutor(8) as many:
        renamed = many.map(lambda account_id: store.site.people.rename(account_id, "Wanted", "wanted"), ids)
        assert sum(renamed) == 1


def test_an_invitation_is_taken_up_once(store: Store) -> None:
    people = store.site.people
    ada = add(store, "Ada", "owner")
    people.invite("key", "member", DAY, made_by=ada)
    assert people.join("key", "id", "ada", "ada", "hash") == "taken"
    assert people.invitation("key") is not None, "it still holds: another name will do"

    def join(number: int) -> str:
        return people.join("key", f"id {number}", f"n{number}", f"n{number}", "hash")

    with ThreadPoolExecutor(4) as many:
        assert sorted(many.map(join, range(4))) == ["", "gone", "gone", "gone"]
    assert people.count() == 2
    people.invite("late", "owner", -1, made_by=ada)
    assert people.join("late", "id", "late", "late", "hash") == "gone"
    assert people.join("", "id", "late", "late", "hash") == "gone"
    people.invite("reset", "member", DAY, account_id=ada, made_by=ada)
    assert people.join("reset", "id", "x", "x", "hash") == "gone", "that one is for a password"
    people.invite("again", "member", DAY, account_id=ada, made_by=ada)
    assert people.set_password(ada, "new", "reset") is None
    assert people.set_password(ada, "new", "again") == []
    assert people.set_password(ada, "newer", "again") is None
    people.invite("first", "owner", DAY)
    people.invite("second", "owner", DAY)
    assert people.invitation("first") is None
    assert people.open_invitations() == 1
    people.withdraw()
    assert people.join("second", "id", "x", "x", "hash") == "gone"


def test_after_failures_one_waits_longer_and_longer(store: Store) -> None:
    attempts = store.site.attempts
    delays = Delays(free=2, first=100, longest=350)
    assert [delays.after(failures) for failures in range(7)] == [0, 0, 0, 100, 200, 350, 350]
    assert delays.after(10**6) == 350
    keys = {"name ada": delays, "address": Delays(20, 1, 10)}
    with ThreadPoolExecutor(4) as many:  # all at once: they are counted before the first is answered
        waits = list(many.map(lambda _: attempts.begin(keys), range(8)))
    assert sorted(waits)[:4] == [0, 0, 0, sorted(waits)[3]]
    assert all(90 < wait <= 100 for wait in sorted(waits)[3:])
    assert attempts.begin({"name eve": delays, "address": Delays(20, 1, 10)}) == 0
    attempts.succeeded("name ada", "address")
    assert [attempts.begin(keys) for _ in range(3)] == [0, 0, 0]
    assert attempts.begin(keys) > 90


def test_tables_of_somebody_are_found_and_told_otherwise(store: Store) -> None:
    for name, holder in (("a", "@x_1"), ("b", "@xy1"), ("c", "@x_1"), ("d", "")):
        store.site.matches.add(name, "game", {"seats": [{"holder": holder, "name": "Ada"}]})
    people = store.site.people
    assert [table.id for table in people.tables_of("@x_1")] == ["a", "c"]
    assert [table.id for table in people.tables_of("@x_1", after="a")] == ["c"]
    changed = store.site.matches.get("a")
    assert changed is not None
    people.rewrite("a", {"seats": []}, None)
    assert [table.id for table in people.tables_of("@x_1", most=1)] == ["c"]
    again = store.site.matches.get("a")
    assert again is not None
    assert (again.changed, again.plan) == (changed.changed, {"seats": []})
