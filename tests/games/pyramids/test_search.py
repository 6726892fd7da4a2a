"""What the search knows of this game, held against the rules."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest

from lapilli.core.api import State
from lapilli.games import load
from lapilli.games.pyramids import turn_outcomes
from lapilli.games.pyramids.engine import hooks as engine
from lapilli.games.pyramids.engine.node import ACTION_BITS, CAPS_SHIFT, NODE, enter
from lapilli.games.pyramids.engine.reachable import LIMIT, find_reachable
from lapilli.games.pyramids.rules import verbs
from lapilli.kernels.kernel import Batch, kernel
from lapilli.search.budget import Budget
from lapilli.search.searcher import new_searcher

GAME = load("pyramids")
ROOT = engine.new_turns(engine.SETTINGS)


@kernel
def node_of(batch: Batch, nodes: Batch) -> None:
    enter(batch[0], nodes[0])


def node(state: State) -> Any:
    nodes = np.zeros(1, NODE)
    node_of(state.array, nodes)
    return nodes


def play(state: State, actions: tuple[int, ...]) -> State:
    after = state.clone()
    for action in actions:
        after.apply_action(action)
    return after


def walk(variant: str, seed: int, most: int) -> list[tuple[State, tuple[int, ...]]]:
    """The positions of a random game's turns, and what is played in them."""
    state, random = GAME.new_initial_state(variant=variant, seed=seed), Random(seed)
    steps: list[tuple[State, tuple[int, ...]]] = []
    while not state.is_terminal() and len(steps) < most:
        outcomes = turn_outcomes(state, 400)
        steps.append((state, outcomes.actions(random.randrange(len(outcomes)))))
        state = play(*steps[-1])
    return steps


@pytest.mark.parametrize("variant", ["square-random", "hex-random"])
def test_a_turn_does_to_a_node_what_it_does_to_the_position(variant: str) -> None:
    compared = 0
    for seed in range(3):
        for state, actions in walk(variant, seed, 100):
            before, after = play(state, actions[:-1]), play(state, actions)
            landed, _ = verbs.foresee(before.record, before.record["caps"], actions[-1])
            nodes = node(state)
            engine.advance(nodes[0], int(after.record["caps"]) << CAPS_SHIFT | landed << ACTION_BITS | actions[-1])
            nodes["exact"] = 0
            assert nodes.tobytes() == node(after).tobytes()
            assert tuple(nodes[0]["points"]) == after.scores()
            assert nodes[0]["over"] == after.is_terminal()
            compared += 1
    assert compared > 60


@pytest.mark.parametrize("variant", ["square-random", "hex-random"])
def test_what_is_within_reach_is_what_the_rules_allow(variant: str) -> None:
    """Eruptions by stack, direction and number of pieces, after turns that leave the caps little freedom; wherever all
    arrangements were looked at."""
    scratch, compared = np.zeros(engine.SCRATCH, np.int64), 0
    for seed in range(3):
        for before, _ in walk(variant, seed, 12):
            ROOT.begin(before.array, 3000, 0)
            state = play(before, ROOT.actions(int(ROOT.forms(ROOT.moves[:1], 0)[0][0])))
            outcomes = turn_outcomes(state, LIMIT)
            if not outcomes.complete or outcomes.refused or outcomes.arrangements >= LIMIT:
                continue
            allowed = set()
            for index in outcomes.eruptions():
                *quiet, last = outcomes.actions(index)
                now = play(state, tuple(quiet))
                allowed.add(verbs.foresee(now.record, now.record["caps"], last)[0] << ACTION_BITS | last)
            for exact in (0, 1):
                nodes, moves, gains = node(state), *np.zeros((2, engine.MAX_TURNS), np.int64)
                nodes["exact"] = exact
                count = engine.turns(nodes[0], 0, moves, gains, scratch)
                assert {move & engine.NAMES - 1 for move in moves[:count].tolist()} == allowed
            compared += 1
    assert compared > 5


@pytest.mark.parametrize("variant", GAME.variants)
def test_every_turn_that_is_found_can_be_played_and_leaves_the_caps_as_it_says(variant: str) -> None:
    for state, _ in walk(variant, 3, 6):
        ROOT.begin(state.array, 3000, 0)
        forms, _ = ROOT.forms(ROOT.moves[:10], 0)
        assert len(set(forms.tolist())) == len(forms) >= 10
        for move in (*ROOT.moves.tolist(), *forms.tolist()):
            after = play(state, ROOT.actions(move))
            assert after.current_player() == 1 - state.current_player() or after.is_terminal()
            if move >> CAPS_SHIFT:
                assert int(after.record["caps"]) == move >> CAPS_SHIFT


def test_a_turn_that_has_begun_is_gone_on_with() -> None:
    state = GAME.new_initial_state()
    state.apply_action(state.string_to_action("B2-A3"))
    ROOT.begin(state.array, 500, 0)
    for move in ROOT.moves.tolist():
        assert play(state, ROOT.actions(move)).current_player() == 1


def test_tightest_forms_leave_the_fewest_quiet_steps() -> None:
    """Counted by the rules, over all outcomes of an eruption."""
    stacks = GAME.new_initial_state(variant="hex").position().split(" ")[0]
    state = GAME.from_position(f"{stacks} - - 0 -", variant="hex")
    ROOT.begin(state.array, 20_000, 0)
    move = int(ROOT.moves[0])
    forms, _ = ROOT.forms(np.array([move]), 0)
    outcomes = turn_outcomes(state)
    assert outcomes.complete

    def quiet(after: State) -> int:
        return sum(after.preview(action)[0] == 0 for action in after.legal_actions())  # type: ignore[attr-defined]

    counts = {}
    for index in range(len(outcomes)):
        actions = outcomes.actions(index)
        if actions[-1] == move & 255:
            before = play(state, actions[:-1])
            if verbs.foresee(before.record, before.record["caps"], actions[-1])[0] == move >> ACTION_BITS:
                after = play(state, actions)
                counts[int(after.record["caps"])] = quiet(after)
    assert sorted(counts.values())[: len(forms)] == [counts[form >> CAPS_SHIFT] for form in forms.tolist()]


def test_who_cannot_make_anything_erupt_has_lost() -> None:
    state = GAME.from_position("/".join(["-*", *["-"] * 24]) + " - - 0 -")
    search = new_searcher(GAME, GAME.searches["alphabeta"], {})
    result = search.search(state.clone(), 0, Budget(nodes=1000), 1)
    assert result.value == 0
    assert result.proven
    assert play(state, result.turn).returns() == [-1.0, 1.0]


def outcomes_of(state: State) -> list[State]:
    """Every different position after a turn."""
    outcomes = turn_outcomes(state)
    afters = (play(state, outcomes.actions(index)) for index in range(len(outcomes)))
    return list({after.position(): after for after in afters}.values())


def can_win_at_once(state: State, player: int) -> bool:
    return any(after.is_terminal() and after.returns()[player] > 0 for after in outcomes_of(state))


@pytest.mark.parametrize(
    "position",
    [
        "BS/-/PSBL/RLPM/-/-/BS/-/-/-/-/YL/YSYM/-/-/-*/-/-/-/-/-/-/-/-/- PMGSRLYMGS GSRLBMGMPL 0 - 1",
        "-/-/-/BLPSPL/-/BL/YS*/-/-/-/-/BMRSPS/-/-/-/-/-/-/-/-/-/-/-/-/- RMGMBMYS RSGLBL 0 - 1",
        "RLYMYM/GMGSPL/-/YLYLYS/-/-/-/RM/-/-/-/-/GMBLPL/-/-/BMRS/-/-/-/-/-/-/-/-*/- BMYMRMGS RSYMPMPL 0 - 1",
    ],
)
def test_it_finds_the_turn_that_wins_whatever_the_reply(position: str) -> None:
    """Not at once, but in the next turn: shown by looking at every reply and every turn after it."""
    state = GAME.from_position(position)
    assert not can_win_at_once(state, 0)
    search = new_searcher(GAME, GAME.searches["alphabeta"], {})
    result = search.search(state.clone(), 0, Budget(nodes=40_000), 1)
    assert result.value > 0.95
    for reply in outcomes_of(play(state, result.turn)):
        if reply.is_terminal():
            assert reply.returns()[0] > 0
        else:
            assert can_win_at_once(reply, 0)


def test_it_ends_the_game_where_that_wins() -> None:
    """The large green piece is the fifth colour."""
    stacks = ["-"] * 25
    stacks[0], stacks[10], stacks[24], stacks[22] = "GL*", "YL", "YL*", "YM"
    state = GAME.from_position(f"{'/'.join(stacks)} YSRSBSPS GSGM 0 -")
    result = new_searcher(GAME, GAME.searches["alphabeta"], {}).search(state.clone(), 0, Budget(nodes=2000), 1)
    assert play(state, result.turn).returns() == [1.0, -1.0]
    assert result.proven
    assert result.value == 1


def test_find_reachable_keeps_what_it_found() -> None:
    """The second time it looks at nothing, and says the same."""
    scratch, nodes = np.zeros(engine.SCRATCH, np.int64), node(GAME.new_initial_state(variant="hex"))
    slot = find_reachable(nodes[0], 1, scratch)
    first = scratch[slot : slot + 320].copy()
    assert scratch[-1] != 0 or (scratch != 0).any()
    assert find_reachable(nodes[0], 1, scratch) == slot
    assert (scratch[slot : slot + 320] == first).all()


def score(variant: str, one: int, other: int, seeds: range) -> float:
    """What level `one` scores of `other`, by number from 0, each seed played from both seats."""
    players = []
    for level in (GAME.levels[one], GAME.levels[other]):
        settings = {**level.settings, "blunder": level.blunder}
        players.append((new_searcher(GAME, GAME.searches[level.search], settings), Budget(nodes=level.nodes)))
    points = 0.0
    for seed in seeds:
        for seat in range(2):
            state = GAME.new_initial_state(variant=variant, seed=seed)
            while not state.is_terminal():
                current_player = state.current_player()
                search, budget = players[current_player ^ seat]
                state = play(state, search.search(state.clone(), current_player, budget, 1000 * seed + state.turn).turn)
            points += (1 + state.returns()[seat]) / 2
    return points / (2 * len(seeds))


@pytest.mark.parametrize("lower", [0, 2, 4, 6, 7])
def test_levels_are_in_order(lower: int) -> None:
    """Two steps apart; the same games every time."""
    assert score("square-random", lower + 2, lower, range(12)) > 0.6
    assert score("hex-random", lower + 2, lower, range(6)) > 0.6
