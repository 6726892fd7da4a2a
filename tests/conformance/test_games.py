"""What every game must keep, whoever wrote it: one suite over all of `names()`."""

from __future__ import annotations

import csv
import json
import pickle
from copy import copy, deepcopy
from dataclasses import replace
from random import Random
from typing import Any, cast

import numpy as np
import pytest

import lapilli
from conformance.walks import CASES, GAMES, along_a_game, data, home, place, setups
from lapilli.cli.checking.checks import CHECKS
from lapilli.cli.checking.subject import Subject, random_step
from lapilli.core.api import SIMULTANEOUS, Fault, Game, Setup, State, Step, Termination, TurnReport
from lapilli.core.errors import LapilliError, PositionError, SetupError, UnknownName
from lapilli.core.protocol.protocol import MAX_REPLY
from lapilli.core.rules.outcome import ranks_of
from lapilli.core.rules.perft import perft
from lapilli.games import load, names
from lapilli.match import Record, replay, verify
from lapilli.match.record import FORMAT, parse_record
from lapilli.players import builtin_names
from lapilli.players.bots.starters import LANGUAGES
from lapilli.players.engines.builtin import random_turn
from lapilli.viewer import svg
from plain import printed_either_way

CHECKED = ("legal actions", "copies", "positions as text", "actions as text", "text for bots", "wrong replies")
"""Checks of `lapilli check-game` that no test here repeats. `tests/cli` runs the command with all checks."""


def having(claim: str) -> list[Any]:
    """The games that claim this: whose attribute of that name is set."""
    return [case for case in GAMES if getattr(case.values[0], claim)]


@pytest.mark.parametrize(("game", "setup"), CASES)
def test_random_play_ends_in_time_with_an_outcome_and_then_nothing_happens(game: Game, setup: Setup) -> None:
    state = along_a_game(game, setup, lambda _: None)
    outcome = state.outcome()
    assert outcome is not None
    assert outcome.reason
    assert len(outcome.scores) == len(outcome.ranks) == state.num_players == setup.players
    assert min(outcome.ranks) == 1
    assert state.legal_actions() == []
    assert all(-1 <= value <= 1 for value in state.returns())
    assert sum(state.returns()) == pytest.approx(0)
    before = state.clone()
    assert game.protocol.play_turn(state, {}) == TurnReport(state.turn)
    assert state == before


@pytest.mark.parametrize("check", CHECKED)
@pytest.mark.parametrize(("game", "setup"), CASES)
def test_checks(game: Game, setup: Setup, check: str) -> None:
    """In a match with an odd seed, and in one with an even seed, in which chance is left open."""
    CHECKS[check](Subject(game, seed=2 if setup.seed is None else 1, matches=1, forms=[setup]))


@pytest.mark.parametrize(("game", "setup"), CASES)
def test_the_player_to_act_need_not_be_named(game: Game, setup: Setup) -> None:
    def look(state: State) -> None:
        player = state.current_player()
        assert player == SIMULTANEOUS or state.legal_actions() == state.legal_actions(player)

    along_a_game(game, setup, look)


@pytest.mark.parametrize("game", GAMES)
def test_the_declaration_tells_which_variants_are_for_how_many_players(game: Game) -> None:
    """Before any position is made, since that needs machine code."""
    assert set(game.players_of_variant) <= set(game.variants)
    tested = {(setup.players, setup.variant) for setup in setups(game)}
    for variant in game.variants or (None,):
        possible = game.players_of_variant.get(variant or "", game.players)
        assert game.complete(Setup(variant=variant)).players == possible[0]
        for players in range(max(game.players) + 2):
            assert ((players, variant) in tested) == (players in possible)
            if players in possible:
                state = game.new_initial_state(Setup(seed=1, players=players, variant=variant))
                assert state.num_players == players
            else:
                with pytest.raises(SetupError, match=f"not {players}$"):
                    game.complete(Setup(players=players, variant=variant))


@pytest.mark.parametrize("game", GAMES)
def test_there_is_one_of_each_game(game: Game) -> None:
    assert pickle.loads(pickle.dumps(game)) is deepcopy(game) is copy(game) is game
    with pytest.raises(pickle.PicklingError, match=f"Another is not the game that is loaded as {game.name}"):
        pickle.dumps(replace(game, title="Another"))


@pytest.mark.parametrize(("game", "setup"), CASES)
def test_positions_have_a_notation(game: Game, setup: Setup) -> None:
    """What is read back is the position, field by field.

    A game may leave out fields that no rule needs: `unwritten.csv` among its tests says which and why. What players
    have lined up in a turn in which all act at once is left out, too, and so may be how a game ended.
    """
    random, unwritten = Random(6), fields_that_are_not_written(game)

    def read_back(state: State) -> State:
        text = state.position()
        assert "\n" not in text
        again = game.new_initial_state(Setup.from_dict({**setup.to_dict(), "position": text}))
        assert again.position() == text
        return again

    def look(state: State) -> None:
        read_back(state)
        copy = state.clone()
        if copy.current_player() == SIMULTANEOUS:
            while copy.turn == state.turn and not copy.is_terminal():
                random_step(copy, random)
        if copy.is_terminal():
            return
        again = read_back(copy)
        for name in game.state.DTYPE.names or ():
            assert name in unwritten or again.record[name].tobytes() == copy.record[name].tobytes(), name

    along_a_game(game, setup, look)


def fields_that_are_not_written(game: Game) -> set[str]:
    file = place(game) / "unwritten.csv"
    if not file.exists():
        return set()
    rows = list(csv.DictReader(file.read_text(encoding="utf-8").splitlines()))
    assert all(row["field"] in (game.state.DTYPE.names or ()) and row["why"] for row in rows)
    return {row["field"] for row in rows}


@pytest.mark.parametrize(("game", "setup"), CASES)
def test_pictures(game: Game, setup: Setup) -> None:
    def look(state: State) -> None:
        scene = game.picture(state, None)
        keys = [shape.key for shape in scene.in_order()]
        assert len(set(keys)) == len(keys)
        assert scene.panels is not None
        told = [plate.score for plate in scene.panels.plates]
        assert told in (list(state.scores()), list(game.gauge(state)) if game.gauge else [])
        assert max(len(line) for line in str(state).splitlines()) <= 100

    state = along_a_game(game, setup, look)
    assert svg(game.picture(state, None), game.sides).startswith("<svg")


@pytest.mark.parametrize("game", GAMES)
def test_moments_lead_to_the_position_and_are_there_where_they_are_claimed(game: Game) -> None:
    state, random, most = game.new_initial_state(seed=6), Random(6), 0
    while state.turn < 60 and (state.asked() or not state.is_terminal()):
        before = state.clone()
        replies = {
            player: game.protocol.format_reply(before, player, random_turn(before.clone(), player, random))
            for player in before.asked()
        }
        step = Step(before, game.protocol.play_turn(state, replies))
        *_, last = shown = game.pictures(state, step)
        assert svg(last.scene, game.sides) == svg(game.picture(state, step), game.sides)
        most = max(most, len(shown))
    assert (most > 1) == (game.moments is not None)


@pytest.mark.parametrize(("game", "setup"), CASES)
def test_built_in_players_play_matches_that_verify(game: Game, setup: Setup) -> None:
    engines = builtin_names(game)
    players = [engines[-1 if number == 0 else 0] for number in range(setup.players or 2)]
    keys = {key: value for key, value in setup.to_dict().items() if key != "players"}
    record = lapilli.play_match(game, players, **keys)
    assert record.outcome is not None
    assert record.outcome.culprit is None
    assert all(entry.fault is None for entry in record.turns)
    outcome = verify(parse_record(record.to_json()))
    assert outcome is not None
    assert list(outcome.scores) == record.outcome.scores
    again = lapilli.play_match(game, players, **keys)
    for entry in [*record.turns, *again.turns]:
        entry.milliseconds = None
    assert again.to_json() == record.to_json()


@pytest.mark.parametrize("game", having("engines"))
def test_the_strongest_engine_beats_random_play(game: Game) -> None:
    wins = 0
    for seed in range(8):
        players = ["random", "random"]
        players[seed % 2] = builtin_names(game)[-1]
        record = lapilli.play_match(game, players, seed=seed)
        assert record.outcome is not None
        assert record.outcome.ranks is not None
        wins += record.outcome.ranks[seed % 2] == 1 and record.outcome.ranks[1 - seed % 2] == 2
    assert wins >= 6


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("sign", ["9", "é", "\ud800", "\U0001f600"])
def test_a_reply_that_is_too_long_is_a_fault(game: Game, sign: str) -> None:
    state = game.new_initial_state(seed=1)
    (first, *_) = state.asked()
    longest = sign * (MAX_REPLY // len(sign.encode("utf-8", "surrogatepass")))
    longest += "x" * (MAX_REPLY - len(longest.encode("utf-8", "surrogatepass")))
    heard = game.protocol.play_turn(state.clone(), {first: longest})
    assert heard.actions[first].endswith(longest[-1])
    report = game.protocol.play_turn(state, {first: longest + "x"})
    assert first not in report.actions
    assert Fault(first, Termination.FLOODED, "a reply of more than 10,000 bytes") in report.faults
    assert first not in state.asked()


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("termination", [Termination.EXITED, Termination.TIMEOUT])
def test_silence_loses(game: Game, termination: Termination) -> None:
    """Who falls silent is never asked again and ends last; without that, the same game goes on asking it."""
    first = game.new_initial_state(seed=1)
    while not first.asked():
        game.protocol.play_turn(first, {})
    loser = first.asked()[0]
    state = first.clone()
    fault = Fault(loser, termination, "no reply in time" if termination == Termination.TIMEOUT else "gone")
    replies: dict[int, str | Fault] = dict(random_replies(state, Random(1)))
    if termination == Termination.TIMEOUT:
        del replies[loser]
    else:
        replies[loser] = fault
    assert game.protocol.play_turn(state, replies).faults == [fault]
    random = Random(2)
    while not state.is_terminal():
        assert loser not in state.asked()
        assert game.protocol.play_turn(state, random_replies(state, random)).faults == []
    assert state.asked() == ()
    outcome = state.outcome()
    assert outcome is not None
    assert outcome.ranks[loser] == max(outcome.ranks) > 1
    assert state.returns()[loser] == min(state.returns()) < 0

    faultless = first.clone()
    game.protocol.play_turn(faultless, random_replies(faultless, Random(1)))
    while loser not in faultless.asked():
        assert not faultless.is_terminal()
        game.protocol.play_turn(faultless, random_replies(faultless, random))


def random_replies(state: State, random: Random) -> dict[int, str]:
    def reply(player: int) -> str:
        return state.game.protocol.format_reply(state, player, random_turn(state.clone(), player, random))

    return {player: reply(player) for player in state.asked()}


@pytest.mark.parametrize("game", GAMES)
def test_bot_text_ends_with_newlines(game: Game) -> None:
    state = game.new_initial_state(seed=1)
    for player in state.asked():
        opening = game.protocol.opening_input(state, player)
        assert opening == "" or opening.endswith("\n")
        assert game.protocol.turn_input(state, player).endswith("\n")
        assert game.protocol.reply_lines(state, player) >= 1


@pytest.mark.parametrize("game", GAMES)
def test_the_game_is_complete(game: Game) -> None:
    assert game.rules_page.startswith("# ")
    for alias in (game.name, game.title, game.name.upper(), *game.aliases):
        assert load(alias) is game
    assert len(game.sides) == max(game.players)
    assert game.first_reply_ms >= game.reply_ms > 0
    assert all(figure > 0 for figure in game.speed(0.02).values())


@pytest.mark.parametrize("game", GAMES)
def test_what_a_game_has_it_claims(game: Game) -> None:
    """And the tests of a claim require it."""
    starters = {file.name for file in (home(game) / "starters").iterdir() if file.is_file()}
    assert starters == {LANGUAGES[language].file for language in game.languages}
    assert "python" in game.languages
    assert (home(game) / "naive.py").exists() == game.twin
    assert any(place(game).glob("golden/*")) == game.goldens


@pytest.mark.parametrize("game", having("twin"))
def test_the_kernel_is_faster_than_its_twin(game: Game) -> None:
    assert game.speed(0.02)["times the naive twin"] > 1


@pytest.mark.parametrize("game", having("goldens"))
def test_traces_of_an_original_are_there_and_tests_read_them(game: Game) -> None:
    assert any(file.stat().st_size for file in (place(game) / "golden").iterdir())
    assert any("golden" in test.read_text(encoding="utf-8") for test in place(game).glob("test_*.py"))


@pytest.mark.parametrize("game", GAMES)
def test_perft_counts(game: Game) -> None:
    with data(game, "perft.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) >= 4
    for row in rows:
        assert set(row) == {"id", "setup", "depth", "count"}
        keys = json.loads(row["setup"]) if row["setup"].startswith("{") else {"position": row["setup"]}
        assert perft(game.new_initial_state(**keys), int(row["depth"])) == int(row["count"]), row["id"]


@pytest.mark.parametrize("game", GAMES)
def test_bad_setups(game: Game) -> None:
    wrong: list[dict[str, Any]] = [
        {"players": 99},
        {"seed": 2**63},
        {"seed": -(2**63) - 1},
        {"seed": True},
        {"variant": 7},
    ]
    for keys in wrong:
        with pytest.raises(SetupError):
            game.new_initial_state(**keys)
    for keys in ({"seed": "3"}, {"variant": 7}):
        with pytest.raises(SetupError):
            game.new_initial_state(Setup(**keys))
    with pytest.raises(SetupError, match="either a Setup or its keys"):
        game.new_initial_state(Setup(seed=1), league="any")
    with pytest.raises(PositionError):
        game.from_position(cast(str, None))
    assert game.new_initial_state(seed=np.int64(3)) == game.new_initial_state(seed=3)
    unknown: list[dict[str, Any]] = [{"variant": "no such"}, {"league": "no such"}, {"no such": 1}]
    for keys in unknown:
        with pytest.raises(UnknownName):
            game.new_initial_state(**keys)


@pytest.mark.parametrize("game", GAMES)
def test_a_record_of_rubbish_is_refused(game: Game) -> None:
    first = game.new_initial_state(seed=1).asked()[0]
    entries = [{"turn": 1, "player": first, "action": "x"}] * 2
    record = parse_record(json.dumps({"format": FORMAT, "game": game.name, "setup": {"seed": 1}, "turns": entries}))
    assert isinstance(record, Record)
    with pytest.raises(LapilliError, match="turn 1: player 0 has two entries"):
        list(replay(record))


def test_plain_python_plays_and_writes_the_same() -> None:
    program = """
from random import Random
from lapilli.games import load, names
from lapilli.players.engines.builtin import random_turn
for game in map(load, names()):
    for variant in game.variants or (None,):
        state, random = game.new_initial_state(seed=5, variant=variant), Random(3)
        while state.turn <= 14 and not state.is_terminal():
            replies = {}
            for player in state.asked():
                print(game.protocol.input_for(state, player, True))
                actions = random_turn(state.clone(), player, random)
                replies[player] = game.protocol.format_reply(state, player, actions)
            print(game.protocol.play_turn(state, replies))
        print(game.name, state.position())
"""
    assert set(names()) <= set(printed_either_way(program).split())


def test_ranks() -> None:
    assert ranks_of([3, 5, 5, 1]) == (3, 1, 1, 4)


@pytest.mark.parametrize("game", GAMES)
def test_names_suggest_the_nearest(game: Game) -> None:
    with pytest.raises(UnknownName, match=f"did you mean '{game.name}'"):
        load(f"{game.name}-")
