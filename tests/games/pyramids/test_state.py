"""Positions, endings, layouts by lot, and the kernel as plain Python."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lapilli.core.api import CHANCE, TERMINAL, Termination
from lapilli.core.errors import IllegalAction, PositionError
from lapilli.games import load
from lapilli.games.pyramids import GAME, PyramidsState
from lapilli.games.pyramids.board import BOARDS, PILES, TURN_LIMIT, board_of
from lapilli.games.pyramids.state.layout import PieceBox, pile, push
from lapilli.kernels.java_random import JavaRandom
from plain import printed_either_way

START = GAME.new_initial_state().position()
STACKS = START.split(" ")[0]
EMPTY = "/".join(["-"] * 25)


def from_position(text: str, variant: str = "square") -> PyramidsState:
    state = GAME.from_position(text, variant=variant)
    assert isinstance(state, PyramidsState)
    return state


# ---------------------------------------------------------------------------------------- positions


def test_the_start_position() -> None:
    assert START.startswith("RSRMRL*/GSGMGL/PSPMPL/PSPMPL/PSPMPL/YSYMYL/RSRMRL*/")
    assert START.endswith("/RSRMRL* - - 0 - 1")


def test_a_turn_that_has_begun() -> None:
    state = from_position(START)
    for move in ("B2-A3", "C3-B3", "D4-C5", "A3-A2"):
        state.apply_action(state.string_to_action(move))
    assert state.position().endswith(" - - 0 B2,A3,A2;C3,B3;D4,C5 1")
    assert state.paths() == [["B2", "A3", "A2"], ["C3", "B3"], ["D4", "C5"]]
    again = from_position(state.position())
    assert again.legal_actions() == state.legal_actions()
    assert again.position() == state.position()


def test_the_turn_is_the_last_field_and_may_be_left_out() -> None:
    state = from_position(START)
    for move in ("A1-A2", "E5-E4"):
        state.apply_action(state.string_to_action(move))
    assert state.position().endswith(" RL RL 0 - 3")
    assert from_position(state.position()).turn == 3
    assert from_position(state.position().removesuffix(" 3")).turn == 1


def canonical(state: PyramidsState) -> bytes:
    """The record with pieces and caps numbered as reading a position numbers them: nothing else may differ."""
    old, new, box = state.record, state.clone().record, PieceBox(state.board)
    new["below"] = 0
    for place in range(PILES):
        new["top"][place] = 0
        for piece in pile(old, place):
            push(new, place, box.take(state.board.piece_names[piece]))
    caps = [int(cap) for cap in old["cap_on"] if cap >= 0]
    new["cap_on"][old["cap_on"] >= 0] = range(len(caps))
    for field in ("seen", "steps", "path"):
        new[field] = 0
        new[field][: len(caps)] = old[field][caps]
    return bytes(new.tobytes())


@given(st.sampled_from(GAME.variants), st.integers(0, 10**6))
@settings(max_examples=25, deadline=None)
def test_a_position_read_back_is_the_same_but_for_numbers(variant: str, seed: int) -> None:
    """All of it: what reading leaves 0, playing leaves 0 too, such as the ways of caps in a turn that is over."""
    random, state = Random(seed), GAME.new_initial_state(variant=variant, seed=seed)
    assert isinstance(state, PyramidsState)
    while not state.is_terminal():
        state.apply_action(random.choice(state.legal_actions()))
        again = from_position(state.position(), variant)
        assert canonical(again) == again.array.tobytes()
        assert canonical(state) == again.array.tobytes()
    assert again.outcome() == state.outcome()


def test_the_end_by_turns_is_read_back() -> None:
    state = from_position(f"{START.removesuffix('1')}{TURN_LIMIT}")
    state.apply_action(state.string_to_action("A1-A2"))
    again = from_position(state.position())
    assert again.outcome() == state.outcome()
    assert canonical(state) == again.array.tobytes()


def test_a_turn_that_is_over_leaves_no_trace_in_the_record() -> None:
    state = from_position(START)
    for move in ("B2-A3", "A3-B3", "D4-C5", "B3-B4"):
        state.apply_action(state.string_to_action(move))
        assert state.record["path"].any() == (move != "B3-B4")
    assert state.turn == 2
    for field in ("path", "seen", "steps"):
        assert not state.record[field].any()


def test_captures_decide_a_position() -> None:
    state = from_position(f"{EMPTY} YLPSRSGMBL RLYS 1 -")
    outcome = state.outcome()
    assert outcome is not None
    assert outcome.scores == (7, 2)
    assert outcome.termination is Termination.DECIDED
    assert outcome.reason == "First captured every colour"


def test_no_cap_is_no_move() -> None:
    outcome = from_position(f"{EMPTY} - - 1 -").outcome()
    assert outcome is not None
    assert (outcome.termination, outcome.ranks) == (Termination.NO_MOVE, (1, 2))


BAD = [
    (f"{STACKS} - - 0", "4 fields instead of 6"),
    (f"{STACKS} - - 0 - 1 x", "7 fields instead of 6"),
    (f"{STACKS} - - 0 - x", "the turn is 1 to 1000, or one more at the end, not 'x'"),
    (f"{STACKS} - - 0 - 0", "the turn is 1 to 1000, or one more at the end, not '0'"),
    (f"{STACKS} - - 0 - 1002", "the turn is 1 to 1000, or one more at the end, not '1002'"),
    (f"{'/'.join(['-'] * 37)} - - 0 -", "37 cells are a hex board: give variant 'hex'"),
    (f"{EMPTY}/- - - 0 -", "26 cells"),
    (START.replace("RSRMRL*", "RSRMR*", 1), "A1: 'RSRMR' is no list of pieces"),
    (START.replace("RSRMRL*", "*", 1), "A1: '' is no list of pieces"),
    (START.replace("RSRMRL*", "RSCM*", 1), "A1: 'CM' is no piece of the square board"),
    (START.replace("RSRMRL*", "RXRM*", 1), "A1: 'RX' is no piece"),
    (START.replace("GSGMGL", "GSGMGL*", 1), "6 caps"),
    (f"{STACKS} RL - 0 -", "captures of player 0: one RL too many, there are 5"),
    (f"{STACKS} - xx 0 -", "captures of player 1: 'xx' is no piece"),
    (f"{STACKS} - - 2 -", "the player to move is 0 or 1, not '2'"),
    (f"{STACKS} - - 0 A1", "'A1' is no cap's way"),
    (f"{STACKS} - - 0 Z1,A1", "'Z1' is no cell"),
    (f"{STACKS} - - 0 A3,A1", "'A3,A1' is no cap's way"),
    (f"{STACKS} - - 0 A1,A2,A1", "'A1,A2,A1' is no cap's way"),
    (f"{STACKS} - - 0 A1,A2", "no cap stands on A2"),
    (f"{STACKS} - - 0 B2,A1", "two caps were on B2"),
    (f"{STACKS} - - 0 A2,A1;B1,A1", "the cap on A1 has two ways"),
    (f"{STACKS} - - 0 A2,A1;A2,B2", "two caps were on A2"),
    (f"{STACKS} - - 0 A2,A1;", "'' is no cell"),
]


@pytest.mark.parametrize(("text", "reason"), BAD, ids=[reason[:30] for _, reason in BAD])
def test_bad_positions(text: str, reason: str) -> None:
    with pytest.raises(PositionError) as caught:
        GAME.from_position(text)
    assert reason in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_square_position_on_the_hex_board() -> None:
    with pytest.raises(PositionError, match="25 cells are a square board: give variant 'square', not 'hex'"):
        GAME.from_position(START, variant="hex")


# ------------------------------------------------------------------------------------------ endings


def test_the_turn_limit() -> None:
    state = from_position(START)
    state.record["turn"] = TURN_LIMIT - 1
    state.apply_action(state.string_to_action("A1-A2"))
    assert not state.is_terminal()
    state.apply_action(state.string_to_action("E5-E4"))
    outcome = state.outcome()
    assert outcome is not None
    assert (outcome.termination, outcome.scores, outcome.ranks) == (Termination.TURN_LIMIT, (1, 1), (1, 1))
    assert outcome.reason == f"all {TURN_LIMIT} turns were played"


def test_whoever_ends_the_game_may_lose_it() -> None:
    """First captures his fifth colour, a large green piece from B3 on B4, and has fewer points."""
    stacks = ["-"] * 25
    stacks[2], stacks[7], stacks[8] = "-", "GL*", "-"
    stacks[9] = "RL"
    state = from_position(f"{'/'.join(stacks)} YSRSBSPS GSGMGLYL 0 -")
    state.apply_action(state.string_to_action("B3-B4"))
    outcome = state.outcome()
    assert outcome is not None
    assert state.captures(0) == ["YS", "RS", "BS", "PS", "GL"]
    assert (outcome.scores, outcome.ranks) == ((5, 8), (2, 1))
    assert outcome.reason == "First captured every colour"
    assert state.legal_actions() == []
    with pytest.raises(IllegalAction, match="the game is over"):
        state.apply_action(0)


def test_an_eruption_may_take_a_cap_back() -> None:
    """A3 was this cap's start; going back there is an eruption, B3's piece landing on nothing beyond the edge."""
    stacks = ["-"] * 25
    stacks[12], stacks[7] = "RS*", "-"
    state = from_position(f"{'/'.join(stacks)} - - 0 B3,C3")
    state.apply_action(state.string_to_action("C3-B3"))
    assert state.current_player() == 1
    assert state.stack("A3") == ["RS"]
    assert state.paths() == []


@pytest.mark.parametrize("action", [-1, 200, 10**9])
def test_actions_out_of_range(action: int) -> None:
    with pytest.raises(IllegalAction, match="actions of the square board are 0 to 199"):
        from_position(START).apply_action(action)
    with pytest.raises(IllegalAction, match="no step on the square board"):
        from_position(START).action_to_string(action)


def test_other_players_have_no_actions() -> None:
    state = from_position(START)
    assert state.legal_actions(1) == []
    with pytest.raises(IllegalAction, match="player 1 is not to move"):
        state.string_to_action("A1-A2", 1)
    verbs, out = GAME.verbs, np.zeros(GAME.verbs.MAX_LEGAL, np.int64)
    for player in (CHANCE, TERMINAL, 1):
        assert verbs.legal(state.record, player, out) == 0
        assert not any(verbs.accepts(state.record, player, action) for action in state.legal_actions())
    state.leave(0, Termination.EXITED)
    for player in (CHANCE, TERMINAL, 0, 1):
        assert verbs.legal(state.record, player, out) == 0
        assert not any(verbs.accepts(state.record, player, action) for action in range(verbs.NUM_ACTIONS))


# -------------------------------------------------------------------------------------------- lots


@pytest.mark.parametrize("variant", ["square-random", "hex-random"])
def test_layouts_by_lot(variant: str) -> None:
    """The documented recipe, written out: 999 swaps of two drawn cells, the hex board's centre apart."""
    board = board_of(variant)
    start = GAME.new_initial_state(variant=board.name).position().split(" ")[0].split("/")
    places = [cell for cell in range(len(start)) if start[cell] != "-"]
    for seed in (0, 1, -5, 2**63 - 1):
        expected, random = list(start), JavaRandom(seed)
        for _ in range(999):
            a, b = places[random.next_int(len(places))], places[random.next_int(len(places))]
            expected[a], expected[b] = expected[b], expected[a]
        drawn = GAME.new_initial_state(variant=variant, seed=seed)
        assert drawn.position().split(" ")[0].split("/") == expected
        assert expected != start
    assert (
        GAME.new_initial_state(variant=variant).position() == GAME.new_initial_state(variant=variant, seed=0).position()
    )


def test_seeds_leave_the_printed_layouts_alone() -> None:
    assert GAME.new_initial_state(seed=3).position() == START


def test_the_lot_is_pinned() -> None:
    caps = [GAME.new_initial_state(variant=variant, seed=1) for variant in ("square-random", "hex-random")]
    assert [" ".join(state.caps()) for state in caps if isinstance(state, PyramidsState)] == PINNED


PINNED = ["A3 C2 E1 E2 E4", "A1 B3 E2 E5 E6 F3"]


def test_names() -> None:
    assert load("pyramids") is GAME
    assert load("icehouse-volcano") is load("volcano with pyramids") is GAME
    assert [board.index for board in BOARDS] == [0, 1]


# ------------------------------------------------------------------------------------ plain Python

PLAIN = """
import sys
from lapilli.kernels.kernel import new_random
from lapilli.games.pyramids import GAME, turn_outcomes
import numpy as np
from lapilli.games.pyramids.rules.verbs import random_action, play
rng, out = new_random(3), np.zeros(GAME.verbs.MAX_LEGAL + 2, np.int64)
for variant in ("square", "hex-random"):
    state = GAME.new_initial_state(variant=variant, seed=5)
    for _ in range(25):
        play(state.record, random_action(state.record, state.current_player(), rng, out))
    found = turn_outcomes(state, most=40)
    print(state.position(), state.scores(), len(found), found.refused, found.eruptions(), found.actions(len(found) - 1))
    edges = (-(2**31), -1, 0, 199, 200, 221, 222, 2**31)
    print([GAME.verbs.accepts(state.record, state.current_player(), action) for action in edges])
    GAME.verbs.playout(state.record, rng, out)
    print(state.position(), state.outcome())
"""


def test_plain_python_plays_the_same_without_a_warning() -> None:
    assert printed_either_way(PLAIN).count("\n") == 6


# ------------------------------------------------------------------------------------- any text at all

PARTS = st.sampled_from([*"*/- 012x;", "RS", "GL", "CM", "A1", "B2,A3", STACKS, EMPTY, "- - 0 -"])
LINES = st.lists(PARTS, max_size=12).map("".join) | st.lists(PARTS, max_size=6).map(" ".join)


@given(st.text(max_size=60) | LINES)
@settings(max_examples=200, deadline=None)
def test_any_position_text_is_read_or_refused(text: str) -> None:
    for variant in ("square", "hex"):
        refusal, state = "", None
        try:
            state = from_position(text, variant)
        except PositionError as problem:
            refusal = str(problem)
        assert len(refusal) < 250
        assert "\n" not in refusal
        if state is not None:
            assert from_position(state.position(), variant).position() == state.position()
            assert canonical(state) == state.array.tobytes()


def test_a_loss_by_a_fault_is_no_part_of_the_notation() -> None:
    """As the rules page says: the fields are those of the position before the verdict."""
    state = from_position(START)
    state.leave(0, Termination.TIMEOUT)
    assert state.is_terminal()
    again = from_position(state.position())
    assert again.current_player() == 0
    assert again == from_position(START)
    assert "A loss by a fault" in GAME.rules_page


def test_without_caps_the_mover_has_no_step() -> None:
    outcome = from_position(f"{'/'.join(['RS'] + ['-'] * 24)} - - 1 -").outcome()
    assert outcome is not None
    assert (outcome.termination, outcome.ranks) == (Termination.NO_MOVE, (1, 2))
    assert "a position without caps" in GAME.rules_page
