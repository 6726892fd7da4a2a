"""Results are data: they survive being sent and written down, and records their packing."""

from __future__ import annotations

import gzip
import pickle

import msgspec
import pytest

import lapilli
from lapilli.core.errors import RecordError
from lapilli.players import PlayerSpec
from lapilli.store.results import Contestant, MatchTask, event_key, pack_record, unpack_record
from store.made import abandoned, result

TASK = MatchTask(number=3, pair=1, seed=-(2**63), seats=(1, 0), position="X.. ... ...")
BOT = Contestant(name="v2", player=PlayerSpec(command=("python3", "bot.py"), folder="bots/v2"), hash="sha256:1")


@pytest.mark.parametrize("data", [TASK, BOT, result(5, (2, 0, 1), record=b"\x00\xff"), abandoned(7)])
def test_survives_being_sent_and_written_down(data: object) -> None:
    assert pickle.loads(pickle.dumps(data)) == data
    text = msgspec.json.encode(data)
    assert msgspec.json.encode(msgspec.json.decode(text, type=type(data))) == text


def test_which_matches_count() -> None:
    assert abandoned(0).abandoned
    assert not result(0).abandoned


def test_text_that_no_database_takes_is_replaced() -> None:
    assert Contestant(name="a\ud800\0", player="greedy").name == "a\ufffd\ufffd"
    told = msgspec.structs.replace(result(0), reason="\0" + "x" * 1000).reason
    assert (told[0], len(told)) == ("\ufffd", 500)


def test_the_key_follows_what_is_asked_and_who_is() -> None:
    """By what they are, not by their names."""
    other = Contestant(name="v1", player="python3 old.py", hash="sha256:0")
    key = event_key("comparison", "tictactoe", {"games": 40, "clock": 1.0}, [BOT, other])
    renamed = msgspec.structs.replace(BOT, name="new")
    assert key == event_key("comparison", "tictactoe", {"clock": 1.0, "games": 40}, [renamed, other])
    changed = msgspec.structs.replace(BOT, hash="sha256:2")
    keys = {
        key,
        event_key("tournament", "tictactoe", {"games": 40, "clock": 1.0}, [BOT, other]),
        event_key("comparison", "connect4", {"games": 40, "clock": 1.0}, [BOT, other]),
        event_key("comparison", "tictactoe", {"games": 41, "clock": 1.0}, [BOT, other]),
        event_key("comparison", "tictactoe", {"games": 40, "clock": 1.0}, [changed, other]),
        event_key("comparison", "tictactoe", {"games": 40, "clock": 1.0}, [other, BOT]),
        event_key("comparison", "tictactoe", {"games": 40, "clock": 1.0}, [BOT, other, other]),
    }
    assert len(keys) == 7


def test_what_has_no_hash_is_told_apart_by_what_is_started() -> None:
    who = [Contestant(name="bot", player=player) for player in ("greedy", "random", PlayerSpec(command="greedy"))]
    assert len({event_key("comparison", "tictactoe", {}, [one]) for one in who}) == 3


def test_records_are_packed() -> None:
    record = lapilli.play_match("tictactoe", ["random", "random"], seed=7)
    packed = pack_record(record)
    assert len(packed) < len(record.to_json())
    assert packed == pack_record(record)
    assert unpack_record(packed) == record


@pytest.mark.parametrize("cut", [0, 5, 20, -9, -1])
def test_damaged_records_are_refused(cut: int) -> None:
    packed = pack_record(lapilli.play_match("tictactoe", ["random", "random"], seed=7))
    with pytest.raises(RecordError, match=r"^match 7: (damaged gzip data|not a record)"):
        unpack_record(packed[:cut], "match 7")
    with pytest.raises(RecordError, match="damaged gzip data"):
        unpack_record(b"hello" + packed)


def test_a_record_that_unpacks_without_end_is_refused() -> None:
    bomb = gzip.compress(bytes(65 << 20), 9)
    assert len(bomb) < 100_000
    with pytest.raises(RecordError, match="longer than 64 MiB"):
        unpack_record(bomb)
