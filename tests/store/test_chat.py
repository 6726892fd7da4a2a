"""What people write at tables, in both kinds of stores: in order, not too fast, and not for ever."""

from __future__ import annotations

import pytest
from sqlalchemy import Connection, update

from lapilli.core.errors import LapilliError
from lapilli.store import Store
from lapilli.store.site.play.chat import KEPT_DAYS, REPORTED_DAYS, site_chat
from store.rated import DAY, lay


def age(store: Store, holder: str, days: float) -> None:
    """Makes all lines of a writer older."""

    def change(connection: Connection) -> None:
        older = update(site_chat).where(site_chat.c.holder == holder).values(at=site_chat.c.at - days * DAY)
        connection.execute(older)

    store.site.chat._database.write(change)


def test_lines_are_read_in_order_and_go_with_their_table(store: Store) -> None:
    chat = store.site.chat
    for table in ("1", "2"):
        lay(store, table, "@ada", "@grace")
    for holder, table, text in (("@ada", "1", "Hello!"), ("@grace", "1", "Hi"), ("@ada", "2", "elsewhere")):
        chat.add(table, "players", holder, holder[1:].title(), text)
    first, second = chat.listed("1")
    assert (first.name, first.text, second.name, second.text) == ("Ada", "Hello!", "Grace", "Hi")
    assert chat.listed("1", first.id) == [second]
    with pytest.raises(LapilliError, match="no such table"):
        chat.add("3", "players", "@ada", "Ada", "Anybody?")
    store.site.matches.remove("1", lambda plan: None)
    assert chat.listed("1") == []
    assert len(chat.listed("2")) == 1


def test_who_writes_too_fast_has_to_wait_at_all_tables_together(store: Store) -> None:
    chat = store.site.chat
    for table in ("1", "2"):
        lay(store, table, "@ada", "@grace")
    for number in range(5):
        chat.add("12"[number % 2], "players", "@ada", "Ada", f"line {number}")
    with pytest.raises(LapilliError, match="wait a few seconds"):
        chat.add("1", "players", "@ada", "Ada", "and one more")
    chat.add("1", "players", "@grace", "Grace", "I have time")
    age(store, "@ada", 20 / DAY)
    chat.add("1", "players", "@ada", "Ada", "and one more")


def test_a_reported_line_is_read_with_those_before_it_and_settled_once(store: Store) -> None:
    chat = store.site.chat
    lay(store, "1", "@ada", "@grace")
    for holder, room, text in (
        ("@ada", "players", "Hello!"),
        ("@eve", "watchers", "psst"),
        ("@grace", "players", "You lose"),
    ):
        chat.add("1", room, holder, holder[1:], text)
    hello, whisper, rude = chat.listed("1")
    assert not chat.report("1", rude.id, "@grace"), "nobody reports what they wrote"
    assert not chat.report("2", rude.id, "@ada"), "another table"
    assert chat.report("1", rude.id, "@ada")
    assert chat.report("1", rude.id, "@eve"), "a second report changes nothing"
    [reported] = chat.reported()
    assert (reported.line, reported.before, reported.table_id) == (rude, [hello], "1")
    assert chat.settle(rude.id, remove=False)
    assert chat.reported() == []
    assert not chat.settle(rude.id, remove=True), "it is settled"
    assert chat.report("1", whisper.id, "@ada")
    assert chat.settle(whisper.id, remove=True)
    assert chat.listed("1") == [hello, rude]


def test_lines_are_deleted_after_some_time_and_reported_ones_later(store: Store) -> None:
    chat = store.site.chat
    lay(store, "1", "@ada", "@grace")
    chat.add("1", "players", "@ada", "Ada", "old")
    chat.add("1", "players", "@grace", "Grace", "reported")
    chat.report("1", chat.listed("1")[1].id, "@ada")
    for holder in ("@ada", "@grace"):
        age(store, holder, KEPT_DAYS + 1)
    chat.add("1", "players", "@kay", "Kay", "new")
    assert [line.text for line in chat.listed("1")] == ["reported", "new"]
    age(store, "@grace", REPORTED_DAYS)
    chat.add("1", "players", "@kay", "Kay", "newer")
    assert [line.text for line in chat.listed("1")] == ["new", "newer"]


def test_a_writer_is_renamed_and_forgotten(store: Store) -> None:
    chat = store.site.chat
    lay(store, "1", "@ada", "@grace")
    chat.add("1", "players", "@ada", "Ada", "Hello!")
    chat.add("1", "players", "@grace", "Grace", "Hi")
    chat.rename("@ada", "Countess")
    assert [line.name for line in chat.listed("1")] == ["Countess", "Grace"]
    chat.report("1", chat.listed("1")[1].id, "@ada")
    chat.forget("@ada")
    assert [line.text for line in chat.listed("1")] == ["Hi"]
    assert len(chat.reported()) == 1, "what somebody reported stays reported"


def test_a_line_after_a_deleted_one_is_new_to_those_who_have_read_the_deleted_one(store: Store) -> None:
    chat = store.site.chat
    lay(store, "1", "@ada", "@grace")
    chat.add("1", "players", "@ada", "Ada", "Hello!")
    chat.add("1", "players", "@grace", "Grace", "You lose")
    *_, rude = chat.listed("1")
    chat.report("1", rude.id, "@ada")
    assert chat.settle(rude.id, remove=True) == rude
    chat.add("1", "players", "@ada", "Ada", "Hm")
    assert [line.text for line in chat.listed("1", rude.id)] == ["Hm"]
    *_, last = chat.listed("1")
    chat.forget("@ada")
    chat.add("1", "players", "@grace", "Grace", "Anybody?")
    assert [line.text for line in chat.listed("1", last.id)] == ["Anybody?"]
