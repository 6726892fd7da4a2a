"""The evaluation of the search."""

from __future__ import annotations

import numpy as np
import pytest

from lapilli.games import load
from lapilli.games.pyramids.engine.evaluation import LONG, WEIGHTS, value
from lapilli.games.pyramids.engine.node import NODE, enter
from lapilli.kernels.kernel import Batch, Ints, kernel
from lapilli.search.budget import Budget
from lapilli.search.searcher import new_searcher

GAME = load("pyramids")
STACKS = "PLRM*/-/YS/-/-/-/RS/GSGMGLPM/GSGMGLRM/-/-/YSYM/RS/GSGMRS/YL*/-/RL*/-/-/GS*/-/-/BS/-/YS*"
AHEAD = "RLBLRSPSRLRMYMYLBLYSBMYLPLPMBSBSPSPLBMBLRSBSRLPSYLRLRMPSRM"
BEHIND = "GLPLPMBLBLBMYLBSGMPLYMGLYSPSPMBMGSBMYMPMYMGLGM"


@kernel
def value_of(batch: Batch, nodes: Batch, weights: Ints) -> int:
    enter(batch[0], nodes[0])
    return value(nodes[0], weights)


def evaluated(position: str, turn: int) -> int:
    """The value of the position at this turn, for the player to move."""
    state = GAME.from_position(f"{position} {turn}")
    return int(value_of(state.array, np.zeros(1, NODE), np.array([*WEIGHTS.values()], np.int64)))


@pytest.mark.parametrize(("captures", "sign"), [(f"{AHEAD} {BEHIND} 0", 1), (f"{BEHIND} {AHEAD} 0", -1)])
def test_the_number_of_the_turn_matters_only_late(captures: str, sign: int) -> None:
    early, last, late, later = (evaluated(f"{STACKS} {captures} -", turn) for turn in (4, LONG, LONG + 10, LONG + 40))
    assert early == last
    assert sign * last < sign * late < sign * later


def test_who_leads_does_not_play_quiet_turns_for_ever() -> None:
    """From this position of one of its matches, the search once went on for more than 100 turns, and kept the lead."""
    state = GAME.from_position(f"{STACKS} {AHEAD} {BEHIND} 1 - 64")
    searchers = [new_searcher(GAME, GAME.searches["alphabeta"], {}) for _ in range(2)]
    for turn in range(60):
        if state.is_terminal():
            break
        player = state.current_player()
        for action in searchers[player].search(state.clone(), player, Budget(nodes=5000), turn).turn:
            state.apply_action(action)
    assert state.is_terminal()
    assert state.returns()[0] == 1
