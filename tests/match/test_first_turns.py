"""First turns of matches are counted as by hand, whatever symmetry maps them, and whatever the order of their steps."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache
from itertools import islice
from random import Random

import pytest

from lapilli.core.api import CHANCE, Game, Setup, State
from lapilli.core.content.first_turns import CountedTurn, added_up
from lapilli.core.rules.folding import Folding
from lapilli.games import load, names
from lapilli.match import Record, play_match, replay
from lapilli.match.first_turns import counted_turns
from lapilli.players.engines.turns import actions_in, after

GAMES = [pytest.param(game, id=game.name) for game in map(load, names()) if game.first_turns()]
MATCHES, DIFFERENT, TURNS = 24, 18, 3


@cache
def records(name: str) -> list[Record]:
    """Matches of weak players, some of them twice."""
    return [play_match(name, ["level2", "level1"], seed=number % DIFFERENT) for number in range(MATCHES)]


def mapped_positions(game: Game, record: Record) -> Iterator[tuple[State, str, str]]:
    """For each of the first turns: the position before it, and the least notations of all mapped positions before and
    after it, found by playing all mapped matches."""
    maps = game.symmetries()
    starts = [game.new_initial_state(Setup.from_dict(record.setup)) for _ in maps]
    for _, step in islice(replay(record), 1, None):
        assert step is not None
        asked = step.before.asked()
        actions = actions_in(step.before, asked[0], step.report.actions[asked[0]]) if asked else []
        before = min(state.position() for state in starts)
        for state, symmetry in zip(starts, maps, strict=True):
            if not asked:
                assert state.current_player() == CHANCE
                state.apply_action(state.legal_actions()[0])
            for action in actions:
                state.apply_action(int(symmetry.actions[action]))
        if asked:
            yield step.before, before, min(state.position() for state in starts)


@pytest.mark.parametrize("game", GAMES)
def test_counts_are_those_of_naive_counting(game: Game) -> None:
    naive: Counter[tuple[str, str, str]] = Counter()
    keys: dict[tuple[str, str], set[tuple[int, int]]] = defaultdict(set)
    found: list[CountedTurn] = []
    for record in records(game.name):
        turns = counted_turns(record, TURNS)
        found += turns
        assert record.outcome is not None
        assert record.outcome.ranks is not None
        for turn, (state, before, later) in zip(turns, mapped_positions(game, record), strict=False):
            first, other = (record.outcome.ranks[player] for player in (state.asked()[0], 1 - state.asked()[0]))
            naive[before, later, "won" if first < other else "lost" if first > other else "drawn"] += 1
            keys[before, later].add(turn[:2])
        assert len(turns) == TURNS
    assert all(len(same) == 1 for same in keys.values())
    assert len({key for same in keys.values() for key in same}) == len(keys)
    sums = {turn[:2]: turn for turn in added_up(found)}
    assert len(sums) < len(found)
    for texts, same in keys.items():
        turn = sums[next(iter(same))]
        assert [turn.won, turn.drawn, turn.lost] == [naive[*texts, how] for how in ("won", "drawn", "lost")]
    often = {turn[:2] for turn in added_up(found, least=2)}
    assert often == {key for key, turn in sums.items() if turn.matches >= 2}


@pytest.mark.parametrize("game", GAMES)
def test_a_turn_is_unfolded_to_one_that_leads_to_the_same(game: Game) -> None:
    random = Random(3)
    state = game.new_initial_state(seed=1)
    folding = Folding(game, state.setup)
    maps = game.symmetries(state.setup)
    symmetry = random.choice(maps[1:] or maps)
    other = state.clone()
    for _ in range(5):
        while not state.asked():
            for now in (state, other):
                game.protocol.play_turn(now, {})
        (player,) = state.asked()
        here, there = folding.position(state, player), folding.position(other, player)
        assert here.key == there.key
        turn: list[int] = []
        before, mapped = state.clone(), other.clone()
        while state.turn == before.turn:
            turn.append(random.choice(state.legal_actions()))
            state.apply_action(turn[-1])
            other.apply_action(int(symmetry.actions[turn[-1]]))
        folded = folding.fold(turn, here)
        unfolded = folding.unfold(folded, there)
        assert folding.fold(unfolded, there) == folded
        end = after(mapped, player, game.protocol.format_reply(mapped, player, unfolded))
        assert folding.position(end, player).key == folding.position(state, player).key
        assert folding.position(state, player).key != here.key


def test_other_forms_of_a_game_are_other_positions() -> None:
    def start(game: Game, variant: str) -> int:
        state = game.new_initial_state(seed=1, variant=variant)
        return Folding(game, state.setup).position(state, state.asked()[0]).key

    for game in map(load, names()):
        starts = [start(game, variant) for variant in game.variants]
        assert len(set(starts)) == len(starts)


def test_nothing_is_counted_without_a_result_or_where_all_act_at_once() -> None:
    for game in map(load, names()):
        record = play_match(game, ["random"] * game.players[0], seed=1)
        at_once = any(len(state.asked()) > 1 for state, _ in islice(replay(record), 3))
        assert bool(counted_turns(record)) is not at_once
        record.outcome = None
        assert counted_turns(record) == []
