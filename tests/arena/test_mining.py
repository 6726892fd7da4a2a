"""Mining for puzzles, where its searches need not look for long."""

from __future__ import annotations

import re
from itertools import islice
from pathlib import Path

import msgspec
import pytest

from lapilli.arena.puzzles.mining import Miner, stored_records
from lapilli.arena.puzzles.proof import DEEPER, MOST_TURNS
from lapilli.arena.puzzles.themes import themes_of
from lapilli.core.api import Setup
from lapilli.core.content.puzzles import Puzzle, read_puzzles
from lapilli.core.errors import RecordError
from lapilli.core.protocol.defaults import no_themes
from lapilli.games import load, names
from lapilli.match import play_match
from lapilli.match.replay import replay
from lapilli.players.engines.searches import level_names
from lapilli.store import Store
from lapilli.store.results import pack_record
from store.made import event, result

GAME = next(load(name) for name in names() if load(name).levels and load(name).searches)
WITH_PUZZLES = [name for name in names() if read_puzzles(load(name).content)]


def test_a_position_is_a_puzzle_only_once() -> None:
    known = min(read_puzzles(GAME.content), key=lambda puzzle: puzzle.nodes)
    miner = Miner(GAME, known.seed, known.nodes)
    assert miner._puzzle(known.setup, known.player) == known
    assert miner._puzzle(known.setup, known.player) is None


@pytest.mark.parametrize("name", WITH_PUZZLES)
def test_proofs_are_as_deep_as_those_of_the_puzzles_that_come_with_the_game(name: str) -> None:
    """However busy the machine is: then a search would be short if it were limited by time."""
    assert Miner(load(name))._nodes in {puzzle.nodes for puzzle in read_puzzles(load(name).content)}
    assert Miner(load(name), nodes=3 * DEEPER)._nodes == 3 * DEEPER


@pytest.mark.parametrize("name", WITH_PUZZLES)
def test_turns_that_have_to_be_found_are_in_the_line(name: str) -> None:
    game = load(name)
    for puzzle in read_puzzles(game.content):
        assert len(puzzle.solution) == puzzle.turns <= MOST_TURNS
        for number, reply in puzzle.solution:
            assert dict(puzzle.line[number])[puzzle.player] == reply
        assert ("several-turns" in themes_of(game, puzzle)) == (puzzle.turns > 1)


def test_the_solution_of_several_turns_is_in_the_line() -> None:
    line = [[(0, "a")], [(1, "b")], [(1, "c")], [(0, "d")], [(0, "e")]]
    puzzle = Puzzle(setup={}, player=0, reply="a", value=1.0, second=0.5, nodes=1, line=line, turns=2)
    assert puzzle.solution == [(0, "a"), (3, "d")]
    assert Puzzle(setup={}, player=0, reply="a", value=1.0, second=0.5, nodes=1).solution == [(0, "a")]


@pytest.mark.parametrize("name", [name for name in names() if load(name).searches])
def test_a_puzzle_depends_on_nothing_that_is_hidden(name: str) -> None:
    """Each later turn of a solution is asked in the position that the site reaches by playing the line."""
    game = load(name)
    for puzzle in read_puzzles(game.content):
        for number, _ in puzzle.solution[1:]:
            seen = set()
            for seed in range(3):
                state = game.new_initial_state(Setup.from_dict(puzzle.setup)).determinised(seed)
                for turn in puzzle.line[:number]:
                    while not state.asked():
                        game.protocol.play_turn(state, {})
                    game.protocol.play_turn(state, dict(turn))
                while not state.asked():
                    game.protocol.play_turn(state, {})
                assert puzzle.player in state.asked()
                seen.add(state.observation(puzzle.player).tobytes())
            assert len(seen) == 1


@pytest.mark.parametrize("name", names())
def test_every_turn_of_a_match_has_themes_that_can_stand_in_an_address(name: str) -> None:
    game = load(name)
    found = set[str]()
    positions = replay(play_match(name, ["random"] * game.players[0], seed=4))
    for state, step in islice(positions, 40):
        if step is not None:
            found.update(*(game.themes(step, state, player) for player in step.before.asked()))
    assert all(re.fullmatch(r"[A-Z][a-z]+( [a-z]+)*", title) for title in found)
    assert len(found) > 1 or game.themes is no_themes


def test_records_that_contradict_the_rules_are_searched_as_far_as_they_go(tmp_path: Path) -> None:
    record = play_match(GAME, level_names(GAME)[:1] * GAME.players[0], seed=3)
    one_more = msgspec.structs.replace(record.turns[-1], turn=record.turns[-1].turn + 1)
    older = msgspec.structs.replace(record, turns=[*record.turns, one_more])
    with pytest.raises(RecordError):
        list(replay(older))
    searched = list[None]()
    list(Miner(GAME, nodes=8).mine(older, lambda: searched.append(None)))
    assert searched
    with Store.open(tmp_path / "arena.db") as store:
        made = event(store)
        stored = [b"damaged", pack_record(older)]
        for number, data in enumerate(stored):
            store.add_results(made.id, [result(number, record=data)])
        assert list(stored_records(store, load("tictactoe"))) == [older]
