"""Bot text: what is sent, and what every kind of reply does."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.kingdomino import walks
from lapilli.core.api import Fault, Termination, TurnReport
from lapilli.core.errors import SetupError
from lapilli.games.kingdomino import GAME
from lapilli.games.kingdomino.rules import verbs as rules
from lapilli.games.kingdomino.state.state import KingdominoState

PROTOCOL = GAME.protocol


def answer(state: KingdominoState, reply: str | Fault) -> TurnReport:
    return PROTOCOL.play_turn(state, {state.current_player(): reply})


def first_free(state: KingdominoState) -> int:
    return next((tile for tile, taker in state.row_to_pick() if taker == rules.NOBODY), 0)


def second_round(**keys: Any) -> KingdominoState:
    """The first turn of the second round: everybody took the lowest free tile."""
    state = walks.start(**({"seed": 5} | keys))
    while state.record["this_round"] == 1:
        answer(state, f"PUT 0 0 0\nPICK {first_free(state)}")
    return state


def full_turn(state: KingdominoState) -> str:
    """A valid reply."""
    actions = []
    work = state.clone()
    while work.turn == state.turn and not work.is_terminal():
        actions.append(work.legal_actions()[-1])
        work.apply_action(actions[-1])
    return PROTOCOL.format_reply(state, state.current_player(), actions)


# ------------------------------------------------------------------------------------------- what is sent


@pytest.mark.parametrize(("players", "text"), [(2, "2\n4\n"), (3, "3\n3\n"), (4, "4\n4\n")])
def test_two_lines_open_the_standard_game(players: int, text: str) -> None:
    state = walks.start(players=players, seed=1)
    assert [PROTOCOL.opening_input(state, player) for player in range(players)] == [text] * players


def test_nothing_opens_the_duel() -> None:
    assert PROTOCOL.opening_input(walks.start(variant="duel", seed=1), 0) == ""


def test_first_input_to_the_letter() -> None:
    state = walks.start(seed=0)
    row = [tile for tile, _ in state.row_to_pick()]
    empty = ["_0" * 9] * 4
    castle = "_0_0_0_0*0_0_0_0_0"
    lines = PROTOCOL.turn_input(state, 0).split("\n")
    assert lines[:18] == [*empty, castle, *empty] * 2
    assert lines[18:22] == ["-1 _0 _0 -1 0"] * 4
    assert [line.split()[0] for line in lines[22:26]] == [str(tile) for tile in row]
    assert all(line.endswith(" -1") and len(line.split()) == 4 for line in lines[22:26])
    assert lines[26:] == [""]


def test_owners_are_counted_from_the_reader_round_the_table() -> None:
    state = second_round(players=4)
    assert [owner for _, owner in state.row_in_play()] == [0, 1, 2, 3]
    seen = {}
    for reader in range(4):
        lines = PROTOCOL.turn_input(state, reader).splitlines()[4 * 9 : 4 * 9 + 4]
        seen[reader] = [line.split()[3:] for line in lines]
    assert seen[0] == [["0", "1"], ["1", "0"], ["2", "0"], ["3", "0"]]
    assert seen[1] == [["3", "1"], ["0", "0"], ["1", "0"], ["2", "0"]]
    assert seen[3] == [["1", "1"], ["2", "0"], ["3", "0"], ["0", "0"]]


@given(form=st.sampled_from(walks.FORMS), seed=st.integers(0, 10**9), random=st.randoms(use_true_random=False))
@settings(max_examples=12, deadline=None)
def test_every_input_is_the_twins(form: dict[str, Any], seed: int, random: Random) -> None:
    state, twin = walks.pair(form | {"seed": seed})
    while not twin.over():
        current_player = twin.current_player()
        if twin.put_done == (twin.round == 1):
            assert PROTOCOL.turn_input(state, current_player) == twin.turn_input(current_player)
        if random.random() < 0.02:
            walks.end_player(state)
            twin.kill()
            continue
        move = random.choice(twin.moves())
        state.apply_action(state.string_to_action(walks.text_of(move)))
        twin.make(move)


def test_last_round_has_nothing_to_pick() -> None:
    state = walks.start(seed=3)
    while state.record["this_round"] < 7:
        answer(state, full_turn(state))
    for _ in range(4):
        lines = PROTOCOL.turn_input(state, state.current_player()).splitlines()
        assert lines[-4:] == ["-1 _0 _0 -1"] * 4
        assert sum(line.endswith(" 0 1") for line in lines[18:22]) == 1
        report = answer(state, full_turn(state).rsplit("PICK", 1)[0] + "PICK -1 bye")
        assert not report.faults
    assert state.is_terminal()


# ---------------------------------------------------------------------------------------------- replies


@pytest.mark.parametrize("form", walks.FORMS)
@pytest.mark.parametrize("league", ["wood", "bronze"])
def test_atomic_turns_and_their_text_do_the_same(form: dict[str, Any], league: str) -> None:
    random = Random(11)
    state = walks.start(**form, league=league, seed=8)
    while not state.is_terminal():
        player, work, actions = state.current_player(), state.clone(), []
        while work.turn == state.turn and not work.is_terminal():
            actions.append(random.choice(work.legal_actions()))
            work.apply_action(actions[-1])
        reply = PROTOCOL.format_reply(state, player, actions)
        report = answer(state, reply)
        assert report.actions == {player: reply}
        assert not report.faults
        assert state == work


def test_canonical_text_and_message() -> None:
    state = walks.start(seed=5)
    tile = first_free(state)
    report = answer(state, f"  PUT  +1\t02 -7 \nPICK   {tile}   grüß dich, ☃ PICK 3\r")
    assert report.actions == {0: f"PUT 1 2 -7\nPICK {tile}"}
    assert report.messages == {0: "grüß dich, ☃ PICK 3"}
    assert report.turn == 1
    assert not report.faults
    assert not report.notes


def test_put_is_ignored_where_nothing_can_be_put() -> None:
    for keys in ({"players": 2}, {"variant": "duel"}, {"players": 4, "league": "wood"}):
        state = walks.start(**keys, seed=21)
        ignored = 0
        while not state.is_terminal():
            if state.legal_actions() == [676]:
                reply = f"PUT 99 -5 1000\nPICK {first_free(state)}"
                report = answer(state, reply)
                assert not report.faults
                assert not report.notes
                assert list(report.actions.values()) == [reply]
                ignored += 1
            else:
                answer(state, full_turn(state))
        if ignored:
            return
    pytest.fail("no game had a tile that fits nowhere")


BAD_FORMAT = [
    ("", "two lines"),
    ("PUT 0 0 0", "two lines"),
    ("PICK {free}", "two lines"),
    ("PUT 0 0 0\nPICK {free}\nPUT 0 0 0", "two lines"),
    ("PICK {free}\nPUT 0 0 0", "first line"),
    ("PUT 0 0 0 0\nPICK {free}", "first line"),
    ("PUT 0 0\nPICK {free}", "first line"),
    ("PUT 0 0 0 hello\nPICK {free}", "first line"),
    ("put 0 0 0\nPICK {free}", "first line"),
    ("\nPICK {free}", "first line"),
    ("PUT a 0 0\nPICK {free}", "32 bits"),
    ("PUT 1.0 0 0\nPICK {free}", "32 bits"),
    ("PUT ٣ 0 0\nPICK {free}", "32 bits"),
    ("PUT 2147483648 0 0\nPICK {free}", "32 bits"),
    ("PUT 0 -2147483649 0\nPICK {free}", "32 bits"),
    ("PUT 0 0 0\nPICK 00000000004294967306", "32 bits"),
    ("PUT 0 0 0\nPICK +-{free}", "32 bits"),
    ("PUT 0 0 0\nPICK ---{free}", "32 bits"),
    ("PUT 0 0 \xa00\nPICK {free}", "32 bits"),
    ("PUT 0 0 0\nPICK", "second line"),
    ("PUT 0 0 0\nPICK ", "second line"),
    ("PUT 0 0 0\nTAKE {free}", "second line"),
    ("PUT 0 0 0\nPICK{free}", "second line"),
    ("PUT 0 0 0\nPICK x{free}", "32 bits"),
    ("PUT 0 0 0\nPICK {free},", "32 bits"),
    ("PUT 0 0 0\nPICK " + "9" * 5000, "32 bits"),
    ("\ud800\x00" + "z" * 9000, "two lines"),
]
BAD_PICKS = [("-1", "no such tile"), ("0", "no such tile"), ("49", "no such tile"), ("2147483647", "no such tile")]


@pytest.mark.parametrize("league", ["wood", "bronze"])
@pytest.mark.parametrize(("reply", "reason"), BAD_FORMAT)
def test_badly_formatted_replies_end_the_players_game(reply: str, reason: str, league: str) -> None:
    for state in (walks.start(seed=5, league=league), second_round(league=league)):
        before = state.clone()
        player = state.current_player()
        said = reply.replace("{free}", str(first_free(state)))
        report = answer(state, said)
        (fault,) = report.faults
        assert (fault.player, fault.termination) == (player, Termination.INVALID)
        assert reason in fault.reason
        assert len(fault.reason) < 300
        assert report.actions == {player: said.replace("\ud800", "\ufffd")}
        assert state.squares(player) == before.squares(player), "nothing of a badly formatted turn is done"
        assert state.fault(player) == Termination.INVALID
        assert_replays(before, report, state)


BLANKS = ["PUT 0 0 0\nPICK {}", "PUT 0 0 0\r\nPICK {}\r", " \tPUT\t 00 0\r0 \t\n PICK  {} \r hello \r"]
NUMBERS = ["{free}", "00000000000{free}", "+{free}", "+0{free}", "0" * 5000 + "{free}"]


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("text", BLANKS)
def test_numbers_are_read_as_java_reads_them_and_blanks_are_free(text: str, number: str) -> None:
    state = walks.start(seed=5)
    tile = first_free(state)
    report = answer(state, text.replace("{}", number.replace("{free}", str(tile))))
    assert not report.faults
    assert report.actions == {0: f"PUT 0 0 0\nPICK {tile}"}
    assert report.messages == ({0: "hello"} if "hello" in text else {})


@pytest.mark.parametrize("league", ["wood", "bronze"])
@pytest.mark.parametrize(("pick", "reason"), BAD_PICKS)
def test_invalid_picks_end_the_players_game_after_the_put(pick: str, reason: str, league: str) -> None:
    state = second_round(league=league)
    before, player = state.clone(), state.current_player()
    put = full_turn(state).split("\n")[0] if league == "bronze" else "PUT 4 5 0"
    report = answer(state, f"{put}\nPICK {pick} oops")
    assert [fault.termination for fault in report.faults] == [Termination.INVALID]
    assert reason in report.faults[0].reason
    assert len(state.squares(player)) == len(before.squares(player)) + 2
    assert_replays(before, report, state)


def test_a_tile_cannot_be_taken_twice() -> None:
    state = walks.start(seed=5)
    tile = first_free(state)
    answer(state, f"PUT 0 0 0\nPICK {tile}")
    report = answer(state, f"PUT 0 0 0\nPICK {tile}")
    assert "is taken" in report.faults[0].reason
    assert state.fault(1) == Termination.INVALID


BAD_PUTS = [
    ("4 4 0", "castle"),
    ("3 4 0", "castle"),
    ("5 4 4", "rotation"),
    ("5 4 -1", "rotation"),
    ("5 4 99999", "rotation"),
    ("-1 4 0", "off the grid"),
    ("8 4 0", "off the grid"),
    ("2147483647 -2147483648 0", "off the grid"),
    ("12 12 0", "off the grid"),
    ("0 0 0", "neither"),
    ("8 4 1", "neither"),
]


@pytest.mark.parametrize(("put", "reason"), BAD_PUTS)
def test_invalid_put_discards_in_wood_and_ends_the_game_in_bronze(put: str, reason: str) -> None:
    wood, bronze = second_round(league="wood"), second_round(league="bronze")
    reply = f"PUT {put}\nPICK {first_free(wood)}"
    before, report = wood.clone(), answer(wood, reply)
    assert not report.faults
    assert report.actions == {0: reply}
    assert reason in report.notes[0][1]
    assert not wood.squares(0)
    assert wood.turn == before.turn + 1
    assert_replays(before, report, wood)
    before, report = bronze.clone(), answer(bronze, reply)
    assert reason in report.faults[0].reason
    assert bronze.fault(0) == Termination.INVALID
    assert first_free(bronze) == first_free(before), "what follows an invalid PUT is not done"
    assert_replays(before, report, bronze)


def test_why_a_put_is_refused() -> None:
    grids = "9/9/9/9/4*c3/5c++3/5c3/9/9|9/9/9/9/4*4/9/9/9/9"
    line = f"{grids} 1:0,18:1,30:0,44:1 3:-,9:-,21:-,40:- 2,4-8,10-17,19,20 2 1 put 5 -,- 7"
    state = walks.start(position=line)
    assert state.put_refusal(5, 5, 0) == "the square is taken"
    assert state.put_refusal(5, 1, 1) == "the territory would stretch over more than 5 squares"
    assert state.put_refusal(7, 7, 0) == "neither c0 nor c0 would touch its terrain or the castle"


def assert_replays(before: KingdominoState, report: TurnReport, after: KingdominoState) -> None:
    """A record keeps `report.actions`: the same comes of it."""
    again = before.clone()
    second = PROTOCOL.play_turn(again, report.actions)
    assert again == after
    assert second.actions == report.actions
    assert second.faults == report.faults


# ----------------------------------------------------------------------------------------------- faults


def test_no_reply_is_a_time_out() -> None:
    state = walks.start(seed=5)
    report = PROTOCOL.play_turn(state, {1: "PUT 0 0 0\nPICK 1"})
    assert [(fault.player, fault.termination) for fault in report.faults] == [(0, Termination.TIMEOUT)]
    assert report.actions == {}
    assert state.current_player() == 1


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_others_play_on(players: int) -> None:
    state = second_round(players=players)
    lot = state.kind.lot
    walks.end_player(state, Termination.EXITED)
    asked = []
    while not state.is_terminal():
        asked.append(state.asked())
        free = [tile for tile, taker in state.row_to_pick() if taker == rules.NOBODY]
        reply = full_turn(state)
        report = answer(state, reply)
        assert not report.faults
        assert len(free) != 1 or state.record["this_round"] == state.record["rounds"]
    turns = {player: sum(player in who for who in asked) for player in range(players)}
    rounds = state.kind.rounds - 1
    assert turns == {player: 0 if player == 0 else rounds * (lot // players) for player in range(players)}
    outcome = state.outcome()
    assert outcome is not None
    assert outcome.termination == Termination.DECIDED
    assert outcome.culprit is None
    assert "exited" in outcome.reason


def test_unpicked_tiles_are_shown_as_nobodys() -> None:
    state = second_round(players=4)
    walks.end_player(state)
    for _ in range(3):
        answer(state, full_turn(state))
    assert [owner for _, owner in state.row_in_play()].count(rules.NOBODY) == 1
    lines = PROTOCOL.turn_input(state, state.current_player()).splitlines()[36:40]
    assert sum(line.split()[3] == "-1" for line in lines) == 1


def test_the_game_ends_when_nobody_is_left() -> None:
    state = walks.start(seed=5, players=3)
    for player in range(3):
        assert state.asked() == (player,)
        walks.end_player(state, Termination.TIMEOUT if player < 2 else Termination.FLOODED)
    outcome = state.outcome()
    assert outcome is not None
    assert state.asked() == ()
    assert (outcome.termination, outcome.culprit) == (Termination.FLOODED, 2)
    assert outcome.ranks == (1, 1, 1)
    assert state.returns() == [0, 0, 0]


def test_whoever_is_left_goes_on() -> None:
    """Two of four leave, at different times; the game is that of the other two to its end."""
    state = second_round(players=4)
    gone: list[int] = []
    while not state.is_terminal():
        (player,) = state.asked()
        assert player not in gone
        if player in (0, 2) and state.record["this_round"] > 1 + player:
            walks.end_player(state, Termination.EXITED)
            gone.append(player)
            assert not state.is_terminal()
        else:
            answer(state, full_turn(state))
    assert gone == [0, 2]
    assert [state.fault(player) for player in range(4)] == [Termination.EXITED, None, Termination.EXITED, None]
    assert state.record["this_round"] == state.record["rounds"]
    assert len(state.squares(1)) > len(state.squares(0))


def test_a_referee_needs_a_seed() -> None:
    with pytest.raises(SetupError, match="seed"):
        PROTOCOL.play_turn(walks.start(), {})


def test_only_the_asked_player_is_heard() -> None:
    state = walks.start(seed=5)
    tiles = [tile for tile, _ in state.row_to_pick()]
    report = PROTOCOL.play_turn(state, {player: f"PUT 0 0 0\nPICK {tiles[player]}" for player in range(2)})
    assert list(report.actions) == [0]
    assert state.turn == 2
    assert PROTOCOL.play_turn(second := walks.start(seed=5), {}).faults[0].player == 0
    assert second.asked() == (1,)


def test_reply_has_two_lines() -> None:
    assert PROTOCOL.reply_lines(walks.start(seed=1), 0) == 2


@given(reply=st.text(alphabet="PUTICK 0123456789-+\n\tabc", max_size=40))
@settings(max_examples=150, deadline=None)
def test_no_reply_raises(reply: str) -> None:
    state = walks.start(seed=5)
    before = state.clone()
    report = answer(state, reply)
    assert_replays(before, report, state)
    assert state.turn == 2
