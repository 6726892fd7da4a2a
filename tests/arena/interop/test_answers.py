"""What the tools are told about a match, as they read it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import lapilli
from lapilli.arena.interop import brutaltester, cgarena, psyleague
from lapilli.core.api import Termination
from lapilli.core.errors import SetupError
from lapilli.match import Entry, Record
from lapilli.match.record import FORMAT, FaultNote, RecordedOutcome
from lapilli.players import Identity


def finished(scores: list[int], ranks: list[int], faulty: tuple[int, ...] = ()) -> Record:
    """A match that ended so."""
    turns = [
        Entry(turn=number, player=player, fault=FaultNote(Termination.TIMEOUT, "no reply"))
        for number, player in enumerate(faulty, 1)
    ]
    players = [Identity(f"bot {player}") for player in range(len(ranks))]
    outcome = RecordedOutcome(scores, ranks, Termination.DECIDED, "so it is")
    setup = {"seed": -5, "players": len(ranks)}
    return Record(format=FORMAT, game="kingdomino", setup=setup, players=players, turns=turns, outcome=outcome)


def cut_short(termination: Termination) -> Record:
    record = finished([0, 0], [1, 1])
    record.outcome = RecordedOutcome(termination=termination, reason="no memory left")
    record.turns = [Entry(turn=1, player=0, fault=FaultNote(termination, "no memory left"))]
    return record


@pytest.mark.parametrize(
    ("scores", "ranks", "faulty", "points"),
    [
        ([100, 0], [1, 2], (), [100, 0]),
        ([0, 0], [1, 1], (), [0, 0]),
        ([19, 46, 11], [2, 1, 3], (), [19, 46, 11]),
        ([5, 3], [2, 1], (), [0, 1]),  # lost otherwise than by points
        ([40, 40, 12], [2, 1, 3], (), [1, 2, 0]),  # a tie that was broken
        ([40, 41], [1, 1], (), [0, 0]),
        ([100, 0], [1, 2], (1,), [100, -2]),
        ([60, 50], [1, 2], (0,), [-1, 50]),  # out early, and yet ahead
        ([9, 8, 30, 20], [3, 4, 1, 2], (0, 1), [-3, -4, 30, 20]),
        ([7, 7], [1, 1], (0, 1), [-1, -1]),
        ([-1, 12], [2, 1], (), [-1, 12]),  # the game's own way to say it
    ],
)
def test_brutaltester_reads_one_number_a_player(
    scores: list[int], ranks: list[int], faulty: tuple[int, ...], points: list[int]
) -> None:
    record = finished(scores, ranks, faulty)
    assert brutaltester.points(record) == points
    assert brutaltester.output(record) == "".join(f"{number}\n" for number in points) + "seed=-5\n"


@given(st.lists(st.tuples(st.integers(0, 99), st.integers(0, 3), st.booleans()), min_size=2, max_size=4))
def test_the_numbers_put_players_in_the_order_of_their_ranks(players: list[tuple[int, int, bool]]) -> None:
    strengths = [strength for _, strength, _ in players]
    ranks = [1 + sum(other > own for other in strengths) for own in strengths]
    faulty = tuple(number for number, (_, _, fault) in enumerate(players) if fault)
    points = brutaltester.points(finished([score for score, _, _ in players], ranks, faulty))
    for one in range(len(players)):
        assert (points[one] < 0) == players[one][2]
        for other in range(len(players)):
            if players[one][2] == players[other][2]:
                assert (points[one] > points[other]) == (ranks[one] < ranks[other])


@pytest.mark.parametrize(
    ("data", "seed"), [("seed=0", 0), ("seed=2147483646", 2**31 - 2), ("seed=-7\n", -7), (" seed = 5 ", 5)]
)
def test_the_seed_of_brutaltesters_data(data: str, seed: int) -> None:
    assert brutaltester.seed_of(data) == seed


@pytest.mark.parametrize("data", ["", "seed=", "5", "seed=x", "seed=1 map=2", "seed=1e3", "seed=" + "9" * 5000])
def test_what_is_no_seed(data: str) -> None:
    with pytest.raises(SetupError, match="expected seed=NUMBER"):
        brutaltester.seed_of(data)


def test_cgarena_reads_ranks_from_0_and_errors() -> None:
    record = finished([19, 46, 11], [2, 1, 3], (2,))
    record.turns[0].stderr = "[PDATA] depth = 3\n[TDATA][2] lead = blue\n"
    assert cgarena.result(record) == {
        "ranks": [1, 0, 2],
        "errors": [0, 0, 1],
        "scores": [19, 46, 11],
        "attributes": [
            {"name": "depth", "player": 2, "turn": None, "value": "3"},
            {"name": "lead", "player": None, "turn": 2, "value": "blue"},
        ],
    }
    assert cgarena.result(finished([5, 5], [1, 1]))["ranks"] == [0, 0]


def test_cgarena_takes_a_match_that_counts_for_nobody_for_a_draw() -> None:
    assert cgarena.result(cut_short(Termination.ABANDONED)) == {
        "ranks": [0, 0],
        "errors": [0, 0],
        "scores": [],
        "attributes": [{"name": "abandoned", "player": None, "turn": None, "value": "no memory left"}],
    }


@pytest.mark.parametrize(
    ("words", "seed", "replay", "players"),
    [
        (["5", "replays/0a1b.json", "./a", "./b"], 5, "replays/0a1b.json", ["./a", "./b"]),
        (["-9223372036854775808", "./a", "./b"], -(2**63), None, ["./a", "./b"]),
        (["7", "python3 bot.py weights.json", "./b"], 7, None, ["python3 bot.py weights.json", "./b"]),
        (["7", "r.json"], 7, "r.json", []),
        (["7"], 7, None, []),
    ],
)
def test_how_cgarena_calls(words: list[str], seed: int, replay: str | None, players: list[str]) -> None:
    call = cgarena.call_of(words)
    assert (call.seed, call.replay and str(call.replay), call.players) == (seed, replay, players)


def test_a_seed_comes_first() -> None:
    with pytest.raises(SetupError, match=r"'\./a' is not a seed"):
        cgarena.call_of(["./a", "./b"])


def test_psyleague_reads_data_of_match_and_players() -> None:
    record = finished([19, 46], [2, 1], (1,))
    record.turns[0].stderr = "[TDATA] seed = 8\n[TDATA] opening = N01\n[PDATA+] n = 2.5\n[PDATA][3] n = 1\n"
    told = psyleague.result(record)
    assert told == {
        "ranks": [1, 0],
        "errors": [0, 1],
        "test_data": {"opening": "N01", "seed": -5, "turns": 1, "termination": "decided"},
        "player_data": [{"score": 19}, {"n": "2.5", "score": 46}],
    }
    assert json.loads(json.dumps(told)) == told


def test_psyleague_is_told_no_match_where_it_counts_for_nobody() -> None:
    assert psyleague.result(cut_short(Termination.ABANDONED)) == []


@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_real_match_of_several(players: int) -> None:
    record = lapilli.play_match("kingdomino", ["random"] * players, seed=players)
    assert record.outcome is not None
    cg: dict[str, Any] = cgarena.result(record)
    assert sorted(cg["ranks"])[0] == 0
    assert [rank + 1 for rank in cg["ranks"]] == record.outcome.ranks
    assert cg["errors"] == [0] * players
    points = brutaltester.points(record)
    best = max(points)
    assert [point == best for point in points] == [rank == 0 for rank in cg["ranks"]]
